/* mpi_internal.h: what the files of mpi_*.c share. */
#ifndef COLLECT_MPI_INTERNAL_H
#define COLLECT_MPI_INTERNAL_H

#include "mpi.h"

#define RANK_NONE    (-1) /* MPI_PROC_NULL, or no peer at all */
#define RANK_ANY     (-2)
#define RANK_UNKNOWN (-3)

enum { /* mpi_row.flags, as they are stored */
       MPI_ROW_COLLECTIVE = 1,
       MPI_ROW_PERSISTENT = 2,
       MPI_ROW_STARTED = 4,
       MPI_ROW_FAILED = 8,
       MPI_ROW_REQUEST = 16,
};

/* A row of /mpi/calls. */
struct mpi_row {
    int64_t event, sent, received, offset, span;
    int32_t to, from, to_tag, from_tag, site, comm, polls, flags;
};

/* ---- a process's list, which lies in a file where those of all processes are long (mpi_calls.c) ------------------ */

#define LIST_BLOCK 4096 /* items in memory */

struct mpi_list {
    size_t size;                   /* of an item */
    int fd;                        /* -1: all is in memory */
    uint64_t offset;               /* of item 0 in the file */
    uint64_t most, count, flushed; /* items: that were counted, that there are, that are in the file */
    uint64_t from;                 /* number of item 0 among those of all processes; when they have been read */
    char *memory;
    int *error;
};

bool mpi_list_add(struct mpi_list *list, const void *item);
bool mpi_list_get(const struct mpi_list *list, uint64_t at, void *items, size_t count);
void mpi_list_put(struct mpi_list *list, uint64_t at, const void *item);
void mpi_list_end(struct mpi_list *list); /* nothing more comes: no memory is held where there is a file */
void mpi_list_free(struct mpi_list *list);

/* ---- communicators (mpi_comms.c) --------------------------------------------------------------------------------- */

struct members {
    struct spool_mpi_run *runs; /* as ranks of the file */
    uint32_t num_runs;
    int32_t size;
};

struct mpi_comm { /* one row of /mpi/communicators: the same for all its processes */
    char *key;    /* world, ordinal, members */
    size_t key_length;
    uint32_t index, seen;         /* seen: by how many processes */
    uint32_t process, of_process; /* of the first with its members: how many the process with rank process - 1 has */
    struct name *name;            /* NULL none */
    bool known;                   /* its members are */
    struct members local, remote;
    UT_hash_handle hh;
};

struct comm_of_process {
    struct mpi_comm *comm; /* NULL: that number was never told */
    int32_t rank;          /* in its own group */
    bool remote_is_local;  /* the process is of the group that the row calls remote */
};

struct mpi_comms {
    struct mpi_comm *table; /* in order of index */
    uint32_t count;
};

struct my_comms { /* of a process, by serial */
    struct comm_of_process *items;
    uint32_t count;
};

/* Processes in their order, one at a time; what those before have found in the table stays as it is. */
bool mpi_comms_read(struct mpi_comms *comms, struct my_comms *mine, const struct process *process, struct names *texts);
void mpi_comms_forget(struct my_comms *mine);
void mpi_comms_free(struct mpi_comms *comms);
/* The group that ranks in calls mean; NULL unknown. */
const struct members *mpi_comms_peers(const struct my_comms *mine, uint32_t serial);
int32_t mpi_members_at(const struct members *members, int64_t rank); /* RANK_UNKNOWN */

/* ---- call sites (mpi_sites.c, mpi_lines.c) ----------------------------------------------------------------------- */

struct mpi_site { /* row of /mpi/sites */
    char *key;    /* path of the object, then the offset */
    const char *object;
    char *symbol, *file; /* base name of the source file; "" unknown */
    int64_t line;        /* -1 unknown */
    uint64_t offset;
    uint32_t index;
    UT_hash_handle hh;
};

struct mpi_sites {
    struct mpi_site *table; /* in order of index; 1, 2, ... */
    uint32_t count;
};

struct my_sites { /* of a process, by serial: index */
    uint32_t *items;
    uint32_t count;
};

/* Processes in their order, one at a time. */
bool mpi_sites_read(struct mpi_sites *sites, struct my_sites *mine, const struct process *process);
uint32_t mpi_sites_index(const struct my_sites *mine, uint64_t serial);
void mpi_sites_forget(struct my_sites *mine);
void mpi_sites_free(struct mpi_sites *sites);

/* Finds file and line of every site that has none; nothing is said where debug information is missing. */
void mpi_lines_find(struct mpi_sites *sites);

/* ---- sums (mpi_sums.c) ------------------------------------------------------------------------------------------- */

struct mpi_function { /* row of /mpi/functions */
    struct {
        uint32_t rank, site;
        const struct row *row;
    } key;
    int64_t minimum, maximum;
    uint64_t calls, events, polls, total, sent, received, messages_sent, messages_received;
    UT_hash_handle hh;
};

struct mpi_traffic { /* row of /mpi/traffic */
    struct {
        uint32_t rank, site;
        const struct row *row;
        int64_t peer;
    } key;
    uint64_t messages_sent, sent, messages_received, received;
    UT_hash_handle hh;
};

struct mpi_size { /* row of /mpi/sizes */
    struct {
        uint32_t rank, bucket; /* bucket: 0 for no bytes, else 1 + floor(log2) */
        const struct row *row;
    } key;
    uint64_t messages, bytes;
    UT_hash_handle hh;
};

struct mpi_spread { /* what one process sent to all members of a communicator */
    struct {
        const struct row *row;
        const struct members *members;
        uint32_t site, myself_too;
    } key;
    uint64_t messages, bytes; /* to each */
    UT_hash_handle hh;
};

struct mpi_sums {
    struct mpi_spread *spreads;
    struct mpi_function *functions, *last; /* last: found */
    struct mpi_traffic *traffic;
    struct mpi_size *sizes;
};

struct mpi_function *mpi_sums_function(struct mpi_sums *sums, uint32_t rank, const struct row *row, uint32_t site);
/* Messages of one call to or from one peer; bytes: of one message. */
bool mpi_sums_sent(struct mpi_sums *sums, uint32_t rank, const struct row *row, uint32_t site, int64_t peer,
                   int64_t bytes);
bool mpi_sums_received(struct mpi_sums *sums, uint32_t rank, const struct row *row, uint32_t site, int64_t peer,
                       int64_t bytes);
/* One message of `bytes` to every member; mpi_sums_spread() makes traffic of them all. */
bool mpi_sums_to_all(struct mpi_sums *sums, const struct row *row, uint32_t site, const struct members *members,
                     bool myself_too, int64_t bytes);
bool mpi_sums_spread(struct mpi_sums *sums, uint32_t rank);
bool mpi_sums_size(struct mpi_sums *sums, uint32_t rank, const struct row *row, int64_t bytes);
void mpi_sums_free(struct mpi_sums *sums);

/* ---- all of it --------------------------------------------------------------------------------------------------- */

struct mpi_completion { /* row of /mpi/completions */
    int64_t event;      /* that completed it */
    int64_t call;       /* row of /mpi/calls */
};

struct mpi_part { /* row of /mpi/ranks */
    uint32_t rank;
    uint64_t calls_from, calls, completions_from, completions;
    uint64_t gaps; /* pauses, and 1 for throttled functions or phases that were skipped: what others sent it may be
                      missing */
};

struct pending;

/* What is read of one process; of no other one's does it know but communicators and sites. No two have a cache line in
 * common: that would halve the speed of two threads. */
#define CACHE_LINES 128
struct mpi_process {
    _Alignas(CACHE_LINES) struct process *process;
    struct mpi_list calls, completions; /* a completion's call is the number in `calls` */
    struct mpi_sums sums;
    uint64_t gaps;
    int error; /* errno of the first write that failed, MPI_CHANGED; 0 */
    /* while it is read: */
    struct my_comms comms;
    struct my_sites sites;
    struct pending *pending; /* requests */
    size_t num_pending;
    int64_t *resumed; /* its pauses ended; mostly ascending */
    size_t num_resumed, room_resumed;
    struct mpi_row last; /* the call that groups are told of, its number, and how its bytes flow */
    const struct row *last_row;
    int64_t last_start, last_end;
    uint64_t last_call;
    unsigned last_flow;
    const struct members *last_peers;
};

struct mpi {
    struct collection *c;
    struct mpi_process *processes; /* as those of the collection */
    int calls, completions;        /* the files of the lists; -1 none */
    struct mpi_comms comms;
    struct mpi_sites sites;
};

/* ---- writing (mpi_lists.c) --------------------------------------------------------------------------------------- */

/* fd: of the same file. Uncompressed columns are written past HDF5. */
bool mpi_lists_write(const struct mpi *mpi, hid_t group, int compress, int fd);
bool mpi_lists_empty(const struct mpi *mpi); /* no call is there */

#endif
