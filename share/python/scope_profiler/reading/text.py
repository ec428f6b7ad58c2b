"""How names and paths look in a line of a terminal."""

import os
import shlex
import unicodedata

# Characters that move the cursor or turn the line around.
_MOVING = frozenset(list(range(0x20)) + list(range(0x7f, 0xa0)) + list(range(0x2028, 0x202f)) +
                    list(range(0x2066, 0x206a)) + [0x200e, 0x200f, 0xfeff])
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def _shown_character(character):
    code = ord(character)
    if 0xdc80 <= code <= 0xdcff:  # a byte that is not UTF-8
        return "\\x%02x" % (code - 0xdc00)
    if code not in _MOVING:
        return character
    return _SHORT.get(character) or ("\\u%04x" if code > 0xff else "\\x%02x") % code


def shown(name):
    """A name in one line that a terminal takes as text."""
    return "".join(map(_shown_character, name)) if name else "(unnamed)"


def width(line):
    """Columns of a terminal."""
    if line.isascii():
        return len(line)
    return sum(0 if unicodedata.category(c) in ("Mn", "Me", "Cf") else 2 if unicodedata.east_asian_width(c) in "WF" else 1
               for c in line)


def padded(line, columns):
    return line + " " * (columns - width(line))


def relative(path):
    """The path as it is written from here."""
    try:
        return os.path.relpath(path)
    except (OSError, ValueError):  # the current directory is gone
        return os.fspath(path)


def quoted(path):
    """For a shell, and for the terminal."""
    return shown(shlex.quote(path))


def put(stream, block):
    """Writes text, whatever the stream can encode."""
    try:
        stream.write(block)
    except UnicodeEncodeError:
        encoding = stream.encoding
        stream.write(block.encode(encoding, "replace").decode(encoding))
