# Emscripten's toolchain, where Debian or emsdk has it.
find_file(toolchain Emscripten.cmake PATHS /usr/share/emscripten $ENV{EMSDK}/upstream/emscripten
          PATH_SUFFIXES cmake/Modules/Platform NO_DEFAULT_PATH NO_CACHE)
if(NOT toolchain)
  message(FATAL_ERROR "The explorer needs emscripten: apt-get install --no-install-recommends emscripten")
endif()
include(${toolchain})
