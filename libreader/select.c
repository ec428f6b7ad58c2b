/* Which regions and ranks a question is about. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "internal.h"

#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

/* A pattern that needs more steps than this for one name runs away. */
#define MOST_STEPS 1000000
#define MOST_KIB   65536

struct spr_selection {
    bool *regions;
    size_t num_regions;
    uint32_t *ranks; /* ascending; NULL: all */
    size_t num_ranks;
};

struct matcher {
    const spr_profile *profile;
    pcre2_match_context *limits;
    bool *matched; /* by region */
    spr_error *error;
};

/* Python's \Z is the very end, PCRE2's may stand before a last newline; PCRE2's \z is Python's \Z. */
static char *translate(const char *pattern) {
    char *copy = strdup(pattern);
    for (char *at = copy; at && *at; at++) {
        if (*at != '\\' || !at[1]) continue;
        at++;
        if (*at == 'Z') *at = 'z';
    }
    return copy;
}

static pcre2_code *compile(const char *pattern, bool anywhere, int *code, PCRE2_SIZE *position) {
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    char *text = translate(pattern);
    pcre2_code *compiled = NULL;
    *code = PCRE2_ERROR_NOMEMORY;
    if (context && text) {
        pcre2_set_newline(context, PCRE2_NEWLINE_LF);
        const PCRE2_SPTR from = (PCRE2_SPTR)text;
        const uint32_t options = (anywhere ? 0 : PCRE2_ANCHORED) | PCRE2_NEVER_BACKSLASH_C;
        compiled = pcre2_compile(from, PCRE2_ZERO_TERMINATED, options | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF, code,
                                 position, context);
        /* A pattern that is not UTF-8 itself is one of bytes. */
        if (!compiled && *code < 0)
            compiled = pcre2_compile(from, PCRE2_ZERO_TERMINATED, options, code, position, context);
    }
    free(text);
    pcre2_compile_context_free(context);
    return compiled;
}

static int refuse(spr_error *error, const char *pattern, int code, const char *where) {
    char reason[160] = "";
    pcre2_get_error_message(code, (PCRE2_UCHAR *)reason, sizeof reason);
    return rd_fail(error, -1, NULL, "pattern '%s': %s%s", pattern, reason, where);
}

static pcre2_code *compile_or_refuse(const char *pattern, bool anywhere, spr_error *error) {
    int code;
    PCRE2_SIZE position = 0;
    pcre2_code *compiled = compile(pattern, anywhere, &code, &position);
    if (!compiled) {
        char where[48];
        snprintf(where, sizeof where, " (at position %zu)", (size_t)position);
        refuse(error, pattern, code, where);
    }
    return compiled;
}

static int match_regions(struct matcher *matcher, const char *pattern, const pcre2_code *code) {
    pcre2_match_data *data = pcre2_match_data_create_from_pattern(code, NULL);
    if (!data) return rd_no_memory(matcher->profile, matcher->error);
    int status = SPR_OK;
    for (size_t region = 0; status == SPR_OK && region < matcher->profile->num_regions; region++) {
        if (matcher->matched[region]) continue;
        const char *name = matcher->profile->names[region];
        const int found = pcre2_match(code, (PCRE2_SPTR)name, strlen(name), 0, 0, data, matcher->limits);
        if (found >= 0)
            matcher->matched[region] = true;
        else if (found != PCRE2_ERROR_NOMATCH)
            status = refuse(matcher->error, pattern, found, "");
    }
    pcre2_match_data_free(data);
    return status;
}

static int match_pattern(struct matcher *matcher, const char *pattern) {
    pcre2_code *compiled = compile_or_refuse(pattern, false, matcher->error);
    if (!compiled) return -1;
    const int status = match_regions(matcher, pattern, compiled);
    pcre2_code_free(compiled);
    return status;
}

static int match_patterns(struct matcher *matcher, const char *const *patterns, size_t count) {
    int status = SPR_OK;
    for (size_t i = 0; status == SPR_OK && i < count; i++) status = match_pattern(matcher, patterns[i]);
    return status;
}

static int compare_ranks(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool take_ranks(spr_selection *selection, const uint32_t *ranks, size_t count) {
    if (!ranks || !count) return true;
    selection->ranks = malloc(count * sizeof *ranks);
    if (!selection->ranks) return false;
    memcpy(selection->ranks, ranks, count * sizeof *ranks);
    selection->num_ranks = count;
    qsort(selection->ranks, count, sizeof *ranks, compare_ranks);
    return true;
}

/* `left_out` is scratch: the regions that `exclude` matches. */
static int select_regions(struct matcher *matcher, spr_selection *selection, bool *left_out, const char *const *include,
                          size_t num_include, const char *const *exclude, size_t num_exclude) {
    matcher->matched = selection->regions;
    int status = match_patterns(matcher, include, num_include);
    matcher->matched = left_out;
    if (status == SPR_OK) status = match_patterns(matcher, exclude, num_exclude);
    for (size_t i = 0; i < selection->num_regions; i++)
        selection->regions[i] = (selection->regions[i] || !num_include) && !left_out[i];
    return status;
}

int spr_select(const spr_profile *profile, const char *const *include, size_t num_include, const char *const *exclude,
               size_t num_exclude, const uint32_t *ranks, size_t num_ranks, spr_selection **selection,
               spr_error *error) {
    *selection = NULL;
    const size_t count = profile->num_regions ? profile->num_regions : 1;
    struct matcher matcher = {.profile = profile, .limits = pcre2_match_context_create(NULL), .error = error};
    spr_selection *made = calloc(1, sizeof *made);
    bool *left_out = calloc(count, sizeof *left_out);
    if (made) {
        made->regions = calloc(count, sizeof *made->regions);
        made->num_regions = profile->num_regions;
    }
    int status;
    if (!made || !made->regions || !left_out || !matcher.limits || !take_ranks(made, ranks, num_ranks)) {
        status = rd_no_memory(profile, error);
    } else {
        pcre2_set_match_limit(matcher.limits, MOST_STEPS);
        pcre2_set_heap_limit(matcher.limits, MOST_KIB);
        status = select_regions(&matcher, made, left_out, include, num_include, exclude, num_exclude);
    }
    pcre2_match_context_free(matcher.limits);
    free(left_out);
    if (status == SPR_OK)
        *selection = made;
    else
        spr_selection_free(made);
    return status;
}

int spr_select_regions(const spr_profile *profile, const size_t *regions, size_t num_regions, const uint32_t *ranks,
                       size_t num_ranks, spr_selection **selection, spr_error *error) {
    *selection = NULL;
    spr_selection *made = calloc(1, sizeof *made);
    if (made) {
        made->num_regions = profile->num_regions;
        made->regions = calloc(made->num_regions ? made->num_regions : 1, sizeof *made->regions);
    }
    if (!made || !made->regions || !take_ranks(made, ranks, num_ranks)) {
        spr_selection_free(made);
        return rd_no_memory(profile, error);
    }
    for (size_t i = 0; i < num_regions; i++)
        if (regions[i] < made->num_regions) made->regions[regions[i]] = true;
    *selection = made;
    return SPR_OK;
}

void spr_selection_free(spr_selection *selection) {
    if (!selection) return;
    free(selection->regions);
    free(selection->ranks);
    free(selection);
}

bool spr_selects_region(const spr_selection *selection, size_t region) {
    return !selection || (region < selection->num_regions && selection->regions[region]);
}

bool spr_selects_rank(const spr_selection *selection, uint32_t rank) {
    return !selection || !selection->ranks ||
           bsearch(&rank, selection->ranks, selection->num_ranks, sizeof rank, compare_ranks);
}

int spr_match(const char *pattern, bool anywhere, const char *text, bool *matches, spr_error *error) {
    *matches = false;
    pcre2_code *compiled = compile_or_refuse(pattern, anywhere, error);
    if (!compiled) return -1;
    pcre2_match_context *limits = pcre2_match_context_create(NULL);
    pcre2_match_data *data = pcre2_match_data_create_from_pattern(compiled, NULL);
    int found = PCRE2_ERROR_NOMEMORY;
    if (limits && data) {
        pcre2_set_match_limit(limits, MOST_STEPS);
        pcre2_set_heap_limit(limits, MOST_KIB);
        found = pcre2_match(compiled, (PCRE2_SPTR)text, strlen(text), 0, 0, data, limits);
    }
    *matches = found >= 0;
    pcre2_match_data_free(data);
    pcre2_match_context_free(limits);
    pcre2_code_free(compiled);
    return found >= 0 || found == PCRE2_ERROR_NOMATCH ? 0 : refuse(error, pattern, found, "");
}
