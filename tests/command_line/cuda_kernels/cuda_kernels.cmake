# The kernels of examples/cuda as the command line reads them, beside their descriptions and the same text run on the CPU. There a
# launch kernel<<<grid, block>>>(..) is written as cuda_on_cpu::launch(kernel, grid, block)(..), and nothing else is changed.
set(folder ${PROJECT_SOURCE_DIR}/tests/command_line/cuda_kernels)
set(on_cpu ${CMAKE_CURRENT_BINARY_DIR}/cuda_on_cpu)
file(GLOB kernels CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/cuda/*.cu)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${kernels})
set(includes "")
foreach(kernel IN LISTS kernels)
  get_filename_component(name ${kernel} NAME_WE)
  file(READ ${kernel} text)
  string(REGEX REPLACE "([A-Za-z0-9_]+)<<<" "cuda_on_cpu::launch(\\1, " text "${text}")
  string(REPLACE ">>>" ")" text "${text}")
  file(CONFIGURE OUTPUT ${on_cpu}/cuda/${name}.hpp CONTENT "namespace ${name}_cu {\n#line 1 \"${kernel}\"\n${text}}\n" @ONLY)
  string(APPEND includes "namespace ${name}_cu {\n#include \"${kernel}\"\n}\n")
endforeach()

bankmodel_test(cuda_kernels ${folder}/cuda_kernels.cpp -O0)
if(TARGET test_cuda_kernels)
  # The compiler calls a function of ours before each access of the source; no library of sanitizers is linked. (Clang would leave
  # out loads of places that are stored to next.)
  add_library(cuda_kernels_on_cpu OBJECT ${folder}/of_demo.cpp ${folder}/further.cpp)
  target_include_directories(cuda_kernels_on_cpu PRIVATE ${PROJECT_SOURCE_DIR}/tests/support ${on_cpu})
  target_link_libraries(cuda_kernels_on_cpu PRIVATE bankmodel_warnings)
  target_compile_options(cuda_kernels_on_cpu PRIVATE -O0 -fsanitize=thread -fno-threadsafe-statics -Wno-unknown-pragmas -Wno-sign-conversion
                         "$<$<CXX_COMPILER_ID:Clang>:SHELL:-mllvm -tsan-instrument-read-before-write>")
  target_sources(test_cuda_kernels PRIVATE ${folder}/on_cpu.cpp ${folder}/read_kernels.cpp ${PROJECT_SOURCE_DIR}/tests/support/cuda_on_cpu.cpp
                                           $<TARGET_OBJECTS:cuda_kernels_on_cpu> $<TARGET_OBJECTS:bankmodel_tool_parts>)
  target_link_libraries(test_cuda_kernels PRIVATE bankmodel_clang_reader)
  target_compile_definitions(test_cuda_kernels PRIVATE BANKMODEL_CUDA_FILES="${PROJECT_SOURCE_DIR}/examples/cuda")

  # If nvcc is there: the PTX that it makes of all of them.
  find_program(bankmodel_nvcc nvcc PATHS /usr/local/cuda/bin)
  if(bankmodel_nvcc)
    file(CONFIGURE OUTPUT ${on_cpu}/all.cu CONTENT "${includes}")
    add_custom_command(OUTPUT ${on_cpu}/all.ptx COMMAND ${bankmodel_nvcc} -std=c++20 -arch=sm_90 -ptx -o ${on_cpu}/all.ptx ${on_cpu}/all.cu
                       DEPENDS ${on_cpu}/all.cu ${kernels} VERBATIM)
    target_sources(test_cuda_kernels PRIVATE ${folder}/against_ptx.cpp ${on_cpu}/all.ptx)
    target_compile_definitions(test_cuda_kernels PRIVATE BANKMODEL_CUDA_PTX="${on_cpu}/all.ptx")
  else()
    message(STATUS "bankmodel: no nvcc, the kernels of examples/cuda are not compared with their PTX")
  endif()
endif()
