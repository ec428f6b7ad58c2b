/* elf.h: can a preloaded library enter a program? Judged from its file, before it runs. */
#ifndef CLI_ELF_H
#define CLI_ELF_H

#include <stdbool.h>

enum entry {
    ENTRY_OPEN,    /* as far as the file tells */
    ENTRY_UNKNOWN, /* not an ELF program: a script without #! line, data, unreadable */
    ENTRY_STATIC,  /* no dynamic linker */
    ENTRY_SETUID,  /* the dynamic linker ignores preloads in programs that gain privileges */
    ENTRY_FOREIGN, /* another processor or word size */
    ENTRY_MUSL,    /* another C library */
};

struct verdict {
    enum entry entry;
    char *path;  /* the file that was judged last: the program, or the interpreter of its #! line */
    char *cause; /* "is statically linked", ...; NULL for the first two */
};

/* path: the program's file. Follows #! lines. verdict_free() the result. */
struct verdict entry_judge(const char *path);
void verdict_free(struct verdict *verdict);

/* Preloading would do harm, or make the dynamic linker complain on the program's stderr. */
bool entry_must_not_preload(enum entry entry);

/* The first word after argv[0] that names a program which cannot be entered, as in `env ./static`. In words that
 * another program may start with other privileges, any set-user-ID bit counts. entry is ENTRY_UNKNOWN without such a
 * word. */
struct verdict entry_judge_words(char *const *words);

#endif
