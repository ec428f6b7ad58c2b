#include "python.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static const char *const hooks[] = {"auto", "setprofile", "evalframe", "monitoring"};
const char python_hook_names[] = "auto, setprofile, evalframe, monitoring";

bool python_hook_exists(const char *name) {
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
        if (!strcmp(hooks[i], name)) return true;
    return false;
}

void python_add_glob(char **globs, const char *glob) {
    char *longer = *globs ? xformat("%s\n%s", *globs, glob) : xcopy(glob);
    free(*globs);
    *globs = longer;
}

/* What an outer environment says must not add to what this run was asked for. */
static void set(const char *variable, const char *value) {
    if (value)
        setenv(variable, value, 1);
    else
        unsetenv(variable);
}

void python_set_environment(const struct python_request *request) {
    set("SCOPE_PROFILER_PYTHON", request->functions ? "functions" : NULL);
    set("SCOPE_PROFILER_PYTHON_ALL", request->all ? "1" : NULL);
    set("SCOPE_PROFILER_PYTHON_HOOK", request->hook);
    set("SCOPE_PROFILER_LINES", request->lines ? "1" : NULL);
    set("SCOPE_PROFILER_LINE_FUNCTIONS", request->line_functions);
}

void python_request_free(struct python_request *request) {
    free(request->line_functions);
    *request = (struct python_request){0};
}
