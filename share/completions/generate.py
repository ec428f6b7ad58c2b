"""generate.py bash|zsh|fish LIST: completions of scope-profiler, from what `scope-profiler --list-options` printed to LIST.

A line is `command NAME HELP` or, for the command before it, `option LETTER NAME ARGUMENT HELP`, with tabs between and "-"
for what there is not; an argument in brackets may be left out, and follows an equals sign.
"""
import re
import sys

FILES = ("FILE", "DIRECTORY", "PROFILE")


class Option:
    def __init__(self, letter, name, argument, text):
        self.letter = "" if letter == "-" else letter
        self.name = "" if name == "-" else name
        self.optional = argument.startswith("[")
        self.argument = "" if argument == "-" else argument.strip("[]")
        self.help = re.split(r"[;(]", text)[0].strip()
        self.takes_file = self.argument.rstrip(".") in FILES
        self.values = values_of(text) if self.argument in ("NAME", "KEY", "DETAIL") else []
        if self.values:
            self.help = "one of %d" % len(self.values)

    def spellings(self):
        return (["-" + self.letter] if self.letter else []) + (["--" + self.name] if self.name else [])


def values_of(text):
    """The words that a help text lists: `two files: total (default), avg, min`, or many words and nothing else."""
    for piece in re.sub(r"\([^)]*\)", "", text).split(":"):
        words = [w.strip() for w in re.sub(r"\bor\b", "", piece).split(",")]
        if len(words) == 1 and len(piece.split()) >= 8:
            words = piece.split()
        if len(words) > 1 and all(re.fullmatch(r"[a-z0-9_-]+", w) for w in words):
            return words
    return []


def read(path):
    commands = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            kind, *fields = line.rstrip("\n").split("\t")
            if kind == "command":
                commands.append((fields[0], fields[1], []))
            else:
                commands[-1][2].append(Option(*fields))
    return commands


HEAD = "Completions of scope-profiler. Made by its build from the option tables of the commands."

# ---- bash ------------------------------------------------------------------------------------------------------------

BASH = r"""# %(head)s
_scope_profiler_files() { # OPTION...: what compgen lists, a line each: names have blanks and stars
    mapfile -t COMPREPLY < <(compgen "$@" -- "$cur")
}
_scope_profiler() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} options= i
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "%(commands)s --help --version" -- "$cur"))
        return
    fi
    case $command in
%(options)s
    *) return ;;
    esac
    case $command:$prev in
%(values)s
%(files)s
%(others)s
    esac
    if [ "$command" = run ]; then # a word that is no option, nor an option's value, is the program
        for ((i = 2; i < COMP_CWORD; i++)); do
            case $command:${COMP_WORDS[i]} in
            %(taking)s) i=$((i + 1)) ;;
            run:-*) ;;
            *)
                if declare -F _command_offset >/dev/null; then _command_offset $i; else _scope_profiler_files -f; fi
                return
                ;;
            esac
        done
    fi
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$cur"))
    elif [ "$command" = run ]; then
        _scope_profiler_files -c -f
    else
        _scope_profiler_files -f
    fi
}
complete -o filenames -F _scope_profiler scope-profiler
"""


def bash(commands):
    options, values, files, others, taking = [], [], [], [], []
    for name, _, table in commands:
        words = " ".join(s + ("=" if o.optional and s.startswith("--") else "") for o in table for s in o.spellings())
        options.append('    %s) options="%s" ;;' % (name, words))
        for option in table:
            if not option.argument or option.optional:
                continue
            patterns = ["%s:%s" % (name, s) for s in option.spellings()]
            if name == "run":
                taking += patterns
            if option.values:
                values.append('    %s) COMPREPLY=($(compgen -W "%s" -- "$cur")); return ;;' % (" | ".join(patterns), " ".join(option.values)))
            else:
                (files if option.takes_file else others).extend(patterns)
    return BASH % {"head": HEAD, "commands": " ".join(c[0] for c in commands), "options": "\n".join(options), "values": "\n".join(values),
                   "files": '    %s) _scope_profiler_files -f; return ;;' % " | ".join(files),
                   "others": "    %s) return ;;" % " | ".join(others), "taking": " | ".join(taking)}


# ---- zsh -------------------------------------------------------------------------------------------------------------


def zsh_quoted(text):
    return text.replace("'", "'\\''").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


def zsh_option(option):
    action = ""
    if option.argument:
        what = "_files" if option.takes_file else "(%s)" % " ".join(option.values) if option.values else " "
        action = ":%s:%s" % (zsh_quoted(option.argument.lower()), what)
    lines = []
    for spelling in option.spellings():
        equals = "=-" if option.optional and spelling.startswith("--") else "=" if option.argument and spelling.startswith("--") else ""
        optional = ":" + action if option.optional else action
        lines.append("        '*%s%s[%s]%s'" % (spelling, equals, zsh_quoted(option.help), optional))
    return lines


def zsh(commands):
    out = ["#compdef scope-profiler", "# " + HEAD, "_scope_profiler() {", "    local -a commands", "    commands=("]
    out += ["        '%s:%s'" % (name, zsh_quoted(text)) for name, text, _ in commands]
    out += ["    )", "    if (( CURRENT == 2 )); then", "        _describe command commands",
            "        _arguments '--help[the commands]' '--version[the version]'", "        return", "    fi",
            "    local command=$words[2]", "    shift words", "    (( CURRENT-- ))", "    case $command in"]
    for name, _, table in commands:
        rest = ["        '1:program:_command_names -e'", "        '*::argument:_normal'"] if name == "run" else ["        '*:file:_files'"]
        out += ["    %s)" % name, "        _arguments -s%s \\" % ("" if name == "run" else " -S")]
        out += [line + " \\" for option in table for line in zsh_option(option)]
        out += [line + " \\" for line in rest[:-1]] + rest[-1:] + ["        ;;"]
    return "\n".join(out + ["    esac", "}", '_scope_profiler "$@"']) + "\n"


# ---- fish ------------------------------------------------------------------------------------------------------------


def fish_quoted(text):
    return "'%s'" % text.replace("\\", "\\\\").replace("'", "\\'")


def fish(commands):
    out = ["# " + HEAD, "complete -c scope-profiler -n __fish_use_subcommand -f",
           "complete -c scope-profiler -n __fish_use_subcommand -l help -d 'the commands'",
           "complete -c scope-profiler -n __fish_use_subcommand -l version -d 'the version'"]
    for name, text, table in commands:
        out.append("complete -c scope-profiler -n __fish_use_subcommand -a %s -d %s" % (name, fish_quoted(text)))
        for option in table:
            line = "complete -c scope-profiler -n '__fish_seen_subcommand_from %s'" % name
            line += (" -s " + option.letter if option.letter else "") + (" -l " + option.name if option.name else "")
            if option.argument and not option.optional:
                line += " -r -F" if option.takes_file else " -x"
                line += " -a " + fish_quoted(" ".join(option.values)) if option.values else ""
            out.append(line + " -d " + fish_quoted(option.help))
    return "\n".join(out) + "\n"


def main(shell, path):
    sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write({"bash": bash, "zsh": zsh, "fish": fish}[shell](read(path)))


if __name__ == "__main__":
    main(*sys.argv[1:])
