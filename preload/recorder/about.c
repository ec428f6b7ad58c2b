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

void about_log(struct recorder *recorder) {
    char directory[PATH_MAX];
    if (getcwd(directory, sizeof directory)) {
        const struct iovec piece = {directory, strlen(directory)};
        process_log(recorder, SPOOL_DIRECTORY, &piece, 1);
    }
    if (strcmp(setting_text(recorder, SETTING_METADATA), "full") == 0) log_environment(recorder);
}
