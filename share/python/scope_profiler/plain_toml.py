"""The part of TOML that profiles are configured with, for Pythons without a parser of their own: tables, and on one line
each, keys with a string, number, boolean, or a list of these."""
import ast
import re

_HEADER = re.compile(r"\[\s*([A-Za-z0-9_-]+(?:\s*\.\s*[A-Za-z0-9_-]+)*)\s*\]$")
_PAIR = re.compile(r"([A-Za-z0-9_-]+)\s*=\s*(.+)$")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|#.*|[^"\'#]+')


def _without_comment(line):
    parts = []
    for part in _TOKEN.findall(line):
        if part.startswith("#"):
            break
        parts.append(part)
    return "".join(parts).strip()


def _value(text):
    def word(match):
        found = match.group()
        if found[0] in "\"'":
            return ("r" if found[0] == "'" else "") + found
        return re.sub(r"\btrue\b", "True", re.sub(r"\bfalse\b", "False", found))

    value = ast.literal_eval(_TOKEN.sub(word, text))
    if not isinstance(value, (str, bool, int, float, list)):
        raise ValueError
    return value


def load(file):
    """As tomllib.load(); a ValueError names the line that is not understood."""
    result = table = {}
    for number, line in enumerate(file.read().decode("utf-8").splitlines(), 1):
        text = _without_comment(line)
        header, pair = _HEADER.match(text), _PAIR.match(text)
        if header:
            table = result
            for name in header.group(1).split("."):
                table = table.setdefault(name.strip(), {})
        elif pair:
            try:
                table[pair.group(1)] = _value(pair.group(2))
            except (ValueError, SyntaxError):
                raise ValueError(f"line {number}: this Python has no TOML parser, and the line is not a plain one") from None
        elif text:
            raise ValueError(f"line {number}: this Python has no TOML parser, and the line is not a plain one")
    return result
