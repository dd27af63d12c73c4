// SPDX-License-Identifier: MIT
#include "project_headers.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <map>
#include <system_error>

#include "../../file_content.hpp"
#include "../../included_headers.hpp"
#include "paths.hpp"

namespace compiled {

namespace {

namespace fs = std::filesystem;

constexpr const char* descriptions_of_builds[] = {"CMakeLists.txt", "Makefile",    "makefile",
                                                  "setup.py",       "meson.build", "pyproject.toml",
                                                  "WORKSPACE",      "MODULE.bazel"};

bool describes_build(const fs::path& folder) {
  return std::ranges::any_of(descriptions_of_builds,
                             [&](const char* name) { return is_file(folder / name); });
}

using files_by_name = std::map<std::string, std::vector<fs::path>>;

// The files below a folder by the last parts of their names, read once in a run of the program.
const files_by_name& files_below(const std::string& folder) {
  constexpr std::size_t most_entries = 100000;
  static std::map<std::string, files_by_name> cache;
  const auto [known, is_new] = cache.try_emplace(folder);
  if (!is_new) return known->second;
  std::error_code none;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied,
                                         none);
  for (std::size_t count = 0;
       !none && entry != fs::recursive_directory_iterator() && count < most_entries;
       entry.increment(none), ++count) {
    const fs::path name = entry->path().filename();
    if (name.native().front() == '.') {
      entry.disable_recursion_pending();
      continue;
    }
    std::error_code failure;
    if (entry->is_regular_file(failure)) known->second[name.string()].push_back(entry->path());
  }
  return known->second;
}

// The folder from which the name leads to the path; empty: the path does not end with the name.
fs::path folder_before(const fs::path& path, const fs::path& name) {
  fs::path folder = path, left = name;
  for (; !left.empty(); left = left.parent_path(), folder = folder.parent_path())
    if (folder.filename() != left.filename()) return {};
  return folder;
}

}  // namespace

std::string project_folder(const std::string& file) {
  constexpr int most_above = 8;
  const fs::path own = fs::path(canonical(file)).parent_path();
  fs::path result = own;
  std::error_code none;
  int level = 0;
  for (fs::path folder = own; !folder.empty(); folder = folder.parent_path(), ++level) {
    if (fs::exists(folder / ".git", none)) return folder.string();
    if (level <= most_above && describes_build(folder)) result = folder;
    if (folder == folder.parent_path()) break;
  }
  return result.string();
}

std::vector<found_header> headers_in_project(const std::string& file,
                                             const std::vector<std::string>& names) {
  std::vector<found_header> result;
  const std::string full_name = canonical(file), folder_of_project = project_folder(file);
  const files_by_name& files = files_below(folder_of_project);
  for (const std::string& header : names) {
    const fs::path name = fs::path(command_line::with_slashes(header)).lexically_normal();
    if (name.empty() || name.is_absolute() || *name.begin() == "..") continue;
    const auto match = files.find(name.filename().string());
    if (match == files.end()) continue;
    fs::path nearest;
    std::ptrdiff_t longest = -1;
    for (const fs::path& path : match->second) {
      const fs::path folder = folder_before(path, name);
      const std::ptrdiff_t common = folder.empty() ? -1 : common_folders(full_name, path);
      if (common == longest) nearest.clear();
      if (common <= longest) continue;
      longest = common;
      nearest = folder;
    }
    if (!nearest.empty()) result.push_back({header, nearest.string()});
  }
  return result;
}

std::vector<std::string> files_that_include(const std::string& file) {
  constexpr const char* endings[] = {".cu", ".hip", ".cpp", ".cc", ".cxx"};
  const std::string full_name = canonical(file), folder_of_project = project_folder(file);
  std::vector<std::string> result;
  for (const auto& [name, paths] : files_below(folder_of_project)) {
    const std::string ending = fs::path(name).extension().string();
    if (std::ranges::find(endings, ending) == std::end(endings)) continue;
    for (const fs::path& path : paths)
      if (path != full_name &&
          command_line::any_header(path.string(), command_line::file_content(path.string()), {},
                                   [&](const command_line::included_header&,
                                       const std::string& header) { return header == full_name; }))
        result.push_back(path.string());
  }
  std::ranges::stable_sort(result, [&](const std::string& left, const std::string& right) {
    return is_nearer(left, right, full_name);
  });
  return result;
}

}  // namespace compiled
