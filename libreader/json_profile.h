/* json_profile.h: what the files that read JSON profiles share. */
#ifndef SCOPE_READER_JSON_PROFILE_H
#define SCOPE_READER_JSON_PROFILE_H

#include "json_text.h"
#include "names.h"

#define RD_NEWEST_JSON 1

struct rd_json_region {
    const char *name; /* NULL: not seen yet */
    int64_t rank;
    spr_row row;
    struct rd_events events;
    bool aggregate;
    unsigned known; /* which statistics of the aggregate */
    int64_t count;
};

/* Until all is read, a problem's region is a name, and its kind a number. */
struct rd_json_problem {
    spr_problem problem;
    const char *region; /* NULL: of none */
    int64_t kind;
};

struct rd_json_document {
    spr_profile *profile;
    struct rd_names names;
    bool is_profile, has_aggregates, has_calls;
    int64_t num_ranks;
    struct rd_json_region region;
    spr_row *rows;
    struct rd_place *places;
    size_t count;
    int64_t rank; /* of the records that are being read */
    void *record; /* the record */
    struct rd_json_problem *problems;
    size_t num_problems;
};

/* A growing list of texts. */
struct rd_json_texts {
    struct rd_arena *arena;
    const char **items; /* free() it */
    const char **kept;  /* a copy in the arena */
    size_t count;
};
bool rd_json_texts_add(struct rd_json *json, const char *what, struct rd_json_texts *texts);
bool rd_json_texts_keep(struct rd_json *json, struct rd_json_texts *texts);

/* Room for one more in an array whose room doubles at powers of two. */
bool rd_json_grow(struct rd_json *json, void **items, size_t count, size_t size);
/* A key that is a rank: document->rank. */
bool rd_json_set_rank(struct rd_json *json, const char *key, struct rd_json_document *document);

/* Members of the document; `context` is the document. json_tables.c, json_lines.c */
bool rd_json_take_metadata(struct rd_json *json, const char *key, void *context);
bool rd_json_take_threads(struct rd_json *json, const char *key, void *context);
bool rd_json_take_tasks(struct rd_json *json, const char *key, void *context);
bool rd_json_take_processes(struct rd_json *json, const char *key, void *context);
bool rd_json_take_problems(struct rd_json *json, const char *key, void *context);
bool rd_json_take_lines(struct rd_json *json, const char *key, void *context);
/* When all is read: problems know their regions by name. */
bool rd_json_finish_tables(struct rd_json *json, struct rd_json_document *document);

#endif
