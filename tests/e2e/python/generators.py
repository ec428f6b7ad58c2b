"""Generators, coroutines and their like, in every way that they end."""
import asyncio
import sys


def gen():
    try:
        yield 1
        yield 2
    finally:
        pass


def count(n):
    while n:
        yield n
        n -= 1


def outer():
    yield from count(3)


def consume():
    for _ in count(5):
        pass
    list(outer())
    g = gen()
    next(g)
    g.close()
    g = gen()
    next(g)
    try:
        g.throw(ValueError)
    except ValueError:
        pass
    g = gen()
    next(g)
    del g
    gen()  # never started


async def ticks():
    for i in range(3):
        await asyncio.sleep(0)
        yield i


async def collect():
    return [i async for i in ticks()]


async def drop():
    async for i in ticks():
        break


async def forever():
    await asyncio.sleep(3600)


async def main():
    await asyncio.gather(collect(), collect(), collect())
    await drop()
    task = asyncio.ensure_future(forever())
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        pass


def recursive(n):
    return 0 if n == 0 else recursive(n - 1)


def boom():
    raise RuntimeError


def caught():
    for _ in range(3):
        try:
            boom()
        except RuntimeError:
            pass
        try:
            int("x")
        except ValueError:
            pass


def leave():
    sys.exit(3)


consume()
asyncio.run(main())
recursive(100)
caught()
leave()
