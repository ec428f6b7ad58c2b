/* child.h: starting a program and waiting for it, without getting between it and the terminal. */
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

#include "program.h"

#include <sys/types.h>

struct child {
    pid_t pid;
    int status;      /* of wait(2) */
    int start_error; /* errno of a failed start, 0 it ran */
};

/* Forks; `environment(argument)` sets the child's environment; executes; `started(pid, argument)` is called in this
 * process. Waits for the child alone, not for what it left in the background. SIGINT and SIGQUIT are left to the child
 * (the terminal sends them to both), SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCONT are handed on, SIGTSTP stops both.
 * False: no process could be made, errno says why. */
bool child_run(const struct program *program, void (*environment)(void *), void (*started)(pid_t, void *),
               void *argument, struct child *child);

/* The same for a function in a process of its own, which ends with the status that it returns. */
bool child_call(int (*body)(void *), void *argument, struct child *child);

int child_exit_status(int wait_status); /* as a shell: 128 + the signal */

#endif
