/* choice.h: the regions and ranks that -i, -e and -r ask for. */
#ifndef CLI_CHOICE_H
#define CLI_CHOICE_H

#include "base/options.h"
#include "parse.h"
#include "scope_reader.h"

struct choice {
    const char **include, **exclude;
    size_t num_include, num_exclude;
    struct rank_ranges ranks;
};

/* -i, -e and -r (with the words after it that can only be ranks); other keys are left alone. 0, or options_complain().
 */
int choice_take(struct choice *choice, int key, const char *value, const struct command_syntax *syntax, int argc,
                char **argv);
void choice_free(struct choice *choice);

/* True for ranks that are asked for; without any that are asked for, true for none. */
bool choice_has_rank(const struct choice *choice, uint32_t rank);

/* 0, or 2: a rank is asked for that is none of 0 to `total` - 1 (told). */
int choice_check_ranks(const spr_profile *profile, const struct choice *choice, uint32_t total);

/* 0 and *selection (NULL: everything), the caller's to free; or the exit status (told): 1 the file cannot be read, 2 a
 * bad pattern, no such rank. */
int choice_select(const spr_profile *profile, const struct choice *choice, spr_selection **selection);

#endif
