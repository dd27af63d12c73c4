// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_KERNEL_REQUESTS_HPP
#define BANKMODEL_SEARCH_DETAIL_KERNEL_REQUESTS_HPP

#include <bankmodel/search/detail/array_options.hpp>
#include <bankmodel/search/detail/declared_arrays.hpp>
#include <bankmodel/search/detail/footprints.hpp>
#include <bankmodel/search/plan.hpp>

// The requests of all accesses of a kernel, collected once, and their costs.
namespace bankmodel::detail {

class kernel_requests {
 public:
  BANKMODEL_FN explicit kernel_requests(const kernel_accesses& accesses) : accesses_(accesses) {}

  // Collects them, and counts each access as declared. `options`: of each array.
  BANKMODEL_FN void collect(const machine& m, const declared_arrays& declared,
                            const array_options* options, effort_left& effort) {
    collected_.clear();
    counted_width_ = m.bank_width;
    long long work = 0;
    for (int array = 0; array < declared.count; ++array) {
      const array_description& one = *declared.each[array];
      const int end = prices_[array].collect(m, accesses_, array, one, bases_matter(m, array),
                                             collected_, effort);
      is_collected_[array] = end == accesses_.count;
      const long long before = work;
      as_declared_[array].count = 0;
      // Counting at all bases takes little more, and then they are counted once.
      if (!is_collected_[array] && one.layout.is_strided() &&
          (options[array].period() == options[array].align() ||
           one.base_bytes % options[array].period() == 0))
        as_declared_[array].count = options[array].bases();
      count_declared(m, array, one, one.layout.is_strided() ? end : 0, options[array].align(),
                     work);
      work_[array] = work - before;
      effort.spend(work_[array]);
    }
  }
  BANKMODEL_FN collected_requests& collected() { return collected_; }

  // The prices of an array in strided layouts, on a machine; nullptr if it has too many requests.
  BANKMODEL_FN const strided_prices* prices(const machine& m, int array, int bases) {
    if (!is_collected_[array]) return nullptr;
    prices_[array].set_machine(m, collected_, bases);
    return &prices_[array];
  }
  // Sets `to` to the costs of an array as declared, with any layout.
  BANKMODEL_FN void price_layout(const machine& m, int array, const array_description& as,
                                 int align, costs_by_base& to, effort_left& effort) {
    const strided_prices* const known =
        as.layout.is_strided() ? prices(m, array, to.count) : nullptr;
    if (known == nullptr) {
      effort.spend(work_[array]);
      return price_by_counting(m, accesses_, array, as, align, to);
    }
    known->price_layout(m, collected_, strides_of(as.layout), align, ~std::uint64_t{0}, to, effort);
  }
  // About the steps of clang that it takes.
  BANKMODEL_FN long long steps_of_layout(const machine& m, int array, const array_description& as,
                                         int bases) {
    const strided_prices* const known = as.layout.is_strided() ? prices(m, array, bases) : nullptr;
    return known == nullptr ? work_[array] : known->steps();
  }
  // The costs of an array as declared, with the bank width that the machine starts with, if its
  // requests were counted but not collected; else nullptr.
  BANKMODEL_FN const costs_by_base* counted_as_declared(int array) const {
    return as_declared_[array].count == 0 ? nullptr : &as_declared_[array];
  }
  // About the steps that it took.
  BANKMODEL_FN long long steps_of_counting(int array) const { return work_[array]; }
  // The cost of all accesses of an array as declared, at its own base, with that bank width.
  BANKMODEL_FN cost cost_as_declared(int array) const {
    cost sum{};
    for (int at = 0; at < accesses_.count; ++at)
      if (accesses_.each[at].array == array && accesses_.each[at].same_as < 0)
        sum = sum + accesses_.each[at].before * accesses_.weight_of(at);
    return sum;
  }
  // Sets the present cost of each access of an array to that in a plan.
  // `period`: bases that are equal modulo this number of bytes cost the same.
  BANKMODEL_FN void price_planned(const machine& m, int array, const planned_array& as, int period,
                                  footprints& touched) {
    const bool in_rows = is_collected_[array] && as.layout.is_strided();
    if (in_rows)
      prices_[array].price_accesses(m, collected_, as.layout, as.offset_bytes, accesses_);
    for (int at = 0; at < accesses_.count; ++at) {
      kernel_access& one = accesses_.each[at];
      if (in_rows || one.array != array || one.same_as >= 0) continue;
      if (m.bank_width == counted_width_ && as.layout == as.declared.layout &&
          (as.offset_bytes - as.declared.base_bytes) % period == 0)
        one.present = one.before;  // counting it again takes as many steps
      else if (as.layout == as.declared.layout || as.layout.is_strided())
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

  // Sets the cost before of each access of an array. The costs of accesses below `priced` are
  // present. `work`: the steps that were taken for all; those of this array are added.
  BANKMODEL_FN void count_declared(const machine& m, int array, const array_description& declared,
                                   int priced, int align, long long& work) {
    costs_by_base& costs = as_declared_[array];
    costs.clear();
    for (int at = 0; at < accesses_.count; ++at) {
      kernel_access& one = accesses_.each[at];
      if (one.array != array || one.same_as >= 0) continue;
      // Only total() finds wide accesses that are not aligned.
      if (at < priced && one.vector == 1 && one.given == nullptr && costs.count == 0) {
        one.before = one.present;
        continue;
      }
      // At run time the limits of total() are those of each access.
      long long taken = 0;
      if (__builtin_is_constant_evaluated()) taken = work;
      const counted_total all =
          costs.count == 0 ? counted_in(m, accesses_.block, one, declared, taken)
                           : add_by_counting(m, accesses_, at, declared.at(0), align, costs, taken);
      one.before = all.sum;
      work += all.work - taken + 2500;
    }
  }

  const kernel_accesses& accesses_;
  long long work_[most_planned_arrays];             // steps to count the accesses of an array once
  costs_by_base as_declared_[most_planned_arrays];  // without bases if they are not known
  int counted_width_ = 0;  // the bank width of each access's cost as declared
  bool is_collected_[most_planned_arrays];
  strided_prices prices_[most_planned_arrays];
  collected_requests collected_;
};

}  // namespace bankmodel::detail

#endif
