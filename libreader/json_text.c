#include "json_text.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Times differ from call to call, so that no real profile is packed to a 200th of its size. */
#define MOST_PACKED 200
#define SLACK       (UINT64_C(1) << 20)
#define DEEPEST     256
#define LONGEST     400 /* characters of a number */

bool rd_json_fail(struct rd_json *json, int status, const char *format, ...) {
    char text[512];
    if (json->status != SPR_OK) return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    json->status = rd_fail(json->error, status, json->profile->path, "%s", text);
    return false;
}

static bool bad(struct rd_json *json, const char *what) {
    return rd_json_fail(json, SPR_DAMAGED, "is not valid JSON: %s at byte %llu", what,
                        (unsigned long long)(json->before + json->at));
}

static bool no_memory(struct rd_json *json) {
    if (json->status == SPR_OK) json->status = rd_no_memory(json->profile, json->error);
    return false;
}

/* ---- bytes ------------------------------------------------------------------------------------------------------ */

bool rd_json_open(struct rd_json *json, const spr_profile *profile, int descriptor, spr_error *error) {
    *json = (struct rd_json){.profile = profile, .error = error, .file = gzdopen(descriptor, "rb")};
    json->most = SLACK + (uint64_t)profile->file_bytes * MOST_PACKED;
    json->locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (json->file && json->locale) return true;
    if (!json->file) close(descriptor);
    return no_memory(json);
}

void rd_json_close(struct rd_json *json) {
    if (json->file) gzclose_r(json->file);
    if (json->locale) freelocale(json->locale);
    free(json->text);
    *json = (struct rd_json){0};
}

/* Reads on; false at the end and after a failure. */
static bool fill(struct rd_json *json) {
    if (json->status != SPR_OK) return false;
    json->before += json->filled;
    json->at = json->filled = 0;
    if (json->before > json->most)
        return rd_json_fail(json, SPR_DAMAGED, "unpacks to more than %d times its size, which no profile does",
                            MOST_PACKED);
    const int count = gzread(json->file, json->buffer, sizeof json->buffer);
    int code = Z_OK;
    const char *reason = gzerror(json->file, &code), *cause = strstr(reason, ": "); /* "<fd:3>: cause" */
    if (count < 0 || (code != Z_OK && code != Z_STREAM_END)) {
        if (code == Z_BUF_ERROR) return rd_json_fail(json, SPR_DAMAGED, "truncated: the compressed data end too early");
        return rd_json_fail(json, SPR_DAMAGED, "cannot be read (%s)",
                            code == Z_ERRNO ? strerror(errno)
                            : cause         ? cause + 2
                                            : reason);
    }
    json->filled = (size_t)count;
    return count > 0;
}

static inline int look(struct rd_json *json) {
    if (json->at == json->filled && !fill(json)) return EOF;
    return json->buffer[json->at];
}

static inline int take(struct rd_json *json) {
    const int byte = look(json);
    if (byte != EOF) json->at++;
    return byte;
}

static int look_past_blanks(struct rd_json *json) {
    int byte;
    while ((byte = look(json)) == ' ' || byte == '\n' || byte == '\t' || byte == '\r') json->at++;
    return byte;
}

static bool too_short(struct rd_json *json) {
    return rd_json_fail(json, SPR_DAMAGED, "truncated: the JSON text ends at byte %llu, too early",
                        (unsigned long long)json->before);
}

static bool expect(struct rd_json *json, int wanted, const char *what) {
    const int byte = look_past_blanks(json);
    if (byte == EOF) return too_short(json);
    if (byte != wanted) return bad(json, what);
    json->at++;
    return true;
}

/* ---- strings ---------------------------------------------------------------------------------------------------- */

static bool put(struct rd_json *json, int byte) {
    if (json->length == json->room) {
        const size_t room = json->room ? json->room * 2 : 256;
        char *grown = realloc(json->text, room);
        if (!grown) return no_memory(json);
        json->text = grown;
        json->room = room;
    }
    json->text[json->length++] = (char)byte;
    return true;
}

static bool put_code(struct rd_json *json, uint32_t code) {
    if (code < 0x80) return put(json, (int)code);
    if (code < 0x800) return put(json, (int)(0xc0 | code >> 6)) && put(json, (int)(0x80 | (code & 0x3f)));
    if (code < 0x10000)
        return put(json, (int)(0xe0 | code >> 12)) && put(json, (int)(0x80 | (code >> 6 & 0x3f))) &&
               put(json, (int)(0x80 | (code & 0x3f)));
    return put(json, (int)(0xf0 | code >> 18)) && put(json, (int)(0x80 | (code >> 12 & 0x3f))) &&
           put(json, (int)(0x80 | (code >> 6 & 0x3f))) && put(json, (int)(0x80 | (code & 0x3f)));
}

static bool read_hex(struct rd_json *json, uint32_t *code) {
    *code = 0;
    for (int i = 0; i < 4; i++) {
        const int byte = take(json);
        if (byte == EOF) return too_short(json);
        const int digit = byte >= '0' && byte <= '9'   ? byte - '0'
                          : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
                          : byte >= 'A' && byte <= 'F' ? byte - 'A' + 10
                                                       : -1;
        if (digit < 0) return bad(json, "a wrong \\u escape");
        *code = *code << 4 | (uint32_t)digit;
    }
    return true;
}

#define REPLACEMENT 0xfffd

static bool is_high(uint32_t code) { return code >= 0xd800 && code <= 0xdbff; }
static bool is_low(uint32_t code) { return code >= 0xdc00 && code <= 0xdfff; }

static bool put_letter(struct rd_json *json, int byte) {
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    if (byte == EOF) return too_short(json);
    const char *found = byte ? strchr(letters, byte) : NULL;
    return found ? put(json, meanings[found - letters]) : bad(json, "a wrong escape");
}

/* A lone low surrogate from dc80 on is a byte that was no UTF-8, as Python writes it. */
static bool put_escaped(struct rd_json *json, uint32_t code) {
    if (code == 0) return bad(json, "a NUL character in a string");
    if (code >= 0xdc80 && code <= 0xdcff) return put(json, (int)(code & 0xff));
    return put_code(json, is_high(code) || is_low(code) ? REPLACEMENT : code);
}

/* After "\u". A first half of a pair without its second half becomes the replacement character. */
static bool read_unicode(struct rd_json *json) {
    uint32_t code, next;
    if (!read_hex(json, &code)) return false;
    while (is_high(code) && look(json) == '\\') {
        json->at++;
        const int letter = take(json);
        if (letter != 'u') return put_code(json, REPLACEMENT) && put_letter(json, letter);
        if (!read_hex(json, &next)) return false;
        if (is_low(next)) return put_code(json, 0x10000 + ((code - 0xd800) << 10) + (next - 0xdc00));
        if (!put_code(json, REPLACEMENT)) return false;
        code = next;
    }
    return put_escaped(json, code);
}

static bool read_escape(struct rd_json *json) {
    const int letter = take(json);
    return letter == 'u' ? read_unicode(json) : put_letter(json, letter);
}

/* After its opening quote. */
static bool read_string(struct rd_json *json) {
    json->length = 0;
    for (;;) {
        const int byte = take(json);
        if (byte == EOF) return too_short(json);
        if (byte == '"') break;
        if (byte < 0x20) return bad(json, "a control character in a string");
        if (!(byte == '\\' ? read_escape(json) : put(json, byte))) return false;
    }
    if (!put(json, '\0')) return false;
    json->length--;
    return true;
}

/* ---- numbers and words ------------------------------------------------------------------------------------------ */

static bool is_number(const char *text, bool *whole) {
    const char *at = text + (*text == '-');
    const size_t digits = strspn(at, "0123456789");
    if (!digits || (digits > 1 && *at == '0')) return false;
    at += digits;
    *whole = *at == '\0';
    if (*at == '.') {
        const size_t fraction = strspn(++at, "0123456789");
        if (!fraction) return false;
        at += fraction;
    }
    if (*at == 'e' || *at == 'E') {
        at++;
        at += *at == '+' || *at == '-';
        const size_t exponent = strspn(at, "0123456789");
        if (!exponent) return false;
        at += exponent;
    }
    return *at == '\0';
}

static bool read_number(struct rd_json *json, enum rd_json_kind *kind) {
    char text[LONGEST + 1];
    size_t length = 0;
    for (int byte; (byte = look(json)) != EOF && byte && strchr("+-.0123456789eE", byte); json->at++) {
        if (length == LONGEST) return bad(json, "a number that is too long");
        text[length++] = (char)byte;
    }
    if (json->status != SPR_OK) return false;
    text[length] = '\0';
    bool whole = false;
    if (!is_number(text, &whole)) return look(json) == EOF ? too_short(json) : bad(json, "a wrong number");
    errno = 0;
    json->integer = whole ? strtoll(text, NULL, 10) : 0;
    *kind = whole && !errno ? RD_JSON_INTEGER : RD_JSON_REAL;
    json->real = strtod_l(text, NULL, json->locale);
    return true;
}

static bool read_word(struct rd_json *json, const char *word) {
    for (; *word; word++) {
        const int byte = take(json);
        if (byte == EOF) return too_short(json);
        if (byte != *word) return bad(json, "a wrong word");
    }
    return true;
}

/* ---- structure -------------------------------------------------------------------------------------------------- */

bool rd_json_value(struct rd_json *json, enum rd_json_kind *kind) {
    const int byte = look_past_blanks(json);
    switch (byte) {
    case EOF:
        return too_short(json);
    case '{':
        json->at++;
        *kind = RD_JSON_OBJECT;
        return true;
    case '[':
        json->at++;
        *kind = RD_JSON_ARRAY;
        return true;
    case '"':
        json->at++;
        *kind = RD_JSON_TEXT;
        return read_string(json);
    case 't':
        *kind = RD_JSON_TRUE;
        return read_word(json, "true");
    case 'f':
        *kind = RD_JSON_FALSE;
        return read_word(json, "false");
    case 'n':
        *kind = RD_JSON_NULL;
        return read_word(json, "null");
    default:
        return read_number(json, kind);
    }
}

/* Whether the list goes on, where `end` would end it. */
static bool goes_on(struct rd_json *json, bool first, int end, bool *more) {
    const int byte = look_past_blanks(json);
    if (byte == EOF) return too_short(json);
    *more = byte != end;
    if (!*more) {
        json->at++;
        return true;
    }
    if (first) return true;
    if (!expect(json, ',', "no comma")) return false;
    return look_past_blanks(json) != end || bad(json, "a comma before the end");
}

bool rd_json_element(struct rd_json *json, bool first, bool *more) { return goes_on(json, first, ']', more); }

bool rd_json_key(struct rd_json *json, bool first, bool *more) {
    if (!goes_on(json, first, '}', more)) return false;
    if (!*more) return true;
    return expect(json, '"', "no key") && read_string(json) && expect(json, ':', "no colon");
}

/* Without recursion: `open` remembers which brackets are. */
bool rd_json_skip(struct rd_json *json) {
    bool open[DEEPEST], first = true;
    size_t depth = 0;
    do {
        bool more = true;
        enum rd_json_kind kind;
        if (depth && !(open[depth - 1] ? rd_json_key(json, first, &more) : rd_json_element(json, first, &more)))
            return false;
        first = false;
        if (!more) {
            depth--;
            continue;
        }
        if (!rd_json_value(json, &kind)) return false;
        if (kind != RD_JSON_OBJECT && kind != RD_JSON_ARRAY) continue;
        if (depth == DEEPEST) return bad(json, "too deep a nesting");
        open[depth++] = kind == RD_JSON_OBJECT;
        first = true;
    } while (depth);
    return true;
}

bool rd_json_end(struct rd_json *json) {
    if (look_past_blanks(json) != EOF) return bad(json, "something after the document");
    return json->status == SPR_OK;
}

/* ---- values of one kind ----------------------------------------------------------------------------------------- */

static bool is_not(struct rd_json *json, const char *what, const char *wanted) {
    return rd_json_fail(json, SPR_DAMAGED, "'%s' is not %s (at byte %llu)", what, wanted,
                        (unsigned long long)(json->before + json->at));
}

bool rd_json_get_text(struct rd_json *json, const char *what, struct rd_arena *arena, const char **text) {
    enum rd_json_kind kind;
    if (!rd_json_value(json, &kind)) return false;
    *text = NULL;
    if (kind == RD_JSON_NULL) return true;
    if (kind != RD_JSON_TEXT) return is_not(json, what, "a string");
    *text = rd_arena_copy(arena, json->text, json->length);
    return *text || no_memory(json);
}

bool rd_json_get_integer(struct rd_json *json, const char *what, int64_t *value) {
    enum rd_json_kind kind;
    if (!rd_json_value(json, &kind)) return false;
    if (kind != RD_JSON_INTEGER && kind != RD_JSON_NULL) return is_not(json, what, "an integer");
    *value = kind == RD_JSON_NULL ? -1 : json->integer;
    return true;
}

bool rd_json_get_real(struct rd_json *json, const char *what, double *value) {
    enum rd_json_kind kind;
    if (!rd_json_value(json, &kind)) return false;
    if (kind != RD_JSON_INTEGER && kind != RD_JSON_REAL && kind != RD_JSON_NULL) return is_not(json, what, "a number");
    *value = kind == RD_JSON_NULL ? (double)NAN : json->real;
    return true;
}

bool rd_json_get_bool(struct rd_json *json, const char *what, bool *value) {
    enum rd_json_kind kind;
    if (!rd_json_value(json, &kind)) return false;
    if (kind != RD_JSON_TRUE && kind != RD_JSON_FALSE) return is_not(json, what, "true or false");
    *value = kind == RD_JSON_TRUE;
    return true;
}

static bool begin(struct rd_json *json, const char *what, enum rd_json_kind wanted, const char *name) {
    enum rd_json_kind kind;
    return rd_json_value(json, &kind) && (kind == wanted || is_not(json, what, name));
}

struct table {
    const struct rd_json_member *members;
    size_t count;
    void *context;
};

static bool take_member(struct rd_json *json, const char *key, void *context) {
    const struct table *table = context;
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->members[i].key, key) == 0)
            return table->members[i].take(json, table->members[i].key, table->context);
    return rd_json_skip(json);
}

bool rd_json_object(struct rd_json *json, const char *what, const struct rd_json_member *members, size_t count,
                    void *context) {
    struct table table = {members, count, context};
    return rd_json_each(json, what, take_member, &table);
}

bool rd_json_each(struct rd_json *json, const char *what,
                  bool (*take_value)(struct rd_json *json, const char *key, void *context), void *context) {
    bool more, first = true;
    if (!begin(json, what, RD_JSON_OBJECT, "an object")) return false;
    for (;; first = false) {
        if (!rd_json_key(json, first, &more)) return false;
        if (!more) return true;
        if (!take_value(json, json->text, context)) return false;
    }
}

bool rd_json_array(struct rd_json *json, const char *what, bool (*take_value)(struct rd_json *json, void *context),
                   void *context) {
    bool more, first = true;
    if (!begin(json, what, RD_JSON_ARRAY, "an array")) return false;
    for (;; first = false) {
        if (!rd_json_element(json, first, &more)) return false;
        if (!more) return true;
        if (!take_value(json, context)) return false;
    }
}

/* ---- integers --------------------------------------------------------------------------------------------------- */

struct gathering {
    const char *what;
    struct rd_store *store;
    uint64_t count;
    int64_t values[1024];
    size_t filled;
};

static bool flush(struct rd_json *json, struct gathering *gathering) {
    if (!rd_store_add(gathering->store, gathering->values, gathering->filled))
        return rd_json_fail(json, SPR_NO_MEMORY, "its calls cannot be kept (%s)", strerror(errno));
    gathering->count += gathering->filled;
    gathering->filled = 0;
    return true;
}

static bool gather(struct rd_json *json, void *context) {
    struct gathering *gathering = context;
    if (!rd_json_get_integer(json, gathering->what, &gathering->values[gathering->filled])) return false;
    return ++gathering->filled < sizeof gathering->values / sizeof *gathering->values || flush(json, gathering);
}

bool rd_json_integers(struct rd_json *json, const char *what, struct rd_store *store, uint64_t *count) {
    struct gathering gathering = {.what = what, .store = store};
    if (!rd_json_array(json, what, gather, &gathering) || !flush(json, &gathering)) return false;
    *count = gathering.count;
    return true;
}
