# Puts the parts of the page into one file.
#   cmake -DENGINE=engine.js -DKERNEL_FILES="a.kernel;b.kernel" -DPAGE=explorer.html -P make_page.cmake
cmake_minimum_required(VERSION 3.22)

# Text that a script element can contain as it is.
function(read_for_script file variable)
  file(READ ${file} text)
  string(TOLOWER "${text}" lower)
  foreach(end IN ITEMS "</script" "<!--")
    string(FIND "${lower}" "${end}" found)
    if(NOT found EQUAL -1)
      message(FATAL_ERROR "${file} contains ${end}, which ends a script element; write it in another way")
    endif()
  endforeach()
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

set(examples "")
foreach(file IN LISTS KERNEL_FILES)
  cmake_path(GET file STEM name)
  read_for_script(${file} text)
  string(APPEND examples "<script type=\"text/plain\" class=\"example\" data-name=\"${name}\">\n${text}</script>\n")
endforeach()
file(READ ${CMAKE_CURRENT_LIST_DIR}/style.css style)
read_for_script(${CMAKE_CURRENT_LIST_DIR}/script.js script)
read_for_script(${ENGINE} engine)

file(READ ${CMAKE_CURRENT_LIST_DIR}/page.html page)
string(REPLACE "@STYLE@" "${style}" page "${page}")
string(REPLACE "@EXAMPLES@" "${examples}" page "${page}")
string(REPLACE "@SCRIPT@" "${script}" page "${page}")
string(REPLACE "@ENGINE@" "${engine}" page "${page}") # last, since it is long
file(WRITE ${PAGE} "${page}")
file(SIZE ${PAGE} bytes)
message(STATUS "${PAGE}: ${bytes} bytes")
