#include "program.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <paths.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CANNOT_EXECUTE = 126, NOT_FOUND = 127 };

static bool is_directory(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool is_file(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* In the order of PATH: the first that can be executed, else the first that is there at all. */
char *program_in_path(const char *word) {
    const char *path = getenv("PATH");
    char *copy = xcopy(path ? path : _PATH_DEFPATH), *rest = copy, *present = NULL;
    for (char *directory; *word && (directory = strsep(&rest, ":"));) {
        char *candidate = xformat("%s/%s", *directory ? directory : ".", word);
        bool file = is_file(candidate);
        if (file && access(candidate, X_OK) == 0) {
            free(present);
            free(copy);
            return candidate;
        }
        if (file && !present)
            present = candidate;
        else
            free(candidate);
    }
    free(copy);
    return present;
}

static bool ends_with(const char *text, const char *suffix) {
    size_t length = strlen(text), wanted = strlen(suffix);
    return length > wanted && !strcmp(text + length - wanted, suffix);
}

static bool starts_with_interpreter(const char *path) {
    char head[2] = "";
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool has = file >= 0 && read(file, head, 2) == 2 && head[0] == '#' && head[1] == '!';
    if (file >= 0) close(file);
    return has;
}

/* A Python file that can be executed says itself which python it wants. */
static bool is_python(const char *path) {
    if (is_directory(path)) {
        char *main = xformat("%s/__main__.py", path);
        bool has_main = is_file(main);
        free(main);
        return has_main;
    }
    if (!is_file(path) || (!ends_with(path, ".py") && !ends_with(path, ".pyz"))) return false;
    return access(path, X_OK) || !starts_with_interpreter(path);
}

static int fail(int status, char *reason, char **why) {
    *why = reason;
    return status;
}

int program_with_python(char *const *words, const char *module, const char *python, struct program *program,
                        char **why) {
    *program = (struct program){0};
    size_t count = 0, at = 0;
    while (words[count]) count++;
    program->path = strchr(python, '/') ? xcopy(python) : program_in_path(python);
    if (!program->path)
        return fail(NOT_FOUND, xformat("%s: %s is not in PATH", module ? module : words[0], python), why);
    program->argv = xalloc(count + 4, sizeof(char *));
    program->argv[at++] = xcopy(python);
    if (module) {
        program->argv[at++] = xcopy("-m");
        program->argv[at++] = xcopy(module);
    }
    for (size_t i = 0; i < count; i++) program->argv[at++] = xcopy(words[i]);
    return 0;
}

int program_resolve(char *const *words, const char *module, struct program *program, char **why) {
    *program = (struct program){0};
    const char *word = words[0];
    if (module || is_python(word)) return program_with_python(words, module, "python3", program, why);
    bool here = strchr(word, '/') || ((ends_with(word, ".py") || ends_with(word, ".pyz")) && is_file(word));
    char *path = here ? xcopy(word) : program_in_path(word);
    if (!path && is_directory(word))
        return fail(NOT_FOUND, xformat("%s: is a directory without __main__.py", word), why);
    if (!path) return fail(NOT_FOUND, xformat("%s: command not found", word), why);
    int error = access(path, F_OK) ? errno : is_directory(path) ? EISDIR : access(path, X_OK) ? errno : 0;
    if (error) {
        int status = program_failure(path, error, why);
        free(path);
        return status;
    }
    size_t count = 0;
    while (words[count]) count++;
    program->path = path;
    program->argv = xalloc(count + 1, sizeof(char *));
    for (size_t i = 0; i < count; i++) program->argv[i] = xcopy(words[i]);
    return 0;
}

void program_free(struct program *program) {
    for (size_t i = 0; program->argv && program->argv[i]; i++) free(program->argv[i]);
    free(program->argv);
    free(program->path);
    *program = (struct program){0};
}

static bool is_text(const char *path) {
    char head[256];
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t length = file < 0 ? -1 : read(file, head, sizeof head);
    if (file >= 0) close(file);
    bool elf = length >= 4 && !memcmp(head, "\177ELF", 4);
    return length >= 0 && !elf && !memchr(head, '\0', (size_t)length);
}

void program_execute(const struct program *program) {
    execv(program->path, program->argv);
    if (errno != ENOEXEC || !is_text(program->path)) return;
    size_t count = 0;
    while (program->argv[count]) count++;
    char **argv = xalloc(count + 2, sizeof(char *));
    argv[0] = (char *)"sh";
    argv[1] = program->path;
    memcpy(argv + 2, program->argv + 1, (count ? count : 1) * sizeof(char *)); /* its NULL as well */
    execv("/bin/sh", argv);
    free(argv);
}

int program_failure(const char *path, int error, char **why) {
    if (error == ENOENT && access(path, F_OK) == 0)
        return fail(CANNOT_EXECUTE, xformat("%s: its interpreter is missing", path), why);
    bool missing = error == ENOENT || error == ENOTDIR;
    return fail(missing ? NOT_FOUND : CANNOT_EXECUTE, xformat("%s: %s", path, strerror(error)), why);
}
