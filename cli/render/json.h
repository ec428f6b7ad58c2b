/* json.h: a profile as JSON. Durations are in seconds, a number that is not known is null, and a text that is not
 * UTF-8 stands under its key with U+FFFD for what is none, and whole under `<key>_base64` beside it. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include "rows.h"

#include <jansson.h>

/* The document that `inspect --json` prints: its envelope, and an array `files` to which json_profile()s go. */
json_t *json_document(void);

/* One profile: regions with all their statistics, call tree, processes, threads, problems, metadata. NULL: the
 * reader's error, its status in error->status. */
json_t *json_profile(spr_profile *profile, const spr_selection *selection, enum rows_tree tree, spr_error *error);

/* What --export-metadata writes of a profile: its absolute path, number of ranks and metadata. */
json_t *json_metadata_entry(const spr_profile *profile);

/* null for what is not finite; text with U+FFFD for what is no UTF-8, null for NULL. */
json_t *json_number(double value);
json_t *json_text_lossy(const char *text);

/* Indented by two blanks, a newline at the end. */
int json_print(const json_t *document, FILE *out);

#endif
