#include "sys.h"
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

void *sys_pages(size_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* Where the kernel (before 4.14, or an emulation) cannot wipe pages in a child, a handler of fork(3) does; children of
 * a bare clone(2) are then not told apart from their parent. */
static struct {
    void *pages;
    size_t bytes;
} to_wipe[256];
static atomic_uint num_to_wipe;

static void wipe_in_child(void) {
    for (unsigned i = 0; i < num_to_wipe && i < 256; i++) memset(to_wipe[i].pages, 0, to_wipe[i].bytes);
}

void *sys_pages_wiped_on_fork(size_t bytes) {
    void *p = sys_pages(bytes);
    if (!p || madvise(p, bytes, MADV_WIPEONFORK) == 0) return p;
    unsigned i = atomic_fetch_add(&num_to_wipe, 1);
    if (i >= 256) return NULL;
    to_wipe[i].bytes = bytes;
    to_wipe[i].pages = p;
    if (i == 0) pthread_atfork(NULL, NULL, wipe_in_child);
    return p;
}

/* Writing beyond RLIMIT_FSIZE raises SIGXFSZ, which would end the program: ask first. */
static bool within_size_limit(uint64_t size) {
    struct rlimit limit;
    if (syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        size > limit.rlim_cur) {
        errno = EFBIG;
        return false;
    }
    return true;
}

/* The limit can be lowered between the question and the write: take the signal back, which is held up by now. */
static void forget_size_signal(void) {
    int saved = errno;
    const uint64_t only = UINT64_C(1) << (SIGXFSZ - 1);
    const struct timespec now = {0, 0};
    syscall(SYS_rt_sigtimedwait, &only, NULL, &now, sizeof only);
    errno = saved;
}

bool sys_append(const char *path, const void *data, size_t size) {
    int fd = sys_open(path, O_WRONLY | O_APPEND, 0);
    if (fd < 0) return false;
    const char *from = data;
    struct stat st;
    bool ok = fstat(fd, &st) == 0 && within_size_limit((uint64_t)st.st_size + size);
    while (ok && size > 0) {
        long n = sys_write(fd, from, size);
        if (n > 0) {
            from += n;
            size -= (size_t)n;
        } else if (n == 0 || errno != EINTR) {
            if (n == 0) errno = ENOSPC;
            if (errno == EFBIG) forget_size_signal();
            ok = false;
        }
    }
    int saved = errno;
    sys_close(fd);
    errno = saved;
    return ok;
}

bool sys_append_pieces(int fd, const struct iovec *pieces, int count) {
    struct stat st;
    size_t size = 0;
    for (int i = 0; i < count; i++) size += pieces[i].iov_len;
    if (fstat(fd, &st) != 0 || !within_size_limit((uint64_t)st.st_size + size)) return false;
    long n = syscall(SYS_writev, fd, pieces, count);
    if (n == (long)size) return true;
    if (n >= 0) errno = ENOSPC; /* a short write to a file is a full disk */
    if (errno == EFBIG) forget_size_signal();
    return false;
}

/* Blocks must be there before the first store through the mapping: a full disk would answer that with SIGBUS. */
static bool reserve(int fd, size_t size) {
    if (!within_size_limit(size)) return false;
    if (syscall(SYS_fallocate, fd, 0, (off_t)0, (off_t)size) == 0) return true;
    if (errno == EFBIG) forget_size_signal();
    if (errno != EOPNOTSUPP && errno != ENOSYS) return false;
    static const char zeros[4096];
    for (size_t done = 0; done < size;) {
        size_t part = size - done < sizeof zeros ? size - done : sizeof zeros;
        long n = sys_write(fd, zeros, part);
        if (n <= 0 && errno != EINTR) return false;
        if (n > 0) done += (size_t)n;
    }
    return true;
}

void *sys_map_new_file(const char *path, size_t size) {
    int fd = sys_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd < 0) return NULL;
    void *p = MAP_FAILED;
    /* fchmod: the program's umask may have taken our own permission away. */
    if (syscall(SYS_fchmod, fd, 0600) == 0 && reserve(fd, size))
        p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    int saved = errno;
    sys_close(fd);
    if (p == MAP_FAILED) syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    errno = saved;
    return p == MAP_FAILED ? NULL : p;
}

long sys_read_file(const char *path, char *buffer, size_t size) {
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) return -1;
    size_t got = 0;
    while (got < size - 1) {
        long n = sys_read(fd, buffer + got, size - 1 - got);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        got += (size_t)n;
    }
    sys_close(fd);
    buffer[got] = 0;
    return (long)got;
}
