#include "internal.h"

#include <stdarg.h>
#include <stdio.h>

/* One line, whatever the path or a name contains. */
static void replace_controls(char *text) {
    for (unsigned char *at = (unsigned char *)text; *at; at++)
        if (*at < 0x20 || *at == 0x7f) *at = '?';
}

int rd_fail(spr_error *error, int status, const char *path, const char *format, ...) {
    if (!error) return status;
    error->status = status;
    int used = path ? snprintf(error->message, sizeof error->message, "%s: ", path) : 0;
    if (used < 0 || (size_t)used >= sizeof error->message) used = 0;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message + used, sizeof error->message - (size_t)used, format, arguments);
    va_end(arguments);
    replace_controls(error->message);
    return status;
}

int rd_no_memory(const spr_profile *profile, spr_error *error) {
    return rd_fail(error, SPR_NO_MEMORY, profile->path, "not enough memory");
}

struct reason {
    char *text;
    size_t size;
};

static herr_t keep_innermost(unsigned n, const H5E_error2_t *entry, void *data) {
    const struct reason *reason = data;
    if (n == 0 && entry->desc) snprintf(reason->text, reason->size, "%s", entry->desc);
    return 0;
}

void rd_hdf5_reason(char *text, size_t size) {
    struct reason reason = {text, size};
    snprintf(text, size, "nothing");
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, &reason);
}

void rd_quiet_begin(struct rd_quiet *quiet) {
    quiet->restore = H5Eget_auto2(H5E_DEFAULT, &quiet->function, &quiet->data) >= 0;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void rd_quiet_end(const struct rd_quiet *quiet) {
    H5Eclear2(H5E_DEFAULT);
    if (quiet->restore) H5Eset_auto2(H5E_DEFAULT, quiet->function, quiet->data);
}
