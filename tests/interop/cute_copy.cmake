# cute_copy.cpp with CUTLASS's headers, where they and those of CUDA are: -Dbankmodel_cutlass=FOLDER, CUTLASS's include/.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # once
  find_path(bankmodel_cutlass cute/tensor.hpp)
  find_path(bankmodel_cuda_std cuda/std/utility HINTS ${cuda_bin}/../include/cccl ${cuda_bin}/../include PATHS /usr/local/cuda/include/cccl)
  if(bankmodel_cutlass AND bankmodel_cuda_std AND bankmodel_cuda_include)
    add_test(NAME cute_copy COMMAND ${CMAKE_COMMAND} "-DCOMPILE=${CMAKE_CXX_COMPILER};-std=c++20;-O0;-I${PROJECT_SOURCE_DIR}/include;-isystem;${bankmodel_cutlass};-isystem;${bankmodel_cuda_std};-isystem;${bankmodel_cuda_include};${CMAKE_CURRENT_SOURCE_DIR}/interop/cute_copy.cpp"
                                    -DPROGRAM=${CMAKE_CURRENT_BINARY_DIR}/cute_copy -P ${CMAKE_CURRENT_SOURCE_DIR}/interop/compile_and_run.cmake)
  else()
    skipped_loudly(cute_copy "no CUTLASS or no CUDA headers: give -Dbankmodel_cutlass=FOLDER, the include/ of NVIDIA/cutlass")
  endif()
endif()
