// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_COSTS_BY_BASE_HPP
#define BANKMODEL_SEARCH_DETAIL_COSTS_BY_BASE_HPP

#include <bankmodel/count/price_at_all_bases.hpp>
#include <bankmodel/search/detail/kernel_access.hpp>

// The costs of one array at each of its bases.
namespace bankmodel::detail {

// The cost of an array that begins at r * align bytes, for each r below `count`, and its cost
// without any conflict.
struct costs_by_base {
  int count;
  std::uint64_t wavefronts[price::most_residues];
  std::uint64_t ideal;

  BANKMODEL_FN void clear() {
    for (int r = 0; r < count; ++r) wavefronts[r] = 0;
    ideal = 0;
  }
  // Adds the cost at one base.
  BANKMODEL_FN void add_at(int base, const cost& one) {
    wavefronts[base] = checked_count_sum(wavefronts[base], one.wavefronts);
    if (base == 0) ideal = checked_count_sum(ideal, one.ideal);
  }
  // Adds `at_base`, the wavefronts at each of `residues` bases that are an element apart.
  BANKMODEL_FN void add(const std::uint64_t* at_base, int residues, int elements_apart,
                        std::uint64_t without_conflict) {
    for (int r = 0; r < count; ++r)
      wavefronts[r] =
          checked_count_sum(wavefronts[r], at_base[(r * elements_apart) & (residues - 1)]);
    ideal = checked_count_sum(ideal, without_conflict);
  }
};

// Sets `to` to the costs of an array with any layout, by counting each access: for declared layouts
// that are not strided, and for arrays with too many requests.
// Error: the errors of total().
BANKMODEL_FN void price_by_counting(const machine& m, const kernel_accesses& accesses, int array,
                                    const array_description& as, int align, costs_by_base& to) {
  to.clear();
  for (int at = 0; at < accesses.count; ++at) {
    const kernel_access& one = accesses.each[at];
    if (one.array != array || one.same_as >= 0) continue;
    const std::uint64_t weight = accesses.weight_of(at);
    const geometry banks = m.banks(one.bytes(), one.kind);
    if (to.count == 1 || price::residues_of(banks, as.element_bytes) == 0) {
      for (int base = 0; base < to.count; ++base)
        to.add_at(base, counted_in(m, accesses.block, one, as.at(base * align)).sum * weight);
      continue;
    }
    std::uint64_t at_base[price::most_residues];
    price_at_all_bases costs(m, one.bytes(), one.kind, as.element_bytes, at_base);
    give_all_requests(m, accesses.block, one, as, costs.taker());
    const cost all = costs.sum_and_all();
    for (int r = 0; r < costs.residues(); ++r)
      at_base[r] = checked_count_product(at_base[r], weight);
    to.add(at_base, costs.residues(), align / as.element_bytes,
           checked_count_product(all.ideal, weight));
  }
}

}  // namespace bankmodel::detail

#endif
