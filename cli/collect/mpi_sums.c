#include "mpi_internal.h"

#include <stdlib.h>
#include <string.h>

/* Finds the item whose key is `wanted`, or makes one. The keys have no gaps between their members. */
#define FIND_OR_ADD(table, type, wanted)                                                                               \
    type *item;                                                                                                        \
    HASH_FIND(hh, table, &(wanted), sizeof(wanted), item);                                                             \
    if (!item) {                                                                                                       \
        item = calloc(1, sizeof *item);                                                                                \
        if (!item) return 0;                                                                                           \
        memcpy(&item->key, &(wanted), sizeof(wanted));                                                                 \
        HASH_ADD(hh, table, key, sizeof(item->key), item);                                                             \
        if (!item->hh.tbl) {                                                                                           \
            free(item);                                                                                                \
            return 0;                                                                                                  \
        }                                                                                                              \
    }

struct mpi_function *mpi_sums_function(struct mpi_sums *sums, uint32_t rank, const struct row *row, uint32_t site) {
    struct mpi_function like = {.key = {rank, site, row}};
    if (sums->last && !memcmp(&sums->last->key, &like.key, sizeof like.key)) return sums->last;
    FIND_OR_ADD(sums->functions, struct mpi_function, like.key)
    return sums->last = item;
}

static struct mpi_traffic *traffic(struct mpi_sums *sums, uint32_t rank, const struct row *row, uint32_t site,
                                   int64_t peer) {
    struct mpi_traffic like = {.key = {rank, site, row, peer}};
    FIND_OR_ADD(sums->traffic, struct mpi_traffic, like.key)
    return item;
}

bool mpi_sums_sent(struct mpi_sums *sums, uint32_t rank, const struct row *row, uint32_t site, int64_t peer,
                   int64_t bytes) {
    struct mpi_traffic *item = traffic(sums, rank, row, site, peer);
    if (!item) return false;
    item->messages_sent++;
    item->sent += (uint64_t)bytes;
    return true;
}

bool mpi_sums_received(struct mpi_sums *sums, uint32_t rank, const struct row *row, uint32_t site, int64_t peer,
                       int64_t bytes) {
    struct mpi_traffic *item = traffic(sums, rank, row, site, peer);
    if (!item) return false;
    item->messages_received++;
    item->received += (uint64_t)bytes;
    return true;
}

bool mpi_sums_size(struct mpi_sums *sums, uint32_t rank, const struct row *row, int64_t bytes) {
    const uint32_t bucket = bytes > 0 ? 64u - (uint32_t)__builtin_clzll((unsigned long long)bytes) : 0;
    struct mpi_size like = {.key = {rank, bucket, row}};
    FIND_OR_ADD(sums->sizes, struct mpi_size, like.key)
    item->messages++;
    item->bytes += (uint64_t)bytes;
    return true;
}

bool mpi_sums_to_all(struct mpi_sums *sums, const struct row *row, uint32_t site, const struct members *members,
                     bool myself_too, int64_t bytes) {
    if (!members) return true;
    struct mpi_spread like = {.key = {row, members, site, myself_too}};
    FIND_OR_ADD(sums->spreads, struct mpi_spread, like.key)
    item->messages++;
    item->bytes += (uint64_t)bytes;
    return true;
}

#define SPREAD_MAX (16 << 20) /* pairs of one process: no real program gets there */

static bool spread(struct mpi_sums *sums, uint32_t rank, const struct mpi_spread *s, int64_t *left) {
    for (int32_t i = 0; i < s->key.members->size && (*left)-- > 0; i++) {
        const int32_t peer = mpi_members_at(s->key.members, i);
        if (peer == (int32_t)rank && !s->key.myself_too) continue;
        struct mpi_traffic *to = traffic(sums, rank, s->key.row, s->key.site, peer);
        if (!to) return false;
        to->messages_sent += s->messages;
        to->sent += s->bytes;
    }
    return true;
}

bool mpi_sums_spread(struct mpi_sums *sums, uint32_t rank) {
    int64_t left = SPREAD_MAX;
    bool good = true;
    struct mpi_spread *s, *next;
    HASH_ITER(hh, sums->spreads, s, next) {
        good = good && spread(sums, rank, s, &left);
        HASH_DEL(sums->spreads, s);
        free(s);
    }
    return good;
}

#define FREE_ALL(table, type)                                                                                          \
    do {                                                                                                               \
        type *item, *next;                                                                                             \
        HASH_ITER(hh, table, item, next) {                                                                             \
            HASH_DEL(table, item);                                                                                     \
            free(item);                                                                                                \
        }                                                                                                              \
    } while (0)

void mpi_sums_free(struct mpi_sums *sums) {
    FREE_ALL(sums->spreads, struct mpi_spread);
    FREE_ALL(sums->functions, struct mpi_function);
    FREE_ALL(sums->traffic, struct mpi_traffic);
    FREE_ALL(sums->sizes, struct mpi_size);
}
