#include "known.h"

#include "abi.h"
#include "call.h"
#include "callers.h"
#include "recorder.h"
#include "spool.h"
#include "sys.h"
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

enum { FEW_SITES = 512, SITES = 16384, COMMS = 16384, NEIGHBORS = 65536, LAST_SITES = 1024 };
_Static_assert(LAST_SITES >= MPI_LAYERS * MPI_FUNCTION_COUNT, "one for every entry");
#define FREED ((mpi_word)-7) /* a place that a handle has left; no MPI has it for a handle */

struct site {
    uintptr_t address;
    uint32_t serial; /* 0: it is within an MPI library, and the place of the program is further up: */
    int32_t step;    /* bytes from where the stack has this return address to where it has the next one */
    uint32_t proofs; /* of that, by the unwinder */
};

/* A step that was right so often is believed. */
enum { PROOFS = 3 };

/* Read without a lock: an entry's key is stored last. The first sites have a table of their own, of two pages: in a
 * large one each would be met with a page fault. */
static struct known {
    bool held;                                     /* who makes an entry holds it */
    uint32_t sites, places, comms, neighbors_used; /* places: of sites that are taken */
    struct mpi_comm world;
    struct mpi_last last[LAST_SITES];
    struct site few_sites[FEW_SITES], more_sites[SITES];
    struct mpi_comm comm[COMMS];
    int neighbors[NEIGHBORS];
    int *members;        /* of the group that is being told: kept, since new pages take longer than all the rest */
    size_t members_room; /* bytes */
} * known;

static const struct mpi_comm no_world;
const struct mpi_comm *mpi_comm_world = &no_world;
static const struct mpi_comm unknown = {.peers = 0, .rank = -1, .ins = -1, .outs = -1};

static struct known *tables(void) {
    struct known *k = __atomic_load_n(&known, __ATOMIC_ACQUIRE);
    if (k) return k;
    struct known *none = NULL;
    k = sys_pages_wiped_on_fork(sizeof *k);
    if (k && !__atomic_compare_exchange_n(&known, &none, k, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) k = none;
    return k;
}

static void hold(struct known *k) {
    while (__atomic_test_and_set(&k->held, __ATOMIC_ACQUIRE)) sched_yield();
}
static void let_go(struct known *k) { __atomic_clear(&k->held, __ATOMIC_RELEASE); }

static uint32_t place_of(uint64_t key, uint32_t places) {
    return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (places - 1);
}

/* ---- call sites -------------------------------------------------------------------------------------------------- */

/* The loader calls the program by the name that it was started with. */
static const char *path_of(const Dl_info *info, char path[PATH_MAX]) {
    const uintptr_t headers = getauxval(AT_PHDR), base = (uintptr_t)info->dli_fbase;
    if (!info->dli_fname) return "";
    if (info->dli_fname[0] == '/' || headers < base || headers - base > 65536) return info->dli_fname;
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (length <= 0) return info->dli_fname;
    path[length] = '\0';
    return path;
}

static void tell_site(uint32_t serial, uintptr_t address) {
    Dl_info info = {0};
    if (!dladdr((void *)(address - 1), &info)) info = (Dl_info){0};
    char path[PATH_MAX];
    const char *object = path_of(&info, path), *symbol = info.dli_sname ? info.dli_sname : "";
    const struct spool_mpi_site site = {
        .serial = serial,
        .object_length = (uint32_t)strlen(object),
        .symbol_length = (uint32_t)strlen(symbol),
        .address = address,
        .offset = info.dli_fbase ? address - (uintptr_t)info.dli_fbase : 0,
        .symbol_offset = info.dli_saddr ? address - (uintptr_t)info.dli_saddr : 0,
    };
    const struct iovec pieces[] = {
        {(void *)&site, sizeof site}, {(void *)object, site.object_length}, {(void *)symbol, site.symbol_length}};
    rec_log(SPOOL_MPI_SITE, pieces, 3);
}

/* slot: where the stack has the address. Locked. */
static void describe(struct known *k, struct site *site, uintptr_t address, const uintptr_t *slot) {
    const int32_t step = callers_step(address, slot);
    site->step = step;
    site->serial = step ? 0 : ++k->sites;
    if (!step) tell_site(site->serial, address);
}

/* Where the address is, or has its place. */
static inline struct site *place_in(struct site *table, uint32_t places, uintptr_t address) {
    for (uint32_t at = place_of(address, places);; at = (at + 1) & (places - 1)) {
        const uintptr_t found = __atomic_load_n(&table[at].address, __ATOMIC_ACQUIRE);
        if (__builtin_expect(found == address, 1) || !found) return &table[at];
    }
}

static inline struct site *find_site(struct known *k, uintptr_t address) {
    struct site *site = place_in(k->few_sites, FEW_SITES, address);
    if (site->address) return site;
    if (__atomic_load_n(&k->places, __ATOMIC_ACQUIRE) < FEW_SITES / 2) return NULL;
    site = place_in(k->more_sites, SITES, address);
    return site->address ? site : NULL;
}

/* NULL: too many. */
static __attribute__((noinline)) struct site *new_site(struct known *k, uintptr_t address, const uintptr_t *slot) {
    const int saved = errno;
    hold(k);
    struct site *site = find_site(k, address);
    if (!site && k->places < (FEW_SITES + SITES) / 2) {
        site = k->places < FEW_SITES / 2 ? place_in(k->few_sites, FEW_SITES, address)
                                         : place_in(k->more_sites, SITES, address);
        describe(k, site, address, slot);
        __atomic_store_n(&site->address, address, __ATOMIC_RELEASE);
        __atomic_store_n(&k->places, k->places + 1, __ATOMIC_RELEASE);
    }
    let_go(k);
    errno = saved;
    return site;
}

struct mpi_last *mpi_last_of(unsigned which) {
    struct known *k = tables();
    return k ? &k->last[which] : NULL;
}

/* A step has led to `address`, which was not met before. False: it is not the return address, since the function's
 * frame is not always as large; its calls are taken for the program's own then. */
static bool is_right(struct known *k, struct site *site, const uintptr_t *slot, uintptr_t address) {
    const int saved = errno;
    hold(k);
    const bool believed = site->proofs >= PROOFS && callers_may_return_to(address);
    const bool right = believed || callers_step(site->address, slot) == site->step;
    site->proofs += right && !believed;
    if (!right && site->step) {
        site->serial = ++k->sites;
        site->step = 0;
        tell_site(site->serial, site->address);
    }
    let_go(k);
    errno = saved;
    return right;
}

/* below: the binding that it was called by; NULL: none. */
static void remember(struct mpi_last *last, const struct site *site, const struct site *below) {
    const uint64_t words = below ? (uint64_t)below->step / sizeof(uintptr_t) : 0, binding = below ? below->address : 0;
    if ((site->address | binding) >> 48 || !site->serial || (site->serial | words) > UINT16_MAX) return;
    __atomic_store_n(&last->site, site->address << 16 | site->serial, __ATOMIC_RELAXED);
    __atomic_store_n(&last->binding, binding << 16 | words, __ATOMIC_RELAXED);
}

uint32_t mpi_site(const uintptr_t *slot, struct mpi_last *last) {
    enum { DEEPEST = 8 };
    struct known *k = tables();
    const uintptr_t *slot_below = NULL;
    struct site *site = NULL, *below = NULL;
    int steps;
    for (steps = 0; k && steps < DEEPEST; steps++) {
        const uintptr_t address = *slot;
        site = find_site(k, address);
        if (!site && below && !is_right(k, below, slot_below, address)) return below->serial;
        if (!site) site = new_site(k, address, slot);
        if (!site || !site->step) break;
        below = site;
        slot_below = slot;
        slot = (const uintptr_t *)((const char *)slot + site->step);
    }
    if (!site) return 0;
    if (steps < 2) remember(last, site, below);
    return site->serial;
}

/* ---- what MPI says of a communicator ----------------------------------------------------------------------------- */

/* PMPI_<name>, looked for once: the search takes longer than most calls. NULL: there is none. */
#define FUNCTION(name)                                                                                                 \
    __extension__({                                                                                                    \
        static struct mpi_link link;                                                                                   \
        mpi_next(&link, "PMPI_" name);                                                                                 \
    })

/* PMPI_<name>(a, b...), where there is such a function; false: no, or it failed. */
#define ASK(name, types, ...)                                                                                          \
    __extension__({                                                                                                    \
        mpi_any f = FUNCTION(name);                                                                                    \
        f && ((int(*) types)f)(__VA_ARGS__) == 0;                                                                      \
    })

static int number_of(mpi_any f, mpi_word handle, int otherwise) {
    int value = otherwise;
    return f && ((int (*)(mpi_word, int *))f)(handle, &value) == 0 ? value : otherwise;
}

struct runs {
    struct spool_mpi_run *items;
    uint32_t count, room;
};

static void add_rank(struct runs *runs, int rank) {
    struct spool_mpi_run *last = runs->count ? &runs->items[runs->count - 1] : NULL;
    if (last && last->count == 1 && rank >= 0 && last->first >= 0) {
        last->stride = rank - last->first;
        last->count = 2;
    } else if (last && rank == (last->first < 0 ? -1 : last->first + last->stride * last->count) &&
               (last->count > 1 || last->first < 0)) {
        last->count++;
    } else if (runs->count < runs->room) {
        runs->items[runs->count++] = (struct spool_mpi_run){rank, 0, 1};
    }
}

static mpi_word ask_group(mpi_any f, mpi_word comm, bool *good) {
    mpi_word group = 0;
    *good = f && ((int (*)(mpi_word, void *))f)(comm, &group) == 0;
    return mpi_handle(group);
}

static void free_group(mpi_word group) {
    mpi_word copy = group;
    ASK("Group_free", (void *), &copy);
}

/* The group's members as ranks of the world, in runs that are in `memory` from then on. */
static bool members(mpi_any which, mpi_word comm, int size, int *memory, struct runs *runs) {
    int *ranks = memory, *in_world = memory + size;
    bool good, world_good;
    for (int i = 0; i < size; i++) ranks[i] = i;
    mpi_word group = ask_group(which, comm, &good);
    if (!good) return false;
    mpi_word world = ask_group(FUNCTION("Comm_group"), mpi_abi()->comm_world, &world_good);
    good = world_good && ASK("Group_translate_ranks", (mpi_word, int, const int *, mpi_word, int *), group, size, ranks,
                             world, in_world);
    if (world_good) free_group(world);
    free_group(group);
    if (!good) return false;
    runs->items = (struct spool_mpi_run *)(memory + 2 * (size_t)size);
    runs->room = (uint32_t)size;
    for (int i = 0; i < size; i++) add_rank(runs, in_world[i] == mpi_abi()->undefined ? -1 : in_world[i]);
    return true;
}

static size_t member_bytes(int size) { return (size_t)size * (2 * sizeof(int) + sizeof(struct spool_mpi_run)); }

/* Locked. NULL: no memory. */
static int *room_for_members(struct known *k, size_t bytes) {
    if (bytes <= k->members_room) return k->members;
    if (k->members) munmap(k->members, k->members_room);
    k->members = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (k->members == MAP_FAILED) k->members = NULL;
    k->members_room = k->members ? bytes : 0;
    return k->members;
}

static uint32_t name_of(mpi_word comm, char name[512]) {
    int length = 0;
    if (!ASK("Comm_get_name", (mpi_word, char *, int *), comm, name, &length) || length < 0) return 0;
    return (uint32_t)length;
}

static void tell_duplicate(const struct mpi_comm *comm, uint32_t of) {
    char name[512] = "";
    const struct spool_mpi_comm record = {.serial = comm->serial,
                                          .flags = SPOOL_MPI_COMM_SAME,
                                          .rank = comm->rank,
                                          .name_length = name_of(comm->handle, name),
                                          .of = of};
    const struct iovec pieces[] = {{(void *)&record, sizeof record}, {name, record.name_length}};
    rec_log(SPOOL_MPI_COMM, pieces, 2);
}

/* Locked. of: serial of the one it was made from, or 0. */
static void tell_comm(struct known *k, const struct mpi_comm *comm, uint32_t of, int size, int remote) {
    struct runs runs = {0}, remote_runs = {0};
    char name[512] = "";
    int *memory = room_for_members(k, member_bytes(size) + member_bytes(remote) + 64);
    bool good = memory && mpi_is_running();
    good = good && members(FUNCTION("Comm_group"), comm->handle, size, memory, &runs);
    if (good && comm->inter)
        good = members(FUNCTION("Comm_remote_group"), comm->handle, remote,
                       memory + member_bytes(size) / sizeof *memory, &remote_runs);
    const struct spool_mpi_comm record = {
        .serial = comm->serial,
        .flags = (comm->inter ? SPOOL_MPI_COMM_INTER : 0) | (good ? 0 : SPOOL_MPI_COMM_UNKNOWN),
        .size = size,
        .remote_size = remote,
        .rank = comm->rank,
        .runs = good ? runs.count : 0,
        .remote_runs = good ? remote_runs.count : 0,
        .name_length = name_of(comm->handle, name),
        .of = of,
    };
    const struct iovec pieces[] = {{(void *)&record, sizeof record},
                                   {runs.items, record.runs * sizeof *runs.items},
                                   {remote_runs.items, record.remote_runs * sizeof *remote_runs.items},
                                   {name, record.name_length}};
    rec_log(SPOOL_MPI_COMM, pieces, 4);
}

/* ---- topologies -------------------------------------------------------------------------------------------------- */

enum { DIMENSIONS = 64 };

/* To the ranks to which neighbourhood collectives send. */
static int cart_neighbors(mpi_word comm, int *into, int room) {
    int dimensions = number_of(FUNCTION("Cartdim_get"), comm, 0);
    if (dimensions <= 0 || dimensions > DIMENSIONS || 2 * dimensions > room) return -1;
    for (int d = 0; d < dimensions; d++)
        if (!ASK("Cart_shift", (mpi_word, int, int, int *, int *), comm, d, 1, &into[2 * d], &into[2 * d + 1]))
            return -1;
    return 2 * dimensions;
}

static int graph_neighbors(mpi_word comm, int rank, int *into, int room) {
    int count = 0;
    if (!ASK("Graph_neighbors_count", (mpi_word, int, int *), comm, rank, &count) || count > room) return -1;
    return ASK("Graph_neighbors", (mpi_word, int, int, int *), comm, rank, count, into) ? count : -1;
}

static int dist_neighbors(mpi_word comm, int *ins, int *into, int room) {
    int outs = 0, weighted = 0, *spare;
    if (!ASK("Dist_graph_neighbors_count", (mpi_word, int *, int *, int *), comm, ins, &outs, &weighted)) return -1;
    if (3 * (int64_t)*ins + 2 * (int64_t)outs > room) return -1;
    spare = into + outs;
    return ASK("Dist_graph_neighbors", (mpi_word, int, int *, int *, int, int *, int *), comm, *ins, spare,
               spare + *ins, outs, into, spare + 2 * *ins)
               ? outs
               : -1;
}

/* Locked. */
static void find_neighbors(struct known *k, struct mpi_comm *comm) {
    const struct mpi_abi *abi = mpi_abi();
    int topology = number_of(FUNCTION("Topo_test"), comm->handle, abi->undefined), count = -1;
    if (k->neighbors_used == 0) k->neighbors_used = 1;
    int *into = k->neighbors + k->neighbors_used, room = NEIGHBORS - (int)k->neighbors_used;
    if (topology == abi->topo_cart) {
        comm->ins = count = cart_neighbors(comm->handle, into, room);
    } else if (topology == abi->topo_graph) {
        comm->ins = count = graph_neighbors(comm->handle, comm->rank, into, room);
    } else if (topology == abi->topo_dist_graph) {
        count = dist_neighbors(comm->handle, &comm->ins, into, room);
    }
    if (count < 0) return;
    comm->outs = count;
    for (int i = 0; i < count; i++) comm->nobodies += into[i] == abi->proc_null;
    comm->neighbors = k->neighbors_used;
    k->neighbors_used += (uint32_t)count;
}

/* ---- communicators ----------------------------------------------------------------------------------------------- */

static struct mpi_comm *find(struct known *k, mpi_word handle) {
    uint32_t at = place_of((uint64_t)handle, COMMS);
    for (int tried = 0; tried < COMMS; tried++, at = (at + 1) & (COMMS - 1)) {
        mpi_word found = __atomic_load_n(&k->comm[at].handle, __ATOMIC_ACQUIRE);
        if (found == handle) return &k->comm[at];
        if (!found) return NULL;
    }
    return NULL;
}

/* Locked. */
static struct mpi_comm *free_place(struct known *k, mpi_word handle) {
    uint32_t at = place_of((uint64_t)handle, COMMS);
    for (int tried = 0; tried < COMMS; tried++, at = (at + 1) & (COMMS - 1))
        if (!k->comm[at].handle || k->comm[at].handle == FREED) return &k->comm[at];
    return NULL;
}

/* Locked. */
static const struct mpi_comm *put(struct known *k, const struct mpi_comm *comm) {
    bool is_world = comm->handle == mpi_handle(mpi_abi()->comm_world);
    struct mpi_comm *place = is_world ? &k->world : free_place(k, comm->handle);
    if (!place) return &unknown;
    struct mpi_comm copy = *comm;
    copy.handle = FREED;
    *place = copy;
    __atomic_store_n(&place->handle, comm->handle, __ATOMIC_RELEASE);
    if (is_world) mpi_comm_world = place;
    return place;
}

/* The two groups of an intercommunicator that was made from one group (MPI_Comm_spawn) do not have that in common. */
static uint32_t origin(const struct mpi_comm *comm, const struct mpi_comm *of) {
    return of && (of->inter || !comm->inter) ? of->serial : 0;
}

static __attribute__((noinline)) const struct mpi_comm *meet(struct known *k, mpi_word handle,
                                                             const struct mpi_comm *of) {
    const bool is_world = handle == mpi_handle(mpi_abi()->comm_world);
    const int saved = errno;
    hold(k);
    const struct mpi_comm *comm = is_world ? (k->world.serial ? &k->world : NULL) : find(k, handle);
    if (!comm && k->comms < COMMS * 2) {
        if (!k->comms) k->comms = 1; /* the world's, whenever it is met */
        struct mpi_comm new = {.handle = handle, .serial = is_world ? 1 : ++k->comms, .ins = -1, .outs = -1};
        new.inter = number_of(FUNCTION("Comm_test_inter"), handle, 0) != 0;
        const int size = number_of(FUNCTION("Comm_size"), handle, 0);
        const int remote = new.inter ? number_of(FUNCTION("Comm_remote_size"), handle, 0) : 0;
        new.rank = number_of(FUNCTION("Comm_rank"), handle, -1);
        new.peers = new.inter ? remote : size;
        if (!new.inter) find_neighbors(k, &new);
        tell_comm(k, &new, origin(&new, of), size, remote);
        comm = put(k, &new);
    }
    let_go(k);
    errno = saved;
    return comm ? comm : &unknown;
}

const struct mpi_comm *mpi_comm_known(mpi_word handle) {
    struct known *k = tables();
    if (!k || !handle) return NULL;
    if (handle == k->world.handle) return &k->world;
    return find(k, handle);
}

const struct mpi_comm *mpi_comm_of(mpi_word handle) {
    const struct mpi_comm *comm = mpi_comm_known(handle);
    if (__builtin_expect(comm != NULL, 1)) return comm;
    if (!tables() || !handle || handle == mpi_handle(mpi_abi()->comm_null)) return &unknown;
    return meet(known, handle, NULL);
}

void mpi_comm_made(mpi_word handle, const struct mpi_comm *of) {
    if (tables() && handle) meet(known, handle, of);
}

/* Threads that duplicate one after the other wait for MPI, not for each other here. */
void mpi_comm_duplicated(mpi_word handle, const struct mpi_comm *of) {
    struct known *k = tables();
    if (!k || !of || !of->serial) {
        mpi_comm_of(handle);
        return;
    }
    const int saved = errno;
    struct mpi_comm new = *of;
    new.handle = handle;
    hold(k);
    const bool full = k->comms >= COMMS * 2;
    if (!full) new.serial = ++k->comms;
    if (!full) put(k, &new);
    let_go(k);
    if (!full) tell_duplicate(&new, of->serial);
    errno = saved;
}

const int *mpi_comm_neighbors(const struct mpi_comm *comm) {
    return comm->neighbors ? known->neighbors + comm->neighbors : NULL;
}

void mpi_comm_alias(mpi_word handle, const struct mpi_comm *comm) {
    struct known *k = tables();
    if (!k || !handle || !comm->serial) return;
    struct mpi_comm alias = *comm;
    alias.handle = handle;
    hold(k);
    if (!find(k, handle)) put(k, &alias);
    let_go(k);
}

/* serial: 0 any. */
static void forget(mpi_word handle, uint32_t serial) {
    struct known *k = tables();
    if (!k || !handle) return;
    hold(k);
    struct mpi_comm *comm = find(k, handle);
    if (comm && (!serial || comm->serial == serial)) __atomic_store_n(&comm->handle, FREED, __ATOMIC_RELEASE);
    let_go(k);
}

void mpi_comm_forget(mpi_word handle) { forget(handle, 0); }

uint32_t mpi_comm_serial(mpi_word handle) {
    const struct mpi_comm *comm = mpi_comm_known(handle);
    return comm ? comm->serial : 0;
}

void mpi_comm_freed(mpi_word handle, uint32_t serial) {
    if (serial) forget(handle, serial);
}

void mpi_comm_named(mpi_word handle, const char *name) {
    const struct mpi_comm *comm = mpi_comm_of(handle);
    if (!comm->serial || !name) return;
    const struct iovec pieces[] = {{(void *)&comm->serial, sizeof comm->serial}, {(void *)name, strnlen(name, 511)}};
    rec_log(SPOOL_MPI_COMM_NAME, pieces, 2);
}
