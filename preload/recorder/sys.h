/* sys.h: what the recorder asks of the kernel, by system call where libc's function could be somebody's wrapper (other
 * preloads interpose open, write, close, mmap), a cancellation point, or an allocation. Each returns -1 with errno. */
#ifndef SCOPE_PROFILER_SYS_H
#define SCOPE_PROFILER_SYS_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static inline int sys_open(const char *path, int flags, unsigned mode) {
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC | O_NOFOLLOW, mode);
}
static inline void sys_close(int fd) { syscall(SYS_close, fd); }
static inline long sys_write(int fd, const void *data, size_t size) { return syscall(SYS_write, fd, data, size); }
static inline long sys_read(int fd, void *data, size_t size) { return syscall(SYS_read, fd, data, size); }
static inline int sys_gettid(void) { return (int)syscall(SYS_gettid); }

/* Anonymous zero pages; NULL without memory. */
void *sys_pages(size_t bytes);
/* The same, zero again in the child of a fork, however the child was made. For ever: they are not unmapped. */
void *sys_pages_wiped_on_fork(size_t bytes);

/* Appends all of `data` to a file that is there and that nobody else writes; false with errno when the disk is full, a
 * size limit would be passed (no SIGXFSZ), ... Other threads may close descriptors, and open files, meanwhile. */
bool sys_append(const char *path, const void *data, size_t size);
/* The same with several pieces, in one write. */
bool sys_append_pieces(const char *path, const struct iovec *pieces, int count);

/* Makes the file, reserves `size` zero bytes on the disk and maps them shared; NULL with errno, then no file is left.
 */
void *sys_map_new_file(const char *path, size_t size);

/* Makes such a file and its mapping longer, by zero bytes that are reserved; the mapping may move. NULL with errno,
 * then all is as it was. */
void *sys_grow_file(const char *path, void *mapped, size_t old_size, size_t size);

/* Reads at most size - 1 bytes of a small file and ends them with NUL; the number of bytes, -1 with errno. */
long sys_read_file(const char *path, char *buffer, size_t size);

/* Everything the recorder does beside its fast path runs with all signals held back and errno kept: no handler of the
 * program's finds it half done, none is thrown out of it by longjmp, no thread is cancelled within. */
struct sys_quiet {
    uint64_t mask;
    int saved_errno;
};
static inline struct sys_quiet sys_quiet_begin(void) {
    struct sys_quiet q = {0, errno};
    const uint64_t all = ~UINT64_C(0);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &q.mask, sizeof q.mask);
    return q;
}
static inline void sys_quiet_end(struct sys_quiet q) {
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &q.mask, NULL, sizeof q.mask);
    errno = q.saved_errno;
}

#endif
