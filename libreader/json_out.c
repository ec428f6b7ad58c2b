#include "json_out.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- bytes ------------------------------------------------------------------------------------------------------ */

bool rd_json_out_open(struct rd_json_out *out, const char *path, bool compress, int indent) {
    *out = (struct rd_json_out){.indent = indent, .first = true};
    const int descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (descriptor < 0) return false;
    out->file = gzdopen(descriptor, compress ? "wb6" : "wbT");
    out->locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (out->file && out->locale) return true;
    if (!out->file) close(descriptor);
    rd_json_out_close(out);
    errno = ENOMEM;
    return false;
}

static void flush(struct rd_json_out *out) {
    errno = 0;
    if (!out->error && out->filled && gzwrite(out->file, out->buffer, (unsigned)out->filled) <= 0)
        out->error = errno ? errno : EIO;
    out->filled = 0;
}

static void put(struct rd_json_out *out, char byte) {
    if (out->filled == sizeof out->buffer) flush(out);
    out->buffer[out->filled++] = byte;
}

static void put_all(struct rd_json_out *out, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) put(out, text[i]);
}

int rd_json_out_close(struct rd_json_out *out) {
    if (out->file) {
        if (out->filled) put(out, '\n');
        flush(out);
        errno = 0;
        if (gzclose_w(out->file) != Z_OK && !out->error) out->error = errno ? errno : EIO;
    }
    if (out->locale) freelocale(out->locale);
    out->file = NULL;
    out->locale = (locale_t)0;
    return out->error;
}

/* ---- strings ---------------------------------------------------------------------------------------------------- */

size_t rd_json_out_character(const unsigned char *text) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t length = text[0] < 0x80       ? 1
                          : text[0] >> 5 == 6  ? 2
                          : text[0] >> 4 == 14 ? 3
                          : text[0] >> 3 == 30 ? 4
                                               : 0;
    if (length < 2) return length;
    uint32_t code = text[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (text[i] >> 6 != 2) return 0;
        code = code << 6 | (text[i] & 0x3f);
    }
    return code < least[length] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff ? 0 : length;
}

/* A byte that is no UTF-8 becomes a lone surrogate, as Python writes it, and comes back as the same byte. */
static void put_string(struct rd_json_out *out, const char *text) {
    put(out, '"');
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        const size_t length = rd_json_out_character(at);
        char escaped[8];
        if (*at == '"' || *at == '\\') {
            put(out, '\\');
            put(out, (char)*at);
        } else if (!length || *at < 0x20) {
            snprintf(escaped, sizeof escaped, "\\u%04x", length ? *at : 0xdc00u + *at);
            put_all(out, escaped, 6);
        } else {
            put_all(out, (const char *)at, length);
        }
        at += length ? length : 1;
    }
    put(out, '"');
}

/* ---- structure -------------------------------------------------------------------------------------------------- */

static void new_line(struct rd_json_out *out) {
    if (!out->indent) return;
    put(out, '\n');
    for (int i = 0; i < out->indent * out->depth; i++) put(out, ' ');
}

static void place(struct rd_json_out *out, const char *key) {
    if (!out->first) put(out, ',');
    if (out->depth) new_line(out);
    out->first = false;
    if (!key) return;
    put_string(out, key);
    put(out, ':');
    if (out->indent) put(out, ' ');
}

void rd_json_out_begin(struct rd_json_out *out, const char *key, char bracket) {
    place(out, key);
    put(out, bracket);
    out->depth++;
    out->first = true;
}

void rd_json_out_end(struct rd_json_out *out, char bracket) {
    out->depth--;
    if (!out->first) new_line(out);
    put(out, bracket);
    out->first = false;
}

void rd_json_out_text(struct rd_json_out *out, const char *key, const char *text) {
    place(out, key);
    put_string(out, text);
}

static void put_integer(struct rd_json_out *out, int64_t value) {
    char digits[24];
    size_t at = sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do digits[--at] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0) digits[--at] = '-';
    put_all(out, digits + at, sizeof digits - at);
}

void rd_json_out_integer(struct rd_json_out *out, const char *key, int64_t value) {
    place(out, key);
    put_integer(out, value);
}

/* The shortest text that is read as the same number. */
void rd_json_out_real(struct rd_json_out *out, const char *key, double value) {
    char text[40] = "null";
    place(out, key);
    if (isfinite(value)) {
        const locale_t before = uselocale(out->locale);
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(text, sizeof text, "%.*g", digits, value);
            if (strtod(text, NULL) == value) break;
        }
        uselocale(before);
        if (!text[strcspn(text, ".e")]) strcat(text, ".0"); /* it stays a real number */
    }
    put_all(out, text, strlen(text));
}

void rd_json_out_bool(struct rd_json_out *out, const char *key, bool value) {
    place(out, key);
    put_all(out, value ? "true" : "false", value ? 4 : 5);
}

void rd_json_out_integers_begin(struct rd_json_out *out, const char *key) {
    place(out, key);
    put(out, '[');
    out->first = true;
}

void rd_json_out_integers(struct rd_json_out *out, const int64_t *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!out->first) put(out, ',');
        if (!out->first && out->indent) put(out, ' ');
        put_integer(out, values[i]);
        out->first = false;
    }
}

void rd_json_out_integers_end(struct rd_json_out *out) {
    put(out, ']');
    out->first = false;
}
