// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_KERNEL_REQUESTS_HPP
#define BANKMODEL_SEARCH_DETAIL_KERNEL_REQUESTS_HPP

#include <bankmodel/search/detail/declared_arrays.hpp>
#include <bankmodel/search/detail/footprints.hpp>
#include <bankmodel/search/plan.hpp>

// The requests of all accesses of a kernel, collected once, and their costs.
namespace bankmodel::detail {

class kernel_requests {
 public:
  BANKMODEL_FN explicit kernel_requests(const kernel_accesses& accesses) : accesses_(accesses) {}

  // Collects them, and counts each access as declared.
  BANKMODEL_FN void collect(const machine& m, const declared_arrays& declared,
                            effort_left& effort) {
    collected_.clear();
    for (int array = 0; array < declared.count; ++array) {
      const array_description& one = *declared.each[array];
      is_collected_[array] = prices_[array].collect(m, accesses_, array, one,
                                                    bases_matter(m, array), collected_, effort);
      count_declared(m, array, one, effort);
    }
  }
  BANKMODEL_FN collected_requests& collected() { return collected_; }

  // The prices of an array in strided layouts, on a machine; nullptr if it has too many requests.
  BANKMODEL_FN const strided_prices* prices(const machine& m, int array, int bases) {
    if (!is_collected_[array]) return nullptr;
    prices_[array].set_machine(m, collected_, bases);
    return &prices_[array];
  }
  // Sets `to` to the costs of an array with any layout.
  BANKMODEL_FN void price_layout(const machine& m, int array, const array_description& as,
                                 int align, costs_by_base& to, effort_left& effort) {
    const strided_prices* const known =
        as.layout.is_strided() ? prices(m, array, to.count) : nullptr;
    if (known == nullptr) return price_by_counting(m, accesses_, array, as, align, to);
    known->price_layout(m, collected_, strides_of(as.layout), align, ~std::uint64_t{0}, to, effort);
  }
  // Sets the present cost of each access of an array to that in a plan.
  BANKMODEL_FN void price_planned(const machine& m, int array, const planned_array& as,
                                  footprints& touched) {
    const bool in_rows = is_collected_[array] && as.layout.is_strided();
    if (in_rows)
      prices_[array].price_accesses(m, collected_, as.layout, as.offset_bytes, accesses_);
    for (int at = 0; at < accesses_.count; ++at) {
      kernel_access& one = accesses_.each[at];
      if (in_rows || one.array != array || one.same_as >= 0) continue;
      if (as.layout == as.declared.layout || as.layout.is_strided())
        one.present = counted_in(m, accesses_.block, one, as.planned()).sum;
      else
        one.present =
            touched.cost_of(m, accesses_.block, one, as.layout, as.offset_bytes, one.before);
    }
  }

 private:
  // True if the cost of an access of the array depends on its base, with some bank width.
  BANKMODEL_FN bool bases_matter(const machine& m, int array) const {
    for (int at = 0; at < accesses_.count; ++at) {
      const kernel_access& one = accesses_.each[at];
      if (one.array != array) continue;
      const int widths[2] = {m.bank_width, m.other_bank_width};
      for (int which = 0; which < (m.other_bank_width == 0 ? 1 : 2); ++which) {
        const geometry banks = m.with_bank_width(widths[which]).banks(one.bytes(), one.kind);
        if (price::residues_of(banks, one.declared->element_bytes) != 1) return true;
      }
    }
    return false;
  }

  BANKMODEL_FN void count_declared(const machine& m, int array, const array_description& declared,
                                   effort_left& effort) {
    const bool in_rows = is_collected_[array] && declared.layout.is_strided();
    if (in_rows)
      prices_[array].price_accesses(m, collected_, declared.layout, declared.base_bytes, accesses_);
    for (int at = 0; at < accesses_.count; ++at) {
      kernel_access& one = accesses_.each[at];
      if (one.array != array || one.same_as >= 0) continue;
      // Only total() finds wide accesses that are not aligned.
      if (in_rows && one.vector == 1 && one.given == nullptr) {
        one.before = one.present;
        continue;
      }
      const counted_total all = counted_in(m, accesses_.block, one, declared);
      one.before = all.sum;
      effort.spend(2500 + (300 + all.steps_of_lanes) * static_cast<long long>(all.evaluated));
    }
  }

  const kernel_accesses& accesses_;
  bool is_collected_[most_planned_arrays];
  strided_prices prices_[most_planned_arrays];
  collected_requests collected_;
};

}  // namespace bankmodel::detail

#endif
