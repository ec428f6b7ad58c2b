/* Any bytes as a profile: everything is asked. `make_seeds DIR` writes files to begin with:
 *
 *   fuzz_reader -max_len=65536 -timeout=20 -rss_limit_mb=2048 -malloc_limit_mb=1048576 CORPUS
 */
#include "everything.h"
#include "mend.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed) {
    return mend_mutation(bytes, size, most, seed);
}

/* HDF5 asks for what a damaged file tells it to, takes no for an answer, and leaks where it fails. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "allocator_may_return_null=1:max_allocation_size_mb=1024:detect_leaks=0";
}

static char path[] = "/dev/shm/fuzz-reader-XXXXXX";

static void remove_file(void) { unlink(path); }

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static int descriptor = -1;
    if (descriptor < 0) {
        descriptor = mkstemp(path);
        if (descriptor < 0) abort();
        atexit(remove_file);
    }
    if (ftruncate(descriptor, 0) != 0 || pwrite(descriptor, bytes, count, 0) != (ssize_t)count) abort();
    ask_everything(path);
    return 0;
}
