#include "line_source.h"

#include "base/memory.h"
#include "collect/source.h"
#include "text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_FILE = 64 << 20, TAB = 4 };

static char *read_file(const char *path, size_t *size) {
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return NULL;
    char *bytes = NULL;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size < LARGEST_FILE) {
        bytes = xalloc((size_t)about.st_size + 1, 1);
        ssize_t got = read(file, bytes, (size_t)about.st_size);
        *size = got < 0 ? 0 : (size_t)got;
    }
    close(file);
    return bytes;
}

static char *file_text(const char *path) {
    size_t size = 0;
    if (!*path || *path == '<') return NULL;
    char *bytes = read_file(path, &size), *text = NULL;
    char encoding[32];
    if (bytes) {
        source_encoding(bytes, size, encoding);
        text = source_text(bytes, size, encoding);
    }
    free(bytes);
    return text;
}

static const char *find_line(const char *text, int64_t first, int64_t number) {
    if (number < first) return NULL;
    for (; first < number; first++) {
        text = strchr(text, '\n');
        if (!text) return NULL;
        text++;
    }
    return *text ? text : NULL;
}

/* Whether the file has the kept text where it was. */
static bool is_in_file(const char *kept, int64_t first, const char *file) {
    const char *at = find_line(file, 1, first);
    return at && strncmp(at, kept, strlen(kept)) == 0;
}

struct line_source line_source_get(const spr_line_record *record) {
    struct line_source source = {.first = 1, .state = LINE_SOURCE_NONE};
    char *file = file_text(record->filename);
    if (record->source) {
        source.text = xcopy(record->source);
        source.first = record->source_first_line;
        source.state = file && !is_in_file(record->source, source.first, file) ? LINE_SOURCE_CHANGED : LINE_SOURCE_KEPT;
        free(file);
    } else if (file) {
        source.text = file;
        source.state = LINE_SOURCE_FILE;
    }
    return source;
}

void line_source_free(struct line_source *source) { free(source->text); }

char *line_source_line(struct line_source *source, int64_t number) {
    const bool ahead = source->found && number >= source->found_line; /* lines are mostly asked for in their order */
    const char *from = ahead ? source->found : source->text;
    const char *at = from ? find_line(from, ahead ? source->found_line : source->first, number) : NULL;
    if (!at) return NULL;
    source->found = at;
    source->found_line = number;
    size_t length = strcspn(at, "\n");
    while (length && strchr(" \t\r\f\v", at[length - 1])) length--;
    char *line = xalloc(length * TAB + 1, 1), *out = line;
    for (size_t i = 0; i < length; i++) out = at[i] == '\t' ? mempcpy(out, "    ", TAB) : mempcpy(out, at + i, 1);
    char *shown = *line ? text_shown(line) : xcopy("");
    free(line);
    return shown;
}
