# Wrong edits of the command line's files, for planted_program_bugs.sh: what each test program is compiled and linked of.
set(planted_folder ${CMAKE_CURRENT_BINARY_DIR}/planted)
function(plant_bugs_in target options) # the remaining arguments: other targets whose objects it has
  if(TARGET ${target})
    set(objects "$<TARGET_OBJECTS:${target}>")
    foreach(part IN LISTS ARGN)
      string(APPEND objects ";$<TARGET_OBJECTS:${part}>")
    endforeach()
    list(JOIN options "\n" lines) # options have commas, which $<JOIN:> would part
    file(GENERATE OUTPUT ${planted_folder}/${target}
         CONTENT "${lines}\n-DBANKMODEL_VERSION=\"${PROJECT_VERSION}\"\n$<JOIN:${objects},\n>\n$<TARGET_FILE:catch_main>\n")
  endif()
endfunction()
plant_bugs_in(test_sanitized_command_line "-O0;${sanitizers};${fuzzer_in_parts}" command_line_parts compiled_parts)
plant_bugs_in(test_index_files "-O1;${sanitizers}")

set(house ${CMAKE_CURRENT_SOURCE_DIR}/house)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_test(NAME planted_bugs COMMAND bash ${house}/planted_bugs.sh ${CMAKE_CXX_COMPILER} $<TARGET_FILE:catch_main> --draw 6)
  set_tests_properties(planted_bugs PROPERTIES COST 1000000 PROCESSORS 2)
endif()
if(TARGET test_sanitized_command_line)
  add_test(NAME planted_program_bugs COMMAND bash ${house}/planted_program_bugs.sh ${CMAKE_CXX_COMPILER} ${planted_folder} --draw 4)
  set_tests_properties(planted_program_bugs PROPERTIES COST 100000)
endif()
