/* The wrappers: MPI_X and PMPI_X for every row of functions.table.
 *
 * All arguments are integers or pointers, so a wrapper takes and hands on words and needs no mpi.h. Each calls the next
 * symbol of its own name, so that other tools before and behind it work as without it; and PMPI_X is there because the
 * Fortran bindings of most MPIs call that. Functions of up to five arguments are a jump into one body per number of
 * arguments, the entry being one argument more in a register. */
#include "clock.h"

#pragma GCC visibility push(hidden) /* all that is called and read here is in this object: no way round by its GOT */
#include "call.h"
#include "facts.h"
#include "recorder.h"
#pragma GCC visibility pop

#define PARAMETERS_0  mpi_word a0 /* one too many for a function without arguments, which cannot notice */
#define PARAMETERS_1  mpi_word a0
#define PARAMETERS_2  PARAMETERS_1, mpi_word a1
#define PARAMETERS_3  PARAMETERS_2, mpi_word a2
#define PARAMETERS_4  PARAMETERS_3, mpi_word a3
#define PARAMETERS_5  PARAMETERS_4, mpi_word a4
#define PARAMETERS_6  PARAMETERS_5, mpi_word a5
#define PARAMETERS_7  PARAMETERS_6, mpi_word a6
#define PARAMETERS_8  PARAMETERS_7, mpi_word a7
#define PARAMETERS_9  PARAMETERS_8, mpi_word a8
#define PARAMETERS_10 PARAMETERS_9, mpi_word a9
#define PARAMETERS_11 PARAMETERS_10, mpi_word a10
#define PARAMETERS_12 PARAMETERS_11, mpi_word a11
#define PARAMETERS_13 PARAMETERS_12, mpi_word a12

#define ARGUMENTS_1  a0
#define ARGUMENTS_2  ARGUMENTS_1, a1
#define ARGUMENTS_3  ARGUMENTS_2, a2
#define ARGUMENTS_4  ARGUMENTS_3, a3
#define ARGUMENTS_5  ARGUMENTS_4, a4
#define ARGUMENTS_6  ARGUMENTS_5, a5
#define ARGUMENTS_7  ARGUMENTS_6, a6
#define ARGUMENTS_8  ARGUMENTS_7, a7
#define ARGUMENTS_9  ARGUMENTS_8, a8
#define ARGUMENTS_10 ARGUMENTS_9, a9
#define ARGUMENTS_11 ARGUMENTS_10, a10
#define ARGUMENTS_12 ARGUMENTS_11, a11
#define ARGUMENTS_13 ARGUMENTS_12, a12

/* A new frame is always below an outermost one that is still alive, and NULL is below all. */
#define BODY(name, n, attributes, BATCH, batch)                                                                        \
    static attributes int name##_##n(PARAMETERS_##n, struct mpi_entry *entry, bool lifecycle) {                        \
        const uintptr_t *frame = __builtin_frame_address(0);                                                           \
        bool ready = __atomic_load_n(&entry->serial, __ATOMIC_ACQUIRE) == rec_default_serial;                          \
        mpi_any next = entry->next;                                                                                    \
        if (UNLIKELY(!ready || frame < mpi_outermost.frame)) {                                                         \
            struct mpi_way way = mpi_decide(entry, frame);                                                             \
            next = way.next;                                                                                           \
            if (!way.record) return ((int (*)(PARAMETERS_##n))next)(ARGUMENTS_##n);                                    \
        }                                                                                                              \
        mpi_outermost = (struct mpi_outermost){frame, frame[1]};                                                       \
        if (lifecycle) mpi_lifecycle_begins(entry);                                                                    \
        if (UNLIKELY(!rec_takes_facts || entry->region < 0)) {                                                         \
            int region = entry->region;                                                                                \
            rec_begin(region);                                                                                         \
            int status = ((int (*)(PARAMETERS_##n))next)(ARGUMENTS_##n);                                               \
            rec_end(region);                                                                                           \
            mpi_outermost.frame = NULL;                                                                                \
            if (lifecycle) mpi_lifecycle_ended(entry, status);                                                         \
            return status;                                                                                             \
        }                                                                                                              \
        mpi_word arguments[] = {ARGUMENTS_##n};                                                                        \
        BATCH;                                                                                                         \
        struct mpi_call call;                                                                                          \
        call.entry = entry;                                                                                            \
        call.arguments = arguments;                                                                                    \
        call.site = (uintptr_t)__builtin_return_address(0);                                                            \
        call.handles = NULL;                                                                                           \
        call.handle = 0;                                                                                               \
        call.count = 0;                                                                                                \
        call.mapped = 0;                                                                                               \
        if (entry->shape.prepares) mpi_before(&call, batch);                                                           \
        call.late = entry->shape.polls && rec_tells_late;                                                              \
        if (!call.late) rec_begin(entry->region);                                                                      \
        if (entry->shape.polls) call.begun = clock_ticks((enum spool_clock)rec_now_clock);                             \
        int result = ((int (*)(PARAMETERS_##n))next)(PASSED_##n);                                                      \
        mpi_after(&call, result);                                                                                      \
        mpi_outermost.frame = NULL;                                                                                    \
        if (lifecycle) mpi_lifecycle_ended(entry, result);                                                             \
        return result;                                                                                                 \
    }

#define PASSED_1  arguments[0]
#define PASSED_2  PASSED_1, arguments[1]
#define PASSED_3  PASSED_2, arguments[2]
#define PASSED_4  PASSED_3, arguments[3]
#define PASSED_5  PASSED_4, arguments[4]
#define PASSED_6  PASSED_5, arguments[5]
#define PASSED_7  PASSED_6, arguments[6]
#define PASSED_8  PASSED_7, arguments[7]
#define PASSED_9  PASSED_8, arguments[8]
#define PASSED_10 PASSED_9, arguments[9]
#define PASSED_11 PASSED_10, arguments[10]
#define PASSED_12 PASSED_11, arguments[11]
#define PASSED_13 PASSED_12, arguments[12]

#define INLINED inline __attribute__((always_inline))

/* Bodies that are jumped to; those of the completion kind have room for what such a call overwrites. */
#define SHARED_BODY(n)                                                                                                 \
    BODY(body, n, INLINED, , NULL)                                                                                     \
    BODY(completing, n, __attribute__((noinline)), struct mpi_batch batch, &batch)                                     \
    static __attribute__((noinline)) int shared_##n(PARAMETERS_##n, struct mpi_entry *entry) {                         \
        return body_##n(ARGUMENTS_##n, entry, false);                                                                  \
    }

SHARED_BODY(1)
SHARED_BODY(2)
SHARED_BODY(3)
SHARED_BODY(4)
SHARED_BODY(5)
BODY(body, 6, INLINED, , NULL)
BODY(body, 7, INLINED, , NULL)
BODY(body, 8, INLINED, , NULL)
BODY(body, 9, INLINED, , NULL)
BODY(body, 10, INLINED, , NULL)
BODY(body, 11, INLINED, , NULL)
BODY(body, 12, INLINED, , NULL)
BODY(body, 13, INLINED, , NULL)

int (*const mpi_recorded_call)(mpi_word, struct mpi_entry *) = shared_1;

#define CALL_SHARED(n, entry, kind)                                                                                    \
    return (kind) == MPI_KIND_LIFECYCLE    ? body_##n(ARGUMENTS_##n, entry, true)                                      \
           : (kind) == MPI_KIND_COMPLETION ? completing_##n(ARGUMENTS_##n, entry, false)                               \
                                           : shared_##n(ARGUMENTS_##n, entry)
#define CALL_INLINED(n, entry, kind) return body_##n(ARGUMENTS_##n, entry, (kind) == MPI_KIND_LIFECYCLE)

#define CALL_0(n, entry, kind) CALL_SHARED(1, entry, kind)
#define CALL_1                 CALL_SHARED
#define CALL_2                 CALL_SHARED
#define CALL_3                 CALL_SHARED
#define CALL_4                 CALL_SHARED
#define CALL_5                 CALL_SHARED
#define CALL_6                 CALL_INLINED
#define CALL_7                 CALL_INLINED
#define CALL_8                 CALL_INLINED
#define CALL_9                 CALL_INLINED
#define CALL_10                CALL_INLINED
#define CALL_11                CALL_INLINED
#define CALL_12                CALL_INLINED
#define CALL_13                CALL_INLINED

#define FUNCTION(name, kind, nargs, ...)                                                                               \
    EXPORT int MPI_##name(PARAMETERS_##nargs) {                                                                        \
        CALL_##nargs(nargs, &mpi_entries[MPI_PLAIN][MPI_FUNCTION_##name], MPI_KIND_##kind);                            \
    }                                                                                                                  \
    EXPORT int PMPI_##name(PARAMETERS_##nargs) {                                                                       \
        CALL_##nargs(nargs, &mpi_entries[MPI_PROFILING][MPI_FUNCTION_##name], MPI_KIND_##kind);                        \
    }
#include "functions.inc"
