# The operators of mutants.cpp on a small file.   cmake -DMUTANTS=PROGRAM -DCOMPILER=CXX -P mutants.cmake
cmake_minimum_required(VERSION 3.22)
set(folder ${CMAKE_CURRENT_BINARY_DIR}/mutants_of_a_file)
file(REMOVE_RECURSE ${folder})
file(MAKE_DIRECTORY ${folder})
file(WRITE ${folder}/sum.cpp [=[
#include <cstdlib>
constexpr int limit = 3;  // 4 < 5
int sum(int count) {
  int result = 0;
  for (int index = 0; index < count; ++index) result += index;
  if (count > limit) result = result * 2;
  return result;
}
int main(int, char** words) { return sum(std::atoi(words[1])) == std::atoi(words[2]) ? 0 : 1; }
]=])

function(run) # OUTPUT COMMAND..
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${code}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${MUTANTS} list ${folder}/sum.cpp 2 5 6)
string(REGEX REPLACE "([0-9]+)\t[0-9]+\t([0-9]+)\t([^\n]*)" "\\1 \\2 \\3" edits "${output}")
set(expected "2 1 4\n5 3  <= \n5 4  -= \n5 1 1\n6 3  >= \n6 3  + \n6 1 3\n6 15 (!(count > limit))\n")
if(NOT edits STREQUAL expected)
  message(SEND_ERROR "the edits are\n${edits}and not\n${expected}")
endif()

# A copy with all of them: none is in effect, then each.
string(REGEX MATCHALL "[^\n]+" lines "${output}")
set(words "")
set(number 0)
foreach(line IN LISTS lines)
  string(REGEX MATCH "^[0-9]+\t([0-9]+)\t([0-9]+)\t(.*)$" matched "${line}")
  list(APPEND words ${number} ${CMAKE_MATCH_1} ${CMAKE_MATCH_2} "${CMAKE_MATCH_3}")
  math(EXPR number "${number} + 1")
endforeach()
run(${MUTANTS} write ${folder}/sum.cpp ${folder}/copy.cpp ${words})
if(NOT output MATCHES "^0 apart\n1 switched\n.*7 switched\n$")
  message(SEND_ERROR "of the copy is said: ${output}")
endif()
run(${COMPILER} -std=c++20 ${folder}/copy.cpp -o ${folder}/copy)
set(sums_of_5 20 30 -20 20 20 12 30 10) # none, then edits 1 to 7: 0 + 1 + 2 + 3 + 4 is doubled
foreach(mutant RANGE 0 7)
  list(GET sums_of_5 ${mutant} sum)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env BANKMODEL_MUTANT=${mutant} ${folder}/copy 5 ${sum} RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(SEND_ERROR "with edit ${mutant} in effect the sum is not ${sum}")
  endif()
endforeach()
