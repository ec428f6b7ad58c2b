/* numbers.h: how numbers look. Results are to be free()d; NAN is "-". */
#ifndef CLI_NUMBERS_H
#define CLI_NUMBERS_H

#include <stdint.h>

char *number_count(uint64_t count);   /* 999, 1k, 1.23k, 12.3M, 4B */
char *number_total(double seconds);   /* 0.051661 */
char *number_average(double seconds); /* 1.033e-02 */
char *number_short(double seconds);   /* 0.010 */
char *number_percent(double percent); /* 12.34% */
char *number_plain(double value);     /* 12.34 */

#endif
