#include "session.h"

#include "base/memory.h"
#include "process.h"
#include "spool.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_SESSION_BYTES = 64 * 1024 };

static int64_t clock_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The counter that the recorder reads on this processor; 0 where it has none. */
static uint64_t counter(void) {
#if defined __x86_64__
    return __builtin_ia32_rdtsc();
#elif defined __aarch64__
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
}

/* ---- the session file -------------------------------------------------------------------------------------------- */

static void put_text(FILE *out, const char *key, const char *value) {
    fprintf(out, "%s=", key);
    for (; *value; value++) {
        unsigned char byte = (unsigned char)*value;
        fprintf(out, byte > 0x20 && byte < 0x7f && byte != '%' ? "%c" : "%%%02X", byte);
    }
    fputc('\n', out);
}

static void put_number(FILE *out, const char *key, int64_t value) { fprintf(out, "%s=%" PRId64 "\n", key, value); }

static void put_boot_id(FILE *out) {
    char line[64] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        put_text(out, SPOOL_SESSION_BOOT_ID, line);
    }
    if (file) fclose(file);
}

static void put_time_namespace(FILE *out) {
    struct stat status;
    if (stat("/proc/self/ns/time", &status) == 0) put_number(out, SPOOL_SESSION_TIME_NAMESPACE, (int64_t)status.st_ino);
}

static char *session_text(const struct output *output, const struct session_options *options, size_t *length) {
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    if (!out) return NULL;
    mode_t mask = umask(0);
    umask(mask);
    put_text(out, SPOOL_SESSION_OUTPUT, output->path);
    if (options->label) put_text(out, SPOOL_SESSION_LABEL, options->label);
    put_number(out, SPOOL_SESSION_START_NS, clock_ns(CLOCK_MONOTONIC));
    if (counter()) put_number(out, SPOOL_SESSION_START_TICKS, (int64_t)counter());
    put_number(out, SPOOL_SESSION_REALTIME_NS, clock_ns(CLOCK_REALTIME));
    put_boot_id(out);
    put_time_namespace(out);
    if (options->compress > 0) put_number(out, SPOOL_SESSION_COMPRESS, options->compress);
    if (options->full_metadata) put_text(out, SPOOL_SESSION_METADATA, "full");
    if (options->capture_source) put_number(out, SPOOL_SESSION_CAPTURE, 1);
    fprintf(out, "%s=%o\n", SPOOL_SESSION_UMASK, (unsigned)mask);
    return fclose(out) ? NULL : text;
}

/* Written under another name and then linked: whoever sees the file sees all of it, and the first one stays. */
static int write_session(int spool, const struct output *output, const struct session_options *options) {
    char temporary[64];
    size_t length = 0;
    if (faccessat(spool, SPOOL_SESSION_FILE, F_OK, 0) == 0) return 0;
    char *text = session_text(output, options, &length);
    snprintf(temporary, sizeof temporary, ".session.%ld", (long)getpid());
    int file = openat(spool, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    bool written = text && file >= 0 && write(file, text, length) == (ssize_t)length;
    int error = errno;
    if (file >= 0 && close(file)) written = false, error = errno;
    free(text);
    if (written && linkat(spool, temporary, spool, SPOOL_SESSION_FILE, 0) && errno != EEXIST)
        written = false, error = errno;
    if (file >= 0) unlinkat(spool, temporary, 0);
    errno = error;
    return written ? 0 : -1;
}

static int hex_digit(char digit) {
    return isdigit((unsigned char)digit) ? digit - '0' : tolower((unsigned char)digit) - 'a' + 10;
}

static void decode(char *text) {
    char *out = text;
    for (; *text; text++) {
        if (text[0] == '%' && isxdigit((unsigned char)text[1]) && isxdigit((unsigned char)text[2])) {
            *out++ = (char)(hex_digit(text[1]) << 4 | hex_digit(text[2]));
            text += 2;
        } else {
            *out++ = *text;
        }
    }
    *out = '\0';
}

char *session_value(int spool, const char *key) {
    char *line = NULL, *value = NULL;
    size_t room = 0, read = 0, wanted = strlen(key);
    int descriptor = openat(spool, SPOOL_SESSION_FILE, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "r");
    for (ssize_t length; file && !value && read < MOST_SESSION_BYTES && (length = getline(&line, &room, file)) > 0;) {
        read += (size_t)length;
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, key, wanted) || line[wanted] != '=') continue;
        value = xcopy(line + wanted + 1);
        decode(value);
    }
    if (file) fclose(file);
    free(line);
    return value;
}

/* ---- the directory ----------------------------------------------------------------------------------------------- */

/* Programs started by root may drop their privileges and still have files to make: they may write, but not look. */
static mode_t spool_mode(void) { return geteuid() == 0 ? 01733 : 0700; }

static bool refuse_directory(const struct output *output, char **why) {
    *why = xformat("%s: cannot write into directory %s: %s", output->path, output->directory, strerror(errno));
    return false;
}

static bool open_spool(const struct output *output, const struct session_options *options, bool made,
                       struct session *session, char **why) {
    if (made && chmod(session->spool, spool_mode())) return refuse_directory(output, why);
    session->descriptor = open(session->spool, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (session->descriptor < 0 || write_session(session->descriptor, output, options)) {
        *why = xformat("%s: cannot prepare the recording: %s: %s", output->path, session->spool, strerror(errno));
        if (made) session_remove(session);
        return false;
    }
    return true;
}

static char *spool_path(const struct output *output, uint64_t number) {
    const char *directory = strcmp(output->directory, "/") ? output->directory : "";
    return xformat("%s/.%s.spool-%016" PRIx64, directory, output->base, number);
}

bool session_make(const struct output *output, const struct session_options *options, struct session *session,
                  char **why) {
    *session = (struct session){.descriptor = -1};
    for (;;) {
        uint64_t number = 0;
        if (getrandom(&number, sizeof number, 0) < 0) number = (uint64_t)clock_ns(CLOCK_REALTIME) ^ (uint64_t)getpid();
        session->spool = spool_path(output, number);
        if (mkdir(session->spool, 0700) == 0) return open_spool(output, options, true, session, why);
        free(session->spool);
        session->spool = NULL;
        if (errno != EEXIST) return refuse_directory(output, why);
    }
}

bool session_share(const struct output *output, const struct session_options *options, uint64_t launch,
                   struct session *session, char **why) {
    struct stat status;
    *session = (struct session){.descriptor = -1, .spool = spool_path(output, launch)};
    bool made = mkdir(session->spool, 0700) == 0;
    if (!made && errno != EEXIST) return refuse_directory(output, why);
    if (!open_spool(output, options, made, session, why)) return false;
    if (fstat(session->descriptor, &status) || status.st_uid != geteuid()) {
        *why = xformat("%s: belongs to somebody else", session->spool);
        return false;
    }
    return true;
}

static bool remove_file(int spool, const char *name, void *argument) {
    (void)argument;
    if (strcmp(name, ".") && strcmp(name, "..")) unlinkat(spool, name, 0);
    return false;
}

void session_remove(struct session *session) {
    if (session->descriptor >= 0) proc_files(session->descriptor, "", "", remove_file, NULL);
    if (session->spool) rmdir(session->spool);
    session_close(session);
}

void session_close(struct session *session) {
    if (session->descriptor >= 0) close(session->descriptor);
    free(session->spool);
    *session = (struct session){.descriptor = -1};
}
