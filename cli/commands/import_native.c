/* import-native: what the C and Fortran recorders wrote, one file a rank, becomes one profile. */
#include "base/memory.h"
#include "base/options.h"
#include "base/say.h"
#include "combine.h"
#include "commands.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MERGE = COMBINE_OPTIONS };

static const struct option_spec options[] = {
    {'o', "output", "FILE", "the profile to write (default: profiling_data.h5); JSON if\nit ends in .json or .json.gz"},
    {COMBINE_LABEL, "label", "TEXT", "a name for the run, kept in the profile"},
    {MERGE, "merge", "PROFILE", "put the regions into this profile's, which has none of them"},
    {COMBINE_COMPRESS, "compress", "[LEVEL]",
     "compress the profile: 1 (fast) to 9, or 0 for none;\nwithout a level: 4"},
    {'q', "quiet", NULL, "no summary"},
    {0},
};

static const struct command_syntax syntax = {
    .name = "import-native",
    .usage = "FILE|DIRECTORY... [options]",
    .summary = "Makes one profile of native traces (.spt), one a rank. Of a directory its *.spt and\n"
               "*_rank<number>.h5 files are taken.",
    .options = options,
    .footer = "Exit status: 0 written; 1 a file cannot be read, two hold the same rank, or the profile\n"
              "cannot be written; 2 bad usage.",
};

static int parse(int argc, char **argv, struct combine *combine) {
    const char *value;
    int status = 0;
    for (int key; !status && (key = options_next(&syntax, argc, argv, &value)) != OPTIONS_END;) {
        if (key != MERGE) {
            status = combine_take(combine, key, value, &syntax);
            continue;
        }
        combine->first = value;
        combine->options.ranks = SPR_RANKS_SHARE;
    }
    if (status) return status;
    return optind < argc ? 0 : options_complain(&syntax, "which traces?");
}

/* ---- inputs -------------------------------------------------------------------------------------------------------
 */

static void add(struct paths *paths, const char *path) {
    paths->items = xgrow(paths->items, paths->count + 1, sizeof *paths->items);
    paths->items[paths->count++] = xcopy(path);
}

/* A merged profile beside the ranks' files must not be swallowed. */
static bool is_of_a_rank(const char *name) {
    return fnmatch("*.spt", name, FNM_PERIOD) == 0 || fnmatch("*_rank[0-9]*.h5", name, FNM_PERIOD) == 0;
}

static bool add_directory(struct paths *paths, const char *directory) {
    DIR *listing = opendir(directory);
    size_t before = paths->count, length = strlen(directory);
    if (!listing) {
        say("%s: %s", directory, strerror(errno));
        return false;
    }
    for (struct dirent *entry; (entry = readdir(listing));) {
        if (!is_of_a_rank(entry->d_name)) continue;
        char *path = xformat("%s%s%s", directory, length && directory[length - 1] == '/' ? "" : "/", entry->d_name);
        add(paths, path);
        free(path);
    }
    closedir(listing);
    if (paths->count == before) say("%s: holds no native trace (*.spt, *_rank<number>.h5)", directory);
    return paths->count > before;
}

static int by_name(const void *left, const void *right) { return strcmp(*(char *const *)left, *(char *const *)right); }

static void sort_once(struct paths *paths) {
    size_t kept = 0;
    qsort(paths->items, paths->count, sizeof *paths->items, by_name);
    for (size_t i = 0; i < paths->count; i++) {
        if (kept && !strcmp(paths->items[kept - 1], paths->items[i]))
            free(paths->items[i]);
        else
            paths->items[kept++] = paths->items[i];
    }
    paths->count = kept;
}

static bool find_inputs(const struct paths *words, struct paths *paths) {
    for (size_t i = 0; i < words->count; i++) {
        struct stat status;
        if (stat(words->items[i], &status) != 0 || !S_ISDIR(status.st_mode))
            add(paths, words->items[i]);
        else if (!add_directory(paths, words->items[i]))
            return false;
    }
    sort_once(paths);
    return true;
}

int command_import_native(int argc, char **argv) {
    struct combine combine = {.output = "profiling_data.h5",
                              .conflict = "every process must pass its MPI rank to sp_init or sp_create"};
    struct paths words;
    int parsed = parse(argc, argv, &combine), status = 1;
    if (parsed) return parsed == OPTIONS_HELP ? 0 : 2;
    if (!profiles_expand(argv + optind, (size_t)(argc - optind), &words)) return 2;
    if (find_inputs(&words, &combine.paths)) status = combine_profiles(&combine);
    profiles_free(&words);
    profiles_free(&combine.paths);
    return status;
}
