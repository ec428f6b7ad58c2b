"""real.py plain | real.py cprofile FILE: whole programs, each run as `python -m` would, one function a program.

Programs of the standard library; those that Debian installs for its own Python where they are there. Files that they work
on are made by real.sh. What they print goes nowhere; what they end with must be what is written here."""
import contextlib, importlib.util, io, os, re, runpy, sys, textwrap

import counting

TEXT = textwrap.__file__
programs = []


def program(name, *arguments, status=0, module=None):
    module = module or name
    if not importlib.util.find_spec(module):
        return

    def subject():
        sys.argv = [module, *arguments]
        found = 0
        with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")):
            with contextlib.redirect_stderr(io.StringIO()) as errors:
                try:
                    runpy.run_module(module, run_name="__main__", alter_sys=True)
                except SystemExit as end:
                    found = end.code or 0
        assert found == status, (name, found, errors.getvalue())

    # The code's name as well, and one of its own: the recorder and cProfile go by it.
    code = subject.__code__.replace(co_name="subject_" + re.sub(r"\W", "_", name))
    if counting.QUALIFIED:
        code = code.replace(co_qualname=code.co_name)
    subject.__code__ = code
    subject.__name__ = subject.__qualname__ = code.co_name
    programs.append(subject)


program("2to3", "-p", "sample.py", module="lib2to3")
program("pydoc", "textwrap")
program("json.tool", "sample.json")
program("compileall", "-f", "-q", "tree")
program("tokenize", "-e", TEXT)
program("ast", TEXT)
program("dis", TEXT)
program("unittest", "test_sample")
program("doctest", "sample.py")
program("pyclbr", TEXT)
program("pickletools", "sample.pickle")
program("zipapp", "tree", "-o", "tree.pyz", "-m", "sample:twice")
program("tarfile", "-c", "tree.tar", "tree")
program("calendar", "2024")
program("modulefinder", "sample.py")
program("base64", "-e", "sample.json")
program("pip", "list", "--disable-pip-version-check", "--no-python-version-warning")
program("pygments", "-f", "html", TEXT)
program("pyflakes", TEXT)

# A program that looks at its environment sees the same.
for variable in list(os.environ):
    if variable.startswith(("SCOPE_PROFILER", "LD_PRELOAD")):
        del os.environ[variable]

counting.run(programs, *sys.argv[1:])
