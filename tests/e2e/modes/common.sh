# Sourced behind lib.sh: comparing what two modes made of one program.
# same FILE FILE: regions, ranks, calls and problems are equal; totals are within a factor of two and 20 ms
# (not those of recursive regions, where what the machine does in between counts once for each level).
same() {
    h5 calls "$1" | sort -t "$(printf '\t')" -k1,1n -k4 >one.txt
    h5 calls "$2" | sort -t "$(printf '\t')" -k1,1n -k4 >other.txt
    ok "$1 and $2 have calls" test -s one.txt
    equal "$1 and $2: calls" "$(cut -f 1,2,4 one.txt)" "$(cut -f 1,2,4 other.txt)"
    ok "$1 and $2: totals" awk -F '\t' 'NR == FNR { t[$1, $4] = $3; next }
        { a = t[$1, $4]; b = $3; if ($2 < 100000 && (a > 2 * b + 2e7 || b > 2 * a + 2e7)) { print a, b, $0; bad = 1 } } END { exit bad }' \
        one.txt other.txt
    equal "$1 and $2: problems" "$(problems "$1" | shape)" "$(problems "$2" | shape)"
}
# at exit, count, kind, rank, region; in any order
shape() { cut -f 1-3,5,6 | tail -n +2 | sort; }
