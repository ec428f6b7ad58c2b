#include "activation.h"
#include <stdlib.h>

__thread struct activations activations __attribute__((tls_model("initial-exec")));

static struct open_generator *list(void) { return activations.far ? activations.far : activations.near; }

static bool make_room(void) {
    struct activations *a = &activations;
    uint32_t capacity = a->far ? a->capacity : ACTIVATION_NEAR;
    if (a->num_generators < capacity) return true;
    struct open_generator *larger = malloc(2 * capacity * sizeof *larger);
    if (!larger) return false;
    memcpy(larger, list(), a->num_generators * sizeof *larger);
    free(a->far);
    a->far = larger;
    a->capacity = 2 * capacity;
    return true;
}

/* A thread that has climbed down again keeps no memory: nobody tells us when it ends. */
static void give_room_back(void) {
    struct activations *a = &activations;
    if (!a->far || a->num_generators > ACTIVATION_NEAR / 2) return;
    memcpy(a->near, a->far, a->num_generators * sizeof *a->near);
    free(a->far);
    a->far = NULL;
}

void activation_begin_generator(name_word word, int region) {
    if (!make_room()) return;
    list()[activations.num_generators++] = (struct open_generator){name_region(word), region};
    activation_begin(region);
}

/* Usually the last one; with greenlets that switch in between, one below. */
void activation_end_generator(name_word word) {
    struct open_generator *open = list();
    uint32_t i = activations.num_generators;
    while (i > 0 && open[i - 1].call != name_region(word)) i--;
    if (i == 0) return;
    int region = open[i - 1].recorded;
    memmove(&open[i - 1], &open[i], (activations.num_generators - i) * sizeof *open);
    activations.num_generators--;
    give_room_back();
    activation_end(region);
}

void activation_forget(void) {
    activations.depth = 0;
    activations.num_generators = 0;
}
