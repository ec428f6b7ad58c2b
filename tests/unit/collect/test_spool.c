/* Lanes, threads, groups, and files in every state that a process can leave them in. */
#include "log.h" /* names a function like a macro of cmocka's: before it */

#include "collect_test.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void call(struct make_lane *lane, uint64_t from, uint64_t to, uint32_t region) {
    make_begin(lane, from, region);
    make_end(lane, to, region);
}

static void threads(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane one, two;
    make_process(&f->spool, &p, 1);
    uint32_t a = make_region(&p, "a");
    make_lane(&p, &one, 1000);
    make_thread_begin(&one, 1500, 501, 1);
    call(&one, 3000, 3500, a);
    call(&one, 5000, 5100, a);
    make_lane(&p, &two, 1000);
    make_thread_begin(&two, 1600, 502, 2);
    call(&two, 2000, 4000, a); /* crosses the first lane's call: no overlap, it is another thread */
    make_begin(&two, 5050, a);
    make_thread_end(&two, 5090, 777, "worker");
    make_lane_write(&one);
    make_lane_write(&two);
    make_process_write(&p);
    hid_t h = collected(f);
    EXPECT(h, "/events/start_deltas", 2000, 1000, 2000, 50);
    EXPECT(h, "/events/durations", 2000, 500, 100, 40); /* the thread's end, not the process's */
    EXPECT(h, "/events/thread_ids", 0, 1, 1, 0);
    EXPECT(h, "/rank_region_index/exclusive_totals", 2640);
    EXPECT(h, "/thread_table/ranks", 0, 0);
    EXPECT(h, "/thread_table/index", 0, 1);
    EXPECT(h, "/thread_table/ident", 0x7f0000000002, 0x7f0000000001);
    EXPECT(h, "/thread_table/native_id", 502, 501);
    EXPECT(h, "/thread_table/daemon", 0, 0);
    EXPECT(h, "/thread_table/start_ns", 1600, 1500);
    EXPECT(h, "/thread_table/end_ns", 5090, -1);
    EXPECT(h, "/thread_table/cpu_ns", 777, -1);
    EXPECT_TEXTS(h, "/thread_table/name", "worker", "");
    EXPECT(h, "/problem_table/at_exit", 0);
    EXPECT(h, "/problem_table/open_ns", 40);
}

static void threads_in_one_lane(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    make_process(&f->spool, &p, 1);
    uint32_t a = make_region(&p, "a"), b = make_region(&p, "b");
    make_lane(&p, &l, 1000);
    make_thread_begin(&l, 1100, 501, 1);
    make_begin(&l, 2000, a);
    make_thread_end(&l, 2500, 5, "first");
    make_thread_begin(&l, 3000, 502, 2);
    call(&l, 3100, 3200, b);
    make_end(&l, 3300, a); /* not this thread's */
    make_thread_end(&l, 4000, 6, "second");
    make_thread_begin(&l, 5000, 501, 1); /* goes on */
    call(&l, 5100, 5200, a);
    make_begin(&l, 5300, b);
    make_thread_begin(&l, 6000, 503, 3); /* the one before left without a word */
    call(&l, 6100, 6200, a);
    make_lane_write(&l);
    make_process_write(&p);
    hid_t h = collected(f);
    EXPECT(h, "/events/durations", 500, 100, 100, 100, 700);
    EXPECT(h, "/events/thread_ids", 0, 0, 2, 1, 0);
    EXPECT(h, "/thread_table/native_id", 501, 502, 503);
    EXPECT(h, "/thread_table/start_ns", 1100, 3000, 6000);
    EXPECT(h, "/thread_table/end_ns", -1, 4000, -1);
    EXPECT(h, "/problem_table/region_ids", 0, 0, 1);
    EXPECT(h, "/problem_table/kinds", 0, 1, 1);
    EXPECT(h, "/problem_table/at_exit", 0, 0, 0);
}

/* One thread alone, named or not, needs no lane columns. */
static void one_thread(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    make_process(&f->spool, &p, 1);
    uint32_t a = make_region(&p, "a");
    make_lane(&p, &l, 1000);
    make_thread_begin(&l, 1100, 501, 1);
    call(&l, 2000, 2001, a);
    make_thread_end(&l, 2500, 5, "main");
    make_thread_begin(&l, 2600, 501, 1);
    call(&l, 3000, 3001, a);
    make_lane_write(&l);
    make_process_write(&p);
    hid_t h = collected(f);
    assert_false(read_has(h, "/events/thread_ids"));
    assert_false(read_has(h, "/thread_table"));
    EXPECT(h, "/events/durations", 1, 1);
}

static void lost_and_epoch(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    make_process(&f->spool, &p, 1);
    uint32_t a = make_region(&p, "a");
    make_lane(&p, &l, 1000);
    call(&l, 2000, 2010, a);
    make_lost(&l, 3);
    make_epoch(&l, UINT64_C(5) << 40);
    call(&l, (UINT64_C(5) << 40) + 7, (UINT64_C(5) << 40) + 20, a);
    make_word(&l, SPOOL_GROUP(200, 7, 3)); /* a kind of group from the future */
    make_word(&l, 0);
    make_word(&l, 0);
    make_word(&l, 0);
    call(&l, (UINT64_C(5) << 40) + 30, (UINT64_C(5) << 40) + 35, a);
    make_lane_write(&l);
    p.info.lost = 2;
    p.info.end_tick = UINT64_C(6) << 40;
    make_process_write(&p);
    hid_t h = collected(f);
    EXPECT(h, "/events/start_deltas", 2000, (INT64_C(5) << 40) + 7 - 2000, 23);
    EXPECT(h, "/events/durations", 10, 13, 5);
    EXPECT(h, "/problem_table/kinds", 3);
    EXPECT(h, "/problem_table/counts", 5);
    EXPECT(h, "/problem_table/region_ids", -1);
    EXPECT(h, "/process_table/complete", 0);
    EXPECT_TEXTS(h, "/process_table/problem", "5 events were lost");
    assert_true(has_note(f, "process 1001 (prog): 5 events were lost"));
}

/* A reset is one lane's word and every lane's matter. */
static void reset(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane one, two;
    make_process(&f->spool, &p, 1);
    uint32_t gone = make_region(&p, "gone"), a = make_region(&p, "a");
    make_lane(&p, &one, 1000);
    make_thread_begin(&one, 1000, 501, 1);
    call(&one, 2000, 2100, gone);
    make_end(&one, 2200, a); /* a problem before it is dropped, too */
    make_begin(&one, 2900, a);
    make_lane(&p, &two, 1000);
    make_thread_begin(&two, 1000, 502, 2);
    make_begin(&two, 2950, a);
    make_reset(&two, 3000);
    make_begin(&two, 3100, a);
    make_end(&two, 3150, a);
    make_end(&two, 3160, a); /* of the call that began before */
    make_end(&one, 3200, a); /* likewise */
    call(&one, 3300, 3400, a);
    make_lane_write(&one);
    make_lane_write(&two);
    make_process_write(&p);
    hid_t h = collected(f);
    EXPECT_TEXTS(h, "/region_table/names", "a");
    EXPECT(h, "/events/start_deltas", 3100, 200);
    EXPECT(h, "/events/durations", 50, 100);
    EXPECT(h, "/rank_region_index/exclusive_totals", 150);
    assert_false(read_has(h, "/problem_table"));
    EXPECT(h, "/thread_table/native_id", 502, 501);
}

static void reset_of_everything(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    make_process(&f->spool, &p, 1);
    uint32_t a = make_region(&p, "a");
    make_lane(&p, &l, 1000);
    call(&l, 2000, 2100, a);
    make_reset(&l, 3000);
    make_lane_write(&l);
    make_process_write(&p);
    assert_int_equal(run_collect(f), COLLECT_NOTHING);
    assert_int_equal(access(f->spool.output, F_OK), -1);
    assert_int_equal(access(f->spool.spool, F_OK), -1);
}

/* ---- states of a flush ------------------------------------------------------------------------------------------ */

static void flush_states(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane half, clearing, trailing;
    make_process(&f->spool, &p, 1);
    uint32_t a = make_region(&p, "a"), b = make_region(&p, "b"), c = make_region(&p, "c");
    make_lane(&p, &half, 1000); /* a call whose end is in the window */
    make_begin(&half, 2000, a);
    make_flush(&half);
    make_end(&half, 2100, a);
    make_lane(&p, &clearing, 1000); /* killed while it cleared the window: its words have been flushed already */
    call(&clearing, 3000, 3100, b);
    call(&clearing, 3200, 3300, b);
    make_flush(&clearing);
    clearing.clearing = 1;
    clearing.clearing_words = 3;
    make_lane(&p, &trailing, 1000); /* killed while it flushed: its words are still in the window */
    call(&trailing, 4000, 4100, c);
    make_flush(&trailing);
    call(&trailing, 4200, 4300, c);
    trailing.trailing = 5;
    make_lane_write(&half);
    make_lane_write(&clearing);
    make_lane_write(&trailing);
    make_process_write(&p);
    hid_t h = collected(f);
    EXPECT(h, "/events/start_deltas", 2000, 3000, 200, 4000, 200);
    EXPECT(h, "/events/durations", 100, 100, 100, 100, 100);
    assert_int_equal(f->result.num_notes, 0);
}

static void cut_short(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    make_process(&f->spool, &p, 1);
    uint32_t a = make_region(&p, "a");
    make_region(&p, "b");
    make_log_cut(&p, 1); /* "b" is not whole */
    make_lane(&p, &l, 1000);
    call(&l, 2000, 2100, a);
    call(&l, 2200, 2300, a + 1);
    call(&l, 2400, 2500, 4000000);
    make_flush(&l);
    l.committed_more = 1000; /* the file is shorter than it says */
    make_lane_write(&l);
    make_process_write(&p);
    hid_t h = collected(f);
    EXPECT_TEXTS(h, "/region_table/names", "a");
    EXPECT(h, "/events/durations", 100);
    EXPECT(h, "/problem_table/counts", 4);
    EXPECT(h, "/process_table/complete", 0);
    EXPECT_TEXTS(h, "/process_table/problem", "its files are cut short or damaged");
    assert_true(has_note(f, "process 1001 (prog): 4 events of regions without a name are lost"));
}

/* The newest records are in the tail; what the file has behind those that count was being moved there, or is nothing.
 */
static void tail(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    const size_t region = sizeof(struct spool_record) + sizeof(struct spool_region) + 1;
    make_process(&f->spool, &p, 1);
    make_region(&p, "a");
    make_region(&p, "b");
    make_region(&p, "c");
    make_log_tail(&p, 2 * region);
    p.tail[region - 1] = 'B';
    make_region(&p, "d"); /* beyond what counts */
    make_lane(&p, &l, 1000);
    for (uint32_t id = 1; id <= 4; id++) call(&l, 1000 * id + 1000, 1000 * id + 1100, id);
    make_lane_write(&l);
    make_process_write(&p);
    hid_t h = collected(f);
    EXPECT_TEXTS(h, "/region_table/names", "a", "B", "c");
    EXPECT(h, "/problem_table/counts", 2);
    assert_true(has_note(f, "process 1001 (prog): 2 events of regions without a name are lost"));
}

/* More is said to be there than is; and a record that lies in both places, which no recorder leaves. */
static void tail_damaged(void **state) {
    struct fixture *f = *state;
    struct make_process p, q;
    struct make_lane l;
    make_process(&f->spool, &p, 1);
    make_region(&p, "a");
    p.info.log |= SPOOL_TAIL_MASK | UINT64_C(1) << 40;
    make_lane(&p, &l, 1000);
    call(&l, 2000, 2100, 1);
    make_lane_write(&l);
    make_process_write(&p);
    make_process(&f->spool, &q, 2);
    make_region(&q, "b");
    make_log_tail(&q, 9);
    make_lane(&q, &l, 1000);
    call(&l, 2000, 2200, 1);
    make_lane_write(&l);
    make_process_write(&q);
    hid_t h = collected(f);
    EXPECT_TEXTS(h, "/region_table/names", "a");
    EXPECT(h, "/events/durations", 100);
}

enum { TYPE = 99 };
static const struct spool_record numbered = {TYPE, 24 * sizeof(uint64_t)};

/* Writes numbered records as a recorder does until it is killed; `told` of them are there. */
static void keep_writing(int log, struct spool_process *process, _Atomic uint64_t *told) {
    char *tail = (char *)process + SPOOL_PAGE;
    uint64_t file = 0, used = 0, body[24] = {0};
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails does not come to its end */
    alarm(20);
    for (;; body[0]++, *told = body[0]) {
        if (used + sizeof numbered + sizeof body > SPOOL_TAIL) {
            if (write(log, tail, used) != (ssize_t)used) _exit(1);
            file += used;
            used = 0;
            __atomic_store_n(&process->log, file << SPOOL_TAIL_BITS, __ATOMIC_SEQ_CST);
        }
        memcpy(tail + used, &numbered, sizeof numbered);
        memcpy(tail + used + sizeof numbered, body, sizeof body);
        used += sizeof numbered + sizeof body;
        __atomic_store_n(&process->log, file << SPOOL_TAIL_BITS | used, __ATOMIC_SEQ_CST);
    }
}

static bool count_numbered(void *data, const char *body, uint32_t length) {
    uint64_t *count = data, number;
    memcpy(&number, body, sizeof number);
    assert_int_equal(length, numbered.length);
    assert_int_equal(number, *count);
    ++*count;
    return true;
}

/* Of a process that writes all the time, whatever it had told before is there, and nothing is torn. */
static void tail_moves(void **state) {
    struct fixture *f = *state;
    const struct spool_dir dir = {.path = f->spool.spool, .fd = open(f->spool.spool, O_RDONLY | O_DIRECTORY)};
    struct make_process p;
    struct process process = {.dir = &dir};
    make_process(&f->spool, &p, 1);
    make_process_write(&p);
    memcpy(process.id, p.id, sizeof process.id);
    char name[64];
    snprintf(name, sizeof name, "%s.proc", p.id);
    const int file = openat(dir.fd, name, O_RDWR);
    snprintf(name, sizeof name, "%s.log", p.id);
    void *mapped = mmap(NULL, SPOOL_PAGE + SPOOL_TAIL, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    _Atomic uint64_t *told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int turn = 0; turn < 60; turn++) {
        const int log = openat(dir.fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
        assert_true(file >= 0 && log >= 0 && mapped != MAP_FAILED);
        *told = ((struct spool_process *)mapped)->log = 0;
        const pid_t writer = fork();
        if (writer == 0) keep_writing(log, mapped, told);
        for (int i = 0; i < 20; i++) {
            const uint64_t before = *told;
            uint64_t count = 0;
            assert_true(log_each(&process, TYPE, count_numbered, &count));
            if (count < before) fail_msg("%d records of %d", (int)count, (int)before);
        }
        kill(writer, SIGKILL);
        waitpid(writer, NULL, 0);
        uint64_t count = 0;
        assert_true(log_each(&process, TYPE, count_numbered, &count));
        if (count < *told) fail_msg("killed: %d records of %d", (int)count, (int)*told);
        close(log);
    }
    munmap(mapped, SPOOL_PAGE + SPOOL_TAIL);
    munmap((void *)told, sizeof *told);
    close(file);
    close(dir.fd);
}

/* An event that a signal handler's flush overtook leaves a zero word: it alone is lost. */
static void overtaken(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    make_process(&f->spool, &p, 1);
    uint32_t a = make_region(&p, "a");
    make_lane(&p, &l, 1000);
    call(&l, 3000, 3100, a);
    make_word(&l, 0);
    call(&l, 4000, 4100, a);
    make_flush(&l);
    make_lane_write(&l);
    make_process_write(&p);
    hid_t h = collected(f);
    EXPECT(h, "/events/durations", 100, 100);
    EXPECT_TEXTS(h, "/process_table/problem", "1 event was lost");
}

/* A group whose payload is not there ends the lane; a hole in the flushed words, too. */
static void damaged_words(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane group, hole;
    make_process(&f->spool, &p, 1);
    uint32_t a = make_region(&p, "a");
    make_lane(&p, &group, 1000);
    call(&group, 2000, 2100, a);
    make_word(&group, SPOOL_GROUP(SPOOL_THREAD_END, 0, 4));
    make_word(&group, 5);
    make_flush(&group);
    make_lane(&p, &hole, 1000);
    call(&hole, 3000, 3100, a);
    for (int i = 0; i < 65; i++) make_word(&hole, 0);
    call(&hole, 4000, 4100, a);
    make_flush(&hole);
    make_lane_write(&group);
    make_lane_write(&hole);
    make_process_write(&p);
    hid_t h = collected(f);
    EXPECT(h, "/events/durations", 100, 100);
    EXPECT(h, "/process_table/complete", 0);
}

static void odd_names(void **state) {
    static const struct {
        const char *bytes;
        size_t length;
    } odd[] = {{"a/b", 3}, {".", 1}, {"", 0}, {"two\nlines", 9}, {"\xff\xfe", 2}, {"gr\xc3\xbc\xc3\x9f", 6}, {" ", 1}};
    enum { ODD = sizeof odd / sizeof *odd, LONG = 5000, MANY = 10000 };
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    char *name = malloc(LONG + 1);
    make_process(&f->spool, &p, 1);
    make_lane(&p, &l, 1000);
    memset(name, 'x', LONG);
    for (size_t i = 0; i < ODD; i++) make_region_full(&p, odd[i].bytes, odd[i].length, "", -1, "");
    make_region_full(&p, name, LONG, NULL, -1, "not a list");
    while (p.regions < MANY) {
        char text[32];
        snprintf(text, sizeof text, "region %u", p.regions + 1);
        make_region(&p, text);
    }
    for (uint32_t i = 1; i <= MANY; i++) call(&l, 1000 + i * 10, 1000 + i * 10 + i % 7 + 1, i);
    make_flush(&l);
    make_lane_write(&l);
    make_process_write(&p);
    hid_t h = collected(f);
    struct texts names = read_texts(h, "/region_table/names"), tags = read_texts(h, "/rank_region_index/tags");
    struct numbers durations = read_numbers(h, "/events/durations");
    assert_int_equal(names.count, MANY);
    for (size_t i = 0; i < ODD; i++) {
        assert_int_equal(strlen(names.values[i]), odd[i].length);
        assert_memory_equal(names.values[i], odd[i].bytes, odd[i].length);
    }
    assert_int_equal(strlen(names.values[ODD]), LONG);
    assert_string_equal(names.values[MANY - 1], "region 10000");
    assert_string_equal(tags.values[ODD], "[]");
    for (uint32_t i = 1; i <= MANY; i++) assert_int_equal(durations.values[i - 1], i % 7 + 1);
    texts_free(&names);
    texts_free(&tags);
    numbers_free(&durations);
    free(name);
}

/* Two ids of one name are one region; the location may come later, the first one stays. */
static void same_name_and_source(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    make_process(&f->spool, &p, 1);
    uint32_t a = make_region(&p, "a"), again = make_region(&p, "a");
    struct {
        struct spool_region region;
        char file[8];
    } source = {{1, 33, 0, 7, 0}, "d/first"}, later = {{2, 44, 0, 6, 0}, "second"};
    make_record(&p, SPOOL_SOURCE, &source, sizeof source.region + 7);
    make_record(&p, SPOOL_SOURCE, &later, sizeof later.region + 6);
    make_lane(&p, &l, 1000);
    call(&l, 2000, 2100, a);
    call(&l, 2200, 2300, again);
    make_lane_write(&l);
    make_process_write(&p);
    hid_t h = collected(f);
    EXPECT_TEXTS(h, "/region_table/names", "a");
    EXPECT(h, "/rank_region_index/event_counts", 2);
    EXPECT(h, "/rank_region_index/source_lines", 33);
    EXPECT_TEXTS(h, "/rank_region_index/source_files", "d/first");
}

/* Variables are whatever a file says they are: no name twice, none of ours, no text that the file has no room for. */
static void any_environment(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    static char environment[80000];
    static const char head[] =
        "PATH=a\0PATH=b\0=nameless\0no value\0platform=ours\0USER=somebody\0LOADEDMODULES=x::y\0LONG=";
    memset(environment, 'x', sizeof environment);
    memcpy(environment, head, sizeof head - 1);
    make_session(&f->spool, "metadata=full\ncapture_source=1\n");
    make_process(&f->spool, &p, 1);
    make_record(&p, SPOOL_ENVIRONMENT, environment, sizeof environment); /* its last text has no end */
    make_record(&p, SPOOL_DIRECTORY, "/nowhere", 8);
    uint32_t a = make_region_full(&p, "a", 1, "gone.c", 3, NULL),
             b = make_region_full(&p, "b", 1, "/dev/zero", 1, NULL);
    make_lane(&p, &l, 1000);
    call(&l, 2000, 2100, a);
    call(&l, 2200, 2300, b);
    make_lane_write(&l);
    make_process_write(&p);
    hid_t h = collected(f);
    static const char *const expected[][2] = {{"PATH", "a"}, {"user", "somebody"}, {"working_directory", "/nowhere"}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char *text = read_attribute_text(h, "metadata", expected[i][0]);
        assert_string_equal(text, expected[i][1]);
        free(text);
    }
    char *platform = read_attribute_text(h, "metadata", "platform"), *cut = read_attribute_text(h, "metadata", "LONG");
    assert_int_equal(strncmp(platform, "Linux", 5), 0);
    assert_int_equal(strlen(cut), 60000);
    assert_string_equal(cut + 60000 - 14, "...[truncated]");
    free(platform);
    free(cut);
    EXPECT_TEXTS(h, "/rank_region_index/source_files", "/nowhere/gone.c", "/dev/zero");
    EXPECT_TEXTS(h, "/rank_region_index/source_texts", "", "");
}

/* ---- files that are not what they seem -------------------------------------------------------------------------- */

static void foreign_files(void **state) {
    struct fixture *f = *state;
    struct make_process p, q;
    struct make_lane l, m;
    char path[500], target[500];
    make_process(&f->spool, &p, 1);
    uint32_t a = make_region(&p, "a");
    make_lane(&p, &l, 1000);
    call(&l, 2000, 2100, a);
    make_lane_write(&l);
    make_process_write(&p);
    /* a link to a lane, a pipe for a log, a directory for a process */
    make_process(&f->spool, &q, 2);
    make_lane(&q, &m, 1000);
    call(&m, 2000, 2100, 1);
    make_lane_write(&m);
    q.info.end_tick = 5;
    make_process_write(&q);
    snprintf(target, sizeof target, "%s/%s-0.lane", f->spool.spool, q.id);
    snprintf(path, sizeof path, "%s/real", f->spool.directory);
    assert_int_equal(rename(target, path), 0);
    assert_int_equal(symlink(path, target), 0);
    snprintf(path, sizeof path, "%s/%s.log", f->spool.spool, q.id);
    assert_int_equal(mkfifo(path, 0600), 0);
    snprintf(path, sizeof path, "%s/%016x.proc", f->spool.spool, 3);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/%016x-0.lane", f->spool.spool, 3);
    assert_int_equal(symlink("/dev/zero", path), 0);
    hid_t h = collected(f);
    EXPECT(h, "/events/durations", 100);
    EXPECT(h, "/process_table/pid", 1001);
    assert_int_equal(f->result.num_notes, 2);
    assert_non_null(strstr(f->result.notes[0], "the files of process 0000 cannot be read"));
    assert_non_null(strstr(f->result.notes[1], "not removed")); /* the directory is not ours */
}

static void other_version(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    make_process(&f->spool, &p, 1);
    p.info.version = 9;
    make_process_write(&p);
    assert_int_equal(run_collect(f), COLLECT_FAILED);
    assert_non_null(strstr(f->result.message, "another version of scope-profiler (format 9)"));
    assert_int_equal(access(f->spool.spool, F_OK), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(threads),         TEST(threads_in_one_lane),
        TEST(one_thread),      TEST(lost_and_epoch),
        TEST(overtaken),       TEST(tail),
        TEST(tail_damaged),    TEST(tail_moves),
        TEST(reset),           TEST(reset_of_everything),
        TEST(flush_states),    TEST(cut_short),
        TEST(damaged_words),   TEST(odd_names),
        TEST(foreign_files),   TEST(same_name_and_source),
        TEST(any_environment), TEST(other_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
