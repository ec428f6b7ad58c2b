!> scope_profiler: mark regions of a Fortran program.
!!
!!     use scope_profiler
!!     integer :: solve
!!     solve = sp_region('solve')        ! once, outside the hot loop
!!     call sp_begin(solve)
!!     ...
!!     call sp_end(solve)
!!
!! Pure Fortran 2008: compile this file with the program, or link libscope-profiler-fortran.a; nothing else. Run plainly,
!! a call costs a few nanoseconds and does nothing; run under `scope-profiler run ./app` (or with libscope-profiler.so
!! preloaded) the regions are recorded. A program that is linked with libscope-profiler.so can record without being asked:
!! sp_init() and sp_finalize() write <prefix>_rank<NNNNN>.h5; under `scope-profiler run` both are harmless.
!!
!! Every procedure may be called from any thread, at any time. Handles count from 1; 0 is "no region" and is ignored.
!! Names may have any length; blanks at the end do not count. `stat` is set to SP_OK or an SP_ERR_ value, `errmsg` to its
!! text.
module scope_profiler
   use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_f_procpointer, c_funptr, c_int, &
      c_int32_t, c_int64_t, c_loc, c_null_char, c_null_funptr, c_null_ptr, c_ptr, c_size_t
   use, intrinsic :: iso_fortran_env, only: int64
   implicit none
   private

   public :: sp_init, sp_finalize, sp_is_active, sp_flush, sp_reset
   public :: sp_region, sp_begin, sp_end, sp_begin_name, sp_end_name
   public :: sp_pause, sp_resume, sp_configure
   public :: sp_num_calls, sp_get_region_stats, sp_now_ns

   integer, parameter, public :: SP_OK = 0, SP_ERR_INACTIVE = 1, SP_ERR_NO_CLOCK = 2, SP_ERR_NO_MEMORY = 3
   integer, parameter, public :: SP_ERR_IO = 4, SP_ERR_UNMATCHED_END = 5, SP_ERR_OPEN_SCOPES = 6
   integer, parameter, public :: SP_ERR_UNSUPPORTED = 7

   !> Of all threads. calls counts entries, calls still open included; the rest is of those that have ended (0 without).
   type, public :: sp_region_stats
      integer(int64) :: calls = 0, total_ns = 0, min_ns = 0, max_ns = 0
   end type sp_region_stats

   ! struct sp_api of scope_profiler.h: the same members in the same order.
   type, bind(c) :: api_table
      integer(c_int32_t) :: bytes = 0, version = 0
      type(c_funptr) :: begin = c_null_funptr, end = c_null_funptr, region = c_null_funptr
      type(c_funptr) :: num_calls = c_null_funptr, now_ns = c_null_funptr
      type(c_funptr) :: init = c_null_funptr, finalize = c_null_funptr, is_active = c_null_funptr
      type(c_funptr) :: default_profiler = c_null_funptr, create = c_null_funptr, destroy = c_null_funptr
      type(c_funptr) :: profiler_region = c_null_funptr, profiler_begin = c_null_funptr, profiler_end = c_null_funptr
      type(c_funptr) :: profiler_end_last = c_null_funptr, profiler_end_slot = c_null_funptr
      type(c_funptr) :: profiler_reset = c_null_funptr, profiler_stats = c_null_funptr
      type(c_funptr) :: profiler_num_regions = c_null_funptr, profiler_region_name = c_null_funptr
      type(c_funptr) :: profiler_write = c_null_funptr, profiler_is_active = c_null_funptr
      type(c_funptr) :: profiler_output_path = c_null_funptr, profiler_last_error = c_null_funptr
      type(c_funptr) :: profiler_set_output_format = c_null_funptr
      type(c_funptr) :: pause = c_null_funptr, resume = c_null_funptr ! from here on: see bytes
      type(c_funptr) :: configure = c_null_funptr, profiler_open_profile = c_null_funptr
   end type api_table

   integer(c_int32_t), parameter :: api_bytes = 8 + 27*8 ! of the table with `resume`
   integer(c_int32_t), parameter :: configure_bytes = api_bytes + 8 ! and with `configure`

   type, bind(c) :: c_region_stats
      integer(c_int64_t) :: calls, total_ns, min_ns, max_ns
   end type c_region_stats

   abstract interface
      subroutine c_action() bind(c)
      end subroutine c_action
      subroutine c_event(number) bind(c)
         import :: c_int
         integer(c_int), value :: number
      end subroutine c_event
      function c_region(name, length, file, line) bind(c) result(handle)
         import :: c_char, c_int, c_ptr, c_size_t
         character(kind=c_char), intent(in) :: name(*)
         integer(c_size_t), value :: length
         type(c_ptr), value :: file
         integer(c_int), value :: line
         integer(c_int) :: handle
      end function c_region
      function c_num_calls(handle) bind(c) result(calls)
         import :: c_int, c_int64_t
         integer(c_int), value :: handle
         integer(c_int64_t) :: calls
      end function c_num_calls
      function c_now() bind(c) result(ns)
         import :: c_int64_t
         integer(c_int64_t) :: ns
      end function c_now
      function c_init(prefix, length, rank) bind(c) result(status)
         import :: c_char, c_int, c_size_t
         character(kind=c_char), intent(in) :: prefix(*)
         integer(c_size_t), value :: length
         integer(c_int), value :: rank
         integer(c_int) :: status
      end function c_init
      function c_configure(key, length, value, value_length) bind(c) result(status)
         import :: c_char, c_int, c_size_t
         character(kind=c_char), intent(in) :: key(*), value(*)
         integer(c_size_t), value :: length, value_length
         integer(c_int) :: status
      end function c_configure
      function c_question() bind(c) result(answer)
         import :: c_int
         integer(c_int) :: answer
      end function c_question
      function c_default_profiler() bind(c) result(profiler)
         import :: c_ptr
         type(c_ptr) :: profiler
      end function c_default_profiler
      function c_reset(profiler) bind(c) result(status)
         import :: c_int, c_ptr
         type(c_ptr), value :: profiler
         integer(c_int) :: status
      end function c_reset
      function c_write(profiler, stop) bind(c) result(status)
         import :: c_int, c_ptr
         type(c_ptr), value :: profiler
         integer(c_int), value :: stop
         integer(c_int) :: status
      end function c_write
      function c_stats(profiler, handle, stats) bind(c) result(status)
         import :: c_int, c_ptr, c_region_stats
         type(c_ptr), value :: profiler
         integer(c_int), value :: handle
         type(c_region_stats), intent(out) :: stats
         integer(c_int) :: status
      end function c_stats
   end interface

   interface
      function c_dlsym(handle, name) bind(c, name='dlsym') result(address)
         import :: c_char, c_ptr
         type(c_ptr), value :: handle
         character(kind=c_char), intent(in) :: name(*)
         type(c_ptr) :: address
      end function c_dlsym
   end interface

   ! One word that threads may see change: nothing, then for good either the library's table or the empty one. Whoever
   ! finds nothing looks for himself and finds the same.
   type(api_table), pointer, save :: known => null()
   type(api_table), target, save :: absent

contains

   !> The table; its `bytes` is 0 where the library is not loaded.
   function api() result(table)
      type(api_table), pointer :: table
      type(c_ptr) :: address
      table => known
      if (associated(table)) return
      address = c_dlsym(c_null_ptr, 'sp_api_v1'//c_null_char)
      table => absent
      if (c_associated(address)) call c_f_pointer(address, table)
      known => table
   end function api

   !> Starts recording into <prefix>_rank<NNNNN>.h5; rank: 0 when left out.
   subroutine sp_init(prefix, rank, stat, errmsg)
      character(len=*), intent(in) :: prefix
      integer, intent(in), optional :: rank
      integer, intent(out), optional :: stat
      character(len=*), intent(out), optional :: errmsg
      type(api_table), pointer :: table
      procedure(c_init), pointer :: init
      integer :: my_rank, status
      table => api()
      status = SP_OK
      my_rank = 0
      if (present(rank)) my_rank = rank
      if (table%bytes > 0) then
         call c_f_procpointer(table%init, init)
         status = init(prefix, len_trim(prefix, c_size_t), int(my_rank, c_int))
      end if
      call tell(status, stat, errmsg)
   end subroutine sp_init

   !> What the next sp_init records, and how: keys and values as sp_configure() of scope_profiler.h says. Under
   !> `scope-profiler run` its options say that.
   subroutine sp_configure(key, value, stat, errmsg)
      character(len=*), intent(in) :: key, value
      integer, intent(out), optional :: stat
      character(len=*), intent(out), optional :: errmsg
      type(api_table), pointer :: table
      procedure(c_configure), pointer :: configure
      integer :: status
      table => api()
      status = SP_OK
      if (table%bytes >= configure_bytes) then
         call c_f_procpointer(table%configure, configure)
         status = configure(key, len_trim(key, c_size_t), value, len_trim(value, c_size_t))
      else if (table%bytes > 0) then
         status = SP_ERR_UNSUPPORTED
      end if
      call tell(status, stat, errmsg)
   end subroutine sp_configure

   !> Writes the profile and stops recording.
   subroutine sp_finalize(stat, errmsg)
      integer, intent(out), optional :: stat
      character(len=*), intent(out), optional :: errmsg
      type(api_table), pointer :: table
      procedure(c_question), pointer :: finalize
      integer :: status
      table => api()
      status = SP_OK
      if (table%bytes > 0) then
         call c_f_procpointer(table%finalize, finalize)
         status = finalize()
      end if
      call tell(status, stat, errmsg)
   end subroutine sp_finalize

   !> Whether sp_begin and sp_end record.
   function sp_is_active() result(is_active)
      logical :: is_active
      type(api_table), pointer :: table
      procedure(c_question), pointer :: question
      table => api()
      is_active = .false.
      if (table%bytes == 0) return
      call c_f_procpointer(table%is_active, question)
      is_active = question() /= 0
   end function sp_is_active

   !> Writes what has been recorded; recording goes on.
   subroutine sp_flush(stat, errmsg)
      integer, intent(out), optional :: stat
      character(len=*), intent(out), optional :: errmsg
      type(api_table), pointer :: table
      procedure(c_write), pointer :: write_profile
      integer :: status
      table => api()
      status = SP_ERR_INACTIVE
      if (sp_is_active()) then
         call c_f_procpointer(table%profiler_write, write_profile)
         status = write_profile(default_profiler(table), 0_c_int)
      end if
      call tell(status, stat, errmsg)
   end subroutine sp_flush

   !> Drops all calls, keeps the regions. Refused while a call is open.
   subroutine sp_reset(stat, errmsg)
      integer, intent(out), optional :: stat
      character(len=*), intent(out), optional :: errmsg
      type(api_table), pointer :: table
      procedure(c_reset), pointer :: reset
      integer :: status
      table => api()
      status = SP_ERR_INACTIVE
      if (table%bytes > 0) then
         call c_f_procpointer(table%profiler_reset, reset)
         status = reset(default_profiler(table))
      end if
      call tell(status, stat, errmsg)
   end subroutine sp_reset

   !> The handle of the region of this name, made at its first use; 0 when nothing records. file, line: where it is.
   function sp_region(name, file, line, stat, errmsg) result(id)
      character(len=*), intent(in) :: name
      character(len=*), intent(in), optional :: file
      integer, intent(in), optional :: line
      integer, intent(out), optional :: stat
      character(len=*), intent(out), optional :: errmsg
      integer :: id
      type(api_table), pointer :: table
      procedure(c_region), pointer :: region
      character(kind=c_char), allocatable, target :: path(:)
      type(c_ptr) :: path_address
      integer :: at, i
      id = 0
      table => api()
      if (table%bytes > 0) then
         path_address = c_null_ptr
         if (present(file)) then
            allocate (path(len_trim(file) + 1))
            do i = 1, len_trim(file)
               path(i) = file(i:i)
            end do
            path(size(path)) = c_null_char
            path_address = c_loc(path)
         end if
         at = -1
         if (present(line)) at = line
         call c_f_procpointer(table%region, region)
         id = region(name, len_trim(name, c_size_t), path_address, int(at, c_int)) + 1
      end if
      call tell(merge(SP_OK, SP_ERR_INACTIVE, id > 0), stat, errmsg)
   end function sp_region

   subroutine sp_begin(id, stat, errmsg)
      integer, intent(in) :: id
      integer, intent(out), optional :: stat
      character(len=*), intent(out), optional :: errmsg
      type(api_table), pointer :: table
      procedure(c_event), pointer :: begin
      table => api()
      if (table%bytes > 0) then
         call c_f_procpointer(table%begin, begin)
         call begin(int(id, c_int))
      end if
      if (present(stat) .or. present(errmsg)) call tell(event_status(id), stat, errmsg)
   end subroutine sp_begin

   subroutine sp_end(id, stat, errmsg)
      integer, intent(in) :: id
      integer, intent(out), optional :: stat
      character(len=*), intent(out), optional :: errmsg
      type(api_table), pointer :: table
      procedure(c_event), pointer :: end
      table => api()
      if (table%bytes > 0) then
         call c_f_procpointer(table%end, end)
         call end(int(id, c_int))
      end if
      if (present(stat) .or. present(errmsg)) call tell(event_status(id), stat, errmsg)
   end subroutine sp_end

   !> Between the two, nothing is recorded on any thread. Calls that were begun before a pause end as always, calls begun
   !> in it stay unrecorded. Pauses do not nest.
   subroutine sp_pause()
      type(api_table), pointer :: table
      procedure(c_action), pointer :: act
      table => api()
      if (table%bytes < api_bytes) return
      call c_f_procpointer(table%pause, act)
      call act()
   end subroutine sp_pause

   subroutine sp_resume()
      type(api_table), pointer :: table
      procedure(c_action), pointer :: act
      table => api()
      if (table%bytes < api_bytes) return
      call c_f_procpointer(table%resume, act)
      call act()
   end subroutine sp_resume

   !> By name; looks the name up at each call.
   subroutine sp_begin_name(name, stat, errmsg)
      character(len=*), intent(in) :: name
      integer, intent(out), optional :: stat
      character(len=*), intent(out), optional :: errmsg
      call sp_begin(sp_region(name), stat, errmsg)
   end subroutine sp_begin_name

   subroutine sp_end_name(name, stat, errmsg)
      character(len=*), intent(in) :: name
      integer, intent(out), optional :: stat
      character(len=*), intent(out), optional :: errmsg
      call sp_end(sp_region(name), stat, errmsg)
   end subroutine sp_end_name

   !> How often this process entered the region, on all threads; also after sp_finalize().
   function sp_num_calls(id) result(calls)
      integer, intent(in) :: id
      integer(int64) :: calls
      type(api_table), pointer :: table
      procedure(c_num_calls), pointer :: num_calls
      table => api()
      calls = 0
      if (table%bytes == 0) return
      call c_f_procpointer(table%num_calls, num_calls)
      calls = num_calls(int(id - 1, c_int))
   end function sp_num_calls

   subroutine sp_get_region_stats(id, stats, stat, errmsg)
      integer, intent(in) :: id
      type(sp_region_stats), intent(out) :: stats
      integer, intent(out), optional :: stat
      character(len=*), intent(out), optional :: errmsg
      type(api_table), pointer :: table
      procedure(c_stats), pointer :: get
      type(c_region_stats) :: numbers
      integer :: status
      table => api()
      status = SP_ERR_INACTIVE
      if (table%bytes > 0) then
         call c_f_procpointer(table%profiler_stats, get)
         status = get(default_profiler(table), int(id - 1, c_int), numbers)
         stats = sp_region_stats(numbers%calls, numbers%total_ns, numbers%min_ns, numbers%max_ns)
      end if
      call tell(status, stat, errmsg)
   end subroutine sp_get_region_stats

   !> Nanoseconds of the profile's clock (CLOCK_MONOTONIC); where the library is not loaded, of the compiler's.
   function sp_now_ns() result(ns)
      integer(int64) :: ns
      type(api_table), pointer :: table
      procedure(c_now), pointer :: now
      integer(int64) :: count, rate
      table => api()
      if (table%bytes > 0) then
         call c_f_procpointer(table%now_ns, now)
         ns = now()
      else
         call system_clock(count, rate)
         ns = -1
         if (rate > 0) ns = count/rate*1000000000_int64 + mod(count, rate)*1000000000_int64/rate
      end if
   end function sp_now_ns

   function default_profiler(table) result(profiler)
      type(api_table), intent(in) :: table
      type(c_ptr) :: profiler
      procedure(c_default_profiler), pointer :: get
      call c_f_procpointer(table%default_profiler, get)
      profiler = get()
   end function default_profiler

   function event_status(id) result(status)
      integer, intent(in) :: id
      integer :: status
      status = SP_ERR_INACTIVE
      if (sp_is_active()) status = merge(SP_OK, SP_ERR_INACTIVE, id > 0)
   end function event_status

   subroutine tell(status, stat, errmsg)
      integer, intent(in) :: status
      integer, intent(out), optional :: stat
      character(len=*), intent(out), optional :: errmsg
      character(len=32), parameter :: words(0:7) = [character(len=32) :: '', 'profiler is not active', &
         'no monotonic clock available', 'out of memory', 'profile could not be written', 'no open call to end', &
         'a region is still open', 'not available in this build']
      if (present(stat)) stat = status
      if (present(errmsg)) errmsg = words(max(0, min(status, 7)))
   end subroutine tell

end module scope_profiler
