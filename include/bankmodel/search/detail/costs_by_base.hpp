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
  BANKMODEL_FN void add_at(int base, const cost& base_cost) {
    wavefronts[base] = checked_count_sum(wavefronts[base], base_cost.wavefronts);
    if (base == 0) ideal = checked_count_sum(ideal, base_cost.ideal);
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

// Adds the costs of access number `number`, with its weight, by counting its requests in its array
// with any layout. Returns its cost at base 0, without the weight. `work`: the steps that were
// taken before; they are part of the result.
// Error: the errors of total().
BANKMODEL_FN counted_total add_by_counting(const machine& m, const kernel_accesses& accesses,
                                           int number, const array_description& description,
                                           int align, costs_by_base& base_costs, long long work) {
  const kernel_access& access = accesses.list[number];
  const std::uint64_t weight = accesses.weight_of(number);
  if (base_costs.count == 1 ||
      price::residues_of(m.banks(access.bytes(), access.kind), description.element_bytes) == 0) {
    counted_total first{};
    long long steps = work;
    for (int base = 0; base < base_costs.count; ++base) {
      const counted_total counted =
          counted_in(m, accesses.block, access, description.at(base * align), work);
      steps += counted.work - work;
      if (base == 0) first = counted;
      base_costs.add_at(base, counted.sum * weight);
    }
    return {first.sum, first.evaluated, steps};
  }
  std::uint64_t at_base[price::most_residues];
  price_at_all_bases costs(m, access.bytes(), access.kind, description.element_bytes, at_base);
  const walked traversal =
      give_all_requests(m, accesses.block, access, description, costs.taker(), work);
  cost sum = costs.sum_and_all();
  sum.method = traversal.found_by;
  for (int r = 0; r < costs.residues(); ++r) at_base[r] = checked_count_product(at_base[r], weight);
  base_costs.add(at_base, costs.residues(), align / description.element_bytes,
                 checked_count_product(sum.ideal, weight));
  return {sum, costs.evaluated(), traversal.steps + costs.taker().work};
}

// Sets `base_costs` to the costs of an array with any layout, by counting each access: for declared
// layouts that are not strided, and for arrays with too many requests.
// Error: the errors of total().
BANKMODEL_FN void price_by_counting(const machine& m, const kernel_accesses& accesses, int array,
                                    const array_description& description, int align,
                                    costs_by_base& base_costs) {
  base_costs.clear();
  for (int number = 0; number < accesses.count; ++number)
    if (accesses.list[number].array == array && accesses.list[number].same_as < 0)
      (void)add_by_counting(m, accesses, number, description, align, base_costs, 0);
}

}  // namespace bankmodel::detail

#endif
