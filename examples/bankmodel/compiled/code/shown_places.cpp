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
  const std::filesystem::path path = std::filesystem::weakly_canonical(file, none);
  return none ? file : path.string();
}

// With a slash at its end; empty if there is no file.
std::string folder_of(const std::string& file) {
  const std::string path = absolute(file);
  return path.substr(0, path.rfind('/') + 1);
}

std::string path_of(const kernel_code& kernel, const place& position) {
  const auto number = static_cast<std::size_t>(position.file);
  return position.file >= 0 && number < kernel.files.size() ? kernel.files[number] : std::string();
}

bool is_in(const std::string& file, const std::string& folder) {
  return !folder.empty() && absolute(file).starts_with(folder);
}

}  // namespace

void show_calls_of_libraries(kernel_code& kernel, const std::string& named) {
  const std::string own = path_of(kernel, kernel.definition);
  const std::string folders[] = {folder_of(named), folder_of(own)};
  const auto shown = [&](const std::vector<place>& calls) {
    const std::string innermost_file = path_of(kernel, calls.front());
    if (std::ranges::any_of(
            folders, [&](const std::string& folder) { return is_in(innermost_file, folder); }))
      return calls.front();
    for (const std::string& file : {absolute(named), absolute(own)})
      for (auto call = calls.rbegin(); call != calls.rend(); ++call)
        if (!file.empty() && absolute(path_of(kernel, *call)) == file) return *call;
    return calls.back();
  };
  std::map<int, place> places;  // by place::calls
  for (code_block& block : kernel.blocks)
    for (instruction& operation : block.instructions) {
      if (!operation.location.shows_call) continue;
      const auto [known, is_new] = places.try_emplace(operation.location.calls);
      if (is_new) known->second = shown(kernel.calls[slot(operation.location.calls)]);
      const place& position = known->second;
      operation.location.file = position.file;
      operation.location.line = position.line;
      operation.location.column = position.column;
    }
}

place innermost(const kernel_code& kernel, const place& position) {
  return !position.shows_call ? position : kernel.calls[slot(position.calls)].front();
}

bool is_in_folder_of(const std::string& named, const std::string& file) {
  return is_in(file, folder_of(named));
}

bool is_of_a_library(const std::string& file, const std::string& named) {
  return !file.empty() && !is_in(file, folder_of(named));
}

}  // namespace compiled
