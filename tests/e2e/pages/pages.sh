#!/bin/bash
# The code blocks of the pages of documentation of the Python tool, unmodified and in order, print what the pages print.
# The pages are in $SCOPE_PROFILER_PAGES, or beside the repository.
. "$(dirname "$0")/../lib/lib.sh"
here=$e2e_lib/../pages
scope-profiler --list-options >options.txt
python=/usr/bin/python3

# The harness itself: what is another value is found, what may differ is not.
page() { # WHAT WANTED CODE OUTPUT: whether a page with that code and that output below it differs
    printf '%s\n' 'Words that import nothing.' '' "$3" '' "$4" '' 'More words, and a number 1.' >page.txt
    "$python" -B "$here/cells.py" page.txt >out.txt
    "$python" -B "$here/compare.py" page.txt out.txt options.txt >verdicts.txt
    equal "$1" "$2" "$?"
}
page "equal but for times, paths and machine" 0 'print("x 0.25 3 /tmp/a.h5\n   platform: Linux")' $'x 1.5 3 ../b/a.h5\nplatform: Other'
page "another count" 1 'print("x 0.25 3")' 'x 1.5 4'
page "a line too few" 1 'print("  a : 1")' $'  a : 1\n  b : 2'
page "a line too many" 1 'print("  a : 1"); print("  b : 2")' '  a : 1'
page "an error" 1 'print(1 / 0)' '1'
page "the value of an expression" 0 'value = {"a": 1}
value' "{'a': 1}"

pages=${SCOPE_PROFILER_PAGES:-$SCOPE_SOURCE/../shared/system}
[ -d "$pages" ] || skip "no pages at $pages (SCOPE_PROFILER_PAGES names another directory)"
for module in numpy pandas; do "$python" -c "import $module" 2>/dev/null || skip "$python has no $module"; done
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
