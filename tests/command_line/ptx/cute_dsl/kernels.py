# Makes transpose.ptx: python kernels.py, without a GPU (nvidia-cutlass-dsl 4.8.1)
import os
os.environ.setdefault("CUTE_DSL_ARCH", "sm_90a")
os.environ.setdefault("CUTE_DSL_KEEP_PTX", "1")
os.environ.setdefault("CUTE_DSL_LINEINFO", "1")
os.environ.setdefault("CUTE_DSL_DUMP_DIR", ".")
import cutlass
import cutlass.cute as cute
from cutlass.cute.runtime import make_fake_compact_tensor, make_fake_stream


@cute.kernel
def transpose(out: cute.Tensor, src: cute.Tensor):
    smem = cutlass.memory.SmemAllocator()
    tile = smem.allocate_tensor(cutlass.Float32, cute.make_layout((32, 32), stride=(32, 1)), 16)
    tx, ty, _ = cute.arch.thread_idx()
    bx, by, _ = cute.arch.block_idx()
    tile[ty, tx] = src[by * 32 + ty, bx * 32 + tx]
    cute.arch.sync_threads()
    out[bx * 32 + ty, by * 32 + tx] = tile[tx, ty]


@cute.jit
def launch(out: cute.Tensor, src: cute.Tensor):
    transpose(out, src).launch(grid=[32, 32, 1], block=[32, 32, 1])


a = make_fake_compact_tensor(cutlass.Float32, (1024, 1024), stride_order=(1, 0), assumed_align=16)
b = make_fake_compact_tensor(cutlass.Float32, (1024, 1024), stride_order=(1, 0), assumed_align=16)
compiled = cute.compile(launch, a, b)
