/* Call trees against trees drawn by hand. */
#include "check.h"

static const char *const names[] = {"a", "b", "c", "d"};
enum { A, B, C, D };

static struct w_file base = {.schema = 3, .names = names, .num_names = 4, .mpi_size = 1};

static spr_profile *write_tree(const struct w_row *rows, size_t count, bool ids) {
    struct w_file file = base;
    file.rows = rows;
    file.num_rows = count;
    file.ids = ids;
    w_write(w_path("tree.h5"), &file);
    return open_good(w_path("tree.h5"));
}

static const spr_node *expect(const spr_tree *tree, size_t at, size_t region, uint32_t depth, uint64_t calls,
                              double total, double own) {
    if (at >= tree->count) fail_msg("only %zu nodes", tree->count);
    const spr_node *node = &tree->nodes[at];
    if (node->region != region || node->depth != depth || node->stats.calls != calls)
        fail_msg("node %zu is region %zu at depth %u with %llu calls", at, node->region, node->depth,
                 (unsigned long long)node->stats.calls);
    assert_near(node->stats.total * 1e9, total);
    assert_near(node->stats.exclusive * 1e9, own);
    return node;
}

static spr_tree build(spr_profile *profile, const spr_selection *selection) {
    spr_tree tree;
    spr_error error = {0};
    if (spr_tree_build(profile, selection, SPR_FULL, &tree, &error) != SPR_OK) fail_msg("%s", error.message);
    return tree;
}

/* a [0,100] > b [10,30] > c [12,20]; a > c [40,50]; a > b [60,90] > c [70,75], c [75,80]; d [100,120] */
static void test_paths(void **state) {
    (void)state;
    static const struct w_call a[] = {{.start = 0, .end = 100}};
    static const struct w_call b[] = {{.start = 10, .end = 30}, {.start = 60, .end = 90}};
    static const struct w_call c[] = {
        {.start = 12, .end = 20}, {.start = 40, .end = 50}, {.start = 70, .end = 75}, {.start = 75, .end = 80}};
    static const struct w_call d[] = {{.start = 100, .end = 120}};
    const struct w_row rows[] = {{.region = D, .calls = d, .count = 1, .exclusive = -1},
                                 {.region = A, .calls = a, .count = 1, .exclusive = -1},
                                 {.region = C, .calls = c, .count = 4, .exclusive = -1},
                                 {.region = B, .calls = b, .count = 2, .exclusive = -1}};
    spr_profile *profile = write_tree(rows, 4, false);
    spr_tree tree = build(profile, NULL);
    assert_int_equal(tree.count, 5);
    const spr_node *node = expect(&tree, 0, A, 0, 1, 100, 40);
    assert_true(node->has_children);
    assert_near(node->coverage * 1e9, 100);
    node = expect(&tree, 1, B, 1, 2, 50, 32);
    assert_near(node->stats.first * 1e9, 20);
    assert_near(node->stats.last * 1e9, 30);
    assert_near(node->stats.p50 * 1e9, 25);
    node = expect(&tree, 2, C, 2, 3, 18, 18);
    assert_false(node->has_children);
    assert_near(node->stats.p50 * 1e9, 5);
    assert_near(node->stats.maximum * 1e9, 8);
    assert_near(node->stats.first_start * 1e9, 12);
    expect(&tree, 3, C, 1, 1, 10, 10);
    expect(&tree, 4, D, 0, 1, 20, 20);
    spr_tree_free(&tree);

    /* without b: its calls of c hang on a, and a's own time does not grow */
    const char *exclude = "b|d";
    spr_selection *selection;
    assert_int_equal(spr_select(profile, NULL, 0, &exclude, 1, NULL, 0, &selection, NULL), SPR_OK);
    tree = build(profile, selection);
    assert_int_equal(tree.count, 2);
    expect(&tree, 0, A, 0, 1, 100, 40);
    expect(&tree, 1, C, 1, 4, 28, 28);
    spr_tree_free(&tree);
    spr_selection_free(selection);
    spr_close(profile);
}

/* a [0,100] > a [10,50] > a [20,30] > b [22,24]; a > a [60,70] */
static void test_recursion(void **state) {
    (void)state;
    static const struct w_call a[] = {
        {.start = 0, .end = 100}, {.start = 10, .end = 50}, {.start = 20, .end = 30}, {.start = 60, .end = 70}};
    static const struct w_call b[] = {{.start = 22, .end = 24}};
    const struct w_row rows[] = {{.region = A, .calls = a, .count = 4, .exclusive = -1},
                                 {.region = B, .calls = b, .count = 1, .exclusive = -1}};
    spr_profile *profile = write_tree(rows, 2, false);
    spr_tree tree = build(profile, NULL);
    assert_int_equal(tree.count, 2);
    const spr_node *node = expect(&tree, 0, A, 0, 4, 160, 98);
    assert_true(node->recursive);
    assert_near(node->coverage * 1e9, 100);
    node = expect(&tree, 1, B, 1, 1, 2, 2);
    assert_false(node->recursive);
    spr_tree_free(&tree);
    spr_close(profile);
}

/* Equal times: longer first, then by region; calls without length are within one another, and within what is open, but
 * not within what ends at their moment. */
static void test_ties(void **state) {
    (void)state;
    static const struct w_call a[] = {{.start = 0, .end = 10}, {.start = 20, .end = 20}};
    static const struct w_call b[] = {{.start = 0, .end = 10}, {.start = 10, .end = 10}, {.start = 20, .end = 20}};
    static const struct w_call c[] = {{.start = 0, .end = 20}, {.start = 20, .end = 25}};
    const struct w_row rows[] = {{.region = A, .calls = a, .count = 2, .exclusive = -1},
                                 {.region = B, .calls = b, .count = 3, .exclusive = -1},
                                 {.region = C, .calls = c, .count = 2, .exclusive = -1}};
    spr_profile *profile = write_tree(rows, 3, false);
    spr_tree tree = build(profile, NULL);
    /* c [0,20] > a [0,10] > b [0,10]; c > b [10,10]; c [20,25] > a [20,20] > b [20,20] */
    assert_int_equal(tree.count, 4);
    expect(&tree, 0, C, 0, 2, 25, 15);
    expect(&tree, 1, A, 1, 2, 10, 0);
    expect(&tree, 2, B, 2, 2, 10, 10);
    expect(&tree, 3, B, 1, 1, 0, 0);
    spr_tree_free(&tree);
    spr_close(profile);
}

static void test_overlap(void **state) {
    (void)state;
    static const struct w_call a[] = {{.start = 0, .end = 5}, {.start = 10, .end = 30}};
    static const struct w_call b[] = {{.start = 20, .end = 31}};
    const struct w_row rows[] = {{.region = A, .calls = a, .count = 2, .exclusive = -1},
                                 {.region = B, .rank = 0, .calls = b, .count = 1, .exclusive = -1},
                                 {.region = B, .rank = 1, .calls = b, .count = 1, .exclusive = -1}};
    spr_profile *profile = write_tree(rows, 3, false);
    spr_tree tree;
    spr_error error;
    assert_int_equal(spr_tree_build(profile, NULL, SPR_FULL, &tree, &error), SPR_NESTING);
    assert_message(&error, "tree.h5", "call 1 of 'a' [10, 30] ns and call 0 of 'b' [20, 31] ns");
    assert_null(tree.nodes);
    const uint32_t other = 1;
    spr_selection *selection;
    assert_int_equal(spr_select(profile, NULL, 0, NULL, 0, &other, 1, &selection, NULL), SPR_OK);
    tree = build(profile, selection);
    assert_int_equal(tree.count, 1);
    spr_tree_free(&tree);
    spr_selection_free(selection);
    spr_close(profile);
}

/* The calls of test_overlap, with their parents recorded: b is within a, whose own time is what b leaves of it. Then a
 * third call whose recorded parent is b, though a has the longer time; and ids that name no open call are worth
 * nothing. */
static void test_recorded_parents(void **state) {
    (void)state;
    static const struct w_call a[] = {{.start = 10, .end = 30, .id = 0, .parent = -1}};
    static const struct w_call b[] = {{.start = 20, .end = 41, .id = 1, .parent = 0}};
    static const struct w_call c[] = {{.start = 25, .end = 40, .id = 2, .parent = 1}};
    const struct w_row rows[] = {{.region = A, .calls = a, .count = 1, .exclusive = -1},
                                 {.region = B, .calls = b, .count = 1, .exclusive = -1},
                                 {.region = C, .calls = c, .count = 1, .exclusive = -1}};
    spr_profile *profile = write_tree(rows, 3, true);
    spr_tree tree = build(profile, NULL);
    assert_int_equal(tree.count, 3);
    expect(&tree, 0, A, 0, 1, 20, 10);
    expect(&tree, 1, B, 1, 1, 21, 6);
    expect(&tree, 2, C, 2, 1, 15, 15);
    spr_tree_free(&tree);
    spr_stats stats;
    assert_int_equal(spr_region_stats(profile, A, NULL, SPR_FULL, &stats, NULL), SPR_OK);
    assert_near(stats.exclusive * 1e9, 10);
    spr_close(profile);

    /* equal times, and recorded the other way round than the longer-first rule would have it */
    static const struct w_call short_first[] = {{.start = 10, .end = 10, .id = 0, .parent = -1}};
    static const struct w_call long_second[] = {{.start = 10, .end = 20, .id = 1, .parent = -1}};
    const struct w_row apart[] = {{.region = A, .calls = short_first, .count = 1, .exclusive = -1},
                                  {.region = B, .calls = long_second, .count = 1, .exclusive = -1}};
    profile = write_tree(apart, 2, true);
    tree = build(profile, NULL);
    assert_int_equal(tree.count, 2);
    expect(&tree, 0, A, 0, 1, 0, 0);
    expect(&tree, 1, B, 0, 1, 10, 10);
    spr_tree_free(&tree);
    spr_close(profile);

    static const struct w_call unknown[] = {{.start = 12, .end = 20, .id = 7, .parent = 99}};
    static const struct w_call none[] = {{.start = 12, .end = 20, .id = -1, .parent = -1}};
    static const struct w_call *const useless[] = {unknown, none};
    for (size_t i = 0; i < 2; i++) {
        const struct w_row lost[] = {{.region = A, .calls = a, .count = 1, .exclusive = -1},
                                     {.region = C, .calls = useless[i], .count = 1, .exclusive = -1}};
        profile = write_tree(lost, 2, true);
        tree = build(profile, NULL);
        assert_int_equal(tree.count, 2);
        expect(&tree, 0, A, 0, 1, 20, 12);
        expect(&tree, 1, C, 1, 1, 8, 8);
        spr_tree_free(&tree);
        spr_close(profile);
    }
}

/* Two threads of one rank overlap freely; a task is a lane of its own. */
static void test_lanes(void **state) {
    (void)state;
    static const struct w_call a[] = {{.start = 0, .end = 10, .thread = 0, .task = -1},
                                      {.start = 5, .end = 15, .thread = 1, .task = -1},
                                      {.start = 6, .end = 20, .thread = 1, .task = 3}};
    static const struct w_call b[] = {{.start = 7, .end = 9, .thread = 0, .task = -1},
                                      {.start = 7, .end = 9, .thread = 1, .task = 3}};
    const struct w_row rows[] = {{.region = A, .calls = a, .count = 3, .exclusive = -1},
                                 {.region = B, .calls = b, .count = 2, .exclusive = -1}};
    struct w_file file = base;
    file.rows = rows;
    file.num_rows = 2;
    file.threads = file.tasks = true;
    w_write(w_path("lanes.h5"), &file);
    spr_profile *profile = open_good(w_path("lanes.h5"));
    spr_tree tree = build(profile, NULL);
    assert_int_equal(tree.count, 2);
    const spr_node *node = expect(&tree, 0, A, 0, 3, 34, 30);
    assert_near(node->outermost * 1e9, 34);
    assert_near(node->coverage * 1e9, 20); /* at least one of the lanes is within it from 0 to 20 */
    expect(&tree, 1, B, 1, 2, 4, 4);
    spr_tree_free(&tree);
    spr_close(profile);
}

/* The calls of two threads one after the other, as some writers store them: they are put in order on the disk. */
static void test_far_out_of_order(void **state) {
    (void)state;
    enum { EACH = 300000 };
    struct w_call *a = calloc(2 * EACH, sizeof *a), *b = calloc(EACH, sizeof *b);
    for (int64_t i = 0; i < EACH; i++) {
        a[i] = (struct w_call){.start = 100 * i, .end = 100 * i + 60, .thread = 0, .task = -1};
        a[EACH + i] = (struct w_call){.start = 100 * i + 10, .end = 100 * i + 70, .thread = 1, .task = -1};
        b[i] = (struct w_call){.start = 100 * i + 20, .end = 100 * i + 25 + i % 5, .thread = i % 2, .task = -1};
    }
    const struct w_row rows[] = {{.region = A, .calls = a, .count = 2 * EACH, .exclusive = -1},
                                 {.region = B, .calls = b, .count = EACH, .exclusive = -1}};
    struct w_file file = base;
    file.rows = rows;
    file.num_rows = 2;
    file.threads = true;
    w_write(w_path("order.h5"), &file);
    spr_profile *profile = open_good(w_path("order.h5"));
    spr_stats stats;
    assert_int_equal(spr_row_stats(profile, 0, SPR_FULL, &stats, NULL), SPR_OK);
    assert_near(stats.coverage * 1e9, 70.0 * EACH);
    assert_near(stats.exclusive * 1e9, 120.0 * EACH - 7.0 * EACH);
    spr_tree tree = build(profile, NULL);
    assert_int_equal(tree.count, 2);
    const spr_node *node = expect(&tree, 0, A, 0, 2 * EACH, 120.0 * EACH, 113.0 * EACH);
    assert_near(node->coverage * 1e9, 70.0 * EACH);
    expect(&tree, 1, B, 1, EACH, 7.0 * EACH, 7.0 * EACH);
    spr_tree_free(&tree);
    spr_close(profile);
    free(a);
    free(b);
}

/* Paths pooled over ranks; first and last by the rules of ranks; balance per path. */
static void test_ranks(void **state) {
    (void)state;
    static const struct w_call a0[] = {{.start = 10, .end = 30}}, a1[] = {{.start = 0, .end = 40}};
    static const struct w_call b0[] = {{.start = 11, .end = 12}, {.start = 14, .end = 29}};
    static const struct w_call b1[] = {{.start = 1, .end = 5}, {.start = 50, .end = 51}};
    const struct w_row rows[] = {{.region = A, .rank = 5, .calls = a0, .count = 1, .exclusive = -1},
                                 {.region = A, .rank = 7, .calls = a1, .count = 1, .exclusive = -1},
                                 {.region = B, .rank = 5, .calls = b0, .count = 2, .exclusive = -1},
                                 {.region = B, .rank = 7, .calls = b1, .count = 2, .exclusive = -1}};
    spr_profile *profile = write_tree(rows, 4, false);
    spr_tree tree = build(profile, NULL);
    assert_int_equal(tree.count, 3);
    const spr_node *node = expect(&tree, 0, A, 0, 2, 60, 40);
    assert_int_equal(node->stats.ranks, 2);
    assert_near(node->stats.first * 1e9, 40);
    assert_near(node->stats.imbalance, 40 / 30.0);
    node = expect(&tree, 1, B, 1, 3, 20, 20);
    assert_near(node->stats.first * 1e9, 4);
    assert_near(node->stats.last * 1e9, 15);
    assert_near(node->stats.imbalance_pct, 60);
    node = expect(&tree, 2, B, 0, 1, 1, 1);
    assert_int_equal(node->stats.ranks, 1);
    spr_tree_free(&tree);
    spr_close(profile);
}

/* Rows that are not in order of time, slightly and thoroughly, make the same tree; `shift` of them late. */
static void check_disorder(size_t count, size_t shift) {
    struct w_call *a = calloc(count, sizeof *a), *b = calloc(count, sizeof *b);
    for (size_t i = 0; i < count; i++) {
        const size_t group = i / shift * shift, size = count - group < shift ? count - group : shift;
        const int64_t at = (int64_t)(group + size - 1 - i % shift) * 10;
        a[i] = (struct w_call){.start = at, .end = at + 10};
        b[i] = (struct w_call){.start = (int64_t)i * 10 + 2, .end = (int64_t)i * 10 + 5};
    }
    const struct w_row rows[] = {{.region = A, .calls = a, .count = count, .exclusive = -1},
                                 {.region = B, .calls = b, .count = count, .exclusive = -1}};
    spr_profile *profile = write_tree(rows, 2, false);
    spr_tree tree = build(profile, NULL);
    assert_int_equal(tree.count, 2);
    expect(&tree, 0, A, 0, count, 10.0 * (double)count, 7.0 * (double)count);
    expect(&tree, 1, B, 1, count, 3.0 * (double)count, 3.0 * (double)count);
    spr_tree_free(&tree);
    spr_stats stats;
    assert_int_equal(spr_region_stats(profile, A, NULL, SPR_SUMMARY, &stats, NULL), SPR_OK);
    assert_near(stats.exclusive * 1e9, 7.0 * (double)count);
    spr_close(profile);
    free(a);
    free(b);
}

static void test_disorder(void **state) {
    (void)state;
    static const size_t counts[] = {50, 300000}, shifts[] = {1, 2, 40, 64, 65, 66, 1000, 300000};
    for (size_t i = 0; i < W_COUNT(counts); i++)
        for (size_t k = 0; k < W_COUNT(shifts); k++) check_disorder(counts[i], shifts[k]);
}

/* Many rows, many blocks, against nesting that is known by construction. */
static void test_many(void **state) {
    (void)state;
    enum { TURNS = 60000, REGIONS = 4 };
    struct w_call *calls[REGIONS];
    struct w_row rows[REGIONS];
    for (uint32_t r = 0; r < REGIONS; r++) {
        calls[r] = calloc(TURNS, sizeof **calls);
        for (int64_t i = 0; i < TURNS; i++)
            calls[r][i] = (struct w_call){.start = i * 100 + r, .end = i * 100 + 90 - r * 10};
        rows[r] = (struct w_row){.region = r, .calls = calls[r], .count = TURNS, .exclusive = -1};
    }
    for (int packed = 0; packed < 2; packed++) {
        struct w_file file = base;
        file.rows = rows;
        file.num_rows = REGIONS;
        file.chunk = packed ? 1024 : 0;
        file.gzip = packed ? 1 : 0;
        w_write(w_path("many.h5"), &file);
        spr_profile *profile = open_good(w_path("many.h5"));
        spr_tree tree = build(profile, NULL);
        assert_int_equal(tree.count, REGIONS);
        for (uint32_t r = 0; r < REGIONS; r++) {
            const double total = TURNS * (90.0 - r * 11), below = r == REGIONS - 1 ? 0 : TURNS * (90.0 - r * 11 - 11);
            const spr_node *node = expect(&tree, r, r, r, TURNS, total, total - below);
            assert_near(node->stats.p99 * 1e9, 90.0 - r * 11);
            assert_near(node->stats.std, 0);
        }
        spr_tree_free(&tree);
        spr_close(profile);
    }
    for (uint32_t r = 0; r < REGIONS; r++) free(calls[r]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_recursion),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_recorded_parents),
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_far_out_of_order),
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_disorder),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests_name("reader: call tree", tests, NULL, NULL);
}
