/* totals: prints calls, total and p95 of the regions of a profile, longest first.
 *
 *   cc totals.c -o totals $(pkg-config --cflags --libs scope-reader)
 *   ./totals profiling_data.h5
 */
#include <scope_reader.h>
#include <stdio.h>
#include <stdlib.h>

struct line {
    const char *name;
    spr_stats stats;
};

static int by_total(const void *left, const void *right) {
    const struct line *a = left, *b = right;
    return (a->stats.total < b->stats.total) - (a->stats.total > b->stats.total);
}

static int print_totals(spr_profile *profile, spr_error *error) {
    const size_t count = spr_num_regions(profile);
    struct line *lines = calloc(count ? count : 1, sizeof *lines);
    int status = lines ? SPR_OK : SPR_NO_MEMORY;
    for (size_t i = 0; status == SPR_OK && i < count; i++) {
        lines[i].name = spr_region_name(profile, i);
        status = spr_region_stats(profile, i, NULL, SPR_FULL, &lines[i].stats, error);
    }
    if (status == SPR_OK) {
        qsort(lines, count, sizeof *lines, by_total);
        for (size_t i = 0; i < count; i++)
            printf("%-30s %8llu calls %12.6f s   p95 %.3e s\n", lines[i].name, (unsigned long long)lines[i].stats.calls,
                   lines[i].stats.total, lines[i].stats.p95);
    }
    free(lines);
    return status;
}

int main(int count, char **words) {
    spr_profile *profile;
    spr_error error = {0};
    if (count != 2) {
        fprintf(stderr, "usage: totals PROFILE\n");
        return 2;
    }
    if (spr_open(words[1], &profile, &error) != SPR_OK || print_totals(profile, &error) != SPR_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    spr_close(profile);
    return 0;
}
