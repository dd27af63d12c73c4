# Kernels for compute capability 9.0 and 10.0: mbarriers, bulk copies and matrix instructions in inline assembly, with branches. What
# their warps access is counted. Included by command_line.cmake.
set(units ${CMAKE_CURRENT_LIST_DIR}/units)
run(CODE 0 OUT "\n  104  store storage, 8 bytes .* 64 +512 +128 +384  4-way\n  109  load storage .* 128 +128 +128 +0 .*the whole kernel  .*note: mbarrier objects at hopper.cu:23, 26, 37 and 41: .*note: bulk copies at hopper.cu:46: .*note: matrix instructions at hopper.cu:56: .*note: elect.sync at hopper.cu:18 is .*there is no plan of storage: the copy engine," ARGUMENTS ${units}/hopper.cu -m sm_90)
run(CODE 0 OUT "\"partial\": false, \"partial_shared\": false," ARGUMENTS ${units}/hopper.cu -m sm_90 --json)
find_program(NVCC nvcc)
if(NVCC)
  execute_process(COMMAND ${NVCC} -std=c++17 -arch=sm_90a -lineinfo -ptx -o ${SCRATCH}/hopper.ptx ${units}/hopper.cu RESULT_VARIABLE code ERROR_VARIABLE wrong)
  if(NOT code EQUAL 0)
    message(SEND_ERROR "nvcc refuses hopper.cu:\n${wrong}")
  endif()
  run(CODE 0 OUT "\n  104  store storage, 8 bytes .* 64 +512 +128 +384  4-way\n  109  load storage .* 128 +128 +128 +0 .*the whole kernel  .*note: mbarrier objects at .*note: bulk copies at .*note: matrix instructions at .*note: elect.sync at" ARGUMENTS ${SCRATCH}/hopper.ptx -m sm_90 --block 160 --arg p3=1024 --arg p4=1024)
endif()
