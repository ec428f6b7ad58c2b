! A bar cools down, in Fortran:
!
!     gfortran scope_profiler.f90 heat.f90 -o heat
!     scope-profiler run ./heat
program heat
   use scope_profiler
   implicit none
   integer, parameter :: cells = 1000, steps = 200
   real(kind(1d0)) :: bar(0:cells + 1)
   integer :: step, check, n

   step = sp_region('step')
   check = sp_region('check')
   bar = 0
   bar(cells/2) = 1
   do n = 1, steps
      call sp_begin(step)
      bar(1:cells) = bar(1:cells) + 0.25d0*(bar(0:cells - 1) - 2*bar(1:cells) + bar(2:cells + 1))
      if (mod(n, 50) == 0) then
         call sp_begin(check)
         print '(i3, f9.6)', n, norm2(bar)
         call sp_end(check)
      end if
      call sp_end(step)
   end do
end program heat
