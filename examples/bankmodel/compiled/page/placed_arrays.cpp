// SPDX-License-Identifier: MIT
#include "placed_arrays.hpp"

#include <algorithm>
#include <map>

#include "../../source.hpp"
#include "../engine/memory.hpp"
#include "../engine/prepared_kernel.hpp"
#include "../engine/values.hpp"

namespace compiled {

using command_line::joined;

namespace {

std::optional<long long> argument_number(const page& of, const std::string& name) {
  const auto number = parameter_number(*of.kernel, name);
  if (!number) return std::nullopt;
  auto found = of.how.arguments.find(name);
  if (found == of.how.arguments.end())
    found = of.how.arguments.find(joined("p", static_cast<int>(*number)));
  if (found == of.how.arguments.end()) return std::nullopt;
  const bool is_narrow = of.kernel->parameters[*number].bytes == 4;
  return is_narrow ? static_cast<std::int32_t>(found->second)
                   : static_cast<long long>(found->second);
}

}  // namespace

std::optional<long long> launch_number(const page& of, const size_form& size) {
  long long result = 0;
  for (const auto& [names, times] : size) {
    long long product = times;
    for (const std::string& name : names) {
      const auto value = argument_number(of, name);
      if (!value) return std::nullopt;
      product *= *value;
    }
    result += product;
  }
  return result;
}

namespace {

bool belongs_to_kernel(const page& of, const carved_array& one) {
  const std::string name = of.kernel->name.substr(0, of.kernel->name.find('<'));
  return name == one.function || name.ends_with("::" + one.function);
}

}  // namespace

long long bytes_in_launch(const page& of, const code_array& array) {
  return array.bytes == 0 ? of.how.dynamic_shared_bytes : static_cast<long long>(array.bytes);
}

std::vector<placed_array> placed_arrays(const page& of, const code_array& array) {
  const std::vector<carved_array>& all = array.source.carved;
  std::vector<placed_array> result;
  if (array.bytes != 0) {
    if (all.size() == 1 && all[0].element_bytes == array.element_bytes)
      result.push_back({&all[0], 0, 0, bytes_in_launch(of, array)});
    return result;
  }
  for (std::size_t number = 0; number < all.size(); ++number) {
    if (!belongs_to_kernel(of, all[number])) continue;
    const auto first = launch_number(of, all[number].first);
    if (!first || *first < 0) return {};
    result.push_back({&all[number], number, *first, of.how.dynamic_shared_bytes});
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& one, const auto& other) { return one.first < other.first; });
  for (std::size_t at = 1; at < result.size(); ++at) {
    if (result[at].first == result[at - 1].first) return {};
    result[at - 1].end = result[at].first;
  }
  return result;
}

namespace {

struct touched_bytes {
  long long first = INT64_MAX, last = INT64_MIN;
};

// Of all requests of a row. Nothing if some are not known.
std::optional<touched_bytes> touched_by(const page& of, const priced_access& row) {
  touched_bytes result;
  for (const recorded_access& access : of.recorded->accesses) {
    if (!is_counted_in(row, access)) continue;
    if (access.is_partial || !access.bounded.empty() || !access.moved.empty()) return std::nullopt;
    for (const recorded_class& each : access.classes)
      for_each_lane(each.lanes.active, [&](int lane) {
        const long long distance = each.lanes.address[lane];
        result.first = std::min(result.first, each.times.begin()->first + distance);
        result.last =
            std::max(result.last, each.times.rbegin()->first + distance + each.lanes.bytes - 1);
      });
  }
  return result.first > result.last ? std::nullopt : std::optional(result);
}

}  // namespace

std::string seen_name(const page& of, const priced_access& row) {
  const std::string whole = array_name(*of.kernel, *row.first);
  if (row.first->is_global || row.first->array < 0) return whole;
  const auto number = static_cast<std::size_t>(row.first->array);
  if (number >= of.kernel->shared.size() || of.kernel->shared[number].bytes != 0) return whole;
  const std::vector<placed_array> all = placed_arrays(of, of.kernel->shared[number]);
  const auto touched = all.empty() ? std::nullopt : touched_by(of, row);
  if (!touched) return whole;
  const auto start = static_cast<long long>(
      laid_out(*of.kernel, static_cast<std::uint64_t>(of.how.dynamic_shared_bytes)).first[number]);
  const auto seen = std::find_if(all.begin(), all.end(), [&](const placed_array& one) {
    return touched->first - start >= one.first && touched->last - start < one.end;
  });
  return seen == all.end() ? whole : seen->source->name;
}

std::string seen_name(const page& of, const recorded_access& access) {
  const std::vector<priced_access>& rows = access.is_global ? of.costs.global : of.costs.shared;
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const priced_access& one) {
    return is_counted_in(one, access);
  });
  return row == rows.end() ? array_name(*of.kernel, access) : seen_name(of, *row);
}

std::vector<std::string> notes_of_views(const page& of) {
  std::vector<std::string> result;
  if (of.costs.cost.conflicts() == 0) return result;
  for (const code_array& array : of.kernel->shared) {
    if (array.bytes != 0 || !placed_arrays(of, array).empty()) continue;
    std::map<long long, std::string> known;  // by first byte
    for (const carved_array& one : array.source.carved) {
      const auto first = launch_number(of, one.first);
      if (!first || !belongs_to_kernel(of, one)) continue;
      const auto [other, is_new] = known.try_emplace(*first, one.name);
      if (is_new) continue;
      result.push_back(joined(array.name, " is counted and planned as one array: ", other->second,
                              " and ", one.name, " begin at the same byte"));
      break;
    }
  }
  return result;
}

}  // namespace compiled
