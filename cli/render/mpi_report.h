/* mpi_report.h: MPI calls as tables, comma-separated values and JSON. */
#ifndef CLI_MPI_REPORT_H
#define CLI_MPI_REPORT_H

#include "scope_reader.h"
#include "table.h"

#include <jansson.h>

enum { MPI_REPORT_RANKS = 16 }; /* of more, what people see is the greatest of each table, and that first */

/* A profile's MPI calls, as far as they are asked for. */
struct mpi_report {
    spr_profile *profile;
    const spr_selection *selection; /* of ranks; NULL all */
    spr_mpi mpi;
    spr_mpi_waits waits;
    bool has_waits;
    double run_seconds; /* of all ranks together; NAN unknown */
    double mpi_seconds;
};

/* Reads; with `waits` every call is read. Returns 0, or the reader's status. mpi_report_close() it in any case. */
int mpi_report_open(struct mpi_report *report, spr_profile *profile, const spr_selection *selection, bool waits,
                    spr_error *error);
void mpi_report_close(struct mpi_report *report);

/* Tables; table_free() them. whole: numbers as they are, for programs; else for people. */
struct table mpi_report_functions(const struct mpi_report *report, bool by_site, bool whole);
struct table mpi_report_sizes(const struct mpi_report *report, bool whole);
/* Bytes by sender and receiver: a row a sender, or, `whole` and of many ranks, a row a pair. */
struct table mpi_report_matrix(const struct mpi_report *report, bool whole);
struct table mpi_report_waits(const struct mpi_report *report, bool whole);
/* Not `whole`: the longest wait first. */
struct table mpi_report_causes(const struct mpi_report *report, bool whole);
/* By the rank that was waited for, longest first. */
struct table mpi_report_blamed(const struct mpi_report *report, bool whole);

json_t *mpi_report_json(const struct mpi_report *report);

#endif
