#include "capture.h"
#include "files.h"
#include "source.h"
#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX_BYTES   ((uint64_t)8 << 20)
#define TEXTS_MAX_BYTES  ((size_t)64 << 20) /* of all files together: what is beyond stays without its text */
#define REGION_MAX_BYTES ((size_t)60000)

/* ---- which lines belong to a region ------------------------------------------------------------------------------ */

static const char *line_end(const char *at) {
    const char *end = strchr(at, '\n');
    return end ? end + 1 : at + strlen(at);
}

static const char *find_line(const char *text, int64_t line) {
    while (--line > 0 && *text) text = line_end(text);
    return line == 0 && *text ? text : NULL;
}

static size_t indentation(const char *line) { return strspn(line, " \t"); }
static bool is_blank(const char *line) { return strchr("\r\n", line[indentation(line)]) != NULL; }

/* Decorators, a heading of several lines (its last may begin with a bracket), then whatever is deeper. */
static const char *end_of_python(const char *line) {
    const size_t base = indentation(line);
    const char *end = line_end(line), *at = end;
    bool decorated = line[base] == '@', inside = false;
    for (; *at; at = line_end(at)) {
        const size_t depth = indentation(at);
        if (is_blank(at)) continue;
        if (depth > base) {
            inside = true;
        } else if (depth < base || !(decorated || strchr(")]}", at[depth]))) {
            break;
        } else if (at[depth] != '@' && !strchr(")]}", at[depth])) {
            if (inside && at[base] != 'd' && at[base] != 'a' && at[base] != 'c') break;
            decorated = false; /* def, async def, class */
        }
        end = line_end(at);
    }
    return end;
}

/* Behind a comment, a string or a character that begins at `at`; NULL: none does. */
static const char *end_of_token(const char *at) {
    if (at[0] == '/' && at[1] == '/') return at + strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (*at != '"' && *at != '\'') return NULL;
    const char quote = *at++;
    for (; *at && *at != quote && *at != '\n'; at++)
        if (at[0] == '\\' && at[1]) at++;
    return *at == quote ? at + 1 : at;
}

/* Without the line of the brace that ends the block. */
static const char *end_of_braces(const char *line) {
    const char *last = line_end(line);
    int depth = 0;
    for (const char *at = line, *next; *at; at = next) {
        if ((next = end_of_token(at))) continue;
        next = at + 1;
        depth += (*at == '{') - (*at == '}');
        if (depth < 0) return last;
        if (*at == '\n') last = next;
    }
    return last;
}

static bool has_ending(const char *name, const char *const *endings) {
    const char *dot = strrchr(name, '.');
    for (; dot && *endings; endings++)
        if (strcasecmp(dot + 1, *endings) == 0) return true;
    return false;
}

const char *capture_block(const char *text, const char *name, int64_t line, size_t *length) {
    static const char *const python[] = {"py", "pyw", "pyx", NULL};
    static const char *const braces[] = {"c",   "h",   "cc", "hh",  "cpp", "hpp", "cxx",
                                         "hxx", "c++", "cu", "cuh", "inl", NULL};
    const char *from = line > 0 ? find_line(text, line) : NULL, *end;
    *length = 0;
    if (!from) return text;
    if (has_ending(name, python))
        end = end_of_python(from);
    else
        end = has_ending(name, braces) ? end_of_braces(from) : line_end(from);
    *length = (size_t)(end - from);
    if (*length > REGION_MAX_BYTES)
        for (*length = REGION_MAX_BYTES; *length && from[*length - 1] != '\n';) --*length; /* whole lines */
    return from;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

struct source_file {
    const struct name *path; /* key: the same name, the same address */
    const char *directory;   /* that it is relative to */
    char *text;              /* NULL: it cannot be read */
    struct source_file *next;
};

struct sources {
    struct source_file *files; /* the newest first: regions of a file come one after the other */
    size_t bytes;
};

static char *read_text(int fd, uint64_t size) {
    char *bytes = size <= FILE_MAX_BYTES ? malloc((size_t)size + 1) : NULL, *text = NULL, encoding[32];
    const ssize_t got = bytes ? file_read(fd, bytes, (size_t)size, 0) : -1;
    if (got >= 0) {
        bytes[got] = '\0';
        source_encoding(bytes, (size_t)got, encoding);
        text = source_text(bytes, (size_t)got, encoding);
    }
    free(bytes);
    return text;
}

/* Unlike the files of a spool, sources may be links. */
static char *load(const char *directory, const char *path) {
    struct stat status;
    char *text = NULL;
    const int dir = directory ? open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    const int fd = dir < 0 && *path != '/' ? -1 : openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) text = read_text(fd, (uint64_t)status.st_size);
    if (fd >= 0) close(fd);
    if (dir >= 0) close(dir);
    return text;
}

static bool same_directory(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

/* NULL: no memory. */
static const struct source_file *file_of(struct sources *sources, const struct process *p, const struct name *path) {
    for (const struct source_file *f = sources->files; f; f = f->next)
        if (f->path == path && (*path->text == '/' || same_directory(f->directory, p->directory))) return f;
    struct source_file *file = calloc(1, sizeof *file);
    if (!file) return NULL;
    *file = (struct source_file){.path = path, .directory = p->directory, .next = sources->files};
    if (sources->bytes < TEXTS_MAX_BYTES) file->text = load(p->directory, path->text);
    if (file->text) sources->bytes += strlen(file->text);
    return sources->files = file;
}

static bool capture(struct collection *c, struct sources *sources, const struct process *p, struct row *row) {
    size_t length;
    if (!row->path || row->line < 1 || !row_calls(row)) return true;
    const struct source_file *file = file_of(sources, p, row->path);
    if (!file) return false;
    if (!file->text) return true;
    const char *block = capture_block(file->text, row->path->text, row->line, &length);
    if (length) row->source = names_add(&c->texts, block, length);
    return true; /* without room for the text there is none */
}

bool capture_sources(struct collection *c) {
    struct sources sources = {0};
    bool good = true;
    for (size_t i = 0; i < c->num_processes; i++)
        for (size_t k = 0; k < c->processes[i].num_rows && good; k++)
            good = capture(c, &sources, &c->processes[i], &c->processes[i].rows[k]);
    for (struct source_file *file = sources.files, *next; file; file = next) {
        next = file->next;
        free(file->text);
        free(file);
    }
    return good;
}
