// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_PLAN_SEARCH_HPP
#define BANKMODEL_SEARCH_DETAIL_PLAN_SEARCH_HPP

#include <bankmodel/search/detail/kernel_requests.hpp>
#include <bankmodel/search/detail/permutation_search.hpp>
#include <bankmodel/search/detail/placement.hpp>
#include <bankmodel/search/detail/search_limits.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The search for a plan: the part of optimize() that does not depend on a kernel's type.
namespace bankmodel::detail {

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
        requests_(accesses_),
        order_(how.prefer, m.limits, blocks_without_memory(m, threads(), how)),
        effort_(how.effort < 0 ? 0 : how.effort),
        offered_(m.other_bank_width == 0 ? 1 : 2) {
    m.require_valid();
    require_not_negative(how);
    for (int at = 0; at < count; ++at) accesses[at].array = declared_.number_of(accesses[at], at);
    declared_.require_kept(how);
    accesses_.find_equal_ones();
    for (width_ = 0; width_ < offered(); ++width_) {
      const machine now = machine_now();
      for (int at = 0; at < arrays(); ++at)
        of_[width_][at].set(now, accesses_, at, *declared_.each[at], how_);
    }
    width_ = 0;
    requests_.collect(m, declared_, of_[0], effort_);
    most_bytes_ = most_bytes_of(m, threads(), how);
  }

  // Writes the plan that run() found. Access k is access number k of the plan; if `of` is given, it
  // is one of those that make up number of[k], whose costs are added.
  template <int Count>
  BANKMODEL_FN void write(layout_plan<Count>& plan, const int* of = nullptr) {
    plan.array_count = arrays();
    plan.base_alignment = 16;
    for (int at = 0; at < arrays(); ++at) {
      const array_option& option = chosen_[at].option;
      plan.each_array[at] = {*declared_.each[at], of_[best_.width][at].layout_of(option),
                             chosen_[at].offset_bytes,
                             option.index == no_index ? option.padding.interval : 0};
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

    plan.complete = tried_all_;
    const machine switched = machine_.with_bank_width(plan.width);
    for (int at = 0; at < arrays(); ++at)
      requests_.price_planned(switched, at, plan.each_array[at], of_[best_.width][at].period(),
                              touched_);
    for (int at = 0; at < accesses_.count; ++at) {
      const kernel_access& one = accesses_.each[at].same_as < 0
                                     ? accesses_.each[at]
                                     : accesses_.each[accesses_.each[at].same_as];
      const int number = of != nullptr ? of[at] : at;
      plan.before_each[number] = of != nullptr ? plan.before_each[number] + one.before : one.before;
      plan.after_each[number] = of != nullptr ? plan.after_each[number] + one.present : one.present;
    }
  }

  BANKMODEL_FN plan_found run() {
    // The declared layouts first: often there is nothing else to do.
    for (width_ = 0; width_ < offered(); ++width_) {
      if (width_ > 0 && !effort_.allows(steps_of_declared())) {
        tried_all_ = false;
        offered_ = width_;
        break;
      }
      look_at_declared(__builtin_is_constant_evaluated());
      (void)place();
      if (best_.bytes != int64_max || !__builtin_is_constant_evaluated()) continue;
      look_at_declared(false);  // they may fit at other bases
      (void)place();
    }
    // Layouts without a conflict first: most others are rejected at their first request. All
    // paddings come before permutations, which then never use up the effort for a padding.
    look_at_paddings(true);
    if (has_conflicts()) look_at_paddings(false);
    look_at_permutations(true);
    if (has_conflicts()) look_at_permutations(false);
    bound_ = least_wavefronts();
    for (width_ = 0; width_ < offered(); ++width_)
      for (int at = 0; at < arrays(); ++at) tried_all_ = tried_all_ && of_[width_][at].tried_all();
    width_ = 0;
    return {best_.bytes != int64_max, least_bytes(), most_bytes_};
  }

  // The most bytes that the array may take in a plan that can be better than the best one.
  BANKMODEL_FN long long operator()(int array) {
    place();
    // Then only fewer bytes, the bank width or simpler index functions are better.
    const bool is_best = best_.wavefronts <= ideal_[width_] && best_.indices == 0;
    const long long most = !is_best               ? most_bytes_
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
    return order_.is_better({least_possible(), least_bytes(), 0, weight_of(index_of_family(by))},
                            best_);
  }
  BANKMODEL_FN bool has_conflicts() const { return best_.wavefronts > least_possible(); }
  // The wavefronts of a plan without any conflict.
  BANKMODEL_FN std::uint64_t least_possible() const {
    return offered() == 2 && ideal_[1] < ideal_[0] ? ideal_[1] : ideal_[0];
  }

  BANKMODEL_FN void look_at_permutations(bool without_conflict) {
    for (int number = 1; number <= static_cast<int>(layout_family::linear); ++number) {
      const auto family = static_cast<layout_family>(number);
      if (!how_.layouts.contain(families_of(family))) continue;
      for (width_ = 0; width_ < offered(); ++width_)
        for (int at = 0; at < arrays() && may_be_improved(family); ++at) {
          effort_.begin_task(false);
          const machine now = machine_now();
          const long long most_bytes =
              most_bytes_ - (least_bytes() - of_[width_][at].least_bytes());
          if (permutation_search(input(now), of_[width_][at], family, without_conflict, most_bytes,
                                 effort_)
                  .run())
            complete_[width_] = place() && complete_[width_];
        }
    }
  }

  // A lower bound on the wavefronts of all plans. An array whose layouts were not all tried may be
  // without a conflict in one of them. That holds for linear layouts too: one is synthesised, and
  // no other one is tried.
  BANKMODEL_FN std::uint64_t least_wavefronts() {
    std::uint64_t bound = best_.wavefronts;
    const bool synthesises = how_.layouts.contain(layouts::linear);
    for (width_ = 0; width_ < offered(); ++width_) {
      bool complete = complete_[width_];
      std::uint64_t least = 0;
      for (int at = 0; at < arrays(); ++at) {
        const array_options& options = of_[width_][at];
        const bool all = options.complete() && !(synthesises && options.may_be_linear());
        least = checked_count_sum(
            least, all && options.count() > 0 ? options.least_wavefronts() : options.ideal());
        complete = complete && all;
      }
      if (!complete && least < bound) bound = least;
    }
    if (offered() == (machine_.other_bank_width == 0 ? 1 : 2)) return bound;
    // With a bank width that was not tried, each request may take one pass.
    std::uint64_t requests = 0;
    for (int at = 0; at < arrays(); ++at)
      requests = checked_count_sum(requests, requests_.cost_as_declared(at).requests);
    return bound < requests ? bound : requests;
  }

  BANKMODEL_FN search_input input(const machine& now) {
    return {now, accesses_, requests_.collected(), intervals_, touched_};
  }

  // bank widths
  BANKMODEL_FN int offered() const { return offered_; }
  BANKMODEL_FN int threads() const {
    return accesses_.block.x * accesses_.block.y * accesses_.block.z;
  }

  BANKMODEL_FN long long least_bytes() const {
    long long bytes = 0;
    for (int at = 0; at < arrays(); ++at) bytes = checked_add(bytes, of_[width_][at].least_bytes());
    return bytes;
  }

  BANKMODEL_FN machine machine_now() const {
    return machine_.with_bank_width(width_ == 0 ? machine_.bank_width : machine_.other_bank_width);
  }

  // About the steps of clang that look_at_declared() takes.
  BANKMODEL_FN long long steps_of_declared() {
    const machine now = machine_now();
    long long steps = 0;
    for (int at = 0; at < arrays(); ++at)
      steps += requests_.steps_of_layout(now, at, of_[width_][at].array(), of_[width_][at].bases());
    return steps;
  }
  // `sparingly`: if the effort is spent, the first base, whose cost is known, is enough.
  BANKMODEL_FN void look_at_declared(bool sparingly) {
    const machine now = machine_now();
    ideal_[width_] = 0;
    for (int at = 0; at < arrays(); ++at) {
      array_options& options = of_[width_][at];
      const costs_by_base* const known = width_ == 0 ? requests_.counted_as_declared(at) : nullptr;
      const bool may_be_sparing =
          sparingly && width_ == 0 && declared_.each[at]->base_bytes % options.period() == 0;
      const long long steps =
          may_be_sparing ? requests_.steps_of_layout(now, at, options.array(), options.bases()) : 0;
      if (known != nullptr) {
        options.add_declared(*known);
        steps_of_declared_[width_][at] = requests_.steps_of_counting(at);
      } else if (may_be_sparing && !effort_.allows(steps)) {
        options.add_declared_at_first_base(requests_.cost_as_declared(at));
        steps_of_declared_[width_][at] = steps;
      } else {
        costs_by_base costs;
        costs.count = options.bases();
        const long long before = effort_.steps();
        requests_.price_layout(now, at, options.array(), options.align(), costs, effort_);
        steps_of_declared_[width_][at] = before - effort_.steps();
        options.add_declared(costs);
      }
      ideal_[width_] = checked_count_sum(ideal_[width_], options.ideal());
    }
    effort_.begin_task(true);
  }

  // The width whose costs depend on fewer bases comes first: it takes less time, and its result
  // reduces the work for the other.
  BANKMODEL_FN void look_at_paddings(bool without_conflict) {
    const bool other_first = offered() == 2 && of_[1][0].period() < of_[0][0].period();
    for (int number = 0; number < offered(); ++number) {
      width_ = other_first ? 1 - number : number;
      const machine now = machine_now();
      for (int at = 0; at < arrays(); ++at) {
        effort_.begin_task(false);
        array_options& options = of_[width_][at];
        // Costs at several bases are compared with others only when all are known.
        const bool partly = options.bases() == 1 && !options.needs_stride();
        if (!without_conflict && !partly) continue;
        if (partly) options.begin_round();
        if (!options.may_be_padded()) continue;
        padding_search(input(now), options, requests_.prices(now, at, options.bases()),
                       without_conflict && partly, steps_of_declared_[width_][at], effort_)
            .run(*this);
      }
      complete_[width_] = place();
    }
  }

  // Returns false if not all placements could be tried.
  BANKMODEL_FN bool place() {
    placement search_for(of_[width_], arrays(), width_, most_bytes_, order_, now_, chosen_, best_,
                         placed_);
    constexpr long long most = 1 << 22, least = 1 << 10, steps_of_one = 110;
    const long long allowed = effort_.steps() / 2 / steps_of_one, tries = allowed > most ? most
                                                                          : allowed < least
                                                                              ? least
                                                                              : allowed;
    const bool all = search_for.run(tries);
    effort_.spend(300 + steps_of_one * (tries - search_for.tries_left()));
    tried_all_ = tried_all_ && all;
    return all;
  }

  const machine& machine_;
  const search& how_;
  kernel_accesses accesses_;
  kernel_requests requests_;
  ranking order_;
  effort_left effort_;
  declared_arrays declared_;
  interval_prices intervals_;
  footprints touched_;
  int offered_;            // the number of bank widths that are tried
  bool complete_[2] = {};  // whether everything was tried, with each bank width
  bool tried_all_ = true;
  long long most_bytes_ = 0;
  array_options of_[2][most_planned_arrays];  // with each bank width
  long long steps_of_declared_[2][most_planned_arrays];
  array_choice now_[most_planned_arrays], chosen_[most_planned_arrays];
  placement_cost best_;
  placed_before placed_;
  int width_ = 0;  // the current one: 0 is the width that the machine starts with
  std::uint64_t ideal_[2] = {}, bound_ = 0;  // ideal_: without any conflict, with each bank width
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
