/* order.h: records put in order with bounded memory: a few MiB at a time are sorted, the rest waits in a file without a
 * name. */
#ifndef SCOPE_READER_ORDER_H
#define SCOPE_READER_ORDER_H

#include "internal.h"

/* A record is `words` integers; it comes by the first `keys` of them, ascending, the first one first. Records whose
 * keys are equal come in any order. */
struct rd_order;

/* NULL: no memory. `path` is for messages, and stays the caller's. */
struct rd_order *rd_order_new(const char *path, size_t words, size_t keys);
void rd_order_free(struct rd_order *order); /* NULL is allowed */

int rd_order_add(struct rd_order *order, const uint64_t *record, spr_error *error);
/* No more records come. */
int rd_order_close(struct rd_order *order, spr_error *error);

/* Reads the records of a closed order from its beginning; several may do that at once. */
struct rd_order_reader;
struct rd_order_reader *rd_order_read(const struct rd_order *order, spr_error *error); /* NULL: with the error */
/* The next record, valid until the next question; *record NULL: there are no more. */
int rd_order_next(struct rd_order_reader *reader, const uint64_t **record, spr_error *error);
void rd_order_reader_free(struct rd_order_reader *reader); /* NULL is allowed */

/* An integer as a word that comes where the integer does, and back. */
static inline uint64_t rd_order_word(int64_t value) { return (uint64_t)value ^ (UINT64_C(1) << 63); }
static inline int64_t rd_order_value(uint64_t word) { return (int64_t)(word ^ (UINT64_C(1) << 63)); }

#endif
