/* names.h: from a code object to its region. What is known of a code object is one word, kept in the object's own
 * co_extra: it dies with the object, and costs no memory of ours. */
#ifndef SCOPE_PROFILER_NAMES_H
#define SCOPE_PROFILER_NAMES_H

#include "extras.h"
#include "recorder.h"

/*   bits 0..22   region of its calls
 *   bits 23..45  region of a generator's resumptions, 0: not made yet
 *   bit  46      not recorded (filtered out)
 *   bit  47      generator, coroutine or asynchronous generator
 *   bits 48..62  of rec_default_serial (odd), whose regions these are
 *   bit  63      coroutine or asynchronous generator: what tasks run */
typedef uint64_t name_word;

#define NAME_SKIPPED   (UINT64_C(1) << 46)
#define NAME_GENERATOR (UINT64_C(1) << 47)
#define NAME_COROUTINE (UINT64_C(1) << 63)

static inline int name_region(name_word word) { return (int)(word & 0x7fffff); }
static inline int name_resumed(name_word word) { return (int)(word >> 23 & 0x7fffff); }

extern Py_ssize_t names_index; /* of co_extra */

/* False: ask names_learn(). */
static inline bool name_known(name_word word) { return ((word >> 48 ^ rec_default_serial) & 0x7fff) == 0; }

static inline name_word name_find(PyObject *code) { return (name_word)(uintptr_t)extra_find(code, names_index); }

/* What is to be recorded; lists of globs on the region's name, NUL-terminated and one a line, NULL: none given. Copied.
 * all: also the standard library and installed packages. */
void names_configure(bool all, const char *include, const char *exclude);

/* The text given to -c is not the user's: it starts a helper of the standard library. */
void names_command_is_library(void);
bool names_want_library(void);

/* Once for each initialisation of Python: false when code objects give no place. */
bool names_up(void);

/* Gives the code object its name and remembers it. globals: those of the frame that runs it, NULL unknown. The GIL is
 * held; the pending exception and errno are kept. */
name_word names_learn(PyObject *code, PyObject *globals);
/* The region of the resumptions of the generator that has this code, of which `word` is known. */
int names_learn_resumed(PyObject *code, name_word word);

/* The program records the calls of this code itself: they are nobody else's. */
/* Calls of that code are recorded as calls of this region. */
void names_put_in(PyObject *code, int region);
void names_leave_out(PyObject *code);

/* In the child of a fork. */
void names_forked(void);

#endif
