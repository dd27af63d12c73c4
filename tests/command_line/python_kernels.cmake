# Kernels that Python compiles. Triton's cache: the launch in NAME.json beside NAME.ptx (ptx/triton/kernels.py made both). Included by command_line.cmake.
set(triton ${KERNELS}/../../tests/command_line/ptx/triton)
run(CODE 0 OUT "^sm_80: transpose, one block of 256 threads\nassumed: p2 = 1024, since [^\n]*\n\n line .*   22  load global_smem +tl.store.out [^\n]* 128 +128 +128 +0 +-\n.*\nnote: launched as transpose.json says: 16384 dynamic bytes\n$" ARGUMENTS ${triton}/transpose.ptx)
run(CODE 0 OUT "^sm_80: softmax, one block of 256 threads\n.*   30  load global_smem +x = tl.exp[^\n]* 8 +8 +8 +0 +-\n.*\nnote: launched as softmax.json says: 32 dynamic bytes\n$" ARGUMENTS ${triton}/softmax.ptx)
# What is given comes first; without the file, or with one of another kernel, the bytes are assumed.
run(CODE 0 OUT "transpose, [^\n]*\nassumed: p2 = [^\n]*\n\n" ARGUMENTS ${triton}/transpose.ptx --dynamic-bytes 20000)
file(MAKE_DIRECTORY ${SCRATCH}/triton)
file(COPY ${triton}/transpose.ptx DESTINATION ${SCRATCH}/triton)
set(copied ${SCRATCH}/triton/transpose.ptx --brief)
run(CODE 0 OUT "assumed: dynamic bytes = 16384, since the dynamic array is accessed so far; " ARGUMENTS ${copied})
file(WRITE ${SCRATCH}/triton/transpose.json "{\"num_warps\": 8, \"shared\": 16384, \"name\": \"other\"}")
run(CODE 0 OUT "assumed: dynamic bytes = 16384, " ARGUMENTS ${copied})
file(WRITE ${SCRATCH}/triton/transpose.json "{\"num_warps\": 8, ")
run(CODE 0 OUT "assumed: dynamic bytes = 16384, " ERROR "^bankmodel: note: transpose.json beside the PTX is no JSON: .1:17, [^\n]*\n$" ARGUMENTS ${copied})
# PTX that says no block has that of the file.
file(READ ${triton}/transpose.ptx text)
string(REPLACE ".reqntid 256" "" text "${text}")
file(WRITE ${SCRATCH}/triton/transpose.ptx "${text}")
file(WRITE ${SCRATCH}/triton/transpose.json "{\"num_warps\": 4, \"shared\": 16384, \"target\": {\"warp_size\": 32}}")
run(CODE 0 OUT "^sm_80: transpose, one block of 128 threads\nassumed: p2 = [^\n]*\n\n.*note: launched as transpose.json says: 16384 dynamic[ \n]bytes; its grid is not known, and 1 is assumed\n$" ARGUMENTS ${copied})
# Numba's kernels: names without the tags of its ABI, and rows on the lines of Python (ptx/numba/kernels.py).
run(CODE 0 OUT "^sm_80: transpose, one block of 32 x 8 threads\n.*   14  store _cudapy_smem_1 +tile.cuda.threadIdx.y[^\n]* 8 +8 +8 +0 +-\n   16  load _cudapy_smem_1 +out.x, y. = [^\n]* 8 +256 +8 +248 +32-way\n"
    ARGUMENTS ${triton}/../numba/transpose.ptx --block 32x8)
# CuTe DSL's have the name of their function, and NVRTC's, which CuPy calls, the names of their source (ptx/cute_dsl, ptx/cupy).
run(CODE 0 OUT "^sm_90: transpose, one block of 32 x 32 threads\nassumed: dynamic bytes = 4096, [^\n]*\n\n line .*   18  store __dynamic_shmem__0  tile.ty, tx. = [^\n]* 32 +32 +32 +0 +-\n   20  load __dynamic_shmem__0 [^\n]* 32 +1,024 +32 +992 +32-way\n.*kernels.py:20:[0-9]+: warning: 32-way"
    ARGUMENTS ${triton}/../cute_dsl/transpose.ptx)
run(CODE 0 OUT "^sm_90: transpose, one block of 32 x 32 threads\nassumed: n = 1024, [^\n]*\n\n line .*\n    7  load tile [^\n]* 32 +1,024 +32 +992 +32-way\n.*\n    4  load in " ARGUMENTS ${triton}/../cupy/transpose.ptx --block 32x32)
# CuPy's cache has a hash before the machine code, and its source beside it if it is asked to.
file(WRITE ${SCRATCH}/hash "0123456789012345678901234567890123456789")
execute_process(COMMAND ${CMAKE_COMMAND} -E cat ${SCRATCH}/hash ${CMAKE_CURRENT_LIST_DIR}/issued/widths.cubin OUTPUT_FILE ${SCRATCH}/cached.cubin)
run(CODE 0 OUT "^sm_90: 1 kernel of[ \n][^\n]*cached.cubin\\.[ \n].*\n\nwidths\n line " ARGUMENTS ${SCRATCH}/cached.cubin)
file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/issued/widths.cu ${SCRATCH}/cached.cubin.cu)
run(CODE 0 ERROR "^bankmodel: note: [^\n]*cached.cubin.cu is counted, and compared with [^\n]*cached.cubin\n$" OUT "^sm_90: widths, " ARGUMENTS ${SCRATCH}/cached.cubin)
