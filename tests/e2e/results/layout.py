"""layout.py FILE: writes a C program that prints where the header has the members of its structures, and prints where
scope_profiler.reading has them."""
import ctypes
import sys

from scope_profiler.reading import library

lines, program = [], ["#include <scope_reader.h>", "#include <stdio.h>", "int main(void) {"]
for name, structure in library.STRUCTURES.items():
    lines.append("%s %d" % (name, ctypes.sizeof(structure)))
    program.append('    printf("%s %%zu\\n", sizeof(%s));' % (name, name))
    for field in structure._fields_:
        place = getattr(structure, field[0])
        lines.append("%s.%s %d %d" % (name, field[0], place.offset, place.size))
        program.append('    printf("%s.%s %%zu %%zu\\n", offsetof(%s, %s), sizeof(((%s *)0)->%s));' % (
            (name, field[0]) * 2 + (name, field[0])))
with open(sys.argv[1], "w") as file:
    file.write("\n".join(program + ["}", ""]))
print("\n".join(lines))
