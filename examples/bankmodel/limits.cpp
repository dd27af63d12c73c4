// SPDX-License-Identifier: MIT
#include "limits.hpp"

#include <algorithm>

namespace command_line {

bool all_limits::has_any() const {
  return of_all.has_any() ||
         std::ranges::any_of(of_some, [](const auto& entry) { return entry.limits.has_any(); });
}

cost_limits all_limits::select(const std::function<bool(const std::string& name)>& has_name) const {
  cost_limits result;
  const auto complete = [&](const cost_limits& limits) {
    if (!result.conflicts) result.conflicts = limits.conflicts;
    if (!result.excessive_transactions)
      result.excessive_transactions = limits.excessive_transactions;
  };
  for (const named_limits& entry : of_some)
    if (has_name(entry.name)) complete(entry.limits);
  complete(of_all);
  return result;
}

}  // namespace command_line
