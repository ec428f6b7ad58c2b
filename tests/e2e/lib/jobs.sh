# shellcheck shell=bash
# jobs.sh: beside lib.sh, for tests of collecting in several threads.
#
#   same_by_jobs WHAT PROFILE   of a run with --keep-spool -o PROFILE: its spool gives the same bytes with 1, 2 and 7
#                               threads, plain and compressed, and these hold what PROFILE holds of calls by region
same_by_jobs() {
    local what=$1 spool jobs name
    spool=$(ls -d ."$2".spool-*) || { fail "$what: one spool, got '$spool'"; return; }
    rm -rf recorded
    mv "$spool" recorded
    # As if on another machine: what this one's clock shows now is no part of the profile then.
    python3 - recorded "$(cat /proc/sys/kernel/random/boot_id)" <<'P'
import glob
import sys
here = sys.argv[2].encode()
for path in glob.glob(sys.argv[1] + "/*.proc") + glob.glob(sys.argv[1] + "/session"):
    with open(path, "rb+") as file:
        content = file.read()
        file.seek(0)
        file.write(content.replace(here, b"0" * len(here)))
P
    for jobs in 1 2 7; do
        for name in plain packed; do
            run scope-profiler collect -q --keep --jobs $jobs --compress=$([ $name = plain ] && echo 0 || echo 4) -o $name$jobs.h5 recorded
            equal "$what, $jobs threads, $name: status" 0 "$rc"
        done
    done
    ok "$what: the same bytes" python3 "$MK/same_bytes.py" plain1.h5 plain2.h5 plain7.h5
    ok "$what, compressed: the same bytes" python3 "$MK/same_bytes.py" packed1.h5 packed2.h5 packed7.h5
    h5 calls "$2" | cut -f 1,2,4 >calls.txt
    for name in plain packed; do
        ok "$what, $name: the calls of the run" diff calls.txt <(h5 calls ${name}7.h5 | cut -f 1,2,4)
    done
    ok "$what: packed holds what plain holds" python3 - plain7.h5 packed7.h5 <<'P'
import sys
import h5py
files = [h5py.File(path, "r") for path in sys.argv[1:]]
def compare(name, item):
    if isinstance(item, h5py.Dataset) and (item[()] != files[1][name][()]).any():
        sys.exit("%s differs" % name)
files[0].visititems(compare)
P
}
