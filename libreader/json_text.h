/* json_text.h: JSON read piece by piece, plain or compressed by gzip; what is read is not kept.
 *
 * Functions give false when the text is not as it must be, or cannot be read: then `status` is set and the error
 * filled, and everything after gives false, too.
 */
#ifndef SCOPE_READER_JSON_TEXT_H
#define SCOPE_READER_JSON_TEXT_H

#include "internal.h"

#include <locale.h>
#include <zlib.h>

enum rd_json_kind {
    RD_JSON_OBJECT,
    RD_JSON_ARRAY,
    RD_JSON_TEXT,
    RD_JSON_INTEGER,
    RD_JSON_REAL,
    RD_JSON_TRUE,
    RD_JSON_FALSE,
    RD_JSON_NULL
};

struct rd_json {
    const spr_profile *profile;
    gzFile file;
    locale_t locale; /* numbers have a point, whatever the user's have */
    unsigned char buffer[32768];
    size_t at, filled;
    uint64_t before, most; /* bytes read before the buffer; that there may be of them */
    char *text;            /* the last string, decoded and NUL-terminated */
    size_t length, room;
    int64_t integer; /* the last number */
    double real;
    int status;
    spr_error *error;
};

/* Takes the descriptor over. */
bool rd_json_open(struct rd_json *json, const spr_profile *profile, int descriptor, spr_error *error);
void rd_json_close(struct rd_json *json);
bool rd_json_fail(struct rd_json *json, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The next value; of an object or array only that it begins. */
bool rd_json_value(struct rd_json *json, enum rd_json_kind *kind);
/* After the beginning of an object: the next key (in json->text) or, *more false, its end. `first` as for arrays. */
bool rd_json_key(struct rd_json *json, bool first, bool *more);
/* After the beginning of an array (`first`) or an element of it: whether there is one more. */
bool rd_json_element(struct rd_json *json, bool first, bool *more);
/* Passes over a value. */
bool rd_json_skip(struct rd_json *json);
/* Nothing but blanks may be left. */
bool rd_json_end(struct rd_json *json);

/* Values of one kind; `what` is for messages. A null is no text (NULL) and no integer (-1). Texts are copied. */
bool rd_json_get_text(struct rd_json *json, const char *what, struct rd_arena *arena, const char **text);
bool rd_json_get_integer(struct rd_json *json, const char *what, int64_t *value);
bool rd_json_get_real(struct rd_json *json, const char *what, double *value); /* null: NAN */
bool rd_json_get_bool(struct rd_json *json, const char *what, bool *value);

/* The members of an object: each key that the table has is given to its function, which must read the value. */
struct rd_json_member {
    const char *key;
    bool (*take)(struct rd_json *json, const char *key, void *context);
};
bool rd_json_object(struct rd_json *json, const char *what, const struct rd_json_member *members, size_t count,
                    void *context);
/* All members of an object, whatever their keys; `key` is valid until more is read. */
bool rd_json_each(struct rd_json *json, const char *what,
                  bool (*take)(struct rd_json *json, const char *key, void *context), void *context);
/* The elements of an array. */
bool rd_json_array(struct rd_json *json, const char *what, bool (*take)(struct rd_json *json, void *context),
                   void *context);
/* An array of integers, added to the store; null stands for -1. */
bool rd_json_integers(struct rd_json *json, const char *what, struct rd_store *store, uint64_t *count);

#endif
