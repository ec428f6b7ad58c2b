/* The scope-profiler command: a table of commands. No command knows another. */
#include "base/say.h"
#include "base/suggest.h"
#include "commands/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct command commands[] = {
    {"run", "run a program and record it", command_run},
    {"inspect", "show what a profile holds", command_inspect},
    {"line-profile", "show the lines of Python functions, with hits and times", command_line_profile},
    {"diff", "show what changed between profiles", command_diff},
    {"check", "fail when a region got slower", command_check},
    {"mpi", "show MPI calls: time, bytes, who sends to and waits for whom", command_mpi},
    {"collect", "make a profile of a spool that a run left behind", command_collect},
    {"import-native", "make a profile of native traces, one a rank", command_import_native},
    {"merge", "make one profile of several, or convert one", command_merge},
};
enum { NUM_COMMANDS = sizeof commands / sizeof commands[0] };

static const struct command *find_command(const char *name) {
    for (size_t i = 0; i < NUM_COMMANDS; i++)
        if (!strcmp(commands[i].name, name)) return &commands[i];
    return NULL;
}

bool command_exists(const char *name) { return find_command(name) != NULL; }

static void print_help(FILE *out) {
    fputs("usage: scope-profiler COMMAND [options] ...\n\n"
          "Times the regions, MPI calls and functions of programs that nobody has to edit.\n\n",
          out);
    for (size_t i = 0; i < NUM_COMMANDS; i++) fprintf(out, "  %-13s %s\n", commands[i].name, commands[i].help);
    fputs("\nTo begin:\n"
          "  scope-profiler run ./app                 writes profiling_data.h5\n"
          "  mpirun -n 4 scope-profiler run ./app     one file for all ranks\n"
          "  scope-profiler inspect profiling_data.h5\n\n"
          "scope-profiler help COMMAND tells more; so do the manual pages.\n",
          out);
}

/* Its status, for the one word that it is given. */
static int call_with(const struct command *command, char *option) {
    char *words[] = {(char *)(uintptr_t)command->name, option, NULL};
    optind = 0;
    return command->function(2, words);
}

/* For the completions of shells: every command, and every option with its argument and help, from the tables that the
 * commands read themselves. */
static int list_options(void) {
    char option[] = "--list-options";
    for (size_t i = 0; i < NUM_COMMANDS; i++) {
        printf("command\t%s\t%s\n", commands[i].name, commands[i].help);
        call_with(&commands[i], option);
    }
    return 0;
}

static int unknown_command(const char *word) {
    const char *names[NUM_COMMANDS];
    for (size_t i = 0; i < NUM_COMMANDS; i++) names[i] = commands[i].name;
    char *choices = join_words(names, NUM_COMMANDS, ", ");
    const char *near = suggest(word, names, NUM_COMMANDS);
    const char *what = word[0] == '-' ? "option" : "command";
    if (near && word[0] != '-')
        say("no command '%s' (choose from %s); did you mean %s?", word, choices, near);
    else
        say("no %s '%s' (commands: %s; options: --help, --version)", what, word, choices);
    fputs("usage: scope-profiler COMMAND [options] ...\n", stderr);
    free(choices);
    return 2;
}

/* help, or help COMMAND: what COMMAND --help shows. */
static int help(char *const *words) {
    char option[] = "--help";
    if (!words[0]) {
        print_help(stdout);
        return 0;
    }
    if (words[1]) {
        say("help: one command at a time, or none");
        return 2;
    }
    const struct command *command = find_command(words[0]);
    return command ? call_with(command, option) : unknown_command(words[0]);
}

/* The reader of a pipe has gone away: it wants nothing more, and that is no error. */
static bool reader_has_gone(void) {
    struct pollfd output = {.fd = STDOUT_FILENO};
    return poll(&output, 1, 0) == 1 && output.revents & POLLERR;
}

/* Why stdout could not be written: stdio keeps no cause, so one more byte asks for it. */
static int cause_of_failure(void) {
    clearerr(stdout);
    return putchar('\n') == EOF || fflush(stdout) ? errno : EIO;
}

/* A write error that nobody notices would make a script believe a cut-off result. */
static int close_stdout(int status) {
    int failed = ferror(stdout), error = EIO;
    if (fflush(stdout) != 0)
        failed = 1, error = errno;
    else if (failed)
        error = cause_of_failure();
    bool gone = failed && (error == EPIPE || reader_has_gone());
    if (close(STDOUT_FILENO) != 0 && errno != EBADF) failed = 1, error = errno;
    if (!failed || gone || error == EBADF) return status;
    say("standard output: %s", strerror(error));
    return status ? status : 1;
}

/* Descriptors 0 to 2 that are closed are filled, so that no file of ours takes their place. Close-on-exec: a program
 * that `run` starts finds them closed as they were. */
static void fill_standard_streams(void) {
    int descriptor;
    do descriptor = open("/dev/null", O_RDWR | O_CLOEXEC);
    while (descriptor >= 0 && descriptor <= STDERR_FILENO);
    if (descriptor > STDERR_FILENO) close(descriptor);
}

int main(int argc, char **argv) {
    fill_standard_streams();
    if (argc < 2) {
        print_help(stderr);
        return 1;
    }
    const char *word = argv[1];
    if (!strcmp(word, "-h") || !strcmp(word, "--help")) {
        print_help(stdout);
        return close_stdout(0);
    }
    if (!strcmp(word, "help")) return close_stdout(help(argv + 2));
    if (!strcmp(word, "--version")) {
        puts("scope-profiler " SCOPE_PROFILER_VERSION);
        return close_stdout(0);
    }
    if (!strcmp(word, "--list-options")) return close_stdout(list_options());
    const struct command *command = find_command(word);
    if (!command) return unknown_command(word);
    return close_stdout(command->function(argc - 1, argv + 1));
}
