/* The functions of scope_profiler.h as plain C symbols, for languages that call C but cannot include the header. A
 * library of its own: what is preloaded exports no name that a program's own library might have, too. */
#define SP_LINKED
#define SP_INLINE_ __attribute__((visibility("default")))
#include "scope_profiler.h"
