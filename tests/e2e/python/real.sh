#!/bin/bash
# Whole programs under --all: as many calls of each function as cProfile counts, on every Python, with the default hook.
. "$(dirname "$0")/../lib/lib.sh"
. "$SCOPE_SOURCE/tests/e2e/python/pythons.sh"
here=$SCOPE_SOURCE/tests/e2e/python
export PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1

# Each run begins with the same files. What we write is not among them: importing looks again at a directory that changes.
mkdir -p fresh/tree
cd fresh || exit
cp "$here/real.py" "$here/counting.py" .
cat >sample.py <<'P'
"""
>>> twice(2)
4
"""
def twice(x):
    """
    >>> [twice(i) for i in range(3)]
    [0, 2, 4]
    """
    return x * 2
class Box(object):
    def __init__(self, items):
        self.items = dict(items)
    def keys(self):
        return [k for k in self.items.keys() if not self.items.has_key(k)]
P
cp sample.py tree/sample.py
cat >test_sample.py <<'P'
import unittest, unittest.mock, sample
class TestTwice(unittest.TestCase):
    def test_numbers(self):
        for i in range(5):
            with self.subTest(i=i):
                self.assertEqual(sample.twice(i), i + i)
    def test_patched(self):
        with unittest.mock.patch("sample.twice", return_value=1) as patched:
            self.assertEqual(sample.twice(4), 1)
        patched.assert_called_once_with(4)
    @unittest.expectedFailure
    def test_wrong(self):
        self.assertRaises(KeyError, sample.twice, None)
P
python3 -c '
import json, pickle
data = {"k%d" % i: [i, str(i), {"x": [None, True, 1.5 * i]}] for i in range(60)}
json.dump(data, open("sample.json", "w"))
pickle.dump(data, open("sample.pickle", "wb"))'

cd .. || exit

fresh() {
    rm -rf work
    cp -r fresh work
    (cd work && "$@")
}
for python in $PYTHONS; do
    name=$(label "$python")
    ok "$name: cProfile" fresh "$python" real.py cprofile ../c.json
    ok "$name: recorded" fresh scope-profiler run -q --all -o ../r.h5 "$python" real.py plain
    python3 -B "$here/compare.py" r.h5 c.json >differences.txt 2>&1
    between "$name: programs" 12 100 "$(python3 -c 'import json; print(len(json.load(open("c.json"))["subjects"]))')"
    matches "$name: thousands were compared" '^[0-9]{4,} functions, [0-9]{5,} calls compared' differences.txt
    contains "$name: nothing differs" ", 0 differ" differences.txt
    tail -n 1 differences.txt
done
finish
