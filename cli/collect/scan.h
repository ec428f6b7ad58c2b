/* scan.h: what is in a spool's directory. */
#ifndef COLLECT_SCAN_H
#define COLLECT_SCAN_H

#include "model.h"

/* Adds the processes of one spool to the collection: their files' heads and calibrations, not their regions and words.
 * Tells processes that still run to stop recording. False with a message. */
bool scan_spool(struct collection *c, const struct spool_dir *dir);

/* What `process` says of itself, from `<id>.proc`; false: it is not there or makes no sense. *other_version is set when
 * it is of another version of the format. */
bool scan_process(struct process *process, bool *other_version);

/* Removes the files that belong to a spool, then the directory; false with errno where something stays. */
bool scan_remove(const struct spool_dir *dir);

void process_free(struct process *process);

#endif
