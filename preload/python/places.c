#include "places.h"
#include "recorder.h"
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_MAX_BYTES 2000 /* of a region; longer names are cut */

static struct place **slots; /* open addressing, at most half full */
static uint32_t mask, used;
static struct place **by_region; /* NULL: none, or no memory */
static int num_by_region;
static unsigned serial; /* whose regions these are */
static atomic_flag busy = ATOMIC_FLAG_INIT;

static void lock(void) {
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) sched_yield();
}
static void unlock(void) { atomic_flag_clear_explicit(&busy, memory_order_release); }
void places_forked(void) { unlock(); }

static uint64_t hash_of(const char *key, uint32_t length) {
    uint64_t h = 0xcbf29ce484222325u;
    for (uint32_t i = 0; i < length; i++) h = (h ^ (unsigned char)key[i]) * 0x100000001b3u;
    return h ^ h >> 32;
}

static struct place *find(const char *key, uint32_t length) {
    uint64_t hash = hash_of(key, length);
    for (uint32_t i = (uint32_t)hash & mask; slots && slots[i]; i = (i + 1) & mask)
        if (slots[i]->hash == hash && slots[i]->length == length && memcmp(slots[i]->key, key, length) == 0)
            return slots[i];
    return NULL;
}

static void put(struct place **into, uint32_t size_mask, struct place *place) {
    uint32_t i = (uint32_t)place->hash & size_mask;
    while (into[i]) i = (i + 1) & size_mask;
    into[i] = place;
}

static bool grow(void) {
    uint32_t size = slots ? (mask + 1) * 2 : 1024;
    struct place **larger = calloc(size, sizeof *larger);
    if (!larger) return false;
    for (uint32_t i = 0; slots && i <= mask; i++)
        if (slots[i]) put(larger, size - 1, slots[i]);
    free(slots);
    slots = larger;
    mask = size - 1;
    return true;
}

static struct place *add(const char *key, uint32_t length, int region) {
    if ((!slots || (used + 1) * 2 > mask) && !grow()) return NULL;
    struct place *place = malloc(sizeof *place + length);
    if (!place) return NULL;
    *place = (struct place){.region = region, .hash = hash_of(key, length), .length = length};
    memcpy(place->key, key, length);
    put(slots, mask, place);
    used++;
    return place;
}

/* Files are named relative to a directory that the program may leave. */
static char *absolute(const char *file) {
    char directory[PATH_MAX], *path;
    if (file[0] == '/' || file[0] == '<' || !getcwd(directory, sizeof directory)) return strdup(file);
    return asprintf(&path, "%s/%s", directory, file) < 0 ? NULL : path;
}

static void remember_region(struct place *place) {
    if (place->region >= num_by_region) {
        const int larger = 2 * place->region + 64;
        struct place **grown = realloc(by_region, (size_t)larger * sizeof *grown);
        if (!grown) return;
        memset(grown + num_by_region, 0, (size_t)(larger - num_by_region) * sizeof *grown);
        by_region = grown;
        num_by_region = larger;
    }
    by_region[place->region] = place;
}

struct place *place_with(int region) {
    lock();
    struct place *place = region < num_by_region ? by_region[region] : NULL;
    unlock();
    return place;
}

static bool taken(const char *name) { return find(name, (uint32_t)strlen(name)) != NULL; }

/* Writes the region's name, and takes it. */
static void choose_label(char *label, size_t size, const char *name, const char *file, const char *path, int line,
                         bool always_say_where) {
    snprintf(label, size, "%.*s", NAME_MAX_BYTES, name);
    if (always_say_where || taken(label)) {
        const char *base = strrchr(file, '/');
        snprintf(label, size, "%.*s (%.300s:%d)", NAME_MAX_BYTES, name, base ? base + 1 : file, line);
        if (taken(label)) snprintf(label, size, "%.*s (%.1500s:%d)", NAME_MAX_BYTES, name, path, line);
    }
    if (!taken(label)) add(label, (uint32_t)strlen(label), 0);
}

/* Regions of another recorder are no use to this one. */
static void forget_others(void) {
    if (serial == rec_default_serial) return;
    serial = rec_default_serial;
    for (uint32_t i = 0; slots && i <= mask; i++) {
        if (!slots[i]) continue;
        free(slots[i]->label);
        free(slots[i]->file);
        free(slots[i]);
    }
    free(slots);
    slots = NULL;
    used = mask = 0;
    free(by_region);
    by_region = NULL;
    num_by_region = 0;
}

static struct place *make(const char *key, uint32_t length, const char *name, const char *file, int line,
                          bool always_say_where) {
    char label[2 * NAME_MAX_BYTES];
    char *path = absolute(file);
    if (!path) return NULL;
    choose_label(label, sizeof label, name, file, path, line, always_say_where);
    int region = rec_region_chosen(label, strlen(label), path, line, NULL);
    struct place *place = region > 0 ? add(key, length, region) : NULL;
    char *label_copy = place ? strdup(label) : NULL;
    if (!label_copy) {
        free(path);
        return place;
    }
    place->label = label_copy;
    place->file = path;
    place->line = line;
    remember_region(place);
    return place;
}

struct place *place_of(const char *name, const char *file, int line, bool always_say_where) {
    char *key;
    int length = asprintf(&key, "%s%c%s%c%d", name, 0, file, 0, line);
    if (length < 0) return NULL;
    lock();
    forget_others();
    struct place *place = find(key, (uint32_t)length);
    if (!place) place = make(key, (uint32_t)length, name, file, line, always_say_where);
    unlock();
    free(key);
    return place;
}

void place_resumed(struct place *place) {
    if (place->resumed) return;
    static const char suffix[] = " [resumed]";
    char label[2 * NAME_MAX_BYTES + sizeof suffix];
    int length = snprintf(label, sizeof label, "%s%s", place->label ? place->label : "?", suffix);
    int region = rec_region_chosen(label, (size_t)length, place->file, place->line, NULL);
    if (region > 0) place->resumed = region;
}
