/* recording.h: what `run` asks the recorder to do with calls of any kind, and how it tells it: by environment variables
 * that all processes of the run inherit. Where an option is not given, a variable that is set already stays. */
#ifndef CLI_RECORDING_H
#define CLI_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

struct recording_request {
    bool aggregate;          /* calls are added up, none is kept */
    char *include, *exclude; /* globs on names of regions, one a line; NULL: none */
    char *tags;              /* one a line; NULL: none */
    uint64_t throttle_calls; /* 0: keep all calls of every region */
    uint64_t throttle_ns;
    uint64_t max_bytes;       /* 0: no limit */
    uint64_t buffer_calls;    /* 0: as usual */
    const char *sample_every; /* N[:START][:REGION]; NULL: every phase */
    const char *metadata;     /* minimal or full; NULL: as the environment says */
    bool capture_source;
};

/* What an option was given for `request`; false with the reason when it makes no sense. */
bool recording_throttle(struct recording_request *request, const char *text, char **why);
bool recording_max_size(struct recording_request *request, const char *text, char **why);
bool recording_buffer_limit(struct recording_request *request, const char *text, char **why);
bool recording_sample_every(struct recording_request *request, const char *text, char **why);
bool recording_metadata(struct recording_request *request, const char *text, char **why);

/* False with the reason when the environment asks for something that there is not. */
/* The variable is set, and not to 0 or no. */
bool recording_is_on(const char *variable);
bool recording_judge(const struct recording_request *request, char **why);
bool recording_full_metadata(const struct recording_request *request);
bool recording_capture_source(const struct recording_request *request);
/* Why nothing will be recorded, NULL: there is no such reason. */
const char *recording_why_nothing(const struct recording_request *request);
void recording_set_environment(const struct recording_request *request);
void recording_request_free(struct recording_request *request);

#endif
