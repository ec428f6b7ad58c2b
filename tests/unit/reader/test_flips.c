/* Every few bytes of profiles changed one by one, each file asked everything. This program has no handler of signals:
 * what libhdf5 does not survive ends the process that asks, and with it the test.
 *
 * SCOPE_READER_FLIPS=<stride> tries more (1: all), or fewer. */
#include "check.h"

#include "everything.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* A prime: over the files, every place in a structure comes. */
#define STRIDE  389
#define SECONDS 60

struct subject {
    unsigned char *bytes;
    size_t size;
    const char *path;
};

/* What has happened so far; the processes that ask share it. */
struct progress {
    uint64_t next, answered, refused;
};

static unsigned char changed(unsigned char byte, uint64_t number) {
    static const unsigned char telling[] = {0x00, 0xff, 0x80};
    return number % 4 == 3 ? byte ^ 1 : telling[number % 4];
}

static void write_subject(const struct subject *subject) {
    FILE *file = fopen(subject->path, "wb");
    w_check(file && fwrite(subject->bytes, 1, subject->size, file) == subject->size && fclose(file) == 0,
            subject->path);
}

static void try_all(const struct subject *subject, uint64_t stride, struct progress *progress) {
    for (; progress->next < 4 * subject->size; progress->next += stride) {
        unsigned char *byte = &subject->bytes[progress->next / 4];
        const unsigned char before = *byte;
        *byte = changed(before, progress->next);
        write_subject(subject);
        *(ask_everything(subject->path) == SPR_OK ? &progress->answered : &progress->refused) += 1;
        *byte = before;
    }
}

/* 0, or how it ended. */
static int try_in_process(const struct subject *subject, uint64_t stride, struct progress *progress) {
    const pid_t child = fork();
    if (child == 0) {
        static const int faults[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
        const struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        for (size_t i = 0; i < W_COUNT(faults); i++) signal(faults[i], SIG_DFL); /* cmocka's */
        alarm(SECONDS);
        try_all(subject, stride, progress);
        _exit(0);
    }
    int status = -1;
    w_check(child > 0 && waitpid(child, &status, 0) == child, "a process");
    return status;
}

static unsigned flip(const struct w_file *file, uint64_t stride, struct progress *progress) {
    struct subject subject = {.path = w_path("flipped.h5")};
    unsigned bad = 0;
    w_write(subject.path, file);
    FILE *stream = fopen(subject.path, "rb");
    w_check(stream && fseek(stream, 0, SEEK_END) == 0, subject.path);
    subject.size = (size_t)ftell(stream);
    subject.bytes = malloc(subject.size);
    rewind(stream);
    w_check(fread(subject.bytes, 1, subject.size, stream) == subject.size && fclose(stream) == 0, subject.path);
    for (progress->next = 0; progress->next < 4 * subject.size; progress->next += stride) {
        const int status = try_in_process(&subject, stride, progress);
        if (!status) break;
        print_error("byte %llu of schema %d: signal %d\n", (unsigned long long)progress->next / 4, file->schema,
                    WTERMSIG(status));
        bad++;
    }
    free(subject.bytes);
    return bad;
}

static void test_flips(void **state) {
    (void)state;
    const char *wanted = getenv("SCOPE_READER_FLIPS");
    const uint64_t stride = wanted ? strtoull(wanted, NULL, 10) : STRIDE;
    struct progress *progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    unsigned bad = 0;
    assert_ptr_not_equal(progress, MAP_FAILED);
    for (int number = 0; number < 8; number++) {
        const struct w_file file = {.schema = number % 3 + 1,
                                    .latest = number % 2,
                                    .aggregate = number == 5,
                                    .summary = true,
                                    .ids = true,
                                    .threads = number % 2,
                                    .tasks = number % 2,
                                    .fixed_strings = number == 6,
                                    .chunk = number >= 3 ? 2 : 0,
                                    .gzip = number >= 4 ? 4 : 0,
                                    .names = w_few_names,
                                    .num_names = W_FEW,
                                    .rows = w_few_rows,
                                    .num_rows = W_FEW,
                                    .mpi_size = 2,
                                    .start_time_ns = 50};
        bad += flip(&file, stride, progress);
    }
    print_message("%llu answered, %llu refused\n", (unsigned long long)progress->answered,
                  (unsigned long long)progress->refused);
    assert_int_equal(bad, 0);
    assert_true(progress->answered > 0 && progress->refused > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_flips)};
    return cmocka_run_group_tests_name("reader: changed bytes", tests, NULL, NULL);
}
