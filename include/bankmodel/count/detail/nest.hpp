// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_NEST_HPP
#define BANKMODEL_COUNT_DETAIL_NEST_HPP

#include <bankmodel/count/detail/addresses.hpp>
#include <bankmodel/count/detail/conditions.hpp>
#include <bankmodel/count/detail/groups.hpp>
#include <bankmodel/count/detail/movement.hpp>
#include <bankmodel/count/detail/structure.hpp>

// What can be said of one access of one block before it is walked.
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

struct nest {
  const access_view& access;
  warp_groups groups;
  unsigned lanes = 0;        // the variables that differ from lane to lane
  unsigned in_lockstep = 0;  // the loops among them
  // and loops walked value by value
  unsigned fixed =
      variable_bit(variable::bx) | variable_bit(variable::by) | variable_bit(variable::bz);
  unsigned used = 0;
  structure subscripts;
  // whether it matters, for cost or for refusal, where the loops and warps move a request
  bool base_matters = true;
  // whether what differs from lane to lane does so in equal steps along x, y and z,
  bool even = false;
  bool lines = false;               // and from lane to lane
  bool in_a_line = false;           // whether the subscripts do the latter
  bool moves_in_a_line = false;     // and whether loops and warps move them in equal steps too
  bool few_residues = true;         // otherwise nothing may move a request
  value_range ranges[variables];    // of each variable
  value_range narrowed[variables];  // the same in lanes that pass the filters
  slice subscript[max_rank];        // the subscripts, without what makes no difference

  // `residues`: how many bases of a request differ in cost; 0 for too many.
  BANKMODEL_FN nest(const machine& m, const block_dim& block, const block_index& at,
                    const access_view& of, int residues)
      : access(of), groups(m, block) {
    lanes = groups.differing();
    ranges[static_cast<int>(variable::tx)] = {0, block.x - 1};
    ranges[static_cast<int>(variable::ty)] = {0, block.y - 1};
    ranges[static_cast<int>(variable::tz)] = {0, block.z - 1};
    ranges[static_cast<int>(variable::bx)] = known_range(at.x, at.x);
    ranges[static_cast<int>(variable::by)] = known_range(at.y, at.y);
    ranges[static_cast<int>(variable::bz)] = known_range(at.z, at.z);
    ranges[static_cast<int>(variable::tid)] = {0, groups.threads() - 1};
    ranges[static_cast<int>(variable::lane)] = {0, m.lanes - 1};
    ranges[static_cast<int>(variable::warp)] = {0, groups.warps() - 1};
    bool filtered = false;
    even = groups.rectangular();
    unsigned set = 0;
    for (int level = 0; level < access.depth; ++level) {
      const wrapper& w = access.wrappers[level];
      const unsigned read = used_by(w);
      require_set(read, set);
      used |= read;
      if (w.kind == wrapper_kind::filter) {
        narrow(w.first, set, filtered);
        continue;
      }
      const unsigned bit = variable_bit(w.variable);
      if ((set & bit) != 0)
        rule::nested_loops_must_have_different_variables(static_cast<int>(w.variable) -
                                                         static_cast<int>(variable::loop_0));
      set |= bit;
      if ((read & lanes) != 0) {
        in_lockstep |= bit;
        lanes |= bit;
        even = even && w.kind == wrapper_kind::range && moves_lanes_evenly(w);
      } else if (w.kind != wrapper_kind::range) {
        fixed |= bit;
      }
      ranges[static_cast<int>(w.variable)] = range_of_values(w, ranges);
      if (filtered) narrowed[static_cast<int>(w.variable)] = range_of_values(w, narrowed);
    }
    active_ = filtered ? narrowed : ranges;
    if (access.subscripts != access.array.layout.rank)
      rule::too_few_subscripts(access.subscripts, access.array.layout.rank);
    lines = even && groups.within_rows();
    inside_[access.depth < kept ? access.depth : kept] =
        access.depth < kept ? reading{} : read_inside(kept - 1);
    for (int level = (access.depth < kept ? access.depth : kept) - 1; level >= 0; --level) {
      each_[level] = read_anew(access.wrappers[level]);
      inside_[level] = {inside_[level + 1].used | each_[level].used,
                        inside_[level + 1].bent | each_[level].bent};
    }
    for (int d = 0; d < access.subscripts; ++d) require_set(used_by(access.subscript[d]), set);
    base_matters = residues != 1;
    for (int d = 0; d < access.subscripts && !base_matters; ++d) base_matters = !lies_within(d);
    if (!base_matters) base_matters = !is_aligned();
    for (int d = 0; d < access.subscripts; ++d) {
      slice& program = subscript[d];
      program = access.subscript[d];
      if (!base_matters && d == access.subscripts - 1) leave_out_what_permutes_banks(program);
      subscripts.read(access.nodes + program.first, program.size, lanes, fixed);
    }
    used |= subscripts.used;
    few_residues = residues != 0;
    in_a_line = subscripts.bent_in_lanes == 0 && lanes_in_a_line(subscripts.used);
    moves_in_a_line = in_a_line && few_residues && subscripts.bent == 0;
    for (int d = 0; d < access.subscripts && moves_in_a_line; ++d)
      moves_in_a_line = range_of(subscript[d]).known();
  }

  BANKMODEL_FN unsigned used_by(const slice& program) const {
    return variables_in(access.nodes + program.first, program.size);
  }

  // The variables that a wrapper's bounds or condition read.
  BANKMODEL_FN unsigned used_by(const wrapper& w) const {
    if (w.kind == wrapper_kind::values) return 0;
    return used_by(w.first) | used_by(w.last) | used_by(w.step);
  }

  // Which variables a wrapper's programs read, and of which its bounds, or the sides of its
  // comparisons, are no sum of multiples.
  struct reading {
    unsigned used = 0, bent = 0;
  };
  BANKMODEL_FN reading read_by(int level) const {
    return level < kept ? each_[level] : read_anew(access.wrappers[level]);
  }

  // The same of all wrappers inside the one at `level`, which may be -1 or less for all of the
  // nest.
  BANKMODEL_FN reading read_inside(int level) const {
    if (level < 0) level = -1;
    if (level + 1 < kept || access.depth < kept) return inside_[level + 1];
    reading result;
    for (int inner = level + 1; inner < access.depth; ++inner) {
      const reading one = read_anew(access.wrappers[inner]);
      result = {result.used | one.used, result.bent | one.bent};
    }
    return result;
  }

  // Whether those of `used` that differ from lane to lane do so in equal steps.
  BANKMODEL_FN bool lanes_in_a_line(unsigned of) const {
    return lines || ((even || in_lockstep == 0) && (of & lanes & ~lane_numbers) == 0);
  }

  // The variables of which the pattern of the lanes, or an address that matters, is no sum of
  // multiples.
  BANKMODEL_FN unsigned bent() const {
    if (!few_residues) return subscripts.used;
    return subscripts.bent_in_lanes | (base_matters ? subscripts.bent : 0);
  }

  // Whether the subscripts give the same pattern, and no refusal, at positions too where no lane
  // is active.
  BANKMODEL_FN bool may_be_read_anywhere() const {
    return even && (subscripts.bent | subscripts.bent_in_lanes) == 0;
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
      const slice& program = subscript[d];
      structure alone;
      alone.read(access.nodes + program.first, program.size, lanes, fixed);
      if ((moved & (alone.bent_in_lanes | (base_matters ? alone.bent : 0))) == 0) continue;
      const movement how = movement_of(access.nodes + program.first, program.size, moves, ranges);
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
        operators += access.nodes[program.first + at].op > operation::variable;
    };
    for (int d = 0; d < access.subscripts; ++d) add(access.subscript[d]);
    for (int level = 0; level < access.depth; ++level) {
      const wrapper& w = access.wrappers[level];
      add(w.first), add(w.last), add(w.step);
      reads_lanes = reads_lanes || (w.kind == wrapper_kind::filter && !in_a_line);
    }
    return reads_lanes ? 32 * (45 + 8 * operators) : 200 + 40 * operators;
  }

 private:
  BANKMODEL_FN reading read_anew(const wrapper& w) const {
    if (w.kind == wrapper_kind::values) return {};
    structure all;
    const slice programs[3] = {w.first, w.last, w.step};
    for (const slice& each : programs) all.read(access.nodes + each.first, each.size, lanes, fixed);
    return {all.used, all.bent | all.bent_in_lanes};
  }

  const value_range* active_ = nullptr;
  static constexpr int kept = 8;  // wrappers whose reading is kept
  reading each_[kept], inside_[kept + 1];

  static constexpr unsigned lane_numbers =
      variable_bit(variable::tid) | variable_bit(variable::lane);

  BANKMODEL_FN static void require_set(unsigned read, unsigned set) {
    const unsigned unset = (read & ~set) >> static_cast<int>(variable::loop_0);
    if (unset != 0) rule::loop_variables_must_stand_inside_their_for_loop(trailing_zeros(unset));
  }

  // Whether a loop in lockstep starts in equal steps from lane to lane, and runs in equal steps.
  BANKMODEL_FN bool moves_lanes_evenly(const wrapper& w) const {
    structure first;
    first.read(access.nodes + w.first.first, w.first.size, lanes, fixed);
    return first.bent_in_lanes == 0 && (used_by(w.step) & lanes) == 0;
  }

  // In active lanes.
  BANKMODEL_FN value_range range_of(const slice& program) const {
    return detail::range_of(access.nodes + program.first, program.size, active_);
  }

  // What passes `variable < constant` and the like bounds the variable.
  BANKMODEL_FN void narrow(const slice& filter, unsigned loops, bool& filtered) {
    slice whole = filter, rest;
    for (; whole.size != 0; whole = rest) {
      const slice one = first_condition(access.nodes, whole, rest);
      const node* const nodes = access.nodes + one.first;
      if (one.size != 3 || nodes[1].op > operation::variable || nodes[2].op < operation::less ||
          nodes[2].op > operation::equal)
        continue;
      if (!filtered)
        for (int at = 0; at < variables; ++at)
          if (at <= static_cast<int>(variable::warp) || (loops >> at & 1) != 0)
            narrowed[at] = ranges[at];
      filtered = true;
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
    const auto range_of = [&](const slice& program) {
      return detail::range_of(access.nodes + program.first, program.size, of);
    };
    if (w.kind == wrapper_kind::values) {
      const node* const list = access.nodes + w.first.first;
      long long lowest = list[0].value, highest = list[0].value;
      for (int at = 1; at < w.first.size; ++at) {
        if (list[at].value < lowest) lowest = list[at].value;
        if (list[at].value > highest) highest = list[at].value;
      }
      return known_range(lowest, highest);
    }
    const value_range first = range_of(w.first), last = range_of(w.last), step = range_of(w.step);
    if (!first.known() || !last.known() || !step.known()) return unknown_range;
    if (w.kind != wrapper_kind::range)
      return w.kind == wrapper_kind::powers ? unknown_range
             : first.lowest < 0             ? unknown_range
             : w.kind == wrapper_kind::powers_up
                 ? value_range{first.lowest,
                               last.highest - 1 > first.highest ? last.highest - 1 : first.highest}
                 : value_range{last.lowest + 1 < first.lowest ? last.lowest + 1 : first.lowest,
                               first.highest};
    const bool exactly = first.is_one() && step.is_one();
    if (step.lowest > 0) {
      const long long end = last.highest - 1;
      if (end <= first.highest) return first;
      return {first.lowest, exactly ? end - (end - first.lowest) % step.lowest : end};
    }
    if (step.highest >= 0) return unknown_range;
    const long long end = last.lowest + 1;
    if (end >= first.lowest) return first;
    return {exactly ? end + (first.lowest - end) % -step.lowest : end, first.highest};
  }

  BANKMODEL_FN bool lies_within(int d) const {
    const value_range range = range_of(access.subscript[d]);
    const long long behind = d == access.subscripts - 1 ? access.vector - 1 : 0;
    return range.known() && range.lowest >= 0 &&
           range.highest < access.array.layout.extent[d] - behind;
  }

  // Whether each subscript by itself keeps a wide access aligned.
  BANKMODEL_FN bool is_aligned() const {
    if (access.vector == 1) return true;
    const int bytes = access.array.element_bytes * access.vector;
    const int needed = trailing_zeros(static_cast<std::uint64_t>(bytes == 12 ? 4 : bytes));
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

  // Where the base does not matter and the last subscript is `f ^ y`, with y the same in all
  // lanes: y flips the same low bits of each lane's element as long as f stays below a power of
  // two and everything else is a multiple of that. So banks change places, and layers do, and what
  // a request costs does not change: y is left out.
  BANKMODEL_FN void leave_out_what_permutes_banks(slice& program) const {
    const node* const nodes = access.nodes + program.first;
    if (program.size < 3 || access.vector != 1 || nodes[program.size - 1].op != operation::bit_xor)
      return;
    // The right operand: from the end back to where as many values have been found as are missing.
    int right = program.size - 1;
    for (int missing = 1; missing > 0;) {
      const operation op = nodes[--right].op;
      missing += op <= operation::variable ? -1 : op < operation::negate ? 1 : 0;
    }
    const slice sides[2] = {{program.first, right},
                            {program.first + right, program.size - 1 - right}};
    const int in_lanes = (used_by(sides[0]) & lanes) != 0 ? 0 : 1;
    if ((used_by(sides[1 - in_lanes]) & lanes) != 0) return;
    const value_range f = range_of(sides[in_lanes]);
    if (!f.known() || f.lowest < 0) return;
    // the low bits of elements that have to be 0 elsewhere
    const long long others = all_bits_of(f.highest);
    long long rest = access.array.base_bytes / access.array.element_bytes;
    for (int d = 0; d < access.subscripts - 1; ++d) rest |= access.array.layout.stride[d];
    if ((rest & others) == 0) program = sides[in_lanes];
  }

  // The number of low bits that are 0 in every value of the program, at least.
  BANKMODEL_FN static int low_zeros(const node* program, int size) {
    int stack[max_index_depth];
    int top = -1;
    for (int at = 0; at < size; ++at) {
      const operation op = program[at].op;
      if (op <= operation::variable) {
        stack[++top] = op == operation::constant ? zeros_of(program[at].value) : 0;
        continue;
      }
      if (op == operation::negate) continue;
      const int right = stack[top--], left = stack[top], least = left < right ? left : right;
      const bool sum = op == operation::add || op == operation::subtract ||
                       op == operation::bit_or || op == operation::bit_xor ||
                       op == operation::minimum || op == operation::maximum;
      const bool by_a_constant = program[at - 1].op == operation::constant;
      stack[top] = sum                         ? least
                   : op == operation::multiply ? left + right
                   : op == operation::bit_and  ? left + right - least
                   : op == operation::shift_left && by_a_constant
                       ? left + static_cast<int>(program[at - 1].value & 63)
                       : 0;
      if (stack[top] > 63) stack[top] = 63;
    }
    return stack[0];
  }

  // Of a bound, or of each side of each comparison in a condition; 0 if of one of them it cannot
  // be said.
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
      if (op <= operation::variable) {
        start[++top] = at;
      } else if (op >= operation::skip_if_false) {
        --top;
      } else if (op < operation::negate) {
        if (op >= operation::less) {
          compares = true;
          add(start[top - 1], start[top]);
          add(start[top], at);
        }
        --top;
      }
    }
    if (!compares) add(0, program.size);
    return period;
  }
};

}  // namespace detail
}  // namespace bankmodel

#endif
