/* Communicators: the same one in all its processes is the n-th with its members that was made from the same one, which
 * all of them make in the same order, whatever their other threads do. Where it is not known what it was made from, it
 * is the n-th of those with its members. */
#include "log.h"
#include "mpi_internal.h"
#include <stdlib.h>
#include <string.h>

#define SERIAL_MAX 100000

struct reading {
    struct mpi_comms *comms;
    struct my_comms *mine;
    const struct process *process;
    struct names *texts;
    int32_t shift; /* from a rank of the process's world to one of the file */
};

int32_t mpi_members_at(const struct members *members, int64_t rank) {
    for (uint32_t i = 0; members && rank >= 0 && i < members->num_runs; i++) {
        const struct spool_mpi_run *run = &members->runs[i];
        if (rank < run->count) return run->first < 0 ? RANK_UNKNOWN : run->first + (int32_t)rank * run->stride;
        rank -= run->count;
    }
    return RANK_UNKNOWN;
}

const struct members *mpi_comms_peers(const struct my_comms *mine, uint32_t serial) {
    if (!serial || serial >= mine->count || !mine->items[serial].comm) return NULL;
    const struct comm_of_process *one = &mine->items[serial];
    if (!one->comm->known) return NULL;
    if (!one->comm->remote.size) return &one->comm->local;
    return one->remote_is_local ? &one->comm->local : &one->comm->remote;
}

static bool runs_are_possible(const struct spool_mpi_run *runs, uint32_t count, int32_t size) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const int64_t last = (int64_t)runs[i].first + (int64_t)runs[i].stride * (runs[i].count - 1);
        if (runs[i].count < 1 || runs[i].first < -1 || last < -1 || last > INT32_MAX / 2) return false;
        sum += runs[i].count;
    }
    return sum == size;
}

static bool read_members(const struct reading *r, const char *from, uint32_t count, int32_t size, struct members *m) {
    *m = (struct members){calloc((size_t)count + 1, sizeof *m->runs), count, size};
    if (!m->runs) return false;
    memcpy(m->runs, from, count * sizeof *m->runs);
    if (!runs_are_possible(m->runs, count, size)) m->num_runs = 0;
    for (uint32_t i = 0; i < m->num_runs; i++)
        if (m->runs[i].first >= 0) m->runs[i].first += r->shift;
    return true;
}

/* The group whose first members come first is "local" on both sides. */
static bool comes_later(const struct members *a, const struct members *b) {
    return mpi_members_at(a, 0) > mpi_members_at(b, 0);
}

/* of: the one it was made from, or NULL. */
static char *make_key(const struct spool_mpi_comm *about, const struct mpi_comm *of, const struct members *a,
                      const struct members *b, uint32_t process, uint32_t ordinal, size_t *length) {
    const size_t x = a->num_runs * sizeof *a->runs, y = b->num_runs * sizeof *b->runs;
    const bool known = !(about->flags & SPOOL_MPI_COMM_UNKNOWN);
    const uint32_t head[5] = {about->serial == 1, ordinal, known ? UINT32_MAX : process, known ? 0 : about->serial,
                              of ? of->index + 1 : 0};
    *length = sizeof head + x + y;
    char *key = malloc(*length);
    if (!key) return NULL;
    memcpy(key, head, sizeof head);
    memcpy(key + sizeof head, a->runs, x);
    memcpy(key + sizeof head + x, b->runs, y);
    return key;
}

static struct mpi_comm *find(const struct mpi_comms *comms, const char *key, size_t length) {
    struct mpi_comm *comm;
    HASH_FIND(hh, comms->table, key, length, comm);
    return comm;
}

/* How many communicators with these members this process has already: one more from now on. */
static uint32_t next_ordinal(struct reading *r, struct mpi_comm *first) {
    if (!first) return 0;
    if (first->process != r->process->rank + 1) {
        first->process = r->process->rank + 1;
        first->of_process = 0;
    }
    return first->of_process++;
}

static struct mpi_comm *add(struct reading *r, char *key, size_t length, const struct members *a,
                            const struct members *b) {
    struct mpi_comms *comms = r->comms;
    struct mpi_comm *comm = calloc(1, sizeof *comm);
    if (!comm) return NULL;
    *comm = (struct mpi_comm){
        .key = key, .key_length = length, .index = comms->count, .known = a->num_runs > 0, .local = *a, .remote = *b};
    HASH_ADD_KEYPTR(hh, comms->table, comm->key, comm->key_length, comm);
    if (!comm->hh.tbl) {
        free(comm);
        return NULL;
    }
    comms->count++;
    return comm;
}

/* Takes the members over, unless it returns NULL. */
static struct mpi_comm *enter(struct reading *r, const struct spool_mpi_comm *about, const struct mpi_comm *of,
                              struct members *a, struct members *b) {
    size_t length;
    char *key = make_key(about, of, a, b, r->process->rank, 0, &length);
    struct mpi_comm *first = key ? find(r->comms, key, length) : NULL, *comm = first;
    const uint32_t ordinal = next_ordinal(r, first);
    if (key && ordinal) {
        free(key);
        key = make_key(about, of, a, b, r->process->rank, ordinal, &length);
        comm = key ? find(r->comms, key, length) : NULL;
    }
    if (!key) return NULL;
    if (!comm) {
        comm = add(r, key, length, a, b);
        if (comm && !first) next_ordinal(r, comm);
        if (!comm) free(key);
        return comm;
    }
    free(key);
    free(a->runs);
    free(b->runs);
    return comm;
}

static bool make_room(struct my_comms *mine, uint32_t serial) {
    if (serial < mine->count) return true;
    const uint32_t count = serial * 2 + 16;
    struct comm_of_process *items = realloc(mine->items, count * sizeof *items);
    if (!items) return false;
    memset(items + mine->count, 0, (count - mine->count) * sizeof *items);
    *mine = (struct my_comms){items, count};
    return true;
}

static struct members copy_of(const struct members *from) {
    struct members to = {calloc((size_t)from->num_runs + 1, sizeof *to.runs), from->num_runs, from->size};
    if (to.runs) memcpy(to.runs, from->runs, from->num_runs * sizeof *to.runs);
    return to;
}

/* Enters it, `a` and `b` being its groups as all of its processes see them. Frees them where it fails. */
static bool place(struct reading *r, const struct spool_mpi_comm *about, const struct mpi_comm *of, struct members *a,
                  struct members *b, bool turned, const char *name) {
    struct mpi_comm *comm = a->runs && b->runs ? enter(r, about, of, a, b) : NULL;
    if (!comm) {
        free(a->runs);
        free(b->runs);
        return false;
    }
    comm->seen++;
    r->mine->items[about->serial] = (struct comm_of_process){comm, about->rank, turned};
    if (about->name_length && !comm->name) comm->name = names_add(r->texts, name, about->name_length);
    return true;
}

static struct comm_of_process origin(const struct reading *r, const struct spool_mpi_comm *about) {
    return about->of < r->mine->count ? r->mine->items[about->of] : (struct comm_of_process){0};
}

static bool take_duplicate(struct reading *r, struct spool_mpi_comm *about, const char *name) {
    const struct comm_of_process from = origin(r, about);
    if (!from.comm) return true;
    if (!from.comm->known) about->flags |= SPOOL_MPI_COMM_UNKNOWN;
    struct members a = copy_of(&from.comm->local), b = copy_of(&from.comm->remote);
    return place(r, about, from.comm, &a, &b, from.remote_is_local, name);
}

static bool take_comm(void *data, const char *body, uint32_t length) {
    struct reading *r = data;
    struct spool_mpi_comm about;
    if (length < sizeof about) return true;
    memcpy(&about, body, sizeof about);
    body += sizeof about;
    const bool same = about.flags & SPOOL_MPI_COMM_SAME;
    const uint64_t runs = same ? 0 : (uint64_t)about.runs + about.remote_runs;
    const size_t run = sizeof(struct spool_mpi_run);
    if (runs * run + about.name_length > length - sizeof about || !about.serial || about.serial > SERIAL_MAX ||
        about.size < 0 || about.remote_size < 0)
        return true;
    if (!make_room(r->mine, about.serial)) return false;
    if (r->mine->items[about.serial].comm) return true;
    if (same) return take_duplicate(r, &about, body);
    struct members a, b;
    if (!read_members(r, body, about.runs, about.size, &a)) return false;
    if (!read_members(r, body + about.runs * run, about.remote_runs, about.remote_size, &b)) {
        free(a.runs);
        return false;
    }
    const bool turned = about.remote_size && comes_later(&a, &b);
    const char *name = body + runs * run;
    const struct mpi_comm *of = origin(r, &about).comm;
    return turned ? place(r, &about, of, &b, &a, turned, name) : place(r, &about, of, &a, &b, turned, name);
}

static bool take_name(void *data, const char *body, uint32_t length) {
    struct reading *r = data;
    uint32_t serial;
    if (length <= sizeof serial) return true;
    memcpy(&serial, body, sizeof serial);
    if (serial < r->mine->count && r->mine->items[serial].comm)
        r->mine->items[serial].comm->name = names_add(r->texts, body + sizeof serial, length - sizeof serial);
    return true;
}

bool mpi_comms_read(struct mpi_comms *comms, struct my_comms *mine, const struct process *p, struct names *texts) {
    struct reading r = {comms, mine, p, texts, 0};
    if (p->info.mpi_initialized && p->info.mpi_rank >= 0) r.shift = (int32_t)p->rank - p->info.mpi_rank;
    if (r.shift < 0) r.shift = 0;
    return log_each(p, SPOOL_MPI_COMM, take_comm, &r) && log_each(p, SPOOL_MPI_COMM_NAME, take_name, &r);
}

void mpi_comms_forget(struct my_comms *mine) {
    free(mine->items);
    *mine = (struct my_comms){0};
}

void mpi_comms_free(struct mpi_comms *comms) {
    struct mpi_comm *comm, *next;
    HASH_ITER(hh, comms->table, comm, next) {
        HASH_DEL(comms->table, comm);
        free(comm->key);
        free(comm->local.runs);
        free(comm->remote.runs);
        free(comm);
    }
}
