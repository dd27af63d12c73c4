// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_PLAN_SEARCH_HPP
#define BANKMODEL_SEARCH_DETAIL_PLAN_SEARCH_HPP

#include <bankmodel/search/detail/declared_arrays.hpp>
#include <bankmodel/search/detail/placement.hpp>
#include <bankmodel/search/detail/search_limits.hpp>
#include <bankmodel/search/plan.hpp>

// The search for a plan: the part of optimize() that does not depend on a kernel's type.
namespace bankmodel::detail {

constexpr long long default_effort = 1 << 18;  // requests evaluated at run time
constexpr long long tries_of_a_placement = 1 << 22, tries_in_a_constant_expression = 1 << 11;

// The bytes that the arrays need at least, the bytes allowed, and whether a plan was found.
struct plan_found {
  bool found;
  long long least, most;
};

class plan_search {
 public:
  BANKMODEL_FN plan_search(const machine& m, const block_dim& block, kernel_access* accesses,
                           int count, const search& how)
      : machine_(m),
        how_(how),
        accesses_{block, accesses, count},
        order_(how.prefer, m.limits, blocks_without_memory(m, threads(), how)) {
    m.require_valid();
    require_not_negative(how);
    for (int at = 0; at < count; ++at) accesses[at].array = declared_.number_of(accesses[at], at);
    declared_.require_kept(how);
    accesses_.find_twins(m);
    effort_.requests = how.effort > 0 ? how.effort : default_effort;
    const long long all_requests = effort_.requests;
    for (width_ = 0; width_ < offered(); ++width_) set_arrays();
    width_ = 0;
    for (int at = 0; at < count; ++at)
      if (accesses[at].is_twin || accesses[at].given != nullptr ||
          !of_[0][accesses[at].array].counts_declared())
        count_declared(accesses[at]);
    accesses_.copy_counts();
    // Each array has its own share of the effort for each bank width: a share that is not used
    // does not help another array.
    share_ = all_requests / arrays() / offered();
    effort_.requests = all_requests;
    // The plan's accesses are counted again at the end.
    effort_.reserve = effort_left{}.steps - effort_.steps;
    most_bytes_ = most_bytes_of(m, threads(), how);
  }

  // Writes the plan that run() found. Access k is access number k of the plan; if `of` is given, it
  // is one of those that make up number of[k], whose costs are added.
  template <int Count>
  BANKMODEL_FN void write(layout_plan<Count>& plan, const int* of = nullptr) {
    plan.array_count = arrays();
    plan.base_alignment = 16;
    for (int at = 0; at < arrays(); ++at) {
      plan.each_array[at] = {*declared_.each[at],
                             of_[best_.width][at].layout_of(chosen_[at].option),
                             chosen_[at].offset_bytes};
      const int period = of_[best_.width][at].period();
      if (period > plan.base_alignment) plan.base_alignment = period;
    }
    plan.width = best_.width == 0 ? machine_.bank_width : machine_.other_bank_width;
    plan.other_width = machine_.other_bank_width;
    plan.used_bytes = best_.bytes;
    plan.used_bytes_before = declared_bytes(declared_.each, arrays());
    plan.blocks = plan.blocks_before = 0;
    if (machine_.limits.shared_per_multiprocessor != 0) {
      const int registers = how_.registers_per_thread;
      plan.blocks = resident(machine_, {threads(), plan.used_bytes, registers}).blocks;
      plan.blocks_before =
          resident(machine_, {threads(), plan.used_bytes_before, registers}).blocks;
    }
    plan.bound = bound_;

    const machine switched = machine_.with_bank_width(plan.width);
    for (int at = 0; at < accesses_.count; ++at) {
      const kernel_access& one = accesses_.each[at];
      const planned_array& array = plan.each_array[one.array];
      const bool stays = best_.width == 0 && array.planned() == *one.declared;
      cost before = one.before, after = before;
      if (one.same_as >= 0)
        after = plan.after_each[one.same_as];
      else if (!stays && chosen_[one.array].option.permuted != as_declared)
        after = touched_.cost_of(switched, accesses_.block, one, array.layout, before);
      else if (!stays)
        after = counted(switched, accesses_.block, one, array.planned()).sum;
      if (of != nullptr) {
        before = plan.before_each[of[at]] + before;
        after = plan.after_each[of[at]] + after;
      }
      plan.before_each[of != nullptr ? of[at] : at] = before;
      plan.after_each[of != nullptr ? of[at] : at] = after;
    }
  }

  BANKMODEL_FN plan_found run() {
    // The declared layouts first: often there is nothing else to do.
    bool looked[2] = {false, false};
    for (width_ = 0; width_ < offered(); ++width_) {
      looked[width_] = width_ == 0 || effort_.allows(effort_.reserve);
      if (!looked[width_]) continue;
      look_at_declared(false);
      accesses_.copy_counts();
      place();
    }
    // Perhaps because no base was tried.
    if (__builtin_is_constant_evaluated() && best_.bytes == int64_max) {
      width_ = 0;
      look_at_declared(true);
      place();
    }
    // The width whose costs depend on fewer bases comes first: it takes less time, and its
    // result reduces the work for the other. (A compiler starts with the width for which it has
    // looked at the declared arrays.)
    bool other_first = offered() == 2 && of_[1][0].period() < of_[0][0].period();
    if (__builtin_is_constant_evaluated()) other_first = false;
    bound_ = ~std::uint64_t{0};
    for (int at = 0; at < offered(); ++at) {
      width_ = other_first ? 1 - at : at;
      // Phases do not depend on the bank width, so the wavefronts without a conflict do not
      // either.
      const long long reserve = effort_.reserve;
      // A compiler's steps are shared by both widths.
      if (at + 1 < offered() && looked[1] && effort_.steps / 2 > reserve)
        effort_.reserve = effort_.steps / 2;
      const std::uint64_t bound = looked[width_] ? look_further() : ideal_[1 - width_];
      effort_.reserve = reserve;
      if (bound < bound_) bound_ = bound;
    }
    if (may_be_improved(layout_family::xor_swizzle)) bound_ = look_at_permutations();
    width_ = 0;
    if (best_.wavefronts < bound_) bound_ = best_.wavefronts;
    return {best_.bytes != int64_max, least_bytes(), most_bytes_};
  }

  // The most bytes that the array may take in a plan that can be better than the best one.
  BANKMODEL_FN long long operator()(int array) {
    place();
    // Then only fewer bytes or the bank width are better.
    const bool without_conflict = best_.wavefronts <= ideal_[width_];
    const long long most = !without_conflict      ? most_bytes_
                           : width_ < best_.width ? best_.bytes
                                                  : best_.bytes - 1;
    return most - (least_bytes() - of_[width_][array].least_bytes());
  }

 private:
  BANKMODEL_FN int arrays() const { return declared_.count; }
  // True if a permutation of that family, without a conflict and in the declared bytes, could
  // give a better plan.
  BANKMODEL_FN bool may_be_improved(layout_family by) const {
    if ((how_.layouts.bits & layouts::permutations.bits) == 0) return false;
    return order_.is_better({least_possible(), least_bytes(), 0, weight_of(by)}, best_);
  }
  // The wavefronts of a plan without any conflict.
  BANKMODEL_FN std::uint64_t least_possible() const {
    return offered() == 2 && ideal_[1] < ideal_[0] ? ideal_[1] : ideal_[0];
  }

  // Returns a lower bound on the wavefronts of all plans.
  BANKMODEL_FN std::uint64_t look_at_permutations() {
    constexpr int families = static_cast<int>(layout_family::linear);
    for (int number = 0; number < 2 * families; ++number) {
      const bool without_conflict = number < families;
      if (!without_conflict && best_.wavefronts <= least_possible()) break;
      const auto family = static_cast<layout_family>(number % families + 1);
      if (!how_.layouts.contain(families_of(family))) continue;
      for (width_ = 0; width_ < offered(); ++width_)
        for (int at = 0; at < arrays() && may_be_improved(family); ++at) {
          effort_.requests = share_;
          const long long most_bytes =
              most_bytes_ - (least_bytes() - of_[width_][at].least_bytes());
          if (of_[width_][at].look_at_family(machine_now(), accesses_, how_, family,
                                             without_conflict, most_bytes, touched_, effort_))
            complete_[width_] = place() && complete_[width_];
        }
    }
    std::uint64_t bound = ~std::uint64_t{0};
    for (width_ = 0; width_ < offered(); ++width_) {
      bool complete = complete_[width_];
      for (int at = 0; at < arrays(); ++at) complete = complete && of_[width_][at].complete();
      const std::uint64_t here = complete ? best_.wavefronts : ideal_[width_];
      if (here < bound) bound = here;
    }
    return bound;
  }

  // bank widths
  BANKMODEL_FN int offered() const { return machine_.other_bank_width == 0 ? 1 : 2; }
  BANKMODEL_FN int threads() const {
    return accesses_.block.x * accesses_.block.y * accesses_.block.z;
  }

  // Counts an access with the declared layout.
  BANKMODEL_FN void count_declared(kernel_access& access) {
    if (access.same_as >= 0) return;
    access.is_counted = true;
    const counted_total one = counted(machine_, accesses_.block, access, *access.declared);
    access.before = one.sum;
    if (access.declared->layout.is_strided()) {
      access.evaluated = one.evaluated;
      effort_.spend(one, kernel_accesses::residues_of(machine_, access), one.steps_of_lanes);
    } else {
      effort_.spend({one.sum, 1, 10'000}, 0, 10'000);
    }
  }

  BANKMODEL_FN long long least_bytes() const {
    long long bytes = 0;
    for (int at = 0; at < arrays(); ++at) bytes = checked_add(bytes, of_[width_][at].least_bytes());
    return bytes;
  }

  BANKMODEL_FN machine machine_now() const {
    return machine_.with_bank_width(width_ == 0 ? machine_.bank_width : machine_.other_bank_width);
  }

  BANKMODEL_FN void set_arrays() {
    const machine m = machine_now();
    for (int at = 0; at < arrays(); ++at)
      of_[width_][at].set(m, accesses_, at, *declared_.each[at], how_);
  }

  BANKMODEL_FN void look_at_declared(bool at_all_bases) {
    const machine m = machine_now();
    ideal_[width_] = 0;
    for (int at = 0; at < arrays(); ++at) {
      of_[width_][at].look_at_declared(m, accesses_, how_, width_ == 0, at_all_bases, effort_);
      ideal_[width_] = checked_count_sum(ideal_[width_], of_[width_][at].ideal());
    }
  }

  // Returns a lower bound on the wavefronts of all plans with this bank width.
  BANKMODEL_FN std::uint64_t look_further() {
    const machine m = machine_now();
    bool complete = true;
    for (int at = 0; at < arrays(); ++at) {
      effort_.requests = share_;
      of_[width_][at].look_further(m, accesses_, effort_, *this);
      complete = complete && of_[width_][at].complete();
    }
    complete = place() && complete;
    complete_[width_] = complete;
    return complete ? best_.wavefronts : ideal_[width_];
  }

  // Returns false if not all placements could be tried.
  BANKMODEL_FN bool place() {
    placement search_for(of_[width_], arrays(), width_, most_bytes_, order_, now_, chosen_, best_);
    long long tries = tries_of_a_placement;
    if (__builtin_is_constant_evaluated()) tries = tries_in_a_constant_expression;
    const bool all = search_for.run(tries);
    effort_.steps -= 300 + 110 * (tries - search_for.tries_left());
    return all;
  }

  const machine& machine_;
  const search& how_;
  kernel_accesses accesses_;
  ranking order_;
  footprints touched_;
  bool complete_[2] = {};  // whether everything was tried, with each bank width
  long long most_bytes_ = 0;
  effort_left effort_;
  long long share_ = 0;
  declared_arrays declared_;
  array_options of_[2][most_planned_arrays];  // with each bank width
  array_choice now_[most_planned_arrays], chosen_[most_planned_arrays];
  placement_cost best_;
  int width_ = 0;  // the current one: 0 is the width that the machine starts with
  std::uint64_t ideal_[2] = {}, bound_ = 0;  // ideal_: without any conflict, with each bank width
};

}  // namespace bankmodel::detail

#endif
