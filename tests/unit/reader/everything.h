/* everything.h: asks every question that the reader answers; for damaged and hostile files. */
#ifndef TEST_READER_EVERYTHING_H
#define TEST_READER_EVERYTHING_H

/* Opens the file and asks; returns the status of spr_open(). Aborts when the reader breaks its promises: an error
 * without a message of one line, a number that no file can have, a string that is none. */
int ask_everything(const char *path);

#endif
