/* Filter pipelines. */
#include "core.h"

#define CUT           "is cut off"
#define FIRST_FOREIGN 256 /* filters of HDF5 itself have no name in version 2 */

static const char *take_filter(struct vet_bytes *bytes, unsigned version, struct vet_filters *filters) {
    uint64_t id, name = 0, flags, values, value = 0;
    if (!vet_take(bytes, 2, &id)) return CUT;
    if ((version == 1 || id >= FIRST_FOREIGN) && !vet_take(bytes, 2, &name)) return CUT;
    if (!vet_take(bytes, 2, &flags) || !vet_take(bytes, 2, &values)) return CUT;
    if (version == 1 && name % 8) return "has a filter's name of odd length";
    if (name > bytes->left || (name && !memchr(bytes->at, 0, (size_t)name))) return "has a filter's name without end";
    vet_skip(bytes, name);
    if (bytes->left >= 4 && values) value = vet_number(bytes->at, 4);
    if (!vet_skip(bytes, 4 * values) || (version == 1 && values % 2 && !vet_skip(bytes, 4))) return CUT;
    filters->items[filters->count].id = (unsigned)id;
    filters->items[filters->count].values = (unsigned)values;
    filters->items[filters->count++].value = (unsigned)value;
    return NULL;
}

const char *vet_pipeline(const struct rd_vet *vet, struct vet_bytes bytes, struct vet_filters *filters) {
    (void)vet;
    uint64_t version, count;
    if (!vet_take(&bytes, 1, &version) || !vet_take(&bytes, 1, &count)) return CUT;
    if (version < 1 || version > 2) return "is of an unknown version";
    if (!count || count > VET_MOST_FILTERS) return "has too many filters, or none";
    if (version == 1 && !vet_skip(&bytes, 6)) return CUT;
    filters->count = 0;
    const char *fault = NULL;
    while (!fault && filters->count < count) fault = take_filter(&bytes, (unsigned)version, filters);
    return fault;
}
