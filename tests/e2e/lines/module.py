"""What the builtin module does and refuses; run by module.sh, which counts its regions."""
import sys, inspect, asyncio, pickle, weakref, gc
import scope_profiler as sp
assert sp.__spec__.origin == "built-in", sp.__spec__
with sp.region("a"):
    with sp.region("b", tags=["x", 'q"uote']):
        pass
assert sp.region("a") is sp.region("a")
for bad in (lambda: sp.region(3), lambda: sp.region(), lambda: sp.region("b", tags=["y"]), lambda: sp.region("z", tags="xy"), lambda: sp.region("z", nope=1), lambda: sp.region("a","b","c","d"), lambda: sp.profile(3), lambda: sp.profile(int), lambda: sp.nothing, lambda: sp.region("a\0b")):
    try: bad()
    except (TypeError, ValueError, AttributeError) as e: print(type(e).__name__)
    else: print("NO ERROR")
sp.region("b", tags=["x", 'q"uote'])
@sp.profile
def plain(x, *a, k=1, **kw):
    "doc"
    return x + k
@sp.profile("named")
def other(): return 5
assert plain(1) == 2 and plain(1, 2, 3, k=4, z=5) == 5 and plain(x=3) == 4 and other() == 5
print(plain.__name__, plain.__doc__, plain.__module__, plain.__qualname__, inspect.signature(plain))
plain.attr = 3; assert plain.attr == 3
assert pickle.loads(pickle.dumps(plain)) is plain
class K:
    @sp.profile
    def m(self, a, b=2): return (self, a, b)
    @sp.profile
    @staticmethod
    def s(a): return a
    @sp.profile
    @classmethod
    def c(cls, a): return cls, a
    @staticmethod
    @sp.profile("s2")
    def s2(a): return a
k = K()
assert k.m(1) == (k, 1, 2) and K.m(k, 1, b=3) == (k, 1, 3) and k.m.__self__ is k
assert k.s(1) == 1 and K.s(2) == 2 and k.c(3) == (K, 3) and K.s2(4) == 4
@sp.profile
def gen(n):
    got = []
    for i in range(n):
        got.append((yield i))
    return got
g = gen(3)
assert inspect.isgeneratorfunction(gen) and inspect.isgenerator(g)
assert next(g) == 0 and g.send("a") == 1 and g.send("b") == 2
try: g.send("c")
except StopIteration as e: assert e.value == ["a", "b", "c"], e.value
g = gen(3); next(g)
try: g.throw(KeyError("k"))
except KeyError: pass
g = gen(2); next(g); g.close()
@sp.profile
async def co(x):
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return x
@sp.profile
async def agen(n):
    for i in range(n):
        got = yield i
        await asyncio.sleep(0)
assert inspect.iscoroutinefunction(co) and inspect.isasyncgenfunction(agen) and asyncio.iscoroutinefunction(co)
async def main():
    r = await asyncio.gather(co(1), co(2), asyncio.ensure_future(co(3)))
    assert r == [1, 2, 3]
    assert [x async for x in agen(3)] == [0, 1, 2]
    a = agen(3); await a.__anext__(); await a.aclose()
asyncio.run(main())
@sp.profile
def boom(): raise ValueError("boom")
for _ in range(3):
    try: boom()
    except ValueError: pass
def make():
    @sp.profile("inner")
    def rec(n): return rec(n - 1) if n else 0
    return weakref.ref(rec) if sys.version_info >= (3, 9) else None, rec(3)
w, _ = make(); gc.collect(); assert w is None or w() is None, "leak"
print("done")
