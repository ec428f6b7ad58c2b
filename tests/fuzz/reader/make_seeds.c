/* Writes small profiles of every kind into a directory: seeds for fuzz_reader. */
#include "writer.h"

#include <stdio.h>

static const char *const names[] = {"a", "b", "longer name"};
static const struct w_call a0[] = {{.start = 100, .end = 200, .id = 0, .parent = -1, .thread = 0, .task = -1},
                                   {.start = 300, .end = 350, .id = 2, .parent = -1, .thread = 0, .task = 2}};
static const struct w_call b0[] = {{.start = 110, .end = 120, .id = 1, .parent = 0, .thread = 0, .task = -1}};
static const struct w_row rows[] = {{0, 0, a0, 2, 140, 3, "a.c", "text", "[\"x\", \"y\"]"},
                                    {1, 0, b0, 1, 10, 4, "b.c", "", "[]"},
                                    {2, 1, b0, 1, 5, 3, "a.c", "", ""}};

static void add_table(hid_t file) {
    const hid_t group = H5Gcreate2(file, "problem_table", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    static const char *const columns[] = {"ranks", "region_ids", "kinds", "counts", "at_exit", "open_ns"};
    const int64_t ones[] = {1, 1};
    for (size_t i = 0; i < W_COUNT(columns); i++) w_integers(group, columns[i], H5T_STD_I64LE, ones, 2);
    H5Gclose(group);
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: make_seeds DIR\n");
        return 2;
    }
    for (int number = 0; number < 24; number++) {
        const struct w_file file = {.schema = number % 3 + 1,
                                    .aggregate = number == 5,
                                    .summary = number % 2,
                                    .ids = number % 4 >= 2,
                                    .threads = number % 8 >= 4,
                                    .tasks = number % 8 >= 6,
                                    .fixed_strings = number % 5 == 0,
                                    .chunk = number >= 16 ? 2 : 0,
                                    .gzip = number >= 20 ? 4 : 0,
                                    .names = names,
                                    .num_names = 3,
                                    .rows = rows,
                                    .num_rows = 3,
                                    .mpi_size = 2,
                                    .start_time_ns = 50};
        char path[4096];
        snprintf(path, sizeof path, "%s/seed-%02d.h5", arguments[1], number);
        w_write(path, &file);
        if (number % 3) {
            const hid_t id = w_open(path);
            add_table(id);
            H5Fclose(id);
        }
    }
    return 0;
}
