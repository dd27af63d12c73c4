# The parts of the project beside the headers: each is an option that is AUTO, ON or OFF. AUTO, the default unless this is a
# subdirectory of another project, builds the part if its library is found. ON makes a missing library an error.

# Sets ${option} to ON if the part is wanted and its library found, and to OFF otherwise.
macro(bankmodel_part option what library packages)
  bankmodel_choice(${option} "Build ${what} of bankmodel")
  if(${option})
    find_package(${library} QUIET)
    if(${library}_FOUND)
      set(${option} ON)
    else()
      bankmodel_leave_out("${${option}}" "${what}" "the library ${library}" "${packages}" "-D${option}=OFF")
      set(${option} OFF)
    endif()
  endif()
endmacro()

# An option with these three values. In it CMake's other words for ON and OFF are replaced by these two.
macro(bankmodel_choice option help)
  set(bankmodel_default OFF)
  if(PROJECT_IS_TOP_LEVEL)
    set(bankmodel_default AUTO)
  endif()
  set(${option} ${bankmodel_default} CACHE STRING "${help}: AUTO (if what it needs is found), ON or OFF")
  set_property(CACHE ${option} PROPERTY STRINGS AUTO ON OFF)
  if("${${option}}" MATCHES "^([Oo][Nn]|[Tt][Rr][Uu][Ee]|[Yy][Ee][Ss]|1)$")
    set(${option} ON)
  elseif("${${option}}" MATCHES "^([Oo][Ff][Ff]|[Ff][Aa][Ll][Ss][Ee]|[Nn][Oo]|0)$")
    set(${option} OFF)
  elseif(NOT "${${option}}" STREQUAL "AUTO")
    message(FATAL_ERROR "${option} is `${${option}}`; give AUTO, ON or OFF")
  endif()
endmacro()

# Error if the part must be there (`choice` is ON), else a line of the summary.
function(bankmodel_leave_out choice what library packages without)
  if(choice STREQUAL "ON")
    message(FATAL_ERROR "bankmodel did not find ${library} for ${what}: apt-get install ${packages}, or leave out ${what} with "
                        "${without}")
  endif()
  set_property(GLOBAL APPEND PROPERTY bankmodel_left_out "${what} (not found: ${library}, apt-get install ${packages})")
endfunction()

# The last lines of configuring: what is built, what is not, and the packages of Debian and Ubuntu that it needs.
function(bankmodel_print_summary)
  set(built "the headers")
  foreach(part IN ITEMS "COMMAND_LINE|the command line" "EXAMPLES|the examples" "TESTS|the tests (minutes)" "BENCHMARKS|the benchmarks")
    string(REPLACE "|" ";" part "${part}")
    list(POP_FRONT part option)
    if(BANKMODEL_BUILD_${option})
      string(APPEND built ", ${part}")
    endif()
  endforeach()
  message(STATUS "bankmodel ${PROJECT_VERSION}: ${built}")
  get_property(left_out GLOBAL PROPERTY bankmodel_left_out)
  foreach(line IN LISTS left_out)
    message(STATUS "bankmodel leaves out ${line}")
  endforeach()
endfunction()
