/* The structure of HDF5 files: what the messages of object headers may say, and single fields of whole files. */
#include "check.h"

#include "vet/core.h"

static const struct rd_vet vet = {.end = 1 << 20, .address_bytes = 8, .length_bytes = 8};

#define BYTES(...)                                                                                                     \
    ((struct vet_bytes){(const unsigned char[]){__VA_ARGS__}, sizeof((const unsigned char[]){__VA_ARGS__})})

/* `fault`: a part of what must be found wrong; NULL: nothing. */
static void expect_at(const char *found, const char *fault, const char *file, int line) {
    if (fault ? found && strstr(found, fault) : !found) return;
    print_error("found: %s\n", found ? found : "nothing");
    _fail(file, line);
}
#define expect(found, fault) expect_at(found, fault, __FILE__, __LINE__)

/* ---- messages ---------------------------------------------------------------------------------------------------- */

#define I64 0x10, 8, 0, 0, 8, 0, 0, 0, 0, 0, 64, 0 /* version 1, class 0 */

static void test_numbers(void **state) {
    (void)state;
    struct vet_type type;
    expect(vet_datatype(&vet, BYTES(I64), &type), NULL);
    assert_int_equal(type.size, 8);
    assert_int_equal(type.class, H5T_INTEGER);
    expect(vet_datatype(&vet, BYTES(0x10, 8, 0, 0, 8, 0, 0, 0, 0, 0, 64), &type), "cut off");
    expect(vet_datatype(&vet, BYTES(0x10, 8, 0, 0, 8, 0, 0, 0, 1, 0, 64, 0), &type), "bits beyond");
    expect(vet_datatype(&vet, BYTES(0x10, 8, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0), &type), "bits beyond");
    expect(vet_datatype(&vet, BYTES(0x10, 8, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0), &type), "size");
    expect(vet_datatype(&vet, BYTES(0x50, 8, 0, 0, 8, 0, 0, 0, 0, 0, 64, 0), &type), "version");
    expect(vet_datatype(&vet, BYTES(0x1b, 8, 0, 0, 8, 0, 0, 0, 0, 0, 64, 0), &type), "class");
#define F64(position, bits) 0x11, 0x20, 63, 0, 8, 0, 0, 0, 0, 0, 64, 0, position, bits, 0, 52, 255, 3, 0, 0
    expect(vet_datatype(&vet, BYTES(F64(52, 11)), &type), NULL);
    expect(vet_datatype(&vet, BYTES(F64(60, 11)), &type), "do not fit");
    expect(vet_datatype(&vet, BYTES(F64(50, 11)), &type), "do not fit"); /* overlaps the fraction */
    expect(vet_datatype(&vet, BYTES(F64(52, 0)), &type), "do not fit");
}

static void test_other_types(void **state) {
    (void)state;
    struct vet_type type;
    /* a string of variable length: its size is that of a reference */
#define TEXT(size, kind) 0x19, kind, 0, 0, size, 0, 0, 0, 0x10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 8, 0
    expect(vet_datatype(&vet, BYTES(TEXT(16, 1)), &type), NULL);
    assert_true(type.references);
    expect(vet_datatype(&vet, BYTES(TEXT(8, 1)), &type), "another size");
    expect(vet_datatype(&vet, BYTES(TEXT(16, 2)), &type), "unknown way");
    /* an enumeration of one name */
#define ENUM(members, end)                                                                                             \
    0x18, members, 0, 0, 1, 0, 0, 0, 0x10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 8, 0, 'a', 0, 0, 0, 0, 0, 0, end, 7
    expect(vet_datatype(&vet, BYTES(ENUM(1, 0)), &type), NULL);
    expect(vet_datatype(&vet, BYTES(ENUM(0, 0)), &type), "nothing");
    expect(vet_datatype(&vet, BYTES(ENUM(2, 0)), &type), "cut off");
    expect(vet_datatype(&vet, BYTES(ENUM(1, 'b')), &type), NULL); /* padding may be anything */
    /* an array of version 2 */
#define ARRAY(ranks, dim) 0x2a, 0, 0, 0, 24, 0, 0, 0, ranks, 0, 0, 0, dim, 0, 0, 0, 0, 0, 0, 0, I64
    expect(vet_datatype(&vet, BYTES(ARRAY(1, 3)), &type), NULL);
    expect(vet_datatype(&vet, BYTES(ARRAY(1, 4)), &type), "another size");
    expect(vet_datatype(&vet, BYTES(ARRAY(1, 0)), &type), "without size");
    expect(vet_datatype(&vet, BYTES(ARRAY(33, 3)), &type), "dimensions");
}

static void test_compounds(void **state) {
    (void)state;
    struct vet_type type;
#define PAIR(members, second) 0x36, members, 0, 0, 16, 0, 0, 0, 'a', 0, 0, I64, 'b', 0, second, I64
    expect(vet_datatype(&vet, BYTES(PAIR(2, 8)), &type), NULL);
    expect(vet_datatype(&vet, BYTES(PAIR(2, 4)), &type), "overlap");
    expect(vet_datatype(&vet, BYTES(PAIR(2, 9)), &type), "beyond its size");
    expect(vet_datatype(&vet, BYTES(PAIR(0, 8)), &type), "members");
    expect(vet_datatype(&vet, BYTES(PAIR(3, 8)), &type), "cut off");
    expect(vet_datatype(&vet, BYTES(PAIR(255, 8)), &type), "members");
    /* arrays of arrays of ... */
    unsigned char deep[100 * 13 + 12], *at = deep;
    for (int i = 0; i < 100; i++, at += 13) memcpy(at, (unsigned char[]){0x3a, 0, 0, 0, 8, 0, 0, 0, 1, 1, 0, 0, 0}, 13);
    memcpy(at, (unsigned char[]){I64}, 12);
    expect(vet_datatype(&vet, (struct vet_bytes){deep, sizeof deep}, &type), "too deeply");
    expect(vet_datatype(&vet, (struct vet_bytes){at - 60 * 13, 60 * 13 + 12}, &type), NULL);
}

#define NUMBER(n) n, 0, 0, 0, 0, 0, 0, 0
#define LARGE     0, 0, 0, 0, 1, 0, 0, 0

static void test_spaces(void **state) {
    (void)state;
    struct vet_space space;
    expect(vet_dataspace(&vet, BYTES(1, 2, 1, 0, 0, 0, 0, 0, NUMBER(3), NUMBER(4), NUMBER(3), NUMBER(9)), &space),
           NULL);
    assert_int_equal(space.count, 12);
    expect(vet_dataspace(&vet, BYTES(1, 0, 0, 0, 0, 0, 0, 0), &space), NULL);
    assert_int_equal(space.count, 1);
    expect(vet_dataspace(&vet, BYTES(2, 0, 0, 2), &space), NULL);
    assert_int_equal(space.count, 0);
    expect(vet_dataspace(&vet, BYTES(2, 1, 0, 1, 3, 0, 0), &space), "fewer dimensions");
    expect(vet_dataspace(&vet, BYTES(2, 33, 0, 1), &space), "32 dimensions");
    expect(vet_dataspace(&vet, BYTES(2, 1, 1, 1, NUMBER(3), NUMBER(2)), &space), "largest allowed");
    expect(vet_dataspace(&vet, BYTES(2, 2, 0, 1, LARGE, LARGE), &space), "counted");
    expect(vet_dataspace(&vet, BYTES(2, 3, 0, 1, LARGE, NUMBER(0), LARGE), &space), "counted");
    expect(vet_dataspace(&vet, BYTES(3, 0, 0, 0), &space), "version");
}

static void test_layouts(void **state) {
    (void)state;
    struct vet_layout layout;
    expect(vet_layout(&vet, BYTES(3, 1, NUMBER(64), NUMBER(24)), 0, &layout), NULL);
    assert_int_equal(layout.address, 64);
    assert_int_equal(layout.size, 24);
    expect(vet_layout(&vet, BYTES(3, 0, 2, 0, 7, 7), 1000, &layout), NULL);
    assert_int_equal(layout.address, 1004);
    expect(vet_layout(&vet, BYTES(3, 0, 3, 0, 7, 7), 0, &layout), "more data");
    expect(vet_layout(&vet, BYTES(3, 2, 2, NUMBER(64), 5, 0, 0, 0, 8, 0, 0, 0), 0, &layout), NULL);
    assert_int_equal(layout.dims[0], 5);
    expect(vet_layout(&vet, BYTES(3, 2, 2, NUMBER(64), 0, 0, 0, 0, 8, 0, 0, 0), 0, &layout), "chunks of no size");
    expect(vet_layout(&vet, BYTES(3, 2, 2, NUMBER(64), 0, 0, 0, 0x80, 8, 0, 0, 0), 0, &layout), "4 GiB");
    expect(vet_layout(&vet, BYTES(3, 2, 34, NUMBER(64)), 0, &layout), "dimensions");
    expect(vet_layout(&vet, BYTES(3, 2, 0, NUMBER(64)), 0, &layout), "dimensions");
    expect(vet_layout(&vet, BYTES(3, 3, NUMBER(64), 0, 0, 0, 0), 0, &layout), "class");
    expect(vet_layout(&vet, BYTES(4, 3, NUMBER(64), 0, 0, 0, 0), 0, &layout), NULL);
    expect(vet_layout(&vet, BYTES(4, 2, 0, 2, 1, 5, 8, 6, NUMBER(64)), 0, &layout), "unknown index");
    expect(vet_layout(&vet, BYTES(4, 2, 0, 2, 1, 5, 8, 3, 0, NUMBER(64)), 0, &layout), "cannot be");
    expect(vet_layout(&vet, BYTES(4, 2, 0, 2, 1, 5, 8, 3, 10, NUMBER(64)), 0, &layout), NULL);
    expect(vet_layout(&vet, BYTES(5, 2), 0, &layout), "version");
}

static void test_filters(void **state) {
    (void)state;
    struct vet_filters filters;
    expect(vet_pipeline(
               &vet,
               BYTES(1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 8, 0, 1, 0, 1, 0, 'd', 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0),
               &filters),
           NULL);
    assert_int_equal(filters.items[0].id, 1);
    assert_int_equal(filters.items[0].value, 6);
    expect(vet_pipeline(&vet, BYTES(2, 1, 1, 0, 0, 0, 1, 0, 9, 0, 0, 0), &filters), NULL);
    expect(vet_pipeline(&vet, BYTES(2, 1, 1, 0, 0, 0, 2, 0, 9, 0, 0, 0), &filters), "cut off");
    expect(vet_pipeline(&vet, BYTES(2, 1, 0, 1, 2, 0, 0, 0, 0, 0, 'a', 'b'), &filters), "without end");
    expect(vet_pipeline(&vet, BYTES(1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 1, 0, 1, 0, 'd', 0), &filters), "odd length");
    expect(vet_pipeline(&vet, BYTES(2, 33), &filters), "too many");
}

static void test_attributes(void **state) {
    (void)state;
    struct rd_vet file = vet;
#define ATTRIBUTE(name_bytes, data) 3, 0, name_bytes, 0, 12, 0, 4, 0, 0, 'a', 'b', 0, I64, 2, 0, 0, 0, data
    expect(vet_attribute(&file, BYTES(ATTRIBUTE(3, NUMBER(1)))), NULL);
    expect(vet_attribute(&file, BYTES(ATTRIBUTE(3, 1))), "more values");
    expect(vet_attribute(&file, BYTES(3, 0, 2, 0, 12, 0, 4, 0, 0, 'a', 'b', 0)), "cut off");
    expect(vet_attribute(&file, BYTES(3, 0, 2, 0, 12, 0, 4, 0, 0, 'a', 'b', I64, 2, 0, 0, 0, NUMBER(1))), "name");
    expect(vet_attribute(&file, BYTES(3, 0, 3, 0, 12, 0, 4, 0, 0, 'a', 0, 0, I64, 2, 0, 0, 0, NUMBER(1))), "name");
    expect(vet_attribute(&file, BYTES(4, 0, 3, 0, 12, 0, 4, 0, 0)), "version");
}

static void test_links(void **state) {
    (void)state;
    struct rd_vet file = vet;
    expect(vet_link(&file, BYTES(1, 8, 1, 1, 'a', 2, 0, 'b', 'c')), NULL);
    expect(vet_link(&file, BYTES(1, 8, 1, 1, 'a', 3, 0, 'b', 'c')), "cut off");
    expect(vet_link(&file, BYTES(1, 8, 1, 3, 'a', 2)), "name");
    expect(vet_link(&file, BYTES(1, 8, 1, 0)), "name");
    expect(vet_link(&file, BYTES(1, 8, 1, 1, '/', 2, 0, 'b', 'c')), "slash");
    expect(vet_link(&file, BYTES(1, 8, 1, 1, 0, 2, 0, 'b', 'c')), "name");
    expect(vet_link(&file, BYTES(1, 8, 7, 1, 'a')), "unknown kind");
    expect(vet_link(&file, BYTES(1, 8, 64, 1, 'a', 5, 0, 0, 'f', 0, 'o', 0)), NULL);
    expect(vet_link(&file, BYTES(1, 8, 64, 1, 'a', 4, 0, 0, 'f', 0, 'o')), "another file");
    expect(vet_link(&file, BYTES(1, 0, 1, 'a', 1, 2)), "cut off");
}

static void test_checksum(void **state) {
    (void)state;
    /* the example that its author gives */
    assert_int_equal(vet_checksum((const unsigned char *)"Four score and seven years ago", 30), 0x17770551);
    assert_int_equal(vet_checksum((const unsigned char *)"", 0), 0xdeadbeef);
}

/* ---- whole files ------------------------------------------------------------------------------------------------- */

static const char *const names[] = {"a", "b"};
static const struct w_call calls[] = {
    {.start = 100, .end = 200}, {.start = 300, .end = 350}, {.start = 400, .end = 401}};
static const struct w_row rows[] = {{0, 0, calls, 3, 151, 3, "a.c", NULL, "[\"x\"]"},
                                    {1, 0, calls, 2, 10, 4, "b.c", NULL, NULL}};
static const struct w_file base = {
    .schema = 3, .names = names, .num_names = 2, .rows = rows, .num_rows = 2, .mpi_size = 1};

static unsigned char *read_bytes(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    w_check(file && fseek(file, 0, SEEK_END) == 0, path);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size);
    w_check(fread(bytes, 1, *size, file) == *size && fclose(file) == 0, path);
    return bytes;
}

static size_t find(const unsigned char *bytes, size_t size, const char *magic) {
    const unsigned char *at = memmem(bytes, size, magic, 4);
    w_check(at != NULL, magic);
    return (size_t)(at - bytes);
}

/* A field `at` bytes from the first place of a signature ("": from the beginning), of `width` bytes, and what it is
 * made. */
struct patch {
    const char *magic;
    size_t at, width;
    uint64_t value;
    const char *fault;
};

static const struct patch patches[] = {
    {"", 8, 1, 9, "superblock at 0x0 is of an unknown version"},
    {"", 13, 1, 3, "superblock at 0x0 has addresses or sizes of a length"},
    {"", 16, 2, 0, "superblock at 0x0 has ranks of trees"},
    {"", 32, 8, 96, "superblock at 0x0 has an extension"},
    {"", 40, 8, UINT64_C(1) << 40, "superblock at 0x0 tells of 1099511627776 bytes"},
    {"", 64, 8, UINT64_C(1) << 40, "object header at 0x10000000000 lies beyond the end"},
    {"", 64, 8, 8, "object header at 0x8 is none"},
    {"HEAP", 4, 1, 1, "local heap at"},
    {"HEAP", 8, 8, UINT64_C(1) << 40, "data of a local heap at"},
    {"HEAP", 16, 8, UINT64_C(1) << 40, "has a free block beyond its end"},
    {"TREE", 4, 1, 1, "is of another tree"},
    {"TREE", 6, 2, 33, "claims more entries than it can have"},
    {"TREE", 24, 8, 1 << 30, "has a key that is no name"},
    {"TREE", 32, 8, 96, "has no signature"},
    {"SNOD", 6, 2, 9, "claims more entries than it can have"},
    {"SNOD", 8, 8, 1 << 30, "has no text where one is looked for"},
    {"SNOD", 24, 4, 3, "holds an entry of an unknown kind"},
};

static void apply(unsigned char *bytes, size_t size, const struct patch *patch) {
    const size_t at = (*patch->magic ? find(bytes, size, patch->magic) : 0) + patch->at;
    for (size_t i = 0; i < patch->width; i++) bytes[at + i] = (unsigned char)(patch->value >> 8 * i);
}

static void write_bytes(const char *path, const unsigned char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    w_check(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0, path);
}

static void assert_refused(const char *path, const char *fault) {
    spr_profile *profile;
    spr_error error = {0};
    const int status = spr_open(path, &profile, &error);
    if (status == SPR_DAMAGED && strstr(error.message, "damaged HDF5: the ") && strstr(error.message, fault)) return;
    print_error("status %d, '%s' instead of '%s'\n", status, error.message, fault);
    if (status == SPR_OK) spr_close(profile);
    fail();
}

static void test_patches(void **state) {
    (void)state;
    const char *path = w_path("patched.h5");
    for (size_t i = 0; i < W_COUNT(patches); i++) {
        size_t size;
        w_write(path, &base);
        unsigned char *bytes = read_bytes(path, &size);
        apply(bytes, size, &patches[i]);
        write_bytes(path, bytes, size);
        assert_refused(path, patches[i].fault);
        free(bytes);
    }
}

/* The same of structures with a checksum, which is made to fit; bytes 0: it is not. */
static const struct sealed {
    struct patch patch;
    size_t bytes;
} sealed[] = {
    {{"\x89HDF", 28, 8, UINT64_C(1) << 40, "superblock at 0x0 tells of 1099511627776 bytes"}, 48},
    {{"\x89HDF", 36, 8, 8, "object header at 0x8 is none"}, 48},
    {{"\x89HDF", 11, 1, 1, "superblock at 0x0 has another checksum"}, 0},
    {{"OHDR", 4, 1, 3, "is of an unknown version"}, 0},
    {{"OHDR", 8, 1, 1, "has another checksum"}, 0},
    {{"BTHD", 26, 8, 1, "has another number of records than it claims"}, 38},
    {{"BTHD", 24, 2, 1000, "claims more records than it can have"}, 38},
    {{"BTHD", 6, 4, 1 << 30, "is of another kind"}, 38},
    {{"BTHD", 16, 8, 96, "has no signature"}, 38},
    {{"BTLF", 6, 4, 0, "has another checksum"}, 0},
    {{"FRHP", 5, 2, 9, "is of another kind"}, 146},
    {{"FRHP", 110, 2, 3, "has a geometry that cannot be"}, 146},
    {{"FRHP", 140, 2, 1000, "has a geometry that cannot be"}, 146},
    {{"FRHP", 132, 8, 96, "has no signature"}, 146},
    {{"FHDB", 30, 1, 77, "has another checksum"}, 0},
};

static void test_sealed(void **state) {
    (void)state;
    const char *path = w_path("sealed.h5");
    struct w_file file = base;
    file.latest = true;
    for (size_t i = 0; i < W_COUNT(sealed); i++) {
        size_t size;
        w_write(path, &file);
        unsigned char *bytes = read_bytes(path, &size), *at = bytes + find(bytes, size, sealed[i].patch.magic);
        apply(bytes, size, &sealed[i].patch);
        const uint32_t sum = sealed[i].bytes ? vet_checksum(at, sealed[i].bytes - 4) : 0;
        for (size_t k = 0; sealed[i].bytes && k < 4; k++) at[sealed[i].bytes - 4 + k] = (unsigned char)(sum >> 8 * k);
        write_bytes(path, bytes, size);
        assert_refused(path, sealed[i].patch.fault);
        free(bytes);
    }
}

/* The data of a heap are its own header. */
static void test_overlap(void **state) {
    (void)state;
    const char *path = w_path("overlap.h5");
    size_t size;
    w_write(path, &base);
    unsigned char *bytes = read_bytes(path, &size);
    const struct patch no_free = {"HEAP", 16, 8, 1, NULL}, data = {"HEAP", 24, 8, find(bytes, size, "HEAP"), NULL};
    apply(bytes, size, &no_free);
    apply(bytes, size, &data);
    write_bytes(path, bytes, size);
    assert_refused(path, "lies within another structure");
    free(bytes);
}

/* Links that lead back, out of the file, and nowhere. */
static void test_links_back(void **state) {
    (void)state;
    const char *path = w_path("cycle.h5");
    spr_error error = {0};
    spr_profile *profile;
    w_write(path, &base);
    const hid_t file = w_open(path), group = H5Gopen2(file, "events", H5P_DEFAULT);
    w_check(H5Lcreate_hard(file, "/", group, "up", H5P_DEFAULT, H5P_DEFAULT) >= 0, "a link");
    w_check(H5Lcreate_external("other.h5", "/x", group, "outside", H5P_DEFAULT, H5P_DEFAULT) >= 0, "a link");
    w_check(H5Lcreate_soft("/nowhere", group, "nowhere", H5P_DEFAULT, H5P_DEFAULT) >= 0, "a link");
    H5Gclose(group);
    H5Fclose(file);
    assert_int_equal(spr_open(path, &profile, &error), SPR_OK);
    spr_close(profile);
}

/* The regions of a rank in another file, which nobody has looked at: they are none. */
static void test_other_file(void **state) {
    (void)state;
    char other[256];
    struct w_file file = base;
    file.schema = 1;
    snprintf(other, sizeof other, "%s", w_path("other.h5"));
    w_write(other, &file);
    const char *path = w_path("link.h5");
    file.num_rows = 0;
    w_write(path, &file);
    const hid_t id = w_open(path), group = H5Gcreate2(id, "rank0", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    w_check(H5Lcreate_external(other, "/rank0/regions", group, "regions", H5P_DEFAULT, H5P_DEFAULT) >= 0, "a link");
    H5Gclose(group);
    H5Fclose(id);
    spr_profile *profile = open_good(path);
    assert_int_equal(spr_num_regions(profile), 0);
    spr_close(profile);
}

/* Groups within groups: HDF5 takes stack for each. */
static void test_deep_groups(void **state) {
    (void)state;
    for (unsigned depth = 127; depth <= 129; depth += 2) {
        const char *path = w_path("deep.h5");
        struct w_file file = base;
        char name[512] = "rank0/regions";
        file.schema = 1;
        file.num_rows = 0;
        w_write(path, &file);
        for (unsigned i = 0; i < depth; i++) strcat(name, "/a");
        const hid_t id = w_open(path), links = H5Pcreate(H5P_LINK_CREATE);
        H5Pset_create_intermediate_group(links, 1);
        H5Gclose(H5Gcreate2(id, name, links, H5P_DEFAULT, H5P_DEFAULT));
        H5Pclose(links);
        H5Fclose(id);
        spr_profile *profile = NULL;
        spr_error error = {0};
        assert_int_equal(spr_open(path, &profile, &error), depth == 127 ? SPR_OK : SPR_DAMAGED);
        if (depth > 128) assert_non_null(strstr(error.message, "groups nest too deeply"));
        spr_close(profile);
    }
}

/* A chunk that unpacks to less than it should: libhdf5 would copy what lies behind it in memory. */
static void test_short_chunk(void **state) {
    (void)state;
    struct w_file file = base;
    file.chunk = 2;
    file.gzip = 6;
    const char *path = w_path("packed.h5");
    size_t size;
    w_write(path, &file);
    unsigned char *bytes = read_bytes(path, &size);
    static const unsigned char three[] = {0x78, 0x9c, 0x63, 0x60, 0x60, 0x00,
                                          0x00, 0x00, 0x03, 0x00, 0x01}; /* of zlib: 3 zeros */
    size_t changed = 0;
    for (size_t at = 0; at + sizeof three < size; at++)
        if (bytes[at] == 0x78 && bytes[at + 1] == 0x9c) {
            memcpy(bytes + at, three, sizeof three);
            changed++;
        }
    assert_true(changed > 0);
    write_bytes(path, bytes, size);
    spr_profile *profile;
    spr_error error = {0};
    assert_int_equal(spr_open(path, &profile, &error), SPR_DAMAGED);
    assert_non_null(strstr(error.message, "unpack"));
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),     cmocka_unit_test(test_other_types), cmocka_unit_test(test_compounds),
        cmocka_unit_test(test_spaces),      cmocka_unit_test(test_layouts),     cmocka_unit_test(test_filters),
        cmocka_unit_test(test_attributes),  cmocka_unit_test(test_links),       cmocka_unit_test(test_checksum),
        cmocka_unit_test(test_patches),     cmocka_unit_test(test_sealed),      cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_links_back),  cmocka_unit_test(test_other_file),  cmocka_unit_test(test_deep_groups),
        cmocka_unit_test(test_short_chunk),
    };
    return cmocka_run_group_tests_name("reader: structure of HDF5 files", tests, NULL, NULL);
}
