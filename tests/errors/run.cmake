# Compiles one case twice: unchanged, which must succeed without a warning, and with -DBROKEN, which must fail and print every
# text that the case expects. Called by ctest:
#   cmake -DKIND=g++ -DCOMPILER=/usr/bin/g++ -DCASE=cases/guard.cpp -DINCLUDE=../../include -DSCRATCH=/tmp/x -P run.cmake
# KIND is g++, clang++ or nvcc: it selects the compiler's options and the `// expect-KIND:` lines.

cmake_minimum_required(VERSION 3.22)

set(strict -std=c++20 -I${INCLUDE} -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
if(KIND STREQUAL "nvcc")
  set(strict -std=c++20 -I${INCLUDE} -Werror all-warnings -x cu)
  file(MAKE_DIRECTORY ${SCRATCH})
  get_filename_component(name ${CASE} NAME_WE)
  set(compile ${COMPILER} ${strict} -c ${CASE} -o ${SCRATCH}/${name}.o)  # nvcc has no -fsyntax-only
else()
  set(compile ${COMPILER} ${strict} -fsyntax-only ${CASE})
endif()
set(ENV{LC_ALL} C)

execute_process(COMMAND ${compile} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${CASE} must compile without -DBROKEN, but ${KIND} prints:\n${output}")
endif()

execute_process(COMMAND ${compile} -DBROKEN RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
message("The output of ${KIND}:\n${output}")
if(result EQUAL 0)
  message(FATAL_ERROR "${CASE} compiles with -DBROKEN; it must not")
endif()

set(wanted 0)
file(STRINGS ${CASE} lines REGEX "^// expect")
foreach(line IN LISTS lines)
  if(NOT line MATCHES "^// expect(-[a-z+]+)?: (.+)$")
    message(FATAL_ERROR "${CASE}: not an expectation: ${line}")
  endif()
  set(text "${CMAKE_MATCH_2}")
  if(CMAKE_MATCH_1 AND NOT CMAKE_MATCH_1 STREQUAL "-${KIND}")
    continue()
  endif()
  math(EXPR wanted "${wanted} + 1")
  string(FIND "${output}" "${text}" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "${CASE}: this text is missing from the output of ${KIND}: ${text}")
  endif()
endforeach()
if(wanted EQUAL 0)
  message(FATAL_ERROR "${CASE} expects nothing from ${KIND}")
endif()

# `// lines: 16` says how many lines the compiler prints at most.
file(STRINGS ${CASE} lines REGEX "^// lines: [0-9]+$")
if(lines)
  string(REGEX MATCH "[0-9]+" most "${lines}")
  string(REGEX MATCHALL "\n" printed "${output}")
  list(LENGTH printed count)
  if(count GREATER most)
    message(FATAL_ERROR "${CASE}: ${KIND} prints ${count} lines, and is to print at most ${most}")
  endif()
endif()

# The message must lead to the user's own line: "file:12", "file(12)" or "line 12 of file".
get_filename_component(file ${CASE} NAME)
if(NOT output MATCHES "${file}[:(][0-9]+" AND NOT output MATCHES "line [0-9]+ of [^ ]*${file}")
  message(FATAL_ERROR "${CASE}: the output names no line of the case")
endif()
