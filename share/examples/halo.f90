! A bar cools down on several ranks, which exchange its cells at their borders, in Fortran:
!
!     mpif90 -g halo.f90 -o halo
!     mpirun -n 4 scope-profiler run -o halo.h5 ./halo
!     scope-profiler mpi halo.h5
!     scope-profiler mpi --waits halo.h5
!
! Rank 0 has more cells than the others: they wait for it.
program halo
   use mpi
   implicit none
   integer, parameter :: most = 20000, steps = 100
   double precision :: bar(0:10*most + 1), heat, total
   integer :: rank, ranks, left, right, cells, step, error

   call MPI_Init(error)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
   call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
   left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
   right = merge(rank + 1, MPI_PROC_NULL, rank + 1 < ranks)
   cells = merge(10*most, most, rank == 0)
   bar = 0
   if (rank == 0) bar(cells/2) = 1

   do step = 1, steps
      call MPI_Sendrecv(bar(cells), 1, MPI_DOUBLE_PRECISION, right, 0, bar(0), 1, MPI_DOUBLE_PRECISION, left, 0, &
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
      call MPI_Sendrecv(bar(1), 1, MPI_DOUBLE_PRECISION, left, 1, bar(cells + 1), 1, MPI_DOUBLE_PRECISION, right, 1, &
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
      bar(1:cells) = bar(1:cells) + 0.25d0*(bar(0:cells - 1) - 2*bar(1:cells) + bar(2:cells + 1))
   end do
   heat = sum(bar(1:cells))
   call MPI_Allreduce(heat, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
   if (rank == 0) print '(a, f8.6)', 'heat: ', total
   call MPI_Finalize(error)
end program halo
