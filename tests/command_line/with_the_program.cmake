# Tests with the program's own optimized parts, and those of the reader of CUDA, where Clang's libraries are.
set(folder ${PROJECT_SOURCE_DIR}/tests/command_line)
function(use_program test reader)
  target_sources(${test} PRIVATE $<TARGET_OBJECTS:bankmodel_tool_parts>)
  if(TARGET ${reader})
    target_link_libraries(${test} PRIVATE ${reader})
  endif()
endfunction()

if(BANKMODEL_TEST_PART STREQUAL "plain")
  command_line_parts_test("")
  use_program(test_command_line_parts bankmodel_clang_reader)
  read_catch_once(test_command_line_parts plain-O0 -O0)
  list_objects_of(test_command_line_parts bankmodel_tool_parts bankmodel_clang_reader)
endif()

# What takes minutes with sanitizers: tests that compare numbers.
foreach(part IN ITEMS compiled_bounds needed_registers kernel_file_generated)
  set(optimize -O0)
  if(part STREQUAL kernel_file_generated)
    set(optimize -O1)
  endif()
  bankmodel_test(${part} ${folder}/${part}.cpp ${optimize})
  if(TARGET test_${part})
    use_program(test_${part} bankmodel_clang_reader)
    target_compile_definitions(test_${part} PRIVATE BANKMODEL_KERNEL_FILES="${PROJECT_SOURCE_DIR}/examples/kernel_files"
                                                    BANKMODEL_PTX_FILES="${folder}/ptx")
  endif()
endforeach()

# Random kernels: of PTX, and of CUDA where Clang's libraries are.
set(random ${folder}/random_kernels)
bankmodel_test(random_kernels ${random}/random_kernels.cpp)
if(TARGET test_random_kernels)
  target_sources(test_random_kernels PRIVATE ${random}/drawing.cpp ${random}/emulation.cpp ${random}/as_cuda.cpp ${random}/as_ptx.cpp)
  use_program(test_random_kernels bankmodel_clang_reader)
  if(TARGET bankmodel_clang_reader)
    target_compile_definitions(test_random_kernels PRIVATE BANKMODEL_READS_CUDA)
  endif()
endif()

set(tests_with_clang build_flags clang_reader clang_fix clang_advice clang_blocks clang_describe issued_from_source expression_types nest emulation)
set(install "apt-get install libclang-dev llvm-dev")
if(TARGET bankmodel_clang_reader)
  foreach(part IN LISTS tests_with_clang)
    bankmodel_test(${part} ${folder}/${part}.cpp -O0)
    if(TARGET test_${part})
      use_program(test_${part} bankmodel_clang_reader)
    endif()
  endforeach()
  if(TARGET test_nest)
    target_sources(test_nest PRIVATE ${random}/drawing.cpp ${random}/emulation.cpp ${random}/as_cuda.cpp ${random}/as_ptx.cpp)
    target_compile_definitions(test_nest PRIVATE BANKMODEL_CUDA_FILES="${PROJECT_SOURCE_DIR}/examples/cuda"
                                                 BANKMODEL_COMMAND_LINE_TESTS="${folder}")
  endif()
  if(TARGET test_emulation)
    target_compile_definitions(test_emulation PRIVATE BANKMODEL_CUDA_FILES="${PROJECT_SOURCE_DIR}/examples/cuda")
  endif()
  if(TARGET test_expression_types)
    target_compile_definitions(test_expression_types PRIVATE BANKMODEL_EXPRESSION_TYPES="${folder}/expression_types/types.txt")
  endif()
  if(TARGET test_clang_reader)
    target_sources(test_clang_reader PRIVATE ${folder}/clang_accesses.cpp ${folder}/clang_launches.cpp ${folder}/clang_host_code.cpp
                                             ${folder}/clang_loops.cpp ${folder}/clang_declarations.cpp
                                             ${folder}/clang_rejoin.cpp ${folder}/clang_dialect.cpp ${folder}/clang_notation.cpp)
    target_compile_definitions(
      test_clang_reader PRIVATE BANKMODEL_REJOIN_KERNELS="${folder}/reconvergence/kernels.cu"
                                BANKMODEL_MATRICES="${folder}/reconvergence/matrices.txt"
                                BANKMODEL_CUDA_KERNELS="${PROJECT_SOURCE_DIR}/examples/cuda")
    find_program(BANKMODEL_PYTHON python3 NO_CACHE)
    set(compare ${CMAKE_COMMAND} -E echo "SKIPPED: no python3")
    if(BANKMODEL_PYTHON)
      set(compare ${BANKMODEL_PYTHON} -B ${folder}/reconvergence/compare_with_machine_code.py $<TARGET_FILE:bankmodel_tool>
                  ${CMAKE_CURRENT_BINARY_DIR}/reconvergence)
    endif()
    add_test(NAME clang_rejoin_in_machine_code COMMAND ${compare})
    foreach(script IN ITEMS shapes matrices)
      set(compare ${CMAKE_COMMAND} -E echo "SKIPPED: no python3")
      if(BANKMODEL_PYTHON)
        set(compare ${BANKMODEL_PYTHON} -B ${folder}/reconvergence/${script}.py ${CMAKE_CURRENT_BINARY_DIR}/reconvergence)
      endif()
      add_test(NAME ${script}_in_ptxas COMMAND ${compare})
    endforeach()
    set_tests_properties(clang_rejoin_in_machine_code shapes_in_ptxas matrices_in_ptxas PROPERTIES SKIP_REGULAR_EXPRESSION "^SKIPPED")
  endif()
  include(${folder}/cuda_kernels/cuda_kernels.cmake)
  if(TARGET test_clang_describe) # it compiles the programs that --describe prints
    find_program(BANKMODEL_CLANG_COMPILER clang++ HINTS ${LLVM_TOOLS_BINARY_DIR} NO_CACHE)
    set(compilers "${CMAKE_CXX_COMPILER}")
    if(BANKMODEL_CLANG_COMPILER)
      string(APPEND compilers "|${BANKMODEL_CLANG_COMPILER}")
    endif()
    target_compile_definitions(test_clang_describe PRIVATE BANKMODEL_HEADERS="${PROJECT_SOURCE_DIR}/include"
                                                           BANKMODEL_COMPILERS="${compilers}")
  endif()
  list(APPEND tests_with_clang cuda_kernels random_kernels)
else()
  list(APPEND tests_with_clang cuda_kernels)
  foreach(skipped IN LISTS tests_with_clang)
    add_test(NAME ${skipped} COMMAND ${CMAKE_COMMAND} -E echo "SKIPPED: Clang's libraries are not there: ${install}")
    set_tests_properties(${skipped} PROPERTIES SKIP_REGULAR_EXPRESSION "^SKIPPED")
  endforeach()
endif()

foreach(part IN ITEMS build_flags clang_reader clang_fix clang_advice clang_blocks clang_describe issued_from_source nest emulation compiled_bounds needed_registers)
  list_objects_of(test_${part} bankmodel_tool_parts bankmodel_clang_reader)
endforeach()

# Programs with a second version of the libraries: passes differ between versions, counts do not. ctest runs those that take
# seconds; the others are run by hand (README.md).
if(TARGET bankmodel_clang_reader_second)
  foreach(part IN LISTS tests_with_clang)
    if(TARGET test_${part})
      add_executable(test_${part}_second $<TARGET_OBJECTS:test_${part}>)
      set_target_properties(test_${part}_second PROPERTIES LINKER_LANGUAGE CXX)
      target_link_libraries(test_${part}_second PRIVATE catch_main)
      use_program(test_${part}_second bankmodel_clang_reader_second)
      if(NOT part MATCHES "^(clang_|cuda_kernels|random_kernels)")
        add_test(NAME ${part}.second_llvm COMMAND test_${part}_second)
      endif()
    endif()
  endforeach()
  if(TARGET test_nest_second) # a third of the drawn kernels: they are the ones that the first version has read
    set_tests_properties(nest.second_llvm PROPERTIES ENVIRONMENT BANKMODEL_CASES=20)
  endif()
  if(TARGET test_clang_reader_second) # an error there makes each file slow, and no kernel wrong
    add_test(NAME declarations.second_llvm COMMAND test_clang_reader_second "The declarations before each file*")
  endif()
  if(TARGET test_cuda_kernels_second)
    target_sources(test_cuda_kernels_second PRIVATE $<TARGET_OBJECTS:cuda_kernels_on_cpu>)
  endif()
elseif(BANKMODEL_TEST_PART MATCHES "^(all|plain)$")
  add_test(NAME second_llvm COMMAND ${CMAKE_COMMAND} -E echo
           "SKIPPED: no second version of Clang's libraries (BANKMODEL_SECOND_LLVM is '${BANKMODEL_SECOND_LLVM}'): apt-get install libclang-NUMBER-dev llvm-NUMBER-dev with another number from 14")
  set_tests_properties(second_llvm PROPERTIES SKIP_REGULAR_EXPRESSION "^SKIPPED")
endif()

# The one file that differs where Clang's libraries are not there, compiled as it is there: the commands of the README install them.
add_test(NAME without_clang COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
                                    -I${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/examples/bankmodel/compiled/code_of_file.cpp
                                    ${PROJECT_SOURCE_DIR}/examples/bankmodel/compiled/build_flags.cpp)
