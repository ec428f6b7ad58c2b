/* json_out.h: JSON as it is written, piece by piece, plain or compressed. After a failure everything is ignored until
 * rd_json_out_close() says so. */
#ifndef SCOPE_READER_JSON_OUT_H
#define SCOPE_READER_JSON_OUT_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

struct rd_json_out {
    gzFile file;
    int error; /* errno of the first failure */
    int indent, depth;
    bool first; /* nothing stands between the last bracket and here */
    locale_t locale;
    char buffer[32768];
    size_t filled;
};

/* indent: blanks per level, 0 for one line. False with errno. */
bool rd_json_out_open(struct rd_json_out *out, const char *path, bool compress, int indent);
/* 0, or errno. */
int rd_json_out_close(struct rd_json_out *out);

/* Where a value may stand: in an object with its key, in an array (and at the top) with NULL. */
void rd_json_out_begin(struct rd_json_out *out, const char *key, char bracket);
void rd_json_out_end(struct rd_json_out *out, char bracket);
void rd_json_out_text(struct rd_json_out *out, const char *key, const char *text);
void rd_json_out_integer(struct rd_json_out *out, const char *key, int64_t value);
void rd_json_out_real(struct rd_json_out *out, const char *key, double value); /* null unless finite */
void rd_json_out_bool(struct rd_json_out *out, const char *key, bool value);
/* An array of integers, on one line; it may come in parts. */
void rd_json_out_integers_begin(struct rd_json_out *out, const char *key);
void rd_json_out_integers(struct rd_json_out *out, const int64_t *values, size_t count);
void rd_json_out_integers_end(struct rd_json_out *out);

/* Length of the UTF-8 character at `text`, 0 when it is none. */
size_t rd_json_out_character(const unsigned char *text);

#endif
