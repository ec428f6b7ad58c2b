#include "internal.h"
#include <string.h>

/* What a process says of where it runs, beside its own page: `collect` decides what of that goes into the profile. */

enum { MOST = 1 << 20 }; /* bytes of variables */

static const char *const variables[] = {
    "PATH",
    "LD_LIBRARY_PATH",
    "VIRTUAL_ENV",
    "LOADEDMODULES",
    "MODULEPATH",
    "MODULESHOME",
    "MODULES_CMD",
    "PYTHON_HOME",
    "MODULES_RUN_QUARANTINE",
    "PYTHON_INC",
    "PYTHON_LIB",
    "PYTHON_INCLUDE",
    "LOGNAME",
    "USER",
    "LNAME",
    "USERNAME",
};

static bool is_told(const char *entry) {
    if (strncmp(entry, "SLURM_", 6) == 0 || strncmp(entry, "SLURMD_", 7) == 0) return true;
    const size_t length = strcspn(entry, "=");
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (strlen(variables[i]) == length && memcmp(variables[i], entry, length) == 0) return true;
    return false;
}

/* One record of NAME=value texts, each with its NUL. */
static void log_environment(struct recorder *recorder) {
    char *text = sys_pages(MOST);
    size_t used = 0;
    for (char **entry = environ; text && entry && *entry; entry++) {
        const size_t bytes = strlen(*entry) + 1;
        if (bytes > MOST - used || !is_told(*entry)) continue;
        memcpy(text + used, *entry, bytes);
        used += bytes;
    }
    const struct iovec piece = {text, used};
    if (text) process_log(recorder, SPOOL_ENVIRONMENT, &piece, 1);
    if (text) munmap(text, MOST);
}

static bool wants_full(const struct recorder *recorder) {
    return strcmp(setting_text(recorder, SETTING_METADATA), "full") == 0;
}

bool rec_full_metadata(void) { return recorder_default && wants_full(recorder_default); }

static char python[32]; /* the version; a forked child's, too */

static void log_python(struct recorder *recorder) {
    const struct iovec piece = {python, strlen(python)};
    if (*python) process_log(recorder, SPOOL_PYTHON, &piece, 1);
}

void rec_set_python(const char *version) {
    struct sys_quiet q = sys_quiet_begin();
    const size_t length = strcspn(version, " ");
    if (!*python && length < sizeof python) {
        memcpy(python, version, length);
        struct recorder *r = recorder_default;
        if (r) lock_take(&r->live->lock);
        if (r && r->live->state == LIVE_ON) log_python(r);
        if (r) lock_give(&r->live->lock);
    }
    sys_quiet_end(q);
}

void about_log(struct recorder *recorder) {
    char directory[PATH_MAX];
    if (getcwd(directory, sizeof directory)) {
        const struct iovec piece = {directory, strlen(directory)};
        process_log(recorder, SPOOL_DIRECTORY, &piece, 1);
    }
    log_python(recorder);
    if (wants_full(recorder)) log_environment(recorder);
}
