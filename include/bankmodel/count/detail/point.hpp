// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_POINT_HPP
#define BANKMODEL_COUNT_DETAIL_POINT_HPP

#include <bankmodel/count/detail/loop_intervals.hpp>
#include <bankmodel/count/detail/lower.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The current state of counting: the intervals of the loops that are not enumerated, and each
// variable as a linear form of lane coordinates and positions.
namespace bankmodel::detail {

class point : public interval_list {
 public:
  static constexpr int nothing_further = -1;

  long long work = 0;                   // about the steps of clang that counting took
  long long trip[loop_variables] = {};  // of loops that are no intervals, by their variables

  BANKMODEL_FN point(const lowered& of, const machine& m, const block_dim& block,
                     const block_index& at)
      : of_(of), block_(block), lanes_(m.lanes), dimensions_(of.groups.within_rows() ? 1 : 3) {
    form(variable::bx).set_constant(at.x);
    form(variable::by).set_constant(at.y);
    form(variable::bz).set_constant(at.z);
  }

  BANKMODEL_FN static int number(variable loop) {
    return static_cast<int>(loop) - static_cast<int>(variable::loop_0);
  }

  // ---- variables ----

  BANKMODEL_FN const warp_group& group() const { return group_; }
  BANKMODEL_FN void enter(const warp_group& group) {
    group_ = group;
    thread_ = group.first * lanes_;
    ++version_;
    rows_ready_ = 0;
    const int x = thread_ % block_.x, y = thread_ / block_.x % block_.y,
              z = thread_ / block_.x / block_.y;
    form(variable::tx).set_constant(x);
    form(variable::tx).set(0, 1);
    form(variable::ty).set_constant(y);
    form(variable::tz).set_constant(z);
    if (dimensions_ > 1) form(variable::ty).set(1, 1), form(variable::tz).set(2, 1);
    form(variable::warp).set_constant(group.first);
    set_number(variable::lane, 0);
    set_number(variable::tid, thread_);
  }

  BANKMODEL_FN int lanes() const { return lanes_; }  // of a warp
  // Sets a variable that counts threads: first + x + block.x * y + ..
  BANKMODEL_FN void set_number(variable which, int first) {
    if ((of_.used & variable_bit(which)) == 0) return;
    form(which).set_constant(first);
    form(which).set(0, 1);
    if (dimensions_ == 1) return;
    form(which).set(1, static_cast<std::uint64_t>(block_.x));
    form(which).set(2, static_cast<std::uint64_t>(block_.x) * static_cast<std::uint64_t>(block_.y));
  }
  // The coordinate of a loop's positions.
  BANKMODEL_FN int dimension(int loop) const { return dimensions_ + loop; }
  BANKMODEL_FN linear_form& form(variable which) { return form_[static_cast<int>(which)]; }
  BANKMODEL_FN const linear_form& form(variable which) const {
    return form_[static_cast<int>(which)];
  }
  // Set a variable to a form or a value. set_uneven() adds to its form the value of the program
  // `start`, or of each lane.
  BANKMODEL_FN void set(variable which, const linear_form& to) {
    if ((set_ & variable_bit(which)) != 0 && form(which).equals(to)) return;
    form(which) = to;
    set_ |= variable_bit(which);
    ++version_;
  }
  BANKMODEL_FN void set(variable which, long long value) {
    form(which).set_constant(value);
    set_ |= variable_bit(which);
    ++version_;
  }
  BANKMODEL_FN void set_uneven(variable which, const slice& start, const long long* each) {
    start_[number(which)] = {start.first, start.size, each};
  }
  // Sets the variable of a loop to start + step * position of the loop that is entered next.
  // `outer` is the loop that moves the start, or -1.
  BANKMODEL_FN void set_loop(const wrapper& w, int lane, long long step, int outer) {
    linear_form to;
    to.set_constant(0);
    to.lanes_known = to.known = !of_.is_uneven(w);
    if (of_.is_uneven(w))
      set_uneven(w.variable, w.first, nullptr);
    else
      read_here(w.first, lane, outer, to);
    if (step != 0) to.set(dimension(count()), static_cast<std::uint64_t>(step));
    set(w.variable, to);
  }
  BANKMODEL_FN void add_factor(variable which, int loop, long long by) {
    if ((of_.used & variable_bit(which)) == 0) return;
    form(which).set(dimension(loop), static_cast<std::uint64_t>(by));
    ++version_;
  }
  // Writes the amount by which each variable moves at each position of a loop.
  BANKMODEL_FN void read_moves(int loop, long long* moves) const {
    for (int which = 0; which < variables; ++which)
      moves[which] = ((*this)[loop].moves & of_.used) >> which & 1
                         ? static_cast<long long>(form_[which].of(dimension(loop)))
                         : 0;
  }
  // Changes with the form of any variable: forms that were read from programs are valid while it
  // stays the same.
  BANKMODEL_FN int version() const { return version_; }

  BANKMODEL_FN void read(const program& of, linear_form& to) const {
    read_form(of.nodes, of.size, form_, dimensions_, to);
  }
  BANKMODEL_FN void read(const slice& of, linear_form& to) const {
    read(program{of_.access.nodes + of.first, of.size}, to);
  }
  // The same, but parts that are not linear in loops have their current value in `lane`. Requires:
  // lanes differ by equal amounts, and no loop but `outer` (-1: none) moves the program.
  BANKMODEL_FN void read_here(const slice& of, int lane, int outer, linear_form& to) const {
    read(of, to);
    if (to.known) return;
    if (to.size > dimensions_) to.size = dimensions_;
    to.constant = 0;
    to.known = true;
    const long long here = value(of, lane);
    to.constant = static_cast<std::uint64_t>(here) - static_cast<std::uint64_t>(value(to, lane));
    if (outer < 0) return;
    const auto by = static_cast<std::uint64_t>(checked_subtract(value(of, lane, outer), here));
    to.constant -= by * static_cast<std::uint64_t>((*this)[outer].at);
    to.set(dimension(outer), by);
  }

  // True if neighbouring lanes differ by factor[0].
  BANKMODEL_FN bool is_line(const linear_form& of) const {
    if (!of.lanes_known) return false;
    const auto x = static_cast<std::uint64_t>(block_.x), y = static_cast<std::uint64_t>(block_.y);
    return dimensions_ == 1 || (of.of(1) == of.of(0) * x && of.of(2) == of.of(1) * y);
  }

  // ---- values at the first position of each loop's interval, of loop `further` at the next ----

  BANKMODEL_FN long long value(const linear_form& of, int lane,
                               int further = nothing_further) const {
    std::uint64_t result = beyond_lanes(of, further);
    if (dimensions_ == 1)
      return static_cast<long long>(result + of.of(0) * static_cast<std::uint64_t>(lane));
    const int here = thread_ + lane;
    const int by[3] = {here % block_.x - thread_ % block_.x,
                       here / block_.x % block_.y - thread_ / block_.x % block_.y,
                       here / block_.x / block_.y - thread_ / block_.x / block_.y};
    for (int d = 0; d < 3; ++d)
      result += of.of(d) * static_cast<std::uint64_t>(static_cast<long long>(by[d]));
    return static_cast<long long>(result);
  }
  BANKMODEL_FN long long value(const program& of, int lane, int further = nothing_further) const {
    if (of.size == 1 && of.nodes->op == operation::variable &&
        (of_.uneven >> of.nodes->value & 1) == 0)
      return value(form_[of.nodes->value], lane, further);
    long long values[variables];
    for (unsigned rest = variables_in(of.nodes, of.size); rest != 0; rest &= rest - 1) {
      const int which = trailing_zeros(rest);
      values[which] = value(form_[which], lane, further);
      if ((of_.uneven >> which & 1) == 0) continue;
      const int loop = which - static_cast<int>(variable::loop_0);
      const uneven_start& start = start_[loop];
      values[which] += start.each != nullptr ? start.each[lane]
                                             : value(slice{start.first, start.size}, lane, further);
    }
    return evaluate(of.nodes, of.size, values);
  }
  BANKMODEL_FN long long value(const slice& of, int lane, int further = nothing_further) const {
    const node& first = of_.access.nodes[of.first];
    if (of.size == 1 && first.op == operation::constant) return first.value;
    return value(program{of_.access.nodes + of.first, of.size}, lane, further);
  }

  // Writes the value in each lane. Requires: the form is known.
  BANKMODEL_FN void spread(const linear_form& of, int further, long long* to) const {
    spread_lanes(of, beyond_lanes(of, further), to);
  }
  BANKMODEL_FN void spread_lanes(const linear_form& of, std::uint64_t value, long long* to) const {
    const std::uint64_t by_x = of.of(0);
    if (dimensions_ == 1) {
      for (int lane = 0; lane < group_.lanes; ++lane, value += by_x)
        to[lane] = static_cast<long long>(value);
      return;
    }
    const std::uint64_t by_row = of.of(1) - by_x * static_cast<std::uint64_t>(block_.x);
    const std::uint64_t by_plane = of.of(2) - of.of(1) * static_cast<std::uint64_t>(block_.y);
    int y = thread_ / block_.x % block_.y;
    for (int lane = 0, end = block_.x - thread_ % block_.x; lane < group_.lanes; end += block_.x) {
      if (end > group_.lanes) end = group_.lanes;
      for (; lane < end; ++lane, value += by_x) to[lane] = static_cast<long long>(value);
      value += by_row;
      if (++y < block_.y) continue;
      y = 0;
      value += by_plane;
    }
  }
  // Reads the values of the variables `needed` in these lanes.
  BANKMODEL_FN void read_lanes(const lane_set& active, unsigned needed,
                               int further = nothing_further) {
    if ((needed & of_.uneven) != 0) needed = set_ & of_.used;  // their starts may read any
    for (unsigned rest = needed & ~of_.uneven; rest != 0; rest &= rest - 1) {
      const int which = trailing_zeros(rest);
      const linear_form& of = form_[which];
      bool same = true;
      for (int d = 0; d < dimensions_; ++d) same = same && of.of(d) == 0;
      values_[which] = {nullptr, static_cast<long long>(beyond_lanes(of, further))};
      if (same) continue;
      if (!row_is(which, of, values_[which].same))
        spread_lanes(of, static_cast<std::uint64_t>(values_[which].same), row_[which]);
      values_[which] = {row_[which], 0};
    }
    for (int at = 0; at < count(); ++at) {
      const int which = static_cast<int>((*this)[at].which);
      if (((needed & of_.uneven) >> which & 1) == 0 || (*this)[at].of_warps) continue;
      const auto moved = static_cast<long long>(beyond_lanes(form_[which], further));
      const uneven_start& from = start_[number((*this)[at].which)];
      const lane_values start = from.each != nullptr
                                    ? lane_values{from.each, 0}
                                    : evaluated(slice{from.first, from.size}, active);
      for (int index = 0; index < active.count; ++index)
        row_[which][active.lane[index]] = start[active.lane[index]] + moved;
      values_[which] = {row_[which], 0};
    }
  }
  // Returns the value of a program in these lanes, with the variables of the last read_lanes();
  // valid until the next call.
  BANKMODEL_FN lane_values evaluated(const program& of, const lane_set& active) {
    rows_.slow = 0;
    const lane_values result = evaluate(of.nodes, of.size, values_, active, rows_);
    work += 14ll * rows_.slow * active.count;
    return result;
  }
  BANKMODEL_FN lane_values evaluated(const slice& of, const lane_set& active) {
    return evaluated(program{of_.access.nodes + of.first, of.size}, active);
  }

 private:
  // True if a variable's row has these values already; if not, they are noted as its values. Thread
  // variables rarely change.
  BANKMODEL_FN bool row_is(int which, const linear_form& of, long long first) {
    row& kept = kept_[which];
    bool same = (rows_ready_ >> which & 1) != 0 && kept.first == first;
    rows_ready_ |= 1u << which;
    for (int d = 0; d < dimensions_; ++d) {
      same = same && kept.factor[d] == of.of(d);
      kept.factor[d] = of.of(d);
    }
    kept.first = first;
    return same;
  }

  // The value without the terms of the lane's coordinates.
  BANKMODEL_FN std::uint64_t beyond_lanes(const linear_form& of, int further) const {
    std::uint64_t result = of.constant;
    for (int d = dimensions_; d < of.size; ++d) {
      if (of.factor[d] == 0) continue;
      const long long at = (*this)[d - dimensions_].at + (d - dimensions_ == further ? 1 : 0);
      result += of.factor[d] * static_cast<std::uint64_t>(at);
    }
    return result;
  }

  const lowered& of_;
  block_dim block_;
  int lanes_;
  int dimensions_;  // of a lane: its number in a row, or its thread's x, y and z
  int thread_ = 0, version_ = 0;
  unsigned set_ = variable_bit(variable::loop_0) - 1;  // the variables that have forms
  warp_group group_;
  linear_form form_[variables];
  struct uneven_start {
    int first, size;  // a program
    const long long* each;
  };
  uneven_start start_[loop_variables];
  lane_values values_[variables];
  struct row {
    long long first;
    std::uint64_t factor[3];
  };
  row kept_[variables];  // the values in row_
  unsigned rows_ready_ = 0;
  long long row_[variables][max_lanes];
  value_rows rows_;
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
