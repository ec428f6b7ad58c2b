/* program.h: what `run PROGRAM ARGS` starts. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include <stdbool.h>

struct program {
    char *path;  /* the file to execute */
    char **argv; /* its arguments, NULL-terminated */
};

/* Finds the program as a shell would, and gives Python programs (.py, .pyz, a directory with __main__.py; or `module`,
 * where that is not NULL) to the python3 of PATH. 0, or the shell's status (126 cannot be executed, 127 not found) with
 * *why one line. Both are to be freed. */
int program_resolve(char *const *words, const char *module, struct program *program, char **why);

/* The same, given to this Python (a path, or a word to be found in PATH) whatever it is. */
int program_with_python(char *const *words, const char *module, const char *python, struct program *program,
                        char **why);
void program_free(struct program *program);

/* Executes it with the present environment; a file that the system does not know as a program but that is text goes to
 * sh. Returns only on failure, with errno. */
void program_execute(const struct program *program);

/* The status a shell gives for this errno of execve, with the words for it. */
int program_failure(const char *path, int error, char **why);

/* The file that a command word names in PATH; NULL: none. free() it. */
char *program_in_path(const char *word);

#endif
