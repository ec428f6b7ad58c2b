#!/usr/bin/python3
"""compare.py PROFILE COUNTER_DIR: the calls in the profile are those that the counter saw, by function and rank.

Prints the differences and how much was compared; status 1 if there is one. Which functions need not be in a profile is
told here, by what the standard says of them, and not by the profiler's table.
"""
import pathlib
import re
import struct
import subprocess
import sys

import h5py
import numpy

LOCAL = re.compile(
    r"MPI_("
    r"T_\w+|Wtime|Wtick|Initialized|Finalized|Is_thread_main|Query_thread|Get_\w*(version|processor_name|count|elements|"
    r"elements_x|address)(_c)?|Address|Aint_\w+|Pcontrol|Alloc_mem|Free_mem|Dims_create|Status_\w+|Error_\w+|Add_error_\w+|"
    r"Comm_(rank|size|group|compare|remote_size|remote_group|test_inter|get_\w+|set_\w+|\w*keyval|\w*attr|\w*errhandler)|"
    r"(Type|Group|Info|Op|Errhandler|Keyval|Attr|Grequest)_\w+|Cart_(coords|get|map|rank|shift)|Cartdim_get|Topo_test|"
    r"Graph_(get|map|neighbors|neighbors_count)|Graphdims_get|Dist_graph_neighbors\w*|"
    r"Win_(get|set|call|create_keyval|free_keyval|delete|shared_query)\w*|"
    r"File_(get|call|create_errhandler|set_info|set_errhandler)\w*|Session_(get|call|set|create_errhandler)\w*|"
    r"Buffer_attach(_c)?|Pack\w*|Unpack\w*|Lookup_name|Register_datarep(_c)?|\w+_[cf]2[cf]|\w+_f08\w*)$")


def counted(directory):
    names = (directory / "names").read_text().split()
    calls = {}
    for path in directory.glob("*.counts"):
        rank = int(path.name.split(".")[0])
        for name, count in zip(names, struct.unpack("<%dQ" % len(names), path.read_bytes())):
            name = re.sub("^PMPI_", "MPI_", name)
            if count and not LOCAL.match(name):
                calls[rank, name] = calls.get((rank, name), 0) + count
    return calls


def recorded(profile):
    reader = pathlib.Path(__file__).resolve().parents[2] / "lib" / "h5.py"
    lines = subprocess.run([sys.executable, "-B", reader, "calls", profile], check=True, capture_output=True, text=True)
    rows = (line.split("\t") for line in lines.stdout.splitlines())
    calls = {(int(row[0]), row[3]): int(row[1]) for row in rows if row[3].startswith("MPI_")}
    for key, merged in polls(profile).items():
        calls[key] += merged
    return calls


def polls(profile):
    """Unsuccessful calls that stand in the profile as part of another one."""
    merged = {}
    with h5py.File(profile) as file:
        if "mpi/calls/polls" not in file:
            return merged
        index = file["rank_region_index"]
        offsets, names = index["event_offsets"][:], file["region_table/names"].asstr()[:]
        order = numpy.argsort(offsets, kind="stable")
        counts = file["mpi/calls/polls"][:]
        for event, count in zip(file["mpi/calls/events"][:][counts > 1], counts[counts > 1]):
            row = order[numpy.searchsorted(offsets[order], event, side="right") - 1]
            key = int(index["ranks"][row]), names[index["region_ids"][row]]
            merged[key] = merged.get(key, 0) + int(count) - 1
    return merged


def main():
    have, want = recorded(sys.argv[1]), counted(pathlib.Path(sys.argv[2]))
    wrong = [key for key in sorted(have.keys() | want.keys()) if have.get(key) != want.get(key)]
    for rank, name in wrong:
        print(f"rank {rank} {name}: the program made {want.get((rank, name), 0)}, recorded {have.get((rank, name), 0)}")
    print(f"{sum(want.values())} calls of {len({name for _, name in want})} functions on {len({r for r, _ in want})} ranks")
    sys.exit(1 if wrong or not want else 0)


if __name__ == "__main__":
    main()
