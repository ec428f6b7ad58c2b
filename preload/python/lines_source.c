#include "lines_source.h"
#include "sys.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_MAX (16u << 20) /* a longer one is not read */

static struct source *known;

/* ---- the tokenizer -----------------------------------------------------------------------------------------------
 * As much of Python's as it takes to know where logical lines end: brackets, strings, comments, continued lines. */

struct scan {
    struct source *source;
    const char *at, *end;
    unsigned depth; /* of brackets */
    char quote;     /* of the string that is open, 0 none */
    bool triple;
    uint32_t line;      /* that `at` is in */
    uint32_t statement; /* line that the logical line began on */
};

static void next_line(struct scan *scan) {
    struct source *source = scan->source;
    source->statements[scan->line - 1] = scan->statement;
    scan->line++;
    source->starts[scan->line - 1] = (uint32_t)(scan->at - source->bytes);
}

/* Steps over a line end of either kind; false where there is none. */
static bool skip_line_end(struct scan *scan) {
    if (scan->at == scan->end || (*scan->at != '\n' && *scan->at != '\r')) return false;
    if (*scan->at == '\r' && scan->at + 1 < scan->end && scan->at[1] == '\n') scan->at++;
    scan->at++;
    return true;
}

static bool is_triple(const struct scan *scan, char quote) {
    return scan->end - scan->at >= 3 && scan->at[0] == quote && scan->at[1] == quote && scan->at[2] == quote;
}

static void in_string(struct scan *scan) {
    if (*scan->at == '\\') {
        scan->at++;
        if (skip_line_end(scan))
            next_line(scan);
        else if (scan->at < scan->end)
            scan->at++;
    } else if (skip_line_end(scan)) {
        if (!scan->triple) scan->quote = 0; /* an error in the program, or no string after all */
        next_line(scan);
        if (!scan->quote && !scan->depth) scan->statement = scan->line;
    } else if (*scan->at == scan->quote && (!scan->triple || is_triple(scan, scan->quote))) {
        scan->at += scan->triple ? 3 : 1;
        scan->quote = 0;
    } else {
        scan->at++;
    }
}

static void in_code(struct scan *scan) {
    const char c = *scan->at;
    if (skip_line_end(scan)) {
        next_line(scan);
        if (!scan->depth) scan->statement = scan->line;
        return;
    }
    if (c == '#') {
        while (scan->at < scan->end && *scan->at != '\n' && *scan->at != '\r') scan->at++;
        return;
    }
    if (c == '"' || c == '\'') {
        scan->quote = c;
        scan->triple = is_triple(scan, c);
        scan->at += scan->triple ? 3 : 1;
        return;
    }
    scan->at++;
    if (c == '(' || c == '[' || c == '{') scan->depth++;
    if ((c == ')' || c == ']' || c == '}') && scan->depth) scan->depth--;
    if (c == '\\' && skip_line_end(scan)) next_line(scan);
}

static uint32_t count_lines(const struct source *source) {
    uint32_t lines = 1;
    for (size_t i = 0; i < source->length; i++)
        lines += source->bytes[i] == '\n' || (source->bytes[i] == '\r' && source->bytes[i + 1] != '\n');
    return lines;
}

bool source_scan(struct source *source) {
    source->lines = count_lines(source);
    source->starts = malloc((source->lines + 1) * sizeof *source->starts);
    source->statements = malloc((source->lines + 1) * sizeof *source->statements);
    if (!source->starts || !source->statements) return false;
    struct scan scan = {
        .source = source, .at = source->bytes, .end = source->bytes + source->length, .line = 1, .statement = 1};
    source->starts[0] = 0;
    while (scan.at < scan.end) scan.quote ? in_string(&scan) : in_code(&scan);
    source->statements[scan.line - 1] = scan.statement;
    source->starts[scan.line] = (uint32_t)source->length;
    source->lines = scan.line;
    /* Brackets or a string left open: what follows was not understood, each line stands for itself. */
    if (scan.depth || scan.quote)
        for (uint32_t line = scan.statement; line <= source->lines; line++) source->statements[line - 1] = line;
    return true;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* PEP 263: `coding[:=]\s*([-\w.]+)` in a comment on one of the first two lines. */
static void read_encoding(struct source *source) {
    for (uint32_t line = 1; line <= 2 && line <= source->lines; line++) {
        const char *at = source->bytes + source->starts[line - 1], *end = source->bytes + source->starts[line];
        at += strspn(at, " \t\f");
        if (*at != '#') return;
        const char *found = memmem(at, (size_t)(end - at), "coding", 6);
        if (!found || (found[6] != ':' && found[6] != '=')) continue;
        found += 7 + strspn(found + 7, " \t");
        size_t n = strspn(found, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");
        if (n == 0 || n >= sizeof source->encoding) return;
        memcpy(source->encoding, found, n);
        return;
    }
}

static bool read_file(struct source *source) {
    int fd = (int)syscall(SYS_openat, AT_FDCWD, source->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
    struct stat st;
    if (fd < 0) return false;
    bool good = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < FILE_MAX &&
                (source->bytes = malloc((size_t)st.st_size + 2));
    while (good && source->length < (size_t)st.st_size) {
        long n = sys_read(fd, source->bytes + source->length, (size_t)st.st_size - source->length);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        source->length += (size_t)n;
    }
    sys_close(fd);
    if (!good) return false;
    source->bytes[source->length] = source->bytes[source->length + 1] = 0;
    return true;
}

struct source *source_get(const char *path) {
    static struct source nowhere = {.path = ""}; /* of text that no file holds */
    if (path[0] == '<' || !path[0]) return &nowhere;
    for (struct source *source = known; source; source = source->next)
        if (strcmp(source->path, path) == 0) return source;
    struct source *source = calloc(1, sizeof *source);
    if (!source || !(source->path = strdup(path))) {
        free(source);
        return NULL;
    }
    if (read_file(source)) {
        if (source_scan(source)) {
            read_encoding(source);
        } else {
            free(source->bytes);
            source->bytes = NULL;
            source->lines = 0;
        }
    }
    source->next = known;
    return known = source;
}

uint32_t source_statement(const struct source *source, uint32_t line) {
    return line >= 1 && line <= source->lines ? source->statements[line - 1] : line;
}

/* ---- a function's text ------------------------------------------------------------------------------------------- */

/* Columns of white space before the line's text (tabs to 8), -1 for a line without any. */
static int indentation(const struct source *source, uint32_t line) {
    int column = 0;
    for (const char *at = source->bytes + source->starts[line - 1];; at++) {
        if (*at == ' ')
            column++;
        else if (*at == '\t')
            column = (column / 8 + 1) * 8;
        else if (*at == '\f')
            column = 0;
        else
            return *at == '\n' || *at == '\r' || *at == '#' || *at == 0 ? -1 : column;
    }
}

static uint32_t next_statement(const struct source *source, uint32_t line) {
    uint32_t statement = source_statement(source, line);
    while (line <= source->lines && source->statements[line - 1] == statement) line++;
    return line;
}

static bool is_decorator(const struct source *source, uint32_t line) {
    const char *text = source->bytes + source->starts[line - 1];
    return text[strspn(text, " \t\f")] == '@';
}

const char *source_function(const struct source *source, uint32_t first, uint32_t last, size_t *size) {
    *size = 0;
    if (first < 1 || first > source->lines) return "";
    int outer = indentation(source, source_statement(source, first));
    uint32_t line = first, end;
    while (line <= source->lines && is_decorator(source, line)) line = next_statement(source, line);
    if (line > source->lines) line = first;
    end = next_statement(source, line); /* after `def` */
    for (uint32_t at = end; at <= source->lines; at = next_statement(source, at)) {
        int here = indentation(source, at);
        if (here >= 0 && here <= outer) break;
        if (here > outer) end = next_statement(source, at);
    }
    if (end <= last) end = next_statement(source, last <= source->lines ? last : source->lines);
    uint32_t from = source->starts[first - 1], to = source->starts[end - 1 < source->lines ? end - 1 : source->lines];
    *size = to - from;
    return source->bytes + from;
}
