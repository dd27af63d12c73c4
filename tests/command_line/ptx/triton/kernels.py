# SPDX-License-Identifier: MIT
# Kernels of Triton whose cache files are kept beside this one: NAME.ptx and NAME.json, by Triton 3.9.0 for sm_80. No GPU is needed:
#   pip install triton && python3 kernels.py FOLDER
import os
import shutil
import sys

folder = sys.argv[1]
os.environ["TRITON_CACHE_DIR"] = os.path.join(folder, "cache")

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def transpose(out, source, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.program_id(1) * B + tl.arange(0, B)
    tile = tl.load(source + i[:, None] * n + j[None, :])
    tl.store(out + j[:, None] * n + i[None, :], tl.trans(tile))


@triton.jit
def softmax(out, source, n, B: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, B)
    x = tl.load(source + row * n + column, mask=column < n, other=-float("inf"))
    x = tl.exp(x - tl.max(x, 0))
    tl.store(out + row * n + column, x / tl.sum(x, 0), mask=column < n)


for kernel, size in ((transpose, 64), (softmax, 1024)):
    signature = {"out": "*fp32", "source": "*fp32", "n": "i32", "B": "constexpr"}
    source = ASTSource(fn=kernel, signature=signature, constexprs={"B": size})
    triton.compile(source, target=GPUTarget("cuda", 80, 32), options={"num_warps": 8})
for place, _, names in os.walk(os.environ["TRITON_CACHE_DIR"]):
    for name in names:
        if name in ("transpose.ptx", "transpose.json", "softmax.ptx", "softmax.json"):
            shutil.copy(os.path.join(place, name), folder)
