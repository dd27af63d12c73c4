// SPDX-License-Identifier: MIT
#include "origins.hpp"

#include "run.hpp"

namespace compiled {

int origin_table::of(const std::string& reason, const place& where, const std::string& argument,
                     const std::string& pointer) {
  const auto key = std::make_tuple(reason, where.file, where.line, where.column);
  const auto [at, is_new] = numbers_.emplace(key, static_cast<int>(all_.size()));
  if (is_new) all_.push_back({reason, where, argument, pointer});
  return at->second;
}

std::string origin_table::text(int number) const {
  const origin& of = (*this)[number];
  const std::string at = compiled::text(kernel_, of.where);
  return at.empty() ? of.reason : of.reason + " at " + at;
}

std::string origin_table::text_with_remedy(int number) const {
  const std::string& argument = (*this)[number].argument;
  return text(number) + (argument.empty() ? "" : "; give --arg " + argument + "=..");
}

const std::string& origin_table::text_of_address(int number) const {
  const auto [known, is_new] = of_addresses_.try_emplace(number);
  if (is_new) known->second = "an address depends on " + text_with_remedy(number);
  return known->second;
}

}  // namespace compiled
