// SPDX-License-Identifier: MIT
#include "included_headers.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <system_error>

#include "file_content.hpp"

namespace command_line {

std::string with_slashes(std::string name) {
  std::ranges::replace(name, '\\', '/');
  return name;
}

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
    result.push_back({with_slashes(line.substr(name + 1, end - name - 1)), line[name] == '"'});
  }
  return result;
}

std::string canonical_file(const std::filesystem::path& name) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(name, failure)) return {};
  const std::filesystem::path result = std::filesystem::weakly_canonical(name, failure);
  return failure ? name.string() : result.string();
}

namespace {

class header_walk {
 public:
  header_walk(const std::vector<std::string>& folders, const header_condition& condition)
      : folders_(folders), condition_(condition) {}

  bool matches(const std::string& file, const std::vector<included_header>& headers) {
    return std::ranges::any_of(headers, [&](const included_header& header) {
      const std::string path = resolved(header, file);
      if (path.empty()) return condition_(header, path);
      if (seen_.size() == most_files || !seen_.insert(path).second) return false;
      return condition_(header, path) || matches(path, headers_of(path));
    });
  }

 private:
  static constexpr std::size_t most_files = 4096;

  // A database may ask about the headers of many files.
  static const std::vector<included_header>& headers_of(const std::string& path) {
    static std::map<std::string, std::vector<included_header>> cache;
    const auto [known, is_new] = cache.try_emplace(path);
    if (is_new) known->second = included_headers(file_content(path));
    return known->second;
  }
  std::string resolved(const included_header& header, const std::string& file) const {
    const std::filesystem::path beside = std::filesystem::path(file).parent_path();
    std::string result;
    if (header.is_quoted) result = canonical_file(beside / header.name);
    for (std::size_t index = 0; result.empty() && index < folders_.size(); ++index)
      result = canonical_file(std::filesystem::path(folders_[index]) / header.name);
    return result;
  }

  const std::vector<std::string>& folders_;
  const header_condition& condition_;
  std::set<std::string> seen_;
};

}  // namespace

bool any_header(const std::string& file, const std::string& text,
                const std::vector<std::string>& folders, const header_condition& condition) {
  return header_walk(folders, condition).matches(file, included_headers(text));
}

}  // namespace command_line
