// SPDX-License-Identifier: MIT
#include "origins.hpp"

namespace compiled {

std::string text(const kernel_code& kernel, const place& where) {
  if (where.line <= 0) return "";
  std::string name;
  if (where.file >= 0 && where.file < static_cast<int>(kernel.files.size()))
    name = kernel.files[static_cast<std::size_t>(where.file)];
  const std::size_t slash = name.rfind('/');
  if (slash != std::string::npos) name.erase(0, slash + 1);
  name += name.empty() ? "line " : ":";
  name += std::to_string(where.line);
  if (where.column > 0) name += ":" + std::to_string(where.column);
  return name;
}

int origin_table::of(const std::string& reason, const place& where, const std::string& argument) {
  const auto key = std::make_tuple(reason, where.file, where.line, where.column);
  const auto [at, is_new] = numbers_.emplace(key, static_cast<int>(all_.size()));
  if (is_new) all_.push_back({reason, where, argument});
  return at->second;
}

std::string origin_table::text(int number) const {
  const origin& of = (*this)[number];
  const std::string at = compiled::text(kernel_, of.where);
  return at.empty() ? of.reason : of.reason + " at " + at;
}

}  // namespace compiled
