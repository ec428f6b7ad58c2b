/* process.h: processes told apart by pid and start time, and small files that name them in a spool:
 *
 *   rank-<rank>-<node>   a rank of an MPI launch, written by the `run` that becomes it; or what a plain `run` started
 *   watcher-<node>       who collects when all have ended: the watcher of an MPI launch, or the waiting `run`
 *   done-<node>          that watcher has seen all ranks of its node end
 *
 * Their text is `pid=<pid>` and `start=<field 22 of /proc/<pid>/stat>`, a line each. <node> stands for the machine (and
 * pid and time name space): a process can only be asked for on its own. */
#ifndef CLI_PROCESS_H
#define CLI_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { NODE_DIGITS = 8 };

struct process {
    pid_t pid;
    uint64_t start; /* clock ticks since boot; 0 unknown */
};

void proc_node(char node[NODE_DIGITS + 1]); /* this machine's */

/* `hash`, and in it a process of this machine: the same from all name spaces of time. */
uint64_t proc_identity(uint64_t hash, pid_t pid);

struct process proc_of(pid_t pid);
bool proc_alive(struct process process); /* a zombie is not */

/* Writes a process file; fails with EEXIST when there is one. 0, or -1 with errno. */
int proc_record(int spool, const char *name, struct process process);
int proc_replace(int spool, const char *name, struct process process); /* the same, over an existing one */
/* Leaves word that the process has just ended, for calls that its death cut off. Best effort. */
void proc_record_end(int spool, struct process process);
bool proc_read(int spool, const char *name, struct process *process);

/* Calls `each` for every file of the spool whose name begins with `prefix` and ends with `suffix`, until it returns
 * true. Returns whether one did. */
bool proc_files(int spool, const char *prefix, const char *suffix,
                bool (*each)(int spool, const char *name, void *argument), void *argument);

/* The value of a variable in a process's environment as it was when it started. False: unset, or unreadable. */
bool proc_had_variable(pid_t pid, const char *name);
pid_t proc_parent(pid_t pid); /* 0 unknown */

#endif
