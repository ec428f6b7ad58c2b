"""make.py COMMAND DIRECTORY LIBRARY: prints made.py of this package.

COMMAND: the command that was built, or - where it cannot be run; DIRECTORY: where this package is installed; LIBRARY:
the reader library there. The package finds the library by the way from one to the other, so that the tree may be moved.
"""
import os
import subprocess
import sys

command, directory, library = sys.argv[1:]
built = os.path.join(*[os.pardir] * 4, "libreader", os.path.basename(library))  # seen from the build's copy
listed = [] if command == "-" else subprocess.run([command, "--list-options"], check=True, universal_newlines=True,
                                                  stdout=subprocess.PIPE).stdout.splitlines()
commands = [line.split("\t")[1] for line in listed if line.startswith("command\t")]
print('"""Made by the build. The reader library, seen from this directory: installed, and in the build; and the commands\n'
      'that scope-profiler has."""\n')
print("LIBRARIES = %r" % ((os.path.relpath(library, directory), built),))
print("COMMANDS = %r" % (tuple(commands),))
