#include "recording.h"

#include "base/memory.h"
#include "spool.h"

#include <stdlib.h>
#include <string.h>

static const char *mode_of(const struct recording_request *request) {
    const char *given = getenv(SPOOL_ENV_MODE);
    if (request->aggregate) return "aggregate";
    return given && *given ? given : "trace";
}

bool recording_judge(const struct recording_request *request, char **why) {
    static const char *const modes[] = {"off", "trace", "aggregate"};
    const char *mode = mode_of(request);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (!strcmp(mode, modes[i])) return true;
    *why = xformat(SPOOL_ENV_MODE ": '%s' is none of off, trace, aggregate", mode);
    return false;
}

const char *recording_why_nothing(const struct recording_request *request) {
    return strcmp(mode_of(request), "off") ? NULL : SPOOL_ENV_MODE " is off";
}

void recording_set_environment(const struct recording_request *request) { setenv(SPOOL_ENV_MODE, mode_of(request), 1); }
