"""Columns of calls: numpy arrays where numpy is installed, array.array otherwise. Never a loop a call."""

import array

_numpy = None  # not looked for yet; False: there is none

TYPES = {"q": "int64", "Q": "uint64", "I": "uint32", "d": "float64"}


def numpy():
    """The numpy module, or None. Looked for when the first column is read: importing it takes longer than a table."""
    global _numpy
    if _numpy is None:
        try:
            import numpy
            _numpy = numpy
        except ImportError:
            _numpy = False
    return _numpy or None


def empty(count, kind="q"):
    """A column of `count` numbers to be filled, and its address; `kind` of TYPES."""
    np = numpy()
    if np:
        column = np.empty(count, dtype=TYPES[kind])
        return column, column.ctypes.data
    column = array.array(kind, bytes(count * array.array(kind).itemsize))
    return column, column.buffer_info()[0]


def of(values, kind):
    """A column of these numbers."""
    np = numpy()
    return np.array(values, dtype=TYPES[kind]) if np else array.array(kind, values)


def difference(ends, starts):
    np = numpy()
    return ends - starts if np else array.array("q", map(int.__sub__, ends, starts))


def seconds(nanoseconds):
    np = numpy()
    return nanoseconds / 1e9 if np else array.array("d", (value / 1e9 for value in nanoseconds))


def joined(columns, kind):
    np = numpy()
    if np:
        return np.concatenate(columns) if columns else np.empty(0, dtype=TYPES[kind])
    whole = array.array(kind)
    for column in columns:
        whole.extend(column)
    return whole


def where_equal(column, value):
    """What of a column of the same length is kept where this one has the value: a function that keeps it."""
    np = numpy()
    if np:
        chosen = column == value
        return lambda other: other[chosen]
    chosen = [at for at, held in enumerate(column) if held == value]
    return lambda other: array.array(other.typecode, (other[at] for at in chosen))


def distinct(column):
    """The different values, ascending."""
    np = numpy()
    return np.unique(column).tolist() if np else sorted(set(column))


def placed(values, places):
    """A column whose element places[i] is values[i]."""
    np = numpy()
    if np:
        column = np.empty_like(values)
        column[places] = values
        return column
    column = array.array(values.typecode, values)
    for value, place in zip(values, places):
        column[place] = value
    return column


def frozen(column):
    """The column, not to be written to: those that are kept are handed out more than once."""
    if numpy():
        column.flags.writeable = False
    return column
