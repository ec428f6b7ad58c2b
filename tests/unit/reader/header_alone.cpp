/* The public header stands alone, in C and in C++, and before any other. */
#include "scope_reader.h"

int main(void) {
    spr_error error;
    spr_profile *profile = nullptr;
    const int status = spr_open("/nonexistent", &profile, &error);
    spr_close(profile);
    return status == SPR_NOT_FOUND && profile == nullptr ? 0 : 1;
}
