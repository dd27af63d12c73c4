// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_TOTALS_HPP
#define BANKMODEL_COUNT_TOTALS_HPP

#include <bankmodel/count/total.hpp>

namespace bankmodel {

// What a block's loads, stores and atomics cost, each apart, as profilers count them: ldmatrix,
// ds_read2 and ds_read_tr are loads; stmatrix and cp.async are stores.
struct cost_by_kind {
  cost loads = {}, stores = {}, atomics = {};

  // All three together: what total() says of the same accesses.
  BANKMODEL_FN cost all() const { return loads + stores + atomics; }

  // Both, one after the other. Refused if a count overflows.
  BANKMODEL_FN cost_by_kind operator+(const cost_by_kind& other) const {
    return {loads + other.loads, stores + other.stores, atomics + other.atomics};
  }
  // This `times` over: what a launch of so many such blocks costs. Refused if a count overflows.
  BANKMODEL_FN cost_by_kind operator*(std::uint64_t times) const {
    return {loads * times, stores * times, atomics * times};
  }

  bool operator==(const cost_by_kind&) const = default;
};

// The total of one access, in the part that it belongs to. Refused: what total() refuses.
template <int Wrappers, int Nodes>
BANKMODEL_FN cost_by_kind totals(const machine& m, const block_dim& block,
                                 const access_expression<Wrappers, Nodes>& access,
                                 const block_index& at = {}) {
  cost_by_kind result{};
  const cost sum = total(m, block, access, at);
  switch (access.kind) {
    case access_kind::store:
    case access_kind::store_matrix: result.stores = sum; break;
    case access_kind::atomic: result.atomics = sum; break;
    default: result.loads = sum;
  }
  return result;
}

// The sum over several accesses.
BANKMODEL_FN cost_by_kind totals(const machine&, const block_dim&, const access_list<>&,
                                 const block_index& = {}) {
  return {};
}
template <class First, class... Rest>
BANKMODEL_FN cost_by_kind totals(const machine& m, const block_dim& block,
                                 const access_list<First, Rest...>& list,
                                 const block_index& at = {}) {
  return totals(m, block, list.first, at) + totals(m, block, list.rest, at);
}
template <detail::accesses First, detail::accesses Second, detail::accesses... Rest>
BANKMODEL_FN cost_by_kind totals(const machine& m, const block_dim& block, const First& first,
                                 const Second& second, const Rest&... rest) {
  return totals(m, block, detail::list_of(first, second, rest...));
}

// The sum over a kernel's accesses, for its block.
//
// totals(nvidia::sm_90, kernel(block_dim{32, 32}, store(tile[ty][tx]), load(tile[tx][ty]))) of
// float tile[32][32]: loads of 32 requests and 1024 wavefronts, 992 of them conflicts; stores of
// 32 requests and 32 wavefronts; no atomics.
template <class... Accesses>
BANKMODEL_FN cost_by_kind totals(const machine& m, const kernel_description<Accesses...>& kernel,
                                 const block_index& at = {}) {
  return totals(m, kernel.block, kernel.accesses, at);
}

}  // namespace bankmodel

#endif
