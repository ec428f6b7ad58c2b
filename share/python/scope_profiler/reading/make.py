"""make.py COMMAND DIRECTORY LIBRARY PROGRAM: prints made.py of this package.

COMMAND: the command that was built, or - where it cannot be run; DIRECTORY: where this package is installed; LIBRARY,
PROGRAM: the reader library and the command there. They are found by the way from here to them, so that the tree may be
moved.
"""
import os
import subprocess
import sys

command, directory, library, program = sys.argv[1:]
package = os.path.dirname(directory)
listed = [] if command == "-" else subprocess.run([command, "--list-options"], check=True, universal_newlines=True,
                                                  stdout=subprocess.PIPE).stdout.splitlines()
places = {
    "LIBRARIES": (os.path.relpath(library, directory), os.path.join(*[os.pardir] * 4, "libreader", os.path.basename(library))),
    "PROGRAMS": (os.path.relpath(program, package), os.path.join(*[os.pardir] * 3, "cli", os.path.basename(program))),
    "COMMANDS": tuple(line.split("\t")[1] for line in listed if line.startswith("command\t")),
}
print('"""Made by the build; first what is installed, then what is in the build. LIBRARIES: the reader library, seen from\n'
      'this directory; PROGRAMS: scope-profiler, seen from the one above; COMMANDS: what it can do."""\n')
for name, value in places.items():
    print("%s = %r" % (name, value))
