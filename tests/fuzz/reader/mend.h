/* mend.h: HDF5's newer structures have checksums, which no fuzzer guesses. */
#ifndef FUZZ_MEND_H
#define FUZZ_MEND_H

#include <stddef.h>
#include <stdint.h>

/* Changes the bytes as libFuzzer does (which gives `size` and takes the result likewise), and then makes the checksums
 * of structures fit that did fit before. */
size_t mend_mutation(uint8_t *bytes, size_t size, size_t most, unsigned seed);

#endif
