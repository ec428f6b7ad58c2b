#include "metadata.h"
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Who ran it, where, and with which environment: only when the user asked for it. */

static const char *variable(const struct process *p, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = p->environment; at && *at; at += strlen(at) + 1)
        if (strncmp(at, name, length) == 0 && at[length] == '=') return at + length + 1;
    return NULL;
}

/* As Python's getpass.getuser(); last, whoever makes the profile. */
static bool add_user(struct metadata *m, const struct process *p) {
    static const char *const names[] = {"LOGNAME", "USER", "LNAME", "USERNAME"};
    const char *user = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && (!user || !*user); i++) user = variable(p, names[i]);
    const struct passwd *entry = user && *user ? NULL : getpwuid(geteuid());
    if (entry) user = entry->pw_name;
    return !user || !*user || metadata_add_copy(m, "user", user);
}

/* As Python prints platform.uname() */
static bool add_uname(struct metadata *m) {
    struct utsname u;
    char text[8 * sizeof u.nodename];
    if (uname(&u) != 0) return true;
    snprintf(text, sizeof text, "uname_result(system='%s', node='%s', release='%s', version='%s', machine='%s')",
             u.sysname, u.nodename, u.release, u.version, u.machine);
    return metadata_add_copy(m, "uname", text);
}

static bool add_modules(struct metadata *m, const struct process *p) {
    const char *loaded = variable(p, "LOADEDMODULES");
    char *copy = strdup(loaded ? loaded : ""), *rest = copy;
    size_t count = 0;
    const char **modules = copy ? calloc(strlen(copy) + 1, sizeof *modules) : NULL;
    for (char *module; modules && (module = strsep(&rest, ":"));)
        if (*module) modules[count++] = module;
    bool good = modules && metadata_add_list(m, "modules", modules, count);
    free(modules);
    free(copy);
    return good;
}

static bool names_the_user(const char *entry) {
    return strncmp(entry, "LOGNAME=", 8) == 0 || strncmp(entry, "USER=", 5) == 0 || strncmp(entry, "LNAME=", 6) == 0 ||
           strncmp(entry, "USERNAME=", 9) == 0;
}

static bool has(const struct metadata *m, const char *key) {
    for (size_t i = 0; i < m->count; i++)
        if (strcmp(m->attributes[i].key, key) == 0) return true;
    return false;
}

static bool add_variables(struct metadata *m, const struct process *p) {
    enum { NAME_MOST = 256, MOST = 1000 };
    char name[NAME_MOST];
    for (const char *at = p->environment; at && *at; at += strlen(at) + 1) {
        const char *value = strchr(at, '=');
        if (!value || value == at || value - at >= NAME_MOST || names_the_user(at)) continue;
        snprintf(name, sizeof name, "%.*s", (int)(value - at), at);
        if (m->count >= MOST || has(m, name)) continue;
        if (!metadata_add_copy(m, name, value + 1)) return false;
    }
    return true;
}

bool metadata_add_full(struct metadata *m, const struct collection *c) {
    const struct process *p = &c->processes[0];
    return add_user(m, p) && metadata_add_copy(m, "hostname", p->info.host) &&
           (!p->directory || metadata_add_copy(m, "working_directory", p->directory)) && (!p->here || add_uname(m)) &&
           add_modules(m, p) && add_variables(m, p);
}
