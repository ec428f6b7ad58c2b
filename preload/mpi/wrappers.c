/* The wrappers: MPI_X and PMPI_X for every row of functions.table.
 *
 * All arguments are integers or pointers, so a wrapper takes and hands on words and needs no mpi.h. Each calls the next
 * symbol of its own name, so that other tools before and behind it work as without it; and PMPI_X is there because the
 * Fortran bindings of most MPIs call that. Functions of up to five arguments are a jump into one body per number of
 * arguments, the entry being one argument more in a register. */
#pragma GCC visibility push(hidden) /* all that is called and read here is in this object: no way round by its GOT */
#include "call.h"
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
#define BODY(n, attributes)                                                                                            \
    static attributes int body_##n(PARAMETERS_##n, struct mpi_entry *entry, bool lifecycle) {                          \
        const uintptr_t *frame = __builtin_frame_address(0);                                                           \
        bool ready = __atomic_load_n(&entry->serial, __ATOMIC_ACQUIRE) == rec_default_serial;                          \
        mpi_any next = entry->next;                                                                                    \
        if (UNLIKELY(!ready || frame < mpi_outermost.frame)) {                                                         \
            struct mpi_way way = mpi_decide(entry, frame);                                                             \
            next = way.next;                                                                                           \
            if (!way.record) return ((int (*)(PARAMETERS_##n))next)(ARGUMENTS_##n);                                    \
        }                                                                                                              \
        mpi_outermost = (struct mpi_outermost){frame, frame[1]};                                                       \
        int region = entry->region;                                                                                    \
        rec_begin(region);                                                                                             \
        int result = ((int (*)(PARAMETERS_##n))next)(ARGUMENTS_##n);                                                   \
        rec_end(region);                                                                                               \
        mpi_outermost.frame = NULL;                                                                                    \
        if (lifecycle) mpi_lifecycle_ended(entry, result);                                                             \
        return result;                                                                                                 \
    }

#define INLINED inline __attribute__((always_inline))

/* Bodies that are jumped to. */
#define SHARED_BODY(n)                                                                                                 \
    BODY(n, INLINED)                                                                                                   \
    static __attribute__((noinline)) int shared_##n(PARAMETERS_##n, struct mpi_entry *entry) {                         \
        return body_##n(ARGUMENTS_##n, entry, false);                                                                  \
    }

SHARED_BODY(1)
SHARED_BODY(2)
SHARED_BODY(3)
SHARED_BODY(4)
SHARED_BODY(5)
BODY(6, INLINED)
BODY(7, INLINED)
BODY(8, INLINED)
BODY(9, INLINED)
BODY(10, INLINED)
BODY(11, INLINED)
BODY(12, INLINED)
BODY(13, INLINED)

#define CALL_SHARED(n, entry, kind)                                                                                    \
    return (kind) == MPI_KIND_LIFECYCLE ? body_##n(ARGUMENTS_##n, entry, true) : shared_##n(ARGUMENTS_##n, entry)
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
