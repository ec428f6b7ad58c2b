"""`calls.py FILE REGION`: calls of the region of exactly this name, over all ranks."""
import sys

import h5py

with h5py.File(sys.argv[1]) as file:
    names = file["region_table/names"].asstr()[:].tolist()
    index = file["rank_region_index"]
    rows = zip(index["region_ids"][:].tolist(), index["event_counts"][:].tolist())
    print(sum(count for region, count in rows if names[region] == sys.argv[2]))
