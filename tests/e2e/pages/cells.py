"""cells.py PAGE: runs the code blocks of a page one after the other, as a notebook does, in this directory.

Prints one line of JSON a block: what it printed, and the error that ended it. The value of a last expression is shown; of
`%` and `!` commands only those that pages use are known.
"""
import ast
import contextlib
import json
import os
import runpy
import subprocess
import sys
import tempfile
import traceback
import types

import blocks


@contextlib.contextmanager
def captured():
    """Everything that goes to descriptor 1 meanwhile, whoever writes it: a function that returns it afterwards."""
    sys.stdout.flush()
    with tempfile.TemporaryFile() as file:
        kept = os.dup(1)
        os.dup2(file.fileno(), 1)
        text = []
        try:
            yield lambda: text[0]
        finally:
            sys.stdout.flush()
            os.dup2(kept, 1)
            os.close(kept)
            file.seek(0)
            text.append(file.read().decode("utf-8", "replace"))


def show(value):
    if value is None:
        return
    print(value.to_string() if type(value).__name__ == "DataFrame" else repr(value))


def run_python(code, module):
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), module.__dict__)
    if last is not None:
        show(eval(compile(ast.Expression(last.value), "<cell>", "eval"), module.__dict__))


def run_magic(code, module):
    first, _, rest = code.partition("\n")
    command, _, argument = first.partition(" ")
    if command == "%%writefile":
        with open(argument, "w", encoding="utf-8") as file:
            file.write(rest)
        print("Writing", argument)
    elif command == "%run":
        module.__dict__.update(runpy.run_path(argument, run_name="__main__"))
    elif first.startswith("!"):
        for line in code.strip().split("\n"):
            subprocess.run(line[1:], shell=True, check=True)
    else:
        raise ValueError("unknown: " + first)


def only_sets_up(code):
    """Imports and a setup() with nothing after it: pages show that, and do not run it."""
    if blocks.MAGIC.match(code):
        return False
    *before, last = ast.parse(code).body
    return (all(isinstance(statement, (ast.Import, ast.ImportFrom)) for statement in before) and
            isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) and
            isinstance(last.value.func, ast.Attribute) and last.value.func.attr == "setup")


def apart(block, module):
    """Runs the block in a process, and a directory, of its own."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.mkdir("apart")
            os.chdir("apart")
            exec(compile(block.code, "<cell>", "exec"), module.__dict__)
            status = 0
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    return None if os.waitpid(child, 0)[1] == 0 else "it failed in a process of its own"


def run(block, module):
    try:
        (run_magic if blocks.MAGIC.match(block.code) else run_python)(block.code, module)
    except BaseException:
        return traceback.format_exc()
    return None


def main(path):
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    sys.argv[:] = [""]
    verdicts = os.dup(1)
    with open(path, encoding="utf-8") as file:
        cells = blocks.of_page(file.read())
    for block in cells:
        with captured() as output:
            error = (apart if only_sets_up(block.code) else run)(block, module)
        os.write(verdicts, (json.dumps([output(), error]) + "\n").encode())


main(sys.argv[1])
