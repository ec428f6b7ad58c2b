/* /mpi: what MPI calls carried. The sums alone; mpi_waits.c reads the calls. */
#include "mpi.h"
#include "internal.h"

#include <stddef.h>
#include <stdlib.h>

#define ANY   .least = INT64_MIN, .most = INT64_MAX
#define COUNT .least = INT64_MIN, .most = INT64_MAX

#define FUNCTION(member) offsetof(spr_mpi_function, member)
static const struct rd_field function_fields[] = {
    {.name = "ranks", .kind = RD_U32, .offset = FUNCTION(rank), .most = INT32_MAX},
    {.name = "region_ids", .kind = RD_U32, .offset = FUNCTION(region), .most = UINT32_MAX},
    {.name = "sites", .kind = RD_U32, .offset = FUNCTION(site), .most = UINT32_MAX},
    {.name = "calls", .kind = RD_U64, .offset = FUNCTION(calls), COUNT},
    {.name = "polls", .kind = RD_U64, .offset = FUNCTION(polls), COUNT},
    {.name = "totals", .kind = RD_I64, .offset = FUNCTION(total_ns), ANY},
    {.name = "minima", .kind = RD_I64, .offset = FUNCTION(minimum_ns), ANY},
    {.name = "maxima", .kind = RD_I64, .offset = FUNCTION(maximum_ns), ANY},
    {.name = "messages_sent", .kind = RD_U64, .offset = FUNCTION(messages_sent), COUNT},
    {.name = "bytes_sent", .kind = RD_U64, .offset = FUNCTION(bytes_sent), COUNT},
    {.name = "messages_received", .kind = RD_U64, .offset = FUNCTION(messages_received), COUNT},
    {.name = "bytes_received", .kind = RD_U64, .offset = FUNCTION(bytes_received), COUNT},
};

#define TRAFFIC(member) offsetof(spr_mpi_traffic, member)
static const struct rd_field traffic_fields[] = {
    {.name = "ranks", .kind = RD_U32, .offset = TRAFFIC(rank), .most = INT32_MAX},
    {.name = "region_ids", .kind = RD_U32, .offset = TRAFFIC(region), .most = UINT32_MAX},
    {.name = "sites", .kind = RD_U32, .offset = TRAFFIC(site), .most = UINT32_MAX},
    {.name = "peers", .kind = RD_I64, .offset = TRAFFIC(peer), .least = -3, .most = INT32_MAX},
    {.name = "messages_sent", .kind = RD_U64, .offset = TRAFFIC(messages_sent), COUNT},
    {.name = "bytes_sent", .kind = RD_U64, .offset = TRAFFIC(bytes_sent), COUNT},
    {.name = "messages_received", .kind = RD_U64, .offset = TRAFFIC(messages_received), COUNT},
    {.name = "bytes_received", .kind = RD_U64, .offset = TRAFFIC(bytes_received), COUNT},
};

#define SIZE(member) offsetof(spr_mpi_size, member)
static const struct rd_field size_fields[] = {
    {.name = "ranks", .kind = RD_U32, .offset = SIZE(rank), .most = INT32_MAX},
    {.name = "region_ids", .kind = RD_U32, .offset = SIZE(region), .most = UINT32_MAX},
    {.name = "buckets", .kind = RD_U32, .offset = SIZE(bucket), .most = 64},
    {.name = "messages", .kind = RD_U64, .offset = SIZE(messages), COUNT},
    {.name = "bytes", .kind = RD_U64, .offset = SIZE(bytes), COUNT},
};

#define SITE(member) offsetof(spr_mpi_site, member)
static const struct rd_field site_fields[] = {
    {.name = "objects", .kind = RD_STRING, .offset = SITE(object)},
    {.name = "symbols", .kind = RD_STRING, .offset = SITE(symbol)},
    {.name = "files", .kind = RD_STRING, .offset = SITE(file)},
    {.name = "lines", .kind = RD_I64, .offset = SITE(line), ANY},
    {.name = "offsets", .kind = RD_I64, .offset = SITE(offset), ANY},
};

#define COMM(member) offsetof(spr_mpi_comm, member)
static const struct rd_field comm_fields[] = {
    {.name = "names", .kind = RD_STRING, .offset = COMM(name)},
    {.name = "sizes", .kind = RD_I64, .offset = COMM(size), .most = INT32_MAX},
    {.name = "remote_sizes", .kind = RD_I64, .offset = COMM(remote_size), .most = INT32_MAX},
};

struct part {
    const char *name, *where;
    const struct rd_field *fields;
    size_t num_fields, size;
    size_t items, count; /* offsets in spr_mpi */
};

#define PART(name, fields, type, items, count)                                                                         \
    {                                                                                                                  \
        name, "/mpi/" name, fields, sizeof fields / sizeof *fields, sizeof(type), offsetof(spr_mpi, items),            \
            offsetof(spr_mpi, count)                                                                                   \
    }
static const struct part parts[] = {
    PART("functions", function_fields, spr_mpi_function, functions, num_functions),
    PART("traffic", traffic_fields, spr_mpi_traffic, traffic, num_traffic),
    PART("sizes", size_fields, spr_mpi_size, sizes, num_sizes),
    PART("sites", site_fields, spr_mpi_site, sites, num_sites),
    PART("communicators", comm_fields, spr_mpi_comm, comms, num_comms),
};

bool spr_has_mpi(const spr_profile *profile) {
    struct rd_quiet quiet;
    rd_quiet_begin(&quiet);
    const bool has = profile->format == SPR_HDF5 && H5Lexists(profile->file, "mpi", H5P_DEFAULT) > 0;
    rd_quiet_end(&quiet);
    return has;
}

hid_t rd_mpi_open(const spr_profile *profile) {
    return spr_has_mpi(profile) ? rd_open_group(profile->file, "mpi") : -1;
}

static int read_part(spr_profile *profile, hid_t parent, const struct part *part, spr_mpi *mpi, spr_error *error) {
    const hid_t group = rd_open_group(parent, part->name);
    if (group < 0) return rd_fail(error, SPR_DAMAGED, profile->path, "%s is not a readable group", part->where);
    void *records = NULL;
    size_t count = 0;
    const int status = rd_table_read(profile, group, part->where, part->fields, part->num_fields, part->size, false,
                                     &records, &count, error);
    H5Gclose(group);
    if (status != SPR_OK) return status;
    *(void **)((char *)mpi + part->items) = records;
    *(size_t *)((char *)mpi + part->count) = count;
    return SPR_OK;
}

static int check(const spr_profile *profile, const spr_mpi *mpi, spr_error *error) {
    const size_t regions = profile->num_regions, sites = mpi->num_sites;
    bool good = true;
    for (size_t i = 0; i < mpi->num_functions; i++)
        good = good && mpi->functions[i].region < regions && mpi->functions[i].site <= sites;
    for (size_t i = 0; i < mpi->num_traffic; i++)
        good = good && mpi->traffic[i].region < regions && mpi->traffic[i].site <= sites;
    for (size_t i = 0; i < mpi->num_sizes; i++) good = good && mpi->sizes[i].region < regions;
    if (good) return SPR_OK;
    return rd_fail(error, SPR_DAMAGED, profile->path, "/mpi names a region or a call site that there is not");
}

int spr_mpi_read(spr_profile *profile, spr_mpi *mpi, spr_error *error) {
    *mpi = (spr_mpi){0};
    struct rd_quiet quiet;
    rd_quiet_begin(&quiet);
    profile->text_left = (uint64_t)profile->file_bytes;
    const hid_t group = rd_mpi_open(profile);
    int status = SPR_OK;
    for (size_t i = 0; group >= 0 && status == SPR_OK && i < sizeof parts / sizeof *parts; i++)
        status = read_part(profile, group, &parts[i], mpi, error);
    if (status == SPR_OK) status = check(profile, mpi, error);
    if (group >= 0) H5Gclose(group);
    rd_heap_free(&profile->heap);
    rd_quiet_end(&quiet);
    if (status != SPR_OK) spr_mpi_free(mpi);
    return status;
}

void spr_mpi_free(spr_mpi *mpi) {
    free(mpi->functions);
    free(mpi->traffic);
    free(mpi->sizes);
    free(mpi->sites);
    free(mpi->comms);
    *mpi = (spr_mpi){0};
}
