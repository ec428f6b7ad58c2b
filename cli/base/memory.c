#include "memory.h"

#include "say.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *memory) {
    if (memory) return memory;
    say("out of memory");
    exit(1);
}

void *xalloc(size_t count, size_t size) { return checked(calloc(count ? count : 1, size ? size : 1)); }

void *xgrow(void *old, size_t count, size_t size) { return checked(reallocarray(old, count ? count : 1, size)); }

char *xcopy(const char *text) { return checked(strdup(text)); }

char *xformat(const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return checked(length < 0 ? NULL : text);
}
