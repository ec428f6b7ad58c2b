#include "compared.h"

#include "base/memory.h"
#include "base/say.h"
#include "base/suggest.h"
#include "render/metric.h"

#include <stdlib.h>
#include <string.h>

/* ---- options ----------------------------------------------------------------------------------------------------- */

int metric_take(const char *word, enum spr_metric *metric, const struct command_syntax *syntax) {
    const char *names[METRICS];
    for (size_t i = 0; i < METRICS; i++) {
        names[i] = metric_look((enum spr_metric)i)->name;
        *metric = (enum spr_metric)i;
        if (!strcmp(names[i], word)) return 0;
    }
    char *list = join_words(names, METRICS, " ");
    int status = options_complain(syntax, "--metric '%s' is none of: %s", word, list);
    free(list);
    return status;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

int compared_open(struct compared *files, char *const *words, size_t count, const struct choice *choice) {
    struct paths more;
    int status = 0;
    if (!profiles_expand(words, count, &more)) return 2;
    files->profiles = xgrow(files->profiles, files->count + more.count, sizeof *files->profiles);
    files->selections = xgrow(files->selections, files->count + more.count, sizeof *files->selections);
    files->paths.items = xgrow(files->paths.items, files->count + more.count, sizeof *files->paths.items);
    for (size_t i = 0; i < more.count; i++) {
        files->paths.items[files->paths.count++] = more.items[i];
        more.items[i] = NULL;
    }
    profiles_free(&more);
    while (!status && files->count < files->paths.count) {
        spr_profile *profile = profiles_open(files->paths.items[files->count]);
        files->profiles[files->count] = profile;
        files->selections[files->count] = NULL;
        if (!profile) return 1;
        status = choice_select(profile, choice, &files->selections[files->count++]);
    }
    return status;
}

void compared_close(struct compared *files) {
    for (size_t i = 0; i < files->count; i++) {
        spr_selection_free(files->selections[i]);
        spr_close(files->profiles[i]);
    }
    free(files->selections);
    free(files->profiles);
    profiles_free(&files->paths);
    *files = (struct compared){0};
}

bool compared_any_region(const struct compared *files) {
    size_t regions = 0;
    for (size_t i = 0; i < files->count; i++) {
        regions += spr_num_regions(files->profiles[i]);
        for (size_t region = 0; region < spr_num_regions(files->profiles[i]); region++)
            if (spr_selects_region(files->selections[i], region)) return true;
    }
    say(regions ? "no region of these files matches the patterns" : "there is no region in these files");
    return false;
}
