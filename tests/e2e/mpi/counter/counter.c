/* counter.c: counts the MPI calls that a program makes, by a way of its own: every MPI_ and PMPI_ symbol of the MPI
 * library (names.h, made by make.sh from the library itself) is a stub that notes who called it and jumps on. A call is
 * the program's unless it comes from within the MPI library or one of its plug-ins; that is told by the return address,
 * not by depth. Preloaded before the profiler. x86-64.
 *
 * $COUNTER_DIR/<rank>.<pid>.counts: one uint64 a name, in the order of names.h; mapped, so that it outlives any death.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *const names[] = {
#define NAME(name) #name,
#include "names.h"
#undef NAME
};
enum { NAMES = sizeof names / sizeof *names };

static void *next[NAMES];
static uint64_t *counts;

static const char *launcher_rank(void) {
    static const char *const variables[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK"};
    for (int i = 0; i < 2; i++)
        if (getenv(variables[i])) return getenv(variables[i]);
    return "0";
}

static void open_counts(void) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%d.counts", getenv("COUNTER_DIR"), launcher_rank(), (int)getpid());
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, sizeof(uint64_t) * NAMES)) abort();
    void *map = mmap(NULL, sizeof(uint64_t) * NAMES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (map == MAP_FAILED) abort();
    __atomic_store_n(&counts, map, __ATOMIC_RELEASE);
}

static int is_of_mpi(const char *path) {
    static const char *const bindings[] = {"libmpi_mpifh", "libmpi_usempi", "libmpi_cxx", "libmpichfort",
                                           "libmpichcxx"};
    static const char *const parts[] = {"libmpi.so", "libmpich.so", "libmpi_abi", "mca_",
                                        "libmca_",   "libopen-",    "libromio"};
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof bindings / sizeof *bindings; i++)
        if (strncmp(base, bindings[i], strlen(bindings[i])) == 0) return 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strncmp(base, parts[i], strlen(parts[i])) == 0) return 1;
    return 0;
}

/* Returns where the call goes on. */
__attribute__((used)) void *counter_count(long index, void *caller) {
    if (!next[index]) next[index] = dlsym(RTLD_NEXT, names[index]);
    Dl_info object;
    if (!dladdr(caller, &object) || !object.dli_fname || !is_of_mpi(object.dli_fname)) {
        if (!__atomic_load_n(&counts, __ATOMIC_ACQUIRE)) open_counts();
        __atomic_fetch_add(&counts[index], 1, __ATOMIC_RELAXED);
    }
    return next[index];
}

/* All argument registers of a C function without floating point are saved; the stack is as the caller left it. */
__asm__(".text\n"
        "counter_enter:\n"
        "  pushq %rax; pushq %rdi; pushq %rsi; pushq %rdx; pushq %rcx; pushq %r8; pushq %r9\n"
        "  subq $8, %rsp\n"
        "  movq 64(%rsp), %rdi\n"
        "  movq 72(%rsp), %rsi\n"
        "  call counter_count\n"
        "  movq %rax, %r11\n"
        "  addq $8, %rsp\n"
        "  popq %r9; popq %r8; popq %rcx; popq %rdx; popq %rsi; popq %rdi; popq %rax\n"
        "  addq $8, %rsp\n"
        "  jmp *%r11\n");
#include "stubs.h"
