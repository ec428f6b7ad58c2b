! mk.F90: markers for Fortran test programs: call mb('x') begins a region, call me('x') ends it. Without HAVE_SCOPE they
! are nothing, so that the same program runs bare.
subroutine mb(name)
#ifdef HAVE_SCOPE
  use scope_profiler
#endif
  character(*), intent(in) :: name
#ifdef HAVE_SCOPE
  call sp_begin_name(name)
#else
  if (len(name) < 0) stop 9
#endif
end subroutine

subroutine me(name)
#ifdef HAVE_SCOPE
  use scope_profiler
#endif
  character(*), intent(in) :: name
#ifdef HAVE_SCOPE
  call sp_end_name(name)
#else
  if (len(name) < 0) stop 9
#endif
end subroutine
