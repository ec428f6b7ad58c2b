/* The file: where it goes, how it gets there, what stands in it beside the calls. */
#include "collect_test.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* A process that calls "a" `calls` times; call i lasts i % 100 + 1. */
static void one_process(struct fixture *f, uint64_t calls) {
    struct make_process p;
    struct make_lane l;
    make_process(&f->spool, &p, 1);
    uint32_t a = make_region(&p, "a");
    make_lane(&p, &l, 1000);
    for (uint64_t i = 0; i < calls; i++) {
        make_begin(&l, 2000 + i * 200, a);
        make_end(&l, 2000 + i * 200 + i % 100 + 1, a);
    }
    make_flush(&l);
    make_lane_write(&l);
    p.info.end_tick = UINT64_C(1) << 39;
    make_process_write(&p);
}

static size_t entries(const char *directory) {
    DIR *stream = opendir(directory);
    size_t count = 0;
    for (struct dirent *e; (e = readdir(stream));) count += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    closedir(stream);
    return count;
}

static void leaves_only_the_profile(void **state) {
    struct fixture *f = *state;
    one_process(f, 3);
    make_session(&f->spool, "output=/elsewhere\n");
    collected(f);
    assert_int_equal(entries(f->spool.directory), 1);
    assert_string_equal(f->result.output, f->spool.output);
    assert_int_equal(f->result.processes, 1);
}

static void keeps(void **state) {
    struct fixture *f = *state;
    one_process(f, 3);
    f->options.keep = true;
    collected(f);
    H5Fclose(f->file);
    assert_int_equal(entries(f->spool.spool), 3);
    collected(f); /* and again: the same */
    EXPECT(f->file, "/events/durations", 1, 2, 3);
}

static void session(void **state) {
    struct fixture *f = *state;
    char text[600];
    struct stat status;
    one_process(f, 2);
    snprintf(
        text, sizeof text,
        "output=%s\nlabel=50%%25 of%%0Aall\nstart_ns=500\nrealtime_ns=1700000000000001234\numask=027\nnonsense\n=\n",
        f->spool.output);
    make_session(&f->spool, text);
    f->options.output = NULL;
    hid_t h = collected(f);
    assert_int_equal(stat(f->spool.output, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    assert_int_equal(read_attribute(h, "/metadata", "start_time_ns"), 500);
    assert_int_equal(read_attribute(h, "/metadata", "finalize_time_ns"), INT64_C(1) << 39);
    assert_int_equal(read_attribute(h, "/metadata", "omp_num_threads"), 1);
    assert_int_equal(read_attribute(h, "/metadata", "num_nodes"), 1);
    const char *const texts[][2] = {{"label", "50% of\nall"},
                                    {"timestamp", "2023-11-14T22:13:20.000001+00:00"},
                                    {"scope_profiler_version", "0.1.0"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *value = read_attribute_text(h, "/metadata", texts[i][0]);
        assert_string_equal(value, texts[i][1]);
        free(value);
    }
    char *chip = read_attribute_text(h, "/metadata", "chip_information");
    assert_true(strlen(chip) > 0);
    free(chip);
}

/* Neither directory, nor host, nor argument may stand anywhere in the bytes. */
static void nothing_private(void **state) {
    static const char *const words[] = {"/home", "testhost", "--secret", "collect-test", "user"};
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    make_process(&f->spool, &p, 1);
    uint32_t a = make_region_full(&p, "a", 1, "/home/user/x.c", 3, NULL);
    make_lane(&p, &l, 1000);
    make_begin(&l, 2000, a);
    make_end(&l, 2001, a);
    make_lane_write(&l);
    p.info.stop = SPOOL_STOP_ERROR;
    p.info.stop_errno = ENOSPC;
    snprintf(p.info.stop_path, sizeof p.info.stop_path, "/home/user/spool/x");
    make_process_write(&p);
    collected(f);
    struct stat status;
    assert_int_equal(stat(f->spool.output, &status), 0);
    char *bytes = malloc((size_t)status.st_size);
    int fd = open(f->spool.output, O_RDONLY);
    assert_int_equal(read(fd, bytes, (size_t)status.st_size), status.st_size);
    close(fd);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (memmem(bytes, (size_t)status.st_size, words[i], strlen(words[i]))) fail_msg("found %s", words[i]);
    free(bytes);
}

static void through_a_link(void **state) {
    struct fixture *f = *state;
    char link[400], other[400];
    struct stat status;
    one_process(f, 2);
    snprintf(link, sizeof link, "%s/link.h5", f->spool.directory);
    snprintf(other, sizeof other, "%s/link2.h5", f->spool.directory);
    assert_int_equal(symlink("link2.h5", link), 0);
    assert_int_equal(symlink(f->spool.output, other), 0); /* to nothing yet */
    f->options.output = link;
    collected(f);
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(lstat(other, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(lstat(f->spool.output, &status), 0);
    assert_true(S_ISREG(status.st_mode));
}

static void refused(struct fixture *f, const char *output, const char *reason) {
    f->options.output = output;
    assert_int_equal(run_collect(f), COLLECT_FAILED);
    if (!strstr(f->result.message, reason)) fail_msg("message is: %s", f->result.message);
    assert_null(strchr(f->result.message, '\n'));
    assert_int_equal(entries(f->spool.spool), 3); /* the spool is kept, and not locked */
}

static void bad_outputs(void **state) {
    struct fixture *f = *state;
    char path[400];
    one_process(f, 2);
    snprintf(path, sizeof path, "%s/pipe", f->spool.directory);
    assert_int_equal(mkfifo(path, 0600), 0);
    refused(f, path, "is not a regular file");
    snprintf(path, sizeof path, "%s/loop", f->spool.directory);
    assert_int_equal(symlink(path, path), 0);
    refused(f, path, "Too many levels of symbolic links");
    refused(f, f->spool.directory, "is a directory");
    snprintf(path, sizeof path, "%s/missing/x.h5", f->spool.directory);
    refused(f, path, "No such file or directory");
    refused(f, "", "where the profile goes");
    assert_int_equal(entries(f->spool.directory), 3);
}

static void compressed(void **state) {
    enum { N = 150000 };
    struct fixture *f = *state;
    struct stat status;
    one_process(f, N);
    f->options.compress = 4;
    hid_t h = collected(f);
    struct numbers starts = read_numbers(h, "/events/start_deltas"), d = read_numbers(h, "/events/durations");
    assert_int_equal(starts.count, N);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(starts.values[i], i ? 200 : 2000);
        assert_int_equal(d.values[i], i % 100 + 1);
    }
    numbers_free(&starts);
    numbers_free(&d);
    assert_int_equal(stat(f->spool.output, &status), 0);
    assert_true(status.st_size < N);
    assert_int_equal(entries(f->spool.directory), 1);
    EXPECT_SUMMARY(h, "total", N / 100 * 5050);
}

static void plain_size(void **state) {
    enum { N = 100000 };
    struct fixture *f = *state;
    struct stat status;
    one_process(f, N);
    collected(f);
    assert_int_equal(stat(f->spool.output, &status), 0);
    assert_true(status.st_size < 17 * N);
}

static void recorded_nothing(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    make_process(&f->spool, &p, 1);
    make_region(&p, "a");
    make_lane(&p, &l, 1000);
    make_lane_write(&l);
    make_process_write(&p);
    int fd = open(f->spool.output, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(fd, "old", 3), 3);
    close(fd);
    assert_int_equal(run_collect(f), COLLECT_NOTHING);
    assert_int_equal(entries(f->spool.directory), 1);
    struct stat status;
    assert_int_equal(stat(f->spool.output, &status), 0);
    assert_int_equal(status.st_size, 3);
    assert_int_equal(run_collect(f), COLLECT_FAILED); /* it is gone */
    assert_non_null(strstr(f->result.message, "No such file or directory"));
}

static void only_unmatched(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    make_process(&f->spool, &p, 1);
    uint32_t a = make_region(&p, "a");
    make_lane(&p, &l, 1000);
    make_end(&l, 2000, a);
    make_lane_write(&l);
    make_process_write(&p);
    hid_t h = collected(f);
    EXPECT_TEXTS(h, "/region_table/names", "a");
    struct numbers rows = read_numbers(h, "/rank_region_index/ranks"), events = read_numbers(h, "/events/durations");
    assert_int_equal(rows.count, 0);
    assert_int_equal(events.count, 0);
    numbers_free(&rows);
    numbers_free(&events);
    EXPECT(h, "/problem_table/counts", 1);
}

static void put_lock(struct fixture *f, const char *text) {
    char path[400];
    snprintf(path, sizeof path, "%s/collecting", f->spool.spool);
    unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void locks(void **state) {
    struct fixture *f = *state;
    char text[64];
    one_process(f, 2);
    snprintf(text, sizeof text, "%d\n", getpid());
    put_lock(f, text);
    assert_int_equal(run_collect(f), COLLECT_BUSY);
    assert_int_equal(entries(f->spool.spool), 4);
    put_lock(f, "1 0 ffffffff-0000-0000-0000-000000000000\n"); /* on a machine we cannot see */
    assert_int_equal(run_collect(f), COLLECT_BUSY);
    put_lock(f, "1 1\n"); /* another process has that pid now */
    assert_int_equal(run_collect(f), COLLECT_OK);
    assert_int_equal(entries(f->spool.directory), 1);
}

/* Room for part of the work only: nothing is left behind, the reason is said, and with more room it succeeds. */
static void full_disk(void **state) {
    struct fixture *f = *state;
    char mounted[400], output[440];
    one_process(f, 200000); /* 3.2 MB */
    snprintf(mounted, sizeof mounted, "%s/small", f->spool.directory);
    snprintf(output, sizeof output, "%s/o.h5", mounted);
    assert_int_equal(mkdir(mounted, 0700), 0);
    if (mount("none", mounted, "tmpfs", 0, "size=1m") != 0) {
        print_message("SKIPPED: full_disk needs a tmpfs of its own: %s\n", strerror(errno));
        skip();
    }
    static const char *const sizes[] = {"size=4k", "size=64k", "size=1m", "size=3136k", "size=3200k", "size=3264k"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_int_equal(mount("none", mounted, "tmpfs", MS_REMOUNT, sizes[i]), 0);
        refused(f, output, "No space left on device");
        if (entries(mounted)) fail_msg("something is left at %s", sizes[i]);
    }
    assert_int_equal(mount("none", mounted, "tmpfs", MS_REMOUNT, "size=8m"), 0);
    f->options.output = output;
    assert_int_equal(run_collect(f), COLLECT_OK);
    umount(mounted);
}

static void file_size_limit(void **state) {
    struct fixture *f = *state;
    struct rlimit before, small = {100000, 0};
    one_process(f, 200000);
    getrlimit(RLIMIT_FSIZE, &before);
    small.rlim_max = before.rlim_max;
    setrlimit(RLIMIT_FSIZE, &small);
    f->options.output = f->spool.output;
    assert_int_equal(run_collect(f), COLLECT_FAILED);
    setrlimit(RLIMIT_FSIZE, &before);
    if (!strstr(f->result.message, "File too large")) fail_msg("message is: %s", f->result.message);
    assert_int_equal(entries(f->spool.directory), 1);
    assert_int_equal(run_collect(f), COLLECT_OK);
}

static void two_spools(void **state) {
    struct fixture *f = *state;
    struct make_spool second = f->spool;
    struct fixture other = *f;
    snprintf(second.spool, sizeof second.spool, "%s/second", f->spool.directory);
    assert_int_equal(mkdir(second.spool, 0700), 0);
    one_process(f, 1);
    other.spool = second;
    one_process(&other, 2);
    f->spools[1] = second.spool;
    f->options.num_spools = 2;
    hid_t h = collected(f);
    EXPECT(h, "/rank_region_index/event_counts", 1, 2);
    assert_int_equal(entries(f->spool.directory), 1);
}

static void many_notes(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    make_process(&f->spool, &p, 1);
    make_lane(&p, &l, 1000);
    for (unsigned i = 0; i < 100; i++) {
        char name[16];
        snprintf(name, sizeof name, "r%u", i);
        make_end(&l, 2000 + i, make_region(&p, name));
    }
    make_lane_write(&l);
    make_process_write(&p);
    collected(f);
    assert_int_equal(f->result.num_notes, 21);
    assert_string_equal(f->result.notes[20], "... and 80 more");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(leaves_only_the_profile), TEST(keeps),          TEST(session),    TEST(nothing_private),
        TEST(through_a_link),          TEST(bad_outputs),    TEST(compressed), TEST(plain_size),
        TEST(recorded_nothing),        TEST(only_unmatched), TEST(locks),      TEST(full_disk),
        TEST(file_size_limit),         TEST(two_spools),     TEST(many_notes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
