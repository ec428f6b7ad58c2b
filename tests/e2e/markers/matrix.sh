#!/bin/bash
# One program, every way of building it: the bare run says the same, the recorded one counts exactly.
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
. "$here/../lib/lib.sh"
need gcc clang g++ clang++ gfortran ld.bfd ld.gold ld.lld
warnings="-Wall -Wextra -Wpedantic -Werror"
include="-I$SCOPE_SOURCE/share/include"

# BUILD-COMMAND...: makes ./a.out; then both runs
try() {
    rm -f a.out a.h5
    "$@" -o a.out >build.txt 2>&1 || { fail "build: $*: $(head -3 build.txt)"; return; }
    run ./a.out
    equal "bare status: $*" 3 "$rc"
    equal "bare output" "fib(10) = 55" "$(cat out.txt err.txt)"
    run scope-profiler run -q -o a.h5 ./a.out
    equal "recorded status" 3 "$rc"
    equal "recorded output" "fib(10) = 55" "$(cat out.txt)"
    equal "calls" "177 1 100" "$(ncalls a.h5 fib) $(ncalls a.h5 loop) $(ncalls a.h5 step)"
}

# Those that can be recorded: every compiler, linker, level and kind of executable.
for compiler in gcc clang; do
    for kind in "-fPIE -pie" "-fno-pie -no-pie"; do
        for linker in bfd gold lld; do
            for level in -O0 -O2; do
                # shellcheck disable=SC2086
                try $compiler -std=c99 $warnings $include $kind -fuse-ld=$linker $level "$here/program.c"
            done
        done
    done
done
# shellcheck disable=SC2086
for compiler in g++ clang++; do
    try $compiler -x c++ -std=c++11 $warnings $include -O0 -no-pie "$here/program.c"
    try $compiler -x c++ -std=c++17 $warnings $include -O2 -fuse-ld=lld "$here/program.c"
done
# shellcheck disable=SC2086
{
    try gcc $warnings $include -O2 -flto "$here/program.c"
    try clang $warnings $include -O2 -flto -fuse-ld=lld "$here/program.c"
    try gcc $warnings $include -O2 -masm=intel "$here/program.c"
    try clang $warnings $include -O0 -masm=intel "$here/program.c"
    try gcc $warnings $include -O1 -fno-plt -Wl,-z,now "$here/program.c"
    try gcc $warnings $include -O1 -Wl,-Bsymbolic -Wl,--as-needed -rdynamic "$here/program.c"
    try gcc $warnings $include -DSP_NO_ASM -O0 "$here/program.c"
    try gcc $warnings $include -DSP_NO_ASM -O2 -no-pie "$here/program.c"
    try clang $warnings $include -DSP_NO_ASM -O2 -no-pie -fuse-ld=lld "$here/program.c"
}

# Static ones, and those that were told to do without: they run, and that nothing was recorded is said.
bare() {
    rm -f a.out a.h5
    "$@" -o a.out >build.txt 2>&1 || { fail "build: $*: $(head -3 build.txt)"; return; }
    run ./a.out
    equal "status: $*" "3 fib(10) = 55" "$rc $(cat out.txt err.txt)"
    run scope-profiler run -o a.h5 ./a.out
    equal "output under run" "3 fib(10) = 55" "$rc $(cat out.txt)"
    not_ok "no profile" test -e a.h5
    equal "one line says so" 1 "$(wc -l <err.txt)"
}
# shellcheck disable=SC2086
for compiler in gcc clang; do
    for linker in bfd gold lld; do
        bare $compiler $warnings $include -static -fuse-ld=$linker -O2 "$here/program.c"
    done
    bare $compiler $warnings $include -static -O0 "$here/program.c"
    bare $compiler $warnings $include -DSP_DISABLE_PROFILING -O2 "$here/program.c"
done
# shellcheck disable=SC2086
bare gcc $warnings $include -static-pie -O2 "$here/program.c"

# Disabled markers leave nothing behind.
gcc $include -DSP_DISABLE_PROFILING -O2 -c "$here/program.c" -o disabled.o
lacks "no reference" sp_api_v1 <(nm disabled.o)
lacks "no name" step <(strings disabled.o)
printf '#include <scope_profiler.hpp>\nint n;\nint main() { SP_PROFILE_SCOPE((n++, "x")); SP_PROFILE_SCOPE_CTX((n++, nullptr), "y"); return n; }\n' >off.cpp
ok "arguments are not evaluated" sh -c "g++ $include -DSP_DISABLE_PROFILING off.cpp -o off && ./off"
lacks "no name of a scope" sp_scope <(nm off)

finish
