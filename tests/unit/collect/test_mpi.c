/* What MPI calls carried: /mpi of groups that a recorder leaves behind their ends, and of groups that none would. */
#include "collect_test.h"

enum { SITE = 1, WORLD = 1 };
#define PLACE      (SITE | (uint64_t)WORLD << 32)
#define PEER(r, t) ((uint32_t)(r) | (uint64_t)(t) << 32)

/* of: the serial of the one that it was made from. */
static void tell_made(struct make_process *p, uint32_t serial, uint32_t of, int32_t size, int32_t first,
                      int32_t stride) {
    struct {
        struct spool_mpi_comm head;
        struct spool_mpi_run run;
        char name[5];
    } __attribute__((packed)) record = {
        {.serial = serial, .size = size, .rank = (int32_t)p->info.mpi_rank, .runs = 1, .name_length = 5, .of = of},
        {first, stride, size},
        "world"};
    make_record(p, SPOOL_MPI_COMM, &record, sizeof record);
}

static void tell_comm(struct make_process *p, uint32_t serial, int32_t size, int32_t first, int32_t stride) {
    tell_made(p, serial, 0, size, first, stride);
}

static void tell_site(struct make_process *p) {
    struct {
        struct spool_mpi_site head;
        char texts[16];
    } record = {{.serial = SITE, .object_length = 12, .symbol_length = 4, .offset = 0x123}, "/no/where.somain"};
    make_record(p, SPOOL_MPI_SITE, &record, sizeof record);
}

static void rank(struct fixture *f, struct make_process *p, struct make_lane *l, int number, int size) {
    make_process(&f->spool, p, (unsigned)number + 1);
    p->info.mpi_initialized = 1;
    p->info.mpi_rank = number;
    p->info.mpi_size = size;
    make_region(p, "MPI_A");
    make_region(p, "MPI_B");
    tell_site(p);
    make_lane(p, l, 1000);
    make_thread_begin(l, 1500, 77, 1);
}

static void done(struct make_process *p, struct make_lane *l) {
    make_lane_write(l);
    make_process_write(p);
}

static void group(struct make_lane *l, unsigned type, unsigned argument, const uint64_t *words, unsigned count) {
    make_word(l, SPOOL_GROUP(type, argument, count));
    for (unsigned i = 0; i < count; i++) make_word(l, words[i]);
}

static void call(struct make_lane *l, uint64_t tick, uint32_t region) {
    make_begin(l, tick, region);
    make_end(l, tick + 10, region);
}

#define GROUP(l, type, argument, ...)                                                                                  \
    do {                                                                                                               \
        const uint64_t words[] = {__VA_ARGS__};                                                                        \
        group(l, type, argument, words, sizeof words / sizeof *words);                                                 \
    } while (0)

#define SEND     (SPOOL_MPI_HAS_SITE | SPOOL_MPI_HAS_TO | SPOOL_MPI_HAS_SENT | SPOOL_MPI_FLOW_PEER << SPOOL_MPI_FLOW_SHIFT)
#define IRECEIVE (SPOOL_MPI_HAS_SITE | SPOOL_MPI_HAS_FROM | SPOOL_MPI_HAS_REQUEST)

/* A communicator whose ranks are the world's the other way round; sends that are told once and meant again. */
static void sums_and_peers(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    rank(f, &p, &l, 0, 2);
    tell_comm(&p, WORLD, 2, 1, -1);
    call(&l, 2000, 1);
    GROUP(&l, SPOOL_MPI_CALL, SEND | SPOOL_HAS_SLOT | 2 << SPOOL_SLOT_SHIFT, PLACE, PEER(0, 7), 100);
    call(&l, 2100, 1);
    group(&l, SPOOL_MPI_AGAIN, 2, NULL, 0);
    call(&l, 2200, 2);
    GROUP(&l, SPOOL_MPI_CALL, IRECEIVE, PLACE, PEER(SPOOL_MPI_ANY, SPOOL_MPI_ANY), 4711);
    call(&l, 2300, 2);
    GROUP(&l, SPOOL_MPI_CALL, SPOOL_MPI_HAS_SITE, SITE);
    GROUP(&l, SPOOL_MPI_DONE, 0, 4711, PEER(0, 9), 55, 12345, PEER(0, 1), 1); /* and one that was never made */
    call(&l, 2400, 2);
    GROUP(&l, SPOOL_MPI_CALL, SPOOL_MPI_HAS_SITE | SPOOL_MPI_HAS_POLLS | SPOOL_MPI_HAS_SPAN, SITE, 30, 500);
    done(&p, &l);
    rank(f, &p, &l, 1, 2);
    tell_comm(&p, WORLD, 2, 1, -1);
    call(&l, 2000, 1);
    GROUP(&l, SPOOL_MPI_CALL, SPOOL_MPI_HAS_SITE | SPOOL_MPI_HAS_SENT | SPOOL_MPI_FLOW_EACH << SPOOL_MPI_FLOW_SHIFT,
          PLACE, 8);
    done(&p, &l);
    collected(f);
    EXPECT(f->file, "/mpi/calls/events", 0, 1, 2, 3, 4, 5);
    EXPECT(f->file, "/mpi/calls/to", 1, 1, -1, -1, -1, -1);
    EXPECT(f->file, "/mpi/calls/to_tags", 7, 7, -1, -1, -1, -1);
    EXPECT(f->file, "/mpi/calls/sent", 100, 100, -1, -1, -1, 8);
    EXPECT(f->file, "/mpi/calls/from", -1, -1, 1, -1, -1, -1);
    EXPECT(f->file, "/mpi/calls/from_tags", -1, -1, 9, -1, -1, -1);
    EXPECT(f->file, "/mpi/calls/received", -1, -1, 55, -1, -1, -1);
    EXPECT(f->file, "/mpi/calls/polls", 0, 0, 0, 0, 30, 0);
    EXPECT(f->file, "/mpi/calls/communicators", 0, 0, 0, -1, -1, 0);
    EXPECT(f->file, "/mpi/completions/events", 3);
    EXPECT(f->file, "/mpi/completions/calls", 2);
    EXPECT(f->file, "/mpi/functions/ranks", 0, 0, 1);
    EXPECT(f->file, "/mpi/functions/calls", 2, 32, 1);
    EXPECT(f->file, "/mpi/functions/bytes_sent", 200, 0, 8);
    EXPECT(f->file, "/mpi/functions/bytes_received", 0, 55, 0);
    EXPECT(f->file, "/mpi/functions/totals", 20, 30, 10);
    EXPECT(f->file, "/mpi/traffic/ranks", 0, 0, 1, 1);
    EXPECT(f->file, "/mpi/traffic/peers", 1, 1, 1, 0);
    EXPECT(f->file, "/mpi/traffic/bytes_sent", 200, 0, 8, 8);
    EXPECT(f->file, "/mpi/traffic/bytes_received", 0, 55, 0, 0);
    EXPECT(f->file, "/mpi/sizes/buckets", 7, 6, 4);
    EXPECT(f->file, "/mpi/communicators/sizes", 2);
    EXPECT_TEXTS(f->file, "/mpi/communicators/names", "world");
    EXPECT_TEXTS(f->file, "/mpi/sites/objects", "where.so");
    EXPECT_TEXTS(f->file, "/mpi/sites/symbols", "main");
}

/* Two threads: the second one's call begins before the first one's that gives the handle back, and is given it. */
static void a_handle_is_given_on_while_it_is_waited_for(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane first, second;
    rank(f, &p, &first, 0, 2);
    tell_comm(&p, WORLD, 2, 0, 1);
    make_lane(&p, &second, 1000);
    make_thread_begin(&second, 1600, 78, 2);
    call(&first, 2000, 1);
    GROUP(&first, SPOOL_MPI_CALL, IRECEIVE, PLACE, PEER(1, 1), 4711);
    make_begin(&first, 2100, 2);
    make_begin(&second, 2050, 1);
    make_end(&second, 2350, 1);
    GROUP(&second, SPOOL_MPI_CALL, IRECEIVE, PLACE, PEER(1, 2), 4711);
    make_end(&first, 2300, 2);
    GROUP(&first, SPOOL_MPI_CALL, SPOOL_MPI_HAS_SITE, SITE);
    GROUP(&first, SPOOL_MPI_DONE, 0, 4711, PEER(1, 1), 55);
    call(&second, 2400, 2);
    GROUP(&second, SPOOL_MPI_CALL, SPOOL_MPI_HAS_SITE, SITE);
    GROUP(&second, SPOOL_MPI_DONE, 0, 4711, PEER(1, 2), 66);
    make_lane_write(&second);
    done(&p, &first);
    collected(f);
    EXPECT(f->file, "/mpi/calls/events", 0, 1, 2, 3);
    EXPECT(f->file, "/mpi/calls/from_tags", 1, 2, -1, -1);
    EXPECT(f->file, "/mpi/calls/received", 55, 66, -1, -1);
    EXPECT(f->file, "/mpi/completions/events", 2, 3);
    EXPECT(f->file, "/mpi/completions/calls", 0, 1);
}

/* The n-th with the same members is the same one, whatever the numbers that each process gave. */
static void communicators_are_matched(void **state) {
    struct fixture *f = *state;
    for (int r = 0; r < 2; r++) {
        struct make_process p;
        struct make_lane l;
        rank(f, &p, &l, r, 2);
        tell_comm(&p, WORLD, 2, 0, 1);
        tell_comm(&p, r ? 5 : 2, 2, 0, 1);
        tell_comm(&p, r ? 6 : 7, 1, r, 0);
        tell_comm(&p, r ? 9 : 8, 2, 0, 1);
        for (uint64_t serial = 8; serial <= 9; serial++) {
            call(&l, 2000 + 100 * serial, 1);
            GROUP(&l, SPOOL_MPI_CALL, SPOOL_MPI_HAS_SITE | SPOOL_MPI_COLLECTIVE, SITE | serial << 32);
        }
        done(&p, &l);
    }
    collected(f);
    EXPECT(f->file, "/mpi/communicators/sizes", 2, 2, 1, 2, 1);
    EXPECT(f->file, "/mpi/calls/communicators", 3, -1, -1, 3);
}

/* Events, calls and completions are those of the file, whatever a process's own numbers are. */
static void numbers_go_on_from_rank_to_rank(void **state) {
    struct fixture *f = *state;
    for (int r = 0; r < 3; r++) {
        struct make_process p;
        struct make_lane l;
        rank(f, &p, &l, r, 3);
        tell_comm(&p, WORLD, 3, 0, 1);
        call(&l, 2000, 1);
        GROUP(&l, SPOOL_MPI_CALL, SPOOL_MPI_HAS_SITE, SITE);
        for (uint64_t i = 0; r != 1 && i < 2; i++) {
            call(&l, 2100 + 100 * i, 2);
            GROUP(&l, SPOOL_MPI_CALL, IRECEIVE, PLACE, PEER(1, 0), 40 + i);
        }
        call(&l, 3000, 1);
        GROUP(&l, SPOOL_MPI_CALL, SPOOL_MPI_HAS_SITE, SITE);
        GROUP(&l, SPOOL_MPI_DONE, 0, 41, PEER(1, 0), 8, 40, PEER(1, 0), 9);
        done(&p, &l);
    }
    collected(f);
    EXPECT(f->file, "/mpi/calls/events", 0, 2, 3, 1, 4, 5, 6, 8, 9, 7);
    EXPECT(f->file, "/mpi/calls/received", -1, 9, 8, -1, -1, -1, -1, 9, 8, -1);
    EXPECT(f->file, "/mpi/completions/events", 1, 1, 7, 7);
    EXPECT(f->file, "/mpi/completions/calls", 2, 1, 8, 7);
    EXPECT(f->file, "/mpi/ranks/ranks", 0, 1, 2);
    EXPECT(f->file, "/mpi/ranks/call_offsets", 0, 4, 6);
    EXPECT(f->file, "/mpi/ranks/completion_offsets", 0, 2, 2);
    EXPECT(f->file, "/mpi/ranks/completion_counts", 2, 0, 2);
}

/* The slot's group holds but for the words that are given again. */
static void again_with_words(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    rank(f, &p, &l, 0, 2);
    tell_comm(&p, WORLD, 2, 0, 1);
    call(&l, 2000, 1);
    GROUP(&l, SPOOL_MPI_CALL, IRECEIVE | SPOOL_HAS_SLOT | 63 << SPOOL_SLOT_SHIFT, PLACE, PEER(1, 5), 100);
    for (uint64_t request = 101; request < 103; request++) {
        call(&l, 2100 + 100 * request, 1);
        group(&l, SPOOL_MPI_AGAIN, 63, &request, 1);
    }
    call(&l, 20000, 1); /* more than the slot has, and of a slot that has nothing: a call that nothing is told of */
    GROUP(&l, SPOOL_MPI_AGAIN, 63, 1, 2, 3, 4, 5, 6);
    GROUP(&l, SPOOL_MPI_AGAIN, 62, 1);
    call(&l, 30000, 2);
    GROUP(&l, SPOOL_MPI_CALL, SPOOL_MPI_HAS_SITE, SITE);
    GROUP(&l, SPOOL_MPI_DONE, 0, 102, PEER(1, 5), 30, 100, PEER(1, 5), 10, 101, PEER(1, 5), 20);
    done(&p, &l);
    collected(f);
    EXPECT(f->file, "/mpi/calls/events", 0, 1, 2, 4);
    EXPECT(f->file, "/mpi/calls/from", 1, 1, 1, -1);
    EXPECT(f->file, "/mpi/calls/received", 10, 20, 30, -1);
    EXPECT(f->file, "/mpi/completions/calls", 2, 0, 1);
}

static void tell_duplicate(struct make_process *p, uint32_t serial, uint32_t of) {
    const struct spool_mpi_comm record = {
        .serial = serial, .flags = SPOOL_MPI_COMM_SAME, .rank = (int32_t)p->info.mpi_rank, .of = of};
    make_record(p, SPOOL_MPI_COMM, &record, sizeof record);
}

/* Duplicates of two communicators, made in another order on each rank, as by two threads: still the same ones; and one
 * of a communicator that was never told. */
static void duplicates(void **state) {
    struct fixture *f = *state;
    for (int number = 0; number < 2; number++) {
        struct make_process p;
        struct make_lane l;
        rank(f, &p, &l, number, 2);
        tell_comm(&p, WORLD, 2, 0, 1);
        tell_comm(&p, 2, 2, 1, -1);
        tell_duplicate(&p, 3, number ? 2 : WORLD);
        tell_duplicate(&p, 4, number ? WORLD : 2);
        tell_duplicate(&p, 5, 3);
        tell_duplicate(&p, 6, 99);
        for (uint64_t serial = 3; serial <= 6; serial++) {
            call(&l, 2000 + 100 * serial, 1);
            GROUP(&l, SPOOL_MPI_CALL, SEND, SITE | serial << 32, PEER(0, 7), 8);
        }
        done(&p, &l);
    }
    collected(f);
    EXPECT(f->file, "/mpi/communicators/sizes", 2, 2, 2, 2, 2, 2);
    EXPECT(f->file, "/mpi/calls/communicators", 2, 3, 4, -1, 3, 2, 5, -1);
    EXPECT(f->file, "/mpi/calls/to", 0, 1, 0, -3, 1, 0, 1, -3);
}

/* Communicators of the same members that were made from two others, in another order on each rank; two of one, which
 * are made in the same order everywhere; one from a communicator that was never told. */
static void made_from_others(void **state) {
    struct fixture *f = *state;
    for (int number = 0; number < 2; number++) {
        struct make_process p;
        struct make_lane l;
        rank(f, &p, &l, number, 2);
        tell_comm(&p, WORLD, 2, 0, 1);
        tell_duplicate(&p, 2, WORLD);
        tell_made(&p, 3, number ? 2 : WORLD, 2, 1, -1);
        tell_made(&p, 4, number ? WORLD : 2, 2, 1, -1);
        tell_made(&p, 5, 2, 2, 1, -1);
        tell_made(&p, 6, UINT32_MAX, 2, 1, -1);
        for (uint64_t serial = 3; serial <= 6; serial++) {
            call(&l, 2000 + 100 * serial, 1);
            GROUP(&l, SPOOL_MPI_CALL, SEND, SITE | serial << 32, PEER(0, 7), 8);
        }
        done(&p, &l);
    }
    collected(f);
    EXPECT(f->file, "/mpi/communicators/sizes", 2, 2, 2, 2, 2, 2);
    EXPECT(f->file, "/mpi/calls/communicators", 2, 3, 4, 5, 3, 2, 4, 5);
    EXPECT(f->file, "/mpi/calls/to", 1, 1, 1, 1, 1, 1, 1, 1);
}

/* Numbers that no recorder writes. Nothing may be made of them that takes long or much, and nothing may overflow. */
static void hostile(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    struct make_lane l;
    rank(f, &p, &l, 0, 1);
    tell_comm(&p, WORLD, INT32_MAX, 0, 1);
    tell_comm(&p, 3, INT32_MAX, INT32_MAX, INT32_MAX);
    tell_comm(&p, 4, -1, 0, 1);
    tell_comm(&p, UINT32_MAX, 2, 0, 1);
    GROUP(&l, SPOOL_MPI_DONE, 0, 1, 2, 3);
    group(&l, SPOOL_MPI_AGAIN, 1, NULL, 0);
    for (uint64_t i = 0; i < 8; i++) {
        call(&l, 2000 + 100 * i, 1);
        GROUP(&l, SPOOL_MPI_CALL,
              SPOOL_MPI_HAS_SITE | SPOOL_MPI_HAS_SENT | SPOOL_MPI_HAS_RECEIVED |
                  (uint32_t)(i + 1) << SPOOL_MPI_FLOW_SHIFT,
              PLACE | (i & 3) << 32, INT64_MAX, INT64_MAX);
        GROUP(&l, SPOOL_MPI_SENT_TO, 0xffffff, INT64_MAX, UINT64_MAX);
    }
    for (uint64_t i = 0; i < 4; i++) {
        call(&l, 4000 + 100 * i, 2);
        GROUP(&l, SPOOL_MPI_CALL, 0xffffff & ~(unsigned)SPOOL_MPI_FAILED, UINT64_MAX, UINT64_MAX, UINT64_MAX);
        GROUP(&l, SPOOL_MPI_STARTED, 0, UINT64_MAX, 0);
        GROUP(&l, SPOOL_MPI_DONE, 0, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0);
        GROUP(&l, SPOOL_MPI_CALL, SPOOL_MPI_HAS_ALL, 0, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, 5,
              UINT64_MAX, UINT64_MAX, UINT64_MAX);
        GROUP(&l, SPOOL_MPI_DONE, 0, 5, UINT64_MAX, UINT64_MAX);
    }
    done(&p, &l);
    collected(f);
    assert_int_equal(f->result.calls, 12);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(sums_and_peers),
                                       TEST(a_handle_is_given_on_while_it_is_waited_for),
                                       TEST(communicators_are_matched),
                                       TEST(again_with_words),
                                       TEST(duplicates),
                                       TEST(made_from_others),
                                       TEST(numbers_go_on_from_rank_to_rank),
                                       TEST(hostile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
