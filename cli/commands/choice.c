#include "choice.h"

#include "base/memory.h"
#include "base/say.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>

/* ---- options ----------------------------------------------------------------------------------------------------- */

static void add_word(const char ***words, size_t *count, const char *word) {
    *words = xgrow(*words, *count + 1, sizeof **words);
    (*words)[(*count)++] = word;
}

static int take_ranks(struct choice *choice, const char *word, const struct command_syntax *syntax) {
    if (parse_ranks(word, &choice->ranks)) return 0;
    return options_complain(syntax, "--ranks '%s': give numbers and ascending ranges, as in 0,2,4-7", word);
}

int choice_take(struct choice *choice, int key, const char *value, const struct command_syntax *syntax, int argc,
                char **argv) {
    if (key == 'i') add_word(&choice->include, &choice->num_include, value);
    if (key == 'e') add_word(&choice->exclude, &choice->num_exclude, value);
    if (key != 'r') return 0;
    int status = take_ranks(choice, value, syntax);
    for (; !status && optind < argc && parse_looks_like_ranks(argv[optind]); optind++)
        status = take_ranks(choice, argv[optind], syntax);
    return status;
}

void choice_free(struct choice *choice) {
    free(choice->include);
    free(choice->exclude);
    free(choice->ranks.items);
}

/* ---- selection --------------------------------------------------------------------------------------------------- */

static int by_number(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

bool choice_has_rank(const struct choice *choice, uint32_t rank) {
    for (size_t i = 0; i < choice->ranks.count; i++)
        if (rank >= choice->ranks.items[i].first && rank <= choice->ranks.items[i].last) return true;
    return false;
}

/* Ranks of the file that are asked for; never none, which would mean all. */
static uint32_t *chosen_ranks(const spr_profile *profile, const struct choice *choice, size_t *count) {
    size_t rows = spr_num_rows(profile), found = 0;
    uint32_t *ranks = xalloc(rows + 1, sizeof *ranks);
    for (size_t i = 0; i < rows; i++)
        if (choice_has_rank(choice, spr_row_at(profile, i)->rank)) ranks[found++] = spr_row_at(profile, i)->rank;
    qsort(ranks, found, sizeof *ranks, by_number);
    *count = 0;
    for (size_t i = 0; i < found; i++)
        if (!*count || ranks[*count - 1] != ranks[i]) ranks[(*count)++] = ranks[i];
    if (!*count) ranks[(*count)++] = choice->ranks.items[0].first;
    return ranks;
}

int choice_check_ranks(const spr_profile *profile, const struct choice *choice, uint32_t total) {
    for (size_t i = 0; i < choice->ranks.count; i++) {
        const uint32_t last = choice->ranks.items[i].last;
        if (last < total) continue;
        if (total) say("%s: no such rank: %" PRIu32 " (0-%" PRIu32 ")", spr_path(profile), last, total - 1);
        if (!total) say("%s: no such rank: %" PRIu32 " (it has no ranks)", spr_path(profile), last);
        return 2;
    }
    return 0;
}

int choice_select(const spr_profile *profile, const struct choice *choice, spr_selection **selection) {
    spr_error error;
    *selection = NULL;
    if (!choice->num_include && !choice->num_exclude && !choice->ranks.count) return 0;
    if (choice_check_ranks(profile, choice, spr_num_ranks(profile))) return 2;
    size_t count = 0;
    uint32_t *ranks = choice->ranks.count ? chosen_ranks(profile, choice, &count) : NULL;
    int status = spr_select(profile, choice->include, choice->num_include, choice->exclude, choice->num_exclude, ranks,
                            count, selection, &error);
    free(ranks);
    if (!status) return 0;
    say("%s", error.message);
    return status < 0 ? 2 : 1;
}
