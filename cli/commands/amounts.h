/* amounts.h: numbers with a unit, as options and budget files give them. */
#ifndef CLI_AMOUNTS_H
#define CLI_AMOUNTS_H

#include <stdbool.h>

/* All are false for anything but a finite number >= 0 and the unit. */
bool amount_number(const char *text, double *value);    /* "0.05" */
bool amount_percent(const char *text, double *percent); /* "5", "5%", "2.5 %" */
bool amount_seconds(const char *text, double *seconds); /* "1ms", "250 us", "1.5s", "40ns"; no unit: seconds */

#endif
