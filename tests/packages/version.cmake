# The places that state a version state that of include/bankmodel/version.hpp; no file asks for a newer CMake than CMakeLists.txt.
#   cmake -DSOURCE=the project -P version.cmake
cmake_minimum_required(VERSION 3.22)
include(${SOURCE}/cmake/version.cmake)

file(READ ${SOURCE}/cmake/vcpkg/vcpkg.json port)
string(JSON version GET "${port}" version-semver)
if(NOT version STREQUAL bankmodel_version)
  message(SEND_ERROR "cmake/vcpkg/vcpkg.json has the version ${version}, version.hpp has ${bankmodel_version}")
endif()

file(STRINGS ${SOURCE}/CHANGELOG.md headings REGEX "^## ")
list(GET headings 0 newest)
if(NOT newest STREQUAL "## ${bankmodel_version}")
  message(SEND_ERROR "CHANGELOG.md begins with `${newest}`, version.hpp has ${bankmodel_version}")
endif()

string(REGEX MATCH "^[0-9]+\\.[0-9]+" required ${bankmodel_version})
file(STRINGS ${SOURCE}/tests/packages/ways/find_package.cmake asked REGEX "find_package\\(bankmodel ${required} REQUIRED\\)")
if(NOT asked)
  message(SEND_ERROR "tests/packages/ways/find_package.cmake and the README do not ask for version ${required}")
endif()

# The recipe of Conan reads version.hpp, as CMake does.
file(READ ${SOURCE}/cmake/conan/conanfile.py recipe)
if(NOT recipe MATCHES "\"version.hpp\"" OR recipe MATCHES " version = \"")
  message(SEND_ERROR "cmake/conan/conanfile.py does not read its version from version.hpp")
endif()

# CMake 3.22 that configures the tests runs their scripts too.
set(asks "^ *cmake_minimum_required\\(VERSION ([0-9.]+)")
file(STRINGS ${SOURCE}/CMakeLists.txt line REGEX "${asks}")
if(NOT line MATCHES "${asks}")
  message(FATAL_ERROR "CMakeLists.txt does not say which CMake it needs")
endif()
set(needed ${CMAKE_MATCH_1})
set(files "")
foreach(folder cmake tests examples bench)
  file(GLOB_RECURSE in_folder ${SOURCE}/${folder}/*.cmake ${SOURCE}/${folder}/CMakeLists.txt)
  list(APPEND files ${in_folder})
endforeach()
foreach(file IN LISTS files)
  file(STRINGS ${file} line REGEX "${asks}")
  if(line MATCHES "${asks}" AND CMAKE_MATCH_1 VERSION_GREATER needed)
    message(SEND_ERROR "${file} asks for CMake ${CMAKE_MATCH_1}, CMakeLists.txt for ${needed}")
  endif()
endforeach()
