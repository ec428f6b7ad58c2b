/* frames.h: what a frame runs, without asking CPython to make an object or take a reference. Where things lie is known
 * for each version and tried out once, before it is used. */
#ifndef SCOPE_PROFILER_FRAMES_H
#define SCOPE_PROFILER_FRAMES_H

#include "pyapi.h"

/* Offsets in bytes. Until 3.10 all in PyFrameObject; from 3.11 in struct _PyInterpreterFrame, to which PyFrameObject
 * has a pointer. */
struct frame_layout {
    int minor;
    int inner; /* in PyFrameObject: pointer to the frame proper; -1: it is that itself */
    int code, globals;
    int last;  /* until 3.10: int, index of the last instruction, -1 before the first. Then: pointer to the instruction
                */
    int owner; /* 3.11: one byte */
    /* From 3.11: the instructions that a profile function's call event comes from when nothing was thrown in; 0: learnt
     * when the layout is tried out. */
    uint8_t resume, resume_quick;
};
extern struct frame_layout frames;

/* Chooses the layout of `py`'s version; false: none is known. */
bool frames_choose(void);

static inline char *frame_proper(PyFrameObject *frame) {
    char *at = (char *)frame;
    if (frames.inner >= 0) memcpy(&at, at + frames.inner, sizeof at);
    return at;
}
/* The low bits are tags, from 3.14. */
static inline PyObject *frame_code(const char *proper) {
    uintptr_t code;
    memcpy(&code, proper + frames.code, sizeof code);
    return (PyObject *)(code & ~(uintptr_t)7);
}
static inline PyObject *frame_globals(const char *proper) {
    PyObject *globals;
    memcpy(&globals, proper + frames.globals, sizeof globals);
    return globals;
}

/* Whether a generator that is being entered has not run yet; at a profile function's call event. */
bool frame_is_first_run(const char *proper);

enum frame_entry {
    FRAME_FIRST = 0,
    FRAME_RESUMED,
    FRAME_CREATES /* the function is called: it makes the generator, whose code does not run (3.11) */
};
/* The same at a frame evaluation function's entry. */
enum frame_entry frame_entry(const char *proper, int throw_flag);

/* Trying the layout out. The caller runs this source with its hook in place, `globals` being an empty dict, and hands
 * every frame that is entered to frames_try(); then frames_right() says whether all was as expected. */
extern const char frames_trial_source[];
struct frames_trial {
    PyObject *code, *globals; /* of the source */
    PyObject *generator;      /* private */
    int entered;
    bool wrong;
};
void frames_try(struct frames_trial *trial, const char *proper, enum frame_entry entry);
bool frames_right(const struct frames_trial *trial);

/* Runs the source: `on` puts the caller's hook in place, `off` takes it away. False: it did not run or was not right.
 */
bool frames_run_trial(struct frames_trial *trial, void (*on)(void), void (*off)(void));

#endif
