/* The checksum of HDF5's newer structures: Bob Jenkins' "lookup3" (hashlittle), begun with 0. */
#include "core.h"

static uint32_t rotate(uint32_t value, unsigned bits) { return value << bits | value >> (32 - bits); }

struct state {
    uint32_t a, b, c;
};

static void mix(struct state *s) {
    static const unsigned turns[] = {4, 6, 8, 16, 19, 4};
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        /* each step takes the next of the three for the first */
        s->a = (s->a - s->c) ^ rotate(s->c, turns[i]);
        s->c += s->b;
        *s = (struct state){s->b, s->c, s->a};
    }
}

static void finish(struct state *s) {
    static const unsigned turns[] = {14, 11, 25, 16, 4, 14, 24};
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        s->c = (s->c ^ s->b) - rotate(s->b, turns[i]);
        *s = (struct state){s->b, s->c, s->a};
    }
}

static void add(struct state *s, const unsigned char *bytes, size_t count) {
    uint32_t *const words[] = {&s->a, &s->b, &s->c};
    for (size_t i = 0; i < count; i++) *words[i / 4] += (uint32_t)bytes[i] << 8 * (i % 4);
}

uint32_t vet_checksum(const unsigned char *bytes, size_t count) {
    const uint32_t begin = UINT32_C(0xdeadbeef) + (uint32_t)count;
    struct state state = {begin, begin, begin};
    if (!count) return state.c;
    for (; count > 12; bytes += 12, count -= 12) {
        add(&state, bytes, 12);
        mix(&state);
    }
    add(&state, bytes, count);
    finish(&state);
    /* seven steps, each of which turned the three by one: the word that was changed last is the third again, now the
     * second */
    return state.b;
}

bool vet_checksum_fits(const unsigned char *bytes, size_t count) {
    return count >= 4 && vet_checksum(bytes, count - 4) == vet_number(bytes + count - 4, 4);
}
