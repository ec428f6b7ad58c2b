#!/bin/bash
# Minimal metadata names no user, host, directory, argument or environment value: none of their bytes are in the file.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
here=$e2e_lib/../formats
mkdir -p secretdirectory/deeper
cp "$here/shapes.c" secretdirectory/deeper/secretsource.c
compile -pthread secretdirectory/deeper/secretsource.c -o secretdirectory/program
cd secretdirectory || exit
export USER=secretuser LOGNAME=secretuser HOME=/home/secrethome SECRET=secretvalue SLURM_JOB_NAME=secretjob HOSTNAME=secrethost
inside="scope-profiler run -q -o ../p.h5 ./program --password=secretargument"
if [ "$(id -u)" = 0 ] && unshare --uts true 2>/dev/null; then
    run unshare --uts bash -c "hostname secrethost; $inside"
else
    echo "the host's name cannot be changed: the real one is looked for"
    run $inside
fi
equal "status" 0 "$rc"
cd ..
python3 - "$(uname -n)" >found.txt <<'P'
import re, sys
data = open("p.h5", "rb").read()
words = [w.encode() for w in [sys.argv[1]] if len(w) > 5]
print(*sorted({m.group().decode() for m in re.finditer(rb"secret[a-z]*|/some/where|/tmp|/home|" + b"|".join(words + [b"secret"]), data)}))
P
equal "what of it is in the file" "" "$(cat found.txt)"
equal "the command, by its base name" program "$(column p.h5 process_table command)"
ok "and the region's names are" grep -q recursive p.h5
finish
