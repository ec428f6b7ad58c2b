/* session.h: the session file of a spool, and the lock of who collects it. */
#ifndef COLLECT_SESSION_H
#define COLLECT_SESSION_H

#include "model.h"

/* Takes what `dir`'s session file says and `session` does not have yet. A missing file says nothing. */
void session_read(int dir, struct session *session);
void session_free(struct session *session);

enum lock_result { LOCK_TAKEN, LOCK_BUSY, LOCK_FAILED /* errno */ };

/* Makes `<spool>/collecting`, holding this process's pid, start time and boot; one left by a dead process is replaced.
 */
enum lock_result lock_take(struct spool_dir *dir, const struct machine *machine);
void lock_release(struct spool_dir *dir);

#endif
