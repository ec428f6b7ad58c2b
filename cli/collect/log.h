/* log.h: a process's log: its regions and what else it appended. */
#ifndef COLLECT_LOG_H
#define COLLECT_LOG_H

#include "model.h"

/* The calibration points, the MPI library, where the process ran; no log is an empty one. False: no memory. */
bool log_read_facts(struct process *process);

/* The regions: makes the rows (one per name, in order of creation) and the table of region ids. False: no memory. */
bool log_read_regions(struct process *process, const struct session *session, uint64_t marker, struct names *regions,
                      struct names *texts);

/* Hands every record of `type` to `take`, its body terminated, until that returns false. False: no memory, or `take`.
 */
bool log_each(const struct process *process, uint32_t type, bool (*take)(void *data, const char *body, uint32_t length),
              void *data);

#endif
