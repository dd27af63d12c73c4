// SPDX-License-Identifier: MIT
#pragma once

#include <sstream>
#include <string>
#include <vector>

// What tests look for in a text.
inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline int count_of(const std::string& part, const std::string& text) {
  int result = 0;
  for (std::size_t position = text.find(part); position != std::string::npos;
       position = text.find(part, position + 1))
    ++result;
  return result;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}
