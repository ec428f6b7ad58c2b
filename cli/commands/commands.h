/* commands.h: the table of commands. A command gets argv[0] = its own name and returns the exit status. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include <stdbool.h>

struct command {
    const char *name;
    const char *help; /* one line */
    int (*function)(int argc, char **argv);
};

int command_run(int argc, char **argv);
int command_collect(int argc, char **argv);
int command_inspect(int argc, char **argv);
int command_line_profile(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_check(int argc, char **argv);
int command_import_native(int argc, char **argv);
int command_merge(int argc, char **argv);
int command_mpi(int argc, char **argv);

/* True when this build has the command: hints name only such. */
bool command_exists(const char *name);

#endif
