/* Source lines of call sites, from the debug information of the objects. */
#include "mpi_internal.h"
#include <stdlib.h>
#include <string.h>

#if HAVE_LIBDW
#    include <elfutils/libdwfl.h>
#    include <gelf.h>
#    include <sys/stat.h>

static int find_nothing(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file,
                        const char *link, GElf_Word crc, char **debug_name) {
    (void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)debug_name;
    return -1;
}

static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                         .find_debuginfo = find_nothing,
                                         .section_address = dwfl_offline_section_address};

/* The address of an object's first loaded byte, as it is linked. */
static bool first_address(Dwfl_Module *module, GElf_Addr *first, GElf_Addr *bias) {
    Elf *elf = dwfl_module_getelf(module, bias);
    size_t count;
    if (!elf || elf_getphdrnum(elf, &count) != 0) return false;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD) continue;
        *first = header.p_vaddr & ~(GElf_Addr)0xfff;
        return true;
    }
    return false;
}

static void find_line(Dwfl_Module *module, GElf_Addr base, struct mpi_site *site) {
    Dwfl_Line *line = dwfl_module_getsrc(module, base + site->offset - 1); /* the call, not what follows it */
    const char *symbol = site->symbol[0] ? NULL : dwfl_module_addrname(module, base + site->offset - 1);
    int number = 0;
    if (symbol) {
        char *copy = strdup(symbol);
        if (copy) free(site->symbol);
        if (copy) site->symbol = copy;
    }
    const char *file = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
    const char *slash = file ? strrchr(file, '/') : NULL;
    if (!file || number <= 0) return;
    site->file = strdup(slash ? slash + 1 : file);
    site->line = site->file ? number : -1;
}

/* All sites of the object of `first`, which is a regular file. */
static void find_in_object(struct mpi_sites *sites, const struct mpi_site *first) {
    struct stat status;
    const bool regular = first->key[0] == '/' ? stat(first->key, &status) == 0 && S_ISREG(status.st_mode) : false;
    Dwfl *dwfl = regular ? dwfl_begin(&callbacks) : NULL;
    Dwfl_Module *module = dwfl ? dwfl_report_offline(dwfl, "", first->key, -1) : NULL;
    GElf_Addr start = 0, bias = 0;
    if (module && dwfl_report_end(dwfl, NULL, NULL) == 0 && first_address(module, &start, &bias))
        for (struct mpi_site *s = sites->table; s; s = s->hh.next)
            if (!s->file && !strcmp(s->key, first->key)) find_line(module, bias + start, s);
    if (dwfl) dwfl_end(dwfl);
}

static bool is_first_of_its_object(const struct mpi_sites *sites, const struct mpi_site *site) {
    for (const struct mpi_site *s = sites->table; s != site; s = s->hh.next)
        if (!strcmp(s->key, site->key)) return false;
    return true;
}

void mpi_lines_find(struct mpi_sites *sites) {
    for (struct mpi_site *s = sites->table; s; s = s->hh.next)
        if (is_first_of_its_object(sites, s)) find_in_object(sites, s);
}

#else
void mpi_lines_find(struct mpi_sites *sites) { (void)sites; }
#endif
