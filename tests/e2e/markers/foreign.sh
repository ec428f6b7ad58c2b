#!/bin/bash
# The plain C symbols, for languages that call C but cannot include the header: from Python by ctypes, recorded on its
# own and under run.
. "$(dirname "$0")/../lib/lib.sh"
need python3
foreign=$(dirname "$SCOPE_PROFILER")/../share/libscope-profiler-c.so
cat >use.py <<'P'
import ctypes, sys
sp = ctypes.CDLL(sys.argv[1])
sp.sp_num_calls.restype = sp.sp_now_ns.restype = ctypes.c_int64
sp.sp_output_path.restype = sp.sp_error_string.restype = ctypes.c_char_p
assert sp.sp_init(b"foreign", 1) == 0
region = sp.sp_region(b"from outside")
for _ in range(7):
    sp.sp_begin(region)
    sp.sp_end(region)
assert sp.sp_num_calls(region) == 7
assert sp.sp_now_ns() > 0
assert sp.sp_error_string(5) == b"no open call to end"
print(sp.sp_output_path().decode())
assert sp.sp_finalize() == 0
P
run python3 use.py "$foreign"
equal "on its own" "0 foreign_rank00001.h5" "$rc $(cat out.txt err.txt)"
equal "calls" 7 "$(ncalls foreign_rank00001.h5 "from outside")"
run scope-profiler run -q -o run.h5 python3 use.py "$foreign"
equal "under run" "0 $PWD/run.h5" "$rc $(cat out.txt err.txt)"
equal "calls under run" 7 "$(ncalls run.h5 "from outside")"
finish
