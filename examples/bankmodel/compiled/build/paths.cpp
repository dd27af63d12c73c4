// SPDX-License-Identifier: MIT
#include "paths.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>

namespace compiled {

bool is_file(const std::filesystem::path& name) {
  std::error_code none;
  return std::filesystem::is_regular_file(name, none);
}

std::string canonical(const std::string& name) {
  std::error_code none;
  const std::filesystem::path result =
      std::filesystem::weakly_canonical(std::filesystem::absolute(name, none), none);
  return none ? name : result.string();
}

std::string name_from_here(const std::string& name) {
  std::error_code none;
  const std::filesystem::path full_name = canonical(name),
                              folder = std::filesystem::current_path(none);
  const std::string relative = full_name.lexically_relative(folder).string();
  return none || relative.empty() || relative.starts_with("..") ? full_name.string() : relative;
}

std::ptrdiff_t common_folders(const std::filesystem::path& left,
                              const std::filesystem::path& right) {
  const std::filesystem::path first = left.parent_path(), second = right.parent_path();
  return std::distance(first.begin(), std::ranges::mismatch(first, second).in1);
}

bool is_nearer(const std::filesystem::path& left, const std::filesystem::path& right,
               const std::filesystem::path& target) {
  const auto has_its_name = [&](const std::filesystem::path& file) {
    return file.stem() == target.stem();
  };
  if (has_its_name(left) != has_its_name(right)) return has_its_name(left);
  return common_folders(left, target) > common_folders(right, target);
}

}  // namespace compiled
