#include "elf.h"

#include "base/memory.h"
#include "program.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { MOST_INTERPRETERS = 5, MOST_HEADERS = 256, MOST_WORDS = 64 };

/* This command is built for what the preloaded library is built for: its own header says what that is. */
#if defined __x86_64__
#    define OWN_MACHINE EM_X86_64
#elif defined __aarch64__
#    define OWN_MACHINE EM_AARCH64
#elif defined __riscv
#    define OWN_MACHINE EM_RISCV
#elif defined __powerpc64__
#    define OWN_MACHINE EM_PPC64
#else
#    error "say which ELF machine this is"
#endif

static bool read_at(int file, void *buffer, size_t size, uint64_t offset) {
    return offset < INT64_MAX && pread(file, buffer, size, (off_t)offset) == (ssize_t)size;
}

/* The path in PT_INTERP. 1 found, 0 none, -1 the file cannot be read as ELF. */
static int read_interpreter(int file, const Elf64_Ehdr *header, char interpreter[PATH_MAX]) {
    size_t count = header->e_phnum < MOST_HEADERS ? header->e_phnum : MOST_HEADERS;
    for (size_t i = 0; i < count; i++) {
        Elf64_Phdr part;
        if (!read_at(file, &part, sizeof part, header->e_phoff + i * header->e_phentsize)) return -1;
        if (part.p_type != PT_INTERP) continue;
        size_t size = part.p_filesz < PATH_MAX ? part.p_filesz : PATH_MAX - 1;
        if (!read_at(file, interpreter, size, part.p_offset)) return -1;
        interpreter[size] = '\0';
        return 1;
    }
    return 0;
}

/* `ld.so ./app` has no interpreter either, but is one, and preloads into what it starts. */
static bool is_dynamic_linker(const char *path) {
    char *real = realpath(path, NULL);
    const char *base = real ? strrchr(real, '/') + 1 : "";
    bool is = !strncmp(base, "ld-", 3) || !strncmp(base, "ld.so", 5) || !strncmp(base, "ld64.so", 7);
    free(real);
    return is;
}

static const char *judge_elf(int file, const char *path, const unsigned char *ident, enum entry *entry) {
    char interpreter[PATH_MAX];
    Elf64_Ehdr header;
    *entry = ENTRY_FOREIGN;
    if (ident[EI_CLASS] != ELFCLASS64) return "is a 32-bit program";
    if (ident[EI_DATA] != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB))
        return "is a program for another processor";
    *entry = ENTRY_UNKNOWN;
    if (!read_at(file, &header, sizeof header, 0)) return NULL;
    if (header.e_machine != OWN_MACHINE) {
        *entry = ENTRY_FOREIGN;
        return "is a program for another processor";
    }
    if (header.e_type != ET_EXEC && header.e_type != ET_DYN) return NULL;
    int found = read_interpreter(file, &header, interpreter);
    if (found < 0) return NULL;
    if (found == 0 && !is_dynamic_linker(path)) {
        *entry = ENTRY_STATIC;
        return "is statically linked";
    }
    if (found && strstr(interpreter, "ld-musl")) {
        *entry = ENTRY_MUSL;
        return "is linked with musl, another C library than this tool's";
    }
    *entry = ENTRY_OPEN;
    return NULL;
}

/* privileged: any program that could gain rights counts, not only one that does for the present user. */
static const char *gains_privileges(int file, const struct stat *status, bool privileged) {
    struct statvfs filesystem;
    if (fstatvfs(file, &filesystem) == 0 && filesystem.f_flag & ST_NOSUID) return NULL;
    if (status->st_mode & S_ISUID && (privileged || status->st_uid != getuid())) return "is set-user-ID";
    bool group_runs = status->st_mode & S_ISGID && status->st_mode & S_IXGRP;
    if (group_runs && (privileged || status->st_gid != getgid())) return "is set-group-ID";
    if (getuid() != 0 && fgetxattr(file, "security.capability", NULL, 0) > 0) return "has file capabilities";
    return NULL;
}

/* "#! /usr/bin/env python3" is judged as python3 of PATH. NULL: no #! line. */
static char *script_interpreter(const char *head) {
    if (strncmp(head, "#!", 2)) return NULL;
    char *line = xcopy(head + 2), *found = NULL;
    line[strcspn(line, "\r\n")] = '\0';
    char *rest = line, *words[8];
    size_t count = 0;
    for (char *word; count < 8 && (word = strsep(&rest, " \t"));)
        if (*word) words[count++] = word;
    size_t length = count ? strlen(words[0]) : 0;
    if (length >= 4 && !strcmp(words[0] + length - 4, "/env"))
        for (size_t i = 1; i < count && !found; i++)
            if (words[i][0] != '-' && !strchr(words[i], '=')) found = program_in_path(words[i]);
    if (!found && count) found = xcopy(words[0]);
    free(line);
    return found;
}

static struct verdict judge_one(const char *path, bool privileged, char **interpreter) {
    struct verdict verdict = {.entry = ENTRY_UNKNOWN, .path = xcopy(path)};
    struct stat status;
    char head[256] = "";
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const char *cause = NULL;
    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
        pread(file, head, sizeof head - 1, 0) > 0) {
        *interpreter = script_interpreter(head);
        if (!memcmp(head, ELFMAG, SELFMAG)) {
            cause = judge_elf(file, path, (unsigned char *)head, &verdict.entry);
            const char *gains = verdict.entry == ENTRY_OPEN ? gains_privileges(file, &status, privileged) : NULL;
            if (gains) verdict.entry = ENTRY_SETUID, cause = gains;
        }
    }
    if (file >= 0) close(file);
    if (cause) verdict.cause = xcopy(cause);
    return verdict;
}

static struct verdict judge(const char *path, bool privileged) {
    char *interpreter = NULL;
    struct verdict verdict = judge_one(path, privileged, &interpreter);
    for (int depth = 0; interpreter && depth < MOST_INTERPRETERS; depth++) {
        char *here = interpreter;
        interpreter = NULL;
        verdict_free(&verdict);
        verdict = judge_one(here, privileged, &interpreter);
        free(here);
    }
    free(interpreter);
    return verdict;
}

struct verdict entry_judge(const char *path) {
    return judge(path, false);
}

struct verdict entry_judge_words(char *const *words) {
    for (size_t i = 1; words[0] && words[i] && i < MOST_WORDS; i++) {
        char *path = strchr(words[i], '/') ? xcopy(words[i]) : program_in_path(words[i]);
        if (!path || access(path, X_OK)) {
            free(path);
            continue;
        }
        struct verdict verdict = judge(path, true);
        free(path);
        if (verdict.cause) return verdict;
        verdict_free(&verdict);
    }
    return (struct verdict){.entry = ENTRY_UNKNOWN};
}

void verdict_free(struct verdict *verdict) {
    free(verdict->path);
    free(verdict->cause);
    *verdict = (struct verdict){.entry = ENTRY_UNKNOWN};
}

bool entry_must_not_preload(enum entry entry) { return entry == ENTRY_FOREIGN || entry == ENTRY_MUSL; }
