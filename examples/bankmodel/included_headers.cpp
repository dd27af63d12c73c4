// SPDX-License-Identifier: MIT
#include "included_headers.hpp"

#include <sstream>

namespace command_line {

std::vector<included_header> included_headers(const std::string& text) {
  std::vector<included_header> result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#') continue;
    const std::size_t word = line.find_first_not_of(" \t", hash + 1);
    if (word == std::string::npos || line.compare(word, 7, "include") != 0) continue;
    const std::size_t name = line.find_first_of("<\"", word + 7);
    if (name == std::string::npos) continue;
    const std::size_t end = line.find_first_of(">\"", name + 1);
    if (end == std::string::npos) continue;
    result.push_back({line.substr(name + 1, end - name - 1), line[name] == '"'});
  }
  return result;
}

}  // namespace command_line
