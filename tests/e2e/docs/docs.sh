#!/bin/bash
# Every code block of the pages in share/doc runs as it stands there, with an installed tree, and prints what the page says.
. "$(dirname "$0")/../lib/lib.sh"
need gcc g++ gfortran meson pkg-config python3
here=$(cd "$(dirname "$0")" && pwd)

build=${SCOPE_BUILD:-$(dirname "$SCOPE_PROFILER")/..}
run env DESTDIR="$PWD/staged" meson install -C "$build" --no-rebuild
equal "install" 0 "$rc"
prefix=$(meson introspect --buildoptions "$build" | python3 -c 'import json, sys; print(next(o["value"] for o in json.load(sys.stdin) if o["name"] == "prefix"))')
top=$PWD/staged$prefix
PKG_CONFIG_LIBDIR=$(dirname "$(find "$top" -name scope-profiler.pc)"):$(pkg-config --variable pc_path pkg-config)
LD_LIBRARY_PATH=$(dirname "$(find "$top" -name libscope-profiler.so)")
PYTHONPATH=$top/share/scope-profiler/python
export PYTHONPATH PKG_CONFIG_LIBDIR LD_LIBRARY_PATH PKG_CONFIG_SYSROOT_DIR=$PWD/staged PATH=$top/bin:$PATH

# The runner itself: what is wrong is found.
page() { printf '%s\n' "$@" >page.md; run python3 -B "$here/blocks.py" page.md; }
page '```sh' 'echo 1.5 x' '```' '```output' '2.25   x' '```'
equal "the same but for times" 0 "$rc"
page '```sh' 'echo 1 x' '```' '```output' '2 x' '```'
equal "another number" 1 "$rc"
page '```sh' 'false' 'true' '```'
equal "a command that fails" 1 "$rc"
page 'no block'
equal "nothing to run" 1 "$rc"

for doc in "$SCOPE_SOURCE"/share/doc/*.md; do
    grep -q -E '^ *```(sh|python)( file=.*)?$' "$doc" || continue
    name=$(basename "$doc" .md)
    mkdir "$name"
    (cd "$name" && timeout 120 python3 -B "$here/blocks.py" "$doc") >"$name.txt" 2>&1
    status=$?
    grep -v '^ok:' "$name.txt"
    [ $status = 0 ] || [ $status = 77 ]
    check "$name.md" $? "status $status"
done
finish
