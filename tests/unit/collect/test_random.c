/* Random words in random places, against the rules of pairing applied word by word in the plainest way. */
#include "collect_test.h"

enum { REGIONS = 5, LANES = 4, WORDS = 400, ROUNDS = 150 };

struct call {
    int lane, thread, region;
    uint64_t begin, end, jump; /* jump 0: on the stack */
    int open, dropped, overlap, cut, at_exit;
    int parent; /* on the stack of its lane when it began, -1 none */
};

struct model {
    struct call calls[LANES * WORDS];
    int count;
    uint64_t unmatched[REGIONS + 1], lost;
    uint64_t reset;
};

static uint64_t seed;
static unsigned roll(unsigned sides) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % sides;
}

static void cut(struct call *c, uint64_t time, int at_exit) {
    c->open = 0;
    c->cut = 1;
    c->at_exit = at_exit && !c->jump;
    c->end = c->jump ? c->jump : time;
}

static void close_lane(struct model *m, int lane, uint64_t time, int at_exit) {
    for (int i = 0; i < m->count; i++)
        if (m->calls[i].open && m->calls[i].lane == lane) cut(&m->calls[i], time, at_exit);
}

static int top_of(const struct model *m, int lane) {
    for (int i = m->count; i-- > 0;)
        if (m->calls[i].open && m->calls[i].lane == lane && !m->calls[i].jump) return i;
    return -1;
}

static void model_begin(struct model *m, int lane, int thread, uint64_t time, int region) {
    m->calls[m->count] = (struct call){.lane = lane, .thread = thread, .region = region, .begin = time, .open = 1};
    m->calls[m->count].parent = top_of(m, lane);
    m->calls[m->count++].dropped = time < m->reset;
}

static void model_end(struct model *m, int lane, uint64_t time, int region) {
    int top = top_of(m, lane), found = -1;
    for (int i = m->count; found < 0 && i-- > 0;)
        if (m->calls[i].open && m->calls[i].lane == lane && m->calls[i].region == region) found = i;
    if (top >= 0 && m->calls[top].region == region) found = top;
    if (found < 0) {
        m->unmatched[region] += time >= m->reset;
        return;
    }
    if (!m->calls[found].jump)
        for (int i = found + 1; i < m->count; i++)
            if (m->calls[i].open && m->calls[i].lane == lane && !m->calls[i].jump) m->calls[i].jump = time;
    m->calls[found].open = 0;
    m->calls[found].overlap = m->calls[found].jump != 0;
    m->calls[found].end = time;
}

/* ---- a random spool, and the model of it ------------------------------------------------------------------------ */

static void random_lane(struct make_process *p, struct model *m, int number, unsigned disorder) {
    struct make_lane l;
    unsigned words = roll(WORDS), thread = 10u * (unsigned)number + 1;
    uint64_t time = 2000;
    int stack[WORDS], depth = 0; /* what a tidy program would end next */
    make_lane(p, &l, 1000);
    make_thread_begin(&l, 1000, thread, thread);
    for (unsigned i = 0; i < words; i++) {
        time += (1 + roll(50)) * LANES;
        uint64_t at = time + (uint64_t)number; /* no two lanes have a time in common */
        int region = 1 + (int)roll(REGIONS);
        if (roll(100) == 0) {
            make_thread_end(&l, at, 1, "t");
            close_lane(m, number, at, 0);
            thread += roll(2);
            make_thread_begin(&l, at, thread, thread);
            depth = 0;
        } else if (roll(100) == 0) {
            make_lost(&l, 2);
            m->lost += at - LANES * 51 >= m->reset ? 2 : 0;
        } else if (depth < 50 && roll(2)) {
            make_begin(&l, at, (uint32_t)region);
            model_begin(m, number, (int)thread, at, region);
            stack[depth++] = region;
        } else if (depth && roll(100) < 5) { /* an end is forgotten */
            depth--;
        } else {
            if (!depth && !disorder) continue;
            if (depth && roll(100) >= disorder) region = stack[--depth];
            make_end(&l, at, (uint32_t)region);
            model_end(m, number, at, region);
        }
        if (roll(50) == 0) make_flush(&l);
        if (roll(100) == 0) make_epoch(&l, at);
    }
    close_lane(m, number, 1000000, 1);
    make_lane_write(&l);
}

static int by_begin(const void *a, const void *b) {
    const struct call *p = a, *q = b;
    return (p->begin > q->begin) - (p->begin < q->begin);
}

struct columns {
    struct numbers deltas, durations, threads, exclusive, region_ids, counts;
    struct numbers problem_regions, problem_kinds, problem_counts, at_exit;
};

static void read_columns(hid_t h, struct columns *c) {
    *c = (struct columns){0};
    c->deltas = read_numbers(h, "/events/start_deltas");
    c->durations = read_numbers(h, "/events/durations");
    if (read_has(h, "/events/thread_ids")) c->threads = read_numbers(h, "/events/thread_ids");
    c->exclusive = read_numbers(h, "/rank_region_index/exclusive_totals");
    c->region_ids = read_numbers(h, "/rank_region_index/region_ids");
    c->counts = read_numbers(h, "/rank_region_index/event_counts");
    if (!read_has(h, "/problem_table")) return;
    c->problem_regions = read_numbers(h, "/problem_table/region_ids");
    c->problem_kinds = read_numbers(h, "/problem_table/kinds");
    c->problem_counts = read_numbers(h, "/problem_table/counts");
    c->at_exit = read_numbers(h, "/problem_table/at_exit");
}

static void columns_free(struct columns *c) {
    struct numbers *all = (struct numbers *)c;
    for (size_t i = 0; i < sizeof *c / sizeof *all; i++) numbers_free(&all[i]);
}

/* Count of a problem of one region (by name: its ids follow the order of creation). */
static int64_t problem(const struct columns *c, const struct texts *names, int region, int kind, int64_t *at_exit) {
    char name[8];
    snprintf(name, sizeof name, "r%d", region);
    *at_exit = 0;
    for (size_t i = 0; i < c->problem_kinds.count; i++) {
        int64_t id = c->problem_regions.values[i];
        if (c->problem_kinds.values[i] != kind) continue;
        if (kind != 3 && strcmp(names->values[id], name) != 0) continue;
        *at_exit = c->at_exit.values[i];
        return c->problem_counts.values[i];
    }
    return 0;
}

static void compare_calls(const struct model *m, const struct columns *c) {
    size_t at = 0;
    int overlap = 0, row = 0;
    for (int i = 0; i < m->count; i++) overlap |= m->calls[i].overlap && !m->calls[i].dropped;
    for (int region = 1; region <= REGIONS; region++) {
        int64_t start = 0, exclusive = 0, calls = 0;
        for (int i = 0; i < m->count; i++) {
            const struct call *call = &m->calls[i];
            if (call->region != region || call->dropped) continue;
            assert_true(at < c->deltas.count);
            start += c->deltas.values[at];
            assert_int_equal(start, call->begin);
            assert_int_equal(c->durations.values[at], call->end - call->begin);
            exclusive += c->durations.values[at];
            calls++;
            at++;
        }
        if (!calls) continue;
        assert_int_equal(c->counts.values[row], calls);
        if (overlap) exclusive = -1;
        for (int i = 0; !overlap && i < m->count; i++) /* parents are numbered as they were before sorting */
            if (m->calls[i].parent == region && !m->calls[i].dropped)
                exclusive -= (int64_t)(m->calls[i].end - m->calls[i].begin);
        assert_int_equal(c->exclusive.values[row], exclusive);
        row++;
    }
    assert_int_equal(at, c->deltas.count);
    assert_int_equal(row, c->counts.count);
}

static void compare_problems(const struct model *m, const struct columns *c, const struct texts *names) {
    int64_t at_exit, ignored;
    for (int region = 1; region <= REGIONS; region++) {
        int64_t cuts = 0, overlaps = 0, exits = 0;
        for (int i = 0; i < m->count; i++) {
            if (m->calls[i].region != region || m->calls[i].dropped) continue;
            cuts += m->calls[i].cut;
            exits += m->calls[i].at_exit;
            overlaps += m->calls[i].overlap;
        }
        assert_int_equal(problem(c, names, region, 0, &ignored), m->unmatched[region]);
        assert_int_equal(problem(c, names, region, 1, &at_exit), cuts);
        assert_int_equal(at_exit, exits);
        assert_int_equal(problem(c, names, region, 2, &ignored), overlaps);
    }
    assert_int_equal(problem(c, names, 0, 3, &ignored), m->lost);
}

/* Thread numbers are dense, in the order of the first call. */
static void compare_threads(const struct model *m, const struct columns *c) {
    int index_of[LANES * 1000], next = 0;
    memset(index_of, 0xff, sizeof index_of);
    for (int i = 0; i < m->count; i++)
        if (!m->calls[i].dropped && index_of[m->calls[i].thread] < 0) index_of[m->calls[i].thread] = next++;
    assert_int_equal(c->threads.count, next > 1 ? c->deltas.count : 0);
    size_t at = 0;
    for (int region = 1; next > 1 && region <= REGIONS; region++)
        for (int i = 0; i < m->count; i++)
            if (m->calls[i].region == region && !m->calls[i].dropped)
                assert_int_equal(c->threads.values[at++], index_of[m->calls[i].thread]);
}

/* From here on `parent` is the region of the parent that counts, 0 none. */
static void settle_parents(struct model *m) {
    static struct call before[LANES * WORDS];
    memcpy(before, m->calls, sizeof before);
    for (int i = 0; i < m->count; i++) {
        int parent = m->calls[i].parent;
        m->calls[i].parent = parent < 0 || before[parent].dropped ? 0 : before[parent].region;
    }
    qsort(m->calls, (size_t)m->count, sizeof *m->calls, by_begin);
}

static int one_round(struct fixture *f) {
    static struct model m;
    struct make_process p;
    uint64_t begun;
    unsigned disorder;
    m = (struct model){0};
    make_process(&f->spool, &p, 1);
    for (int i = 1; i <= REGIONS; i++) {
        char name[8];
        snprintf(name, sizeof name, "r%d", i);
        make_region(&p, name);
    }
    begun = roll(4) ? 0 : 2000 + roll(10000);
    if (begun) { /* the reset stands in a lane of its own */
        struct make_lane l;
        make_lane(&p, &l, 1000);
        make_reset(&l, begun);
        make_lane_write(&l);
        m.reset = begun;
    }
    disorder = roll(2) * roll(20); /* without it, calls are left open, but none overlap */
    for (int i = 0; i < LANES; i++) random_lane(&p, &m, i, disorder);
    make_process_write(&p);
    enum collect_status status = run_collect(f);
    if (status == COLLECT_NOTHING) return 0;
    if (status != COLLECT_OK) fail_msg("%s", f->result.message);
    hid_t h = read_open(f->spool.output);
    struct columns c;
    struct texts names = read_texts(h, "/region_table/names");
    read_columns(h, &c);
    settle_parents(&m);
    compare_calls(&m, &c);
    if (!begun) compare_problems(&m, &c, &names);
    compare_threads(&m, &c);
    columns_free(&c);
    texts_free(&names);
    H5Fclose(h);
    return 1;
}

static void rounds(void **state) {
    (void)state;
    int written = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        void *inner = NULL;
        seed = 12345 + i;
        fixture_start(&inner);
        written += one_round(inner);
        fixture_stop(&inner);
    }
    assert_true(written > ROUNDS - 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
