// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_OWN_FOLDER_HPP
#define BANKMODEL_TESTS_OWN_FOLDER_HPP

#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>

// A folder for files of one test program: another one may run at the same time. It is removed at
// the end.
struct own_folder {
  explicit own_folder(const std::string& name)
      : path(std::filesystem::weakly_canonical(std::filesystem::temp_directory_path()) /
             ("bankmodel_" + name + "_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path);
  }
  ~own_folder() {
    std::error_code failure;
    std::filesystem::remove_all(path, failure);
  }
  own_folder(const own_folder&) = delete;
  own_folder& operator=(const own_folder&) = delete;

  std::filesystem::path path;
};

#endif
