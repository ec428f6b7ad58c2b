#include "session_output.h"
#include "spool.h"
#include "sys.h"
#include <stdio.h>
#include <string.h>

static int hex(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* A value of the session file, up to the end of its line. */
static void decode(const char *value, char path[PATH_MAX]) {
    size_t n = 0;
    for (; *value && *value != '\n' && n < PATH_MAX - 1; value++) {
        const bool coded = value[0] == '%' && hex(value[1]) >= 0 && hex(value[2]) >= 0;
        path[n++] = coded ? (char)(hex(value[1]) << 4 | hex(value[2])) : *value;
        if (coded) value += 2;
    }
    path[n] = 0;
}

/* `run` knows the output, the recorder of what it starts only the spool: the file in it says. */
void session_output(const struct recorder *session, char path[PATH_MAX]) {
    char name[PATH_MAX + 16], text[4 * PATH_MAX];
    struct sys_quiet quiet = sys_quiet_begin();
    snprintf(path, PATH_MAX, "%s", rec_output_path(session));
    snprintf(name, sizeof name, "%s/" SPOOL_SESSION_FILE, rec_spool_path(session));
    if (!*path && sys_read_file(name, text, sizeof text) > 0) {
        const char *line = text;
        while (line && strncmp(line, SPOOL_SESSION_OUTPUT "=", sizeof SPOOL_SESSION_OUTPUT) != 0) {
            line = strchr(line, '\n');
            if (line) line++;
        }
        if (line) decode(line + sizeof SPOOL_SESSION_OUTPUT, path);
    }
    sys_quiet_end(quiet);
}
