"""Line records of a profile, read with h5py: `lines.py FILE` prints "function line hits nanoseconds" a line, by record;
`lines.py FILE FUNCTION LINE` the hits of that line (0 when it has none)."""
import sys

import h5py


def records(path):
    with h5py.File(path) as file:
        for rank in sorted((n for n in file if n.startswith("rank") and n[4:].isdigit()), key=lambda n: int(n[4:])):
            group = file[rank].get("line_profile", {})
            for number in sorted(group, key=int):
                record = group[number]
                yield int(rank[4:]), record.attrs["function"], dict(record.attrs), list(
                    zip(record["line_numbers"][:].tolist(), record["hits"][:].tolist(), record["times"][:].tolist()))


def main():
    if len(sys.argv) == 2:
        for _, function, _, lines in records(sys.argv[1]):
            for line, hits, time in lines:
                print(function, line, hits, int(time))
    else:
        print(sum(hits for _, function, _, lines in records(sys.argv[1]) if function == sys.argv[2]
                  for line, hits, _ in lines if line == int(sys.argv[3])))


if __name__ == "__main__":
    main()
