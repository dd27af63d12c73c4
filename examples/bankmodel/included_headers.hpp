// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

// The headers that source includes, found without a preprocessor.
namespace command_line {

// `#include "name"` or `#include <name>`.
struct included_header {
  std::string name;
  bool is_quoted = false;
};

// The name of a header with slashes for backslashes, which compilers on Windows take too:
// "utils/math.cuh" for "utils\\math.cuh".
std::string with_slashes(std::string name);

// Returns the headers that a text names, in their order, also those that a condition leaves out.
std::vector<included_header> included_headers(const std::string& text);

// The one path of a file that links and `..` name too; empty if there is no such file.
std::string canonical_file(const std::filesystem::path& name);

// The path is canonical_file(); empty if the header was not found.
using header_condition =
    std::function<bool(const included_header& header, const std::string& path)>;

// True if the condition holds for a header that the text of a file includes, itself or through
// headers that are found: one in quotes beside the file that names it, else one in the folders.
// Each file is asked about and read once, the first 4,096 of them.
bool any_header(const std::string& file, const std::string& text,
                const std::vector<std::string>& folders, const header_condition& condition);

}  // namespace command_line
