# SPDX-License-Identifier: MIT
"""python3 package.py SOURCE: the Python package against plain counting, its errors, and calls of several threads. SOURCE is the
project's folder."""
import ctypes
import doctest
import pathlib
import random
import sys
import threading
import time

import bankmodel

source = pathlib.Path(sys.argv[1])


def refusal_of(call):
    try:
        call()
    except bankmodel.Error as why:
        return str(why)
    raise AssertionError("it is not refused")


def counted(block, width, words):
    """Wavefronts, ideal and worst degree of `load t[tx][ty]` by counting words in banks, for float t[..][width]."""
    wavefronts = ideal = worst = 0
    threads = [(x, y) for y in range(block[1]) for x in range(block[0])]
    for first in range(0, len(threads), 32):
        banks = {}
        for x, y in threads[first:first + 32]:
            word = words(x, y, width)
            banks.setdefault(word % 32, set()).add(word)
        degree = max(len(one) for one in banks.values())
        wavefronts, ideal, worst = wavefronts + degree, ideal + 1, max(worst, degree)
    return wavefronts, ideal, worst


# Variants against counting, and one at a time.
random.seed(1)
kernel = "block BX BY\nshared float t[64][W]\nload t[tx][ty]\n"
variants = [(random.choice([1, 4, 8, 32, 64]), random.choice([1, 2, 8, 16]), random.randrange(16, 70)) for _ in range(500)]
found = bankmodel.totals("sm_90", kernel, BX=[one[0] for one in variants], BY=[one[1] for one in variants],
                         W=[one[2] for one in variants])
for (bx, by, width), cost in zip(variants, found):
    expected = counted((bx, by), width, lambda x, y, w: x * w + y)
    assert (cost.shared.wavefronts, cost.shared.ideal, cost.shared.degree) == expected, (bx, by, width, cost)
    assert cost.shared.conflicts == expected[0] - expected[1] and cost.traffic.requests == 0
assert bankmodel.total("sm_90", kernel, BX=32, BY=32, W=32).shared.conflicts == 992
assert bankmodel.totals("sm_90", kernel, BX=[], BY=[], W=[]) == []
assert bankmodel.total("sm_90", "block 32\nglobal float g[4096]\nload g[32 * tx]\n").traffic.excessive == 28
assert bankmodel.total("gfx942", "block 64\nshared float t[64][32]\nload t[tx][0]\n").shared.requests == 1

# What is wrong is said, with the variant; nothing of a wrong call is kept.
assert "variant 1 (W = 8)" in refusal_of(lambda: bankmodel.totals("sm_90", "block 32\nshared float t[32][W]\nload t[tx][9]", W=[32, 8]))
assert "there is no machine sm_91" in refusal_of(lambda: bankmodel.total("sm_91", "block 32"))
assert "as many values" in refusal_of(lambda: bankmodel.totals("sm_90", kernel, BX=[32, 32], BY=[1], W=[32]))
assert "64 bits" in refusal_of(lambda: bankmodel.total("sm_90", kernel, BX=32, BY=1, W=2**63))
assert "did you mean tx" in refusal_of(lambda: bankmodel.total("sm_90", "block 32\nshared float t[32]\nload t[txx]"))

# Numbers are whole, and texts end where they end.
assert "whole numbers" in refusal_of(lambda: bankmodel.total("sm_90", kernel, BX=32, BY=32, W=32.9))
assert "is a text" in refusal_of(lambda: bankmodel.totals("sm_90", kernel, BX=[32], BY=[32], W="33"))
for call in (lambda: bankmodel.total("sm_90\0x", kernel, BX=1, BY=1, W=32), lambda: bankmodel.run("--ver\0sion"),
             lambda: bankmodel.total("sm_90", kernel + "\0", BX=1, BY=1, W=32), lambda: bankmodel.analyze("a\0b"),
             lambda: bankmodel.totals("sm_90", kernel, **{"W\0": [1]})):
    assert "code 0" in refusal_of(call)
assert bankmodel.total("sm_90", "block 32\nshared float t[32]\nload t[machine]\n", machine=3).shared.wavefronts == 1

# Plans.
plan = bankmodel.optimize("sm_90", kernel, BX=32, BY=32, W=32)
assert (plan.before.conflicts, plan.after.conflicts, plan.is_optimal) == (992, 0, True), plan
assert plan.bytes <= 64 * 33 * 4 and len(plan.declarations) == 1 and plan.arrays[0]["name"] == "t"
fixed = bankmodel.optimize("sm_90", kernel, options=["--shared-bytes", "8192"], BX=32, BY=32, W=32)
assert fixed.bytes == 8192 and fixed.after.conflicts == 0 and fixed.indices
assert "no access to shared memory" in refusal_of(lambda: bankmodel.optimize("sm_90", "block 32\nglobal float g[32]\nload g[tx]")) \
    or "shared memory" in refusal_of(lambda: bankmodel.optimize("sm_90", "block 32\nglobal float g[32]\nload g[tx]"))

# PTX by its file and as text.
ptx = source / "examples/cuda/transpose.ptx"
[one] = bankmodel.analyze(ptx, block=(32, 8), arguments={"n": 1024})
[same] = bankmodel.analyze(ptx.read_text(), block=(32, 8), arguments={"p2": 1024})  # no source is beside it
assert one.name == "transpose" and one.block == (32, 8, 1) and one.machine == "sm_90"
assert (one.cost, one.traffic) == (same.cost, same.traffic) and one.cost.wavefronts == 1056 and one.traffic.excessive == 0
[worst] = [access for access in one.accesses if access.cost and access.cost.conflicts]
assert (worst.line, worst.does, worst.cost.degree, worst.cost.conflicts) == (12, "load", 32, 992) and worst.traffic is None
assert sum(access.cost.wavefronts for access in one.accesses if access.cost) == one.cost.wavefronts
[other] = bankmodel.analyze(ptx, machine="sm_35", block=(32, 8), arguments={"n": 1024}, options=["--no-plan"])
assert other.machine == "sm_35" and other.plans == []
assert "cannot read nowhere.ptx: no such file" in refusal_of(lambda: bankmodel.analyze("nowhere.ptx"))
assert "./--help.ptx" in refusal_of(lambda: bankmodel.analyze("--help.ptx"))
assert "no JSON" in refusal_of(lambda: bankmodel.analyze(ptx, options=["--help"]))
assert "--diff" in refusal_of(lambda: bankmodel.analyze(ptx, block=(32, 8), options=["--unknowns"]))
assert len(bankmodel.analyze(ptx.read_bytes(), block=(32, 8), kernels="transpose")) == 1
assert bankmodel.run("-", "-x", "ptx", "--block", "32", input=bytearray(ptx.read_bytes()))[0] == 0
[tile] = bankmodel.analyze("block 32\nshared float t[32][32]\nload t[tx][0]\n")
assert tile.cost.wavefronts == 32 and [one.array for one in tile.accesses] == ["t"] and tile.plans

# Source, where the library reads it.
if "no reader" not in bankmodel.run(source / "examples/cuda/transpose.cu", "--json")[2]:
    [cuda] = bankmodel.analyze(source / "examples/cuda/transpose.cu")
    assert cuda.cost == one.cost and cuda.plans and not cuda.assumed
    text = "__global__ void k(float* p) {\n  __shared__ float t[64];\n  t[STEP * threadIdx.x] = 1;\n  p[threadIdx.x] = t[0];\n}\n"
    [two] = bankmodel.analyze(text, block=32, defines={"STEP": 2})
    assert two.cost.conflicts == 1 and two.block == (32, 1, 1)
    assert "does not compile" in refusal_of(lambda: bankmodel.analyze("__global__ void k() {\n  missing();\n}\n"))

# The command line, with its exit codes and all streams.
code, out, error = bankmodel.run(ptx, "--block", "32x8", "--arg", "n=1024", "--max-conflicts", "0")
assert code == 1 and out.startswith("sm_90: transpose") and "992 conflicts, --max-conflicts allows 0" in error
assert bankmodel.run("--version")[:2] == (0, f"bankmodel {bankmodel.version()}\n")
assert bankmodel.run("-")[0] == 2 and "standard input is empty" in bankmodel.run("-")[2]

# Several threads at once.
results = []
threads = [threading.Thread(target=lambda: results.append(
    [bankmodel.total("sm_90", kernel, BX=32, BY=32, W=width).shared.conflicts for width in range(32, 48)])) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(results) == 8 and all(one == results[0] for one in results) and results[0][:2] == [992, 0]

assert bankmodel._library.bankmodel_abi() == 1
bankmodel._library.bankmodel_free(ctypes.c_void_p(None))
begin = time.perf_counter()
bankmodel.totals("sm_90", kernel, BX=[32] * 10000, BY=[8] * 10000, W=[32 + i % 32 for i in range(10000)])
print(f"10,000 variants in {time.perf_counter() - begin:.2f} s")
# The documentation's example, but for the file that is the reader's.
text = bankmodel.__doc__.split("    >>> [k.name")[0]
runner = doctest.DocTestRunner(verbose=False)
runner.run(doctest.DocTestParser().get_doctest(text, {}, "bankmodel", None, 0))
assert runner.tries == 5 and runner.failures == 0, (runner.tries, runner.failures)
print("the package counts")
