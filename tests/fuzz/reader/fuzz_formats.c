/* Any bytes as a JSON profile or a native trace: everything is asked, and what can be read can be written in both
 * formats and read again. The seeds are those of make_seeds. */
#include "everything.h"
#include "scope_reader.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* HDF5 asks for what a damaged file tells it to, takes no for an answer, and leaks where it fails. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1:detect_leaks=0"; }

static char directory[] = "/dev/shm/fuzz-formats-XXXXXX";
static char input[64], outputs[2][64];

static void remove_files(void) {
    unlink(input);
    for (size_t i = 0; i < 2; i++) unlink(outputs[i]);
    rmdir(directory);
}

static void make_files(void) {
    static const char *const endings[] = {"json", "h5"};
    if (!mkdtemp(directory)) abort();
    snprintf(input, sizeof input, "%s/input", directory);
    for (size_t i = 0; i < 2; i++) snprintf(outputs[i], sizeof outputs[i], "%s/output.%s", directory, endings[i]);
    atexit(remove_files);
}

static void promise(int kept, const char *what, const char *message) {
    if (kept) return;
    fprintf(stderr, "broken promise: %s: %s\n", what, message);
    abort();
}

/* Damage in the calls is found when they are read. */
static void write_again(spr_profile *profile, const char *path) {
    spr_error error = {0};
    spr_profile *copy;
    const int status = spr_write(&profile, 1, path, NULL, &error);
    promise(status != SPR_CANNOT_WRITE && status != SPR_CONFLICT, "one profile can be written", error.message);
    if (status != SPR_OK) return;
    promise(spr_open(path, &copy, &error) == SPR_OK, "what was written can be read", error.message);
    promise(spr_num_calls(copy) == spr_num_calls(profile) && spr_num_rows(copy) == spr_num_rows(profile),
            "it holds the same", path);
    spr_close(copy);
    ask_everything(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    if (!*input) make_files();
    if (count < 8 || (bytes[0] != '{' && bytes[0] != 0x1f && memcmp(bytes, "SCOPEPRF", 8) != 0)) return 0;
    FILE *file = fopen(input, "wb");
    if (!file || fwrite(bytes, 1, count, file) != count || fclose(file) != 0) abort();
    spr_profile *profile;
    if (ask_everything(input) != SPR_OK || spr_open(input, &profile, NULL) != SPR_OK) return 0;
    for (size_t i = 0; i < 2; i++) write_again(profile, outputs[i]);
    spr_close(profile);
    return 0;
}
