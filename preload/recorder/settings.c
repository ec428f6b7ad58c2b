#include "internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is asked of a recorder: by the environment, or for those of rec_open() by rec_configure(), which is stronger. */

static const struct {
    const char *key, *variable;
} names[] = {
    [SETTING_MODE] = {"mode", SPOOL_ENV_MODE},
    [SETTING_THROTTLE] = {"throttle", SPOOL_ENV_THROTTLE},
    [SETTING_MAX_SIZE] = {"max_size", SPOOL_ENV_MAX_SIZE},
    [SETTING_BUFFER_LIMIT] = {"buffer_limit", SPOOL_ENV_BUFFER_LIMIT},
    [SETTING_SAMPLE_EVERY] = {"sample_every", SPOOL_ENV_SAMPLE_EVERY},
    [SETTING_NO_OUTPUT] = {"no_output", SPOOL_ENV_NO_OUTPUT},
    [SETTING_LABEL] = {"label", SPOOL_ENV_LABEL},
    [SETTING_METADATA] = {"metadata", SPOOL_ENV_METADATA},
    [SETTING_CAPTURE_SOURCE] = {"capture_source", SPOOL_ENV_CAPTURE_SOURCE},
};

enum { VALUE_MAX = 4096 };
static struct {
    bool given;
    char value[VALUE_MAX];
} * configured; /* by setting; made when the first is given */

bool rec_configure(const char *key, const char *value) {
    size_t i = 0;
    while (i < SETTINGS && strcmp(key, names[i].key) != 0) i++;
    if (i == SETTINGS || (value && strlen(value) >= VALUE_MAX)) return false;
    if (!configured && !(configured = sys_pages(SETTINGS * sizeof *configured))) return false;
    configured[i].given = value != NULL;
    if (value) memcpy(configured[i].value, value, strlen(value) + 1);
    return true;
}

const char *setting_text(const struct recorder *recorder, enum setting setting) {
    if (recorder->own && configured && configured[setting].given) return configured[setting].value;
    const char *value = getenv(names[setting].variable);
    return value ? value : "";
}

bool setting_is_on(const struct recorder *recorder, enum setting setting) {
    const char *text = setting_text(recorder, setting);
    return *text && strcmp(text, "0") != 0 && strcmp(text, "no") != 0;
}

static bool number(const char **at, uint64_t *value) {
    char *end;
    if (**at < '0' || **at > '9') return false;
    errno = 0;
    *value = strtoull(*at, &end, 10);
    *at = end;
    return errno == 0;
}

static void refuse(enum setting setting, const char *text, const char *what) {
    rec_warn("%s: '%.40s' is %s: ignored", names[setting].variable, text, what);
}

/* CALLS:NANOSECONDS */
static void read_throttle(struct recorder *r) {
    const char *text = setting_text(r, SETTING_THROTTLE), *at = text;
    uint64_t calls, ns;
    if (!*text || r->mode != REC_TRACE) return;
    if (!number(&at, &calls) || *at++ != ':' || !number(&at, &ns) || *at || calls == 0) {
        refuse(SETTING_THROTTLE, text, "not CALLS:NANOSECONDS");
        return;
    }
    r->mode = REC_THROTTLE;
    r->throttle_calls = calls;
    r->throttle_ns = ns;
}

/* N[:START][:REGION]: what begins with a digit and ends there is START. */
static void read_sampling(struct recorder *r) {
    const char *text = setting_text(r, SETTING_SAMPLE_EVERY), *at = text;
    struct sampling sampling = {0};
    if (!*text) return;
    bool good = number(&at, &sampling.every) && sampling.every > 0 && (*at == 0 || *at == ':');
    if (good && *at) {
        const char *second = ++at;
        if (!number(&at, &sampling.start) || (*at && *at != ':')) {
            sampling.start = 0;
            at = second - 1;
        }
        if (*at)
            good = snprintf(sampling.name, sizeof sampling.name, "%s", at + 1) < (int)sizeof sampling.name && at[1];
    }
    if (good)
        r->sampling = sampling;
    else
        refuse(SETTING_SAMPLE_EVERY, text, "not N[:START][:REGION]");
}

static void read_number(struct recorder *r, enum setting setting, uint64_t *value) {
    const char *text = setting_text(r, setting), *at = text;
    uint64_t given;
    if (!*text) return;
    if (number(&at, &given) && !*at)
        *value = given;
    else
        refuse(setting, text, "no number");
}

static enum rec_mode read_mode(const struct recorder *r) {
    static const char *const modes[] = {[REC_TRACE] = "trace", [REC_AGGREGATE] = "aggregate", [REC_OFF] = "off"};
    const char *wanted = setting_text(r, SETTING_MODE);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(wanted, modes[i]) == 0) return (enum rec_mode)i;
    if (*wanted) rec_warn(SPOOL_ENV_MODE ": '%.40s' is none of off, trace, aggregate: trace", wanted);
    return REC_TRACE;
}

void settings_read(struct recorder *r) {
    r->mode = read_mode(r);
    r->most_bytes = r->buffer_calls = 0;
    r->sampling = (struct sampling){0};
    read_throttle(r);
    read_sampling(r);
    read_number(r, SETTING_MAX_SIZE, &r->most_bytes);
    read_number(r, SETTING_BUFFER_LIMIT, &r->buffer_calls);
}
