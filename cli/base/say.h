/* say.h: what the command tells on stderr. */
#ifndef CLI_SAY_H
#define CLI_SAY_H

/* One line on stderr, "scope-profiler: " before it, written in one piece so that lines of several ranks stay whole.
 * Control characters in it (from file names) are written as \xNN. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What say() told last, without "scope-profiler: " before it; NULL: nothing yet. */
const char *say_last(void);

#endif
