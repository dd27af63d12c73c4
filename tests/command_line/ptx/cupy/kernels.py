# Makes transpose.ptx with NVRTC as CuPy calls it, without a GPU (cupy-cuda13x 14.2.0).
from cupy.cuda import compiler

source = open("transpose.cu").read()
program = compiler._NVRTCProgram(source, "transpose.cu", name_expressions=None, method="ptx")
ptx = program.compile(("-arch=compute_90", "-lineinfo", "-std=c++17"))
open("transpose.ptx", "wb").write(ptx[0] if isinstance(ptx, tuple) else ptx)
