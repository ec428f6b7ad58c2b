#include "next.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char here; /* an address within this object */

static mpi_any as_function(void *symbol) {
    mpi_any function;
    memcpy(&function, &symbol, sizeof function); /* ISO C has no cast for it */
    return function;
}

static bool in_this_object(const void *symbol) {
    Dl_info theirs, ours;
    return dladdr(symbol, &theirs) && dladdr(&here, &ours) && theirs.dli_fbase == ours.dli_fbase;
}

static int first_object(struct dl_phdr_info *info, size_t size, void *loads) {
    (void)size;
    *(uint64_t *)loads = info->dlpi_adds;
    return 1;
}

/* Grows with every object that is loaded. */
static uint64_t objects_loaded(void) {
    uint64_t loads = 0;
    dl_iterate_phdr(first_object, &loads);
    return loads;
}

/* Names of the objects behind this one, in the order of loading. Those before it are other tools (or the program),
 * whose symbols are not next but previous. */
struct behind {
    bool passed; /* this object */
    char **names;
    size_t count;
};

static bool holds(const struct dl_phdr_info *info, const void *address) {
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && (uintptr_t)address >= start && (uintptr_t)address < start + segment->p_memsz)
            return true;
    }
    return false;
}

static int collect_name(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    struct behind *behind = data;
    if (!behind->passed) {
        behind->passed = holds(info, &here);
        return 0;
    }
    if (!info->dlpi_name || !*info->dlpi_name) return 0;
    char **names = realloc(behind->names, (behind->count + 1) * sizeof *names);
    if (!names) return 1;
    behind->names = names;
    names[behind->count] = strdup(info->dlpi_name);
    if (!names[behind->count]) return 1;
    behind->count++;
    return 0;
}

static void *in_object(const char *object, const char *name) {
    void *handle = dlopen(object, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle) return NULL;
    void *symbol = dlsym(handle, name);
    if (symbol && in_this_object(symbol)) symbol = NULL;
    if (!symbol) dlclose(handle); /* else it is kept, as what we call must not go away */
    return symbol;
}

/* Where RTLD_NEXT does not look: objects loaded with RTLD_LOCAL, as Python loads its extensions. dlopen only after the
 * walk, since the walk holds the loader's lock. */
static void *in_local_objects(const char *name) {
    struct behind behind = {0};
    dl_iterate_phdr(collect_name, &behind);
    void *symbol = NULL;
    for (size_t i = 0; i < behind.count; i++) {
        if (!symbol) symbol = in_object(behind.names[i], name);
        free(behind.names[i]);
    }
    free(behind.names);
    return symbol;
}

mpi_any mpi_next(struct mpi_link *link, const char *name) {
    mpi_any known = __atomic_load_n(&link->symbol, __ATOMIC_ACQUIRE);
    if (known) return known;
    uint64_t loaded = objects_loaded();
    if (__atomic_load_n(&link->objects_at_miss, __ATOMIC_RELAXED) == loaded) return NULL;
    void *symbol = dlsym(RTLD_NEXT, name);
    if (!symbol || in_this_object(symbol)) symbol = in_local_objects(name);
    if (!symbol) {
        dlerror(); /* our failure is none of the program's */
        __atomic_store_n(&link->objects_at_miss, loaded, __ATOMIC_RELAXED);
        return NULL;
    }
    known = as_function(symbol);
    __atomic_store_n(&link->symbol, known, __ATOMIC_RELEASE);
    return known;
}

void *mpi_variable(const char *object, const char *name) {
    void *variable = dlsym(RTLD_DEFAULT, name);
    if (!variable) variable = in_object(object, name);
    if (!variable) dlerror();
    return variable;
}
