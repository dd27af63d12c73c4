# What the README shows is what the programs print and contain. cmake -DREADME=.. -DDEMO=program -DGUARD=guard.cpp -P readme.cmake
file(READ ${README} readme)

execute_process(COMMAND ${DEMO} OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE " +\n" "\n" printed "${printed}")
string(FIND "${readme}" "<!-- demo output -->\n```\n${printed}```\n" found)
if(found EQUAL -1)
  message(SEND_ERROR "README.md does not show what the demo prints:\n${printed}")
endif()

string(REGEX MATCH "```cpp\n([^`]*)```" block "${readme}")
set(shown "${CMAKE_MATCH_1}")
file(READ ${GUARD} guard)
string(FIND "${guard}" "${shown}" found)
if(found EQUAL -1)
  message(SEND_ERROR "README.md's first program is not that of ${GUARD}:\n${shown}")
endif()
