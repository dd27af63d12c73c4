# What the README shows is what the programs print and contain.
#   cmake -DREADME=.. -DEXAMPLES=folder of the sources -DBUILT=folder of the programs -P readme.cmake
file(READ ${README} readme)

foreach(name demo plan autotune)
  execute_process(COMMAND ${BUILT}/example_${name} OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE " +\n" "\n" printed "${printed}")
  string(FIND "${readme}" "<!-- ${name} output -->\n```\n${printed}```\n" found)
  if(found EQUAL -1)
    message(SEND_ERROR "README.md does not show what examples/${name}.cpp prints:\n${printed}")
  endif()
endforeach()

string(REGEX MATCH "<!-- examples/plan.cpp -->\n```cpp\n([^`]*)```" block "${readme}")
set(shown "${CMAKE_MATCH_1}")
file(READ ${EXAMPLES}/plan.cpp plan)
string(FIND "${plan}" "${shown}" found)
if(found EQUAL -1 OR shown STREQUAL "")
  message(SEND_ERROR "README.md's plan is not that of examples/plan.cpp:\n${shown}")
endif()

string(REGEX MATCH "```cpp\n([^`]*)```" block "${readme}")
set(shown "${CMAKE_MATCH_1}")
file(READ ${EXAMPLES}/guard.cpp guard)
string(FIND "${guard}" "${shown}" found)
if(found EQUAL -1)
  message(SEND_ERROR "README.md's first program is not that of examples/guard.cpp:\n${shown}")
endif()
