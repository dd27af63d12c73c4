// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_REORGANIZE_TILE_REQUESTS_HPP
#define BANKMODEL_HOST_REORGANIZE_TILE_REQUESTS_HPP

#include <bankmodel/count/request_class.hpp>
#include <bankmodel/host/reorganize/block_tables.hpp>
#include <bankmodel/model/wavefronts.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// The bank conflicts of sharing: the references read the tiles of their blocks in shared memory.
namespace bankmodel {

namespace detail {

// The request of a reference by the warp whose first new thread is `first`. The tile begins at byte
// 0. Places are read through place(index).
template <class Place>
request tile_request(const reorganize::irregular_references& references,
                     const std::vector<std::uint32_t>& indices, std::uint64_t first,
                     const Place& place) {
  request result;
  result.bytes = references.element_bytes;
  const std::uint64_t last =
      std::min<std::uint64_t>(indices.size(), first + static_cast<std::uint64_t>(references.warp));
  for (std::uint64_t thread = first; thread < last; ++thread) {
    if (indices[thread] == reorganize::no_element) continue;
    result.active |= std::uint64_t{1} << (thread - first);
    result.address[thread - first] =
        static_cast<long long>(place(indices[thread])) * references.element_bytes;
  }
  return result;
}

inline void require_warps_of(const machine& m, const reorganize::irregular_references& references) {
  m.require_valid();
  references.require_launch();
  if (m.lanes != references.warp)
    rule::the_warps_must_be_those_of_the_machine(references.warp, m.lanes);
}

}  // namespace detail

namespace reorganize {

// Calls visit(request) for each request of the references to the tiles: reference by reference of
// each warp, without requests of no active lane. The tile of each block begins at byte 0 of shared
// memory, which stands for any multiple of a layer of all banks.
// Requires: `shared` is a result of share(references, ..).
template <class Visit>
void for_each_tile_request(const irregular_references& references, const shared_blocks& shared,
                           Visit&& visit) {
  const std::uint64_t warp = static_cast<std::uint64_t>(references.warp);
  for (std::uint64_t first = 0; first < references.threads(); first += warp)
    for (const std::vector<std::uint32_t>& indices : shared.indices) {
      const request warp_request = detail::tile_request(references, indices, first,
                                                        [](std::uint32_t place) { return place; });
      if (warp_request.active != 0) visit(warp_request);
    }
}

// Returns the cost of the references to the tiles on `m`, request by request, on all cores.
// Error: the machine's warps do not have references.warp threads, or it has no accesses of this
// width.
// Example: see lower_conflicts() in tile_order.hpp.
inline cost tile_cost(const machine& m, const irregular_references& references,
                      const shared_blocks& shared) {
  detail::require_warps_of(m, references);
  const std::uint64_t warp = static_cast<std::uint64_t>(references.warp);
  const std::size_t parts = detail::parts_of(references.cores, references.warps(), 1 << 10);
  std::vector<cost> sums(parts);
  detail::in_parallel(
      parts, references.warps(), [&](std::uint64_t first, std::uint64_t last, std::size_t part) {
        for (std::uint64_t warp_number = first; warp_number < last; ++warp_number)
          for (const std::vector<std::uint32_t>& indices : shared.indices) {
            const request warp_request = detail::tile_request(
                references, indices, warp_number * warp, [](std::uint32_t place) { return place; });
            if (warp_request.active != 0) sums[part] = sums[part] + total(m, warp_request);
          }
      });
  cost sum;
  for (const cost& part_sum : sums) sum = sum + part_sum;
  sum.method = method::each_request;
  return sum;
}

// Returns the request classes of the references to the tiles: equal requests are one class, whose
// `times` is how many they are. Addresses are counted from the layer of all banks that the lowest
// lane touches, of `layer_bytes` bytes (a power of two; on NVIDIA 128, or 256 with banks of 8
// bytes), which changes no cost.
// Memory: at most one class for each request; use for_each_tile_request() for large launches.
// Error: layer_bytes is no power of two.
// Example: 8 blocks of a warp that read places 0 to 31 of their tiles:
//
//   std::vector<int> P(256);
//   for (int thread = 0; thread < 256; ++thread) P[thread] = thread;
//   const irregular_references kernel{.references = {index_array(P)}, .elements = 256,
//                                     .block = 32};
//   const auto classes = tile_request_classes(kernel, share(kernel));
//   assert(classes.size() == 1 && classes[0].times == 8);
inline std::vector<request_class> tile_request_classes(const irregular_references& references,
                                                       const shared_blocks& shared,
                                                       int layer_bytes = 256) {
  if (!detail::is_power_of_two(layer_bytes))
    rule::segments_must_be_powers_of_two(layer_bytes, references.element_bytes);
  std::vector<request_class> result;
  std::map<std::array<long long, max_lanes + 1>, std::size_t> known;
  for_each_tile_request(references, shared, [&](const request& warp_request) {
    request_class requests;
    requests.lanes = warp_request;
    long long lowest = detail::int64_max;
    for (std::uint64_t rest = warp_request.active; rest != 0; rest &= rest - 1)
      lowest = std::min(lowest, warp_request.address[detail::trailing_zeros(rest)]);
    lowest &= -static_cast<long long>(layer_bytes);
    std::array<long long, max_lanes + 1> key = {};
    for (std::uint64_t rest = warp_request.active; rest != 0; rest &= rest - 1) {
      const int lane = detail::trailing_zeros(rest);
      requests.lanes.address[lane] -= lowest;
      key[static_cast<std::size_t>(lane)] = requests.lanes.address[lane];
    }
    key[max_lanes] = static_cast<long long>(warp_request.active);
    const auto [entry, is_new] = known.try_emplace(key, result.size());
    if (is_new)
      result.push_back(requests);
    else
      ++result[entry->second].times;
  });
  return result;
}

}  // namespace reorganize
}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
