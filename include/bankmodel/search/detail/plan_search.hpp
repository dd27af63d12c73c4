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
  bool exists;
  long long minimum, maximum;
};

class plan_search {
 public:
  BANKMODEL_FN plan_search(const machine& m, const block_dim& block, kernel_access* accesses,
                           int count, const search& options)
      : machine_(m),
        other_(m.other_bank_width == 0 ? m : m.with_bank_width(m.other_bank_width)),
        search_(options),
        accesses_{block, accesses, count},
        requests_(accesses_),
        order_(options.prefer, m.limits, blocks_without_memory(m, threads(), options)),
        effort_(options.effort < 0 ? 0 : options.effort),
        offered_(m.other_bank_width == 0 ? 1 : 2),
        most_arrays_(count < most_planned_arrays ? count : most_planned_arrays),
        options_(offered_ * most_arrays_) {
    m.require_valid();
    require_not_negative(options);
    for (int number = 0; number < count; ++number)
      accesses[number].array = declared_.number_of(accesses[number], number);
    declared_.require_kept(options);
    accesses_.find_equal_ones();
    for (width_ = 0; width_ < offered(); ++width_) {
      const machine& current = machine_now();
      for (int array = 0; array < arrays(); ++array)
        options_of(width_, array).set(current, accesses_, array, *declared_.arrays[array], search_);
    }
    width_ = 0;
    requests_.collect(m, declared_, &options_of(0, 0), effort_);
    most_bytes_ = most_bytes_of(m, threads(), options);
  }

  // Writes the plan that run() found. Access k is access number k of the plan; if `numbers` is
  // given, it is one of those that make up number numbers[k], whose costs are added.
  template <int Count>
  BANKMODEL_FN void write(layout_plan<Count>& plan, const int* numbers = nullptr) {
    plan.array_count = arrays();
    plan.base_alignment = 16;
    for (int array = 0; array < arrays(); ++array) {
      const array_option& option = chosen_[array].option;
      plan.each_array[array] = {
          *declared_.arrays[array], options_of(best_.width, array).layout_of(option),
          chosen_[array].offset_bytes, option.index == no_index ? option.padding.interval : 0};
      const int period = options_of(best_.width, array).period();
      if (period > plan.base_alignment) plan.base_alignment = period;
    }
    plan.width = best_.width == 0 ? machine_.bank_width : machine_.other_bank_width;
    plan.other_width = machine_.other_bank_width;
    plan.used_bytes = best_.bytes;
    plan.used_bytes_before = declared_bytes(declared_.arrays, arrays());
    plan.blocks = plan.blocks_before = 0;
    if (machine_.limits.shared_per_multiprocessor != 0) {
      const int registers = search_.registers_per_thread;
      plan.blocks = resident(machine_, {threads(), plan.used_bytes, registers}).blocks;
      plan.blocks_before =
          resident(machine_, {threads(), plan.used_bytes_before, registers}).blocks;
    }
    plan.bound = bound_;

    plan.complete = tried_all_;
    width_ = best_.width;
    for (int array = 0; array < arrays(); ++array)
      requests_.price_planned(machine_now(), array, plan.each_array[array],
                              options_of(best_.width, array).period(), touched_);
    for (int access_number = 0; access_number < accesses_.count; ++access_number) {
      const kernel_access& access = accesses_.list[access_number].same_as < 0
                                        ? accesses_.list[access_number]
                                        : accesses_.list[accesses_.list[access_number].same_as];
      const int number = numbers != nullptr ? numbers[access_number] : access_number;
      plan.before_each[number] = numbers != nullptr
                                     ? plan.before_each[number] + access.declared_cost
                                     : access.declared_cost;
      plan.after_each[number] =
          numbers != nullptr ? plan.after_each[number] + access.present : access.present;
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
      for (int array = 0; array < arrays(); ++array)
        tried_all_ = tried_all_ && options_of(width_, array).tried_all();
    width_ = 0;
    return {best_.bytes != int64_max, least_bytes(), most_bytes_};
  }

  // The most bytes that the array may take in a plan that can be better than the best one.
  BANKMODEL_FN long long operator()(int array) {
    place();
    // Then only fewer bytes, the bank width or simpler index functions are better.
    const bool is_best = best_.wavefronts <= ideal_[width_] && best_.indices == 0;
    const long long limit = !is_best               ? most_bytes_
                            : width_ < best_.width ? best_.bytes
                                                   : best_.bytes - 1;
    return limit - (least_bytes() - options_of(width_, array).least_bytes());
  }

 private:
  BANKMODEL_FN int arrays() const { return declared_.count; }
  BANKMODEL_FN array_options& options_of(int width, int array) const {
    return options_[width * most_arrays_ + array];
  }
  // True if a permutation of that family, without a conflict and in the declared bytes, could
  // give a better plan.
  BANKMODEL_FN bool may_be_improved(layout_family family) const {
    if ((search_.layouts.bits & layouts::permutations.bits) == 0) return false;
    return order_.is_better(
        {least_possible(), least_bytes(), 0, weight_of(index_of_family(family))}, best_);
  }
  BANKMODEL_FN bool has_conflicts() const { return best_.wavefronts > least_possible(); }
  // The wavefronts of a plan without any conflict.
  BANKMODEL_FN std::uint64_t least_possible() const {
    return offered() == 2 && ideal_[1] < ideal_[0] ? ideal_[1] : ideal_[0];
  }

  BANKMODEL_FN void look_at_permutations(bool without_conflict) {
    for (int number = 1; number <= static_cast<int>(layout_family::linear); ++number) {
      const auto family = static_cast<layout_family>(number);
      if (!search_.layouts.contain(families_of(family))) continue;
      for (width_ = 0; width_ < offered(); ++width_)
        for (int array = 0; array < arrays(); ++array) {
          if (!may_be_improved(family)) return;  // nor do later families, which are less simple
          effort_.begin_task(false);
          const machine& current = machine_now();
          const long long most_bytes =
              most_bytes_ - (least_bytes() - options_of(width_, array).least_bytes());
          if (permutation_search(input(current), options_of(width_, array), family,
                                 without_conflict, most_bytes, effort_)
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
    const bool synthesises = search_.layouts.contain(layouts::linear);
    for (width_ = 0; width_ < offered(); ++width_) {
      bool complete = complete_[width_];
      std::uint64_t sum = 0;
      for (int array = 0; array < arrays(); ++array) {
        const array_options& options = options_of(width_, array);
        const bool exhausted = options.complete() && !(synthesises && options.may_be_linear());
        sum = checked_count_sum(
            sum, exhausted && options.count() > 0 ? options.least_wavefronts() : options.ideal());
        complete = complete && exhausted;
      }
      if (!complete && sum < bound) bound = sum;
    }
    if (offered() == (machine_.other_bank_width == 0 ? 1 : 2)) return bound;
    // With a bank width that was not tried, each request may take one pass.
    std::uint64_t requests = 0;
    for (int array = 0; array < arrays(); ++array)
      requests = checked_count_sum(requests, requests_.cost_as_declared(array).requests);
    return bound < requests ? bound : requests;
  }

  BANKMODEL_FN search_input input(const machine& current) {
    return {current, accesses_, requests_.collected(), intervals_, touched_};
  }

  // bank widths
  BANKMODEL_FN int offered() const { return offered_; }
  BANKMODEL_FN int threads() const {
    return accesses_.block.x * accesses_.block.y * accesses_.block.z;
  }

  BANKMODEL_FN long long least_bytes() const {
    long long bytes = 0;
    for (int array = 0; array < arrays(); ++array)
      bytes = checked_add(bytes, options_of(width_, array).least_bytes());
    return bytes;
  }

  BANKMODEL_FN const machine& machine_now() const { return width_ == 0 ? machine_ : other_; }

  // About the steps of clang that look_at_declared() takes.
  BANKMODEL_FN long long steps_of_declared() {
    const machine& current = machine_now();
    long long steps = 0;
    for (int array = 0; array < arrays(); ++array)
      steps += requests_.steps_of_layout(current, array, options_of(width_, array).array(),
                                         options_of(width_, array).bases());
    return steps;
  }
  // `sparingly`: if the effort is spent, the first base, whose cost is known, is enough.
  BANKMODEL_FN void look_at_declared(bool sparingly) {
    const machine& current = machine_now();
    ideal_[width_] = 0;
    for (int array = 0; array < arrays(); ++array) {
      array_options& options = options_of(width_, array);
      const costs_by_base* const known =
          width_ == 0 ? requests_.counted_as_declared(array) : nullptr;
      const bool may_be_sparing =
          sparingly && width_ == 0 && declared_.arrays[array]->base_bytes % options.period() == 0;
      const long long steps = may_be_sparing ? requests_.steps_of_layout(
                                                   current, array, options.array(), options.bases())
                                             : 0;
      if (known != nullptr) {
        options.add_declared(*known);
        steps_of_declared_[width_][array] = requests_.steps_of_counting(array);
      } else if (may_be_sparing && !effort_.allows(steps)) {
        options.add_declared_at_first_base(requests_.cost_as_declared(array));
        steps_of_declared_[width_][array] = steps;
      } else {
        costs_by_base costs;
        costs.count = options.bases();
        const long long previous_steps = effort_.steps();
        requests_.price_layout(current, array, options.array(), options.align(), costs, effort_);
        steps_of_declared_[width_][array] = previous_steps - effort_.steps();
        options.add_declared(costs);
      }
      ideal_[width_] = checked_count_sum(ideal_[width_], options.ideal());
    }
    effort_.begin_task(true);
  }

  // The width whose costs depend on fewer bases comes first: it takes less time, and its result
  // reduces the work for the other.
  BANKMODEL_FN void look_at_paddings(bool without_conflict) {
    const bool other_first =
        offered() == 2 && options_of(1, 0).period() < options_of(0, 0).period();
    for (int number = 0; number < offered(); ++number) {
      width_ = other_first ? 1 - number : number;
      const machine& current = machine_now();
      for (int array = 0; array < arrays(); ++array) {
        effort_.begin_task(false);
        array_options& options = options_of(width_, array);
        // Costs at several bases are compared with others only when all are known.
        const bool partly = options.bases() == 1 && !options.needs_stride();
        if (!without_conflict && !partly) continue;
        if (partly) options.begin_round();
        if (!options.may_be_padded()) continue;
        padding_search(input(current), options, requests_.prices(current, array, options.bases()),
                       without_conflict && partly, steps_of_declared_[width_][array], effort_)
            .run(*this);
      }
      complete_[width_] = place();
    }
  }

  // Returns false if not all placements could be tried.
  BANKMODEL_FN bool place() {
    placement<array_options> search_for(&options_of(width_, 0), arrays(), width_, most_bytes_,
                                        order_, current_, chosen_, best_, placed_);
    constexpr long long maximum = 1 << 22, minimum = 1 << 10, steps_of_one = 110;
    const long long allowed = effort_.steps() / 2 / steps_of_one,
                    tries = allowed > maximum   ? maximum
                            : allowed < minimum ? minimum
                                                : allowed;
    const bool complete = search_for.run(tries);
    effort_.spend(300 + steps_of_one * (tries - search_for.tries_left()));
    tried_all_ = tried_all_ && complete;
    return complete;
  }

  const machine& machine_;
  const machine other_;  // with the other bank width, if there is one
  const search& search_;
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
  int most_arrays_;
  owned_list<array_options> options_;  // of each array, with each bank width
  long long steps_of_declared_[2][most_planned_arrays];
  array_choice current_[most_planned_arrays], chosen_[most_planned_arrays];
  placement_cost best_;
  placed_before placed_;
  int width_ = 0;  // the current one: 0 is the width that the machine starts with
  std::uint64_t ideal_[2] = {}, bound_ = 0;  // ideal_: without any conflict, with each bank width
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
