/* lanes.h: which calls are open: by lane, when nesting comes from the times; by id, when parents were recorded. */
#ifndef SCOPE_READER_LANES_H
#define SCOPE_READER_LANES_H

#include "walk.h"

/* More calls than this open at once are a damaged file: no stack is as deep. */
#define RD_MOST_OPEN (1u << 20)

struct rd_lane {
    int64_t name;
    struct rd_call *calls;
    size_t depth, room;
};

struct rd_lanes {
    struct rd_lane *lanes; /* a hash table by name; calls == NULL: free place */
    size_t count, size;
    struct rd_lane *last;
};

/* The lane's stack, made when new; NULL without memory. Valid until the next call of it. */
struct rd_lane *rd_lane_find(struct rd_lanes *lanes, int64_t name);
/* One more call on the stack; NULL when it is too deep or there is no memory. */
struct rd_call *rd_lane_push(struct rd_lane *lane, const struct rd_call *call);
void rd_lanes_free(struct rd_lanes *lanes);

struct rd_open_call {
    int64_t id; /* < 0: free place */
    struct rd_call call;
};

struct rd_open_calls {
    struct rd_open_call *places;
    size_t count, size, live; /* live: those found open by the last sweep */
};

/* The open call of that id, NULL if there is none. */
const struct rd_call *rd_open_find(const struct rd_open_calls *open, int64_t id);
/* Adds a call, and forgets calls that ended before it starts. False without memory, or when too many are open. */
bool rd_open_add(struct rd_open_calls *open, int64_t id, const struct rd_call *call);
void rd_open_free(struct rd_open_calls *open);

#endif
