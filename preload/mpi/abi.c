#include "abi.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* MPICH and all that keep to its ABI: Intel MPI, MVAPICH, Cray. */
static const struct mpi_abi mpich = {
    .name = "mpich",
    .handle_bytes = 4,
    .status_bytes = 20,
    .status_source = 8,
    .status_tag = 12,
    .status_error = 16,
    .any_source = -2,
    .any_tag = -1,
    .proc_null = -1,
    .root = -3,
    .undefined = -32766,
    .status_ignore = 1,
    .in_place = -1,
    .bottom = 0,
    .comm_world = 0x44000000,
    .byte = 0x4c00010d,
    .request_null = 0x2c000000,
    .datatype_null = 0x0c000000,
    .comm_null = 0x04000000,
    .topo_graph = 1,
    .topo_cart = 2,
    .topo_dist_graph = 3,
};

/* The ABI of the MPI 5 standard. */
static const struct mpi_abi standard = {
    .name = "standard",
    .handle_bytes = 8,
    .status_bytes = 32,
    .status_source = 0,
    .status_tag = 4,
    .status_error = 8,
    .any_source = -1,
    .any_tag = -2,
    .proc_null = -3,
    .root = -4,
    .undefined = -32766,
    .status_ignore = 0,
    .in_place = 1,
    .bottom = 0,
    .comm_world = 0x101,
    .byte = 0x247,
    .request_null = 0x180,
    .datatype_null = 0x200,
    .comm_null = 0x100,
    .topo_graph = 2,
    .topo_cart = 1,
    .topo_dist_graph = 3,
};

/* Handles are addresses of the library's variables: filled in when it is found. */
static struct mpi_abi openmpi = {
    .name = "openmpi",
    .handle_bytes = 8,
    .status_bytes = 24,
    .status_source = 0,
    .status_tag = 4,
    .status_error = 8,
    .any_source = -1,
    .any_tag = -1,
    .proc_null = -2,
    .root = -4,
    .undefined = -32766,
    .status_ignore = 0,
    .in_place = 1,
    .bottom = 0,
    .topo_graph = 2,
    .topo_cart = 1,
    .topo_dist_graph = 3,
};

static const struct {
    const char *name;
    size_t field;
} openmpi_handles[] = {
    {"ompi_mpi_comm_world", offsetof(struct mpi_abi, comm_world)},
    {"ompi_mpi_byte", offsetof(struct mpi_abi, byte)},
    {"ompi_request_null", offsetof(struct mpi_abi, request_null)},
    {"ompi_mpi_datatype_null", offsetof(struct mpi_abi, datatype_null)},
    {"ompi_mpi_comm_null", offsetof(struct mpi_abi, comm_null)},
};

/* What a stub lacks. They are not wrapped, and other tools do not define them either: they lead to the library. */
enum accessor { COMM_RANK, COMM_SIZE, COMM_DUP, TYPE_SIZE, INITIALIZED, FINALIZED, REQUIRED, VERSION = REQUIRED, ALL };
static const char *const accessor_names[ALL] = {"PMPI_Comm_rank",          "PMPI_Comm_size",   "PMPI_Comm_dup",
                                                "PMPI_Type_size",          "PMPI_Initialized", "PMPI_Finalized",
                                                "PMPI_Get_library_version"};
static struct mpi_link accessors[ALL];

static bool fill_openmpi(const char *object) {
    for (size_t i = 0; i < sizeof openmpi_handles / sizeof *openmpi_handles; i++) {
        void *variable = mpi_variable(object, openmpi_handles[i].name);
        if (!variable) return false;
        memcpy((char *)&openmpi + openmpi_handles[i].field, &variable, sizeof variable);
    }
    return true;
}

static const struct mpi_abi *detect(mpi_any function) {
    void *address;
    memcpy(&address, &function, sizeof address);
    Dl_info object;
    if (!dladdr(address, &object) || !object.dli_fname) return NULL;
    const char *slash = strrchr(object.dli_fname, '/');
    /* The file names of the others tell nothing: libmpi.so is Open MPI's and Intel MPI's. */
    if (!strncmp(slash ? slash + 1 : object.dli_fname, "libmpi_abi.so", strlen("libmpi_abi.so"))) return &standard;
    return fill_openmpi(object.dli_fname) ? &openmpi : &mpich;
}

const struct mpi_abi *mpi_abi_now;

const struct mpi_abi *mpi_abi(void) {
    /* threads that meet here find the same */
    const struct mpi_abi *abi = __atomic_load_n(&mpi_abi_now, __ATOMIC_ACQUIRE);
    if (abi) return abi;
    for (int i = 0; i < REQUIRED; i++)
        if (!mpi_next(&accessors[i], accessor_names[i])) return NULL;
    abi = detect(accessors[COMM_RANK].symbol);
    __atomic_store_n(&mpi_abi_now, abi, __ATOMIC_RELEASE);
    return abi;
}

static int flag_of(enum accessor accessor) {
    int flag = 0;
    return ((int (*)(int *))accessors[accessor].symbol)(&flag) == 0 && flag;
}

bool mpi_is_running(void) { return flag_of(INITIALIZED) && !flag_of(FINALIZED); }

static int of_world(enum accessor accessor) {
    int value = -1;
    return ((int (*)(mpi_word, int *))accessors[accessor].symbol)(mpi_abi()->comm_world, &value) == 0 ? value : -1;
}

int mpi_world_rank(void) { return of_world(COMM_RANK); }
int mpi_world_size(void) { return of_world(COMM_SIZE); }

void mpi_library_text(char text[MPI_LIBRARY_TEXT]) {
    int length = 0;
    mpi_any version = mpi_next(&accessors[VERSION], accessor_names[VERSION]);
    if (!version || ((int (*)(char *, int *))version)(text, &length) != 0) length = 0;
    text[length < 0 ? 0 : length < MPI_LIBRARY_TEXT ? length : MPI_LIBRARY_TEXT - 1] = '\0';
}
