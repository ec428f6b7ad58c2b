#include "budget.h"

#include "amounts.h"
#include "base/memory.h"
#include "base/say.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 10000, LONGEST_LINE = 4096 };

/* Cuts comment and blanks off both ends. */
static char *trimmed(char *line) {
    line += strspn(line, " \t");
    if (*line == '#') *line = '\0';
    size_t length = strlen(line);
    while (length && strchr(" \t\r\n", line[length - 1])) line[--length] = '\0';
    return line;
}

/* The limit is the last word, or the last two where the unit stands alone. */
static bool split_limit(char *line, struct budget_line *made) {
    for (int words = 1; words <= 2; words++) {
        char *at = line + strlen(line);
        for (int word = 0; word < words; word++) {
            while (at > line && !strchr(" \t", at[-1])) at--;
            if (word + 1 < words)
                while (at > line && strchr(" \t", at[-1])) at--;
        }
        double amount;
        if (at == line) return false;
        made->is_percent = strchr(at, '%') != NULL;
        if (!(made->is_percent ? amount_percent(at, &amount) : amount_seconds(at, &amount))) continue;
        made->limit = made->is_percent ? amount / 100 : amount;
        at[-1] = '\0';
        made->pattern = xcopy(trimmed(line));
        return *made->pattern;
    }
    return false;
}

static bool take_line(struct budget *budget, char *text, unsigned number) {
    struct budget_line line = {.number = number};
    spr_error error;
    bool matches;
    text = trimmed(text);
    if (!*text) return true;
    if (!split_limit(text, &line)) {
        say("%s:%u: expected a pattern and a limit, as in 'solve 5%%' or 'solve 1.5s'", budget->file, number);
        free(line.pattern);
        return false;
    }
    budget->lines = xgrow(budget->lines, budget->count + 1, sizeof *budget->lines);
    budget->lines[budget->count++] = line;
    if (spr_match(line.pattern, false, "", &matches, &error) == 0) return true;
    say("%s:%u: %s", budget->file, number, error.message);
    return false;
}

bool budget_read(const char *file, struct budget *budget) {
    *budget = (struct budget){.file = file};
    FILE *in = fopen(file, "re");
    char *line = xalloc(LONGEST_LINE, 1);
    bool fine = in != NULL;
    if (!in) say("%s: %s", file, strerror(errno));
    for (unsigned number = 1; fine && fgets(line, LONGEST_LINE, in); number++) {
        if (number > MOST_LINES || strlen(line) + 1 == LONGEST_LINE) {
            say("%s:%u: a budget has at most %d lines of %d bytes", file, number, MOST_LINES, LONGEST_LINE - 2);
            fine = false;
        } else {
            fine = take_line(budget, line, number);
        }
    }
    if (fine && ferror(in)) {
        say("%s: %s", file, strerror(errno));
        fine = false;
    }
    if (in) fclose(in);
    free(line);
    return fine;
}

void budget_free(struct budget *budget) {
    for (size_t i = 0; i < budget->count; i++) free(budget->lines[i].pattern);
    free(budget->lines);
    *budget = (struct budget){0};
}

spr_gate_limit budget_limit(struct budget *budget, const char *region, double max_slowdown) {
    spr_gate_limit limit = {(double)NAN, (double)NAN};
    for (size_t i = 0; i < budget->count; i++) {
        struct budget_line *line = &budget->lines[i];
        double *kind = line->is_percent ? &limit.slowdown : &limit.seconds;
        bool matches;
        /* A pattern that runs away on this name has no say in it; it was sound when it was read. */
        if (spr_match(line->pattern, false, region, &matches, NULL) || !matches) continue;
        line->used = true;
        if (isnan(*kind)) *kind = line->limit;
    }
    if (isnan(limit.slowdown)) limit.slowdown = max_slowdown;
    return limit;
}

size_t budget_tell_unused(const struct budget *budget) {
    size_t unused = 0;
    for (size_t i = 0; i < budget->count; i++) {
        if (budget->lines[i].used) continue;
        say("%s:%u: no region matches '%s'", budget->file, budget->lines[i].number, budget->lines[i].pattern);
        unused++;
    }
    return unused;
}
