program module
  use mpi
  implicit none
  integer :: r, e, k, s(MPI_STATUS_SIZE), q(2), c
  double precision :: x(100), y, z, w
  call MPI_Init_thread(MPI_THREAD_SINGLE, k, e)
  call MPI_Comm_rank(MPI_COMM_WORLD, r, e)
  include 'fortran_body.inc'
  call MPI_Finalize(e)
end program
