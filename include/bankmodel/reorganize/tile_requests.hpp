// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REORGANIZE_TILE_REQUESTS_HPP
#define BANKMODEL_REORGANIZE_TILE_REQUESTS_HPP

#include <bankmodel/count/request_class.hpp>
#include <bankmodel/model/wavefronts.hpp>
#include <bankmodel/reorganize/block_tables.hpp>

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
request tile_request(const reorganize::irregular_references& of,
                     const std::vector<std::uint32_t>& indices, std::uint64_t first,
                     const Place& place) {
  request result;
  result.bytes = of.element_bytes;
  const std::uint64_t last =
      std::min<std::uint64_t>(indices.size(), first + static_cast<std::uint64_t>(of.warp));
  for (std::uint64_t thread = first; thread < last; ++thread) {
    if (indices[thread] == reorganize::no_element) continue;
    result.active |= std::uint64_t{1} << (thread - first);
    result.address[thread - first] =
        static_cast<long long>(place(indices[thread])) * of.element_bytes;
  }
  return result;
}

inline void require_warps_of(const machine& m, const reorganize::irregular_references& of) {
  m.require_valid();
  of.require_launch();
  if (m.lanes != of.warp) rule::the_warps_must_be_those_of_the_machine(of.warp, m.lanes);
}

}  // namespace detail

namespace reorganize {

// Calls visit(request) for each request of the references to the tiles: reference by reference of
// each warp, without requests of no active lane. The tile of each block begins at byte 0 of shared
// memory, which stands for any multiple of a layer of all banks.
// Requires: `shared` is a result of share(of, ..).
template <class Visit>
void for_each_tile_request(const irregular_references& of, const shared_blocks& shared,
                           Visit&& visit) {
  const std::uint64_t warp = static_cast<std::uint64_t>(of.warp);
  for (std::uint64_t first = 0; first < of.threads(); first += warp)
    for (const std::vector<std::uint32_t>& indices : shared.indices) {
      const request one =
          detail::tile_request(of, indices, first, [](std::uint32_t place) { return place; });
      if (one.active != 0) visit(one);
    }
}

// Returns the cost of the references to the tiles on `m`, request by request, on all cores.
// Error: the machine's warps do not have of.warp threads, or it has no accesses of this width.
// Example: see lower_conflicts() in tile_order.hpp.
inline cost tile_cost(const machine& m, const irregular_references& of,
                      const shared_blocks& shared) {
  detail::require_warps_of(m, of);
  const std::uint64_t warp = static_cast<std::uint64_t>(of.warp);
  const std::size_t parts = detail::parts_of(of.cores, of.warps(), 1 << 10);
  std::vector<cost> sums(parts);
  detail::in_parallel(parts, of.warps(),
                      [&](std::uint64_t first, std::uint64_t last, std::size_t part) {
                        for (std::uint64_t at = first; at < last; ++at)
                          for (const std::vector<std::uint32_t>& indices : shared.indices) {
                            const request one = detail::tile_request(
                                of, indices, at * warp, [](std::uint32_t place) { return place; });
                            if (one.active != 0) sums[part] = sums[part] + total(m, one);
                          }
                      });
  cost sum;
  for (const cost& one : sums) sum = sum + one;
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
inline std::vector<request_class> tile_request_classes(const irregular_references& of,
                                                       const shared_blocks& shared,
                                                       int layer_bytes = 256) {
  if (!detail::is_power_of_two(layer_bytes))
    rule::segments_must_be_powers_of_two(layer_bytes, of.element_bytes);
  std::vector<request_class> result;
  std::map<std::array<long long, max_lanes + 1>, std::size_t> known;
  for_each_tile_request(of, shared, [&](const request& one) {
    request_class made;
    made.lanes = one;
    long long lowest = detail::int64_max;
    for (std::uint64_t rest = one.active; rest != 0; rest &= rest - 1)
      lowest = std::min(lowest, one.address[detail::trailing_zeros(rest)]);
    lowest &= -static_cast<long long>(layer_bytes);
    std::array<long long, max_lanes + 1> key = {};
    for (std::uint64_t rest = one.active; rest != 0; rest &= rest - 1) {
      const int lane = detail::trailing_zeros(rest);
      made.lanes.address[lane] -= lowest;
      key[static_cast<std::size_t>(lane)] = made.lanes.address[lane];
    }
    key[max_lanes] = static_cast<long long>(one.active);
    const auto [at, is_new] = known.try_emplace(key, result.size());
    if (is_new)
      result.push_back(made);
    else
      ++result[at->second].times;
  });
  return result;
}

}  // namespace reorganize
}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
