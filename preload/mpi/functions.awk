# functions.table -> one FUNCTION(name, kind, nargs, roles...) a row, for the preprocessor. A row that contradicts itself
# stops the build.
BEGIN { FS = "|" }
/^#/ || /^$/ { next }
{
    count = split($3, roles, " ")
    if (NF != 4 || $1 !~ /^[A-Z][A-Za-z_]*$/ || $2 !~ /^[a-z]+$/ || count != $4 || count > 13 || ($1 in seen)) {
        print FILENAME ":" FNR ": not name|kind|roles|nargs of a new function: " $0 > "/dev/stderr"
        failed = 1
        exit 1
    }
    seen[$1]
    line = "FUNCTION(" $1 ", " toupper($2) ", " $4
    for (i = 1; i <= count; i++) {
        role = roles[i]
        if (role == "-") role = "other"
        sub(/\*$/, "_at", role)
        sub(/\[\]$/, "_list", role)
        line = line ", MPI_ROLE_" toupper(role)
    }
    print line ", MPI_ROLE_NONE)"
}
