! The same as carried.c.
program carried
    use mpi
    implicit none
    integer, parameter :: ranks = 4
    integer :: rank, error, i, left, right, requests(4), counts(ranks), coming(ranks), places(ranks)
    integer :: from(1024), to(1024, ranks)
    from = 0
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    do i = 1, 3
        call MPI_Sendrecv(from, 10 * (rank + 1), MPI_INTEGER, mod(rank + 1, ranks), 7, to, 1000, MPI_INTEGER, &
            mod(rank + ranks - 1, ranks), 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    end do
    left = rank - 1
    if (rank == 0) left = MPI_PROC_NULL
    right = rank + 1
    if (right == ranks) right = MPI_PROC_NULL
    call MPI_Irecv(to(1, 1), 100, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, requests(1), error)
    call MPI_Irecv(to(1, 2), 100, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, requests(2), error)
    call MPI_Isend(from, 8, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, requests(3), error)
    call MPI_Isend(from, 8, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, requests(4), error)
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, error)
    do i = 1, ranks
        counts(i) = ranks * rank + i - 1
        coming(i) = ranks * (i - 1) + rank
        places(i) = 100 * (i - 1)
    end do
    call MPI_Alltoallv(from, counts, places, MPI_INTEGER, to, coming, places, MPI_INTEGER, MPI_COMM_WORLD, error)
    if (rank == 0) then
        call MPI_Gather(from, 5, MPI_INTEGER, to, 5, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    else
        call MPI_Gather(from, 5, MPI_INTEGER, to, -3, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD, error)
    end if
    if (rank > 0) then
        call MPI_Send(from, 100 * rank, MPI_BYTE, 0, 40 + rank, MPI_COMM_WORLD, error)
    else
        do i = 1, ranks - 1
            call MPI_Irecv(to(1, i), 4096, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests(i), error)
        end do
        do i = 1, ranks - 1
            call MPI_Wait(requests(i), MPI_STATUS_IGNORE, error)
        end do
    end if
    call MPI_Finalize(error)
end program
