/* The descriptions that are generated from functions.table. */
#include "functions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void names_kinds_and_tags(void **state) {
    (void)state;
    const struct mpi_function *send = &mpi_functions[MPI_FUNCTION_Send];
    assert_string_equal(send->name, "MPI_Send");
    assert_string_equal(mpi_kind_tags[send->kind], "[\"mpi\",\"mpi.kind:send\"]");
    assert_int_equal(send->kind, MPI_KIND_SEND);
    assert_string_equal(mpi_kind_tags[mpi_functions[MPI_FUNCTION_Comm_spawn].kind], "[\"mpi\",\"mpi.kind:process\"]");
    assert_string_equal(mpi_kind_tags[mpi_functions[MPI_FUNCTION_Init].kind], "[\"mpi\",\"mpi.kind:lifecycle\"]");
}

static void roles_are_in_the_order_of_the_arguments(void **state) {
    (void)state;
    static const uint8_t recv[] = {MPI_ROLE_BUF, MPI_ROLE_COUNT, MPI_ROLE_DATATYPE,  MPI_ROLE_SOURCE,
                                   MPI_ROLE_TAG, MPI_ROLE_COMM,  MPI_ROLE_STATUS_AT, MPI_ROLE_NONE};
    const struct mpi_function *function = &mpi_functions[MPI_FUNCTION_Recv];
    assert_int_equal(function->nargs, 7);
    assert_memory_equal(function->roles, recv, sizeof recv);
    static const uint8_t waitall[] = {MPI_ROLE_NREQUESTS, MPI_ROLE_REQUEST_LIST, MPI_ROLE_STATUS_LIST, MPI_ROLE_NONE};
    assert_memory_equal(mpi_functions[MPI_FUNCTION_Waitall].roles, waitall, sizeof waitall);
    assert_int_equal(mpi_functions[MPI_FUNCTION_Finalize].nargs, 0);
    assert_int_equal(mpi_functions[MPI_FUNCTION_Finalize].roles[0], MPI_ROLE_NONE);
    assert_int_equal(mpi_functions[MPI_FUNCTION_Rget_accumulate].nargs, MPI_MAX_ARGUMENTS);
}

static void every_function_is_whole(void **state) {
    (void)state;
    assert_true(MPI_FUNCTION_COUNT >= 340);
    for (int i = 0; i < MPI_FUNCTION_COUNT; i++) {
        const struct mpi_function *function = &mpi_functions[i];
        assert_int_equal(strncmp(function->name, "MPI_", 4), 0);
        int n = 0;
        while (function->roles[n] != MPI_ROLE_NONE) n++;
        assert_int_equal(n, function->nargs);
        size_t length = strlen(function->name);
        assert_int_equal(function->large, strcmp(function->name + length - 2, "_c") == 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_kinds_and_tags),
        cmocka_unit_test(roles_are_in_the_order_of_the_arguments),
        cmocka_unit_test(every_function_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
