#!/bin/bash
# Installed under a prefix, and staged with DESTDIR, the command, the headers and the pkg-config files work.
. "$(dirname "$0")/../lib/lib.sh"
need gcc g++ meson ninja pkg-config man

printf '#include <scope_profiler.h>\nint main(void) { int r = sp_region("work"); sp_begin(r); sp_end(r); return 0; }\n' >c.c
printf '#include <scope_profiler.hpp>\nint main() { SP_PROFILE_SCOPE("work"); return 0; }\n' >cpp.cpp
printf '#include <scope_reader.h>\n#include <stdio.h>\nint main(int c, char **v)\n{\n    spr_profile *p;\n    spr_error e;\n    (void)c;\n    if (spr_open(v[1], &p, &e)) return 1;\n    printf("%%d\\n", (int)spr_num_calls(p));\n    spr_close(p);\n    return 0;\n}\n' >reader.c

works() { # WHAT ROOT PREFIX: what is installed in ROOT/PREFIX works
    local what=$1 top=$2$3 packages include linked
    packages=$(dirname "$(find "$top" -name scope-profiler.pc)")
    run "$top/bin/scope-profiler" --version
    matches "$what: version" '^scope-profiler [0-9]+\.[0-9]+\.[0-9]+$' out.txt
    export PKG_CONFIG_LIBDIR=$packages:$(pkg-config --variable pc_path pkg-config) PKG_CONFIG_SYSROOT_DIR=$2
    include=$(pkg-config --variable=includedir scope-profiler)
    ok "$what: a C program, linked to nothing" words "gcc -std=c99 -Wall -Wextra -Wpedantic -Werror -I$include c.c -o c"
    ok "$what: a C++ program, linked to nothing" words "g++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -I$include cpp.cpp -o cpp"
    linked=$(pkg-config --cflags scope-profiler)
    ok "$what: a C program, linked to the library" words "gcc $linked c.c -o linked $(pkg-config --libs scope-profiler)"
    export LD_LIBRARY_PATH=$(dirname "$(find "$top" -name 'libscope-profiler.so')")
    for program in c cpp linked; do
        run ./$program
        equal "$what: $program alone" 0 "$rc"
        run "$top/bin/scope-profiler" run -q -o $program.h5 ./$program
        equal "$what: $program recorded" "0 1" "$rc $(ncalls $program.h5 work)"
    done
    ok "$what: the reader by pkg-config" words "gcc reader.c -o reader $(pkg-config --cflags --libs scope-reader)"
    run ./reader c.h5
    unset LD_LIBRARY_PATH
    equal "$what: the reader" "0 1" "$rc $(cat out.txt)"
    equal "$what: version of both packages" "$("$top/bin/scope-profiler" --version | cut -d' ' -f2)" \
        "$(pkg-config --modversion scope-profiler scope-reader | sort -u)"
    unset PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR
    for page in "$top"/share/man/man1/*.1; do
        run env MANWIDTH=80 man --warnings=w -E UTF-8 -l "$page"
        equal "$what: $(basename "$page") is clean" "0 0" "$rc $(wc -c <err.txt)"
    done
    ok "$what: a page for the command" test -e "$top/share/man/man1/scope-profiler.1"
    ok "$what: no file leads into the build or the tree" not_in_build "$top"
}
words() { eval "$1"; } # pkg-config quotes blanks for the shell
not_in_build() { ! grep -rlF -e "$SCOPE_SOURCE" -e "$e2e_dir/b" "$1" --include='*.pc' --include='*.h' --include='*.1'; }

sealed() { # everything installed can be used by everybody
    equal "$1: unreadable files" "" "$(find "$2" ! -type l ! -perm -o=r)"
}

build=${SCOPE_BUILD:-$(dirname "$SCOPE_PROFILER")/..}
umask 022
run env DESTDIR="$PWD/staged" meson install -C "$build" --no-rebuild
equal "DESTDIR install" 0 "$rc"
prefix=$(meson introspect --buildoptions "$build" | python3 -c 'import json, sys; print(next(o["value"] for o in json.load(sys.stdin) if o["name"] == "prefix"))')
works staged "$PWD/staged" "$prefix"
sealed staged staged

RUN_TIMEOUT=400 run meson setup b "$SCOPE_SOURCE" --prefix="$PWD/place with blank" -Dtests=false -Dbuildtype=debug
equal "a build for another prefix" 0 "$rc"
RUN_TIMEOUT=400 run ninja -C b install
equal "its install" 0 "$rc"
mv b gone # nothing of it may be needed
works prefix "" "$PWD/place with blank"
finish
