#include "lanes.h"

#include <stdlib.h>
#include <string.h>

static size_t scatter(int64_t key, size_t size) {
    return (size_t)((uint64_t)key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (size - 1);
}

/* ---- lanes ------------------------------------------------------------------------------------------------------ */

static struct rd_lane *lane_place(struct rd_lane *lanes, size_t size, int64_t name) {
    size_t at = scatter(name, size);
    while (lanes[at].calls && lanes[at].name != name) at = (at + 1) & (size - 1);
    return &lanes[at];
}

static bool grow_lanes(struct rd_lanes *lanes) {
    const size_t size = lanes->size ? lanes->size * 2 : 16;
    struct rd_lane *grown = calloc(size, sizeof *grown);
    if (!grown) return false;
    for (size_t i = 0; i < lanes->size; i++)
        if (lanes->lanes[i].calls) *lane_place(grown, size, lanes->lanes[i].name) = lanes->lanes[i];
    free(lanes->lanes);
    lanes->lanes = grown;
    lanes->size = size;
    return true;
}

struct rd_lane *rd_lane_find(struct rd_lanes *lanes, int64_t name) {
    if (lanes->last && lanes->last->name == name) return lanes->last;
    if (lanes->count * 2 >= lanes->size && !grow_lanes(lanes)) return NULL;
    struct rd_lane *lane = lane_place(lanes->lanes, lanes->size, name);
    if (!lane->calls) {
        *lane = (struct rd_lane){.name = name, .room = 4, .calls = malloc(4 * sizeof *lane->calls)};
        if (!lane->calls) return NULL;
        lanes->count++;
    }
    return lanes->last = lane;
}

struct rd_call *rd_lane_push(struct rd_lane *lane, const struct rd_call *call) {
    if (lane->depth == lane->room) {
        if (lane->room >= RD_MOST_OPEN) return NULL;
        struct rd_call *grown = realloc(lane->calls, lane->room * 2 * sizeof *grown);
        if (!grown) return NULL;
        lane->calls = grown;
        lane->room *= 2;
    }
    lane->calls[lane->depth] = *call;
    return &lane->calls[lane->depth++];
}

void rd_lanes_free(struct rd_lanes *lanes) {
    for (size_t i = 0; i < lanes->size; i++) free(lanes->lanes[i].calls);
    free(lanes->lanes);
    *lanes = (struct rd_lanes){0};
}

/* ---- open calls by id ------------------------------------------------------------------------------------------- */

static struct rd_open_call *open_place(struct rd_open_call *places, size_t size, int64_t id) {
    size_t at = scatter(id, size);
    while (places[at].id >= 0 && places[at].id != id) at = (at + 1) & (size - 1);
    return &places[at];
}

const struct rd_call *rd_open_find(const struct rd_open_calls *open, int64_t id) {
    if (!open->size || id < 0) return NULL;
    const struct rd_open_call *found = open_place(open->places, open->size, id);
    return found->id == id ? &found->call : NULL;
}

/* Moves the calls that are still open at `now` to a new table, of twice their number at least. */
static bool sweep(struct rd_open_calls *open, int64_t now) {
    size_t live = 0, size = 64;
    for (size_t i = 0; i < open->size; i++) live += open->places[i].id >= 0 && open->places[i].call.end >= now;
    if (live > RD_MOST_OPEN) return false;
    while (size < live * 4) size *= 2;
    struct rd_open_call *places = malloc(size * sizeof *places);
    if (!places) return false;
    for (size_t i = 0; i < size; i++) places[i].id = -1;
    for (size_t i = 0; i < open->size; i++) {
        const struct rd_open_call *from = &open->places[i];
        if (from->id >= 0 && from->call.end >= now) *open_place(places, size, from->id) = *from;
    }
    free(open->places);
    *open = (struct rd_open_calls){.places = places, .count = live, .size = size, .live = live};
    return true;
}

bool rd_open_add(struct rd_open_calls *open, int64_t id, const struct rd_call *call) {
    if (open->count * 2 >= open->size && !sweep(open, call->start)) return false;
    struct rd_open_call *place = open_place(open->places, open->size, id);
    open->count += place->id < 0;
    *place = (struct rd_open_call){id, *call};
    return true;
}

void rd_open_free(struct rd_open_calls *open) {
    free(open->places);
    *open = (struct rd_open_calls){0};
}
