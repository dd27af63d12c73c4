// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_POINT_HPP
#define BANKMODEL_COUNT_DETAIL_POINT_HPP

#include <bankmodel/count/detail/iteration_limit.hpp>
#include <bankmodel/count/detail/loop_intervals.hpp>
#include <bankmodel/count/detail/lower.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The current state of counting: the intervals of the loops that are not enumerated, and each
// variable as a linear form of lane coordinates and positions.
namespace bankmodel::detail {

class point : public interval_list {
 public:
  static constexpr int no_loop = -1;

  work_account account;
  long long trip[loop_variables] = {};  // of loops that are no intervals, by their variables

  BANKMODEL_FN point(const lowered& nest, const machine& m, const block_dim& block,
                     const block_index& grid_index)
      : nest_(nest),
        block_(block),
        lanes_(m.lanes),
        dimensions_(nest.groups.within_rows() ? 1 : 3) {
    form(variable::bx).set_constant(grid_index.x);
    form(variable::by).set_constant(grid_index.y);
    form(variable::bz).set_constant(grid_index.z);
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
    set_threads(variable::tx, x, 1, 0, 0);
    set_threads(variable::ty, y, 0, 1, 0);
    set_threads(variable::tz, z, 0, 0, 1);
    set_threads(variable::warp, group.first, 0, 0, 0);
    set_threads(variable::lane, 0, 1, block_.x, block_.x * block_.y);
    set_threads(variable::tid, thread_, 1, block_.x, block_.x * block_.y);
  }

  BANKMODEL_FN int lanes() const { return lanes_; }  // of a warp
  // Sets a variable to first + by_x * x + by_y * y + by_z * z of the lane's coordinates, if it is
  // used.
  BANKMODEL_FN void set_threads(variable id, int first, int by_x, int by_y, int by_z) {
    if ((nest_.used & variable_bit(id)) == 0) return;
    linear_form& target = form(id);
    target.set_constant(first);
    if (by_z != 0 && dimensions_ > 1) target.set(2, static_cast<std::uint64_t>(by_z));
    if (by_y != 0 && dimensions_ > 1) target.set(1, static_cast<std::uint64_t>(by_y));
    if (by_x != 0) target.set(0, static_cast<std::uint64_t>(by_x));
  }
  // The coordinate of a loop's positions.
  BANKMODEL_FN int dimension(int loop) const { return dimensions_ + loop; }
  BANKMODEL_FN linear_form& form(variable id) { return form_[static_cast<int>(id)]; }
  BANKMODEL_FN const linear_form& form(variable id) const { return form_[static_cast<int>(id)]; }
  // Set a variable to a form or a value. set_uneven() adds to its form the value of the program
  // `start`, or of each lane.
  BANKMODEL_FN void set(variable id, const linear_form& terms) {
    if ((set_ & variable_bit(id)) != 0 && form(id).equals(terms)) return;
    form(id) = terms;
    set_ |= variable_bit(id);
    ++version_;
  }
  BANKMODEL_FN void set(variable id, long long value) {
    form(id).set_constant(value);
    set_ |= variable_bit(id);
    ++version_;
  }
  BANKMODEL_FN void set_uneven(variable id, const slice& start, const long long* values) {
    start_[number(id)] = {start.first, start.size, values};
  }
  // Sets the variable of a loop to start + step * position of the loop that is entered next.
  // `outer` is the loop that moves the start, or -1.
  BANKMODEL_FN void set_loop(const wrapper& w, int lane, long long step, int outer) {
    linear_form terms;
    terms.set_constant(0);
    terms.lanes_known = terms.known = !nest_.is_uneven(w);
    if (nest_.is_uneven(w))
      set_uneven(w.variable, w.first, nullptr);
    else
      read_here(w.first, lane, outer, terms);
    if (step != 0) terms.set(dimension(count()), static_cast<std::uint64_t>(step));
    set(w.variable, terms);
  }
  BANKMODEL_FN void add_factor(variable id, int loop, long long factor) {
    if ((nest_.used & variable_bit(id)) == 0) return;
    form(id).set(dimension(loop), static_cast<std::uint64_t>(factor));
    ++version_;
  }
  // Writes the amount by which each variable moves at each position of a loop.
  BANKMODEL_FN void read_moves(int loop, long long* moves) const {
    for (int id = 0; id < variables; ++id)
      moves[id] = ((*this)[loop].moves & nest_.used) >> id & 1
                      ? static_cast<long long>(form_[id].coefficient(dimension(loop)))
                      : 0;
  }
  // Changes with the form of any variable: forms that were read from programs are valid while it
  // stays the same.
  BANKMODEL_FN int version() const { return version_; }

  BANKMODEL_FN void read(const program& code, linear_form& result) const {
    read_form(code.nodes, code.size, form_, dimensions_, result);
  }
  BANKMODEL_FN void read(const slice& code, linear_form& result) const {
    read(program{nest_.access.nodes + code.first, code.size}, result);
  }
  // Adds the form of subscript `d`, `times` times.
  BANKMODEL_FN void add_subscript(int d, std::uint64_t times, linear_form& result) const {
    const linear_sum& sum = nest_.sum[d];
    if (!sum.known()) {
      linear_form subscript;
      read(nest_.subscript[d], subscript);
      return result.add(subscript, times);
    }
    result.constant += times * static_cast<std::uint64_t>(sum.constant);
    for (int index = sum.first; index < sum.first + sum.count; ++index)
      result.add(form_[nest_.terms[index].variable],
                 times * static_cast<std::uint64_t>(nest_.terms[index].factor));
  }
  // As read(), but parts that are not linear in loops have their current value in `lane`. Requires:
  // lanes differ by equal amounts, and no loop but `outer` (-1: none) moves the program.
  BANKMODEL_FN void read_here(const slice& code, int lane, int outer, linear_form& result) const {
    read(code, result);
    if (result.known) return;
    if (result.size > dimensions_) result.size = dimensions_;
    result.constant = 0;
    result.known = true;
    const long long current = value(code, lane);
    result.constant =
        static_cast<std::uint64_t>(current) - static_cast<std::uint64_t>(value(result, lane));
    if (outer < 0) return;
    const auto increment =
        static_cast<std::uint64_t>(checked_subtract(value(code, lane, outer), current));
    result.constant -= increment * static_cast<std::uint64_t>((*this)[outer].begin);
    result.set(dimension(outer), increment);
  }

  // True if neighbouring lanes differ by factor[0].
  BANKMODEL_FN bool is_line(const linear_form& terms) const {
    if (!terms.lanes_known) return false;
    const auto x = static_cast<std::uint64_t>(block_.x), y = static_cast<std::uint64_t>(block_.y);
    return dimensions_ == 1 || (terms.coefficient(1) == terms.coefficient(0) * x &&
                                terms.coefficient(2) == terms.coefficient(1) * y);
  }

  // ---- values at the first position of each loop's interval, of `moved_loop` at the next ----

  BANKMODEL_FN long long value(const linear_form& terms, int lane, int moved_loop = no_loop) const {
    std::uint64_t result = beyond_lanes(terms, moved_loop);
    if (dimensions_ == 1)
      return static_cast<long long>(result +
                                    terms.coefficient(0) * static_cast<std::uint64_t>(lane));
    const int thread = thread_ + lane;
    const int offset[3] = {thread % block_.x - thread_ % block_.x,
                           thread / block_.x % block_.y - thread_ / block_.x % block_.y,
                           thread / block_.x / block_.y - thread_ / block_.x / block_.y};
    for (int d = 0; d < 3; ++d)
      result +=
          terms.coefficient(d) * static_cast<std::uint64_t>(static_cast<long long>(offset[d]));
    return static_cast<long long>(result);
  }
  BANKMODEL_FN long long value(const program& code, int lane, int moved_loop = no_loop) const {
    if (code.size == 1 && code.nodes->op == operation::variable &&
        (nest_.uneven >> code.nodes->value & 1) == 0)
      return value(form_[code.nodes->value], lane, moved_loop);
    long long values[variables];
    for (unsigned rest = variables_in(code.nodes, code.size); rest != 0; rest &= rest - 1) {
      const int id = trailing_zeros(rest);
      values[id] = value(form_[id], lane, moved_loop);
      if ((nest_.uneven >> id & 1) == 0) continue;
      const int loop = id - static_cast<int>(variable::loop_0);
      const uneven_start& start = start_[loop];
      values[id] += start.values != nullptr
                        ? start.values[lane]
                        : value(slice{start.first, start.size}, lane, moved_loop);
    }
    return evaluate(code.nodes, code.size, values);
  }
  BANKMODEL_FN long long value(const slice& code, int lane, int moved_loop = no_loop) const {
    const node& first = nest_.access.nodes[code.first];
    if (code.size == 1 && first.op == operation::constant) return first.value;
    return value(program{nest_.access.nodes + code.first, code.size}, lane, moved_loop);
  }

  // Writes the value in each lane. Requires: the form is known.
  BANKMODEL_FN void spread(const linear_form& terms, int moved_loop, long long* result) const {
    spread_lanes(terms, beyond_lanes(terms, moved_loop), result);
  }
  BANKMODEL_FN void spread_lanes(const linear_form& terms, std::uint64_t value,
                                 long long* result) const {
    const std::uint64_t by_x = terms.coefficient(0);
    if (dimensions_ == 1) {
      for (int lane = 0; lane < group_.lanes; ++lane, value += by_x)
        result[lane] = static_cast<long long>(value);
      return;
    }
    const std::uint64_t by_row = terms.coefficient(1) - by_x * static_cast<std::uint64_t>(block_.x);
    const std::uint64_t by_plane =
        terms.coefficient(2) - terms.coefficient(1) * static_cast<std::uint64_t>(block_.y);
    int y = thread_ / block_.x % block_.y;
    for (int lane = 0, end = block_.x - thread_ % block_.x; lane < group_.lanes; end += block_.x) {
      if (end > group_.lanes) end = group_.lanes;
      for (; lane < end; ++lane, value += by_x) result[lane] = static_cast<long long>(value);
      value += by_row;
      if (++y < block_.y) continue;
      y = 0;
      value += by_plane;
    }
  }
  // Reads the values of the variables `needed` in these lanes.
  BANKMODEL_FN void read_lanes(const lane_set& active, unsigned needed, int moved_loop = no_loop) {
    if ((needed & nest_.uneven) != 0) needed = set_ & nest_.used;  // their starts may read any
    for (unsigned rest = needed & ~nest_.uneven; rest != 0; rest &= rest - 1) {
      const int id = trailing_zeros(rest);
      const linear_form& terms = form_[id];
      bool same = true;
      for (int d = 0; d < dimensions_; ++d) same = same && terms.coefficient(d) == 0;
      values_[id] = {nullptr, static_cast<long long>(beyond_lanes(terms, moved_loop))};
      if (same) continue;
      if (!row_is(id, terms, values_[id].same))
        spread_lanes(terms, static_cast<std::uint64_t>(values_[id].same), row_[id]);
      values_[id] = {row_[id], 0};
    }
    for (int loop = 0; loop < count(); ++loop) {
      const int id = static_cast<int>((*this)[loop].loop_variable);
      if (((needed & nest_.uneven) >> id & 1) == 0 || (*this)[loop].of_warps) continue;
      const auto moved = static_cast<long long>(beyond_lanes(form_[id], moved_loop));
      const uneven_start& source = start_[number((*this)[loop].loop_variable)];
      const lane_values start = source.values != nullptr
                                    ? lane_values{source.values, 0}
                                    : evaluated(slice{source.first, source.size}, active);
      for (int index = 0; index < active.count; ++index)
        row_[id][active.lane[index]] = start[active.lane[index]] + moved;
      values_[id] = {row_[id], 0};
    }
  }
  // Returns the value of a program in these lanes, with the variables of the last read_lanes();
  // valid until the next call.
  BANKMODEL_FN lane_values evaluated(const program& code, const lane_set& active) {
    rows_.slow = 0;
    const lane_values result = evaluate(code.nodes, code.size, values_, active, rows_);
    account.steps += 14ll * rows_.slow * active.count;
    return result;
  }
  BANKMODEL_FN lane_values evaluated(const slice& code, const lane_set& active) {
    return evaluated(program{nest_.access.nodes + code.first, code.size}, active);
  }

 private:
  // True if a variable's row has these values already; if not, they are noted as its values. Thread
  // variables rarely change.
  BANKMODEL_FN bool row_is(int id, const linear_form& terms, long long first) {
    row& kept = kept_[id];
    bool same = (rows_ready_ >> id & 1) != 0 && kept.first == first;
    rows_ready_ |= 1u << id;
    for (int d = 0; d < dimensions_; ++d) {
      same = same && kept.factor[d] == terms.coefficient(d);
      kept.factor[d] = terms.coefficient(d);
    }
    kept.first = first;
    return same;
  }

  // The value without the terms of the lane's coordinates.
  BANKMODEL_FN std::uint64_t beyond_lanes(const linear_form& terms, int moved_loop) const {
    std::uint64_t result = terms.constant;
    for (int d = dimensions_; d < terms.size; ++d) {
      if (terms.factor[d] == 0) continue;
      const long long position =
          (*this)[d - dimensions_].begin + (d - dimensions_ == moved_loop ? 1 : 0);
      result += terms.factor[d] * static_cast<std::uint64_t>(position);
    }
    return result;
  }

  const lowered& nest_;
  block_dim block_;
  int lanes_;
  int dimensions_;  // of a lane: its number in a row, or its thread's x, y and z
  int thread_ = 0, version_ = 0;
  unsigned set_ = variable_bit(variable::loop_0) - 1;  // the variables that have forms
  warp_group group_;
  linear_form form_[variables];
  struct uneven_start {
    int first, size;  // a program
    const long long* values;
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
