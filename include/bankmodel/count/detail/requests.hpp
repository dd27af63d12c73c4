// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_REQUESTS_HPP
#define BANKMODEL_COUNT_DETAIL_REQUESTS_HPP

#include <bankmodel/count/detail/cuts.hpp>
#include <bankmodel/count/detail/residues.hpp>

// The requests of one access: those that can only cost the same are evaluated once.
namespace bankmodel::detail {

// One loop around another, as a number of times; 0 for too many to count, which is refused only
// where a request runs so often. Required: `more` is not 0.
BANKMODEL_FN std::uint64_t times_over(std::uint64_t times, std::uint64_t more) {
  return times > ~std::uint64_t{0} / more ? 0 : times * more;
}

class requests {
 public:
  BANKMODEL_FN requests(const access_view& access, const nest& of, movers& by,
                        requests_by_residue& counted)
      : access_(access),
        nest_(of),
        movers_(by),
        addresses_(access, of.subscript),
        counted_(counted) {}

  // From here on the lanes of a request may lie otherwise to each other.
  BANKMODEL_FN void change_pattern() { ++pattern_; }

  // From here on something else than the movers' positions may have moved the requests.
  BANKMODEL_FN void change_place() { ++place_; }

  // The requests of all positions of all movers, `times` over (see times_over), with these lanes;
  // one or more.
  BANKMODEL_FN void add(std::uint64_t active, std::uint64_t times) {
    if (times == 0) rule::counts_must_fit_in_64_bits();
    if (nest_.base_matters) {
      if (nest_.moves_in_a_line)
        add_in_a_line(active, times);
      else
        add_where_they_lie(active, times);
      return;
    }
    int moved_on = -1;  // a mover whose first position is none of the request's
    long long stood = 0;
    for (int at = 0; at < movers_.count(); ++at) {
      const mover& m = movers_[at];
      if (m.varies) {
        const mover& o = movers_[m.outer];
        const std::uint64_t trips =
            m.trips_at.sum(o.at, o.trips, m.at + m.trips) - m.trips_at.sum(o.at, o.trips, m.at);
        if (trips == 0) return;
        times = checked_count_product(times, trips);
        if (m.trips_at.slope > 0 && o.trips > 1 && !nest_.may_be_read_anywhere()) {
          moved_on = m.outer;
          stood = o.at;
        }
      } else if (m.trips > 1 && movers_.that_varies_with(at) == movers_.count()) {
        times = checked_count_product(times, static_cast<std::uint64_t>(m.trips));
      }
    }
    if (moved_on < 0) {
      add_known(active, times);
      return;
    }
    // The inner loop runs longest at the outer one's last position; at the first it may not come
    // as far as this.
    movers_[moved_on].at = stood + movers_[moved_on].trips - 1;
    movers_.place(moved_on);
    add_known(active, times);
    movers_[moved_on].at = stood;
    movers_.place(moved_on);
  }

 private:
  // How many, if they are neighbours; else 0.
  BANKMODEL_FN static int lanes_in_a_row(std::uint64_t active) {
    const std::uint64_t run = active >> lowest_lane(active);
    return (run & (run + 1)) != 0 ? 0 : run == ~std::uint64_t{0} ? 64 : trailing_zeros(run + 1);
  }

  // ---- where one request costs the same wherever it lies ----

  // So only the lanes and their pattern count. What was evaluated last for some of them is kept: a
  // filter's lanes come back in each warp.
  BANKMODEL_FN void add_known(std::uint64_t active, std::uint64_t times) {
    const int place = static_cast<int>(active * 0x9e3779b97f4a7c15u >> (64 - place_bits));
    if (known_pattern_[place] != pattern_ || known_lanes_[place] != active) {
      known_pattern_[place] = pattern_;
      known_lanes_[place] = active;
      evaluate(active, place);
    }
    counted_.add_known(known_passes_[place], known_ideal_[place], known_degree_[place], times);
  }

  BANKMODEL_FN void evaluate(std::uint64_t active, int place) {
    const bool in_steps = nest_.even && nest_.subscripts.bent_in_lanes == 0 &&
                          (!nest_.base_matters || nest_.moves_in_a_line);
    if (in_steps && stride_pattern_ != pattern_) read_strides();
    if (stride_pattern_ == pattern_ && line_) {
      const int lanes = lanes_in_a_row(active),
                passes = lanes > 0 ? counted_.line().passes_everywhere(lanes) : 0;
      if (passes > 0) {
        counted_.count_as_evaluated();
        known_ideal_[place] = 1;
        known_passes_[place] = known_degree_[place] = passes;
        return;
      }
    }
    long long relative[max_lanes];
    if (in_steps) {
      movers_.spread(strides_, relative);
    } else {
      const lane_set lanes(active);
      const lane_values* const values = movers_.in_lanes(lanes);
      addresses_.read(values, lanes, movers_.rows(), relative);
    }
    count(active, relative, place);
  }

  BANKMODEL_FN void count(std::uint64_t active, const long long* relative, int place) {
    const cost one = counted_.cost_of(active, relative);
    known_passes_[place] = static_cast<int>(one.wavefronts);
    known_ideal_[place] = static_cast<int>(one.ideal);
    known_degree_[place] = one.degree;
  }

  // How far the lanes lie apart, in bytes.
  BANKMODEL_FN void read_strides() {
    stride_pattern_ = pattern_;
    movers_.look_at(0);
    const long long first = addresses_.unchecked(movers_.in_one_lane());
    long long along[3] = {0, 0, 0};
    for (int way = 0; way < 3; ++way) {
      const int lane = movers_.lane_along(way);
      if (lane == 0) continue;
      movers_.look_at(lane);
      along[way] = addresses_.unchecked(movers_.in_one_lane()) - first;
    }
    strides_ = {0, along[0], along[1], along[2]};
    line_ = nest_.groups.within_rows();
    if (line_) counted_.set_stride(along[0]);
  }
  BANKMODEL_FN void set_stride(long long bytes) {
    stride_pattern_ = pattern_;
    strides_ = {0, bytes, bytes * movers_.lane_along(1), bytes * movers_.lane_along(2)};
    line_ = true;
    counted_.set_stride(bytes);
  }

  // ---- where the base matters for the cost, or for whether the lanes stay within the array ----

  // Each subscript is the sum of a constant and of multiples of the lane and of the movers'
  // positions.
  struct line {
    long long first, along_lanes, along_mover[3 + loop_variables];
  };

  BANKMODEL_FN void read_lines(int lane) {
    line_place_ = place_;
    movers_.look_at(lane);
    for (int d = 0; d < access_.subscripts; ++d)
      lines_[d].first = addresses_.subscript(d, movers_.in_one_lane());
    const int other = lane > 0 ? lane - 1 : movers_.group().lanes > 1 ? 1 : 0;
    movers_.look_at(other);
    for (int d = 0; d < access_.subscripts; ++d)
      lines_[d].along_lanes =
          (addresses_.subscript(d, movers_.in_one_lane()) - lines_[d].first) * (other - lane);
    for (int at = 0; at < movers_.count(); ++at) {
      mover& m = movers_[at];
      for (int d = 0; d < access_.subscripts; ++d) lines_[d].along_mover[at] = 0;
      if (m.all == 1) continue;
      const long long there = m.at + 1 < m.all ? 1 : -1;  // a position that the mover has
      m.at += there;
      movers_.place(at);
      movers_.look_at(lane);
      for (int d = 0; d < access_.subscripts; ++d)
        lines_[d].along_mover[at] =
            (addresses_.subscript(d, movers_.in_one_lane()) - lines_[d].first) * there;
      m.at -= there;
      movers_.place(at);
    }
    for (int d = 0; d < access_.subscripts; ++d) {
      lines_[d].first -= lines_[d].along_lanes * lane;
      for (int at = 0; at < movers_.count(); ++at)
        lines_[d].first -= lines_[d].along_mover[at] * movers_[at].at;
    }
  }

  BANKMODEL_FN void add_in_a_line(std::uint64_t active, std::uint64_t times) {
    const int low = lowest_lane(active), high = highest_lane(active);
    if (line_place_ != place_) read_lines(low);
    long long base = access_.array.base_bytes, stride = 0;
    progression loops[loop_variables + 3];
    for (int at = 0; at < movers_.count(); ++at) loops[at] = {0, movers_[at].trips};
    for (int d = 0; d < access_.subscripts; ++d) {
      const line& of = lines_[d];
      long long first = of.first + of.along_lanes * low;
      for (int at = 0; at < movers_.count(); ++at) first += of.along_mover[at] * movers_[at].at;
      const long long across = of.along_lanes * (high - low), pitch = addresses_.pitch(d);
      long long lowest = first + (across < 0 ? across : 0),
                highest = first + (across < 0 ? 0 : across);
      for (int at = 0; at < movers_.count(); ++at) {
        const long long reach = of.along_mover[at] * (movers_[at].trips - 1);
        (reach < 0 ? lowest : highest) += reach;
        loops[at].step += of.along_mover[at] * pitch;
      }
      addresses_.require_within(d, lowest, highest);
      base += first * pitch;
      stride += of.along_lanes * pitch;
    }
    if (access_.vector > 1) {
      addresses_.require_aligned(base);
      if (high > low) addresses_.require_aligned(stride);
      for (int at = 0; at < movers_.count(); ++at)
        if (loops[at].trips > 1) addresses_.require_aligned(loops[at].step);
    }
    if (stride_pattern_ != pattern_) set_stride(stride);
    const int lanes = lanes_in_a_row(active);
    if (counted_.residues() == 1 || (lanes > 0 && counted_.line().passes_everywhere(lanes) > 0)) {
      for (int at = 0; at < movers_.count(); ++at)
        if (loops[at].trips > 1)
          times = checked_count_product(times, static_cast<std::uint64_t>(loops[at].trips));
      add_known(active, times);
      return;
    }
    if (active != read_lanes_ || pattern_ != read_pattern_) {
      if (lanes > 0 && counted_.line().usable()) {
        counted_.set_line(lanes);
      } else {
        long long relative[max_lanes];
        for (int lane = low; lane <= high; ++lane) relative[lane] = stride * (lane - low);
        counted_.set_shape(active, relative);
      }
      read_lanes_ = active;
      read_pattern_ = pattern_;
    }
    int depth = 0;
    for (int at = 0; at < movers_.count(); ++at)
      if (loops[at].trips > 1) loops[depth++] = loops[at];
    counted_.add_nest(base, loops, depth, times);
  }

  BANKMODEL_FN void add_where_they_lie(std::uint64_t active, std::uint64_t times) {
    const int low = lowest_lane(active);
    long long base = 0;
    if (active == read_lanes_ && pattern_ == read_pattern_) {
      movers_.look_at(low);
      base = addresses_.moved(movers_.in_one_lane());
    } else {
      long long relative[max_lanes];
      const lane_set lanes(active);
      const lane_values* const values = movers_.in_lanes(lanes);
      base = addresses_.read(values, lanes, movers_.rows(), relative);
      if (counted_.residues() == 0) {  // so movers that are left move nothing
        for (int at = 0; at < movers_.count(); ++at)
          times = checked_count_product(times, static_cast<std::uint64_t>(movers_[at].trips));
        counted_.add_single(active, relative, base, times);
        return;
      }
      if (counted_.residues() != 1) counted_.set_shape(active, relative);
      read_lanes_ = active;
      read_pattern_ = pattern_;
    }

    progression loops[loop_variables + 3];
    int depth = 0;
    addresses_.begin_loops();
    for (int at = 0; at < movers_.count(); ++at) {
      const long long trips = movers_[at].trips;
      if (trips == 1) continue;
      ++movers_[at].at;
      movers_.place(at);
      movers_.look_at(low);
      loops[depth++] = {addresses_.add_loop(movers_.in_one_lane(), trips), trips};
      --movers_[at].at;
      movers_.place(at);
    }
    if (counted_.residues() != 1) {
      counted_.add_nest(base, loops, depth, times);
      return;
    }
    for (int at = 0; at < depth; ++at)
      times = checked_count_product(times, static_cast<std::uint64_t>(loops[at].trips));
    add_known(active, times);
  }

  static constexpr int place_bits = 6;

  const access_view& access_;
  const nest& nest_;
  movers& movers_;
  addresses addresses_;
  requests_by_residue& counted_;

  int pattern_ = 1;  // counts how the lanes lie to each other
  int known_pattern_[1 << place_bits] = {};
  std::uint64_t known_lanes_[1 << place_bits];
  int known_passes_[1 << place_bits], known_ideal_[1 << place_bits], known_degree_[1 << place_bits];
  int stride_pattern_ = 0;
  even_value strides_ = {};
  bool line_ = false;  // the lanes are along_x apart

  int place_ = 1;  // counts what moves requests, but for the movers' positions
  int line_place_ = 0;
  line lines_[max_rank];

  int read_pattern_ = 0;
  std::uint64_t read_lanes_ = 0;  // the lanes and the pattern that addresses_, or a shape, has
};

}  // namespace bankmodel::detail

#endif
