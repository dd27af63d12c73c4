// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_REQUESTS_HPP
#define BANKMODEL_COUNT_DETAIL_REQUESTS_HPP

#include <bankmodel/count/detail/point.hpp>
#include <bankmodel/count/request_taker.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The requests of one access at all positions of its loops, as lanes, a base and progressions.
namespace bankmodel::detail {

class requests {
 public:
  BANKMODEL_FN requests(const lowered& nest, point& state, request_taker& taker)
      : nest_(nest), access_(nest.access), point_(state), taker_(taker) {
    const layout& l = access_.array.layout;
    (void)checked_add(checked_multiply(l.required_size(), access_.array.element_bytes),
                      access_.array.base_bytes);
    for (int d = 0; d < access_.subscripts; ++d)
      pitch_[d] = l.stride[d] * access_.array.element_bytes;
    evaluated_.active = 0;
    if (!nest.base_matters || taker.source != nullptr) read_steps();
  }

  // Gives the taker the requests of all positions of all loops with these lanes, one or more, each
  // `times` times. Error: `times` is 0, which means more than fits in 64 bits.
  BANKMODEL_FN void add(std::uint64_t active, std::uint64_t times) {
    if (times == 0) rule::counts_must_fit_in_64_bits();
    point_.account.spend(150 + taker_.work);
    taker_.work = 0;
    if (point_.account.stopped) return;
    point_.account.stopped = point_.account.may_stop && taker_.full;
    if (taker_.source != nullptr) note_place(*taker_.source);
    if (!nest_.base_matters) return add_wherever(active, times);
    if (nest_.linear) return add_linear(active, times);
    add_evaluated(active, times);
  }

  // True if add() may be called with one loop whose trips vary with an outer loop, although the
  // base matters. `pace` is the step of that loop.
  BANKMODEL_FN bool takes_varying_trips(long long pace) const {
    constexpr long long most_positions = 4096;
    return nest_.linear && nest_.aligned && nest_.bounded == (1u << access_.subscripts) - 1 &&
           taker_.modulus() != 0 && taker_.residues() != 0 &&
           pace <= most_positions / taker_.residues() && point_.that_varies() < 0;
  }

 private:
  // Reads the steps from lane to lane, if they are the same in all requests.
  BANKMODEL_FN void read_steps() {
    in_line_ = always_in_line_ = nest_.has_steps_by_lane();
    for (int d = 0; d < access_.subscripts && in_line_; ++d) {
      const long long step = nest_.sum[d].by_lane;
      stride_ += static_cast<std::uint64_t>(step) * static_cast<std::uint64_t>(pitch_[d]);
      if (taker_.source != nullptr) taker_.source->lanes.step[d] = step;
    }
    if (taker_.source != nullptr)
      taker_.source->lanes.known = in_line_ && nest_.subscripts_are_whole();
  }

  // ---- their places in the block ----

  // Sets the place of the first request.
  BANKMODEL_FN void note_place(request_source& source) const {
    source.inner = nullptr;
    source.is_linear = nest_.subscripts_are_whole() &&
                       (nest_.base_matters ? nest_.linear : nest_.subscripts_are_even());
    source.first.warp = point_.group().first;
    for (int loop = 0; loop < loop_variables; ++loop) source.first.trip[loop] = point_.trip[loop];
    for (int loop = 0; loop < point_.count(); ++loop) {
      const interval& span = point_[loop];
      const int inner = point_.that_varies_with(loop);
      const long long position =
          inner == point_.count()
              ? span.begin
              : first_position(point_[inner], span, span.begin, 1, point_[inner].begin + 1);
      if (span.of_warps)
        source.first.warp += static_cast<int>(span.warps * span.iteration(position));
      else
        source.first.trip[point::number(span.loop_variable)] = span.iteration(position);
    }
  }
  BANKMODEL_FN void note_advance(int progression, const interval& span) {
    if (taker_.source == nullptr) return;
    taker_.source->steps[progression] = {span.of_warps ? -1 : point::number(span.loop_variable),
                                         span.of_warps ? span.warps * span.pace : span.pace};
  }

  // ---- requests that cost the same at every base ----

  BANKMODEL_FN void add_wherever(std::uint64_t active, std::uint64_t times) {
    int outer = -1;  // a loop at whose first position the lanes may not be active
    for (int loop = 0; loop < point_.count(); ++loop) {
      const interval& span = point_[loop];
      if (span.varies) {
        const std::uint64_t trips = point_.trips_that_vary(span);
        if (trips == 0) return;
        times = checked_count_product(times, trips);
        if (span.trips_at.slope > 0) outer = span.outer;
      } else if (span.trips > 1 && point_.that_varies_with(loop) == point_.count()) {
        times = checked_count_product(times, static_cast<std::uint64_t>(span.trips));
      }
    }
    if (nest_.subscripts_are_even()) {
      lane_pattern lanes;
      read_pattern(active, lanes);
      taker_.add(lanes, 0, nullptr, 0, times);
      return;
    }
    // The inner loop has the most trips at the outer loop's last position; at its first one the
    // inner loop may not reach its current position.
    const long long first = outer < 0 ? 0 : point_[outer].begin;
    if (outer >= 0) point_[outer].begin += point_[outer].trips - 1;
    (void)evaluate_lanes(active);
    if (outer >= 0) point_[outer].begin = first;
    taker_.add(evaluated_, 0, nullptr, 0, times);
  }

  // ---- linear forms ----

  BANKMODEL_FN void read_forms() {
    if (version_ == point_.version()) return;
    version_ = point_.version();
    address_.set_constant(access_.array.base_bytes);
    for (int d = 0; d < access_.subscripts; ++d)
      point_.add_subscript(d, static_cast<std::uint64_t>(pitch_[d]), address_);
    if (always_in_line_) return;
    in_line_ = point_.is_line(address_);
    stride_ = address_.coefficient(0);
  }
  // Relative to the lowest active lane; to lane 0 if the lanes are not in a line.
  BANKMODEL_FN void read_pattern(std::uint64_t active, lane_pattern& pattern) {
    if (!always_in_line_) read_forms();
    pattern.active = active;
    pattern.in_line = in_line_;
    pattern.stride = static_cast<long long>(stride_);
    if (in_line_) return;
    point_.spread_lanes(address_, 0, pattern.offset);
  }

  // The bytes by which the address moves at each position of a loop.
  BANKMODEL_FN long long step_of(int loop) const {
    return static_cast<long long>(address_.coefficient(point_.dimension(loop)));
  }
  BANKMODEL_FN void add_linear(std::uint64_t active, std::uint64_t times) {
    lane_pattern lanes;
    read_forms();
    read_pattern(active, lanes);
    const long long base = point_.value(address_, in_line_ ? trailing_zeros(active) : 0);
    for (int d = 0; d < access_.subscripts; ++d)
      if ((nest_.bounded >> d & 1) == 0) require_within(d, active);
    const int inner = point_.that_varies();
    progression loops[request_class::max_loops];
    int depth = 0;
    for (int loop = 0; loop < point_.count(); ++loop)
      if (point_[loop].trips > 1 && (inner < 0 || (loop != inner && loop != point_[inner].outer))) {
        note_advance(depth, point_[loop]);
        loops[depth++] = {step_of(loop), point_[loop].trips};
      }
    if (!nest_.aligned) {
      for (std::uint64_t rest = active; rest != 0; rest &= rest - 1)
        require_aligned(point_.value(address_, trailing_zeros(rest)));
      for (int loop = 0; loop < depth; ++loop) require_aligned(loops[loop].step);
    }
    if (inner < 0) return taker_.add(lanes, base, loops, depth, times);
    if (taker_.ignores_base(lanes)) {
      const std::uint64_t trips = point_.trips_that_vary(point_[inner]);
      if (trips != 0) taker_.add(lanes, base, loops, depth, checked_count_product(times, trips));
      return;
    }
    add_triangle(lanes, base, loops, depth, inner, times);
  }
  // Gives the taker the requests of a loop whose trips vary with an outer loop, if the base
  // matters. loops[depth] is free, the elements before it are the loops beside the two. The work
  // does not grow with the trips: modulo the taker's bytes, the bases of the inner loop repeat
  // after `cycle` iterations; after `positions` of the outer loop its base is the same again, and
  // the inner loop has a multiple of `cycle` more iterations. Example: for (i < 6) for (j < i) with
  // steps of 8 and 4 bytes, modulo 8: cycle 2, positions 2. The even i have 0, 1 and 2 cycles; the
  // odd ones have 0, 1 and 2 cycles and 1 iteration.
  BANKMODEL_FN void add_triangle(const lane_pattern& lanes, long long base, progression* loops,
                                 int depth, int inner_loop, std::uint64_t times) {
    const interval &inner = point_[inner_loop], &outer = point_[inner.outer];
    const long long step = step_of(inner_loop), outer_step = step_of(inner.outer),
                    bytes = taker_.modulus(), cycle = bytes / greatest_common_divisor(bytes, step),
                    modulus = inner.trips_at.divisor * cycle,
                    of_base = bytes / greatest_common_divisor(bytes, outer_step),
                    of_trips = modulus / greatest_common_divisor(modulus, inner.trips_at.slope),
                    positions = of_base / greatest_common_divisor(of_base, of_trips) * of_trips;
    point_.account.spend_positions(positions, outer.trips, taker_.residues());
    note_advance(depth, inner);
    if (taker_.source != nullptr) taker_.source->inner = &inner, taker_.source->outer = &outer;
    for (long long position = 0; position < positions && position < outer.trips; ++position) {
      const long long count = (outer.trips - position - 1) / positions + 1,
                      first = outer.begin + position, end = inner.trips_at.trips(first),
                      increment = count == 1 ? 0 : inner.trips_at.trips(first + positions) - end;
      repeated_trips parts[3];
      split_into_cycles(end, increment, count, inner.begin, inner.begin + inner.trips, cycle,
                        parts);
      if (taker_.source != nullptr) {
        taker_.source->begin = first;
        taker_.source->spacing = positions;
      }
      for (const repeated_trips& part : parts) {
        if (part.trips == 0 || part.times == 0) continue;
        loops[depth] = {step, part.trips};
        taker_.add(lanes, base + outer_step * position, loops, depth + 1,
                   checked_count_product(times, part.times));
      }
    }
  }
  // Error: the subscript is outside its extent in one of these lanes at some position.
  BANKMODEL_FN void require_within(int d, std::uint64_t active) const {
    linear_form subscript;
    subscript.set_constant(0);
    point_.add_subscript(d, 1, subscript);
    long long lowest = 0, highest = 0;
    if (point_.is_line(subscript)) {
      const long long low = point_.value(subscript, trailing_zeros(active)),
                      high = point_.value(subscript, highest_bit(active));
      lowest = low < high ? low : high;
      highest = low < high ? high : low;
    } else {
      long long values[max_lanes];
      point_.spread(subscript, point::no_loop, values);
      lowest = highest = values[trailing_zeros(active)];
      for (std::uint64_t rest = active; rest != 0; rest &= rest - 1) {
        const long long value = values[trailing_zeros(rest)];
        if (value < lowest) lowest = value;
        if (value > highest) highest = value;
      }
    }
    for (int loop = 0; loop < point_.count(); ++loop) {
      const long long reach =
          static_cast<long long>(subscript.coefficient(point_.dimension(loop))) *
          (point_[loop].trips - 1);
      (reach < 0 ? lowest : highest) += reach;
    }
    access_.require_within(d, lowest, highest);
  }

  // ---- programs that are evaluated ----

  BANKMODEL_FN void add_evaluated(std::uint64_t active, std::uint64_t times) {
    long long base = 0;
    if (lanes_are_as_evaluated(active)) {
      base = access_.array.base_bytes;
      for (int d = 0; d < access_.subscripts; ++d) {
        point_.account.spend(50 * nest_.subscript[d].size);
        first_[d] = point_.value(nest_.subscript[d], trailing_zeros(active));
        require_reach(d, first_[d], first_[d]);
        base += first_[d] * pitch_[d];
      }
      require_aligned(base);
    } else {
      base = evaluate_lanes(active);
    }
    // Each loop moves all lanes by the same amount at any position of the others: the moves add up.
    long long lowest[max_rank], highest[max_rank];
    for (int d = 0; d < access_.subscripts; ++d) lowest[d] = highest[d] = first_[d];
    progression loops[request_class::max_loops];
    int depth = 0;
    for (int loop = 0; loop < point_.count(); ++loop) {
      if (point_[loop].trips == 1) continue;
      long long step = 0;
      for (int d = 0; d < access_.subscripts; ++d) {
        const long long increment = checked_subtract(
            point_.value(nest_.subscript[d], trailing_zeros(active), loop), first_[d]);
        if (increment == 0) continue;
        long long& end = increment > 0 ? highest[d] : lowest[d];
        end = checked_add(end, checked_multiply(increment, point_[loop].trips - 1));
        require_reach(d, lowest[d], highest[d]);
        step += increment * pitch_[d];
      }
      require_aligned(step);
      note_advance(depth, point_[loop]);
      loops[depth++] = {step, point_[loop].trips};
    }
    taker_.add(evaluated_, base, loops, depth, times);
  }

  // Evaluates each lane's subscripts into evaluated_; returns the address of the lowest lane.
  BANKMODEL_FN long long evaluate_lanes(std::uint64_t active) {
    if (lanes_.mask != active) lanes_.set(active);
    const lane_set& lanes = lanes_;
    point_.account.spend(nest_.steps_of_lanes() * lanes.count);
    point_.read_lanes(lanes, nest_.subscripts.used);
    evaluated_.active = active;
    evaluated_.in_line = false;
    bool differ = false;
    long long address = access_.array.base_bytes;
    for (int d = 0; d < access_.subscripts; ++d) {
      const lane_values subscript = point_.evaluated(nest_.subscript[d], lanes);
      const long long first = subscript[lanes.lane[0]];
      long long lowest = first, highest = first;
      if (subscript.lanes != nullptr) {
        // Loops with one statement: compilers count statements.
        const long long *const values = subscript.lanes, pitch = pitch_[d];
        long long* const offset = evaluated_.offset;
        const unsigned char* const lane = lanes.lane;
        for (int index = 0; index < lanes.count; ++index)
          if (values[lane[index]] > highest) highest = values[lane[index]];
        for (int index = 0; index < lanes.count; ++index)
          if (values[lane[index]] < lowest) lowest = values[lane[index]];
        if (!access_.is_within(d, lowest, highest))
          for (int index = 0; index < lanes.count; ++index)
            access_.require_within(d, values[lane[index]], values[lane[index]]);
        for (int index = 0; index < lanes.count; ++index)
          offset[lane[index]] =
              (differ ? offset[lane[index]] : 0) + (values[lane[index]] - first) * pitch;
        differ = true;
      } else {
        access_.require_within(d, first, first);
      }
      address += first * pitch_[d];
      first_[d] = first;
      reach_down_[d] = first - lowest;
      reach_up_[d] = highest - first;
    }
    for (int index = 0; index < lanes.count && !differ; ++index)
      evaluated_.offset[lanes.lane[index]] = 0;
    if (access_.vector > 1)
      for (int index = 0; index < lanes.count; ++index)
        require_aligned(address + evaluated_.offset[lanes.lane[index]]);
    keep_shape(lanes.lane[0]);
    return address;
  }

  // Error: subscript `d` of an evaluated lane is outside its extent if that of the lowest lane is
  // from `lowest` to `highest`.
  BANKMODEL_FN void require_reach(int d, long long lowest, long long highest) const {
    access_.require_within(d, checked_subtract(lowest, reach_down_[d]),
                           checked_add(highest, reach_up_[d]));
  }
  BANKMODEL_FN void require_aligned(long long address) const {
    const int bytes = access_.bytes();
    if (access_.vector > 1 && (address & ((bytes == 12 ? 4 : bytes) - 1)) != 0)
      rule::accesses_must_be_aligned_to_their_width(address, bytes);
  }

  // The variables on which the differences between lanes depend. keep_shape() keeps their values in
  // the lowest lane.
  BANKMODEL_FN unsigned shaping() const {
    return nest_.subscripts.shaping | nest_.subscripts.nonlinear_in_lanes;
  }
  BANKMODEL_FN void keep_shape(int lane) {
    warp_ = point_.group().first;
    for (unsigned rest = shaping() & ~nest_.uneven; rest != 0; rest &= rest - 1)
      shape_[trailing_zeros(rest)] =
          point_.value(point_.form(static_cast<variable>(trailing_zeros(rest))), lane);
  }
  BANKMODEL_FN bool lanes_are_as_evaluated(std::uint64_t active) const {
    if (evaluated_.active != active || warp_ != point_.group().first ||
        (nest_.subscripts.used & nest_.in_lockstep) != 0)
      return false;
    for (unsigned rest = shaping(); rest != 0; rest &= rest - 1) {
      const int id = trailing_zeros(rest);
      if (shape_[id] !=
          point_.value(point_.form(static_cast<variable>(id)), trailing_zeros(active)))
        return false;
    }
    return true;
  }

  const lowered& nest_;
  const access_view& access_;
  point& point_;
  request_taker& taker_;
  long long pitch_[max_rank];  // bytes

  int version_ = -1;  // of the variables' forms from which these were read
  linear_form address_;
  bool in_line_ = false;
  bool always_in_line_ = false;  // at the same stride in all requests
  std::uint64_t stride_ = 0;     // bytes, modulo 2^64

  lane_pattern evaluated_;
  lane_set lanes_;
  int warp_ = 0;
  long long shape_[variables];
  long long first_[max_rank];  // the subscripts in the lowest lane
  // The largest distances of the other lanes' subscripts from these.
  long long reach_down_[max_rank], reach_up_[max_rank];
};

}  // namespace bankmodel::detail
#include <bankmodel/core/restore_macros.hpp>
#endif
