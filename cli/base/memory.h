/* memory.h: allocation for the command: it gives memory or ends the process with one line and status 1. */
#ifndef CLI_MEMORY_H
#define CLI_MEMORY_H

#include <stddef.h>

void *xalloc(size_t count, size_t size);           /* zeroed; free() it */
void *xgrow(void *old, size_t count, size_t size); /* realloc to count * size bytes */
char *xcopy(const char *text);                     /* strdup */
char *xformat(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
