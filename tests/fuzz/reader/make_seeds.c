/* Writes small profiles of every kind into a directory: seeds for fuzz_reader. */
#include "scope_reader.h"
#include "writer.h"

#include <stdio.h>

static void add_table(hid_t file) {
    const hid_t group = H5Gcreate2(file, "problem_table", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    static const char *const columns[] = {"ranks", "region_ids", "kinds", "counts", "at_exit", "open_ns"};
    const int64_t ones[] = {1, 1};
    for (size_t i = 0; i < W_COUNT(columns); i++) w_integers(group, columns[i], H5T_STD_I64LE, ones, 2);
    H5Gclose(group);
}

struct table {
    const char *name;
    const char *numbers[13], *texts[4]; /* columns, up to a NULL */
};

static const struct table mpi_tables[] = {
    {"functions",
     {"ranks", "region_ids", "sites", "calls", "polls", "totals", "minima", "maxima", "messages_sent", "bytes_sent",
      "messages_received", "bytes_received"},
     {NULL}},
    {"traffic",
     {"ranks", "region_ids", "sites", "peers", "messages_sent", "bytes_sent", "messages_received", "bytes_received"},
     {NULL}},
    {"sizes", {"ranks", "region_ids", "buckets", "messages", "bytes"}, {NULL}},
    {"sites", {"lines", "offsets"}, {"objects", "symbols", "files"}},
    {"communicators", {"sizes", "remote_sizes"}, {"names"}},
    {"calls", {"events", "communicators", "flags", "to", "to_tags", "from", "from_tags", "sent", "received"}, {NULL}},
    {"completions", {"events", "calls"}, {NULL}},
    {"ranks", {"ranks", "gaps"}, {NULL}},
};

static void add_mpi(hid_t file) {
    static const int64_t numbers[] = {0, 1};
    const hid_t group = H5Gcreate2(file, "mpi", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    for (size_t i = 0; i < W_COUNT(mpi_tables); i++) {
        const struct table *table = &mpi_tables[i];
        const hid_t part = H5Gcreate2(group, table->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        for (size_t k = 0; table->numbers[k]; k++) w_integers(part, table->numbers[k], H5T_STD_I64LE, numbers, 2);
        for (size_t k = 0; table->texts[k]; k++) w_texts(part, table->texts[k], w_few_names, 2, false);
        H5Gclose(part);
    }
    H5Gclose(group);
}

static void add_lines(hid_t file) {
    static const int64_t numbers[] = {3, 4};
    static const char *const columns[] = {"line_numbers", "hits", "times"};
    const hid_t list = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(list, 1);
    const hid_t group = H5Gcreate2(file, "rank0/line_profile/0", list, H5P_DEFAULT, H5P_DEFAULT);
    w_attribute_text(group, "region", "a");
    w_attribute_text(group, "filename", "a.py");
    w_attribute_text(group, "source", "def f():\n    pass\n");
    w_attribute_integer(group, "first_lineno", 3);
    for (size_t i = 0; i < W_COUNT(columns); i++) w_integers(group, columns[i], H5T_STD_I64LE, numbers, 2);
    H5Gclose(group);
    H5Pclose(list);
}

/* The same as JSON, plain and compressed. */
static void convert(const char *path, const char *directory, int number) {
    static const char *const endings[] = {"json", "json.gz"};
    spr_profile *profile;
    spr_error error;
    if (spr_open(path, &profile, &error) != SPR_OK) return; /* not every one is good */
    for (size_t i = 0; i < W_COUNT(endings); i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/seed-%02d.%s", directory, number, endings[i]);
        w_check(spr_write(&profile, 1, name, NULL, &error) == SPR_OK, error.message);
    }
    spr_close(profile);
}

/* A native trace of version 1 or 2 with two regions, in this machine's byte order. */
static void write_native(const char *directory, int32_t version) {
    char name[4096];
    snprintf(name, sizeof name, "%s/seed-%d.spt", directory, version);
    FILE *file = fopen(name, "wb");
    w_check(file != NULL, name);
    const int32_t rank = 3;
    const int64_t regions = 2;
    fwrite("SCOPEPRF", 1, 8, file);
    fwrite(&version, sizeof version, 1, file);
    fwrite(&rank, sizeof rank, 1, file);
    fwrite(&regions, sizeof regions, 1, file);
    for (int32_t i = 0; i < 2; i++) {
        const int32_t length = 5 + i, path = 4 * i, line = 7 * i - 1;
        const int64_t calls = 2 * i + 1, times[3] = {10 + i, 200, 3000};
        fwrite(&length, sizeof length, 1, file);
        fwrite("regions", 1, (size_t)length, file);
        if (version == 2) {
            fwrite(&path, sizeof path, 1, file);
            fwrite("ab.c", 1, (size_t)path, file);
            fwrite(&line, sizeof line, 1, file);
        }
        fwrite(&calls, sizeof calls, 1, file);
        fwrite(times, sizeof *times, (size_t)calls, file);
        fwrite(times, sizeof *times, (size_t)calls, file);
    }
    w_check(fclose(file) == 0, name);
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: make_seeds DIR\n");
        return 2;
    }
    for (int number = 0; number < 32; number++) {
        const struct w_file file = {.schema = number % 3 + 1,
                                    .aggregate = number == 5,
                                    .summary = number % 2,
                                    .ids = number % 4 >= 2,
                                    .threads = number % 8 >= 4,
                                    .tasks = number % 8 >= 6,
                                    .fixed_strings = number % 5 == 0,
                                    .latest = number >= 24,
                                    .chunk = number >= 16 ? 2 : 0,
                                    .gzip = number >= 20 ? 4 : 0,
                                    .names = w_few_names,
                                    .num_names = W_FEW,
                                    .rows = w_few_rows,
                                    .num_rows = W_FEW,
                                    .mpi_size = 2,
                                    .start_time_ns = 50};
        char path[4096];
        snprintf(path, sizeof path, "%s/seed-%02d.h5", arguments[1], number);
        w_write(path, &file);
        if (number % 3) {
            const hid_t id = w_open(path);
            add_table(id);
            if (number % 2) add_mpi(id);
            if (number % 4 < 2) add_lines(id);
            H5Fclose(id);
        }
        convert(path, arguments[1], number);
    }
    for (int32_t version = 1; version <= 2; version++) write_native(arguments[1], version);
    return 0;
}
