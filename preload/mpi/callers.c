#include "callers.h"

#include <dlfcn.h>
#include <string.h>
#include <unwind.h>

/* The C++ and Fortran runtimes bring the unwinder; a program without them has no bindings to look behind. */
typedef _Unwind_Reason_Code (*backtrace)(_Unwind_Trace_Fn, void *);
typedef _Unwind_Word (*get_word)(struct _Unwind_Context *);

static struct {
    backtrace walk;
    get_word address, stack;
} unwinder;

static bool find_unwinder(void) {
    if (unwinder.walk) return true;
    void *library = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (!library) return false;
    void *const found[] = {dlsym(library, "_Unwind_GetIP"), dlsym(library, "_Unwind_GetCFA"),
                           dlsym(library, "_Unwind_Backtrace")};
    dlclose(library);
    if (!found[0] || !found[1]) return false;
    memcpy(&unwinder.address, &found[0], sizeof found[0]); /* ISO C has no cast for it */
    memcpy(&unwinder.stack, &found[1], sizeof found[1]);
    memcpy(&unwinder.walk, &found[2], sizeof found[2]);
    return found[2] != NULL;
}

/* libmpi.so, libmpich.so, libmpichfort.so, libmpifort.so, libmpi_mpifh.so, libmpi_usempif08.so, ... */
static bool is_of_mpi(uintptr_t address) {
    Dl_info info;
    if (!dladdr((void *)(address - 1), &info) || !info.dli_fname) return false;
    const char *slash = strrchr(info.dli_fname, '/');
    return strncmp(slash ? slash + 1 : info.dli_fname, "libmpi", 6) == 0;
}

struct search {
    uintptr_t address; /* of the frame that is looked for */
    const uintptr_t *slot;
    bool found;           /* it was the frame before */
    const uintptr_t *top; /* the end of that frame */
    uintptr_t next;       /* the return address there */
};

/* A frame's stack begins behind its callee's return address, which is the one before this frame's own address. */
static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *argument) {
    struct search *search = argument;
    const uintptr_t address = unwinder.address(context);
    const uintptr_t *stack = (const uintptr_t *)unwinder.stack(context);
    if (search->found) {
        search->top = stack;
        search->next = address;
        return _URC_END_OF_STACK;
    }
    search->found = address == search->address && stack > search->slot;
    return _URC_NO_REASON;
}

int32_t callers_step(uintptr_t address, const uintptr_t *slot) {
    struct search search = {.address = address, .slot = slot};
    if (!is_of_mpi(address) || !find_unwinder()) return 0;
    unwinder.walk(look, &search);
    if (!search.top || search.top - slot > 1 << 20) return 0;
    for (const uintptr_t *at = search.top - 1; at > slot; at--)
        if (*at == search.next) return (int32_t)((const char *)at - (const char *)slot);
    return 0;
}

/* The longest call instruction has 7 bytes. */
bool callers_may_return_to(uintptr_t address) {
    Dl_info info;
    if (!dladdr((void *)(address - 1), &info) || address - (uintptr_t)info.dli_fbase < 64) return false;
#if defined(__x86_64__)
    const unsigned char *end = (const unsigned char *)address;
    static const unsigned char lengths[] = {2, 3, 6, 7}; /* of FF /2 */
    bool is_call = end[-5] == 0xe8;
    for (size_t i = 0; i < sizeof lengths; i++)
        is_call |= end[-lengths[i]] == 0xff && (end[-lengths[i] + 1] >> 3 & 7) == 2;
    return is_call;
#elif defined(__aarch64__)
    const uint32_t before = ((const uint32_t *)address)[-1];
    return (before & 0xfc000000) == 0x94000000 || (before & 0xfffffc1f) == 0xd63f0000; /* bl, blr */
#else
    return false;
#endif
}
