# find_browser(advice): sets `node`, and `chromium` also in the environment for browser.mjs; without them `node` is empty, and the test
# says that it is skipped, with this advice.
macro(find_browser advice)
  find_program(node node NO_CACHE)
  find_program(chromium NAMES chromium chromium-browser google-chrome NO_CACHE)
  foreach(program IN ITEMS node chromium)
    if(NOT ${program})
      message(STATUS "SKIPPED: there is no ${program}; ${advice}")
      set(node "")
      break()
    endif()
  endforeach()
  set(ENV{CHROMIUM} ${chromium})
endmacro()
