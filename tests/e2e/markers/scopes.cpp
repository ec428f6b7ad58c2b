/* Scopes: literals, names made at run time, moves, exceptions, functions, templates. */
#include <cstdio>
#include <scope_profiler.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace work {
template <class T> T twice(T value) {
    SP_PROFILE_FUNCTION();
    return value + value;
}
struct Thing {
    void act(int depth) {
        SP_PROFILE_FUNCTION();
        if (depth) act(depth - 1);
    }
};
} // namespace work

static void thrower(int k) {
    SP_PROFILE_SCOPE("thrower");
    if (k % 2) throw std::runtime_error("odd");
}

static sp::Scope handed_on(int region) {
    sp::Scope scope(region);
    return scope;
}

int main() {
    int caught = 0;
    for (int k = 0; k < 10; k++) {
        SP_PROFILE_SCOPE("outer");
        try {
            thrower(k);
        } catch (const std::exception &) {
            caught++;
        }
        const std::string name = "made " + std::to_string(k % 2);
        SP_PROFILE_SCOPE(name.c_str());
    }
    for (int k = 0; k < 3; k++) {
        char buffer[16];
        std::snprintf(buffer, sizeof buffer, "buffer %d", k);
        SP_PROFILE_SCOPE(buffer);
    }
    const int region = sp_region("moved");
    {
        sp::Scope first = handed_on(region), second(std::move(first));
        sp::Scope third(region);
        third = std::move(second); /* ends its own call, then holds the first one */
    }
    {
        const int again = sp_region("assigned");
        sp::Scope older(again);
        older = sp::Scope(again); /* a later call of the region that the older one is still in */
        sp::Scope empty(sp_region("emptied"));
        sp::Scope(std::move(empty));
        empty = sp::Scope(sp_region("assigned to nothing"));
    }
    {
        SP_PROFILE_SCOPE("one line");
        SP_PROFILE_SCOPE("the same line");
        SP_PROFILE_SCOPE_CTX(sp_default_profiler(), "of it");
    }
    {
        sp_profiler *context = sp_create("context", 0);
        SP_PROFILE_SCOPE_CTX(context, "in context");
        SP_PROFILE_FUNCTION_CTX(context);
    }
    work::Thing().act(2);
    std::printf("caught %d %d %.1f\n", caught, work::twice(2), work::twice(1.5));
    return 0;
}
