// SPDX-License-Identifier: MIT
#include "placed_arrays.hpp"

#include <algorithm>
#include <map>

#include "../engine/memory.hpp"
#include "../engine/prepared_kernel.hpp"
#include "../engine/values.hpp"

namespace compiled {

namespace {

std::optional<long long> argument_number(const page& kernel_page, const std::string& name) {
  const auto number = parameter_number(*kernel_page.kernel, name);
  if (!number) return std::nullopt;
  auto argument = kernel_page.settings.arguments.find(name);
  if (argument == kernel_page.settings.arguments.end())
    argument = kernel_page.settings.arguments.find(joined("p", static_cast<int>(*number)));
  if (argument == kernel_page.settings.arguments.end()) return std::nullopt;
  const bool is_narrow = kernel_page.kernel->parameters[*number].bytes == 4;
  return is_narrow ? static_cast<std::int32_t>(argument->second)
                   : static_cast<long long>(argument->second);
}

}  // namespace

std::optional<long long> launch_number(const page& kernel_page, const size_form& size) {
  long long result = 0;
  for (const auto& [names, times] : size) {
    long long product = times;
    for (const std::string& name : names) {
      const auto value = argument_number(kernel_page, name);
      if (!value) return std::nullopt;
      product *= *value;
    }
    result += product;
  }
  return result;
}

namespace {

bool belongs_to_kernel(const page& kernel_page, const carved_array& array) {
  const std::string name = kernel_page.kernel->name.substr(0, kernel_page.kernel->name.find('<'));
  return name == array.function || name.ends_with("::" + array.function);
}

}  // namespace

long long bytes_in_launch(const page& kernel_page, const code_array& array) {
  return array.bytes == 0 ? kernel_page.settings.dynamic_shared_bytes
                          : static_cast<long long>(array.bytes);
}

std::vector<placed_array> placed_arrays(const page& kernel_page, const code_array& array) {
  const std::vector<carved_array>& carved = array.source.carved;
  std::vector<placed_array> result;
  if (array.bytes != 0) {
    if (carved.size() == 1 && carved[0].element_bytes == array.element_bytes)
      result.push_back({&carved[0], 0, 0, bytes_in_launch(kernel_page, array)});
    return result;
  }
  for (std::size_t number = 0; number < carved.size(); ++number) {
    if (!belongs_to_kernel(kernel_page, carved[number])) continue;
    const auto first = launch_number(kernel_page, carved[number].first);
    if (!first || *first < 0) return {};
    result.push_back({&carved[number], number, *first, kernel_page.settings.dynamic_shared_bytes});
  }
  std::ranges::stable_sort(
      result, [](const auto& placed, const auto& other) { return placed.first < other.first; });
  for (std::size_t position = 1; position < result.size(); ++position) {
    if (result[position].first == result[position - 1].first) return {};
    result[position - 1].end = result[position].first;
  }
  return result;
}

namespace {

struct touched_bytes {
  long long first = INT64_MAX, last = INT64_MIN;
};

// Of all requests of a row. Nothing if some are not known.
std::optional<touched_bytes> touched_by(const page& kernel_page, const priced_access& row) {
  touched_bytes result;
  for (const recorded_access& access : kernel_page.recorded->accesses) {
    if (!is_counted_in(row, access)) continue;
    if (access.is_partial || !access.bounded.empty() || !access.moved.empty()) return std::nullopt;
    for (const recorded_class& group : access.classes)
      for_each_lane(group.lanes.active, [&](int lane) {
        const long long distance = group.lanes.address[lane];
        result.first = std::min(result.first, group.times.begin()->first + distance);
        result.last =
            std::max(result.last, group.times.rbegin()->first + distance + group.lanes.bytes - 1);
      });
  }
  return result.first > result.last ? std::nullopt : std::optional(result);
}

}  // namespace

std::string seen_name(const page& kernel_page, const priced_access& row) {
  const std::string name = array_name(*kernel_page.kernel, *row.first);
  if (row.first->is_global || row.first->array < 0) return name;
  const auto number = static_cast<std::size_t>(row.first->array);
  if (number >= kernel_page.kernel->shared.size() || kernel_page.kernel->shared[number].bytes != 0)
    return name;
  const std::vector<placed_array> placed =
      placed_arrays(kernel_page, kernel_page.kernel->shared[number]);
  const auto touched = placed.empty() ? std::nullopt : touched_by(kernel_page, row);
  if (!touched) return name;
  const auto start = static_cast<long long>(
      laid_out(*kernel_page.kernel,
               static_cast<std::uint64_t>(kernel_page.settings.dynamic_shared_bytes))
          .first[number]);
  const auto seen = std::ranges::find_if(placed, [&](const placed_array& candidate) {
    return touched->first - start >= candidate.first && touched->last - start < candidate.end;
  });
  return seen == placed.end() ? name : seen->source->name;
}

std::string seen_name(const page& kernel_page, const recorded_access& access) {
  const std::vector<priced_access>& rows =
      access.is_global ? kernel_page.costs.global : kernel_page.costs.shared;
  const auto row = std::ranges::find_if(
      rows, [&](const priced_access& entry) { return is_counted_in(entry, access); });
  return row == rows.end() ? array_name(*kernel_page.kernel, access) : seen_name(kernel_page, *row);
}

std::vector<std::string> notes_of_views(const page& kernel_page) {
  std::vector<std::string> result;
  if (kernel_page.costs.cost.conflicts() == 0) return result;
  for (const code_array& array : kernel_page.kernel->shared) {
    if (array.bytes != 0 || !placed_arrays(kernel_page, array).empty()) continue;
    std::map<long long, std::string> known;  // by first byte
    for (const carved_array& carved : array.source.carved) {
      const auto first = launch_number(kernel_page, carved.first);
      if (!first || !belongs_to_kernel(kernel_page, carved)) continue;
      const auto [other, is_new] = known.try_emplace(*first, carved.name);
      if (is_new) continue;
      result.push_back(joined(array.name, " is counted and planned as one array: ", other->second,
                              " and ", carved.name, " begin at the same byte"));
      break;
    }
  }
  return result;
}

}  // namespace compiled
