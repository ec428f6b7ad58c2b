/* core.h: what the files of this directory share. Names begin with vet_.
 *
 * Checks of something that lies in memory return what is wrong in words ("claims more than ..."), NULL when nothing is.
 * Checks of something that lies in the file return false after vet_refuse(). Addresses count from the file's base.
 */
#ifndef SCOPE_READER_VET_CORE_H
#define SCOPE_READER_VET_CORE_H

#include "../internal.h"
#include "vet.h"

#include <string.h>

#define VET_NOWHERE   UINT64_MAX /* the undefined address */
#define VET_MOST_RANK 32

/* ---- file.c: the file's bytes ------------------------------------------------------------------------------------ */

enum { VET_WINDOWS = 16, VET_WINDOW_BYTES = 16384 };

struct vet_window {
    uint64_t at; /* VET_NOWHERE: empty */
    size_t size;
    unsigned char bytes[VET_WINDOW_BYTES];
};

struct vet_extent {
    uint64_t at, size;
    const char *what;
};

struct rd_vet {
    const char *path;
    int descriptor;
    uint64_t base, end;                   /* addresses are below `end` */
    uint64_t extension;                   /* of the superblock: an object header; VET_NOWHERE: none */
    unsigned address_bytes, length_bytes; /* how many an address and a size take */
    unsigned leaf_k, group_k, chunk_k;    /* half of the most entries of symbol nodes and version-1 B-trees */
    uint64_t left;                        /* bytes that structures may still claim: they do not overlap */
    uint64_t ahead;                       /* bytes of committed datatypes that may be looked at before their turn */
    bool walked;                          /* everything was; nothing is claimed any more */
    struct vet_extent *extents;
    size_t num_extents, extents_room;
    struct vet_object *objects, *first, *last; /* by address; the queue of those not looked at yet */
    int status;
    spr_error *error;
    struct vet_window windows[VET_WINDOWS];
};

/* "<file>: damaged HDF5: the <what> at 0x<at> <fault>". Always false; the first refusal stays. */
bool vet_refuse(struct rd_vet *vet, const char *what, uint64_t at, const char *fault);
bool vet_no_memory(struct rd_vet *vet);
/* Whether [at, at+size) is within the file. */
bool vet_inside(const struct rd_vet *vet, uint64_t at, uint64_t size);
/* A structure lies there: within the file, and nothing else does. `what` is a literal. */
bool vet_claim(struct rd_vet *vet, const char *what, uint64_t at, uint64_t size);
/* The same of a structure that is claimed some other time. */
bool vet_look_ahead(struct rd_vet *vet, const char *what, uint64_t at, uint64_t size);
/* After the walk: no two structures share bytes. */
bool vet_check_overlap(struct rd_vet *vet);
/* Bytes that vet_inside() holds for. False (and refused): the file has become shorter, or the disk failed. */
bool vet_read(struct rd_vet *vet, uint64_t at, void *bytes, size_t count);
/* The same into memory that the caller frees; NULL: refused. */
unsigned char *vet_load(struct rd_vet *vet, uint64_t at, uint64_t count);
/* Claims, loads and checks the first bytes of a structure: its signature (4 characters). NULL: refused. */
unsigned char *vet_structure(struct rd_vet *vet, const char *what, const char *magic, uint64_t at, uint64_t size);

/* ---- decoding of what lies in memory ----------------------------------------------------------------------------- */

struct vet_bytes {
    const unsigned char *at;
    size_t left;
};

static inline uint64_t vet_number(const unsigned char *bytes, size_t count) {
    uint64_t value = 0;
    while (count-- > 0) value = value << 8 | bytes[count];
    return value;
}

static inline bool vet_skip(struct vet_bytes *bytes, uint64_t count) {
    if (count > bytes->left) return false;
    bytes->at += count;
    bytes->left -= (size_t)count;
    return true;
}

/* Little-endian, of 1 to 8 bytes. */
static inline bool vet_take(struct vet_bytes *bytes, unsigned count, uint64_t *value) {
    if (count > bytes->left) return false;
    *value = vet_number(bytes->at, count);
    return vet_skip(bytes, count);
}

bool vet_take_address(const struct rd_vet *vet, struct vet_bytes *bytes, uint64_t *address);
bool vet_take_length(const struct rd_vet *vet, struct vet_bytes *bytes, uint64_t *length);
/* A text that ends with a NUL, which is taken too; padded: to a multiple of 8 bytes. */
bool vet_take_text(struct vet_bytes *bytes, bool padded);

/* ---- checksum.c -------------------------------------------------------------------------------------------------- */

uint32_t vet_checksum(const unsigned char *bytes, size_t count);
/* Whether the last four of the bytes are the checksum of those before them. */
bool vet_checksum_fits(const unsigned char *bytes, size_t count);

/* ---- superblock.c ------------------------------------------------------------------------------------------------ */

/* Fills base, end, sizes and ranks; *root: the root group's object header. */
bool vet_superblock(struct rd_vet *vet, uint64_t file_bytes, uint64_t *root);

/* ---- types.c, spaces.c: what messages describe ------------------------------------------------------------------- */

struct vet_type {
    uint64_t size;   /* of an element; 0: no type seen */
    unsigned class;  /* of enum H5T_class_t */
    bool references; /* holds references to variable-length values */
};

const char *vet_datatype(const struct rd_vet *vet, struct vet_bytes bytes, struct vet_type *type);

struct vet_space {
    unsigned rank;
    uint64_t dims[VET_MOST_RANK];
    uint64_t count; /* elements */
    bool seen;
};

const char *vet_dataspace(const struct rd_vet *vet, struct vet_bytes bytes, struct vet_space *space);

/* ---- layout.c, filters.c ----------------------------------------------------------------------------------------- */

enum vet_storage { VET_COMPACT, VET_CONTIGUOUS, VET_CHUNKED, VET_VIRTUAL };
enum vet_index { VET_BTREE1, VET_SINGLE, VET_IMPLICIT, VET_FIXED_ARRAY, VET_EXTENSIBLE_ARRAY, VET_BTREE2 };

struct vet_layout {
    unsigned version; /* 0: none seen */
    enum vet_storage storage;
    uint64_t address; /* of the data, or of the index of its chunks; VET_NOWHERE: nothing is stored */
    uint64_t size;    /* bytes of data, compact and contiguous; UINT64_MAX: not said */
    unsigned rank;    /* of a chunk: one more than that of the dataset, the element being the last */
    uint64_t dims[VET_MOST_RANK + 1];
    enum vet_index index;
    unsigned flags;         /* of version 4 */
    uint64_t filtered_size; /* VET_SINGLE: stored bytes; 0: not filtered */
    uint64_t filter_mask;
};

/* `at`: the address of the message, for compact data. */
const char *vet_layout(const struct rd_vet *vet, struct vet_bytes bytes, uint64_t at, struct vet_layout *layout);

enum { VET_MOST_FILTERS = 32 };
struct vet_filters {
    unsigned count;
    struct {
        unsigned id, values, value; /* how many parameters, and the first */
    } items[VET_MOST_FILTERS];
};

const char *vet_pipeline(const struct rd_vet *vet, struct vet_bytes bytes, struct vet_filters *filters);

/* ---- header.c, messages.c: objects ------------------------------------------------------------------------------- */

struct vet_chunk {
    uint64_t at, size;
};

struct vet_header {
    struct rd_vet *vet;
    uint64_t at;
    unsigned version, flags;
    bool only_type;           /* a look at a committed datatype: nothing else is looked at */
    uint32_t seen;            /* bit n: a message of type n */
    struct vet_chunk *chunks; /* the continuation blocks */
    size_t num_chunks, chunks_room;
    struct vet_type type;
    struct vet_space space;
    struct vet_layout layout;
    struct vet_filters filters;
    struct vet_chunk old_fill, fill;           /* where their values are; size 0: none */
    uint64_t tree, heap;                       /* of a symbol-table group */
    uint64_t link_heap, link_tree, link_order; /* of a group with dense links; VET_NOWHERE: none */
    uint64_t attribute_heap, attribute_tree, attribute_order;
};

enum {
    VET_LINK_INFO = 0x02,
    VET_DATATYPE = 0x03,
    VET_EXTERNAL = 0x07,
    VET_LAYOUT = 0x08,
    VET_CONTINUATION = 0x10,
    VET_SYMBOL_TABLE = 0x11
};

struct vet_message {
    struct vet_header *header;
    unsigned type, flags;
    uint64_t at; /* of its body */
    struct vet_bytes bytes;
};

/* Reads the object header at `at`, and checks its messages one by one. */
void vet_header_begin(struct rd_vet *vet, uint64_t at, struct vet_header *header);
bool vet_header(struct rd_vet *vet, uint64_t at, struct vet_header *header);
void vet_header_free(struct vet_header *header);
/* A continuation block of the header. */
const char *vet_header_continue(struct vet_header *header, uint64_t at, uint64_t size);
const char *vet_message(const struct vet_message *message);
/* An attribute, from a header or from a heap of attributes. */
const char *vet_attribute(struct rd_vet *vet, struct vet_bytes bytes);
/* A link; hard ones lead to an object, which is put in the queue. */
const char *vet_link(struct rd_vet *vet, struct vet_bytes bytes);

/* ---- objects.c ----------------------------------------------------------------------------------------------------
 */

/* The object at `at` is looked at some time, once; false: no memory. */
bool vet_queue(struct rd_vet *vet, uint64_t at);
/* Looks at all that is in the queue, and gets into it by that. */
bool vet_objects(struct rd_vet *vet);
void vet_forget_objects(struct rd_vet *vet);
/* The datatype message of the object that is shared by this reference to it. */
const char *vet_shared_type(struct rd_vet *vet, struct vet_bytes bytes, struct vet_type *type);

/* ---- groups.c ---------------------------------------------------------------------------------------------------- */

bool vet_symbol_table(struct rd_vet *vet, uint64_t tree, uint64_t heap);

struct vet_local_heap {
    uint64_t head;     /* where its header is, for refusals */
    uint64_t at, size; /* of its data */
    uint64_t texts;    /* every text that begins before this ends within the heap */
    uint64_t left;     /* bytes that texts may still have: each stands for itself */
};

bool vet_local_heap(struct rd_vet *vet, uint64_t at, struct vet_local_heap *heap);
/* A text of the heap, once; a name of a link, or where it leads. */
bool vet_heap_text(struct rd_vet *vet, struct vet_local_heap *heap, uint64_t offset, bool is_name);

/* ---- dense.c: groups and attributes in a fractal heap ------------------------------------------------------------ */

bool vet_dense_links(struct rd_vet *vet, const struct vet_header *header);
bool vet_dense_attributes(struct rd_vet *vet, const struct vet_header *header);

#endif
