#include "text.h"

#include "base/memory.h"

#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

struct sink sink_open(FILE *stream) {
    struct sink sink = {.stream = stream};
    struct winsize size = {0};
    int descriptor = fileno(stream);
    if (isatty(descriptor) && ioctl(descriptor, TIOCGWINSZ, &size) == 0) sink.columns = size.ws_col;
    return sink;
}

size_t text_decode(const char *text, int32_t *code) {
    static const int32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *byte = (const unsigned char *)text;
    size_t length = byte[0] < 0x80 ? 1 : byte[0] >> 5 == 6 ? 2 : byte[0] >> 4 == 14 ? 3 : byte[0] >> 3 == 30 ? 4 : 0;
    *code = length == 1 ? byte[0] : length ? byte[0] & (0x7f >> length) : -1;
    if (!byte[0]) return 0;
    for (size_t i = 1; i < length; i++) {
        if (byte[i] >> 6 != 2) {
            *code = -1;
            return 1;
        }
        *code = *code << 6 | (byte[i] & 0x3f);
    }
    bool surrogate = *code >= 0xd800 && *code < 0xe000;
    if (!length || *code < smallest[length] || surrogate || *code > 0x10ffff) *code = -1, length = 1;
    return length;
}

/* wcwidth() knows characters only in a UTF-8 locale; the user's may be another. */
static int character_width(int32_t code) {
    static locale_t utf8;
    if (code < 0x80) return 1;
    if (!utf8) utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (!utf8) return 1;
    locale_t before = uselocale(utf8);
    int width = wcwidth((wchar_t)code);
    uselocale(before);
    return width < 0 ? 1 : width;
}

size_t text_width(const char *text) {
    size_t width = 0, length;
    for (int32_t code; (length = text_decode(text, &code)); text += length) width += (size_t)character_width(code);
    return width;
}

/* Characters that move the cursor or turn the line around. */
static bool is_unprintable(int32_t code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0x200e || code == 0x200f || code == 0xfeff;
}

static char *put_escape(char *out, const char *at, int32_t code) {
    switch (code) {
    case '\n':
        return stpcpy(out, "\\n");
    case '\t':
        return stpcpy(out, "\\t");
    case '\r':
        return stpcpy(out, "\\r");
    default:
        break;
    }
    return out + sprintf(out, code > 0xff ? "\\u%04x" : "\\x%02x", code < 0 ? (unsigned char)*at : (unsigned)code);
}

char *text_shown(const char *name) {
    if (!*name) return xcopy("(unnamed)");
    char *shown = xalloc(strlen(name) * 4 + 1, 1), *out = shown;
    size_t length;
    for (int32_t code; (length = text_decode(name, &code)); name += length) {
        if (is_unprintable(code))
            out = put_escape(out, name, code);
        else
            out = mempcpy(out, name, length);
    }
    return shown;
}

char *text_lossy(const char *text) {
    char *lossy = xalloc(strlen(text) * 3 + 1, 1), *out = lossy;
    size_t length;
    for (int32_t code; (length = text_decode(text, &code)); text += length)
        out = code < 0 ? stpcpy(out, "\xef\xbf\xbd") : mempcpy(out, text, length);
    return lossy;
}

char *text_cut(const char *text, size_t columns) {
    if (text_width(text) <= columns) return xcopy(text);
    if (!columns) return xcopy("");
    size_t width = 0, bytes = 0, length;
    for (int32_t code; (length = text_decode(text + bytes, &code)); bytes += length) {
        size_t next = (size_t)character_width(code);
        if (width + next > columns - 1) break;
        width += next;
    }
    return xformat("%.*s…", (int)bytes, text);
}

void text_padded(FILE *out, const char *text, size_t width) {
    size_t used = text_width(text);
    fprintf(out, "%s%*s", text, used < width ? (int)(width - used) : 0, "");
}

void sink_line(const struct sink *sink, const char *format, ...) {
    char *line = NULL;
    va_list arguments;
    va_start(arguments, format);
    int made = vasprintf(&line, format, arguments);
    va_end(arguments);
    if (made < 0) return;
    char *cut = sink->columns ? text_cut(line, sink->columns) : xcopy(line);
    fprintf(sink->stream, "%s\n", cut);
    free(cut);
    free(line);
}
