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
      const array_description& description = *declared.arrays[array];
      const int end = prices_[array].collect(m, accesses_, array, description,
                                             bases_matter(m, array), collected_, effort);
      is_collected_[array] = end == accesses_.count;
      const long long previous_work = work;
      as_declared_[array].count = 0;
      // Counting at all bases takes little more, and then they are counted once.
      if (!is_collected_[array] && description.layout.is_strided() &&
          (options[array].period() == options[array].align() ||
           description.base_bytes % options[array].period() == 0))
        as_declared_[array].count = options[array].bases();
      count_declared(m, array, description, description.layout.is_strided() ? end : 0,
                     options[array].align(), work);
      work_[array] = work - previous_work;
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
  // Sets `costs` to the costs of an array as declared, with any layout.
  BANKMODEL_FN void price_layout(const machine& m, int array, const array_description& description,
                                 int align, costs_by_base& costs, effort_left& effort) {
    const strided_prices* const known =
        description.layout.is_strided() ? prices(m, array, costs.count) : nullptr;
    if (known == nullptr) {
      effort.spend(work_[array]);
      return price_by_counting(m, accesses_, array, description, align, costs);
    }
    known->price_layout(m, collected_, strides_of(description.layout), align, ~std::uint64_t{0},
                        costs, effort);
  }
  // About the steps of clang that it takes.
  BANKMODEL_FN long long steps_of_layout(const machine& m, int array,
                                         const array_description& description, int bases) {
    const strided_prices* const known =
        description.layout.is_strided() ? prices(m, array, bases) : nullptr;
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
    for (int number = 0; number < accesses_.count; ++number)
      if (accesses_.list[number].array == array && accesses_.list[number].same_as < 0)
        sum = sum + accesses_.list[number].declared_cost * accesses_.weight_of(number);
    return sum;
  }
  // Sets the present cost of each access of an array to that in a plan.
  // `period`: bases that are equal modulo this number of bytes cost the same.
  BANKMODEL_FN void price_planned(const machine& m, int array, const planned_array& plan,
                                  int period, footprints& touched) {
    const bool in_rows = is_collected_[array] && plan.layout.is_strided();
    if (in_rows)
      prices_[array].price_accesses(m, collected_, plan.layout, plan.offset_bytes, accesses_);
    for (int number = 0; number < accesses_.count; ++number) {
      kernel_access& access = accesses_.list[number];
      if (in_rows || access.array != array || access.same_as >= 0) continue;
      if (m.bank_width == counted_width_ && plan.layout == plan.declared.layout &&
          (plan.offset_bytes - plan.declared.base_bytes) % period == 0)
        access.present = access.declared_cost;  // counting it again takes as many steps
      else if (plan.layout == plan.declared.layout || plan.layout.is_strided())
        access.present = counted_in(m, accesses_.block, access, plan.planned()).sum;
      else
        access.present = touched.cost_of(m, accesses_.block, access, plan.layout, plan.offset_bytes,
                                         access.declared_cost);
    }
  }

 private:
  // True if the cost of an access of the array depends on its base, with some bank width.
  BANKMODEL_FN bool bases_matter(const machine& m, int array) const {
    for (int number = 0; number < accesses_.count; ++number) {
      const kernel_access& access = accesses_.list[number];
      if (access.array != array) continue;
      const int bytes = access.declared->element_bytes;
      if (price::residues_of(m.banks(access.bytes(), access.kind), bytes) != 1) return true;
      if (m.other_bank_width == 0) continue;
      const machine other = m.with_bank_width(m.other_bank_width);
      if (price::residues_of(other.banks(access.bytes(), access.kind), bytes) != 1) return true;
    }
    return false;
  }

  // Sets the cost before of each access of an array. The costs of accesses below `priced` are
  // present. `work`: the steps that were taken for all; those of this array are added.
  BANKMODEL_FN void count_declared(const machine& m, int array, const array_description& declared,
                                   int priced, int align, long long& work) {
    costs_by_base& costs = as_declared_[array];
    costs.clear();
    for (int number = 0; number < accesses_.count; ++number) {
      kernel_access& access = accesses_.list[number];
      if (access.array != array || access.same_as >= 0) continue;
      // Only total() finds wide accesses that are not aligned.
      if (number < priced && access.vector == 1 && access.classes == nullptr && costs.count == 0) {
        access.declared_cost = access.present;
        continue;
      }
      // At run time the limits of total() are those of each access.
      long long previous_work = 0;
      if (__builtin_is_constant_evaluated()) previous_work = work;
      const counted_total counted =
          costs.count == 0
              ? counted_in(m, accesses_.block, access, declared, previous_work)
              : add_by_counting(m, accesses_, number, declared.at(0), align, costs, previous_work);
      access.declared_cost = counted.sum;
      work += counted.work - previous_work + 2500;
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
