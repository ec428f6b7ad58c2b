#include "internal.h"
#include <string.h>

/* The regions of one recorder: names to numbers 1, 2, ... Looking one up takes no lock; making one does. Nothing is
 * ever moved or freed while the recorder lives, and an entry is complete before it can be found, so that the copy in a
 * forked child is whole whatever another thread was doing. */

#define PAGE_ENTRIES 1024
#define ARENA_BYTES  (64 << 10)

struct region {
    uint64_t hash;
    const char *name, *file, *tags; /* NUL-terminated */
    uint32_t name_length, file_length, tags_length;
    int32_t line, id;
};

struct region_table { /* open addressing, at most half full */
    uint32_t mask;
    uint32_t used;
    struct region *_Atomic slots[];
};

static uint64_t hash_bytes(const char *bytes, size_t length) {
    uint64_t h = 0x9e3779b97f4a7c15u ^ length;
    while (length >= 8) {
        uint64_t part;
        memcpy(&part, bytes, 8);
        h = (h ^ part) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
        bytes += 8;
        length -= 8;
    }
    uint64_t rest = 0;
    memcpy(&rest, bytes, length);
    h = (h ^ rest) * 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 29;
}

static struct region *find(struct region_table *table, uint64_t hash, const char *name, size_t length) {
    if (!table) return NULL;
    for (uint32_t i = (uint32_t)hash & table->mask;; i = (i + 1) & table->mask) {
        struct region *r = atomic_load_explicit(&table->slots[i], memory_order_acquire);
        if (!r) return NULL;
        if (r->hash == hash && r->name_length == length && memcmp(r->name, name, length) == 0) return r;
    }
}

static void put(struct region_table *table, struct region *region) {
    uint32_t i = (uint32_t)region->hash & table->mask;
    while (atomic_load_explicit(&table->slots[i], memory_order_relaxed)) i = (i + 1) & table->mask;
    atomic_store_explicit(&table->slots[i], region, memory_order_release);
    table->used++;
}

static struct region_table *grown(struct regions *regions, struct region_table *old) {
    uint32_t size = old ? (old->mask + 1) * 2 : 512;
    struct region_table *table = sys_pages(sizeof *table + size * sizeof table->slots[0]);
    if (!table) return NULL;
    table->mask = size - 1;
    for (uint32_t i = 0; old && i <= old->mask; i++) {
        struct region *r = atomic_load_explicit(&old->slots[i], memory_order_relaxed);
        if (r) put(table, r);
    }
    atomic_store_explicit(&regions->table, table, memory_order_release); /* the old one stays: somebody may read it */
    return table;
}

static void *arena(struct regions *regions, size_t bytes) {
    bytes = (bytes + 7) & ~(size_t)7;
    if (bytes > ARENA_BYTES / 4) return sys_pages(bytes);
    if (regions->arena_left < bytes) {
        regions->arena = sys_pages(ARENA_BYTES);
        regions->arena_left = regions->arena ? ARENA_BYTES : 0;
        if (!regions->arena) return NULL;
    }
    void *p = regions->arena;
    regions->arena += bytes;
    regions->arena_left -= bytes;
    return p;
}

static const char *copied(struct regions *regions, const char *bytes, size_t length) {
    char *copy = arena(regions, length + 1);
    if (copy) memcpy(copy, bytes, length);
    return copy; /* the arena is zero: NUL-terminated */
}

static struct region *at(const struct regions *regions, uint32_t id) {
    struct region *page = regions->pages[(id - 1) / PAGE_ENTRIES];
    return &page[(id - 1) % PAGE_ENTRIES];
}

static bool log_region(struct recorder *recorder, const struct region *r) {
    const struct spool_region head = {.id = (uint32_t)r->id,
                                      .line = r->line,
                                      .name_length = r->name_length,
                                      .file_length = r->file_length,
                                      .tags_length = r->tags_length};
    const struct iovec pieces[] = {{(void *)&head, sizeof head},
                                   {(void *)r->name, r->name_length},
                                   {(void *)r->file, r->file_length},
                                   {(void *)r->tags, r->tags_length}};
    return process_log(recorder, SPOOL_REGION, pieces, 4);
}

void region_log_all(struct recorder *recorder) {
    uint32_t count = atomic_load_explicit(&recorder->regions.count, memory_order_acquire);
    for (uint32_t *logged = &recorder->live->regions_logged; *logged < count; (*logged)++)
        if (!log_region(recorder, at(&recorder->regions, *logged + 1))) return;
}

/* Locked. */
static struct region *make(struct regions *regions, uint64_t hash, const char *name, size_t length, const char *file,
                           int line, const char *tags) {
    uint32_t count = atomic_load_explicit(&regions->count, memory_order_relaxed);
    if (count >= SPOOL_REGION_MAX || length > INT32_MAX) return NULL;
    struct region_table *table = atomic_load_explicit(&regions->table, memory_order_relaxed);
    if (!table || (table->used + 1) * 2 > table->mask) table = grown(regions, table);
    struct region **page = &regions->pages[count / PAGE_ENTRIES];
    if (!*page) *page = sys_pages(PAGE_ENTRIES * sizeof(struct region));
    const char *own_name = copied(regions, name, length);
    if (!table || !*page || !own_name) return NULL;
    struct region *r = at(regions, count + 1);
    *r = (struct region){.hash = hash,
                         .name = own_name,
                         .name_length = (uint32_t)length,
                         .line = line,
                         .id = (int32_t)count + 1,
                         .file = "",
                         .tags = ""};
    if (file && (r->file = copied(regions, file, strlen(file)))) r->file_length = (uint32_t)strlen(file);
    if (tags && (r->tags = copied(regions, tags, strlen(tags)))) r->tags_length = (uint32_t)strlen(tags);
    if (!r->file) r->file = "";
    if (!r->tags) r->tags = "";
    atomic_store_explicit(&regions->count, count + 1, memory_order_release);
    put(table, r);
    return r;
}

/* The first location wins, also one that comes after the region was made. Locked. */
static void learn_location(struct recorder *recorder, struct region *r, const char *file, int line) {
    if (!file || r->file_length || !(file = copied(&recorder->regions, file, strlen(file)))) return;
    r->file = file;
    r->file_length = (uint32_t)strlen(file);
    r->line = line;
    if (recorder->live->state != LIVE_ON || recorder->live->regions_logged < (uint32_t)r->id) return;
    const struct spool_region head = {.id = (uint32_t)r->id, .line = line, .file_length = r->file_length};
    const struct iovec pieces[] = {{(void *)&head, sizeof head}, {(void *)file, r->file_length}};
    process_log(recorder, SPOOL_SOURCE, pieces, 2);
}

/* Names that the filter has refused are in the table, too, so that it is asked once: under another hash, since the same
 * name may be wanted by who does not ask it. */
#define REFUSED(hash) ((hash) ^ 0x94d049bb133111ebu)

/* Locked. */
static void refuse(struct regions *regions, uint64_t hash, const char *name, size_t length) {
    struct region_table *table = atomic_load_explicit(&regions->table, memory_order_relaxed);
    if (!table || (table->used + 1) * 2 > table->mask) table = grown(regions, table);
    struct region *r = length <= INT32_MAX ? arena(regions, sizeof *r) : NULL;
    const char *own_name = r ? copied(regions, name, length) : NULL;
    if (!table || !own_name) return;
    *r = (struct region){.hash = REFUSED(hash), .name = own_name, .name_length = (uint32_t)length};
    put(table, r);
}

/* Locked; the region is not there. */
static int decide(struct recorder *recorder, uint64_t hash, const char *name, size_t length, const char *file, int line,
                  const char *tags, bool filtered) {
    struct regions *regions = &recorder->regions;
    if (filtered) {
        if (find(atomic_load_explicit(&regions->table, memory_order_relaxed), REFUSED(hash), name, length))
            return REC_UNWANTED;
        if (!filter_wants(name, length, tags)) {
            refuse(regions, hash, name, length);
            return REC_UNWANTED;
        }
    }
    const struct region *r = make(regions, hash, name, length, file, line, tags);
    const char *sampled = recorder->sampling.name;
    if (r && *sampled && strcmp(r->name, sampled) == 0) recorder->sampling.region = r->id;
    if (r && recorder->live->state == LIVE_ON) region_log_all(recorder);
    return r ? r->id : -1;
}

int region_get(struct recorder *recorder, const char *name, size_t length, const char *file, int line, const char *tags,
               bool filtered) {
    struct regions *regions = &recorder->regions;
    uint64_t hash = hash_bytes(name, length);
    struct region_table *table = atomic_load_explicit(&regions->table, memory_order_acquire);
    struct region *r = find(table, hash, name, length);
    if (r && (!file || r->file_length)) return r->id;
    if (!r && filtered && find(table, REFUSED(hash), name, length)) return REC_UNWANTED;
    struct sys_quiet q = sys_quiet_begin();
    struct live *live = recorder->live;
    lock_take(&live->lock);
    r = find(atomic_load_explicit(&regions->table, memory_order_relaxed), hash, name, length);
    if (r) learn_location(recorder, r, file, line);
    const int id = r ? r->id : decide(recorder, hash, name, length, file, line, tags, filtered);
    lock_give(&live->lock);
    sys_quiet_end(q);
    return id;
}

/* The tables' memory stays with the recorder for its next use; nobody looks anything up meanwhile. */
void region_forget_all(struct recorder *recorder) {
    struct regions *regions = &recorder->regions;
    struct region_table *table = atomic_load_explicit(&regions->table, memory_order_relaxed);
    if (table) {
        memset(table->slots, 0, (table->mask + 1) * sizeof table->slots[0]);
        table->used = 0;
    }
    atomic_store(&regions->count, 0);
}

int rec_num_regions(const struct recorder *recorder) {
    return recorder ? (int)atomic_load_explicit(&recorder->regions.count, memory_order_acquire) : 0;
}

void rec_carry_regions(struct recorder *to, const struct recorder *from) {
    const int count = rec_num_regions(from);
    for (int i = 1; i <= count; i++) {
        const struct region *r = at(&from->regions, (uint32_t)i);
        region_get(to, r->name, r->name_length, r->file_length ? r->file : NULL, r->line,
                   r->tags_length ? r->tags : NULL, false);
    }
}

const char *rec_region_name(const struct recorder *recorder, int region) {
    return region >= 1 && region <= rec_num_regions(recorder) ? at(&recorder->regions, (uint32_t)region)->name : NULL;
}
