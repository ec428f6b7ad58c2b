/* guard.h: a file may be damaged in a way that HDF5 itself does not survive. Then the command ends with one line and
 * status 1, as with any file that cannot be read, and not with a signal. */
#ifndef CLI_GUARD_H
#define CLI_GUARD_H

/* From now on a fault of this process is told as one of the file (of the files, when there are several). */
void guard_reading(const char *path);

/* The last thing of main(), which returns what it gives. After a failure it does not come back: closing itself as the
 * process ends, HDF5 would talk of what was wrong with the file, or not come to an end. */
int guard_leave(int status);

#endif
