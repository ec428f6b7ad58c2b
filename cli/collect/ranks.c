#include "ranks.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANKS_MAX (1u << 20) /* of one launch; a larger number is not believed */

/* What a process says it is in its launch. */
struct claim {
    struct process *process;
    size_t order; /* by first event */
    size_t world;
    size_t turn;  /* of its launch, counting from 0, among those that look like it */
    int64_t rank; /* -1: none */
    bool mpi;
};

/* One launch. Not every launcher names it, but MPI_COMM_WORLD has one size, and every rank once. */
struct world {
    const char *name;
    uint64_t size, base;
    int32_t mpi_size; /* -1: no MPI in it so far */
    size_t turn;
};

static bool is_rank(int64_t rank) { return rank >= 0 && rank < RANKS_MAX; }

static struct claim claim_of(struct process *p, size_t order) {
    const struct spool_process *info = &p->info;
    struct claim claim = {.process = p, .order = order, .rank = -1};
    claim.mpi = info->mpi_initialized && is_rank(info->mpi_rank);
    if (claim.mpi)
        claim.rank = info->mpi_rank;
    else if (is_rank(info->launcher_rank))
        claim.rank = info->launcher_rank;
    return claim;
}

static uint64_t claimed_size(const struct claim *claim) {
    const struct spool_process *info = &claim->process->info;
    int64_t size = claim->mpi ? info->mpi_size : info->launcher_size;
    return size > claim->rank && size <= RANKS_MAX ? (uint64_t)size : (uint64_t)claim->rank + 1;
}

static bool is_of(const struct claim *claim, const struct world *world) {
    const struct spool_process *info = &claim->process->info;
    if (strcmp(world->name, info->world) != 0 || world->turn != claim->turn) return false;
    return !claim->mpi || world->mpi_size < 0 || world->mpi_size == info->mpi_size;
}

static size_t join_world(struct world *worlds, size_t *count, const struct claim *claim) {
    const struct spool_process *info = &claim->process->info;
    uint64_t size = claimed_size(claim);
    size_t i = 0;
    while (i < *count && !is_of(claim, &worlds[i])) i++;
    if (i == *count) worlds[(*count)++] = (struct world){.name = info->world, .mpi_size = -1, .turn = claim->turn};
    if (claim->mpi) worlds[i].mpi_size = info->mpi_size;
    if (size > worlds[i].size) worlds[i].size = size;
    return i;
}

static int by_first_event(const void *a, const void *b) {
    const struct process *p = a, *q = b;
    if (p->first_event_ns != q->first_event_ns) return p->first_event_ns < q->first_event_ns ? -1 : 1;
    return strcmp(p->id, q->id);
}

static int by_rank(const void *a, const void *b) {
    const struct process *p = a, *q = b;
    return (p->rank > q->rank) - (p->rank < q->rank);
}

/* Claims for one rank stand together, the one to believe first; those without a claim come last. */
static int by_claim(const void *a, const void *b) {
    const struct claim *p = a, *q = b;
    if ((p->rank < 0) != (q->rank < 0)) return p->rank < 0 ? 1 : -1;
    if (p->rank >= 0 && p->world != q->world) return p->world < q->world ? -1 : 1;
    if (p->rank != q->rank) return p->rank < q->rank ? -1 : 1;
    if (p->rank >= 0 && p->mpi != q->mpi) return p->mpi ? -1 : 1;
    return (p->order > q->order) - (p->order < q->order);
}

/* Ranks of MPI that look the same stand together. */
static int by_likeness(const void *a, const void *b) {
    const struct claim *p = a, *q = b;
    const struct spool_process *x = &p->process->info, *y = &q->process->info;
    if (p->mpi != q->mpi) return p->mpi ? -1 : 1;
    if (p->rank != q->rank) return p->rank < q->rank ? -1 : 1;
    if (x->mpi_size != y->mpi_size) return x->mpi_size < y->mpi_size ? -1 : 1;
    const int names = strcmp(x->world, y->world);
    return names ? names : (p->order > q->order) - (p->order < q->order);
}

/* A rank of MPI that is there already is one of the next launch. */
static void count_turns(struct claim *claims, size_t count) {
    qsort(claims, count, sizeof *claims, by_likeness);
    for (size_t i = 1; i < count && claims[i].mpi; i++) {
        const struct spool_process *x = &claims[i - 1].process->info, *y = &claims[i].process->info;
        if (x->mpi_rank == y->mpi_rank && x->mpi_size == y->mpi_size && strcmp(x->world, y->world) == 0)
            claims[i].turn = claims[i - 1].turn + 1;
    }
}

static int by_order(const void *a, const void *b) {
    const struct claim *p = a, *q = b;
    return (p->order > q->order) - (p->order < q->order);
}

/* Gives every claim that wins its rank, and gathers the others at the front; returns how many those are. */
static size_t settle(struct claim *claims, size_t count, const struct world *worlds) {
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        struct claim claim = claims[i];
        bool first =
            claim.rank >= 0 && (i == 0 || claims[i - 1].rank != claim.rank || claims[i - 1].world != claim.world);
        if (first)
            claim.process->rank = (uint32_t)(worlds[claim.world].base + (uint64_t)claim.rank);
        else
            claim.process->unclaimed = true;
    }
    for (size_t i = 0; i < count; i++)
        if (claims[i].process->unclaimed) claims[left++] = claims[i];
    return left;
}

static uint64_t place_worlds(const struct collection *c, struct world *worlds, size_t count) {
    uint64_t next = 0;
    int expected = c->options->expected_ranks;
    if (count && expected > 0 && (uint32_t)expected <= RANKS_MAX && (uint64_t)expected > worlds[0].size)
        worlds[0].size = (uint64_t)expected;
    for (size_t i = 0; i < count; i++) {
        worlds[i].base = next;
        next += worlds[i].size;
    }
    return next;
}

static void number_nodes(struct collection *c) {
    uint32_t nodes = 0;
    for (size_t i = 0; i < c->num_processes; i++) {
        struct process *p = &c->processes[i];
        const char *machine = p->info.boot_id[0] ? p->info.boot_id : p->info.host;
        size_t k = 0;
        while (k < i && strcmp(machine, c->processes[k].info.boot_id[0] ? c->processes[k].info.boot_id
                                                                        : c->processes[k].info.host) != 0)
            k++;
        p->node = k < i ? c->processes[k].node : nodes++;
    }
    c->num_nodes = nodes;
}

bool ranks_assign(struct collection *c) {
    size_t n = c->num_processes, num_worlds = 0, left;
    struct claim *claims = calloc(n + 1, sizeof *claims);
    struct world *worlds = calloc(n + 1, sizeof *worlds);
    uint64_t next;
    if (!claims || !worlds) {
        free(claims);
        free(worlds);
        return false;
    }
    qsort(c->processes, n, sizeof *c->processes, by_first_event);
    for (size_t i = 0; i < n; i++) claims[i] = claim_of(&c->processes[i], i);
    count_turns(claims, n);
    qsort(claims, n, sizeof *claims, by_order);
    for (size_t i = 0; i < n; i++)
        if (claims[i].rank >= 0) claims[i].world = join_world(worlds, &num_worlds, &claims[i]);
    next = place_worlds(c, worlds, num_worlds);
    qsort(claims, n, sizeof *claims, by_claim);
    left = settle(claims, n, worlds);
    qsort(claims, left, sizeof *claims, by_order);
    for (size_t i = 0; i < left; i++) claims[i].process->rank = (uint32_t)next++;
    c->world_size = num_worlds ? (uint32_t)worlds[0].size : 1;
    free(claims);
    free(worlds);
    qsort(c->processes, n, sizeof *c->processes, by_rank);
    number_nodes(c);
    return true;
}

/* ---- missing ranks ---------------------------------------------------------------------------------------------- */

struct ranges {
    char text[256];
    size_t length, ranks;
};

static void add_range(struct ranges *r, uint32_t first, uint32_t last) {
    const char *comma = r->ranks ? ", " : "";
    size_t room = sizeof r->text - r->length;
    int length;
    r->ranks += last - first + 1;
    if (room < 48) return;
    if (room < 64)
        length = snprintf(r->text + r->length, room, ", ...");
    else if (first == last)
        length = snprintf(r->text + r->length, room, "%s%u", comma, first);
    else
        length = snprintf(r->text + r->length, room, "%s%u-%u", comma, first, last);
    r->length += (size_t)length;
}

/* A process that only says which rank it is (sp_init) tells nothing of how many there are. */
static bool size_is_known(const struct collection *c) {
    bool known = c->options->expected_ranks > 0;
    for (size_t i = 0; i < c->num_processes && !known; i++)
        known = c->processes[i].info.mpi_size > 0 || c->processes[i].info.launcher_size > 0;
    return known;
}

void ranks_note_missing(struct collection *c) {
    struct ranges missing = {0};
    if (!size_is_known(c)) return;
    uint32_t next = 0;
    for (size_t i = 0; i <= c->num_processes; i++) {
        uint32_t rank = i < c->num_processes ? c->processes[i].rank : c->world_size;
        if (rank > c->world_size) rank = c->world_size;
        if (rank > next) add_range(&missing, next, rank - 1);
        if (rank >= c->world_size) break;
        next = rank + 1;
    }
    if (missing.ranks)
        note(c->report, "rank%s %s of %u recorded nothing", missing.ranks > 1 ? "s" : "", missing.text, c->world_size);
}
