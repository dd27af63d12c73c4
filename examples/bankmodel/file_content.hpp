// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_FILE_CONTENT_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_FILE_CONTENT_HPP

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace command_line {

// Returns the bytes of a file; empty if it cannot be read.
inline std::string file_content(const std::filesystem::path& name) {
  std::ifstream stream(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace command_line

#endif
