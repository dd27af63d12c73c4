// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXPLAIN_DETAIL_WORST_PLACE_HPP
#define BANKMODEL_EXPLAIN_DETAIL_WORST_PLACE_HPP

#include <bankmodel/core/owned.hpp>
#include <bankmodel/count/total.hpp>
#include <bankmodel/explain/detail/worst_base.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The place of the worst request of an access: its warp, and the iteration of each loop. Counting
// notes where the requests of each class are made; their prices say which of them is the worst.
namespace bankmodel::detail {

// A request of an access: its place, and its lanes.
struct found_request {
  request_place place;
  lane_pattern lanes = {};
  bool has_distances = false;  // the distances of these lanes are those at the place
  lane_steps steps;            // of all requests of the access
};

// Hands all requests of an access on to be priced, and keeps the first place of those with the
// highest number in `worst`: the first in the order of warps, then of the outermost loop, and so
// on.
// `Numbers` says how bad a request is: what worst_base asks for, of the lanes that were added last,
// and costs(), the request_taker that prices the requests.
template <class Numbers>
class worst_finder : public request_taker {
 public:
  BANKMODEL_FN worst_finder(Numbers& numbers, const access_view& counted_access,
                            found_request& worst)
      : numbers_(numbers),
        base_(numbers, numbers.costs().residues(), numbers.costs().modulus(),
              counted_access.array.element_bytes),
        worst_(worst) {
    residues_ = numbers.costs().residues();
    modulus_ = numbers.costs().modulus();
    source = &source_;
    for (int level = 0; level < counted_access.depth; ++level)
      if (!same(counted_access.wrappers[level].kind, wrapper_kind::filter))
        order_[loops_++] = point::number(counted_access.wrappers[level].variable);
  }
  worst_finder(const worst_finder&) = delete;  // `source` points into it

  BANKMODEL_FN bool ignores_base(const lane_pattern& lanes) override {
    return numbers_.costs().ignores_base(lanes);
  }
  BANKMODEL_FN void add(const lane_pattern& lanes, long long base, const progression* loops,
                        int depth, std::uint64_t times) override {
    numbers_.costs().add(lanes, base, loops, depth, times);
    sort(loops, depth);
    const int number = base_.find(base, loops, sorted_, depth_);
    if (number >= number_) consider(number, lanes);
    work += numbers_.costs().work;
    numbers_.costs().work = 0;
    // At run time, what total() counts is explained: only its work is limited.
    if (__builtin_is_constant_evaluated()) work += base_.work + 100;
    base_.work = 0;
  }

 private:
  // The order of places: by warps, then by the outermost loop.
  BANKMODEL_FN bool is_before(const request_place& place, const request_place& other) const {
    if (place.warp != other.warp) return place.warp < other.warp;
    for (int loop = 0; loop < loops_; ++loop)
      if (place.trip[order_[loop]] != other.trip[order_[loop]])
        return place.trip[order_[loop]] < other.trip[order_[loop]];
    return false;
  }
  BANKMODEL_FN int significance(int progression) const {
    const place_step& step = source_.steps[progression];
    if (step.loop < 0) return -1 - static_cast<int>(step.step);  // most warps first
    int level = 0;
    while (order_[level] != step.loop) ++level;
    return level;
  }
  // Sorts the progressions with several requests in the order of places.
  BANKMODEL_FN void sort(const progression* loops, int depth) {
    depth_ = 0;
    for (int loop = 0; loop < depth; ++loop) {
      if (loops[loop].trips == 1) continue;
      int position = depth_++;
      for (; position > 0 && significance(sorted_[position - 1]) > significance(loop); --position)
        sorted_[position] = sorted_[position - 1];
      sorted_[position] = loop;
    }
    inner_ = source_.inner == nullptr ? -1 : depth - 1;
  }

  // Takes the request that base_ found.
  BANKMODEL_FN void consider(int number, const lane_pattern& lanes) {
    if (number == number_ && !is_before(source_.first, worst_.place)) return;
    request_place place = source_.first;
    for (int loop = 0; loop < depth_; ++loop) {
      const place_step& step = source_.steps[sorted_[loop]];
      const long long steps = base_.steps[sorted_[loop]];
      if (step.loop < 0)
        place.warp += static_cast<int>(step.step * steps);
      else
        place.trip[step.loop] += step.step * steps;
    }
    if (inner_ >= 0) {
      const interval& outer = *source_.outer;
      const long long trips = source_.inner->begin + base_.steps[inner_] + 1;
      place.trip[point::number(outer.loop_variable)] = outer.iteration(
          first_position(*source_.inner, outer, source_.begin, source_.spacing, trips));
    }
    if (number == number_ && !is_before(place, worst_.place)) return;
    number_ = number;
    worst_.place = place;
    worst_.has_distances = source_.is_linear;
    worst_.steps = source_.lanes;
    lane_pattern& pattern = worst_.lanes;
    pattern.active = lanes.active;
    pattern.in_line = lanes.in_line;
    pattern.stride = lanes.in_line ? lanes.stride : 0;
    for (std::uint64_t rest = lanes.in_line ? 0 : lanes.active; rest != 0; rest &= rest - 1)
      pattern.offset[trailing_zeros(rest)] = lanes.offset[trailing_zeros(rest)];
  }

  Numbers& numbers_;
  worst_base<Numbers> base_;
  request_source source_;
  int order_[loop_variables] = {}, loops_ = 0;  // the loops, the outermost first
  int sorted_[request_class::max_loops] = {}, depth_ = 0, inner_ = -1;
  int number_ = -1;  // of worst_
  found_request& worst_;
};

// Gives the requests of an access to the taker, whatever the layout of its array; returns how they
// were found. `work`: the steps that were taken before.
BANKMODEL_FN method give_requests_of(const machine& m, const block_dim& block,
                                     const access_view& access, const block_index& grid_index,
                                     long long work, request_taker& taker) {
  if (access.array.layout.is_strided())
    return owned<splitter>(m, block, access, grid_index, taker)->run(work);
  const owned<access_as_laid_out> rows(access, access.array.layout);
  const access_view in_rows = rows->view();
  return owned<splitter>(m, block, in_rows, grid_index, taker)->run(work);
}

// Counts an access: its cost, and its worst request by `Numbers`, which is not set if there is no
// request. `work`: the steps that were taken before. Error: as for the total.
template <class Numbers, class Cost>
[[gnu::noinline]] BANKMODEL_FN void count_with_worst(const machine& m, const block_dim& block,
                                                     const access_view& view,
                                                     const block_index& grid_index, long long work,
                                                     Cost& sum, found_request& worst) {
  Numbers numbers(m, view.bytes(), view.kind, view.array.element_bytes);
  worst_finder<Numbers> finder(numbers, view, worst);
  const method counting_method = give_requests_of(m, block, view, grid_index, work, finder);
  sum = numbers.sum();
  sum.method = counting_method;
}

// Sets the members of an explanation that say where the request is made: .warp and .loop, with the
// values in the lowest active lane; and .worst, the request. In a strided layout the distances of
// its lanes may be known, and then only the lowest active lane is evaluated.
template <class Explanation>
BANKMODEL_FN void place_worst(const machine& m, const block_dim& block,
                              const block_index& grid_index, const access_view& access,
                              const found_request& worst, Explanation& result) {
  const request_place& place = worst.place;
  const lane_pattern& lanes = worst.lanes;
  const array_description& array = access.array;
  long long values[variables] = {};
  const auto set = [&](variable id, long long number) { values[static_cast<int>(id)] = number; };
  const auto value = [&](const slice& program) {
    return evaluate(access.nodes + program.first, program.size, values);
  };
  // Runs one active lane to its access; returns the address.
  const auto run = [&](int lane) {
    const int thread = place.warp * m.lanes + lane;
    set(variable::tx, thread % block.x);
    set(variable::ty, thread / block.x % block.y);
    set(variable::tz, thread / block.x / block.y);
    set(variable::tid, thread);
    set(variable::lane, lane);
    for (int level = 0; level < access.depth; ++level) {
      const wrapper& w = access.wrappers[level];
      if (same(w.kind, wrapper_kind::filter)) continue;
      const long long trip = place.trip[point::number(w.variable)];
      if (same(w.kind, wrapper_kind::values)) {
        set(w.variable, access.nodes[w.first.first + trip].value);
        continue;
      }
      const long long step = value(w.step);
      long long current = value(w.first);
      if (same(w.kind, wrapper_kind::range)) {
        current += trip * step;
      } else {
        for (long long done = 0; done < trip; ++done) current = next(w.kind, current, step);
      }
      set(w.variable, current);
    }
    four coordinates;
    for (int d = 0; d < access.subscripts; ++d) coordinates[d] = value(access.subscript[d]);
    return array.base_bytes + array.layout(coordinates) * array.element_bytes;
  };
  set(variable::bx, grid_index.x);
  set(variable::by, grid_index.y);
  set(variable::bz, grid_index.z);
  set(variable::warp, place.warp);
  const int low = trailing_zeros(lanes.active);
  const long long first = run(low);
  result.warp = place.warp;
  for (int level = 0; level < access.depth; ++level) {
    const wrapper& w = access.wrappers[level];
    if (same(w.kind, wrapper_kind::filter)) continue;
    result.loop[result.loops++] = {w.variable, place.trip[point::number(w.variable)],
                                   values[static_cast<int>(w.variable)]};
  }
  result.worst.active = lanes.active;
  result.worst.bytes = access.bytes();
  result.worst.kind = access.kind;
  const bool is_known = worst.has_distances && array.layout.is_strided();
  for (std::uint64_t rest = lanes.active; rest != 0; rest &= rest - 1) {
    const int lane = trailing_zeros(rest);
    result.worst.address[lane] = !is_known       ? run(lane)
                                 : lanes.in_line ? first + lanes.stride * (lane - low)
                                                 : first + lanes.offset[lane] - lanes.offset[low];
  }
}

// Walks through several accesses: first to find the one to a memory with the most cost beyond its
// ideal, the first of those; then to explain it. Each access is counted once.
template <class Counted>
struct worst_access {
  const machine& m;
  const block_dim& block;
  const block_index& grid_index;
  Counted worst = {};
  int number = -1, next = 0;

  template <int Wrappers, int Nodes>
  BANKMODEL_FN void find(const access_expression<Wrappers, Nodes>& access) {
    if (access.array.memory == Counted::memory) {
      Counted candidate;
      candidate.count(m, block, view_of(access), grid_index);
      if (number < 0 || candidate.excess() > worst.excess()) worst = candidate, number = next;
    }
    ++next;
  }
  BANKMODEL_FN void find(const access_list<>&) {}
  template <class First, class... Rest>
  BANKMODEL_FN void find(const access_list<First, Rest...>& list) {
    find(list.first);
    find(list.rest);
  }

  template <class Explanation, int Wrappers, int Nodes>
  BANKMODEL_FN void explain_it(const access_expression<Wrappers, Nodes>& access,
                               Explanation& result) {
    if (next++ == number) result = worst.explained(m, block, access, grid_index);
  }
  template <class Explanation>
  BANKMODEL_FN void explain_it(const access_list<>&, Explanation&) {}
  template <class Explanation, class First, class... Rest>
  BANKMODEL_FN void explain_it(const access_list<First, Rest...>& list, Explanation& result) {
    explain_it(list.first, result);
    explain_it(list.rest, result);
  }
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
