#!/bin/bash
# What stands around the commands: --help fits a screen, every option is in the manual page of its command, completions of
# three shells come from the same tables.
. "$(dirname "$0")/../lib/lib.sh"
scope-profiler --list-options >list.txt
commands=$(awk -F'\t' '$1 == "command" { print $2 }' list.txt)
between "commands" 8 40 "$(echo "$commands" | wc -l)"
options() { awk -F'\t' -v c="$1" '$1 == "command" { is = $2 == c } $1 == "option" && is && $3 != "help" { print ($3 == "-" ? "-" $2 : "--" $3) }' list.txt; }
man_dir=$SCOPE_SOURCE/share/man
for command in $commands; do
    run scope-profiler $command --help
    equal "$command --help" "0 " "$rc $(cat err.txt)"
    between "$command --help: lines" 8 48 "$(wc -l <out.txt)"
    between "$command --help: columns" 40 80 "$(wc -L <out.txt)"
    cp out.txt help.txt
    page=$man_dir/scope-profiler-$command.1
    ok "$command has a manual page" test -f "$page"
    sed 's/\\-/-/g; s/\\fI//g; s/\\fR//g' "$page" >page.txt
    for option in $(options $command); do
        grep -q -e "$option\b" help.txt || fail "$command --help lacks $option"
        grep -q -e "$option\b" page.txt || fail "the page of $command lacks $option"
    done
    contains "the main page names $command" "scope-profiler-$command" <(sed 's/\\-/-/g' "$man_dir/scope-profiler.1")
    ok "the page is installed" grep -q "'scope-profiler-$command.1'" "$man_dir/meson.build"
done
if command -v man >/dev/null; then
    for page in "$man_dir"/*.1; do
        MANWIDTH=80 man --warnings -l "$page" >rendered.txt 2>warnings.txt
        equal "$(basename "$page") is set without warnings" "" "$(cat warnings.txt)"
    done
else
    echo "no man on this machine: pages are not set"
fi

run scope-profiler
equal "no arguments" 1 "$rc"
contains "what to do first" "scope-profiler run ./app" err.txt
between "in a screen" 5 30 "$(wc -l <err.txt)"
between "and in its columns" 40 80 "$(wc -L <err.txt)"

made=${SCOPE_BUILD:-}/share/completions
[ -f "$made/scope-profiler" ] || skip "no completions in the build directory"
ok "bash: syntax" bash -n "$made/scope-profiler"
cat >complete.sh <<'B'
. "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_scope_profiler
printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' '
B
mkdir files
touch files/a.h5 files/b.h5
mkdir odd
touch "odd/c d.h5" "odd/c * e.h5"
completes() { # WHAT WANT WORD...
    local what=$1 want=$2; shift 2
    equal "bash: $what" "$want" "$(bash --norc complete.sh "$made/scope-profiler" "$@")"
}
completes "commands" "inspect " scope-profiler ins
completes "all of them" "$(printf '%s\n' $commands --help --version | sort | tr '\n' ' ')" scope-profiler ''
completes "options" "--sort --source " scope-profiler inspect --so
completes "values" "p50 p95 p99 " scope-profiler inspect x.h5 --sort p
completes "how much metadata" "full minimal " scope-profiler run --metadata ''
completes "values of another command" "path " scope-profiler diff --by p
completes "files" "files/a.h5 files/b.h5 " scope-profiler inspect files/
completes "files of an option" "files/a.h5 " scope-profiler merge -o files/a
completes "names with blanks and stars" "odd/c * e.h5 odd/c d.h5 " scope-profiler inspect odd/c
completes "nothing for free text" " " scope-profiler merge --label x
completes "options of run" "--outfile " scope-profiler run --out
completes "a program" "files/a.h5 " scope-profiler run -q files/a
completes "what a program takes is its own" "files/b.h5 " scope-profiler run -o x.h5 ./app files/b
for command in $commands; do
    for option in $(options $command); do
        letters=$(bash --norc complete.sh "$made/scope-profiler" scope-profiler "$command" "$option")
        [[ " $letters" == *" $option"* ]] || fail "bash: $command $option is not completed: $letters"
        for shell in _scope-profiler scope-profiler.fish; do
            grep -q -e "${option#--}" "$made/$shell" || fail "$shell lacks $option"
        done
    done
done
if command -v zsh >/dev/null; then ok "zsh: syntax" zsh -n "$made/_scope-profiler"; else echo "no zsh on this machine"; fi
if command -v fish >/dev/null; then
    ok "fish: syntax" fish -n "$made/scope-profiler.fish"
    HOME=$PWD fish -c "source $made/scope-profiler.fish; complete -C'scope-profiler inspect --sort p9'" >got.txt 2>err.txt
    equal "fish: values" "p95 p99" "$(cut -f 1 got.txt | sort | tr '\n' ' ' | sed 's/ $//')"
else
    echo "no fish on this machine"
fi
finish
