# SPDX-License-Identifier: MIT
"""A kernel of CuTe DSL: CUTE_DSL_KEEP_PTX=1 CUTE_DSL_LINEINFO=1 keeps its PTX, and CUTE_DSL_ARCH=sm_90a makes it without a GPU.
Here it is given as text, as one has it in a program: python3 cute_dsl_kernel.py [PTX]."""
import pathlib
import sys

import bankmodel

kept = pathlib.Path(__file__).resolve().parents[2] / "tests/command_line/ptx/cute_dsl/transpose.ptx"
ptx = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else kept).read_text()
for kernel in bankmodel.analyze(ptx):
    worst = max((one for one in kernel.accesses if one.cost), key=lambda one: one.cost.conflicts)
    print(f"{kernel.name}: {kernel.cost.conflicts} conflicts, most of them in line {worst.line}: {worst.cost.degree}-way")
