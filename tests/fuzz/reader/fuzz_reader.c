/* Any bytes as a profile: everything is asked. `make_seeds DIR` writes files to begin with:
 *
 *   fuzz_reader -max_len=65536 -timeout=20 -rss_limit_mb=2048 CORPUS
 */
#include "everything.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static int descriptor = -1;
    static char path[64];
    if (descriptor < 0) {
        descriptor = memfd_create("fuzz", MFD_CLOEXEC);
        if (descriptor < 0) abort();
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    }
    if (ftruncate(descriptor, 0) != 0 || pwrite(descriptor, bytes, count, 0) != (ssize_t)count) abort();
    ask_everything(path);
    return 0;
}
