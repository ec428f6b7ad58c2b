#!/usr/bin/python3
"""blocks.py PAGE...: runs the code blocks of pages, each page in the working directory, in the order of the page.

    ```c file=NAME      written to NAME (any language)
    ```sh               run by bash -e; what it prints is kept
    ```output           what the sh block before it printed: equal but for numbers with a fraction, and blanks
    ```python           run by python3 under `scope-profiler run`; blocks of a page are one program, each shown its output
    ```LANGUAGE norun   not looked at: what it needs is on no test machine

Blocks inside an HTML comment count, too: they prepare what the page's reader has. Prints a line for each; exits with 1
when one fails, with 77 when nothing failed but a Python block was left out since the `scope_profiler` package is missing.
"""
import re
import subprocess
import sys

FENCE = re.compile(r"^ *```(.*?)\n(.*?)^ *```\s*$", re.S | re.M)


def blocks(page):
    """(line, language, options, text) of each."""
    text = open(page, encoding="utf-8").read()
    for match in FENCE.finditer(text):
        language, *options = match.group(1).split() or [""]
        yield text.count("\n", 0, match.start()) + 1, language, options, match.group(2)


def shape(text):
    """What has to be equal: no times, no widths."""
    text = re.sub(r"\d+\.\d+(e[-+]?\d+)?", "#", text)
    return [re.sub(r"[ ─]+", " ", line).strip() for line in text.strip().splitlines()]


class Runner:
    def __init__(self, page):
        self.page, self.failed, self.skipped, self.ran, self.printed, self.python = page, 0, 0, 0, "", ""

    def tell(self, line, verdict, what=""):
        print("%s: %s:%d %s" % (verdict, self.page.rsplit("/", 1)[-1], line, what))
        self.failed += verdict == "FAIL"
        self.skipped += verdict == "SKIP"
        self.ran += verdict == "ok"

    def command(self, line, args, text):
        done = subprocess.run(args, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120,
                              check=False)
        self.printed = done.stdout
        self.tell(line, "FAIL" if done.returncode else "ok",
                  "status %d: %s" % (done.returncode, done.stderr[-500:]) if done.returncode else "")

    def run_python(self, line, text):
        have = subprocess.run([sys.executable, "-c", "import scope_profiler as sp; sp.ProfileManager"], stderr=subprocess.DEVNULL,
                              check=False)
        if have.returncode:
            self.tell(line, "SKIP", "the scope_profiler package is not there")
            self.printed = None
            return
        before = self.printed_by_python() if self.python else ""
        self.python += text
        with open("page.py", "w", encoding="utf-8") as file:
            file.write(self.python)
        self.command(line, [sys.executable, "page.py"], None)
        self.printed = self.printed[len(before):]

    def printed_by_python(self):
        return subprocess.run([sys.executable, "page.py"], stdout=subprocess.PIPE, text=True, check=False).stdout

    def block(self, line, language, options, text):
        names = [o[len("file="):] for o in options if o.startswith("file=")]
        if "norun" in options or language in ("yaml", ""):
            return
        if names:
            with open(names[0], "w", encoding="utf-8") as file:
                file.write(text)
        elif language == "sh":
            self.command(line, ["bash", "-e", "-o", "pipefail"], text)
        elif language == "output" and self.printed is None:
            self.tell(line, "SKIP", "what a block that was left out prints")
        elif language == "output":
            wanted, got = shape(text), shape(self.printed)
            self.tell(line, "ok" if wanted == got else "FAIL", "" if wanted == got else "printed:\n%s" % self.printed)
        elif language == "python":
            self.run_python(line, text)
        else:
            self.tell(line, "FAIL", "a block of '%s' that is neither run nor written to a file" % language)


def main(pages):
    failed = skipped = ran = 0
    for page in pages:
        runner = Runner(page)
        for block in blocks(page):
            runner.block(*block)
        failed, skipped, ran = failed + runner.failed, skipped + runner.skipped, ran + runner.ran
    print("%d blocks ran, %d failed, %d skipped" % (ran + failed, failed, skipped))
    return 1 if failed or not ran + skipped else 77 if skipped and not ran else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
