! Regions of a Fortran program: handles, names, long names, blanks at the end; prints the same recorded or not.
program module_program
   use scope_profiler
   use, intrinsic :: iso_fortran_env, only: int64
   implicit none
   integer :: solve, i, stat
   character(len=20) :: padded
   character(len=300) :: long
   character(len=60) :: message
   integer(int64) :: before, calls

   call sp_init('unused', rank=2, stat=stat)
   if (stat /= SP_OK) stop 9
   solve = sp_region('solve', file='module.f90', line=14)
   before = sp_now_ns()
   do i = 1, 5
      call sp_begin(solve)
      call sp_end(solve)
   end do
   padded = 'padded'
   long = repeat('l', 299)//'x'
   do i = 1, 3
      call sp_begin_name(padded)
      call sp_end_name('padded')
      call sp_begin_name(long)
      call sp_end_name(long)
   end do
   call sp_begin(0, stat, message)
   call sp_end(0)
   if (stat /= SP_ERR_INACTIVE .or. message /= 'profiler is not active') stop 8
   calls = 5
   if (sp_is_active()) calls = sp_num_calls(solve)
   if (calls /= 5) stop 7
   if (sp_now_ns() < before) stop 6
   call sp_finalize()
   print '(a)', 'done'
end program module_program
