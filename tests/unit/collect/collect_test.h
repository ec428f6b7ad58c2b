/* collect_test.h: what the tests of collect have in common. */
#ifndef COLLECT_TEST_H
#define COLLECT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* wants the above before it */
#include <cmocka.h>

#include "collect.h"
#include "profile_read.h"
#include "spool_make.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A spool for the test and what collect made of it. */
struct fixture {
    struct make_spool spool;
    struct collect_options options;
    struct collect_result result;
    const char *spools[4];
    hid_t file;
};

static inline int fixture_start(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    make_spool(&f->spool);
    f->spools[0] = f->spool.spool;
    f->options = (struct collect_options){.spools = f->spools, .num_spools = 1, .compress = -1};
    f->options.output = f->spool.output;
    f->file = -1;
    *state = f;
    return 0;
}

static inline int fixture_stop(void **state) {
    struct fixture *f = *state;
    if (f->file >= 0) H5Fclose(f->file);
    collect_result_free(&f->result);
    make_spool_remove(&f->spool);
    free(f);
    return 0;
}

static inline enum collect_status run_collect(struct fixture *f) {
    collect_result_free(&f->result);
    return collect(&f->options, &f->result);
}

/* Collects and opens the profile. */
static inline hid_t collected(struct fixture *f) {
    enum collect_status status = run_collect(f);
    if (status != COLLECT_OK) fail_msg("collect: status %d: %s", status, f->result.message);
    f->file = read_open(f->spool.output);
    return f->file;
}

static inline int has_note(const struct fixture *f, const char *text) {
    for (size_t i = 0; i < f->result.num_notes; i++)
        if (strcmp(f->result.notes[i], text) == 0) return 1;
    for (size_t i = 0; i < f->result.num_notes; i++) fprintf(stderr, "note: %s\n", f->result.notes[i]);
    return 0;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_start, fixture_stop)

#endif
