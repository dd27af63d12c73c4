// SPDX-License-Identifier: MIT
#include "origins.hpp"

#include "run.hpp"

namespace compiled {

int origin_table::intern(const std::string& reason, const place& position,
                         const std::string& argument, const std::string& pointer) {
  const auto key = std::make_tuple(reason, position.file, position.line, position.column);
  const auto [entry, is_new] = numbers_.emplace(key, static_cast<int>(origins_.size()));
  if (is_new) origins_.push_back({reason, position, argument, pointer});
  return entry->second;
}

std::string origin_table::text(int number) const {
  const origin& entry = (*this)[number];
  const std::string location = compiled::text(kernel_, entry.location);
  return location.empty() ? entry.reason : entry.reason + " at " + location;
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
