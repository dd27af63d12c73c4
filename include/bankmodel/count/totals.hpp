// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_TOTALS_HPP
#define BANKMODEL_COUNT_TOTALS_HPP

#include <bankmodel/count/total.hpp>

// Costs by kind of access, to compare with profilers.
namespace bankmodel {

// The costs of a block's loads, stores and atomics separately, as profilers count them: ldmatrix,
// ds_read2 and ds_read_tr are loads; stmatrix and cp.async are stores.
struct cost_by_kind {
  cost loads = {}, stores = {}, atomics = {};

  // The sum of all three: total() of the same accesses.
  BANKMODEL_FN cost all() const { return loads + stores + atomics; }

  // The costs of both. Error: a count overflows.
  BANKMODEL_FN cost_by_kind operator+(const cost_by_kind& other) const {
    return {loads + other.loads, stores + other.stores, atomics + other.atomics};
  }
  // The costs of doing this `times` times, as in a launch. Error: a count overflows.
  BANKMODEL_FN cost_by_kind operator*(std::uint64_t times) const {
    return {loads * times, stores * times, atomics * times};
  }

  bool operator==(const cost_by_kind&) const = default;
};

namespace detail {
BANKMODEL_FN cost_by_kind of_kind(access_kind kind, const cost& sum) {
  switch (kind) {
    case access_kind::store:
    case access_kind::store_matrix:
    case access_kind::copy:
    case access_kind::copy_uncached: return {.loads = {}, .stores = sum, .atomics = {}};
    case access_kind::atomic: return {.loads = {}, .stores = {}, .atomics = sum};
    default: return {.loads = sum, .stores = {}, .atomics = {}};
  }
}
}  // namespace detail

// Returns the cost of one request, or of one access for a block of threads, under its kind.
// `grid_index` is the block's index. Error: as for total().
BANKMODEL_FN cost_by_kind totals(const machine& m, const request& r) {
  return detail::of_kind(r.kind, total(m, r));
}
template <int Wrappers, int Nodes>
BANKMODEL_FN cost_by_kind totals(const machine& m, const block_dim& block,
                                 const access_expression<Wrappers, Nodes>& access,
                                 const block_index& grid_index = {}) {
  return detail::of_kind(access.kind, total(m, block, access, grid_index));
}

// Returns the sum over several accesses, as for total().
BANKMODEL_FN cost_by_kind totals(const machine&, const block_dim&, const access_list<>&,
                                 const block_index& = {}) {
  return {};
}
template <class First, class... Rest>
BANKMODEL_FN cost_by_kind totals(const machine& m, const block_dim& block,
                                 const access_list<First, Rest...>& list,
                                 const block_index& grid_index = {}) {
  return totals(m, block, list.first, grid_index) + totals(m, block, list.rest, grid_index);
}
template <detail::accesses First, detail::accesses Second, detail::accesses... Rest>
BANKMODEL_FN cost_by_kind totals(const machine& m, const block_dim& block, const First& first,
                                 const Second& second, const Rest&... rest) {
  return totals(m, block, detail::list_of(first, second, rest...));
}

// Returns the sum over a kernel's accesses, for its block.
// Example:
//
//   constexpr auto tile = shared_array<float>("tile", 32, 32);
//   constexpr auto transpose = kernel(block_dim{32, 32}, store(tile[ty][tx]), load(tile[tx][ty]));
//   constexpr cost_by_kind by_kind = totals(nvidia::sm_90, transpose);
//   static_assert(by_kind.loads.requests == 32 && by_kind.loads.conflicts() == 992);
//   static_assert(by_kind.stores.wavefronts == 32 && by_kind.atomics.requests == 0);
template <class... Accesses>
BANKMODEL_FN cost_by_kind totals(const machine& m, const kernel_description<Accesses...>& kernel,
                                 const block_index& grid_index = {}) {
  return totals(m, kernel.block, kernel.accesses, grid_index);
}

}  // namespace bankmodel

#endif
