// SPDX-License-Identifier: MIT
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "examples/bankmodel/compiled/counted_kernel.hpp"

// Counts the only kernel of a text, which is a file meanwhile.
inline std::unique_ptr<compiled::counted_kernel> counted_text(const std::string& text,
                                                              compiled::question asked) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("bankmodel_text_" + std::to_string(getpid()) + ".cu");
  std::ofstream(file) << text;
  asked.file = file.string();
  asked.text = text;
  auto result = compiled::counted(asked);
  std::filesystem::remove(file);
  return result;
}
