# SPDX-License-Identifier: MIT
"""A tuner's loop, as Kernel Tuner has it: the parameters of a tiled GEMM, of which only those that cost least are worth a run."""
import itertools

import bankmodel

# The accesses of the inner loop, with the parameters as names: a thread has TM x TN elements of the result.
kernel = """
block BN / TN BM / TM
shared float as[BK][BM + PAD], bs[BK][BN]
for (k = 0; k < BK; k += 1) for (i = 0; i < TM; i += 1) load as[k][ty * TM + i]
for (k = 0; k < BK; k += 1) for (j = 0; j < TN; j += 1) load bs[k][tx * TN + j]
"""

tune_params = {"BM": [64, 128], "BN": [64, 128], "BK": [8, 16], "TM": [2, 4, 8], "TN": [2, 4, 8], "PAD": [0, 1, 4]}
restrictions = [lambda p: 64 <= (p["BM"] // p["TM"]) * (p["BN"] // p["TN"]) <= 1024]

space = [dict(zip(tune_params, values)) for values in itertools.product(*tune_params.values())]
space = [params for params in space if all(holds(params) for holds in restrictions)]
costs = bankmodel.totals("sm_90", kernel, **{name: [params[name] for params in space] for name in tune_params})

# Wavefronts for each multiplication and addition of a warp.
work = [cost.shared.wavefronts * 32 / (params["BM"] * params["BN"] * params["BK"]) for params, cost in zip(space, costs)]
best = sorted(range(len(space)), key=work.__getitem__)
print(f"{len(space)} variants; the least and the most wavefronts a multiplication of a warp:")
for number in (best[0], best[-1]):
    print(f"  {work[number]:.3f}  {costs[number].shared.conflicts:6} conflicts  {space[number]}")
