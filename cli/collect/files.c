#include "files.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int file_open(int dir, const char *name, int flags, uint64_t *size) {
    struct stat status;
    int fd = openat(dir, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return -1;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        if (size) *size = (uint64_t)status.st_size;
        return fd;
    }
    close(fd);
    errno = EINVAL;
    return -1;
}

ssize_t file_read(int fd, void *into, size_t bytes, uint64_t offset) {
    size_t got = 0;
    while (got < bytes) {
        ssize_t n = pread(fd, (char *)into + got, bytes - got, (off_t)(offset + got));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -1;
        if (n == 0) break;
        got += (size_t)n;
    }
    return (ssize_t)got;
}

void file_window_open(struct file_window *window, int fd) {
    window->fd = fd;
    window->start = 0;
    window->length = 0;
}

static bool window_has(const struct file_window *window, size_t bytes, uint64_t offset) {
    return offset >= window->start && offset - window->start <= window->length &&
           bytes <= window->length - (size_t)(offset - window->start);
}

ssize_t file_window_read(struct file_window *window, void *into, size_t bytes, uint64_t offset) {
    if (bytes > sizeof window->bytes) return file_read(window->fd, into, bytes, offset);
    if (!window_has(window, bytes, offset)) {
        ssize_t got = file_read(window->fd, window->bytes, sizeof window->bytes, offset);
        window->start = offset;
        window->length = got > 0 ? (size_t)got : 0;
        if (got < 0) return -1;
    }
    const size_t first = (size_t)(offset - window->start);
    if (bytes > window->length - first) bytes = window->length - first;
    memcpy(into, window->bytes + first, bytes);
    return (ssize_t)bytes;
}

bool file_write(int fd, const void *from, size_t bytes, uint64_t offset) {
    size_t put = 0;
    while (put < bytes) {
        ssize_t n = pwrite(fd, (const char *)from + put, bytes - put, (off_t)(offset + put));
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = ENOSPC;
        if (n <= 0) return false;
        put += (size_t)n;
    }
    return true;
}

bool file_text(int dir, const char *name, char *into, size_t capacity) {
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    size_t got = 0;
    ssize_t n = 0;
    if (fd < 0) return false;
    while (got + 1 < capacity && (n = read(fd, into + got, capacity - 1 - got)) > 0) got += (size_t)n;
    close(fd);
    into[got] = '\0';
    return n >= 0;
}

static int hex(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

char *percent_decode(const char *text, size_t length) {
    char *decoded = malloc(length + 1), *to = decoded;
    if (!decoded) return NULL;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '%' && length - i > 2 && hex(text[i + 1]) >= 0 && hex(text[i + 2]) >= 0) {
            *to++ = (char)(hex(text[i + 1]) * 16 + hex(text[i + 2]));
            i += 2;
        } else
            *to++ = text[i];
    }
    *to = '\0';
    return decoded;
}
