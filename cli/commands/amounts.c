#include "amounts.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Digits first: strtod() would take "nan", "inf", hexadecimal numbers and blanks. *rest: what follows, blanks skipped.
 */
static bool leading_number(const char *text, double *value, const char **rest) {
    char *end;
    const size_t digits = strspn(text, "0123456789.");
    if (!digits || !strpbrk(text, "0123456789") || (text[0] == '0' && tolower((unsigned char)text[1]) == 'x'))
        return false;
    errno = 0;
    *value = strtod(text, &end);
    *rest = end + strspn(end, " ");
    return end != text && isfinite(*value) && *value >= 0 && errno != ERANGE;
}

bool amount_number(const char *text, double *value) {
    const char *rest;
    return leading_number(text, value, &rest) && !*rest;
}

bool amount_percent(const char *text, double *percent) {
    const char *rest;
    return leading_number(text, percent, &rest) && (!*rest || !strcmp(rest, "%"));
}

bool amount_seconds(const char *text, double *seconds) {
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"µs", 1e-6}, {"ns", 1e-9}};
    const char *rest;
    if (!leading_number(text, seconds, &rest)) return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(rest, units[i].unit)) continue;
        *seconds *= units[i].seconds;
        return true;
    }
    return false;
}
