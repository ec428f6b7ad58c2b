/* frame.h: what stands around the tables of `inspect`: heading, metadata, sources, threads, processes. */
#ifndef CLI_FRAME_H
#define CLI_FRAME_H

#include "scope_reader.h"
#include "table.h"
#include "text.h"

/* Path, ranks, regions, size and span between two rules, then an empty line. */
void frame_heading(const struct sink *sink, spr_profile *profile);

/* All metadata, grouped. full: values are not clipped. */
void frame_metadata(const struct sink *sink, const spr_profile *profile, bool full);

/* Where the regions are defined, with their text where it was captured. */
void frame_sources(const struct sink *sink, const spr_profile *profile, const size_t *regions, size_t count);

/* Tables of the selected ranks; for printing or as CSV. table_free() them. */
struct table frame_threads(const spr_profile *profile, const spr_selection *selection);
struct table frame_processes(const spr_profile *profile, const spr_selection *selection);

char *frame_value_text(const spr_value *value); /* as one line, escaped; free() it */

#endif
