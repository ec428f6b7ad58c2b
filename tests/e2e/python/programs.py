"""programs.py plain | programs.py cprofile FILE: real work for the standard library's pure Python, one function a subject.

With cprofile: each subject under a cProfile of its own; FILE gets {subject: [[file, line, name, calls], ...]} as JSON.
Both ways the same modules are loaded and the same things happen in the same order, so the counts can be compared call by
call."""
import argparse, ast, asyncio, configparser, contextlib, csv, dataclasses, decimal, difflib, email.parser
import email.policy, enum, fractions, functools, heapq, html.parser, io, json, json.encoder, json.scanner, logging
import pprint, pydoc, random, re, statistics, string, sys, textwrap, tokenize, typing, unittest, xml.dom.minidom

import _pydecimal
import counting
import keyword
import locale  # noqa: F401 argparse takes it at its first use

SOURCE = tokenize.open(keyword.__file__).read() + tokenize.open(textwrap.__file__).read()


def subject_json():
    data = {"k%d" % i: [i, str(i), {"x": [None, True, 1.5 * i]}] for i in range(60)}
    text = json.dumps(data, indent=2, sort_keys=True)
    scanner = json.decoder.JSONDecoder()
    scanner.scan_once = json.scanner.py_make_scanner(scanner)
    assert scanner.decode(text) == data


def subject_difflib():
    a = SOURCE.splitlines()[:120]
    b = [line.replace("e", "E") if n % 7 else line for n, line in enumerate(a)]
    list(difflib.unified_diff(a, b))
    list(difflib.ndiff(a[:30], b[:30]))
    difflib.HtmlDiff().make_table(a[:20], b[:20])


def subject_ast():
    tree = ast.parse(SOURCE)
    ast.dump(tree)
    ast.fix_missing_locations(tree)
    for node in ast.walk(tree):
        ast.get_docstring(node) if isinstance(node, ast.FunctionDef) else None
    if hasattr(ast, "unparse"):
        ast.unparse(tree)


def subject_tokenize():
    tokens = list(tokenize.generate_tokens(io.StringIO(SOURCE).readline))
    tokenize.untokenize(tokens)


def subject_pydoc():
    pydoc.plain(pydoc.render_doc(textwrap))
    pydoc.html.document(keyword)


def subject_argparse():
    parser = argparse.ArgumentParser(prog="x", description="d" * 100)
    for i in range(12):
        parser.add_argument("--opt%d" % i, type=int, default=i, help="help %(default)s")
    group = parser.add_mutually_exclusive_group()
    group.add_argument("-a", action="store_true")
    group.add_argument("-b", action="store_true")
    parser.parse_args(["--opt3", "4", "-a"])
    parser.format_help()
    with contextlib.redirect_stderr(io.StringIO()):
        try:
            parser.parse_args(["--no-such"])
        except SystemExit:
            pass


def subject_configparser():
    config = configparser.ConfigParser()
    config.read_string("[a]\nx = 1\ny = %(x)s2\n[b]\n" + "".join("k%d = v%d\n" % (i, i) for i in range(40)))
    config.write(io.StringIO())
    assert config["a"]["y"] == "12"


def subject_numbers():
    fractions.Fraction(355, 113).limit_denominator(50) + fractions.Fraction("1/3")
    a = _pydecimal.Decimal("1.234567890123")
    (a * a + a / 3).sqrt().quantize(_pydecimal.Decimal("0.0001"))
    statistics.pstdev([1.5, 2.5, 4.0, 7.25])
    statistics.quantiles(range(30), n=4)
    random.Random(5).shuffle(list(range(50)))
    list(heapq.merge(range(10), range(5, 15)))


def subject_markup():
    class Parser(html.parser.HTMLParser):
        def handle_starttag(self, tag, attrs):
            self.last = tag

        def handle_data(self, data):
            str(data)

    Parser().feed("<html><body>" + "<p class='x'>a &amp; b</p>" * 40 + "</body></html>")
    document = xml.dom.minidom.parseString("<a>" + "<b c='d'>e</b>" * 20 + "</a>")
    document.toprettyxml()


def subject_email():
    text = "From: a@b.c\nTo: d@e.f, Gh <g@h.i>\nSubject: =?utf-8?q?=C3=A9?=\nMIME-Version: 1.0\n\nbody\n"
    message = email.parser.Parser(policy=email.policy.default).parsestr(text)
    str(message["to"].addresses), str(message["subject"]), message.as_string()


def subject_unittest():
    class Case(unittest.TestCase):
        def test_equal(self):
            self.assertEqual([1, {"a": 2}], [1, {"a": 2}])

        def test_differ(self):
            with self.assertRaises(AssertionError):
                self.assertEqual("a\nb\n" * 5, "a\nc\n" * 5)

        def test_sub(self):
            for i in range(3):
                with self.subTest(i=i):
                    self.assertIn(i, range(3))

    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Case)
    assert unittest.TextTestRunner(stream=io.StringIO()).run(suite).wasSuccessful()


def subject_classes():
    @dataclasses.dataclass(order=True)
    class Point:
        x: int
        y: typing.List[int] = dataclasses.field(default_factory=list)

    class Colour(enum.Flag):
        RED = enum.auto()
        BLUE = enum.auto()

    @functools.singledispatch
    def show(value):
        return "?"

    show.register(int)(lambda value: "int")
    show(1), show("x"), repr(Point(1)), Point(1) < Point(2), Colour.RED | Colour.BLUE, dataclasses.asdict(Point(3))
    pprint.pformat({i: list(range(i)) for i in range(15)})
    csv.Sniffer().sniff("a;b;c\n1;2;3\n4;5;6\n")
    string.Formatter().vformat("{0!r:>5} {x}", (1,), {"x": 2})
    textwrap.fill("word " * 200, 40)
    re.compile(r"(?P<a>[a-z]+)(\d{2,3}|x*?)(?:(?i:q)|\bw)").sub(lambda m: "", "abc12 defx")


def subject_logging():
    log = logging.Logger("x")
    log.addHandler(logging.StreamHandler(io.StringIO()))
    log.handlers[0].setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    for i in range(10):
        log.warning("number %d", i)
    try:
        raise ValueError("x")
    except ValueError:
        log.exception("here")
    return log  # what ends with it would end behind its function


def subject_generators():
    def count(n):
        try:
            while n:
                yield n
                n -= 1
        finally:
            sum(x for x in range(2))

    def chain(*many):
        for one in many:
            yield from one

    list(chain(count(3), count(2)))
    g = count(5)
    next(g)
    g.close()
    g = count(5)
    next(g)
    try:
        g.throw(KeyError("x"))
    except KeyError:
        pass
    with contextlib.suppress(ZeroDivisionError), contextlib.closing(count(1)):
        1 / 0


def subject_coroutines():
    async def ticks(n):
        for i in range(n):
            await asyncio.sleep(0)
            yield i

    async def worker(n):
        return [i async for i in ticks(n)]

    async def main():
        return await asyncio.gather(*(worker(n) for n in range(4)))

    assert asyncio.run(main())[3] == [0, 1, 2]


SUBJECTS = [value for name, value in sorted(globals().items()) if name.startswith("subject_")]


counting.run(SUBJECTS, *sys.argv[1:])
