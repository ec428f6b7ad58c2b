/* files.h: opening and reading the files of a spool, which may hold anything: no link is followed, nothing but regular
 * files is opened, and no read waits. */
#ifndef COLLECT_FILES_H
#define COLLECT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A descriptor of the regular file `name` in `dir`, or -1 with errno. *size: its bytes. */
int file_open(int dir, const char *name, int flags, uint64_t *size);

/* As much of `bytes` as there is at `offset`; -1 with errno. */
ssize_t file_read(int fd, void *into, size_t bytes, uint64_t offset);

/* Reading forward in many small pieces: one system call for many of them. */
struct file_window {
    int fd;
    uint64_t start; /* offset of the first byte that is here */
    size_t length;
    char bytes[64 << 10];
};
void file_window_open(struct file_window *window, int fd); /* `fd` stays the caller's */
/* As file_read(). */
ssize_t file_window_read(struct file_window *window, void *into, size_t bytes, uint64_t offset);

/* All of `bytes`; false with errno. */
bool file_write(int fd, const void *from, size_t bytes, uint64_t offset);

/* The first `capacity` - 1 bytes of a file, terminated; false with errno. For the small files of /proc and a spool. */
bool file_text(int dir, const char *name, char *into, size_t capacity);

/* The text from malloc with every %XX replaced; NULL no memory. */
char *percent_decode(const char *text, size_t length);

#endif
