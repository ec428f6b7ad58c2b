/* parse.h: option values that several commands take. */
#ifndef CLI_PARSE_H
#define CLI_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A level of --compress; NULL: the default level. */
bool parse_compress(const char *text, int *level);

/* A number of threads from 1 on. */
bool parse_jobs(const char *text, unsigned *jobs);

/* 0 to 16 blanks a level of JSON. */
bool parse_indent(const char *text, int *indent);

/* --ranks: numbers and inclusive ranges, separated by commas. */
struct rank_range {
    uint32_t first, last;
};
struct rank_ranges {
    struct rank_range *items;
    size_t count;
};

bool parse_ranks(const char *text, struct rank_ranges *ranges); /* adds to ranges; false: not well formed */
bool parse_looks_like_ranks(const char *text);                  /* only digits, commas and dashes, a digit first */

#endif
