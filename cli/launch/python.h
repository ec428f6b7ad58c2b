/* python.h: what `run` asks the recorder to do in Python programs, and how it tells it: by environment variables that
 * all processes of the run inherit. */
#ifndef CLI_PYTHON_H
#define CLI_PYTHON_H

#include <stdbool.h>

struct python_request {
    bool functions;       /* record every call of user code */
    bool all;             /* of the standard library and installed packages as well */
    bool lines;           /* count lines as well: */
    char *line_functions; /* of the functions with such names, one glob a line; NULL: of all of user code */
    const char *hook;     /* NULL: the recorder chooses */
};

/* Adds a glob to one of the request's lists. */
void python_add_glob(char **globs, const char *glob);

/* False when there is no hook of this name. */
bool python_hook_exists(const char *name);
extern const char python_hook_names[]; /* for people, commas between */

void python_set_environment(const struct python_request *request);
void python_request_free(struct python_request *request);

#endif
