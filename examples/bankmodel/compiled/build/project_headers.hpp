// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_BUILD_PROJECT_HEADERS_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_BUILD_PROJECT_HEADERS_HPP

#include <string>
#include <vector>

// Headers that a build finds with -I, looked for where no build says the folders.
namespace compiled {

// The folder of the project that a file belongs to: the nearest above it with .git; else the
// farthest, up to eight above it, with a file that builds are described by, such as
// CMakeLists.txt, setup.py or Makefile; else its own.
std::string project_folder(const std::string& file);

struct project_header {
  std::string name;    // as in its #include: "utils/math.cuh"
  std::string folder;  // which -I would name
};

// Returns the headers among the names that the project of the file has: the nearest file whose path
// ends with the name. Where two are as near there is none of that name. Hidden folders are not
// searched, and of a project the first 100,000 files and folders.
// For /p/src/a/k.cu, {"utils/math.cuh"} and a project /p with src/utils/math.cuh: {that, "/p/src"}.
std::vector<project_header> headers_in_project(const std::string& file,
                                               const std::vector<std::string>& names);

}  // namespace compiled

#endif
