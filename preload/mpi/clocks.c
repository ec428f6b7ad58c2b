#include "clocks.h"

#include "abi.h"
#include "call.h"
#include "clock.h"
#include "known.h"
#include "recorder.h"
#include "spool.h"
#include "sys.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ranks whose clocks are the same have one `domain`: machine and time namespace. Before MPI_Init each leaves a file
 * clock-<rank>-<domain> in the spool. No rank may send a message before it is sure that the other will receive it, and
 * there may be ranks that are not recorded: so nothing happens until the files of all ranks are seen, and where a file
 * system shows them late one link, which only the first can make, says for all whether that is so. */
#define DECISION "clocks"
enum { ROUNDS = 200, TAG = 77, PATIENCE_MS = 2000, LOOK_AGAIN_MS = 2, MOST_RANKS = 1 << 20 };

static struct {
    bool announced, measures;
    char file[PATH_MAX + 64];
    uint32_t domain;
    mpi_word comm;
    int place, places; /* in it: rank 0 has the first */
} clocks;

/* ---- who has which clock ------------------------------------------------------------------------------------------
 */

static uint32_t own_domain(void) {
    char text[256] = "";
    long length = sys_read_file("/proc/sys/kernel/random/boot_id", text, 64);
    if (length < 0) length = 0;
    gethostname(text + length, 64);
    length = (long)strlen(text);
    const ssize_t link = readlink("/proc/self/ns/time", text + length, sizeof text - (size_t)length - 1);
    if (link > 0) text[length + link] = '\0';
    uint32_t hash = 2166136261u;
    for (const char *c = text; *c; c++) hash = (hash ^ (unsigned char)*c) * 16777619u;
    return hash | 1; /* 0: not known */
}

static const char *spool_path(void) {
    const struct recorder *session = rec_session();
    return session ? rec_spool_path(session) : NULL;
}

void clocks_announce(void) {
    const struct rec_launch launch = rec_launch();
    if (!rec_takes_facts || clocks.announced || launch.rank < 0 || launch.size < 2 || launch.size > MOST_RANKS ||
        !rec_join())
        return;
    const int saved = errno;
    clocks.domain = own_domain();
    snprintf(clocks.file, sizeof clocks.file, "%s/clock-%d-%08x", spool_path(), launch.rank, clocks.domain);
    const int fd = sys_open(clocks.file, O_WRONLY | O_CREAT, 0600);
    clocks.announced = fd >= 0;
    if (fd >= 0) sys_close(fd);
    errno = saved;
}

/* What getdents64 gives. */
struct entry {
    uint64_t inode, offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

/* Sets the domain of every rank that has announced itself; true when all have. */
static bool read_domains(uint32_t *domains, int size) {
    _Alignas(8) char block[8192];
    const int fd = sys_open(spool_path(), O_RDONLY | O_DIRECTORY, 0);
    int seen = 0;
    long got;
    if (fd < 0) return false;
    memset(domains, 0, (size_t)size * sizeof *domains);
    while ((got = syscall(SYS_getdents64, fd, block, sizeof block)) > 0)
        for (long at = 0; at < got; at += ((struct entry *)(void *)(block + at))->length) {
            const struct entry *entry = (struct entry *)(void *)(block + at);
            int rank;
            unsigned domain;
            if (sscanf(entry->name, "clock-%d-%x", &rank, &domain) != 2 || rank < 0 || rank >= size) continue;
            seen += domains[rank] == 0;
            domains[rank] = domain;
        }
    sys_close(fd);
    return seen == size;
}

/* Of all who ask, or would not wait any longer, the first has decided. */
static bool decided(const char *answer) {
    char path[PATH_MAX + 64], text[8] = "";
    snprintf(path, sizeof path, "%s/" DECISION, spool_path());
    syscall(SYS_symlinkat, answer, AT_FDCWD, path);
    return readlink(path, text, sizeof text - 1) > 0 && strcmp(text, "yes") == 0;
}

static bool all_announced(uint32_t *domains, const struct rec_launch *launch) {
    int waited = 0;
    while (!read_domains(domains, launch->size)) {
        /* On one machine files are seen as soon as they are there. */
        if (launch->local_size == launch->size) return false;
        if (waited >= PATIENCE_MS && !decided("no")) return false;
        poll(NULL, 0, LOOK_AGAIN_MS);
        waited += LOOK_AGAIN_MS;
    }
    return true;
}

/* Rank 0, and of every other domain the lowest rank, ascending; returns how many. */
static int list_leaders(const uint32_t *domains, int size, int *leaders) {
    int count = 1;
    leaders[0] = 0;
    for (int rank = 1; rank < size; rank++) {
        int i = 0;
        while (i < count && domains[leaders[i]] != domains[rank]) i++;
        if (i == count) leaders[count++] = rank;
    }
    return count;
}

/* ---- the communicator ---------------------------------------------------------------------------------------------
 */

static mpi_any function(const char *name) {
    struct mpi_link link = {0};
    return mpi_next(&link, name);
}

static bool make_comm(const int *leaders, int count) {
    const mpi_any group_of = function("PMPI_Comm_group"), include = function("PMPI_Group_incl"),
                  create = function("PMPI_Comm_create_group"), release = function("PMPI_Group_free");
    mpi_word world = 0, some = 0;
    if (!group_of || !include || !create || !release) return false;
    if (((int (*)(mpi_word, void *))group_of)(mpi_abi_now->comm_world, &world) != 0) return false;
    bool good = ((int (*)(mpi_word, int, const int *, void *))include)(mpi_handle(world), count, leaders, &some) == 0;
    good = good && ((int (*)(mpi_word, mpi_word, int, void *))create)(mpi_abi_now->comm_world, mpi_handle(some), TAG,
                                                                      &clocks.comm) == 0;
    clocks.comm = mpi_handle(clocks.comm);
    if (some) ((int (*)(void *))release)(&some);
    ((int (*)(void *))release)(&world);
    return good;
}

/* ---- measuring ----------------------------------------------------------------------------------------------------
 */

typedef int (*send_function)(const void *, int, mpi_word, int, int, mpi_word);
typedef int (*receive_function)(void *, int, mpi_word, int, int, mpi_word, void *);

static struct {
    send_function send;
    receive_function receive;
} message;

static bool send_time(int64_t ns, int to) {
    return message.send(&ns, (int)sizeof ns, mpi_abi_now->byte, to, TAG, clocks.comm) == 0;
}

static bool receive_time(int64_t *ns, int from) {
    _Alignas(8) unsigned char status[64];
    return message.receive(ns, (int)sizeof *ns, mpi_abi_now->byte, from, TAG, clocks.comm, status) == 0;
}

static bool answer(int place) {
    int64_t asked;
    bool good = true;
    for (int i = 0; good && i < ROUNDS; i++)
        good = receive_time(&asked, place) && send_time(clock_monotonic_ns(), place);
    return good;
}

/* The quickest answer is the one that was held up least: rank 0 read its clock half way. */
static bool ask(struct spool_mpi_clock *best) {
    best->error_ns = INT64_MAX;
    for (int i = 0; i < ROUNDS; i++) {
        int64_t theirs;
        const int64_t before = clock_monotonic_ns();
        if (!send_time(before, 0) || !receive_time(&theirs, 0)) return false;
        const int64_t after = clock_monotonic_ns(), half = (after - before + 1) / 2;
        if (half >= best->error_ns) continue;
        *best = (struct spool_mpi_clock){.ns = before + half, .ahead_ns = theirs - before - half, .error_ns = half};
    }
    return true;
}

static void measure(void) {
    struct spool_mpi_clock clock;
    bool good = true;
    if (clocks.place == 0) {
        for (int place = 1; good && place < clocks.places; place++) good = answer(place);
    } else if (ask(&clock)) {
        const struct iovec piece = {&clock, sizeof clock};
        rec_log(SPOOL_MPI_CLOCK, &piece, 1);
    }
}

/* ---- begin and end ------------------------------------------------------------------------------------------------
 */

/* What MPI calls meanwhile is no call of the program's. */
static void hide_calls(const uintptr_t *frame) { mpi_outermost = (struct mpi_outermost){frame, frame ? frame[1] : 0}; }

static bool begin(const struct rec_launch *launch, uint32_t *domains, int *leaders) {
    if (mpi_world_size() != launch->size || mpi_world_rank() != launch->rank || !all_announced(domains, launch))
        return false;
    clocks.places = list_leaders(domains, launch->size, leaders);
    clocks.place = 0;
    while (clocks.place < clocks.places && leaders[clocks.place] != launch->rank) clocks.place++;
    return clocks.places > 1 && clocks.place < clocks.places && decided("yes") && make_comm(leaders, clocks.places);
}

void clocks_begin(void) {
    const struct rec_launch launch = rec_launch();
    if (!clocks.announced || !mpi_abi()) return;
    const int saved = errno;
    const size_t bytes = (size_t)launch.size * (sizeof(uint32_t) + sizeof(int));
    uint32_t *domains = sys_pages(bytes);
    message.send = (send_function)function("PMPI_Send");
    message.receive = (receive_function)function("PMPI_Recv");
    if (domains && message.send && message.receive) {
        hide_calls(__builtin_frame_address(0));
        clocks.measures = begin(&launch, domains, (int *)(domains + launch.size));
        if (clocks.measures) measure();
        hide_calls(NULL);
    }
    if (domains) munmap(domains, bytes);
    errno = saved;
}

void clocks_end(void) {
    if (!clocks.announced) return;
    const int saved = errno;
    clocks.announced = false;
    unlink(clocks.file);
    if (clocks.measures) {
        mpi_any release = function("PMPI_Comm_free");
        measure();
        if (release) ((int (*)(void *))release)(&clocks.comm);
        clocks.measures = false;
    }
    errno = saved;
}
