// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

// What a build would say, looked for in the project: the folders of headers, and the files that
// include a file.
namespace compiled {

// The folder of the project that a file belongs to: the nearest above it with .git; else the
// farthest, up to eight above it, with a file that builds are described by, such as
// CMakeLists.txt, setup.py or Makefile; else its own.
std::string project_folder(const std::string& file);

struct found_header {
  std::string name;    // as in its #include: "utils/math.cuh"
  std::string folder;  // which -I would name
};

// Returns the headers among the names that the project of the file has: the nearest file whose path
// ends with the name. Where two are as near there is none of that name. Hidden folders are not
// searched, and of a project the first 100,000 files and folders.
// For /p/src/a/k.cu, {"utils/math.cuh"} and a project /p with src/utils/math.cuh: {that, "/p/src"}.
std::vector<found_header> headers_in_project(const std::string& file,
                                             const std::vector<std::string>& names);

// Returns the files of the project, with an ending of CUDA, HIP or C++ source, that include the
// file, itself or through headers beside the files that name them: the most likely one first.
std::vector<std::string> files_that_include(const std::string& file);

}  // namespace compiled
