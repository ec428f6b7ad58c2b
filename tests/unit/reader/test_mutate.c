/* A few hundred files with flipped bytes, each asked everything in a process of its own. It must answer or refuse in
 * time; it must not die. The mutations are the same in every run.
 *
 * SCOPE_READER_MUTATIONS=<first>-<last> tries others, SCOPE_READER_KEEP=<directory> keeps those that end badly. */
#include "check.h"

#include "everything.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS 20

static struct w_file variant(uint64_t number) {
    return (struct w_file){.schema = (int)(number % 4 == 3 ? 3 : number % 4 + 1),
                           .aggregate = number % 16 == 7,
                           .summary = number % 3 != 0,
                           .ids = number % 5 < 2,
                           .threads = number % 7 < 3,
                           .tasks = number % 7 < 2,
                           .fixed_strings = number % 11 == 0,
                           .chunk = number % 4 == 3 ? 2 : 0,
                           .gzip = number % 8 == 3 ? 4 : 0,
                           .names = w_few_names,
                           .num_names = W_FEW,
                           .rows = w_few_rows,
                           .num_rows = W_FEW,
                           .mpi_size = 2,
                           .start_time_ns = 50};
}

static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* One to four bytes, of the file's first kilobytes in every second case: that is where its structure is. */
static void mutate(unsigned char *bytes, size_t size, uint64_t number) {
    static const unsigned char telling[] = {0x00, 0x01, 0x7f, 0x80, 0xff, 0x10, 0x08};
    uint64_t random = number * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (int i = 0; i < 8; i++) next_random(&random);
    const size_t count = next_random(&random) % 4 + 1, reach = number % 2 && size > 4096 ? 4096 : size;
    for (size_t i = 0; i < count; i++) {
        unsigned char *byte = &bytes[8 + next_random(&random) % (reach - 8)];
        const uint64_t kind = next_random(&random);
        *byte = kind % 2 ? telling[kind / 2 % sizeof telling] : (unsigned char)(kind >> 8);
    }
}

static void write_mutation(const char *path, uint64_t number) {
    const struct w_file file = variant(number);
    w_write(path, &file);
    FILE *stream = fopen(path, "r+b");
    w_check(stream && fseek(stream, 0, SEEK_END) == 0, path);
    const size_t size = (size_t)ftell(stream);
    unsigned char *bytes = malloc(size);
    rewind(stream);
    w_check(fread(bytes, 1, size, stream) == size, path);
    mutate(bytes, size, number);
    rewind(stream);
    w_check(fwrite(bytes, 1, size, stream) == size && fclose(stream) == 0, path);
    free(bytes);
}

/* 0, or how it ended. */
static int try_file(const char *path) {
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        signal(SIGSEGV, SIG_DFL); /* cmocka would take it for its own */
        signal(SIGBUS, SIG_DFL);
        signal(SIGABRT, SIG_DFL);
        signal(SIGFPE, SIG_DFL);
        alarm(SECONDS);
        ask_everything(path);
        _exit(0);
    }
    int status = -1;
    w_check(child > 0 && waitpid(child, &status, 0) == child, "a process");
    return status;
}

static void keep(const char *path, uint64_t number) {
    const char *directory = getenv("SCOPE_READER_KEEP");
    char command[1024];
    if (!directory) return;
    snprintf(command, sizeof command, "cp '%s' '%s/%llu.h5'", path, directory, (unsigned long long)number);
    if (system(command) != 0) print_error("cannot keep it\n");
}

static void test_mutations(void **state) {
    (void)state;
    unsigned long long first = 0, last = 400;
    const char *range = getenv("SCOPE_READER_MUTATIONS");
    if (range) assert_int_equal(sscanf(range, "%llu-%llu", &first, &last), 2);
    unsigned bad = 0;
    for (uint64_t number = first; number < last; number++) {
        const char *path = w_path("mutated.h5");
        write_mutation(path, number);
        const int status = try_file(path);
        if (!status) continue;
        bad++;
        print_error("mutation %llu: %s %d\n", (unsigned long long)number, WIFSIGNALED(status) ? "signal" : "exit",
                    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        keep(path, number);
    }
    assert_int_equal(bad, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mutations)};
    return cmocka_run_group_tests_name("reader: mutations", tests, NULL, NULL);
}
