# Each rule of the headers must be broken in a call that is no constant expression (a refusal of ../static/errors_*.cpp, or
# a case that must not compile) and at run time with a look at its text. Rules of what runs on the host alone, never in a
# constant expression (HOST_ONLY, a regular expression for headers), have the second only.
#   cmake -DHEADERS=../../include -DHOST_ONLY=/profile/ "-DREFUSALS=cases/guard.cpp;.." "-DMESSAGES=messages.cpp;.." -P rules.cmake
# A rule is a function in either form:
#   [[noreturn]] BANKMODEL_FN void name(long long value) { detail::fail(__func__, "text %", value); }
#   [[noreturn]] BANKMODEL_FN inline void name(long long value) { detail::fail("name", "text %", value); }
cmake_minimum_required(VERSION 3.25)

function(read_all variable)
  set(all "")
  foreach(file IN LISTS ARGN)
    file(READ ${file} text)
    string(APPEND all "${text}")
  endforeach()
  set(${variable} "${all}" PARENT_SCOPE)
endfunction()
read_all(refusals ${REFUSALS})
read_all(messages ${MESSAGES})

set(rules 0)
set(wrong "")
file(GLOB_RECURSE headers ${HEADERS}/*.hpp)
foreach(header IN LISTS headers)
  file(READ ${header} text)
  string(REGEX REPLACE "[][;\\]" " " text "${text}") # what CMake's lists would trip over
  string(REPLACE "noreturn" ";" functions "${text}")
  list(POP_FRONT functions)
  foreach(function IN LISTS functions)
    if(function MATCHES "^ +BANKMODEL_HOST_DEVICE inline void stop\\(") # where every rule ends
      continue()
    endif()
    if(NOT function MATCHES "^ +BANKMODEL_FN[ \n]+(inline[ \n]+)?void[ \n]+([A-Za-z0-9_]+)\\(")
      string(APPEND wrong "  ${header}: a function that does not return and has not the form of a rule\n")
      continue()
    endif()
    set(rule ${CMAKE_MATCH_2})
    if(rule STREQUAL "fail")
      continue()
    endif()
    math(EXPR rules "${rules} + 1")
    if(NOT function MATCHES "[^a-z]fail\\([ \n]*(__func__|\"${rule}\"),")
      string(APPEND wrong "  ${rule}: prints another name than its own (${header})\n")
    endif()
    if(NOT header MATCHES "${HOST_ONLY}" AND NOT refusals MATCHES "[^A-Za-z0-9_]${rule}[^A-Za-z0-9_]")
      string(APPEND wrong "  ${rule}: no call breaks it in a constant expression\n")
    endif()
    if(NOT messages MATCHES "\"${rule}\"")
      string(APPEND wrong "  ${rule}: its text is not looked at\n")
    endif()
  endforeach()
endforeach()
if(wrong)
  message(FATAL_ERROR "Rules that are not tested:\n${wrong}")
endif()
if(rules LESS 100)
  message(FATAL_ERROR "Only ${rules} rules found: has their form changed?")
endif()
message("${rules} rules, each with a refused call and a text")
