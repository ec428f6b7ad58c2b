#!/usr/bin/env python3
"""functions.table against the installed headers: names, argument roles and arities, and that nothing is left out.

usage: test_table.py TABLE DERIVE    prints TAP; a header that is not installed is a skipped test
"""
import re
import subprocess
import sys

HEADERS = {
    "mpich": ["/usr/include/x86_64-linux-gnu/mpich", "/usr/include/aarch64-linux-gnu/mpich"],
    "openmpi": ["/usr/lib/x86_64-linux-gnu/openmpi/include", "/usr/lib/aarch64-linux-gnu/openmpi/include"],
}

# What need not be in the table: functions that neither communicate nor wait, by the standard.
LOCAL = re.compile(
    r"(T_|Type_|Group_|Info_|Op_|Errhandler_|Keyval_|Attr_|Status_|Error_|Add_error_|Grequest_|Aint_)\w+$|"
    r"(Pack|Unpack)\w*$|"
    r"\w+_(create_keyval|free_keyval|(get|set|delete)_(attr|info|name|group|errhandler)|create_errhandler|"
    r"call_errhandler|errhandler_(create|get|set|free))(_c)?$|"
    r"\w+_(c2f|f2c|c2f08|f082c|f2f08|f082f|FN)$|"
    r"Comm_(rank|size|group|compare|remote_size|remote_group|test_inter|get_parent)$|"
    r"File_(get_\w+|set_info)$|Win_shared_query(_c)?$|Session_get_\w+$|"
    r"Cart_(coords|get|map|rank|shift)$|Cartdim_get$|Graph_(get|map|neighbors|neighbors_count)$|Graphdims_get$|"
    r"Topo_test$|Dims_create$|Dist_graph_neighbors(_count)?$|"
    r"(Get_(address|count|elements|elements_x|version|library_version|processor_name)|Address)(_c)?$|"
    r"Sizeof|Register_datarep(_c)?$|Lookup_name$|(Alloc|Free)_mem$|Buffer_attach(_c)?$|"
    r"(Initialized|Finalized|Is_thread_main|Query_thread|Pcontrol)$")


def table(path):
    rows = (line.rstrip("\n").split("|") for line in open(path) if line.strip() and not line.startswith("#"))
    return {name: (roles, nargs) for name, _kind, roles, nargs in rows}


def installed(derive, directories):
    for directory in directories:
        done = subprocess.run([sys.executable, "-B", derive, "cc", directory], capture_output=True, text=True)
        if done.returncode == 0:
            return {n: (r, c) for n, r, c in (line.split("|") for line in done.stdout.splitlines())}
    return None


def problems(ours, theirs):
    for name, description in sorted(theirs.items()):
        if name in ours and ours[name] != description:
            yield f"{name}: the table says {ours[name]}, mpi.h {description}"
        if name not in ours and not LOCAL.match(name):
            yield f"{name} is not in the table"


def main():
    ours = table(sys.argv[1])
    headers = {mpi: installed(sys.argv[2], directories) for mpi, directories in HEADERS.items()}
    print(f"1..{len(headers) + 1}")
    for number, (mpi, theirs) in enumerate(headers.items(), 1):
        if theirs is None:
            print(f"ok {number} {mpi} # SKIP no mpi.h of {mpi}")
            continue
        found = list(problems(ours, theirs))
        compared = len(ours.keys() & theirs.keys())
        print(f"{'not ok' if found or compared < 150 else 'ok'} {number} {mpi}: {compared} functions compared")
        print("".join(f"# {line}\n" for line in found), end="")
    last = len(headers) + 1
    if None in headers.values():
        print(f"ok {last} union # SKIP one header is missing")
        return
    unknown = ours.keys() - set().union(*headers.values())
    print(f"{'not ok' if unknown else 'ok'} {last} every row is a function of some MPI: {sorted(unknown)}")


if __name__ == "__main__":
    main()
