#include "mend.h"

#include "vet/core.h"

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most);

/* Where the lengths of structures are looked for: from, to, by. `within`: the checksum is not at the end, but there,
 * and the structure is summed up with zeros in its place. */
static const struct kind {
    const char *magic;
    size_t least, most, step, within;
} kinds[] = {
    {"\211HDF", 48, 48, 1, 0},    {"OHDR", 16, 600, 1, 0},      {"OCHK", 12, 1200, 1, 0}, {"BTHD", 38, 38, 1, 0},
    {"BTLF", 10, 512, 1, 0},      {"BTIN", 10, 512, 1, 0},      {"FRHP", 146, 146, 1, 0}, {"FHIB", 20, 1000, 1, 0},
    {"FHDB", 512, 4096, 512, 17}, {"FHDB", 512, 4096, 512, 18}, {"FAHD", 28, 28, 1, 0},   {"FADB", 18, 600, 1, 0},
    {"EAHD", 72, 72, 1, 0},       {"EAIB", 18, 400, 1, 0},      {"EADB", 18, 400, 1, 0},  {"EASB", 18, 400, 1, 0},
};

struct place {
    size_t at, size, within;
};

static uint32_t sum_of(uint8_t *bytes, const struct place *place) {
    if (!place->within) return vet_checksum(bytes + place->at, place->size - 4);
    uint8_t *stored = bytes + place->at + place->within, kept[4];
    memcpy(kept, stored, 4);
    memset(stored, 0, 4);
    const uint32_t sum = vet_checksum(bytes + place->at, place->size);
    memcpy(stored, kept, 4);
    return sum;
}

static uint8_t *stored_at(uint8_t *bytes, const struct place *place) {
    return bytes + place->at + (place->within ? place->within : place->size - 4);
}

static int fits(uint8_t *bytes, size_t size, const struct place *place) {
    return place->size <= size - place->at && vet_number(stored_at(bytes, place), 4) == sum_of(bytes, place);
}

/* Files that come from each other have the same structures in the same places: to look for their lengths takes long,
 * and is done now and then only. */
enum { REMEMBERED = 1 << 16 };
static uint16_t remembered[REMEMBERED];

static int find_length(uint8_t *bytes, size_t size, const struct kind *kind, int look, struct place *place) {
    uint16_t *last = &remembered[place->at % REMEMBERED];
    place->within = kind->within;
    place->size = *last;
    if (*last >= kind->least && *last <= kind->most && fits(bytes, size, place)) return 1;
    for (place->size = kind->least; look && place->size <= kind->most; place->size += kind->step)
        if (fits(bytes, size, place)) {
            *last = (uint16_t)place->size;
            return 1;
        }
    return 0;
}

enum { MOST_PLACES = 256 };

static size_t find_places(uint8_t *bytes, size_t size, int look, struct place *places) {
    size_t count = 0;
    for (size_t at = 0; at + 16 <= size && count < MOST_PLACES; at++)
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            places[count].at = at;
            if (memcmp(bytes + at, kinds[i].magic, 4) == 0 &&
                find_length(bytes, size, &kinds[i], look, &places[count])) {
                count++;
                break;
            }
        }
    return count;
}

size_t mend_mutation(uint8_t *bytes, size_t size, size_t most, unsigned seed) {
    static struct place places[MOST_PLACES + 1];
    const size_t count = seed % 8 ? find_places(bytes, size, seed % 512 == 1, places) : 0;
    const size_t now = LLVMFuzzerMutate(bytes, size, most);
    for (size_t i = count; i-- > 0;) {
        if (places[i].at + places[i].size > now) continue;
        const uint32_t sum = sum_of(bytes, &places[i]);
        for (size_t k = 0; k < 4; k++) stored_at(bytes, &places[i])[k] = (uint8_t)(sum >> 8 * k);
    }
    return now;
}
