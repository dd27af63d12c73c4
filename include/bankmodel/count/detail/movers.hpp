// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_MOVERS_HPP
#define BANKMODEL_COUNT_DETAIL_MOVERS_HPP

#include <bankmodel/count/detail/nest.hpp>
#include <bankmodel/count/detail/series.hpp>

// Loops and warps that are not walked.
namespace bankmodel::detail {

// An interval of a loop's iterations, or of the warps of a group along one direction. At position
// p it sets its variable, or the warp's number, to first + step * p.
struct mover {
  unsigned moves = 0;  // the variables that differ from position to position
  variable which = variable::loop_0;
  int way = -1;  // of warps: along x, y or z; a loop otherwise
  long long at = 0, trips = 1;
  long long all = 1;  // positions before any cut, from 0 on
  long long first = 0, step = 0;
  // In lockstep: the program of what each lane adds to that, and room for the lanes' values.
  // Without a program the values are just those.
  slice each_first;
  long long* each = nullptr;
  // The mover before it that moves its bounds, or -1: `first` is meant at `outer_from` and moves
  // by `outer_by`. If it `varies`, there are trips_at.at(p) positions at position p of the outer
  // one, and no more than `trips` anywhere.
  int outer = -1;
  long long outer_from = 0, outer_by = 0;
  bool varies = false;
  moving_trips trips_at = {};
};

// A value that moves by the same amount from lane to lane along each direction of the block.
struct even_value {
  long long first, along_x, along_y, along_z;  // in lane 0, and from there one thread further
};

// What each variable is worth now: every mover stands at the first position of its interval.
class movers {
 public:
  BANKMODEL_FN movers(const machine& m, const block_dim& block, const block_index& at,
                      const nest& of)
      : nest_(of), block_(block), lanes_(m.lanes), values_(m.lanes, block, at) {}

  // ---- the list, from the outermost on ----

  BANKMODEL_FN int count() const { return count_; }
  BANKMODEL_FN mover& operator[](int which) { return all_[which]; }
  BANKMODEL_FN const mover& operator[](int which) const { return all_[which]; }
  BANKMODEL_FN mover& push(const mover& added) { return all_[count_++] = added; }
  BANKMODEL_FN void pop() { --count_; }

  // Those with more than one position that move any of these variables: how many, and which have
  // the fewest and the most positions.
  struct found {
    int count, fewest, most;
  };
  BANKMODEL_FN found that_move(unsigned read) const {
    found result{0, -1, -1};
    for (int at = 0; at < count_; ++at) {
      const mover& m = all_[at];
      if (m.trips == 1 || (m.moves & read) == 0) continue;
      ++result.count;
      if (result.fewest < 0 || m.trips < all_[result.fewest].trips) result.fewest = at;
      if (result.most < 0 || m.trips >= all_[result.most].trips) result.most = at;
    }
    return result;
  }

  // The mover whose trips vary with that one, or count().
  BANKMODEL_FN int that_varies_with(int outer) const {
    int inner = outer + 1;
    while (inner < count_ && !(all_[inner].varies && all_[inner].outer == outer)) ++inner;
    return inner;
  }

  // A mover without the positions that it has, if its trips vary, nowhere in the outer one's
  // interval.
  BANKMODEL_FN mover tightened(int which) const {
    mover m = all_[which];
    if (!m.varies) return m;
    const mover& o = all_[m.outer];
    const long long begin = m.trips_at.at(o.at), end = m.trips_at.at(o.at + o.trips - 1);
    const long long most = (begin > end ? begin : end) - m.at;
    if (most < m.trips) m.trips = most < 1 ? 1 : most;
    return m;
  }

  // By how much each variable moves from one position of a mover to the next.
  BANKMODEL_FN void read_moves(int which, long long* moves) const {
    const mover& m = all_[which];
    for (int at = 0; at < variables; ++at) moves[at] = 0;
    if (m.way >= 0) {
      const warp_loop& loop = group_.along[m.way];
      moves[m.way] = loop.by * (m.step / loop.warps);  // tx, ty, tz are the first variables
      moves[static_cast<int>(variable::tid)] = m.step * lanes_;
      moves[static_cast<int>(variable::warp)] = m.step;
    } else {
      moves[static_cast<int>(m.which)] = m.step;
    }
    for (int inner = which + 1; inner < count_; ++inner)
      if (all_[inner].outer == which)
        moves[static_cast<int>(all_[inner].which)] = all_[inner].outer_by;
  }

  // ---- values ----

  BANKMODEL_FN void enter(const warp_group& group) {
    group_ = group;
    values_.enter(group.first);
  }
  BANKMODEL_FN const warp_group& group() const { return group_; }

  BANKMODEL_FN void set(variable which, long long value) { values_.set(which, value); }

  // Sets the variables to where a mover's interval begins, and those whose bounds it moves.
  BANKMODEL_FN void place(int which) {
    const mover& m = all_[which];
    if (m.way >= 0) {
      int number = group_.first;
      for (int at = 0; at < count_ && all_[at].way >= 0; ++at)
        number += static_cast<int>(all_[at].first + all_[at].step * all_[at].at);
      values_.enter(number);
    } else if (m.each == nullptr) {
      values_.set(m.which, m.first + m.step * m.at +
                               (m.outer < 0 ? 0 : m.outer_by * (all_[m.outer].at - m.outer_from)));
    }
    for (int inner = which + 1; inner < count_; ++inner)
      if (all_[inner].outer == which && all_[inner].outer_by != 0) place(inner);
  }

  // From here on in_one_lane() speaks of that lane.
  BANKMODEL_FN void look_at(int lane) {
    values_.read_lane(lane);
    if (nest_.in_lockstep == 0) return;
    for (int at = 0; at < count_; ++at) {
      const mover& m = all_[at];
      if (m.each == nullptr) continue;
      values_.set_in_one_lane(m.which, m.each_first.size == 0
                                           ? m.each[lane]
                                           : in_one_lane(m.each_first) + m.first + m.step * m.at);
    }
  }
  BANKMODEL_FN const long long* in_one_lane() const { return values_.in_one_lane(); }
  BANKMODEL_FN long long in_one_lane(const slice& program) const {
    return evaluate(nest_.access.nodes + program.first, program.size, values_.in_one_lane());
  }

  // The lane that lies one thread further than lane 0 along x, y, z; 0 if no lane does.
  BANKMODEL_FN int lane_along(int way) const {
    const int lane = way == 0 ? 1 : way == 1 ? block_.x : block_.x * block_.y;
    return (way == 0   ? block_.x > 1
            : way == 1 ? block_.y > 1
                       : block_.z > 1) &&
                   lane < group_.lanes
               ? lane
               : 0;
  }

  // Writes the value in each lane of the group. Required: the group is rectangular.
  BANKMODEL_FN void spread(const even_value& value, long long* to) const {
    long long plane = value.first;
    for (int lane = 0; lane < group_.lanes; plane += value.along_z) {
      long long row = plane;
      for (int y = 0; y < block_.y && lane < group_.lanes; ++y, row += value.along_y) {
        long long here = row;
        for (const int end = lane + block_.x < group_.lanes ? lane + block_.x : group_.lanes;
             lane < end; here += value.along_x)
          to[lane++] = here;
      }
    }
  }

  // The values of all variables in those lanes.
  BANKMODEL_FN const lane_values* in_lanes(const lane_set& active) {
    values_.read_lanes(group_.lanes, nest_.used);
    if (nest_.in_lockstep != 0)
      for (int at = 0; at < count_; ++at) {
        mover& m = all_[at];
        if (m.each == nullptr) continue;
        if (m.each_first.size != 0) {
          const lane_values first = evaluate(nest_.access.nodes + m.each_first.first,
                                             m.each_first.size, values_.in_lanes(), active, rows_);
          const long long moved = m.first + m.step * m.at;
          for (int index = 0; index < active.count; ++index)
            m.each[active.lane[index]] = first[active.lane[index]] + moved;
        }
        values_.set_lanes(m.which, m.each);
      }
    return values_.in_lanes();
  }
  // The values of a program; until the next call.
  BANKMODEL_FN lane_values in_lanes(const slice& program, const lane_set& active) {
    const lane_values* const values = in_lanes(active);
    return evaluate(nest_.access.nodes + program.first, program.size, values, active, rows_);
  }
  BANKMODEL_FN value_rows& rows() { return rows_; }

 private:
  const nest& nest_;
  block_dim block_;
  int lanes_;
  warp_values values_;
  value_rows rows_;
  warp_group group_;
  mover all_[3 + loop_variables];
  int count_ = 0;
};

}  // namespace bankmodel::detail

#endif
