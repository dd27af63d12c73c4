// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_LOWER_HPP
#define BANKMODEL_COUNT_DETAIL_LOWER_HPP

#include <bankmodel/analysis/linear_sum.hpp>
#include <bankmodel/analysis/movement.hpp>
#include <bankmodel/count/detail/bank_permutation.hpp>
#include <bankmodel/count/detail/warps.hpp>

// The first step of counting: the canonical form of one access of one block, before anything is
// counted.
//
// The canonical form has only
//
//   loops        positions q = 0, 1, .. trips - 1, without first value, step and direction
//   comparisons  of linear forms, which select the lanes that continue
//   subscripts   as linear forms: a constant, and a factor for each lane coordinate and each loop
//
// and programs that are not linear, which are evaluated if nothing else is possible.
//
// These are rewritten:
//
//   the warps of a block            loops along x, y and z: tx = x + 32 * q
//   for (v = f; v < l; v += s)      q in [0, trips): v = f + s * q
//   a start that a loop moves       a factor of that loop: v = i + s * q
//   bounds that differ by lane      a loop with the trips of the longest lane, and a comparison
//                                   v < l
//   a && b                          two filters
//   x ^ y, if y only permutes banks x (bank_permutation.hpp)
//   layouts                         a part of the subscripts (laid_out.hpp)
//
// Example: block 64 x 1, 32 lanes, for (i = tx; i < 100; i += 64) a[2 * i + 1].
//
//   warps       w in [0, 2): tx = x + 32 * w (x is the lane)
//   loop        q in [0, 2): i = x + 32 * w + 64 * q, since the longest lane, 0, has i = 0 and 64
//   comparison  i < 100: x + 32 * w + 64 * q - 100 < 0
//   subscript   2 * x + 64 * w + 128 * q + 1
//
// split() finds that only lanes 0 to 3 pass in w = 1, q = 1. price() finds that this request costs
// 1 wavefront and each of the other three costs 2: 7 wavefronts.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void loop_variables_must_stand_inside_their_for_loop(long long number) {
  detail::fail(__func__,
               "loop variable % (i is 0, j is 1, ..) is read outside any for_loop that sets it; "
               "add the loop or use another variable",
               number);
}
[[noreturn]] BANKMODEL_FN void nested_loops_must_have_different_variables(long long number) {
  detail::fail(
      __func__,
      "loop variable % (i is 0, j is 1, ..) belongs to two nested loops; use another for one loop",
      number);
}
}  // namespace rule

namespace detail {

constexpr unsigned block_variables =
    variable_bit(variable::bx) | variable_bit(variable::by) | variable_bit(variable::bz);

struct lowered {
  const access_view& access;
  warp_groups groups;
  variable_ranges ranges;
  slice subscript[max_rank];  // the subscripts without terms that only permute banks
  structure subscripts{};     // of all of them
  linear_sum sum[max_rank];   // each subscript as a sum of variables, if it is one
  sum_terms terms;            // the terms of these
  // Sets of variables:
  unsigned used = 0;                 // in the nest or in the subscripts
  unsigned lanes = 0;                // with values that differ from lane to lane;
  unsigned in_lockstep = 0;          // the loops among these,
  unsigned uneven = 0;               // and those of them whose start is not linear
  unsigned fixed = block_variables;  // constants: the block's, and loops over powers and values
  unsigned bounded = 0;      // the subscripts (bits) that are within their extents in active lanes
  bool base_matters = true;  // for the cost, or for an error
  bool in_a_line = false;    // the subscripts' lanes differ in equal steps from one to the next
  bool linear = false;       // the subscripts are linear forms, within 64 bits
  bool aligned = true;       // the subscripts keep a wide access aligned at all values

  // `residues`: the number of bases of a request that may differ in cost; 0 for too many.
  BANKMODEL_FN lowered(const machine& m, const block_dim& block, const block_index& grid_index,
                       const access_view& view, int residues)
      : access(view), groups(m, block), ranges(access) {
    lanes = groups.differing();
    ranges.set_block(block, grid_index);
    ranges.set(variable::tid, 0, groups.threads() - 1);
    ranges.set(variable::lane, 0, m.lanes - 1);
    ranges.set(variable::warp, 0, groups.warps() - 1);
    const unsigned set = read_wrappers();
    if (access.subscripts != access.array.layout.rank)
      rule::too_few_subscripts(access.subscripts, access.array.layout.rank);
    for (int d = 0; d < access.subscripts; ++d) read_subscript(d, access.subscript[d]);
    require_set(subscripts.used, set);
    const bool ranges_known = read_subscripts(residues);
    used |= subscripts.used | in_lockstep;  // the latter in their own comparisons
    const bool lines =
        uneven == 0 && (groups.within_rows() || (subscripts.used & lanes & ~lane_numbers) == 0);
    in_a_line = subscripts.nonlinear_in_lanes == 0 && lines;
    linear = subscripts_are_even() && subscripts.nonlinear == 0 && ranges_known;
  }

  BANKMODEL_FN unsigned used_by(const slice& program) const {
    return variables_in(access.nodes + program.first, program.size);
  }
  // The variables of a wrapper's bounds or condition.
  BANKMODEL_FN unsigned used_by(const wrapper& w) const {
    return same(w.kind, wrapper_kind::values)
               ? 0
               : used_by(w.first) | used_by(w.last) | used_by(w.step);
  }

  // The variables of a wrapper's programs, and those in which its bounds, or the sides of its
  // comparisons, are not linear.
  struct reading {
    unsigned used, nonlinear;
  };
  BANKMODEL_FN const reading& read_by(int level) const {
    return readings_[level < kept ? level : kept - 1];
  }
  // The same of all wrappers inside the one at `level`; of the whole nest if it is negative.
  BANKMODEL_FN const reading& read_inside(int level) const {
    return inside_[level < 0 ? 0 : level + 1 < kept ? level + 1 : kept - 1];
  }

  // True if the lanes of all subscripts differ in equal steps along x, y and z.
  BANKMODEL_FN bool subscripts_are_even() const {
    return subscripts.nonlinear_in_lanes == 0 && (subscripts.used & uneven) == 0;
  }
  // True if the subscripts are those of the access: not one without an XOR that permutes banks.
  BANKMODEL_FN bool subscripts_are_whole() const {
    const int last = access.subscripts - 1;
    return subscript[last].size == access.subscript[last].size;
  }
  // True if the lane pattern is read from linear forms alone, and so is the same at every position
  // of every loop. Then it may be read at a position with other or no active lanes, as
  // filter_splitter::cut() does. Evaluated subscripts may not: lanes that are inactive at that
  // position would cause errors.
  BANKMODEL_FN bool may_be_read_anywhere() const {
    return subscripts_are_even() && subscripts.nonlinear == 0;
  }

  // True if each subscript differs by linear_sum::by_lane from lane to lane, in all requests.
  BANKMODEL_FN bool has_steps_by_lane() const {
    bool result = in_a_line && (subscripts.used & in_lockstep) == 0;
    for (int d = 0; d < access.subscripts; ++d) result = result && sum[d].known();
    return result;
  }

  // The variables in which the lane pattern, or an address that matters, is not linear.
  BANKMODEL_FN unsigned nonlinear() const {
    return subscripts.nonlinear_in_lanes | (base_matters ? subscripts.nonlinear : 0);
  }
  // About the steps of clang to evaluate the subscripts, for each active lane.
  BANKMODEL_FN int steps_of_lanes() const { return 10 + 8 * subscripts.operators_in_lanes; }
  // True if something inside the loop at `level` is not linear in its variable.
  BANKMODEL_FN bool variable_is_nonlinear(int level) const {
    return ((nonlinear() | read_inside(level).nonlinear) &
            variable_bit(access.wrappers[level].variable)) != 0;
  }
  BANKMODEL_FN bool is_in_lockstep(const wrapper& w) const {
    return (in_lockstep & variable_bit(w.variable)) != 0;
  }
  BANKMODEL_FN bool is_uneven(const wrapper& w) const {
    return (uneven & variable_bit(w.variable)) != 0;
  }
  // The variables on which the cost of a request may depend.
  BANKMODEL_FN unsigned used_by_requests() const {
    return base_matters ? subscripts.used : subscripts.nonlinear_in_lanes;
  }
  // True if something inside the wrapper at `level` depends on these variables.
  BANKMODEL_FN bool matters(unsigned moves, int level) const {
    return (moves & (used_by_requests() | read_inside(level).used)) != 0;
  }

  // The number of steps after which everything inside the wrapper at `level` has moved evenly, if
  // one step moves the variables in `moved` by `moves`; 0 if it is not known for the subscripts.
  // Conditions and bounds without a known period are left out: they are handled when the
  // enumeration reaches them.
  BANKMODEL_FN long long period_inside(int level, unsigned moved, const long long* moves) const {
    long long period = 1;
    for (int d = 0; d < access.subscripts; ++d) {
      const node* const nodes = access.nodes + subscript[d].first;
      structure alone{};
      alone.read(nodes, subscript[d].size, lanes, fixed);
      if ((moved & (alone.nonlinear_in_lanes | (base_matters ? alone.nonlinear : 0))) == 0)
        continue;
      const movement motion = movement_of(nodes, subscript[d].size, moves, ranges.unfiltered);
      if (!motion.known() || motion.scaled) return 0;
      period = least_common_period(period, motion.period);
      if (period == 0) return 0;
    }
    for (int inner = level < -1 ? 0 : level + 1; inner < access.depth; ++inner) {
      const wrapper& w = access.wrappers[inner];
      if (same(w.kind, wrapper_kind::values)) continue;
      const slice programs[3] = {w.first, w.last, w.step};
      for (const slice& program : programs) {
        const long long of_this =
            period_of_parts(access.nodes + program.first, program.size, moves, ranges.unfiltered);
        const long long common = of_this == 0 ? 0 : least_common_period(period, of_this);
        if (common != 0) period = common;
      }
    }
    return period;
  }

 private:
  static constexpr unsigned lane_numbers =
      variable_bit(variable::tid) | variable_bit(variable::lane);

  BANKMODEL_FN static void require_set(unsigned read, unsigned set) {
    const unsigned unset = (read & ~set) >> static_cast<int>(variable::loop_0);
    if (unset != 0) rule::loop_variables_must_stand_inside_their_for_loop(trailing_zeros(unset));
  }

  // Reads the wrappers, the outermost first; returns the variables of their loops.
  BANKMODEL_FN unsigned read_wrappers() {
    unsigned set = 0;
    for (int level = 0; level < access.depth; ++level) {
      const wrapper& w = access.wrappers[level];
      const reading current = read_anew(w);
      const unsigned read = current.used;
      require_set(read, set);
      used |= read;
      reading& entry = readings_[level < kept ? level : kept - 1];
      entry = level < kept
                  ? current
                  : reading{entry.used | current.used, entry.nonlinear | current.nonlinear};
      if (same(w.kind, wrapper_kind::filter)) {
        ranges.add_filter(w.first, set);
        continue;
      }
      const unsigned bit = variable_bit(w.variable);
      if ((set & bit) != 0)
        rule::nested_loops_must_have_different_variables(static_cast<int>(w.variable) -
                                                         static_cast<int>(variable::loop_0));
      set |= bit;
      if ((read & lanes) != 0) {
        in_lockstep |= bit;
        if (!same(w.kind, wrapper_kind::range) || !starts_evenly(w)) uneven |= bit;
        lanes |= bit;
      } else if (!same(w.kind, wrapper_kind::range)) {
        fixed |= bit;
      }
      ranges.add_loop(w);
    }
    const int last = access.depth < kept ? access.depth : kept - 1;
    inside_[last] = readings_[last] = access.depth < kept ? reading{0, 0} : readings_[last];
    for (int level = last - 1; level >= 0; --level)
      inside_[level] = {inside_[level + 1].used | readings_[level].used,
                        inside_[level + 1].nonlinear | readings_[level].nonlinear};
    return set;
  }
  BANKMODEL_FN reading read_anew(const wrapper& w) const {
    if (same(w.kind, wrapper_kind::values)) return {};
    structure result{};
    const slice programs[3] = {w.first, w.last, w.step};
    for (const slice& program : programs)
      result.read(access.nodes + program.first, program.size, lanes, fixed);
    return {result.used, result.nonlinear | result.nonlinear_in_lanes};
  }
  // True if the start of a loop in lockstep is linear in the lanes, and its step is the same in
  // all.
  BANKMODEL_FN bool starts_evenly(const wrapper& w) const {
    structure first{};
    first.read(access.nodes + w.first.first, w.first.size, lanes, fixed);
    return first.nonlinear_in_lanes == 0 &&
           ((first.used & uneven) | (used_by(w.step) & lanes)) == 0;
  }

  // Returns true if all subscripts have known ranges.
  BANKMODEL_FN bool read_subscripts(int residues) {
    base_matters = residues != 1;
    bool ranges_known = true;
    for (int d = 0; d < access.subscripts; ++d) {
      value_range range = unknown_range;
      if (sum[d].known()) range = terms.range(sum[d], ranges.active());
      if (!range.known()) range = ranges.of_active(access.subscript[d]);
      ranges_known = ranges_known && range.is_narrow();
      if (range.known() && range.lowest >= 0 &&
          range.highest < access.array.layout.extent[d] - access.further_elements(d))
        bounded |= 1u << d;
      else
        base_matters = true;
    }
    aligned = keeps_alignment(access);
    base_matters = base_matters || !aligned;
    if (base_matters) return ranges_known;
    const int last = access.subscripts - 1;
    const slice program = without_bank_permutation(access, lanes, ranges);
    if (program.size == subscript[last].size) return ranges_known;
    subscripts = {};
    terms.clear();
    for (int d = 0; d < last; ++d) read_subscript(d, subscript[d]);
    read_subscript(last, program);
    return ranges_known;
  }
  BANKMODEL_FN void read_subscript(int d, const slice& program) {
    const node* const nodes = access.nodes + program.first;
    subscript[d] = program;
    sum[d] = terms.add(nodes, program.size, lanes, subscripts);
    if (!sum[d].known()) subscripts.read(nodes, program.size, lanes, fixed);
  }

  static constexpr int kept = 24;  // deeper wrappers are read together
  reading readings_[kept], inside_[kept];
};

}  // namespace detail
}  // namespace bankmodel

#endif
