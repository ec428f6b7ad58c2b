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

/* Another thread of the program may close every descriptor, and open files of its own, at any moment. */
static bool still_ours(int fd, const struct stat *file) {
    struct stat found;
    return fstat(fd, &found) == 0 && found.st_dev == file->st_dev && found.st_ino == file->st_ino;
}

/* A try takes some microseconds, most of them with the descriptor in other threads' reach. */
enum { TRIES = 4096 };

/* One write to the file's end, 0 or an error; EBADF: its descriptor was taken away. */
static int append_once(const char *path, const struct stat *file, const struct iovec *pieces, int count) {
    int fd = sys_open(path, O_WRONLY | O_APPEND, 0);
    if (fd < 0) return errno;
    int error = 0;
    if (!still_ours(fd, file))
        error = EBADF;
    else if (syscall(SYS_writev, fd, pieces, count) < 0)
        error = errno;
    if (still_ours(fd, file)) sys_close(fd);
    return error;
}

/* 0; an error; EBADF: nothing has arrived, again. */
static int append_whole(const char *path, const struct stat *before, const struct iovec *pieces, int count,
                        size_t size) {
    struct stat now;
    const int error = append_once(path, before, pieces, count);
    if (error == EFBIG) forget_size_signal();
    if (lstat(path, &now) != 0) return errno;
    /* The file itself says what has arrived in it. */
    const size_t done = (size_t)(now.st_size - before->st_size);
    if (done >= size) return 0;
    if (done) return ENOSPC; /* a short write to a file is a full disk */
    return error && error != EINTR ? error : EBADF;
}

bool sys_append_pieces(const char *path, const struct iovec *pieces, int count) {
    struct stat before;
    size_t size = 0;
    for (int i = 0; i < count; i++) size += pieces[i].iov_len;
    if (lstat(path, &before) != 0 || !within_size_limit((uint64_t)before.st_size + size)) return false;
    int error = EBADF;
    for (int tries = 0; error == EBADF && tries < TRIES; tries++)
        error = append_whole(path, &before, pieces, count, size);
    errno = error;
    return error == 0;
}

bool sys_append(const char *path, const void *data, size_t size) {
    const struct iovec piece = {(void *)(uintptr_t)data, size};
    return sys_append_pieces(path, &piece, 1);
}

/* Blocks must be there before the first store through the mapping: a full disk would answer that with SIGBUS. */
static bool reserve(int fd, size_t from, size_t size) {
    if (!within_size_limit(size)) return false;
    if (syscall(SYS_fallocate, fd, 0, (off_t)from, (off_t)(size - from)) == 0) return true;
    if (errno == EFBIG) forget_size_signal();
    if (errno != EOPNOTSUPP && errno != ENOSYS) return false;
    static const char zeros[4096];
    for (size_t done = from; done < size;) {
        size_t part = size - done < sizeof zeros ? size - done : sizeof zeros;
        long n = syscall(SYS_pwrite64, fd, zeros, part, (off_t)done);
        if (n <= 0 && errno != EINTR) return false;
        if (n > 0) done += (size_t)n;
    }
    return true;
}

static void *map_new_file(const char *path, size_t size) {
    struct stat file;
    int fd = sys_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd < 0) return NULL;
    void *p = MAP_FAILED;
    bool made = lstat(path, &file) == 0;
    /* fchmod: the program's umask may have taken our own permission away. */
    if (made && still_ours(fd, &file) && syscall(SYS_fchmod, fd, 0600) == 0 && reserve(fd, 0, size))
        p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    int saved = errno;
    if (made && !still_ours(fd, &file)) { /* then what is mapped may be somebody else's */
        if (p != MAP_FAILED) munmap(p, size);
        p = MAP_FAILED;
        saved = EBADF;
    } else {
        sys_close(fd);
    }
    if (p == MAP_FAILED) syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    errno = saved;
    return p == MAP_FAILED ? NULL : p;
}

void *sys_map_new_file(const char *path, size_t size) {
    void *p = NULL;
    errno = EBADF; /* again while another thread takes the descriptor away */
    for (int tries = 0; !p && errno == EBADF && tries < TRIES; tries++) p = map_new_file(path, size);
    return p;
}

static void *grow_file(const char *path, void *mapped, size_t old_size, size_t size) {
    struct stat file;
    int fd = lstat(path, &file) == 0 ? sys_open(path, O_RDWR, 0) : -1;
    if (fd < 0) return NULL;
    errno = EBADF;
    void *p = MAP_FAILED; /* the mapping is known to be ours, whatever the number belongs to */
    if (still_ours(fd, &file) && reserve(fd, old_size, size)) p = mremap(mapped, old_size, size, MREMAP_MAYMOVE);
    int saved = errno;
    if (still_ours(fd, &file)) sys_close(fd);
    errno = saved;
    return p == MAP_FAILED ? NULL : p;
}

void *sys_grow_file(const char *path, void *mapped, size_t old_size, size_t size) {
    void *p = NULL;
    errno = EBADF;
    for (int tries = 0; !p && errno == EBADF && tries < TRIES; tries++) p = grow_file(path, mapped, old_size, size);
    return p;
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
