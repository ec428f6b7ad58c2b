#!/bin/bash
# The code blocks of the pages of documentation of the Python tool, unmodified and in order, print what the pages print.
# The pages are in $SCOPE_PROFILER_PAGES, or beside the repository.
. "$(dirname "$0")/../lib/lib.sh"
here=$e2e_lib/../pages
pages=${SCOPE_PROFILER_PAGES:-$SCOPE_SOURCE/../shared/system}
[ -d "$pages" ] || skip "no pages at $pages (SCOPE_PROFILER_PAGES names another directory)"
python=/usr/bin/python3
for module in numpy pandas; do "$python" -c "import $module" 2>/dev/null || skip "$python has no $module"; done
scope-profiler --list-options >options.txt
blocks=0
for page in "$pages"/*.txt; do
    mkdir -p run && cd run || exit 1
    RUN_TIMEOUT=60 run env PYTHONPATH="$SCOPE_BUILD/share/python" "$python" -B "$here/cells.py" "$page"
    cd .. || exit 1
    "$python" -B "$here/compare.py" "$page" run/out.txt options.txt >verdicts.txt
    alike=$?
    check "$(basename "$page")" $alike "$(grep -c '^DIFFERS' verdicts.txt) blocks differ"
    cat verdicts.txt
    [ "$rc" = 0 ] || e2e_show run/err.txt
    blocks=$((blocks + $(grep -c '^same' verdicts.txt)))
    rm -rf run
done
between "blocks that are as in the pages" 1 1000 "$blocks"
finish
