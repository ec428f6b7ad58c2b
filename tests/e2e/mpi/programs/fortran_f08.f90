program f08
  use mpi_f08
  implicit none
  integer :: r, e, k
  type(MPI_Status) :: s
  type(MPI_Request) :: q(2)
  type(MPI_Comm) :: c
  double precision :: x(100), y, z, w
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, r)
  include 'fortran_body.inc'
  call MPI_Finalize()
end program
