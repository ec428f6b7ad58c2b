"""work.py WORK PROFILER ROUNDS: prints the CPU seconds that WORK took, one line a round. PROFILER: none, or cprofile around
each round."""
import ast, cProfile, difflib, json, json.decoder, json.scanner, sys, textwrap, time, tokenize


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def recursion():
    fib(23)


def trivial():
    pass


def calls():
    for _ in range(100000):
        trivial()


class Account:
    def __init__(self):
        self.balance = 0

    def add(self, amount):
        self.balance += self.fee(amount)

    def fee(self, amount):
        return amount - 1


def methods():
    account = Account()
    for i in range(30000):
        account.add(i)


TEXT = tokenize.open(textwrap.__file__).read()
LINES = TEXT.splitlines()[:150]
OTHER = [line.replace("e", "E") if n % 7 else line for n, line in enumerate(LINES)]
DATA = {"k%d" % i: [i, str(i), {"x": [None, True, 1.5 * i]}] for i in range(60)}


def realistic():
    list(difflib.unified_diff(LINES, OTHER))
    text = json.dumps(DATA, indent=1)
    decoder = json.JSONDecoder()
    decoder.scan_once = json.scanner.py_make_scanner(decoder)
    decoder.decode(text)
    for node in ast.walk(ast.parse(TEXT)):
        ast.iter_child_nodes(node)


def arithmetic():
    x = 0
    for i in range(600000):
        x = (x * 3 + i) % 1000003


def main():
    work, profiler, rounds = globals()[sys.argv[1]], sys.argv[2], int(sys.argv[3])
    for _ in range(rounds):
        profile = cProfile.Profile() if profiler == "cprofile" else None
        if profile:
            profile.enable()
        begin = time.process_time()
        work()
        taken = time.process_time() - begin
        if profile:
            profile.disable()
        print("%.9f" % taken)


main()
