#include "check.h"

#include "render/numbers.h"

#include <math.h>

static void counts_have_three_digits(void **state) {
    (void)state;
    static const struct {
        uint64_t count;
        const char *text;
    } cases[] = {
        {0, "0"},          {1, "1"},          {999, "999"},      {1000, "1k"},       {1230, "1.23k"},
        {1234, "1.23k"},   {12345, "12.3k"},  {304000, "304k"},  {999499, "999k"},   {999500, "1M"},
        {1500000, "1.5M"}, {20000000, "20M"}, {999999999, "1B"}, {4000000000, "4B"}, {12345678901234, "12346B"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) assert_text(number_count(cases[i].count), cases[i].text);
}

static void durations(void **state) {
    (void)state;
    assert_text(number_total(0.051660574), "0.051661");
    assert_text(number_total(-0.0), "0.000000");
    assert_text(number_total(NAN), "-");
    assert_text(number_average(0.0103321148), "1.033e-02");
    assert_text(number_average(0), "0.000e+00");
    assert_text(number_short(0.0151244), "0.015");
    assert_text(number_short(NAN), "-");
    assert_text(number_percent(99.999), "100.00%");
    assert_text(number_percent(NAN), "-");
    assert_text(number_plain(23.0769), "23.08");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_have_three_digits), cmocka_unit_test(durations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
