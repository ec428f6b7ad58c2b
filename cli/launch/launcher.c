#include "launcher.h"

#include "base/memory.h"
#include "base/path.h"
#include "process.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ANCESTORS = 32 };

static const struct kind {
    const char *rank, *size, *local_size;
    bool needs_several; /* a step of one task is as likely a shell that somebody works in */
} kinds[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", false},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE", false},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS", false},
    {"PMIX_RANK", "PRTE_SIZE", "PRTE_LOCAL_SIZE", false},
    {"PALS_RANKID", "PALS_SIZE", "PALS_LOCAL_SIZE", false},
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_NTASKS_PER_NODE", true},
};
enum { NUM_KINDS = sizeof kinds / sizeof kinds[0] };

static int number_of(const char *name, int otherwise) {
    const char *text = getenv(name);
    char *end;
    if (!text || !*text) return otherwise;
    long value = strtol(text, &end, 10);
    return *end || value < 0 || value > INT_MAX ? otherwise : (int)value;
}

/* Steps of Slurm that are no launch (batch script, interactive shell) have numbers near 2^32. */
static bool is_slurm_step(void) {
    const char *step = getenv("SLURM_STEP_ID");
    if (!step) step = getenv("SLURM_STEPID");
    return step && strtoull(step, NULL, 10) < 4000000000u;
}

static const struct kind *find_kind(void) {
    for (size_t i = 0; i < NUM_KINDS; i++) {
        const struct kind *kind = &kinds[i];
        if (number_of(kind->rank, -1) < 0) continue;
        if (!kind->needs_several || (is_slurm_step() && number_of(kind->size, 0) > 1)) return kind;
    }
    return NULL;
}

/* The nearest ancestor that is not part of a rank: the launcher's process on this machine. (Between it and us there may
 * be shells.) */
static pid_t find_launcher_process(const char *rank_variable) {
    pid_t pid = getppid();
    for (int i = 0; i < MOST_ANCESTORS && pid > 1 && proc_had_variable(pid, rank_variable); i++) pid = proc_parent(pid);
    return pid;
}

/* Hydra's proxies on all machines are started with the address of their one mpiexec. */
static char *control_port(pid_t pid) {
    char path[64], *word = NULL, *found = NULL;
    size_t room = 0;
    bool next = false;
    snprintf(path, sizeof path, "/proc/%ld/cmdline", (long)pid);
    FILE *file = fopen(path, "re");
    while (file && !found && getdelim(&word, &room, '\0', file) > 0) {
        if (next) found = xcopy(word);
        next = !strcmp(word, "--control-port");
    }
    if (file) fclose(file);
    free(word);
    return found;
}

/* What names a launch, the surest first. */
static const char *const identities[][2] = {
    {"PMIX_NAMESPACE", NULL}, {"OMPI_MCA_ess_base_jobid", NULL}, {"PMI_JOBID", NULL},
    {"PALS_APID", NULL},      {"SLURM_JOB_ID", "SLURM_STEP_ID"},
};

/* NULL: the launcher says nothing that is the same on all machines. */
static char *launch_name(void) {
    for (size_t i = 0; i < sizeof identities / sizeof identities[0]; i++) {
        const char *first = getenv(identities[i][0]);
        const char *second = identities[i][1] ? getenv(identities[i][1]) : "";
        if (first && second) return xformat("%s.%s", first, second);
    }
    return NULL;
}

static void identify(const struct kind *kind, struct launcher *launcher) {
    pid_t process = find_launcher_process(kind->rank);
    bool one_node = launcher->size && launcher->local_size == launcher->size;
    char *name = control_port(process);
    launcher->proxy = name ? process : 0;
    if (!name) name = launch_name();
    uint64_t hash = hash_text(hash_text(HASH_START, kind->rank), name ? name : "");
    /* On one machine the launcher's process tells two launches of one name apart. */
    if (one_node || !name) hash = proc_identity(hash, process);
    free(name);
    launcher->launch = hash;
}

bool launcher_detect(struct launcher *launcher) {
    const struct kind *kind = find_kind();
    if (!kind) return false;
    launcher->rank = number_of(kind->rank, 0);
    launcher->size = number_of(kind->size, 0);
    launcher->local_size = number_of(kind->local_size, 0);
    if (launcher->local_size > launcher->size) launcher->local_size = 0;
    identify(kind, launcher);
    return true;
}

void launcher_pass_environment(const char *path) {
    static const char list_variable[] = "OMPI_MCA_mca_base_env_list";
    char *real = realpath(path, NULL);
    bool open_mpi_4 = real && strrchr(real, '/') && !strcmp(strrchr(real, '/') + 1, "orterun");
    free(real);
    if (!open_mpi_4 || getenv(list_variable)) return;
    char *list = xcopy("");
    for (char **variable = environ; *variable; variable++) {
        bool ours = !strncmp(*variable, "LD_PRELOAD=", 11) || !strncmp(*variable, "SCOPE_PROFILER_", 15);
        if (!ours || strchr(*variable, ';')) continue; /* the list has no way to quote */
        char *longer = xformat("%s%s%s", list, *list ? ";" : "", *variable);
        free(list);
        list = longer;
    }
    setenv(list_variable, list, 1);
    free(list);
}
