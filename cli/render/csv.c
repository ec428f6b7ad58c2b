#include "csv.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void csv_field(FILE *out, const char *text) {
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void csv_number(FILE *out, double value) {
    fputc(',', out);
    if (isfinite(value)) fprintf(out, "%.15g", value + 0.0);
}

void csv_regions_header(FILE *out) {
    fputs("file,region,ranks,calls,total_s,exclusive_s,average_s,min_s,max_s,first_s,last_s,std_s,p50_s,p95_s,p99_s,"
          "imbalance_percent,coverage_s\r\n",
          out);
}

int csv_regions(FILE *out, spr_profile *profile, const spr_selection *selection, enum spr_depth depth,
                spr_error *error) {
    for (size_t region = 0; region < spr_num_regions(profile); region++) {
        spr_stats s;
        if (selection && !spr_selects_region(selection, region)) continue;
        int status = spr_region_stats(profile, region, selection, depth, &s, error);
        if (status) return status;
        csv_field(out, spr_path(profile));
        fputc(',', out);
        csv_field(out, spr_region_name(profile, region));
        fprintf(out, ",%" PRIu32 ",%" PRIu64, s.calls ? s.ranks : 0, s.calls);
        const double values[] = {s.total, s.exclusive, s.average, s.minimum, s.maximum,       s.first,   s.last,
                                 s.std,   s.p50,       s.p95,     s.p99,     s.imbalance_pct, s.coverage};
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) csv_number(out, s.calls ? values[i] : NAN);
        fputs("\r\n", out);
    }
    return 0;
}

void csv_table(FILE *out, const struct table *table, const char *file, bool header) {
    if (header) {
        fputs("file", out);
        for (size_t c = 0; c < table->columns; c++) {
            fputc(',', out);
            csv_field(out, table->headers[c]);
        }
        fputs("\r\n", out);
    }
    for (size_t r = 0; r < table->rows; r++) {
        csv_field(out, file);
        for (size_t c = 0; c < table->columns; c++) {
            const char *cell = table->cells[r * table->columns + c];
            fputc(',', out);
            csv_field(out, strcmp(cell, "-") ? cell : "");
        }
        fputs("\r\n", out);
    }
}
