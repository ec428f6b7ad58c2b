/* Writing a profile: a plan, a temporary file beside the target, and the target replaced in one step. */
#include "write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

struct target {
    const char *path; /* as given */
    char *real;       /* what will be replaced: links are followed */
    char *temporary;  /* beside it */
    spr_error *error;
};

static int refuse(const struct target *target, int error) {
    return rd_fail(target->error, SPR_CANNOT_WRITE, target->path, "cannot be written: %s", strerror(error));
}

/* A link stays, and what it names is replaced. */
static int find_real(struct target *target) {
    struct stat about;
    target->real = realpath(target->path, NULL);
    if (!target->real) {
        if (errno != ENOENT) return refuse(target, errno);
        target->real = strdup(target->path);
        return target->real ? SPR_OK : refuse(target, ENOMEM);
    }
    if (stat(target->real, &about) == 0 && !S_ISREG(about.st_mode))
        return rd_fail(target->error, SPR_CANNOT_WRITE, target->path, "is not a regular file");
    return SPR_OK;
}

static int make_temporary(struct target *target) {
    const char *slash = strrchr(target->real, '/');
    const int directory = slash ? (int)(slash - target->real) + 1 : 0;
    for (unsigned number = 0; number < 1000; number++) {
        free(target->temporary);
        if (asprintf(&target->temporary, "%.*s.%s.%ld-%u.tmp", directory, target->real, target->real + directory,
                     (long)getpid(), number) < 0) {
            target->temporary = NULL;
            return refuse(target, ENOMEM);
        }
        const int descriptor = open(target->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0) {
            close(descriptor);
            return SPR_OK;
        }
        if (errno != EEXIST) break;
    }
    const int error = errno;
    free(target->temporary);
    target->temporary = NULL;
    return refuse(target, error);
}

static int synchronise(const char *path, bool directory) {
    const int descriptor = open(path, (directory ? O_DIRECTORY : 0) | O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return errno;
    const int error = fsync(descriptor) == 0 ? 0 : errno;
    close(descriptor);
    /* not every file system can do that with directories */
    return directory ? 0 : error;
}

static int publish(struct target *target) {
    const int error = synchronise(target->temporary, false);
    if (error) return refuse(target, error);
    if (rename(target->temporary, target->real) != 0) return refuse(target, errno);
    free(target->temporary);
    target->temporary = NULL;
    char *slash = strrchr(target->real, '/');
    if (slash) *slash = '\0';
    synchronise(!slash ? "." : *target->real ? target->real : "/", true);
    return SPR_OK;
}

static bool ends_with(const char *path, const char *ending) {
    const size_t length = strlen(path), wanted = strlen(ending);
    return length >= wanted && strcasecmp(path + length - wanted, ending) == 0;
}

bool spr_is_json_name(const char *path) { return ends_with(path, ".json") || ends_with(path, ".json.gz"); }

static int write_planned(struct rd_plan *plan, struct target *target) {
    int status = rd_plan_make(plan);
    if (status == SPR_OK) status = find_real(target);
    if (status == SPR_OK) status = make_temporary(target);
    if (status == SPR_OK)
        status = spr_is_json_name(target->path) ? rd_write_json(plan, target->temporary)
                                                : rd_write_hdf5(plan, target->temporary);
    if (status == SPR_OK) status = publish(target);
    if (target->temporary) unlink(target->temporary);
    return status;
}

int spr_write(spr_profile *const *profiles, size_t count, const char *path, const spr_write_options *options,
              spr_error *error) {
    static const spr_write_options plain = {0};
    struct rd_plan plan = {.profiles = profiles,
                           .num_profiles = count,
                           .options = options ? options : &plain,
                           .path = path,
                           .error = error};
    struct target target = {.path = path, .error = error};
    struct rd_quiet quiet;
    rd_quiet_begin(&quiet);
    const int status = write_planned(&plan, &target);
    rd_quiet_end(&quiet);
    rd_plan_free(&plan);
    free(target.real);
    free(target.temporary);
    return status;
}

static bool has_counters(const spr_profile *profile) {
    static const char *const groups[] = {"likwid", "perf_events"};
    bool found = false;
    for (uint32_t rank = 0; !found && rank < profile->num_ranks; rank++) {
        char name[24];
        snprintf(name, sizeof name, "rank%u", rank);
        const hid_t group = rd_open_group(profile->file, name);
        if (group < 0) continue;
        for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) found |= rd_has_link(group, groups[i]);
        H5Gclose(group);
    }
    return found;
}

const char *spr_left_out(const spr_profile *profile, bool json) {
    static const char *const words[] = {NULL, "the hardware counters", "what the MPI calls carried",
                                        "the hardware counters and what the MPI calls carried"};
    if (profile->file < 0) return NULL;
    struct rd_quiet quiet;
    rd_quiet_begin(&quiet);
    const size_t which = (size_t)has_counters(profile) + 2 * (size_t)(json && rd_has_link(profile->file, "mpi"));
    rd_quiet_end(&quiet);
    return words[which];
}
