#!/bin/bash
# Region names of any bytes: each a region of its own, read back byte for byte, whatever becomes of the caller's buffer.
. "$(dirname "$0")/../lib/lib.sh"
need gcc h5dump
cat >a.c <<'C'
#include "mk.h"
#include <stdlib.h>
#include <string.h>
int main(void) {
    char *big = malloc(5001), *big2;
    memset(big, 'x', 5000); big[5000] = 0;
    big2 = strdup(big); big2[4999] = 'y';
    const char *names[] = { "a/b", "a", "/a", "a/", "a//b", ".", "..", "a/../c", "", " ", "tab\there",
        "line\nbreak", "comma, \"quote\"", "\xc3\xa9t\xc3\xa9", "e\xcc\x81te\xcc\x81", "\xff\xfe bad utf8", "%s%n%d",
        "start_times", "regions", "rank0", "std::map<int, std::vector<double> >::find(int const&) const", big, big2 };
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        for (unsigned k = 0; k <= i; k++) {
            char copy[5002];
            strcpy(copy, names[i]);
            MB(copy); ME(copy);
            memset(copy, 'Z', strlen(copy));
        }
    return 0;
}
C
compile a.c -o a
run scope-profiler run -q -o a.h5 ./a
equal "status" 0 "$rc"
cat >read.py <<'P'
import h5py
big = b"x" * 5000
names = [b"a/b", b"a", b"/a", b"a/", b"a//b", b".", b"..", b"a/../c", b"", b" ", b"tab\there", b"line\nbreak",
         b'comma, "quote"', b"\xc3\xa9t\xc3\xa9", b"e\xcc\x81te\xcc\x81", b"\xff\xfe bad utf8", b"%s%n%d", b"start_times",
         b"regions", b"rank0", b"std::map<int, std::vector<double> >::find(int const&) const", big, big[:-1] + b"y"]
with h5py.File("a.h5") as file:
    stored = [bytes(n) for n in file["region_table/names"][()]]
    counts = {}
    for region, count in zip(file["rank_region_index/region_ids"][()], file["rank_region_index/event_counts"][()]):
        counts[stored[region]] = counts.get(stored[region], 0) + int(count)
assert stored == names, [n for n in stored if n not in names]
assert counts == {name: i + 1 for i, name in enumerate(names)}, counts
P
ok "23 names, byte for byte, 1 to 23 calls" python3 read.py
ok "h5dump lists it" sh -c 'h5dump -n a.h5 >/dev/null'
run scope-profiler inspect a.h5 --sort calls
equal "inspect" 0 "$rc"
contains "the empty name is shown" "(unnamed)" out.txt
finish
