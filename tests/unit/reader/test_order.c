/* Records put in order, in memory and through the disk. */
#include "check.h"
#include "order.h"

#include <string.h>

enum { WORDS = 4, KEYS = 2, MANY = 700000 }; /* MANY: several runs on the disk */

static uint64_t random_word(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Few different first words, so that the second one decides often; the third one is the record's number. */
static struct rd_order *fill(size_t count) {
    struct rd_order *order = rd_order_new("test", WORDS, KEYS);
    uint64_t state = 1;
    assert_non_null(order);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t a = random_word(&state) % 1000, b = random_word(&state);
        const uint64_t record[WORDS] = {a, b, i, a ^ b ^ i};
        assert_int_equal(rd_order_add(order, record, NULL), SPR_OK);
    }
    assert_int_equal(rd_order_close(order, NULL), SPR_OK);
    return order;
}

/* All of them, each once, whole, in order. */
static void check(const struct rd_order *order, size_t count) {
    struct rd_order_reader *reader = rd_order_read(order, NULL);
    unsigned char *seen = calloc(count + 1, 1);
    uint64_t before[KEYS] = {0};
    const uint64_t *record;
    assert_non_null(reader);
    assert_non_null(seen);
    for (size_t n = 0; n < count; n++) {
        assert_int_equal(rd_order_next(reader, &record, NULL), SPR_OK);
        assert_non_null(record);
        assert_true(record[0] > before[0] || (record[0] == before[0] && record[1] >= before[1]));
        assert_true(record[2] < count && !seen[record[2]]);
        assert_int_equal(record[3], record[0] ^ record[1] ^ record[2]);
        seen[record[2]] = 1;
        memcpy(before, record, sizeof before);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(rd_order_next(reader, &record, NULL), SPR_OK);
        assert_null(record);
    }
    free(seen);
    rd_order_reader_free(reader);
}

static void test_none(void **state) {
    (void)state;
    struct rd_order *order = fill(0);
    check(order, 0);
    rd_order_free(order);
}

static void test_in_memory(void **state) {
    (void)state;
    struct rd_order *order = fill(1000);
    check(order, 1000);
    check(order, 1000);
    rd_order_free(order);
}

static void test_on_disk(void **state) {
    (void)state;
    struct rd_order *order = fill(MANY);
    check(order, MANY);
    rd_order_free(order);
}

/* Two that read the same, one ahead of the other. */
static void test_two_readers(void **state) {
    (void)state;
    struct rd_order *order = fill(MANY);
    struct rd_order_reader *first = rd_order_read(order, NULL), *second = rd_order_read(order, NULL);
    const uint64_t *ahead, *behind;
    uint64_t kept[100][WORDS];
    for (size_t i = 0; i < 5000; i++) {
        assert_int_equal(rd_order_next(first, &ahead, NULL), SPR_OK);
        if (i >= 100) {
            assert_int_equal(rd_order_next(second, &behind, NULL), SPR_OK);
            assert_memory_equal(behind, kept[i % 100], sizeof kept[0]);
        }
        memcpy(kept[i % 100], ahead, sizeof kept[0]);
    }
    rd_order_reader_free(first);
    rd_order_reader_free(second);
    rd_order_free(order);
}

static void test_no_disk(void **state) {
    (void)state;
    struct rd_order *order = rd_order_new("that.h5", WORDS, KEYS);
    const uint64_t record[WORDS] = {0};
    spr_error error = {0};
    int status = SPR_OK;
    char *before = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    setenv("TMPDIR", "/nowhere", 1);
    for (size_t i = 0; status == SPR_OK && i < MANY; i++) status = rd_order_add(order, record, &error);
    if (before)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
    free(before);
    assert_int_equal(status, SPR_NO_MEMORY);
    assert_non_null(strstr(error.message, "that.h5"));
    assert_non_null(strstr(error.message, "No such file"));
    rd_order_free(order);
}

static void test_signed_words(void **state) {
    (void)state;
    static const int64_t ascending[] = {INT64_MIN, -5, -1, 0, 1, 7, INT64_MAX};
    for (size_t i = 0; i < sizeof ascending / sizeof *ascending; i++) {
        assert_true(rd_order_value(rd_order_word(ascending[i])) == ascending[i]);
        if (i) assert_true(rd_order_word(ascending[i - 1]) < rd_order_word(ascending[i]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none),        cmocka_unit_test(test_in_memory), cmocka_unit_test(test_on_disk),
        cmocka_unit_test(test_two_readers), cmocka_unit_test(test_no_disk),   cmocka_unit_test(test_signed_words),
    };
    return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
