#include "numbers.h"

#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

char *number_count(uint64_t count) {
    static const char *const units[] = {"", "k", "M", "B"};
    if (count < 1000) return xformat("%" PRIu64, count);
    double value = (double)count;
    size_t unit = 0;
    char text[32];
    /* 999.6 would be rounded to 1000 of its unit: it is 1 of the next */
    while (unit < 3 && value >= 999.5) value /= 1000, unit++;
    snprintf(text, sizeof text, value < 999.5 ? "%.3g" : "%.0f", value);
    return xformat("%s%s", text, units[unit]);
}

/* A sum of durations that is minus zero, or rounds to it, is none. */
static double unsigned_zero(double value) { return value > -5e-7 && value < 0 ? 0 : value + 0.0; }

char *number_total(double seconds) { return isnan(seconds) ? xcopy("-") : xformat("%.6f", unsigned_zero(seconds)); }
char *number_average(double seconds) { return isnan(seconds) ? xcopy("-") : xformat("%.3e", seconds + 0.0); }
char *number_short(double seconds) { return isnan(seconds) ? xcopy("-") : xformat("%.3f", unsigned_zero(seconds)); }
char *number_percent(double percent) { return isnan(percent) ? xcopy("-") : xformat("%.2f%%", unsigned_zero(percent)); }
char *number_plain(double value) { return isnan(value) ? xcopy("-") : xformat("%.2f", unsigned_zero(value)); }
