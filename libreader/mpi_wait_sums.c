/* Waits added up: by rank and function, and by who was waited for. */
#include "mpi.h"

#include <stdlib.h>
#include <string.h>
#define HASH_NONFATAL_OOM 1 /* a library never exits */
#include <uthash.h>

struct rd_wait_row {
    struct {
        size_t region;
        uint64_t rank;
    } key;
    uint64_t calls;
    int64_t wait_ns[SPR_MPI_WAIT_KINDS], matched_ns;
    UT_hash_handle hh;
};

struct rd_wait_cause {
    struct {
        uint32_t rank, cause;
    } key;
    int64_t wait_ns[SPR_MPI_WAIT_KINDS];
    UT_hash_handle hh;
};

static struct rd_wait_row *row_of(struct rd_wait_sums *sums, size_t region, uint32_t rank) {
    struct rd_wait_row *row, wanted = {.key = {.region = region, .rank = rank}};
    HASH_FIND(hh, sums->rows, &wanted.key, sizeof wanted.key, row);
    if (row) return row;
    row = malloc(sizeof *row);
    if (!row) return NULL;
    *row = wanted;
    HASH_ADD(hh, sums->rows, key, sizeof row->key, row);
    if (row->hh.tbl) return row;
    free(row);
    return NULL;
}

static struct rd_wait_cause *cause_of(struct rd_wait_sums *sums, uint32_t rank, uint32_t cause) {
    struct rd_wait_cause *found, wanted = {.key = {.rank = rank, .cause = cause}};
    HASH_FIND(hh, sums->causes, &wanted.key, sizeof wanted.key, found);
    if (found) return found;
    found = malloc(sizeof *found);
    if (!found) return NULL;
    *found = wanted;
    HASH_ADD(hh, sums->causes, key, sizeof found->key, found);
    if (found->hh.tbl) return found;
    free(found);
    return NULL;
}

bool rd_wait_sums_add(struct rd_wait_sums *sums, const spr_profile *profile, const struct rd_mpi_wait *wait) {
    const spr_row *of = &profile->rows[wait->row];
    struct rd_wait_row *row = row_of(sums, of->region, of->rank);
    if (!row) return false;
    row->calls++;
    row->matched_ns += wait->lasted_ns;
    row->wait_ns[wait->kind] += wait->wait_ns;
    if (!wait->wait_ns || wait->cause == of->rank) return true;
    struct rd_wait_cause *cause = cause_of(sums, of->rank, wait->cause);
    if (cause) cause->wait_ns[wait->kind] += wait->wait_ns;
    return cause != NULL;
}

/* ---- as tables --------------------------------------------------------------------------------------------------- */

static int compare_rows(const void *a, const void *b) {
    const spr_mpi_wait *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return (x->region > y->region) - (x->region < y->region);
}

static int compare_causes(const void *a, const void *b) {
    const spr_mpi_cause *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return (x->cause > y->cause) - (x->cause < y->cause);
}

bool rd_wait_sums_list(const struct rd_wait_sums *sums, spr_mpi_waits *waits) {
    *waits = (spr_mpi_waits){0};
    waits->rows = calloc(HASH_COUNT(sums->rows) + 1, sizeof *waits->rows);
    waits->causes = calloc(HASH_COUNT(sums->causes) + 1, sizeof *waits->causes);
    if (!waits->rows || !waits->causes) return false;
    for (const struct rd_wait_row *row = sums->rows; row; row = row->hh.next) {
        spr_mpi_wait *to = &waits->rows[waits->num_rows++];
        *to = (spr_mpi_wait){.rank = (uint32_t)row->key.rank,
                             .region = row->key.region,
                             .calls = row->calls,
                             .matched_ns = row->matched_ns};
        memcpy(to->wait_ns, row->wait_ns, sizeof to->wait_ns);
    }
    for (const struct rd_wait_cause *cause = sums->causes; cause; cause = cause->hh.next) {
        spr_mpi_cause *to = &waits->causes[waits->num_causes++];
        *to = (spr_mpi_cause){.rank = cause->key.rank, .cause = cause->key.cause};
        for (int k = 0; k < SPR_MPI_WAIT_KINDS; k++) {
            to->wait_ns += cause->wait_ns[k];
            if (cause->wait_ns[k] > cause->wait_ns[to->kind]) to->kind = (enum spr_mpi_wait_kind)k;
        }
    }
    qsort(waits->rows, waits->num_rows, sizeof *waits->rows, compare_rows);
    qsort(waits->causes, waits->num_causes, sizeof *waits->causes, compare_causes);
    return true;
}

void rd_wait_sums_free(struct rd_wait_sums *sums) {
    struct rd_wait_row *row, *next_row;
    HASH_ITER(hh, sums->rows, row, next_row) {
        HASH_DEL(sums->rows, row);
        free(row);
    }
    struct rd_wait_cause *cause, *next_cause;
    HASH_ITER(hh, sums->causes, cause, next_cause) {
        HASH_DEL(sums->causes, cause);
        free(cause);
    }
}
