// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_LOWER_HPP
#define BANKMODEL_COUNT_DETAIL_LOWER_HPP

#include <bankmodel/count/detail/access_view.hpp>
#include <bankmodel/count/detail/comparisons.hpp>
#include <bankmodel/count/detail/period.hpp>
#include <bankmodel/count/detail/warps.hpp>

// The first step of counting: what can be said of one access of one block before anything is
// counted.
//
// Every access is counted in one canonical form, in which there are only
//   loops        positions q = 0, 1, .. trips - 1, and nothing else: no first value, no step, no
//   direction comparisons  of linear forms, which say which lanes go on subscripts   as linear
//   forms: a constant and a factor for each lane coordinate and each loop
// and, beside them, programs that are not linear, which are evaluated where nothing else helps.
//
// Rewritten into these are:
//   the warps of a block       loops along x, y and z:              tx = x + 32 * q
//   for (v = f; v < l; v += s) q in [0, trips):                     v = f + s * q
//   a start that a loop moves  a factor of that loop in v:          v = i + s * q
//   bounds that lanes move     a loop as long as the longest lane's, and a comparison v < l
//   a && b                     two filters
//   y in x ^ y                 nothing, where it only permutes banks: see
//   leave_out_what_permutes_banks() layouts                    part of the subscripts: see
//   laid_out.hpp
//
// Example: block 64 x 1, 32 lanes, for (i = tx; i < 100; i += 64) a[2 * i + 1].
//   warps      w in [0, 2):  tx = x + 32 * w, x the lane
//   loop       q in [0, 2):  i = x + 32 * w + 64 * q, since the longest lane, 0, runs for 0 and 64
//   comparison i < 100:      x + 32 * w + 64 * q - 100 < 0
//   subscript  2 * x + 64 * w + 128 * q + 1
// split() finds that of w = 1, q = 1 only lanes 0 to 3 pass, and price() that all of the four
// requests cost two passes but this one: 7 wavefronts.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void loop_variables_must_stand_inside_their_for_loop(long long which) {
  detail::fail(__func__,
               "loop variable % (i is 0, j is 1, ..) is read where no for_loop around it sets it; "
               "add the loop or use another variable",
               which);
}
[[noreturn]] BANKMODEL_FN void nested_loops_must_have_different_variables(long long which) {
  detail::fail(
      __func__,
      "loop variable % (i is 0, j is 1, ..) belongs to two nested loops; give one of them another",
      which);
}
}  // namespace rule

namespace detail {

constexpr unsigned block_variables =
    variable_bit(variable::bx) | variable_bit(variable::by) | variable_bit(variable::bz);

struct lowered {
  const access_view& access;
  warp_groups groups;
  unsigned lanes = 0;                // the variables that differ from lane to lane,
  unsigned in_lockstep = 0;          // the loops among them,
  unsigned uneven = 0;               // and of these the ones whose start is no linear form
  unsigned fixed = block_variables;  // and loops walked value by value
  unsigned used = 0;
  structure subscripts{};
  bool base_matters = true;  // whether it matters, for cost or for an error, where the loops and
                             // warps move a request
  bool in_a_line =
      false;  // whether lanes differ in equal steps from one to the next, in the subscripts
  bool linear = false;       // whether the subscripts are linear forms, within 64 bits
  bool few_residues = true;  // otherwise nothing may move a request
  bool aligned = true;  // whether the subscripts keep a wide access aligned, whatever their values
  unsigned within =
      0;  // the subscripts, as bits, that are within their extents in all active lanes
  value_range ranges[variables];    // of each variable
  value_range narrowed[variables];  // the same in lanes that pass the filters
  slice subscript[max_rank];        // the subscripts, without what makes no difference

  // `residues`: how many bases of a request differ in cost; 0 for too many.
  BANKMODEL_FN lowered(const machine& m, const block_dim& block, const block_index& at,
                       const access_view& of, int residues)
      : access(of), groups(m, block) {
    lanes = groups.differing();
    const long long known[] = {0,    block.x - 1,
                               0,    block.y - 1,
                               0,    block.z - 1,
                               at.x, at.x,
                               at.y, at.y,
                               at.z, at.z,
                               0,    groups.threads() - 1,
                               0,    m.lanes - 1,
                               0,    groups.warps() - 1};
    for (int which = 0; which < static_cast<int>(variable::loop_0); ++which)
      ranges[which] = known_range(known[2 * which], known[2 * which + 1]);
    const unsigned set = read_wrappers();
    if (access.subscripts != access.array.layout.rank)
      rule::too_few_subscripts(access.subscripts, access.array.layout.rank);
    for (int d = 0; d < access.subscripts; ++d) require_set(used_by(access.subscript[d]), set);
    const bool ranges_known = read_subscripts(residues);
    used |= subscripts.used | in_lockstep;  // which their own comparison reads
    const bool lines =
        uneven == 0 && (groups.within_rows() || (subscripts.used & lanes & ~lane_numbers) == 0);
    in_a_line = subscripts.bent_in_lanes == 0 && lines;
    linear = subscripts_are_even() && subscripts.bent == 0 && few_residues && ranges_known;
  }

  BANKMODEL_FN unsigned used_by(const slice& program) const {
    return variables_in(access.nodes + program.first, program.size);
  }
  // The variables that a wrapper's bounds or condition read.
  BANKMODEL_FN unsigned used_by(const wrapper& w) const {
    return w.kind == wrapper_kind::values ? 0
                                          : used_by(w.first) | used_by(w.last) | used_by(w.step);
  }

  // Which variables a wrapper's programs read, and of which its bounds, or the sides of its
  // comparisons, are no sum of multiples.
  struct reading {
    unsigned used, bent;
  };
  BANKMODEL_FN const reading& read_by(int level) const {
    return each_[level < kept ? level : kept - 1];
  }
  // The same of all wrappers inside the one at `level`, which may be -1 or less for all of the
  // nest.
  BANKMODEL_FN const reading& read_inside(int level) const {
    return inside_[level < 0 ? 0 : level + 1 < kept ? level + 1 : kept - 1];
  }

  // Whether lanes differ in equal steps along x, y and z in all subscripts.
  BANKMODEL_FN bool subscripts_are_even() const {
    return subscripts.bent_in_lanes == 0 && (subscripts.used & uneven) == 0;
  }
  // Whether the pattern of the lanes is read from linear forms alone, the same at every position of
  // every loop. Then no subscript is evaluated, and it does no harm to ask for it at a position
  // where other lanes are active, or none: a filter's piece is counted wherever its loop is (see
  // splitter::cut). Where subscripts are evaluated, lanes that are not active there would be
  // refused for what they never touch.
  BANKMODEL_FN bool may_be_read_anywhere() const {
    return subscripts_are_even() && subscripts.bent == 0;
  }

  // The variables of which the pattern of the lanes, or an address that matters, is no sum of
  // multiples.
  BANKMODEL_FN unsigned bent() const {
    if (!few_residues) return subscripts.used;
    return subscripts.bent_in_lanes | (base_matters ? subscripts.bent : 0);
  }
  // Whether it makes a difference inside the wrapper at `level` that these variables move.
  BANKMODEL_FN bool matters(unsigned moves, int level) const {
    return (moves & (subscripts.bent_in_lanes | (base_matters ? subscripts.used : 0) |
                     read_inside(level).used)) != 0;
  }

  // The steps after which everything inside the wrapper at `level` moves evenly, where one step
  // moves the variables in `moved` as `moves` says; 0 if that cannot be said of the subscripts.
  // Conditions and bounds of which it cannot be said are left to whoever comes to them.
  BANKMODEL_FN long long period_inside(int level, unsigned moved, const long long* moves) const {
    long long period = 1;
    for (int d = 0; d < access.subscripts; ++d) {
      const node* const nodes = access.nodes + subscript[d].first;
      structure alone{};
      alone.read(nodes, subscript[d].size, lanes, fixed);
      if ((moved & (alone.bent_in_lanes | (base_matters ? alone.bent : 0))) == 0) continue;
      const movement how = movement_of(nodes, subscript[d].size, moves, ranges);
      if (!how.known() || how.scaled) return 0;
      period = least_common_period(period, how.period);
      if (period == 0) return 0;
    }
    for (int inner = level < -1 ? 0 : level + 1; inner < access.depth; ++inner) {
      const wrapper& w = access.wrappers[inner];
      if (w.kind == wrapper_kind::values) continue;
      const slice programs[3] = {w.first, w.last, w.step};
      for (const slice& program : programs) {
        const long long of_this = period_of_parts(program, moves);
        const long long both = of_this == 0 ? 0 : least_common_period(period, of_this);
        if (both != 0) period = both;
      }
    }
    return period;
  }

  // About what clang counts for one iteration that is walked.
  BANKMODEL_FN long long steps_of_an_iteration() const {
    long long operators = 0;
    bool reads_lanes = (subscripts.bent_in_lanes | in_lockstep) != 0 || !in_a_line;
    const auto add = [&](const slice& program) {
      for (int at = 0; at < program.size; ++at)
        operators += is_in(leaf_operations, access.nodes[program.first + at].op) ? 0 : 1;
    };
    for (int d = 0; d < access.subscripts; ++d) add(access.subscript[d]);
    for (int level = 0; level < access.depth; ++level) {
      const wrapper& w = access.wrappers[level];
      add(w.first), add(w.last), add(w.step);
    }
    return reads_lanes ? 32 * (45 + 8 * operators) : 200 + 40 * operators;
  }

  BANKMODEL_FN value_range range_of(const slice& program, const value_range* of) const {
    return detail::range_of(access.nodes + program.first, program.size, of);
  }
  // In active lanes.
  BANKMODEL_FN value_range range_of(const slice& program) const {
    return range_of(program, filtered_ ? narrowed : ranges);
  }

 private:
  static constexpr unsigned lane_numbers =
      variable_bit(variable::tid) | variable_bit(variable::lane);

  BANKMODEL_FN static void require_set(unsigned read, unsigned set) {
    const unsigned unset = (read & ~set) >> static_cast<int>(variable::loop_0);
    if (unset != 0) rule::loop_variables_must_stand_inside_their_for_loop(trailing_zeros(unset));
  }

  // From the outermost wrapper to the innermost; returns the variables of their loops.
  BANKMODEL_FN unsigned read_wrappers() {
    unsigned set = 0;
    for (int level = 0; level < access.depth; ++level) {
      const wrapper& w = access.wrappers[level];
      const unsigned read = used_by(w);
      require_set(read, set);
      used |= read;
      if (w.kind == wrapper_kind::filter) {
        narrow(w.first, set);
        continue;
      }
      const unsigned bit = variable_bit(w.variable);
      if ((set & bit) != 0)
        rule::nested_loops_must_have_different_variables(static_cast<int>(w.variable) -
                                                         static_cast<int>(variable::loop_0));
      set |= bit;
      if ((read & lanes) != 0) {
        in_lockstep |= bit;
        if (w.kind != wrapper_kind::range || !starts_evenly(w)) uneven |= bit;
        lanes |= bit;
      } else if (w.kind != wrapper_kind::range) {
        fixed |= bit;
      }
      const int which = static_cast<int>(w.variable);
      ranges[which] = range_of_values(w, ranges);
      if (filtered_) narrowed[which] = range_of_values(w, narrowed);
    }
    for (int level = 0; level <= access.depth && level < kept; ++level)
      each_[level] = inside_[level] = {0, 0};
    for (int level = access.depth - 1; level >= 0; --level) {
      const int at = level < kept ? level : kept - 1;
      const reading one = read_anew(access.wrappers[level]);
      each_[at] = {each_[at].used | one.used, each_[at].bent | one.bent};
      const reading& inner = inside_[at + 1 < kept ? at + 1 : at];
      inside_[at] = {inner.used | each_[at].used, inner.bent | each_[at].bent};
    }
    return set;
  }
  BANKMODEL_FN reading read_anew(const wrapper& w) const {
    if (w.kind == wrapper_kind::values) return {};
    structure all{};
    const slice programs[3] = {w.first, w.last, w.step};
    for (const slice& each : programs) all.read(access.nodes + each.first, each.size, lanes, fixed);
    return {all.used, all.bent | all.bent_in_lanes};
  }
  // Whether a loop in lockstep starts in equal steps from lane to lane, and runs in equal steps.
  BANKMODEL_FN bool starts_evenly(const wrapper& w) const {
    structure first{};
    first.read(access.nodes + w.first.first, w.first.size, lanes, fixed);
    return first.bent_in_lanes == 0 && ((first.used & uneven) | (used_by(w.step) & lanes)) == 0;
  }

  // Whether the base matters, and what the subscripts are; returns whether all of them have known
  // ranges.
  BANKMODEL_FN bool read_subscripts(int residues) {
    base_matters = residues != 1;
    few_residues = residues != 0;
    bool ranges_known = true;
    for (int d = 0; d < access.subscripts; ++d) {
      const value_range range = range_of(access.subscript[d]);
      ranges_known = ranges_known && range.known();
      if (range.known() && range.lowest >= 0 &&
          range.highest < access.array.layout.extent[d] - access.behind(d))
        within |= 1u << d;
      else
        base_matters = true;
    }
    aligned = is_aligned();
    base_matters = base_matters || !aligned;
    for (int d = 0; d < access.subscripts; ++d) {
      slice& program = subscript[d];
      program = access.subscript[d];
      if (!base_matters && d == access.subscripts - 1) leave_out_what_permutes_banks(program);
      subscripts.read(access.nodes + program.first, program.size, lanes, fixed);
    }
    return ranges_known;
  }

  // What passes `variable < constant` and the like bounds the variable.
  BANKMODEL_FN void narrow(const slice& filter, unsigned loops) {
    slice whole = filter, rest;
    for (; whole.size != 0; whole = rest) {
      const slice one = first_condition(access.nodes, whole, rest);
      const node* const nodes = access.nodes + one.first;
      if (one.size != 3 || !is_in(leaf_operations, nodes[1].op) ||
          !is_in(comparison_operations, nodes[2].op) || nodes[2].op == operation::not_equal)
        continue;
      if (!filtered_)
        for (int at = 0; at < variables; ++at)
          if (at <= static_cast<int>(variable::warp) || (loops >> at & 1) != 0)
            narrowed[at] = ranges[at];
      filtered_ = true;
      const value_range left = detail::range_of(nodes, 1, narrowed),
                        right = detail::range_of(nodes + 1, 1, narrowed);
      if (!left.known() || !right.known()) continue;
      const int gap = nodes[2].op == operation::less ? 1 : 0;
      value_range below{left.lowest,
                        left.highest < right.highest - gap ? left.highest : right.highest - gap};
      value_range above{right.lowest > left.lowest + gap ? right.lowest : left.lowest + gap,
                        right.highest};
      if (nodes[2].op == operation::equal) {
        below.lowest = above.lowest;
        above.highest = below.highest;
      }
      if (!below.known() || !above.known()) continue;  // nothing passes
      if (nodes[0].op == operation::variable) narrowed[nodes[0].value] = below;
      if (nodes[1].op == operation::variable) narrowed[nodes[1].value] = above;
    }
  }

  // Of a loop's variable.
  BANKMODEL_FN value_range range_of_values(const wrapper& w, const value_range* of) const {
    if (w.kind == wrapper_kind::values) {
      const node* const list = access.nodes + w.first.first;
      value_range all{list[0].value, list[0].value};
      for (int at = 1; at < w.first.size; ++at) {
        if (list[at].value < all.lowest) all.lowest = list[at].value;
        if (list[at].value > all.highest) all.highest = list[at].value;
      }
      return known_range(all.lowest, all.highest);
    }
    const value_range first = range_of(w.first, of), last = range_of(w.last, of),
                      step = range_of(w.step, of);
    if (!first.known() || !last.known() || !step.known() || w.kind == wrapper_kind::powers)
      return unknown_range;
    const bool range = w.kind == wrapper_kind::range,
               exactly = range && first.is_one() && step.is_one();
    if (!range && first.lowest < 0) return unknown_range;
    if (range ? step.lowest > 0 : w.kind == wrapper_kind::powers_up) {
      const long long end = last.highest - 1;
      if (end <= first.highest) return first;
      return {first.lowest, exactly ? end - (end - first.lowest) % step.lowest : end};
    }
    if (range && step.highest >= 0) return unknown_range;
    const long long end = last.lowest + 1;
    if (end >= first.lowest) return first;
    return {exactly ? end + (first.lowest - end) % -step.lowest : end, first.highest};
  }

  // Whether each subscript by itself keeps a wide access aligned.
  BANKMODEL_FN bool is_aligned() const {
    if (access.vector == 1) return true;
    const int bytes = access.bytes(),
              needed = trailing_zeros(static_cast<std::uint64_t>(bytes == 12 ? 4 : bytes));
    if (zeros_of(access.array.base_bytes) < needed) return false;
    for (int d = 0; d < access.subscripts; ++d) {
      const slice& program = access.subscript[d];
      if (low_zeros(access.nodes + program.first, program.size) +
              zeros_of(access.array.layout.stride[d] * access.array.element_bytes) <
          needed)
        return false;
    }
    return true;
  }
  BANKMODEL_FN static int zeros_of(long long value) {
    return value == 0 ? 63 : trailing_zeros(static_cast<std::uint64_t>(value));
  }
  // The number of low bits that are 0 in every value of the program, at least.
  BANKMODEL_FN static int low_zeros(const node* program, int size) {
    constexpr unsigned keeping = additive_operations | set_of(operation::bit_or) |
                                 set_of(operation::bit_xor) | set_of(operation::minimum) |
                                 set_of(operation::maximum);
    int stack[max_index_depth];
    int top = -1;
    for (int at = 0; at < size; ++at) {
      const operation op = program[at].op;
      if (is_in(leaf_operations, op)) {
        stack[++top] = op == operation::constant ? zeros_of(program[at].value) : 0;
        continue;
      }
      if (op == operation::negate) continue;
      const int right = stack[top--], left = stack[top], least = left < right ? left : right;
      const bool by_a_constant = program[at - 1].op == operation::constant;
      stack[top] = is_in(keeping, op)          ? least
                   : op == operation::multiply ? left + right
                   : op == operation::bit_and  ? left + right - least
                   : op == operation::shift_left && by_a_constant
                       ? left + static_cast<int>(program[at - 1].value & 63)
                       : 0;
      if (stack[top] > 63) stack[top] = 63;
    }
    return stack[0];
  }

  // Where the base does not matter and the last subscript is `f ^ y`, with y the same in all lanes:
  // y flips the same low bits of each lane's element as long as f stays below a power of two and
  // everything else is a multiple of that. So banks change places, and layers do, and what a
  // request costs does not change: y is left out.
  BANKMODEL_FN void leave_out_what_permutes_banks(slice& program) const {
    const node* const nodes = access.nodes + program.first;
    if (program.size < 3 || access.vector != 1 || nodes[program.size - 1].op != operation::bit_xor)
      return;
    // The right operand: from the end back to where as many values have been found as are missing.
    int right = program.size - 1;
    for (int missing = 1; missing > 0;) missing -= growth_of(nodes[--right].op);
    const slice sides[2] = {{program.first, right},
                            {program.first + right, program.size - 1 - right}};
    const int in_lanes = (used_by(sides[0]) & lanes) != 0 ? 0 : 1;
    if ((used_by(sides[1 - in_lanes]) & lanes) != 0) return;
    const value_range f = range_of(sides[in_lanes]);
    if (!f.known() || f.lowest < 0) return;
    const long long others =
        all_bits_of(f.highest);  // the low bits of elements that have to be 0 elsewhere
    long long rest = access.array.base_bytes / access.array.element_bytes;
    for (int d = 0; d < access.subscripts - 1; ++d) rest |= access.array.layout.stride[d];
    if ((rest & others) == 0) program = sides[in_lanes];
  }

  // Of a bound, or of each side of each comparison in a condition; 0 if of one of them it cannot be
  // said.
  BANKMODEL_FN long long period_of_parts(const slice& program, const long long* moves) const {
    const node* const nodes = access.nodes + program.first;
    int start[max_index_depth];
    int top = -1;
    long long period = 1;
    const auto add = [&](int from, int to) {
      if (period == 0) return;
      const movement how = movement_of(nodes + from, to - from, moves, ranges);
      period = how.known() ? least_common_period(period, how.period) : 0;
    };
    bool compares = false;
    for (int at = 0; at < program.size; ++at) {
      const operation op = nodes[at].op;
      top += growth_of(op);
      if (is_in(leaf_operations, op)) start[top] = at;
      if (!is_in(comparison_operations, op)) continue;
      compares = true;
      add(start[top], start[top + 1]);
      add(start[top + 1], at);
    }
    if (!compares) add(0, program.size);
    return period;
  }

  bool filtered_ = false;
  static constexpr int kept = 24;  // wrappers; those that are deeper are read together
  reading each_[kept], inside_[kept];
};

}  // namespace detail
}  // namespace bankmodel

#endif
