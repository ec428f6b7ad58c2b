"""schema.py FILE SCHEMA_TEXT: every group, dataset, type and attribute of a profile against the table in layout.txt.

Each line of the table: path, type, and `?` where it may be absent; attributes are `path@name`. What the file has beyond
the table is a fault, too.
"""
import re
import sys

import h5py
import numpy as np


def type_name(dtype, file_type):
    string = h5py.check_string_dtype(dtype)
    if string:
        kind = file_type.get_class() == h5py.h5t.STRING
        padding = kind and file_type.get_strpad() == h5py.h5t.STR_NULLTERM
        return "%s-%s%s" % ("text" if string.length is None else "fixed", string.encoding, "" if padding else "-padded")
    if dtype.names:
        return ",".join("%s:%s@%d" % (n, type_name(dtype.fields[n][0], None), dtype.fields[n][1]) for n in dtype.names)
    return np.dtype(dtype).str.lstrip("<|")


def contents(file):
    found = {}

    def visit(path, item):
        if isinstance(item, h5py.Dataset):
            shape = "1d" if len(item.shape) == 1 else "%dd" % len(item.shape)
            found["/" + path] = type_name(item.dtype, item.id.get_type()) + " " + shape
        else:
            found["/" + path] = "group"

    file.visititems(visit)
    for path in ["/"] + [p for p, kind in found.items()]:
        for name in file[path].attrs:
            attribute = file[path].attrs.get_id(name)
            found[path + "@" + name] = type_name(attribute.dtype, attribute.get_type()) + (" scalar" if not attribute.shape else " list")
    return found


def main(path, table):
    wanted, optional = {}, set()
    with open(table, encoding="utf-8") as lines:
        for line in lines:
            fields = re.split(r"  +", line.strip())
            if fields != [""] and not line.startswith("#"):
                wanted[fields[0]] = fields[1]
                if fields[2:] == ["?"]:
                    optional.add(fields[0])
    faults = []
    with h5py.File(path, "r") as file:
        found = contents(file)
        for group in ("rank_region_index", "events", "thread_table", "process_table", "problem_table"):
            lengths = {len(data) for data in file[group].values()} if group in file else {0}
            if len(lengths) != 1:
                faults.append("%s: columns of different lengths %s" % (group, lengths))
    for item in sorted(set(wanted) | set(found)):
        if item not in found and item not in optional:
            faults.append("missing %s" % item)
        elif item in found and item not in wanted:
            faults.append("not in the table: %s  %s" % (item, found[item]))
        elif item in found and found[item] != wanted[item]:
            faults.append("%s is %s, not %s" % (item, found[item], wanted[item]))
    print("\n".join(faults + ["%d faults" % len(faults)]))


main(*sys.argv[1:])
