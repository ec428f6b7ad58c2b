"""Twenty functions of every kind, each statement on one line, for counting lines in two ways."""
import contextlib


def loop(n):
    total = 0
    for i in range(n):
        if i % 3 == 0:
            total += i
        elif i % 3 == 1:
            continue
        else:
            total -= 1
    else:
        total += 100
    return total


def while_loop(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def early(n):
    for i in range(n):
        if i == 3:
            return i
    return -1


def handled(n):
    errors = 0
    for i in range(n):
        try:
            1 / (i % 3)
        except ZeroDivisionError:
            errors += 1
        else:
            errors += 0
        finally:
            errors += 0
    return errors


def raising(n):
    if n == 0:
        raise ValueError(n)
    return raising(n - 1)


def factorial(n):
    if n < 2:
        return 1
    return n * factorial(n - 1)


def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


def generator(n):
    for i in range(n):
        yield i
    return


def receiving():
    got = []
    while True:
        value = yield len(got)
        if value is None:
            break
        got.append(value)
    yield sum(got)


def delegating(n):
    yield from generator(n)
    for i in generator(n):
        yield i


async def coroutine(n):
    total = 0
    for i in range(n):
        total += await awaited(i)
    return total


async def awaited(i):
    return i * 2


def comprehensions(n):
    a = [i * i for i in range(n)]
    b = {i: i for i in a if i % 2}
    c = sum(i for i in a)
    return len(a) + len(b) + c


def closures(n):
    def inner(k):
        k += n
        return k

    return sum(inner(i) for i in range(n))


def lambdas(n):
    double = lambda x: 2 * x
    return [double(i) for i in range(n)]


def with_blocks(n):
    out = []
    for i in range(n):
        with contextlib.suppress(KeyError):
            out.append(i)
            if i % 2:
                raise KeyError(i)
            out.append(-i)
    return out


def one_line(n): return n + 1


def nested_loops(n):
    cells = 0
    for i in range(n):
        for j in range(i):
            if (i + j) % 2:
                break
            cells += 1
        else:
            cells += 10
    return cells


def defaults(a, b=2, *rest, c=3, **named):
    d = a + b + c
    d += len(rest) + len(named)
    return d


def strings(n):
    text = ""
    for i in range(n):
        text += f"{i:03d}"
        text = text[-20:]
    return text


class Thing:
    def __init__(self, n):
        self.n = n

    def method(self):
        self.n += 1
        return self.n

    @property
    def value(self):
        return self.n

    @staticmethod
    def static(n):
        return n


FUNCTIONS = [
    loop, while_loop, early, handled, raising, factorial, fibonacci, generator, receiving, delegating, coroutine,
    awaited, comprehensions, closures, lambdas, with_blocks, one_line, nested_loops, defaults, strings, Thing.__init__,
    Thing.method, Thing.value.fget, Thing.static,
]


def main():
    loop(50)
    while_loop(27)
    early(10)
    early(2)
    handled(10)
    try:
        raising(3)
    except ValueError:
        pass
    factorial(6)
    fibonacci(8)
    list(generator(5))
    g = receiving()
    next(g), g.send(1), g.send(2), g.send(None)
    g.close()
    list(delegating(4))
    c = coroutine(4)
    try:
        c.send(None)
    except StopIteration:
        pass
    comprehensions(12)
    closures(5)
    lambdas(4)
    with_blocks(6)
    one_line(1)
    one_line(2)
    nested_loops(7)
    defaults(1)
    defaults(1, 2, 3, 4, c=5, z=6)
    strings(30)
    thing = Thing(3)
    for _ in range(4):
        thing.method()
        thing.value
        Thing.static(1)
