#include "scratch.h"

#include "launch/launcher.h"

/* Each case has an environment of its own: NULL-terminated pairs. */
static bool detect(const char *const *pairs, struct launcher *launcher) {
    clearenv();
    for (; pairs[0]; pairs += 2) setenv(pairs[0], pairs[1], 1);
    *launcher = (struct launcher){0};
    return launcher_detect(launcher);
}
#define DETECT(launcher, ...) detect((const char *[]){__VA_ARGS__, NULL}, launcher)

static void launchers(void **state) {
    (void)state;
    struct launcher l;
    assert_false(DETECT(&l, "PATH", "/bin"));
    assert_true(DETECT(&l, "PMI_RANK", "3", "PMI_SIZE", "4", "MPI_LOCALNRANKS", "2"));
    assert_int_equal(l.rank, 3);
    assert_int_equal(l.size, 4);
    assert_int_equal(l.local_size, 2);
    assert_true(DETECT(&l, "OMPI_COMM_WORLD_RANK", "1", "OMPI_COMM_WORLD_SIZE", "2", "OMPI_COMM_WORLD_LOCAL_SIZE", "2",
                       "PMIX_RANK", "1"));
    assert_int_equal(l.local_size, 2);
    assert_true(DETECT(&l, "PMIX_RANK", "0"));
    assert_int_equal(l.size, 0);
    assert_false(DETECT(&l, "PMI_RANK", "x"));
    assert_false(DETECT(&l, "PMI_RANK", ""));
    assert_false(DETECT(&l, "PMI_RANK", "-1"));
}

static void slurm(void **state) {
    (void)state;
    struct launcher l;
    assert_true(DETECT(&l, "SLURM_PROCID", "1", "SLURM_STEP_ID", "0", "SLURM_NTASKS", "4"));
    assert_int_equal(l.rank, 1);
    assert_false(DETECT(&l, "SLURM_PROCID", "0", "SLURM_NTASKS", "4")); /* a batch script */
    assert_false(DETECT(&l, "SLURM_PROCID", "0", "SLURM_NTASKS", "4", "SLURM_STEP_ID", "4294967291"));
    assert_false(DETECT(&l, "SLURM_PROCID", "0", "SLURM_NTASKS", "1", "SLURM_STEP_ID", "0")); /* a shell */
}

static void launches_are_told_apart(void **state) {
    (void)state;
    struct launcher one, two;
    DETECT(&one, "PMIX_RANK", "0", "OMPI_COMM_WORLD_RANK", "0", "PMIX_NAMESPACE", "7");
    DETECT(&two, "PMIX_RANK", "1", "OMPI_COMM_WORLD_RANK", "1", "PMIX_NAMESPACE", "7");
    assert_true(one.launch == two.launch);
    DETECT(&two, "PMIX_RANK", "1", "OMPI_COMM_WORLD_RANK", "1", "PMIX_NAMESPACE", "8");
    assert_true(one.launch != two.launch);
    DETECT(&one, "SLURM_PROCID", "1", "SLURM_JOB_ID", "5", "SLURM_STEP_ID", "0", "SLURM_NTASKS", "4");
    DETECT(&two, "SLURM_PROCID", "1", "SLURM_JOB_ID", "5", "SLURM_STEP_ID", "1", "SLURM_NTASKS", "4");
    assert_true(one.launch != two.launch);
    DETECT(&one, "PMI_RANK", "0", "PMI_SIZE", "2", "MPI_LOCALNRANKS", "2");
    DETECT(&two, "PMI_RANK", "1", "PMI_SIZE", "2", "MPI_LOCALNRANKS", "2");
    assert_true(one.launch == two.launch);
}

static void open_mpi_hands_variables_on(void **state) {
    (void)state;
    clearenv();
    put_file("orterun", "", 0, 0755);
    put_file("hydra", "", 0, 0755);
    assert_int_equal(symlink("orterun", "mpirun"), 0);
    setenv("LD_PRELOAD", "/l.so", 1);
    setenv("SCOPE_PROFILER_SPOOL", "/s p", 1);
    setenv("SCOPE_PROFILER_COMMAND", "/odd;name", 1);
    launcher_pass_environment("hydra");
    assert_null(getenv("OMPI_MCA_mca_base_env_list"));
    launcher_pass_environment("mpirun");
    assert_string_equal(getenv("OMPI_MCA_mca_base_env_list"), "LD_PRELOAD=/l.so;SCOPE_PROFILER_SPOOL=/s p");
    setenv("OMPI_MCA_mca_base_env_list", "MINE", 1);
    launcher_pass_environment("mpirun");
    assert_string_equal(getenv("OMPI_MCA_mca_base_env_list"), "MINE");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(launchers), cmocka_unit_test(slurm),
                                       cmocka_unit_test(launches_are_told_apart),
                                       cmocka_unit_test(open_mpi_hands_variables_on)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
