/* lines.h: the line counters of a session's processes become /rank<N>/line_profile/<k>. */
#ifndef COLLECT_LINES_H
#define COLLECT_LINES_H

#include "model.h"
#include <hdf5.h>

/* Writes the groups into `file`, for every process that counted lines; ranks and clocks are known. False with a
 * message. */
bool lines_write(struct collection *collection, hid_t file);

#endif
