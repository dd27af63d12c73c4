# The ladder: a header includes only headers of its own room and of the rooms above it in this list; what a room has in
# detail/ belongs to that room alone; no header includes itself by a detour; no two share a name; none is longer than 300
# lines. Headers that kernels include take from the standard only what costs next to nothing.
#   cmake -DINCLUDE=include/bankmodel -P tests/house/layering.cmake
cmake_minimum_required(VERSION 3.25)

set(ladder core model machines layout interop kernel count global search reorganize report profile entries)
set(on_the_host_alone "^(report/(text|explanation_text|picture|style|detail/(bank_map|colours|map_shape|phrases|places|svg|text_picture|touched_banks|verbs))\\.hpp|profile/.*|report\\.hpp|draw\\.hpp|profile\\.hpp|search/(bounds|pareto|plans_by_family|table_layout|detail/(edge_colouring|table_search|table_requests))\\.hpp)$")
set(cheap cstdint cstddef new)
set(without_exceptions cstdio cstdlib) # core/error.hpp prints with them where there are no exceptions
set(most_lines 300)
# To be split, and arrows to be turned; both lists only shrink.
set(longer_still
  count/detail/lower.hpp count/detail/point.hpp count/detail/price.hpp count/detail/split.hpp layout/program_writer.hpp
  machines/amd.hpp report/detail/svg.hpp)
set(private_still
  report/detail/plainly.hpp)

function(room_of header variable)
  if(header MATCHES "^([^/]+)/")
    set(${variable} ${CMAKE_MATCH_1} PARENT_SCOPE)
  else()
    set(${variable} entries PARENT_SCOPE)
  endif()
endfunction()

file(GLOB_RECURSE headers RELATIVE ${INCLUDE} ${INCLUDE}/*.hpp)
set(names "")
foreach(header IN LISTS headers)
  room_of(${header} room)
  list(FIND ladder ${room} floor)
  if(floor EQUAL -1)
    message(SEND_ERROR "${header}: there is no room ${room}; the rooms are ${ladder}")
    continue()
  endif()

  get_filename_component(name ${header} NAME)
  if(name IN_LIST names)
    message(SEND_ERROR "${header}: another header has this name; give it one of its own")
  endif()
  list(APPEND names ${name})

  file(STRINGS ${INCLUDE}/${header} lines REGEX "^ *# *include")
  set(includes_of_${header} "")
  foreach(line IN LISTS lines)
    if(line MATCHES "<bankmodel/(.+)>")
      set(included ${CMAKE_MATCH_1})
      list(APPEND includes_of_${header} ${included})
      room_of(${included} room_of_included)
      list(FIND ladder ${room_of_included} floor_of_included)
      if(floor_of_included GREATER floor)
        message(SEND_ERROR "${header} includes ${included}: ${room} may not know ${room_of_included}")
      endif()
      if(included MATCHES "/detail/" AND NOT room STREQUAL room_of_included
         AND NOT header IN_LIST private_still)
        message(SEND_ERROR "${header} includes ${included}, which belongs to ${room_of_included} alone")
      endif()
      if(included MATCHES "${on_the_host_alone}" AND NOT header MATCHES "${on_the_host_alone}")
        message(SEND_ERROR "${header} includes ${included}, which is for the host alone")
      endif()
    elseif(line MATCHES "<([^>]+)>")
      set(standard ${CMAKE_MATCH_1})
      if(NOT standard IN_LIST cheap AND NOT header MATCHES "${on_the_host_alone}"
         AND NOT (header STREQUAL "core/error.hpp" AND standard IN_LIST without_exceptions))
        message(SEND_ERROR "${header} includes <${standard}>; kernels include it, so only ${cheap} are allowed")
      endif()
    else()
      message(SEND_ERROR "${header}: ${line} must name <bankmodel/...>")
    endif()
  endforeach()

  file(STRINGS ${INCLUDE}/${header} lines NEWLINE_CONSUME)
  string(REGEX MATCHALL "\n" line_ends "${lines}")
  list(LENGTH line_ends length)
  if(length GREATER most_lines AND NOT header IN_LIST longer_still)
    message(SEND_ERROR "${header} has ${length} lines; at most ${most_lines}: is it one idea?")
  endif()
endforeach()

# What includes nothing that is left is taken away; what cannot be is a circle.
set(left ${headers})
while(left)
  set(still "")
  foreach(header IN LISTS left)
    foreach(included IN LISTS includes_of_${header})
      if(included IN_LIST left)
        list(APPEND still ${header})
        break()
      endif()
    endforeach()
  endforeach()
  if(still STREQUAL left)
    message(SEND_ERROR "these headers include each other in a circle: ${left}")
    break()
  endif()
  set(left ${still})
endwhile()

list(LENGTH headers count)
if(count LESS 50)
  message(FATAL_ERROR "only ${count} headers found below ${INCLUDE}")
endif()
