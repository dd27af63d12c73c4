// SPDX-License-Identifier: MIT
#include "limits.hpp"

#include <algorithm>

namespace command_line {

bool all_limits::has_any() const {
  return of_all.has_any() || std::any_of(of_some.begin(), of_some.end(),
                                         [](const auto& one) { return one.most.has_any(); });
}

cost_limits all_limits::of(const std::function<bool(const std::string& name)>& has_name) const {
  cost_limits result;
  const auto complete = [&](const cost_limits& by) {
    if (!result.conflicts) result.conflicts = by.conflicts;
    if (!result.excessive_transactions) result.excessive_transactions = by.excessive_transactions;
  };
  for (const named_limits& one : of_some)
    if (has_name(one.name)) complete(one.most);
  complete(of_all);
  return result;
}

}  // namespace command_line
