# README.md is one page: at most 150 lines of at most 100 columns. Its first screen, 100 x 45, has a kernel, the answer of the
# command line, the guard and the compiler's error. The demo prints no more than such a screen either.
#   cmake -DSOURCE=the project -DDEMO=example_demo -P front_page.cmake
cmake_minimum_required(VERSION 3.22)
set(marks "<!-- examples/guide/tile.cu -->" "<!-- bankmodel examples/guide/tile.cu --block 32x32 output, in part -->"
          "<!-- examples/guard.cpp -->" "<!-- examples/guard.cpp with \"32, 32\" for \"32, 33\", refused by g++ 12 -->")

# Lines that are wider than the screen are errors. Returns how many lines there are, and in `blocks_end` the number of the line
# that ends the last of the marked blocks.
function(measure name text lines blocks_end)
  string(REGEX REPLACE "‘|’|·" "'" text "${text}") # one column, but several bytes
  set(count 0)
  set(fences 0)
  set(last 0)
  set(looked_for ${marks})
  while(NOT text STREQUAL "")
    string(FIND "${text}" "\n" end)
    string(SUBSTRING "${text}" 0 ${end} line)
    math(EXPR end "${end} + 1")
    string(SUBSTRING "${text}" ${end} -1 text)
    math(EXPR count "${count} + 1")
    string(LENGTH "${line}" columns)
    if(columns GREATER 100)
      message(SEND_ERROR "${name}:${count}: ${columns} columns, at most 100 are allowed:\n${line}")
    endif()
    if(NOT line STREQUAL "" AND line IN_LIST looked_for)
      list(REMOVE_ITEM looked_for "${line}")
    elseif(line STREQUAL "```" AND last EQUAL 0 AND "${looked_for}" STREQUAL "")
      math(EXPR fences "${fences} + 1") # where a block has no language, its first line looks like its last
      if(fences EQUAL 2)
        set(last ${count})
      endif()
    endif()
  endwhile()
  set(${lines} ${count} PARENT_SCOPE)
  set(${blocks_end} ${last} PARENT_SCOPE)
endfunction()

file(READ ${SOURCE}/README.md page)
measure(README.md "${page}" lines end)
if(lines GREATER 150)
  message(SEND_ERROR "README.md has ${lines} lines; more than 150 are not read: move some to a page of examples/guide")
endif()
if(end EQUAL 0 OR end GREATER 45)
  message(SEND_ERROR "README.md: the first 45 lines do not have ${marks} with their blocks (the last ends in line ${end})")
endif()

execute_process(COMMAND ${DEMO} OUTPUT_VARIABLE screen COMMAND_ERROR_IS_FATAL ANY)
measure("the demo" "${screen}" shown ignored)
if(shown GREATER 40) # the commands that the workflow prints after it need some lines too
  message(SEND_ERROR "the demo prints ${shown} lines; give it a screen, and print the others with --all")
endif()
execute_process(COMMAND ${DEMO} --al RESULT_VARIABLE result OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(NOT result EQUAL 2 OR NOT said MATCHES "error: .*--all")
  message(SEND_ERROR "the demo with --al exits with ${result} and does not name --all:\n${said}")
endif()
message("README.md: ${lines} lines, ${end} of them for the first answers; the demo: ${shown} lines")
