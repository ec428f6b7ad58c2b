"""zoo.py DIR: HDF5 files with what h5py can make, in each format that it can write; and profiles whose calls are stored in
each way, with what they hold in DIR/expected.json: {file: [starts, ends]}."""
import json
import os
import sys

import h5py
import numpy as np

HERE = sys.argv[1]


def numbers(group):
    for name in ("i1", "u1", "i2", "<i4", ">i4", "i8", "u8", "f2", "f4", ">f8", "c16", "?"):
        group.create_dataset("type %s" % name, data=np.arange(5).astype(name))
    group.create_dataset("scalar", data=3.5)
    group.create_dataset("empty", data=h5py.Empty("f4"))
    group.create_dataset("none", (0,), dtype="i4")
    group.create_dataset("cube", data=np.zeros((3, 4, 5)), maxshape=(None, 4, None), chunks=(2, 2, 2))


def texts(group):
    group.create_dataset("variable", data=["a", "bb", "ccc" * 100], dtype=h5py.string_dtype())
    group.create_dataset("fixed", data=np.array([b"ab", b"c"], dtype="S5"))
    group.create_dataset("ragged", (2,), dtype=h5py.vlen_dtype("i4"))[0] = [1, 2, 3]
    group.create_dataset("filled", (20,), chunks=(5,), dtype=h5py.string_dtype(), fillvalue="x")


def types(file, group):
    group["committed"] = np.dtype([("a", "i4"), ("b", "f8"), ("c", "S3"), ("d", "i2", (2, 3))])
    user = group.create_dataset("user", (3,), dtype=group["committed"])
    user.attrs.create("same", np.zeros(1, dtype=group["committed"].dtype), dtype=group["committed"])
    nested = np.dtype([("x", [("y", "i4"), ("z", [("w", "f4")])]), ("s", h5py.string_dtype())])
    group.create_dataset("nested", (2,), dtype=nested)
    group.create_dataset("enumeration", data=np.array([0, 1]), dtype=h5py.enum_dtype({"RED": 0, "GREEN": 1}, basetype="i1"))
    group.create_dataset("opaque", data=np.zeros(3, dtype="V7"))
    group.create_dataset("array", (4,), dtype=np.dtype(("i4", (2, 2))))
    group.create_dataset("reference", data=np.array([file["numbers"].ref], dtype=h5py.ref_dtype), dtype=h5py.ref_dtype)
    part = file["numbers/cube"].regionref[0:1, 0:2, 0:1]
    group.create_dataset("part", data=np.array([part], dtype=h5py.regionref_dtype), dtype=h5py.regionref_dtype)


def packed(group):
    data = np.arange(10000)
    ways = {"gzip": {"compression": "gzip"}, "shuffle": {"compression": 9, "shuffle": True, "chunks": (100,)},
            "sum": {"fletcher32": True}, "scaled": {"scaleoffset": 0}, "lzf": {"compression": "lzf"}, "one": {"chunks": data.shape}}
    for name, way in ways.items():
        group.create_dataset(name, data=data, **way)
    group.create_dataset("growing", (10,), maxshape=(None,), chunks=(3,)).resize((1000,))
    group["growing"][500] = 1
    listed = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    listed.set_layout(h5py.h5d.COMPACT)
    h5py.h5d.create(group.id, b"compact", h5py.h5t.NATIVE_INT32, h5py.h5s.create_simple((10,)), listed)


def elsewhere(file):
    file.create_dataset("external", (10,), dtype="i4", external=[(os.path.join(HERE, "raw.bin"), 0, h5py.h5f.UNLIMITED)])
    if file.libver[1] in ("v110", "latest"):
        layout = h5py.VirtualLayout((10,), dtype="i4")
        layout[:] = h5py.VirtualSource(file["external"])
        try:
            file.create_virtual_dataset("virtual", layout)
        except (OSError, ValueError):
            pass  # not in a file of that version


def links(file, group):
    group["hard"] = file["numbers"]
    group["loop"] = file["/"]
    group["soft"] = h5py.SoftLink("/numbers")
    group["nowhere"] = h5py.SoftLink("/nowhere")
    group["other"] = h5py.ExternalLink("other.h5", "/x")


def many(file, group, order):
    for i in range(300):
        group.create_group("group %d" % i, track_order=order)
    for i in range(100):
        group.attrs["attribute %d" % i] = i
    group.attrs["text"] = "x" * 1000
    group.attrs["texts"] = ["a", "b"]
    group.attrs["none"] = h5py.Empty("i4")
    group.attrs["large"] = np.zeros(7000)
    group.attrs["reference"] = file["numbers"].ref
    group.attrs["pair"] = np.array([(1, "q")], dtype=[("a", "i4"), ("b", h5py.string_dtype())])
    if file.libver[0] != "earliest":
        group.attrs["huge"] = np.zeros(20000)
    for i in range(0, 300, 3):
        del group["group %d" % i]
    del group.attrs["attribute 7"]


def fill(file, order):
    numbers(file.create_group("numbers", track_order=order))
    texts(file.create_group("texts"))
    types(file, file.create_group("types"))
    packed(file.create_group("packed"))
    links(file, file.create_group("links"))
    many(file, file.create_group("many", track_order=order), order)
    elsewhere(file)
    deep = file
    for _ in range(40):
        deep = deep.create_group("deep")
    h5py.h5o.set_comment(file.id, b"a comment")


def zoo():
    for version in ("earliest", "v108", "v110", "latest", ("earliest", "v108")):
        for order in (False, True):
            for block in (0, 1024):
                name = "zoo-%s-%d-%d.h5" % ("".join(version), order, block)
                with h5py.File(os.path.join(HERE, name), "w", libver=version, track_order=order, userblock_size=block) as file:
                    fill(file, order)
    for strategy in ("page", "fsm", "aggregate"):
        for version in ("earliest", "latest"):
            name = os.path.join(HERE, "zoo-%s-%s.h5" % (strategy, version))
            with h5py.File(name, "w", libver=version, fs_strategy=strategy, fs_persist=strategy != "aggregate") as file:
                fill(file, False)
    created = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    created.set_sizes(4, 4)
    with h5py.File(h5py.h5f.create(os.path.join(HERE, "zoo-small.h5").encode(), h5py.h5f.ACC_TRUNC, created)) as file:
        fill(file, False)


WAYS = [{}, {"compact": True}, {"chunks": (10,)}, {"chunks": (64,), "compression": "gzip"}, {"chunks": True, "fletcher32": True},
        {"chunks": (4096,), "compression": 9, "shuffle": True},
        {"chunks": (100,), "compression": 1, "shuffle": True, "fletcher32": True}, {"chunks": (7,), "grows": True},
        {"chunks": (1,), "grows": True}, {"chunks": (7,), "grows": True, "compression": "gzip"}, {"dtype": ">i4"},
        {"dtype": "u4", "chunks": (50,)}, {"chunks": (200000,), "maxshape": (None,)}]


def column(group, name, values, way):
    way = dict(way)
    count = len(values)
    if way.pop("compact", False):
        listed = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        listed.set_layout(h5py.h5d.COMPACT)
        dataset = h5py.Dataset(h5py.h5d.create(group.id, name.encode(), h5py.h5t.STD_I64LE, h5py.h5s.create_simple((count,)), listed))
        dataset[:] = values
    elif way.pop("grows", False):
        dataset = group.create_dataset(name, (0,), dtype="i8", maxshape=(None,), **way)
        step = max(1, count // 7)
        for at in range(0, count, step):
            dataset.resize((min(count, at + step),))
            dataset[at:] = values[at:at + step]
    else:
        group.create_dataset(name, data=values, dtype=way.pop("dtype", "i8"), **way)


def profile(path, version, block, count, way):
    random = np.random.default_rng(count)
    starts = np.cumsum(random.integers(1, 1000, count))
    ends = starts + random.integers(0, 500, count)
    with h5py.File(path, "w", libver=version, userblock_size=block) as file:
        file.attrs["scope_profiler_schema"] = 2
        file.attrs["storage_layout"] = "columnar"
        file.create_dataset("region_table/names", data=["a"], dtype=h5py.string_dtype())
        index = file.create_group("rank_region_index")
        for name, kind, value in (("region_ids", "u4", 0), ("ranks", "u4", 0), ("event_offsets", "u8", 0),
                                  ("event_counts", "u8", count), ("source_lines", "i8", -1), ("exclusive_totals", "i8", -1)):
            index.create_dataset(name, data=np.array([value], dtype=kind))
        for name in ("source_files", "source_texts", "tags"):
            index.create_dataset(name, data=[""], dtype=h5py.string_dtype())
        column(file.create_group("events"), "start_times", starts, way)
        column(file["events"], "end_times", ends, way)
    return [starts.tolist(), ends.tolist()]


def profiles():
    expected = {}
    for version, block in (("earliest", 0), ("earliest", 2048), ("latest", 0), ("latest", 2048)):
        for count in (1, 1000, 20000):
            for number, way in enumerate(WAYS):
                chunk = way.get("chunks")
                too_large = isinstance(chunk, tuple) and chunk[0] > count and "grows" not in way and "maxshape" not in way
                too_slow = chunk == (1,) and count > 5000
                if too_large or too_slow or (way.get("compact") and count > 5000):
                    continue
                name = "profile-%s-%d-%d-%d.h5" % (version, block, count, number)
                expected[name] = profile(os.path.join(HERE, name), version, block, count, way)
    with open(os.path.join(HERE, "expected.json"), "w", encoding="utf-8") as out:
        json.dump(expected, out)


zoo()
profiles()
