# SPDX-License-Identifier: MIT
"""A kernel of Triton: python3 triton_kernel.py [PTX]. In a program it is `compiled.asm["ptx"]`, where `compiled` is what a launch
`kernel[grid](..)` returns; ~/.triton/cache keeps it too, with the block beside it. Without an argument: one that was kept."""
import pathlib
import sys

import bankmodel

kept = pathlib.Path(__file__).resolve().parents[2] / "tests/command_line/ptx/triton/transpose.ptx"
for kernel in bankmodel.analyze(sys.argv[1] if len(sys.argv) > 1 else kept):
    print(f"{kernel.name} on {kernel.machine}, a block of {kernel.block}: {kernel.cost.conflicts} conflicts, "
          f"{kernel.traffic.excessive} excessive transactions")
    for access in kernel.accesses:
        if access.cost and access.cost.conflicts:
            print(f"  {pathlib.Path(access.file).name}:{access.line}: {access.does}: {access.cost.degree}-way, "
                  f"{access.cost.wavefronts} wavefronts, ideal {access.cost.ideal}")
