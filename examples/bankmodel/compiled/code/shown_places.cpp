// SPDX-License-Identifier: MIT
#include "shown_places.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

namespace compiled {

namespace {

std::string absolute(const std::string& file) {
  if (file.empty()) return {};
  std::error_code none;
  const std::filesystem::path whole = std::filesystem::weakly_canonical(file, none);
  return none ? file : whole.string();
}

// With a slash at its end; empty if there is no file.
std::string folder_of(const std::string& file) {
  const std::string whole = absolute(file);
  return whole.substr(0, whole.rfind('/') + 1);
}

std::string path_of(const kernel_code& of, const place& where) {
  const auto number = static_cast<std::size_t>(where.file);
  return where.file >= 0 && number < of.files.size() ? of.files[number] : std::string();
}

bool is_in(const std::string& file, const std::string& folder) {
  return !folder.empty() && absolute(file).rfind(folder, 0) == 0;
}

}  // namespace

void show_calls_of_libraries(kernel_code& of, const std::string& named) {
  const std::string own = path_of(of, of.definition);
  const std::string folders[] = {folder_of(named), folder_of(own)};
  const auto shown = [&](const std::vector<place>& calls) {
    const std::string innermost_file = path_of(of, calls.front());
    if (std::any_of(std::begin(folders), std::end(folders),
                    [&](const std::string& one) { return is_in(innermost_file, one); }))
      return calls.front();
    for (const std::string& file : {absolute(named), absolute(own)})
      for (auto one = calls.rbegin(); one != calls.rend(); ++one)
        if (!file.empty() && absolute(path_of(of, *one)) == file) return *one;
    return calls.back();
  };
  std::map<int, place> places;  // by place::calls
  for (code_block& block : of.blocks)
    for (instruction& one : block.instructions) {
      if (!one.where.shows_call) continue;
      const auto [known, is_new] = places.try_emplace(one.where.calls);
      if (is_new) known->second = shown(of.calls[static_cast<std::size_t>(one.where.calls)]);
      const place& found = known->second;
      one.where.file = found.file;
      one.where.line = found.line;
      one.where.column = found.column;
    }
}

place innermost(const kernel_code& of, const place& where) {
  return !where.shows_call ? where : of.calls[static_cast<std::size_t>(where.calls)].front();
}

bool is_in_folder_of(const std::string& named, const std::string& file) {
  return is_in(file, folder_of(named));
}

bool is_of_a_library(const std::string& file, const std::string& named) {
  return !file.empty() && !is_in(file, folder_of(named));
}

}  // namespace compiled
