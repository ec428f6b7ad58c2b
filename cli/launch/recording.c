#include "recording.h"

#include "base/memory.h"
#include "spool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A number with a unit behind it, in the smallest; false for anything else. */
struct unit {
    const char *name;
    uint64_t factor;
};

static bool take_amount(const char *text, const struct unit *units, uint64_t *value) {
    char *end;
    errno = 0;
    const double number = strtod(text, &end);
    if (errno || end == text || !(number >= 0) || (*text != '.' && (*text < '0' || *text > '9'))) return false;
    for (; units->name; units++) {
        if (strcasecmp(end, units->name)) continue;
        const double amount = number * (double)units->factor;
        *value = amount < 9e18 ? (uint64_t)amount : UINT64_C(9000000000000000000);
        return true;
    }
    return false;
}

bool recording_throttle(struct recording_request *request, const char *text, char **why) {
    static const struct unit units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {NULL, 0}};
    char *colon;
    errno = 0;
    const unsigned long long calls = strtoull(text, &colon, 10);
    uint64_t ns = 0;
    const bool good = *text >= '1' && *text <= '9' && !errno && *colon == ':' && take_amount(colon + 1, units, &ns);
    if (!good || ns == 0) {
        *why = xformat("--throttle: '%s' is not CALLS:TIME, as in 100000:1us", text);
        return false;
    }
    request->throttle_calls = calls;
    request->throttle_ns = ns;
    return true;
}

bool recording_max_size(struct recording_request *request, const char *text, char **why) {
    static const struct unit units[] = {{"", 1},          {"B", 1},         {"k", 1 << 10},   {"KB", 1 << 10},
                                        {"M", 1 << 20},   {"MB", 1 << 20},  {"G", 1 << 30},   {"GB", 1 << 30},
                                        {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {NULL, 0}};
    if (take_amount(text, units, &request->max_bytes) && request->max_bytes) return true;
    *why = xformat("--max-size: '%s' is no size, as in 500M", text);
    return false;
}

bool recording_buffer_limit(struct recording_request *request, const char *text, char **why) {
    char *end;
    errno = 0;
    request->buffer_calls = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !errno && !*end && request->buffer_calls) return true;
    *why = xformat("--buffer-limit: '%s' is no number of calls", text);
    return false;
}

/* The digits at the begin of `text`; NULL: there are none, or too many. */
static const char *behind_number(const char *text, unsigned long long *number) {
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !errno ? end : NULL;
}

bool recording_sample_every(struct recording_request *request, const char *text, char **why) {
    unsigned long long every, start;
    const char *rest = behind_number(text, &every);
    bool good = rest && every && (!*rest || *rest == ':');
    if (good && *rest) {
        const char *behind = behind_number(rest + 1, &start);
        if (behind && (!*behind || *behind == ':')) rest = behind;
        if (*rest) good = rest[1] && strlen(rest + 1) < SPOOL_SAMPLED_MAX;
    }
    request->sample_every = text;
    if (good) return true;
    *why = xformat("--sample-every: '%s' is not N, N:START, N:REGION or N:START:REGION, as in 10:step", text);
    return false;
}

bool recording_metadata(struct recording_request *request, const char *text, char **why) {
    request->metadata = text;
    if (!strcmp(text, "minimal") || !strcmp(text, "full")) return true;
    *why = xformat("--metadata: '%s' is none of minimal, full", text);
    return false;
}

static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static const char *metadata_of(const struct recording_request *request) {
    const char *given = variable(SPOOL_ENV_METADATA);
    return request->metadata ? request->metadata : given ? given : "minimal";
}

bool recording_full_metadata(const struct recording_request *request) { return !strcmp(metadata_of(request), "full"); }

bool recording_is_on(const char *name) {
    const char *value = variable(name);
    return value && strcmp(value, "0") != 0 && strcmp(value, "no") != 0;
}

bool recording_capture_source(const struct recording_request *request) {
    return request->capture_source || recording_is_on(SPOOL_ENV_CAPTURE_SOURCE);
}

static const char *mode_of(const struct recording_request *request) {
    const char *given = variable(SPOOL_ENV_MODE);
    return request->aggregate ? "aggregate" : given ? given : "trace";
}

static bool judge_variable(const char *name, const char *value, const char *const *words, const char *list,
                           char **why) {
    for (; *words; words++)
        if (!strcmp(value, *words)) return true;
    *why = xformat("%s: '%s' is none of %s", name, value, list);
    return false;
}

bool recording_judge(const struct recording_request *request, char **why) {
    static const char *const modes[] = {"off", "trace", "aggregate", NULL};
    static const char *const details[] = {"minimal", "full", NULL};
    return judge_variable(SPOOL_ENV_MODE, mode_of(request), modes, "off, trace, aggregate", why) &&
           judge_variable(SPOOL_ENV_METADATA, metadata_of(request), details, "minimal, full", why);
}

const char *recording_why_nothing(const struct recording_request *request) {
    return strcmp(mode_of(request), "off") ? NULL : SPOOL_ENV_MODE " is off";
}

/* What an outer environment says must not add to what this run was asked for. */
static void set(const char *variable, const char *value) {
    if (value)
        setenv(variable, value, 1);
    else
        unsetenv(variable);
}

void recording_set_environment(const struct recording_request *request) {
    char text[64];
    if (request->aggregate) setenv(SPOOL_ENV_MODE, "aggregate", 1);
    set(SPOOL_ENV_INCLUDE, request->include);
    set(SPOOL_ENV_EXCLUDE, request->exclude);
    set(SPOOL_ENV_TAGS, request->tags);
    if (request->throttle_calls) {
        snprintf(text, sizeof text, "%" PRIu64 ":%" PRIu64, request->throttle_calls, request->throttle_ns);
        setenv(SPOOL_ENV_THROTTLE, text, 1);
    }
    if (request->max_bytes) {
        snprintf(text, sizeof text, "%" PRIu64, request->max_bytes);
        setenv(SPOOL_ENV_MAX_SIZE, text, 1);
    }
    if (request->buffer_calls) {
        snprintf(text, sizeof text, "%" PRIu64, request->buffer_calls);
        setenv(SPOOL_ENV_BUFFER_LIMIT, text, 1);
    }
    if (request->sample_every) setenv(SPOOL_ENV_SAMPLE_EVERY, request->sample_every, 1);
    if (request->metadata) setenv(SPOOL_ENV_METADATA, request->metadata, 1);
}

void recording_request_free(struct recording_request *request) {
    free(request->include);
    free(request->exclude);
    free(request->tags);
    *request = (struct recording_request){0};
}
