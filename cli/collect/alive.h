/* alive.h: which machine this is, and which processes live on it. */
#ifndef COLLECT_ALIVE_H
#define COLLECT_ALIVE_H

#include "model.h"

void machine_read(struct machine *machine);
/* True while process `pid` lives that started `start_time` clock ticks after boot (0: whichever it is). */
bool process_alive(int64_t pid, uint64_t start_time);
/* 0 unknown. */
uint64_t process_start_time(int64_t pid);

#endif
