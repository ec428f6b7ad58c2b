/* recording.h: what `run` asks the recorder to do with calls of any kind, and how it tells it: by environment variables
 * that all processes of the run inherit. Where an option is not given, a variable that is set already stays. */
#ifndef CLI_RECORDING_H
#define CLI_RECORDING_H

#include <stdbool.h>

struct recording_request {
    bool aggregate; /* calls are added up, none is kept */
};

/* False with the reason when the environment asks for something that there is not. */
bool recording_judge(const struct recording_request *request, char **why);
/* Why nothing will be recorded, NULL: there is no such reason. */
const char *recording_why_nothing(const struct recording_request *request);
void recording_set_environment(const struct recording_request *request);

#endif
