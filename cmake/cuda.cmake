# Kernels that link to bankmodel are compiled as C++20. CMake knows nvcc's C++20 since 3.25.2; before that nvcc is given the
# option, unless the project gives one. Installed beside bankmodel-config.cmake, since it depends on the user's CMake.
function(bankmodel_compile_kernels_as_cpp20 target)
  if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.25.2)
    target_compile_features(${target} INTERFACE "$<BUILD_INTERFACE:cuda_std_20>")
  elseif(NOT CMAKE_CUDA_FLAGS MATCHES "-std[ =]")
    target_compile_options(${target} INTERFACE "$<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>>")
  endif()
endfunction()
