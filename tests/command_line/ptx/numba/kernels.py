# SPDX-License-Identifier: MIT
# A kernel of Numba whose PTX is kept beside this one, by numba-cuda 0.30.4 for sm_80. No GPU is needed:
#   pip install "numba-cuda[cu13]" && python3 kernels.py FOLDER
import os
import sys

from numba import cuda, float32


def transpose(out, source):
    tile = cuda.shared.array((32, 32), float32)
    x = cuda.blockIdx.x * 32 + cuda.threadIdx.x
    y = cuda.blockIdx.y * 32 + cuda.threadIdx.y
    tile[cuda.threadIdx.y, cuda.threadIdx.x] = source[y, x]
    cuda.syncthreads()
    out[x, y] = tile[cuda.threadIdx.x, cuda.threadIdx.y]


array = float32[:, ::1]
text, _ = cuda.compile_ptx(transpose, (array, array), cc=(8, 0), lineinfo=True)
with open(os.path.join(sys.argv[1], "transpose.ptx"), "w", encoding="utf-8") as file:
    file.write(text)
