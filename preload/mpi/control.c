/* MPI_Pcontrol: the marker of programs that know no profiler. Level 0 pauses the recording, 1 resumes it; 1 with a name
 * begins a region, -1 with the same name ends it. */
#include "call.h"
#include "recorder.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NAME_MOST = 128, DEPTH = 64, NO_REGION = -1 };

/* Regions begun here and not ended, by thread; NULL: none. Not in the thread's static storage, of which there is little
 * for a library that is loaded late. */
struct opened {
    unsigned depth, serial; /* serial: the recorder whose regions they are */
    int regions[DEPTH];
    uint64_t hashes[DEPTH]; /* of their names */
};
static __thread struct opened *opened __attribute__((tls_model("initial-exec")));
static struct opened *spare; /* of the thread that was done last: most begin and end one region again and again */

static bool paused;
static __thread bool within __attribute__((tls_model("initial-exec"))); /* another tool's call of the same */

/* The second argument is whatever the register holds where the caller gave none: it is a name when it points to
 * readable memory with a text of one line in it. Its length; 0: it is none. */
static size_t read_name(const char *address, char name[NAME_MOST]) {
    const size_t to_page = (size_t)sysconf(_SC_PAGESIZE) - (uintptr_t)address % (size_t)sysconf(_SC_PAGESIZE);
    const struct iovec to = {name, NAME_MOST};
    const struct iovec from[] = {{(void *)address, to_page < NAME_MOST ? to_page : NAME_MOST},
                                 {(void *)(address + to_page), to_page < NAME_MOST ? NAME_MOST - to_page : 0}};
    if ((uintptr_t)address < 4096) return 0;
    const ssize_t got = process_vm_readv(getpid(), &to, 1, from, 2, 0);
    const size_t length = got > 0 ? strnlen(name, (size_t)got) : 0;
    if (got <= 0 || length == (size_t)got) return 0;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] < ' ' || name[i] == 127) return 0;
    return length;
}

static uint64_t hash_of(const char *name, size_t length) {
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)name[i]) * 1099511628211u;
    return hash;
}

static struct opened *make_opened(void) {
    struct opened *made = __atomic_exchange_n(&spare, NULL, __ATOMIC_ACQ_REL);
    if (!made) made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) return NULL;
    made->depth = 0;
    return made;
}

static void give_back(void) {
    struct opened *before = __atomic_exchange_n(&spare, opened, __ATOMIC_ACQ_REL);
    if (before) munmap(before, sizeof *before);
    opened = NULL;
}

static void begin(const char *name, size_t length) {
    if (!opened) opened = make_opened();
    if (!opened) return;
    if (opened->serial != rec_default_serial) opened->depth = 0;
    opened->serial = rec_default_serial;
    if (opened->depth == DEPTH) return;
    const int region = rec_region(name, length, NULL, -1, NULL);
    opened->hashes[opened->depth] = hash_of(name, length);
    opened->regions[opened->depth++] = region;
    rec_begin(region);
}

/* Only the region that was begun last: another name is what an earlier call left in the register. */
static void end(const char *name, size_t length) {
    if (!opened || opened->serial != rec_default_serial || !opened->depth) return;
    if (opened->hashes[opened->depth - 1] == hash_of(name, length)) rec_end(opened->regions[--opened->depth]);
    if (!opened->depth) give_back();
}

static void control(int level, const char *argument) {
    char name[NAME_MOST];
    if (level == 0) rec_pause();
    if (level == 1) rec_resume();
    const bool may_name = rec_active() && ((level == 1 && !paused) || level == -1);
    const size_t length = may_name ? read_name(argument, name) : 0;
    if (level == 0 || level == 1) paused = level == 0;
    if (length && level == 1) begin(name, length);
    if (length && level == -1) end(name, length);
}

/* MPIs ignore the call, other tools behind us may not. Variadic: the registers go on as the caller left them. */
#define PCONTROL(name)                                                                                                 \
    EXPORT int name(mpi_word level, mpi_word a1, mpi_word a2, mpi_word a3, mpi_word a4, mpi_word a5) {                 \
        static struct mpi_link link;                                                                                   \
        const int saved = errno;                                                                                       \
        mpi_any next = mpi_next(&link, #name);                                                                         \
        const bool outermost = next && !within;                                                                        \
        if (outermost) control((int)level, (const char *)a1);                                                          \
        errno = saved;                                                                                                 \
        if (!next) return MPI_NO_LIBRARY;                                                                              \
        if (outermost) within = true;                                                                                  \
        const int result = ((int (*)(int, ...))next)((int)level, a1, a2, a3, a4, a5);                                  \
        if (outermost) within = false;                                                                                 \
        return result;                                                                                                 \
    }

PCONTROL(MPI_Pcontrol)
PCONTROL(PMPI_Pcontrol)
