#include "activation.h"
#include "tasks.h"
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
    const uint32_t before = task_enter(word);
    list()[activations.num_generators++] = (struct open_generator){name_region(word), region, before, task_present()};
    activation_begin(region);
}

/* The innermost of that function, of one task or of all: 1 more than its place, 0 none. */
static uint32_t find(int call, const uint32_t *task) {
    const struct open_generator *open = list();
    uint32_t i = activations.num_generators;
    while (i > 0 && (open[i - 1].call != call || (task && open[i - 1].task != *task))) i--;
    return i;
}

/* Usually the last one; with greenlets that switch in between, one below. */
void activation_end_generator(name_word word) {
    struct open_generator *open = list();
    const uint32_t task = task_present();
    uint32_t i = find(name_region(word), &task);
    if (i == 0) i = find(name_region(word), NULL);
    if (i == 0) return;
    const int region = open[i - 1].recorded;
    const uint32_t before = open[i - 1].before;
    memmove(&open[i - 1], &open[i], (activations.num_generators - i) * sizeof *open);
    activations.num_generators--;
    give_room_back();
    activation_end(region);
    task_leave(before);
}

void activation_forget(void) {
    activations.depth = 0;
    activations.num_generators = 0;
}
