/* The public header stands alone, in C and in C++, and before any other. */
#include "scope_gate.h"

int main(void) {
    const spr_gate_options options = spr_gate_defaults();
    spr_gate_result result;
    spr_error error;
    const int status = spr_gate(nullptr, 0, nullptr, 0, nullptr, &options, &result, &error);
    spr_gate_free(&result);
    return status == -1 && options.max_slowdown == 0.05 && spr_metric_needs_calls(SPR_BY_P95) ? 0 : 1;
}
