# Kernels for compute capability 9.0 and 10.0: mbarriers, bulk copies and matrix instructions in inline assembly, with branches. What
# their warps access is counted. Included by command_line.cmake.
set(units ${CMAKE_CURRENT_LIST_DIR}/units)
run(CODE 0 OUT "\n  104  store storage, 8 bytes .* 64 +512 +128 +384  4-way\n  109  load storage .* 128 +128 +128 +0 .*the whole kernel  .*note: mbarrier objects at hopper.cu:23, 26, 37 and 41: .*note: bulk copies at hopper.cu:46: .*note: matrix instructions at hopper.cu:56: .*note: elect.sync at hopper.cu:18 is .*there is no plan of storage: the copy engine," ARGUMENTS ${units}/hopper.cu -m sm_90)
run(CODE 0 OUT "\"partial\": false, \"partial_shared\": false," ARGUMENTS ${units}/hopper.cu -m sm_90 --json)
# A map of TMA has no fields that anybody gives.
run(CODE 0 OUT "\n  no count depends on: map_a, map_b\n" ARGUMENTS ${units}/hopper.cu -m sm_90 --unknowns)
# What nvcc says of an architecture beside its number: of sm_90a, and where nobody asks for the machine or names a product.
file(WRITE ${SCRATCH}/features.cu "__global__ void k(float* o) {\n  __shared__ float s[2048];\n#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n  s[32 * threadIdx.x] = 1;\n#elif defined(__CUDA_ARCH_FAMILY_SPECIFIC__)\n  s[2 * threadIdx.x] = 1;\n#else\n  s[threadIdx.x] = 1;\n#endif\n  o[threadIdx.x] = s[threadIdx.x];\n}\n")
foreach(of IN ITEMS "4=" "4=-m sm_90a" "4=-m h100" "4=-arch=sm_90a" "4=-gencode arch=compute_90a,code=sm_90a" "6=-m sm_100f" "6=-m sm_100a"
                    "8=-m sm_90" "8=-m sm_80" "8=-arch=sm_90" "8=-m sm_100")
  string(REGEX REPLACE "=.*" "" line "${of}")
  string(REGEX REPLACE "^[0-9]+=" "" options "${of}")
  separate_arguments(options)
  run(CODE 0 OUT "\n +${line}  store s " ARGUMENTS ${SCRATCH}/features.cu --block 32 --no-plan ${options})
endforeach()
find_program(NVCC nvcc)
if(NVCC)
  execute_process(COMMAND ${NVCC} -std=c++17 -arch=sm_90a -lineinfo -ptx -o ${SCRATCH}/hopper.ptx ${units}/hopper.cu RESULT_VARIABLE code ERROR_VARIABLE wrong)
  if(NOT code EQUAL 0)
    message(SEND_ERROR "nvcc refuses hopper.cu:\n${wrong}")
  endif()
  run(CODE 0 OUT "\n  104  store storage, 8 bytes .* 64 +512 +128 +384  4-way\n  109  load storage .* 128 +128 +128 +0 .*the whole kernel  .*note: mbarrier objects at .*note: bulk copies at .*note: matrix instructions at .*note: elect.sync at" ARGUMENTS ${SCRATCH}/hopper.ptx -m sm_90 --block 160 --arg p3=1024 --arg p4=1024)
  # wgmma is of sm_90a alone.
  set(ENV{BANKMODEL_NVCC} "${NVCC}")
  run(CODE 0 OUT "\n  104  store storage, 8 bytes .* 64 +512 +128 +384  4-way" ARGUMENTS ${units}/hopper.cu -m sm_90 --nvcc --no-plan --block 160 --arg p3=1024 --arg p4=1024)
  set(ENV{BANKMODEL_NVCC} none)
endif()
