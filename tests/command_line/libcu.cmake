# libcu++ without a toolkit: what kernels that use it make of shared and global memory. The rows in libcu/*.rows are those of nvcc's
# PTX for the same files (--nvcc), with these differences: nvcc removes loads of what it knows; and of the users of a pipeline or of
# its producers a lane counts for its warp, where nvcc's PTX has votes that nobody knows. Included by command_line.cmake.
set(libcu ${CMAKE_CURRENT_LIST_DIR}/libcu)
foreach(name IN ITEMS every_declaration double_buffer groups)
  if(name STREQUAL double_buffer)
    set(launch --block 256 --arg tiles=5)
  elseif(name STREQUAL groups)
    set(launch --block 64)
  else()
    set(launch --block 32)
  endif()
  run(CODE 0 OUT "^machine," ARGUMENTS ${libcu}/${name}.cu -m sm_80 ${launch} --no-plan --csv)
  # kernel, line, memory, array, what it does, bytes, requests, wavefronts or transactions
  string(REGEX REPLACE "sm_80,\"([a-z_]+)\",\"[^\"]*\",([0-9]+),[0-9]+,([a-z]+),\"([a-z]*)\",([a-z]+),([0-9]+),([0-9]+),([0-9]*),[0-9]*,[0-9]*,[0-9]*,([0-9]*)[^\n]*"
                       "\\1 \\2 \\3 \\4 \\5 \\6 \\7 \\8 \\9" rows "${printed}")
  string(REGEX REPLACE "^machine[^\n]*\n" "" rows "${rows}")
  string(REGEX REPLACE " +(\n| )" "\\1" rows "${rows}")
  file(WRITE ${SCRATCH}/${name}.rows "${rows}")
  execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${libcu}/${name}.rows ${SCRATCH}/${name}.rows RESULT_VARIABLE differs)
  if(differs)
    message(SEND_ERROR "the rows of ${name}.cu are not those of ${libcu}/${name}.rows:\n${rows}")
  endif()
endforeach()
# A pipeline is moved there, and types of tuples are not deduced.
run(CODE 0 OUT "\n +[0-9]+ +standard .*\n +[0-9]+ +pipelines +32 +16 +16 " ARGUMENTS ${libcu}/every_declaration.cu -m sm_80 --block 32 --no-plan --std c++14)
# From compute capability 9.0 on one instruction copies whole lines of 16 bytes for a barrier, which is named; barriers are not.
run(CODE 0 OUT "^sm_90: bulk, .*the whole kernel  .*\nnote: bulk copies at double_buffer.cu:63: a copy engine" ARGUMENTS ${libcu}/double_buffer.cu -m sm_90 --block 256 --no-plan --kernel bulk)
if(printed MATCHES "mbarrier\\.(init|arrive|try_wait|test_wait)")
  message(SEND_ERROR "a barrier of libcu++ is named as not modelled\n${printed}")
endif()
# The pieces of a copy between addresses whose alignment the type does not say are not known.
file(WRITE ${SCRATCH}/of_bytes.cu "#include <cooperative_groups/memcpy_async.h>\nnamespace cg = cooperative_groups;\n__global__ void k(const char* in) {\n  __shared__ char s[64];\n  cg::memcpy_async(cg::this_thread_block(), s, in, 64);\n}\n")
run(CODE 0 OUT "\nnote: cooperative_groups::memcpy_async_without_alignment..[^\n]* is[ \n]not[ \n]modelled" ARGUMENTS ${SCRATCH}/of_bytes.cu --block 32 --no-plan)
# A word that another warp writes is not known behind such a barrier, which nobody waits at here.
file(WRITE ${SCRATCH}/behind_barrier.cu "#include <cuda/barrier>\n__global__ void k() {\n  __shared__ int index[64], s[2048];\n  __shared__ cuda::barrier<cuda::thread_scope_block> bar;\n  if (threadIdx.x == 0) init(&bar, blockDim.x);\n  index[threadIdx.x] = 0;\n  __syncthreads();\n  index[threadIdx.x] = threadIdx.x;\n  bar.arrive_and_wait();\n  s[32 * index[63 - threadIdx.x]] = 1;\n}\n")
run(CODE 0 OUT "store s .data decide. +2 +2\\.\\.33 " ARGUMENTS ${SCRATCH}/behind_barrier.cu --block 64 --no-plan)
# Headers that we do not have.
file(WRITE ${SCRATCH}/of_nobody.cu "#include <cuda/barrier>\n#include <cuda/of_nobody>\n__global__ void k() { cuda::of_nobody::call(); }\n")
run(CODE 2 ERROR "these headers were not found, give their folder with -I: cuda/of_nobody\n" ARGUMENTS ${SCRATCH}/of_nobody.cu --block 32)
# What nvcc refuses is none of its declarations.
find_program(NVCC nvcc)
if(NVCC)
  foreach(name IN ITEMS every_declaration double_buffer groups)
    execute_process(COMMAND ${NVCC} -std=c++17 -arch=sm_80 -w -ptx -o ${SCRATCH}/${name}.ptx ${libcu}/${name}.cu
                    RESULT_VARIABLE code ERROR_VARIABLE wrong OUTPUT_VARIABLE wrong)
    if(NOT code EQUAL 0)
      message(SEND_ERROR "nvcc refuses ${name}.cu:\n${wrong}")
    endif()
  endforeach()
endif()
