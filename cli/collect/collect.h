/* collect.h: a session's spool becomes a profile. Used by `run`, by the collector that outlives an MPI launch, by
 * `collect`, and by the reading commands when they meet a spool that nobody collected. Prints nothing. */
#ifndef SCOPE_PROFILER_COLLECT_H
#define SCOPE_PROFILER_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct collect_options {
    const char *const *spools; /* `num_spools` directories of one session (several where nodes had one each) */
    size_t num_spools;
    const char *output; /* NULL: the one that the session file names */
    const char *label;  /* NULL: the session's */
    int compress;       /* -1: the session's; 0 none; 1-9 gzip level */
    bool keep;          /* leave the spools where they are */
    unsigned jobs;      /* threads at the most; 0: as many as this process may use processors and there is work for */
    pid_t child;        /* the process that `run` waited for, 0 none: */
    int child_status;   /* its wait(2) status */
    int expected_ranks; /* 0 unknown: how many ranks the launcher started; those without a spool are named */
};

enum collect_status {
    COLLECT_OK = 0,
    COLLECT_NOTHING, /* no process recorded anything: no file was written */
    COLLECT_FAILED,  /* message says why; the spools are kept */
    COLLECT_BUSY,    /* somebody else collects this spool now */
};

struct collect_result {
    char output[4096]; /* the path written */
    uint64_t calls;
    uint32_t ranks;
    uint32_t processes;
    uint32_t running;   /* processes that were still running: what they record from now on is lost */
    char message[1024]; /* COLLECT_FAILED: one line that names the file and the cause */
    char **notes;       /* `num_notes` lines worth telling the user: what is cut off, unbalanced, lost, still running */
    size_t num_notes;
};

/* Publishes by rename, then removes the spools (unless keep). While it works it holds `<spool>/collecting` by O_EXCL
 * (with its pid; one left by a dead process is taken over). */
enum collect_status collect(const struct collect_options *options, struct collect_result *result);
void collect_result_free(struct collect_result *result);

/* True while a process that recorded into this spool is alive, as far as this machine can tell. */
bool collect_spool_in_use(const char *spool);

#endif
