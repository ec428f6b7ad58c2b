/* session_output.h: where a session's profile will be. */
#ifndef SCOPE_PROFILER_MARKERS_SESSION_OUTPUT_H
#define SCOPE_PROFILER_MARKERS_SESSION_OUTPUT_H

#include "recorder.h"
#include <limits.h>

/* Absolute; "" where nobody says. */
void session_output(const struct recorder *session, char path[PATH_MAX]);

#endif
