#include "say.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char *last;

const char *say_last(void) { return last; }

static void put_escaped(FILE *line, const char *text) {
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte < 0x20 || byte == 0x7f)
            fprintf(line, "\\x%02x", byte);
        else
            fputc(byte, line);
    }
}

void say(const char *format, ...) {
    char *message = NULL, *whole = NULL;
    size_t length = 0;
    va_list arguments;
    va_start(arguments, format);
    int made = vasprintf(&message, format, arguments);
    va_end(arguments);
    FILE *line = made < 0 ? NULL : open_memstream(&whole, &length);
    if (!line) {
        if (made >= 0) free(message);
        return;
    }
    fputs("scope-profiler: ", line);
    put_escaped(line, message);
    fputc('\n', line);
    if (fclose(line) == 0 && write(STDERR_FILENO, whole, length) < 0) { /* nobody is left to be told */
    }
    free(whole);
    free(last);
    last = message;
}
