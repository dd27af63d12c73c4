// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_PROFILE_DETAIL_REQUESTED_BYTES_HPP
#define BANKMODEL_HOST_PROFILE_DETAIL_REQUESTED_BYTES_HPP

#include <bankmodel/count/request_classes.hpp>

#include <bit>
#include <cstdint>
#include <optional>

// The bytes that the active lanes of an access ask for, which profilers' efficiencies are of.
namespace bankmodel::detail {

// The active lanes of all requests of a class.
inline std::uint64_t active_lanes(const request_class& requests) {
  std::uint64_t count = requests.times;
  for (int level = 0; level < requests.loops; ++level)
    count = checked_count_product(count, static_cast<std::uint64_t>(requests.loop[level].trips));
  return checked_count_product(count,
                               static_cast<std::uint64_t>(std::popcount(requests.lanes.active)));
}

// The bytes of all requests of a block; lanes at the same address count each.
template <int Wrappers, int Nodes>
std::uint64_t requested_bytes(const machine& m, const block_dim& block,
                              const access_expression<Wrappers, Nodes>& access) {
  std::uint64_t result = 0;
  for_each_request_class(m, block, access, [&](const request_class& requests) {
    const auto bytes = static_cast<std::uint64_t>(requests.lanes.bytes);
    result = checked_count_sum(result, checked_count_product(active_lanes(requests), bytes));
  });
  return result;
}

inline std::optional<std::uint64_t> sum_of_both(const std::optional<std::uint64_t>& first,
                                                const std::optional<std::uint64_t>& second) {
  if (!first || !second) return std::nullopt;
  return checked_count_sum(*first, *second);
}

}  // namespace bankmodel::detail

#endif
