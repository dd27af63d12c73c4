# mdspan.cpp with each mdspan that is there: compiled and run; for CUDA compiled.
#   mdspan.alone: without one; .libcxx: std::mdspan of libc++; .kokkos: the reference implementation; .cuda: cuda::std::mdspan
set(mdspan_program ${CMAKE_CURRENT_SOURCE_DIR}/interop/mdspan.cpp)
set(mdspan_folder ${CMAKE_CURRENT_BINARY_DIR}/mdspan)
file(MAKE_DIRECTORY ${mdspan_folder})
function(mdspan_test kind namespace header arrays) # then the compiler and its options
  set(program ${mdspan_folder}/${kind})
  set(definitions "")
  if(namespace)
    set(definitions -DMDSPAN_IN=${namespace} -DMDSPAN_HEADER=${header} -DARRAY_IN=${arrays})
  endif()
  add_test(NAME mdspan.${kind} COMMAND ${CMAKE_COMMAND} "-DCOMPILE=${ARGN};${definitions};-I${PROJECT_SOURCE_DIR}/include;${mdspan_program}"
                                       -DPROGRAM=${program} -P ${CMAKE_CURRENT_SOURCE_DIR}/interop/compile_and_run.cmake)
endfunction()

set(warnings -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
mdspan_test(alone "" "" "" ${CMAKE_CXX_COMPILER} -std=c++20 -O0 ${warnings})

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # each of the others once
  find_program(bankmodel_clangxx_19 clang++-19)
  find_file(bankmodel_libcxx_mdspan mdspan PATHS /usr/lib/llvm-19/include/c++/v1 NO_DEFAULT_PATH)
  if(bankmodel_clangxx_19 AND bankmodel_libcxx_mdspan)
    mdspan_test(libcxx std <mdspan> std ${bankmodel_clangxx_19} -stdlib=libc++ -std=c++23 -O0 ${warnings})
  else()
    skipped_loudly(mdspan.libcxx "no std::mdspan: apt-get install clang-19 libc++-19-dev libc++abi-19-dev")
  endif()

  find_path(bankmodel_kokkos_mdspan mdspan/mdspan.hpp)
  if(bankmodel_kokkos_mdspan)
    mdspan_test(kokkos Kokkos <mdspan/mdspan.hpp> std ${CMAKE_CXX_COMPILER} -std=c++20 -O0 ${warnings} -isystem ${bankmodel_kokkos_mdspan})
  else()
    skipped_loudly(mdspan.kokkos "no reference implementation: give -Dbankmodel_kokkos_mdspan=FOLDER, the include/ of kokkos/mdspan")
  endif()

  find_path(bankmodel_cuda_mdspan cuda/std/mdspan HINTS ${cuda_bin}/../include/cccl ${cuda_bin}/../include PATHS /usr/local/cuda/include/cccl)
  if(bankmodel_nvcc AND bankmodel_cuda_mdspan) # to PTX: a third of the time, and all of its static_asserts
    add_test(NAME mdspan.cuda COMMAND ${bankmodel_nvcc} -std=c++20 -Werror all-warnings -DMDSPAN_IN=cuda::std -DARRAY_IN=cuda::std
                                      "-DMDSPAN_HEADER=<cuda/std/mdspan>" -I${PROJECT_SOURCE_DIR}/include -arch compute_90 -x cu -ptx
                                      -o ${mdspan_folder}/kernel.ptx ${mdspan_program})
  else()
    skipped_loudly(mdspan.cuda "no nvcc with cuda/std/mdspan: mdspans in kernels are not tested")
  endif()
endif()
