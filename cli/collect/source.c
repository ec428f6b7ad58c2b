#include "source.h"
#include <ctype.h>
#include <errno.h>
#include <iconv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_CHARACTER "\xef\xbf\xbd" /* U+FFFD */

/* Python's names that iconv does not know. */
static const struct {
    const char *python, *iconv;
} aliases[] = {
    {"", "UTF-8"},
    {"utf8", "UTF-8"},
    {"utf-8-sig", "UTF-8"},
    {"latin-1", "ISO-8859-1"},
    {"iso-latin-1", "ISO-8859-1"},
    {"mac-roman", "MACINTOSH"},
};

static iconv_t open_encoding(const char *name) {
    char normal[64];
    size_t n = 0;
    for (; name[n] && n + 1 < sizeof normal; n++)
        normal[n] = name[n] == '_' ? '-' : (char)tolower((unsigned char)name[n]);
    normal[n] = '\0';
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(normal, aliases[i].python) == 0) return iconv_open("UTF-8", aliases[i].iconv);
    return iconv_open("UTF-8", normal);
}

/* CR and CR LF end a line as LF does. In place; returns the new length. */
static size_t plain_line_ends(char *text, size_t length) {
    size_t to = 0;
    for (size_t from = 0; from < length; from++) {
        if (text[from] != '\r')
            text[to++] = text[from];
        else if (from + 1 == length || text[from + 1] != '\n')
            text[to++] = '\n';
    }
    return to;
}

/* What cannot be converted is replaced byte by byte; a NUL would end the text in the file. */
static char *convert(iconv_t encoding, char *from, size_t left) {
    size_t room = left * 4 + 1;
    char *text = malloc(room), *to = text;
    while (text && left) {
        size_t space = room - 1 - (size_t)(to - text);
        size_t done = iconv(encoding, &from, &left, &to, &space);
        if (done != (size_t)-1) break;
        if (errno == E2BIG) { /* an encoding with very long characters */
            size_t used = (size_t)(to - text);
            char *grown = realloc(text, room *= 2);
            if (!grown) {
                free(text);
                return NULL;
            }
            text = grown;
            to = text + used;
            continue;
        }
        if (space < sizeof NO_CHARACTER) {
            size_t used = (size_t)(to - text);
            char *grown = realloc(text, room += left * 4 + sizeof NO_CHARACTER);
            if (!grown) {
                free(text);
                return NULL;
            }
            text = grown;
            to = text + used;
        }
        to = stpcpy(to, NO_CHARACTER);
        from++;
        left--;
    }
    if (text) *to = '\0';
    return text;
}

char *source_text(const char *bytes, size_t length, const char *encoding) {
    static const char bom[] = "\xef\xbb\xbf";
    if (length >= 3 && memcmp(bytes, bom, 3) == 0) {
        bytes += 3;
        length -= 3;
    }
    char *copy = malloc(length + 1);
    if (!copy) return NULL;
    memcpy(copy, bytes, length);
    length = plain_line_ends(copy, length);
    for (size_t i = 0; i < length; i++)
        if (!copy[i]) copy[i] = ' ';
    iconv_t how = open_encoding(encoding);
    if (how == (iconv_t)-1) how = iconv_open("UTF-8", "ASCII");
    if (how == (iconv_t)-1) { /* an iconv without its tables */
        free(copy);
        return NULL;
    }
    char *text = convert(how, copy, length);
    iconv_close(how);
    free(copy);
    return text;
}

/* PEP 263: `coding[:=]\s*([-\w.]+)` in a comment on one of the first two lines. */
void source_encoding(const char *bytes, size_t length, char name[32]) {
    const char *end = bytes + length;
    name[0] = '\0';
    for (int line = 0; line < 2 && bytes < end; line++) {
        const char *next = memchr(bytes, '\n', (size_t)(end - bytes));
        const char *stop = next ? next : end;
        while (bytes < stop && strchr(" \t\f", *bytes)) bytes++;
        if (bytes < stop && *bytes != '#' && *bytes != '\r') return;
        const char *found = memmem(bytes, (size_t)(stop - bytes), "coding", 6);
        if (found && found + 7 < stop && (found[6] == ':' || found[6] == '=')) {
            size_t n = 0;
            for (found += 7; found < stop && (*found == ' ' || *found == '\t');) found++;
            while (found + n < stop && n < 31 && (isalnum((unsigned char)found[n]) || strchr("-_.", found[n]))) n++;
            memcpy(name, found, n);
            name[n] = '\0';
            return;
        }
        bytes = next ? next + 1 : end;
    }
}
