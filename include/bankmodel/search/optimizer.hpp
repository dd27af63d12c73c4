// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_OPTIMIZER_HPP
#define BANKMODEL_SEARCH_OPTIMIZER_HPP

#include <bankmodel/model/occupancy.hpp>
#include <bankmodel/search/detail/placement.hpp>
#include <bankmodel/search/plan.hpp>

// Chooses the layout of a kernel's arrays that costs least.
//
// Example: the transpose through float tile[32][32] in blocks of 32 x 8 threads. It stores rows
// and loads columns:
//
//   constexpr auto tile = shared_array<float>("tile", 32, 32);
//   constexpr auto transpose = kernel(
//       block_dim{32, 8},
//       store(for_loop(j, range(0, 32, 8), tile[ty + j][tx])),   //   32 wavefronts, ideal 32
//       load(for_loop(j, range(0, 32, 8), tile[tx][ty + j])));   // 1024 wavefronts, ideal 32
//   constexpr auto plan = optimize(nvidia::sm_90, transpose);
//   static_assert(plan.before().wavefronts == 1056 && plan.after().wavefronts == 64);
//   static_assert(plan.bytes() == 4224);          // the plan is float tile[32][33]
//   static_assert(plan.layout(tile)(1, 0) == 33); // tile[1][0] is element 33 of storage
//
// What is chosen, for all arrays together: the layout of each array (padding, or a permutation
// from one of the families in search/options.hpp), their order and offsets, and the bank width if
// the machine has two. What decides: fewest wavefronts; then most resident blocks; then the
// simplest index function; then fewest bytes. `search` changes the order and sets limits:
//
//   optimize(nvidia::sm_90, transpose, {.prefer = preference::few_bytes})
//       4096 bytes: element [r][c] is stored at [r][c ^ r], also without a conflict
//   optimize(nvidia::sm_90, transpose, {.layouts = layouts::padding, .shared_bytes = 4096})
//       4096 bytes: no padding fits, so 1056 wavefronts remain
//
// plan.is_optimal() is true if no plan of the searched families has fewer wavefronts, because
// all were tried or no conflict is left. If the effort is spent earlier, it is false, and
// plan.least_wavefronts() is a lower bound. search/bounds.hpp gives a bound over all layouts,
// including those that no family expresses.
//
// Why not only padding? It costs bytes, and bytes can cost resident blocks. Why not only
// swizzles? Their index functions cost instructions, and they need suitable extents. So both
// are candidates.
//
// The same call gives the same plan on the host and on the device. In a constant expression the
// effort is smaller (compilers limit evaluation), so a plan as a constant may differ from one
// at run time. What it does not do: it does not change which thread accesses which element, and
// it does not count instructions or time.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void arrays_of_one_name_must_be_declared_alike(long long access) {
  detail::fail(__func__,
               "the array of access % (counted from 0) has the name of another array with other "
               "extents, elements or base; give it a name of its own",
               access);
}
[[noreturn]] BANKMODEL_FN void arrays_of_one_name_must_be_one_array(long long access,
                                                                    long long line,
                                                                    long long other) {
  detail::fail(
      __func__,
      "the array of access % (counted from 0) is described in line %, and line % describes another "
      "of its name; give each its own name, or "
      "use one description in all accesses",
      access, line, other);
}
[[noreturn]] BANKMODEL_FN void a_kernel_to_plan_must_have_at_most_16_arrays(long long limit) {
  detail::fail(__func__, "the kernel has more than % arrays; plan those together that conflict",
               limit);
}
[[noreturn]] BANKMODEL_FN void the_arrays_of_a_kernel_must_fit(long long least, long long limit) {
  detail::fail(__func__,
               "the arrays need at least % bytes without padding, plus alignment and "
               "search.row_stride_bytes, but only % are allowed; make them smaller, or raise "
               "search.shared_bytes (or require fewer .resident_blocks)",
               least, limit);
}
[[noreturn]] BANKMODEL_FN void a_search_must_have_limits_that_are_not_negative(long long value) {
  detail::fail(__func__, "a field of search is %; use 0 for no limit, or 1 or more", value);
}
[[noreturn]] BANKMODEL_FN void kept_arrays_must_be_of_the_kernel(long long which) {
  detail::fail(__func__,
               "array % (counted from 0) of search.keep is not used by any access of the "
               "kernel; leave it out, or give it the name that the accesses use",
               which);
}
[[noreturn]] BANKMODEL_FN void shared_bytes_must_be_what_a_block_can_have(long long asked,
                                                                          long long most) {
  detail::fail(__func__,
               "search.shared_bytes is %, but a block of this machine can have at most % by "
               "opting in; use no more",
               asked, most);
}
}  // namespace rule

namespace detail {

constexpr int most_planned_arrays = 16;
constexpr long long default_effort = 1 << 18;  // requests evaluated at run time
constexpr long long tries_of_a_placement = 1 << 22, tries_in_a_constant_expression = 1 << 11;

template <class>
inline constexpr int accesses_in = 1;
template <class... Accesses>
inline constexpr int accesses_in<access_list<Accesses...>> = (0 + ... + accesses_in<Accesses>);

template <int Wrappers, int Nodes>
BANKMODEL_FN void collect(const access_expression<Wrappers, Nodes>& a, kernel_access* to,
                          int& count) {
  to[count++] = {
      &a.array, a.subscripts, a.subscript, a.vector, a.kind, a.wrappers, a.depth, a.nodes,
      0,        false,        -1,          -1,       {},     0,          false,   {}};
}
BANKMODEL_FN void collect(const access_list<>&, kernel_access*, int&) {}
template <class First, class... Rest>
BANKMODEL_FN void collect(const access_list<First, Rest...>& list, kernel_access* to, int& count) {
  collect(list.first, to, count);
  collect(list.rest, to, count);
}

// The bytes that the arrays need at least, the bytes allowed, and whether a plan was found.
struct plan_found {
  bool found;
  long long least, most;
};

// The part of optimize() that does not depend on a kernel's type.
class optimizer {
 public:
  BANKMODEL_FN optimizer(const machine& m, const block_dim& block, kernel_access* accesses,
                         int count, const search& how)
      : machine_(m),
        how_(how),
        accesses_{block, accesses, count},
        order_(how.prefer, m.limits, blocks_without_memory(m, block, how)) {
    m.require_valid();
    const long long limits[] = {how.shared_bytes,     how.resident_blocks, how.registers_per_thread,
                                how.row_stride_bytes, how.effort,          how.copy_engine_bytes};
    for (const long long value : limits)
      if (value < 0) rule::a_search_must_have_limits_that_are_not_negative(value);
    for (int at = 0; at < count; ++at) number_array(at);
    require_kept_arrays();
    accesses_.find_twins(m);
    effort_.requests = how.effort > 0 ? how.effort : default_effort;
    const long long all_requests = effort_.requests;
    for (width_ = 0; width_ < offered(); ++width_) set_arrays();
    width_ = 0;
    for (int at = 0; at < count; ++at)
      if (accesses[at].is_twin || !of_[0][accesses[at].array].counts_declared())
        count_declared(accesses[at]);
    accesses_.copy_counts();
    // Each array has its own share of the effort for each bank width: a share that is not used
    // does not help another array.
    share_ = all_requests / count_ / offered();
    effort_.requests = all_requests;
    // The plan's accesses are counted again at the end.
    effort_.reserve = effort_left{}.steps - effort_.steps;
    set_limit();
  }

  BANKMODEL_FN int arrays() const { return count_; }
  BANKMODEL_FN const array_description& declared(int array) const { return *declared_[array]; }
  BANKMODEL_FN layout planned(int array) const {
    return of_[best_.width][array].layout_of(chosen_[array].option);
  }
  BANKMODEL_FN long long offset_bytes(int array) const { return chosen_[array].offset_bytes; }
  // True if the array keeps its declared layout and offset.
  BANKMODEL_FN bool stays(int array) const {
    return best_.width == 0 && planned(array) == declared_[array]->layout &&
           offset_bytes(array) == declared_[array]->base_bytes;
  }
  // True if a permutation was chosen for the array.
  BANKMODEL_FN bool is_permuted(int array) const {
    return chosen_[array].option.permuted != as_declared;
  }
  // Requires: a permutation was chosen for the access's array.
  BANKMODEL_FN cost cost_as_planned(const machine& switched, const kernel_access& access) {
    return touched_.cost_of(switched, accesses_.block, access, planned(access.array),
                            access.before);
  }
  BANKMODEL_FN int bank_width() const {
    return best_.width == 0 ? machine_.bank_width : machine_.other_bank_width;
  }
  BANKMODEL_FN long long bytes() const { return best_.bytes; }
  BANKMODEL_FN int alignment() const {
    int result = 16;
    for (int at = 0; at < count_; ++at)
      if (of_[best_.width][at].period() > result) result = of_[best_.width][at].period();
    return result;
  }
  BANKMODEL_FN std::uint64_t least_wavefronts() const { return bound_; }
  BANKMODEL_FN long long bytes_before() const { return declared_bytes(declared_, count_); }
  BANKMODEL_FN int resident_blocks(long long shared_bytes) const {
    if (machine_.limits.shared_per_multiprocessor == 0) return 0;
    return resident(machine_, {threads(), shared_bytes, how_.registers_per_thread}).blocks;
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
  // The number of resident blocks if they used no shared memory; 0 if the machine's limits are
  // unknown.
  BANKMODEL_FN static int blocks_without_memory(const machine& m, const block_dim& block,
                                                const search& how) {
    m.require_valid();
    if (m.limits.shared_per_multiprocessor == 0 || how.registers_per_thread < 0) return 0;
    return resident(m, {block.x * block.y * block.z, 0, how.registers_per_thread}).blocks;
  }

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
        for (int at = 0; at < count_ && may_be_improved(family); ++at) {
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
      for (int at = 0; at < count_; ++at) complete = complete && of_[width_][at].complete();
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

  BANKMODEL_FN void number_array(int access) {
    const array_description& declared = *accesses_.each[access].declared;
    int number = 0;
    while (number < count_ && declared_[number]->name != declared.name) ++number;
    if (number == most_planned_arrays)
      rule::a_kernel_to_plan_must_have_at_most_16_arrays(most_planned_arrays);
    if (number == count_) declared_[count_++] = &declared;
    if (*declared_[number] != declared) rule::arrays_of_one_name_must_be_declared_alike(access);
    if (declared_[number]->place != declared.place)
      rule::arrays_of_one_name_must_be_one_array(access, declared.place.line,
                                                 declared_[number]->place.line);
    accesses_.each[access].array = number;
  }

  // Counts an access with the declared layout.
  BANKMODEL_FN void count_declared(kernel_access& access) {
    if (access.same_as >= 0) return;
    access.is_counted = true;
    const access_view declared = access.view(*access.declared);
    if (declared.array.layout.is_strided()) {
      const counted_total one = counted_in_rows(machine_, accesses_.block, declared, {});
      access.before = one.sum;
      access.evaluated = one.evaluated;
      effort_.spend(one, kernel_accesses::residues_of(machine_, access), one.steps_of_lanes);
    } else {
      access.before = counted(machine_, accesses_.block, declared, {}).sum;
      effort_.spend({access.before, 1, 10'000}, 0, 10'000);
    }
  }

  BANKMODEL_FN void require_kept_arrays() const {
    for (int kept = 0; kept < how_.keep.count; ++kept) {
      int at = 0;
      while (at < count_ && declared_[at]->name != how_.keep.name[kept]) ++at;
      if (at == count_) rule::kept_arrays_must_be_of_the_kernel(kept);
    }
  }

  BANKMODEL_FN void set_limit() {
    const residency& limits = machine_.limits;
    if (limits.shared_per_block_opt_in > 0 && how_.shared_bytes > limits.shared_per_block_opt_in)
      rule::shared_bytes_must_be_what_a_block_can_have(how_.shared_bytes,
                                                       limits.shared_per_block_opt_in);
    most_bytes_ = how_.shared_bytes > 0         ? how_.shared_bytes
                  : limits.shared_per_block > 0 ? limits.shared_per_block
                                                : range_limit;
    if (how_.resident_blocks == 0) return;
    const long long with_blocks =
        largest_shared_bytes(machine_, threads(), how_.resident_blocks, how_.registers_per_thread);
    if (with_blocks < most_bytes_) most_bytes_ = with_blocks;
  }

  BANKMODEL_FN long long least_bytes() const {
    long long bytes = 0;
    for (int at = 0; at < count_; ++at) bytes = checked_add(bytes, of_[width_][at].least_bytes());
    return bytes;
  }

  BANKMODEL_FN machine machine_now() const {
    return machine_.with_bank_width(width_ == 0 ? machine_.bank_width : machine_.other_bank_width);
  }

  BANKMODEL_FN void set_arrays() {
    const machine m = machine_now();
    for (int at = 0; at < count_; ++at) of_[width_][at].set(m, accesses_, at, *declared_[at], how_);
  }

  BANKMODEL_FN void look_at_declared(bool at_all_bases) {
    const machine m = machine_now();
    ideal_[width_] = 0;
    for (int at = 0; at < count_; ++at) {
      of_[width_][at].look_at_declared(m, accesses_, how_, width_ == 0, at_all_bases, effort_);
      ideal_[width_] = checked_count_sum(ideal_[width_], of_[width_][at].ideal());
    }
  }

  // Returns a lower bound on the wavefronts of all plans with this bank width.
  BANKMODEL_FN std::uint64_t look_further() {
    const machine m = machine_now();
    bool complete = true;
    for (int at = 0; at < count_; ++at) {
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
    placement search_for(of_[width_], count_, width_, most_bytes_, order_, now_, chosen_, best_);
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
  int count_ = 0;
  const array_description* declared_[most_planned_arrays];
  array_options of_[2][most_planned_arrays];  // with each bank width
  array_choice now_[most_planned_arrays], chosen_[most_planned_arrays];
  placement_cost best_;
  int width_ = 0;  // the current one: 0 is the width that the machine starts with
  std::uint64_t ideal_[2] = {}, bound_ = 0;  // ideal_: without any conflict, with each bank width
};

template <class... Accesses, int Count>
BANKMODEL_FN plan_found fill_in(const machine& m, const kernel_description<Accesses...>& kernel,
                                const search& how, layout_plan<Count>& plan) {
  static_assert(Count > 0, "bankmodel: a kernel without accesses has nothing to plan");
  kernel_access accesses[Count];
  int collected = 0;
  collect(kernel.accesses, accesses, collected);
  optimizer work(m, kernel.block, accesses, Count, how);
  const plan_found result = work.run();
  if (!result.found) return result;
  for (int at = 0; at < Count; ++at) plan.before_each[at] = accesses[at].before;
  plan.array_count = work.arrays();
  for (int at = 0; at < plan.array_count; ++at)
    plan.each_array[at] = {work.declared(at), work.planned(at), work.offset_bytes(at)};
  plan.width = work.bank_width();
  plan.other_width = m.other_bank_width;
  plan.base_alignment = work.alignment();
  plan.used_bytes = work.bytes();
  plan.used_bytes_before = work.bytes_before();
  plan.blocks = work.resident_blocks(plan.used_bytes);
  plan.blocks_before = work.resident_blocks(plan.used_bytes_before);
  plan.bound = work.least_wavefronts();
  const machine switched = m.with_bank_width(plan.width);
  for (int at = 0; at < Count; ++at) {
    const int same = accesses[at].same_as;
    if (same >= 0)
      plan.after_each[at] = plan.after_each[same];
    else if (work.stays(accesses[at].array))
      plan.after_each[at] = accesses[at].before;
    else if (work.is_permuted(accesses[at].array))
      plan.after_each[at] = work.cost_as_planned(switched, accesses[at]);
    else
      plan.after_each[at] =
          counted(switched, kernel.block,
                  accesses[at].view(plan.each_array[accesses[at].array].planned()), {})
              .sum;
  }
  return result;
}

}  // namespace detail

// Returns the plan with the fewest wavefronts for all accesses of the kernel together, each
// weighted by how often it runs. Among those it is the one with most resident blocks, then with
// the simplest index functions, then with fewest bytes (or as how.prefer orders these three).
// If the effort is spent, it is the best plan found, and is_optimal() is false.
//
//   m       the machine; if it has two bank widths, the plan chooses one
//   kernel  a block shape and its accesses
//   how     families, limits in bytes and blocks, preference and effort: see options.hpp
//
// The result: padding of less than a layer of all banks per row is enough (paddings.hpp
// has the proof). Permutations are tried only if they can beat padding; XOR swizzles and
// rotations also of padded rows. Every wide access stays aligned and whole. Arrays are placed
// by the plan, not by .at(). If costs depend on the base (Kepler), permuted arrays begin at a
// layer of all banks.
//
// Error: the arrays do not fit the limit; two arrays have one name (two calls of shared_array(), or
// .at() and .with() that differ); more than 16 arrays; search.keep names an array that no access
// uses; rows that a copy engine cannot write; a negative field of `how`; the errors of total().
//
// Example: optimize(nvidia::sm_90, kernel(block_dim{32, 8}, load(tile[tx][ty]))) of float
// tile[32][32] pads each row by one element: 4224 bytes, no conflict.
template <class... Accesses>
BANKMODEL_FN auto optimize(const machine& m, const kernel_description<Accesses...>& kernel,
                           const search& how = {}) {
  layout_plan<detail::accesses_in<access_list<Accesses...>>> plan;
  const auto result = detail::fill_in(m, kernel, how, plan);
  if (!result.found) rule::the_arrays_of_a_kernel_must_fit(result.least, result.most);
  return plan;
}

}  // namespace bankmodel

#endif
