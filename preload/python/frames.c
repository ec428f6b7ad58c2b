#include "frames.h"

struct frame_layout frames;

static const struct frame_layout layouts[] = {
    {.minor = 8, .inner = -1, .code = 32, .globals = 48, .last = 104},
    {.minor = 9, .inner = -1, .code = 32, .globals = 48, .last = 104},
    {.minor = 10, .inner = -1, .code = 32, .globals = 48, .last = 96},
    {.minor = 11, .inner = 24, .code = 32, .globals = 8, .last = 56, .owner = 69, .resume = 151, .resume_quick = 150},
    {.minor = 12, .inner = 24, .code = 0, .globals = 24, .last = 56},
    {.minor = 13, .inner = 24, .code = 0, .globals = 24, .last = 56},
    {.minor = 14, .inner = 24, .code = 0, .globals = 24, .last = 56},
};

bool frames_choose(void) {
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        if (layouts[i].minor != py.minor) continue;
        frames = layouts[i];
        return true;
    }
    return false;
}

/* ---- generators ----------------------------------------------------------------------------------------------------
 */

enum {
    OPCODE_RETURN_GENERATOR = 75, /* 3.11 */
    OWNED_BY_THREAD = 0,          /* 3.11; a generator's own frame has 1 */
    RESUME_PLACE = 3,             /* bits of RESUME's argument; 0: at the function's start */
};

static bool has_not_run(const char *frame) {
    int last;
    memcpy(&last, frame + frames.last, sizeof last);
    return last < 0;
}

static void last_instruction(const char *frame, uint8_t instruction[2]) {
    const uint8_t *at;
    memcpy(&at, frame + frames.last, sizeof at);
    memcpy(instruction, at, 2);
}

bool frame_is_first_run(const char *proper) {
    if (py.minor < 11) return has_not_run(proper);
    uint8_t last[2];
    last_instruction(proper, last);
    bool thrown = frames.resume && last[0] != frames.resume && last[0] != frames.resume_quick;
    return !thrown && (last[1] & RESUME_PLACE) == 0;
}

enum frame_entry frame_entry(const char *proper, int throw_flag) {
    if (py.minor < 11) return has_not_run(proper) && !throw_flag ? FRAME_FIRST : FRAME_RESUMED;
    if (proper[frames.owner] == OWNED_BY_THREAD) return FRAME_CREATES;
    uint8_t last[2];
    last_instruction(proper, last);
    return last[0] == OPCODE_RETURN_GENERATOR && !throw_flag ? FRAME_FIRST : FRAME_RESUMED;
}

/* ---- trial ---------------------------------------------------------------------------------------------------------
 */

const char frames_trial_source[] = "def g():\n"
                                   "    yield\n"
                                   "    yield\n"
                                   "for x in g(): pass\n";

void frames_try(struct frames_trial *trial, const char *proper, enum frame_entry entry) {
    static const enum frame_entry expected[] = {FRAME_FIRST, FRAME_RESUMED, FRAME_RESUMED};
    PyObject *code = frame_code(proper);
    bool right;
    if (trial->entered == 0) {
        right = code == trial->code;
    } else {
        right = code != trial->code && (!trial->generator || code == trial->generator);
        trial->generator = code;
        if (right && entry == FRAME_CREATES) return;
        right = right && trial->entered <= 3 && entry == expected[trial->entered - 1];
    }
    if (py.minor > 11 && right && trial->entered == 1) {
        uint8_t last[2];
        last_instruction(proper, last);
        frames.resume = frames.resume_quick = last[0];
    }
    if (!right || frame_globals(proper) != trial->globals) trial->wrong = true;
    trial->entered++;
}

bool frames_right(const struct frames_trial *trial) { return !trial->wrong && trial->entered == 4; }

bool frames_run_trial(struct frames_trial *trial, void (*on)(void), void (*off)(void)) {
    *trial = (struct frames_trial){.code = py.Py_CompileString(frames_trial_source, "<trial>", PY_FILE_INPUT),
                                   .globals = py.PyDict_New()};
    PyObject *result = NULL;
    if (trial->code && trial->globals) {
        on();
        result = py.PyEval_EvalCode(trial->code, trial->globals, trial->globals);
        off();
    }
    bool ran = result != NULL;
    py.PyErr_Clear();
    py_drop(result);
    py_drop(trial->globals);
    py_drop(trial->code);
    return ran && frames_right(trial);
}
