// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REPORT_DETAIL_WORST_PLACE_HPP
#define BANKMODEL_REPORT_DETAIL_WORST_PLACE_HPP

#include <bankmodel/core/owned.hpp>
#include <bankmodel/count/total.hpp>
#include <bankmodel/report/detail/worst_base.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The place of the worst request of an access: its warp, and the iteration of each loop. Counting
// notes where the requests of each class are made; their prices say which of them is the worst.
namespace bankmodel::detail {

// A request of an access: its place, and its lanes.
struct found_request {
  request_place place;
  lane_pattern lanes = {};
  bool has_distances = false;  // the distances of these lanes are those at the place
};

// Hands all requests of an access on to be priced, and keeps the first place of those with the
// highest number: the first in the order of warps, then of the outermost loop, and so on.
// `Numbers` says how bad a request is: what worst_base asks for, of the lanes that were added last,
// and costs(), the request_taker that prices the requests.
template <class Numbers>
class worst_finder : public request_taker {
 public:
  BANKMODEL_FN worst_finder(Numbers& numbers, const access_view& access)
      : numbers_(numbers),
        base_(numbers, numbers.costs().residues(), numbers.costs().modulus(),
              access.array.element_bytes) {
    residues_ = numbers.costs().residues();
    modulus_ = numbers.costs().modulus();
    source = &from_;
    for (int level = 0; level < access.depth; ++level)
      if (!same(access.wrappers[level].kind, wrapper_kind::filter))
        order_[loops_++] = point::number(access.wrappers[level].variable);
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

  BANKMODEL_FN const found_request& worst() const { return worst_; }

 private:
  // The order of places: by warps, then by the outermost loop.
  BANKMODEL_FN bool is_before(const request_place& one, const request_place& other) const {
    if (one.warp != other.warp) return one.warp < other.warp;
    for (int at = 0; at < loops_; ++at)
      if (one.trip[order_[at]] != other.trip[order_[at]])
        return one.trip[order_[at]] < other.trip[order_[at]];
    return false;
  }
  BANKMODEL_FN int significance(int progression) const {
    const place_step& of = from_.of[progression];
    if (of.loop < 0) return -1 - static_cast<int>(of.by);  // most warps first
    int at = 0;
    while (order_[at] != of.loop) ++at;
    return at;
  }
  // Sorts the progressions with several requests in the order of places.
  BANKMODEL_FN void sort(const progression* loops, int depth) {
    depth_ = 0;
    for (int at = 0; at < depth; ++at) {
      if (loops[at].trips == 1) continue;
      int to = depth_++;
      for (; to > 0 && significance(sorted_[to - 1]) > significance(at); --to)
        sorted_[to] = sorted_[to - 1];
      sorted_[to] = at;
    }
    inner_ = from_.inner == nullptr ? -1 : depth - 1;
  }

  // Takes the request that base_ found.
  BANKMODEL_FN void consider(int number, const lane_pattern& lanes) {
    if (number == number_ && !is_before(from_.first, worst_.place)) return;
    request_place here = from_.first;
    for (int at = 0; at < depth_; ++at) {
      const place_step& of = from_.of[sorted_[at]];
      const long long steps = base_.steps[sorted_[at]];
      if (of.loop < 0)
        here.warp += static_cast<int>(of.by * steps);
      else
        here.trip[of.loop] += of.by * steps;
    }
    if (inner_ >= 0) {
      const interval& outer = *from_.outer;
      const long long trips = from_.inner->at + base_.steps[inner_] + 1;
      here.trip[point::number(outer.which)] =
          outer.iteration(first_position(*from_.inner, outer, from_.begin, from_.apart, trips));
    }
    if (number == number_ && !is_before(here, worst_.place)) return;
    number_ = number;
    worst_.place = here;
    worst_.has_distances = from_.is_linear;
    lane_pattern& to = worst_.lanes;
    to.active = lanes.active;
    to.in_line = lanes.in_line;
    to.stride = lanes.in_line ? lanes.stride : 0;
    for (std::uint64_t rest = lanes.in_line ? 0 : lanes.active; rest != 0; rest &= rest - 1)
      to.offset[trailing_zeros(rest)] = lanes.offset[trailing_zeros(rest)];
  }

  Numbers& numbers_;
  worst_base<Numbers> base_;
  request_source from_;
  int order_[loop_variables] = {}, loops_ = 0;  // the loops, the outermost first
  int sorted_[request_class::max_loops] = {}, depth_ = 0, inner_ = -1;
  int number_ = -1;  // of worst_
  found_request worst_;
};

// Gives the requests of an access to the taker, whatever the layout of its array; returns how they
// were found. `work`: the steps that were taken before.
BANKMODEL_FN method give_requests_of(const machine& m, const block_dim& block,
                                     const access_view& access, const block_index& at,
                                     long long work, request_taker& to) {
  if (access.array.layout.is_strided()) return owned<splitter>(m, block, access, at, to)->run(work);
  const owned<access_as_laid_out> rows(access, access.array.layout);
  const access_view in_rows = rows->view();
  return owned<splitter>(m, block, in_rows, at, to)->run(work);
}

// Counts an access: its cost, and its worst request by `Numbers`. `work`: the steps that were taken
// before. Error: as for the total.
template <class Numbers, class Cost>
[[gnu::noinline]] BANKMODEL_FN void count_with_worst(const machine& m, const block_dim& block,
                                                     const access_view& view, const block_index& at,
                                                     long long work, Cost& all,
                                                     found_request& worst) {
  Numbers numbers(m, view.bytes(), view.kind, view.array.element_bytes);
  worst_finder<Numbers> finder(numbers, view);
  const method how = give_requests_of(m, block, view, at, work, finder);
  all = numbers.sum();
  all.method = how;
  worst = finder.worst();
}

// Sets the members of an explanation that say where the request is made: .warp and .loop, with the
// values in the lowest active lane; and .worst, the request. In a strided layout the distances of
// its lanes may be known, and then only the lowest active lane is evaluated.
template <class Explanation>
BANKMODEL_FN void place_worst(const machine& m, const block_dim& block, const block_index& at,
                              const access_view& access, const found_request& worst,
                              Explanation& to) {
  const request_place& place = worst.place;
  const lane_pattern& lanes = worst.lanes;
  const array_description& array = access.array;
  long long values[variables] = {};
  const auto set = [&](variable which, long long now) { values[static_cast<int>(which)] = now; };
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
      long long here = value(w.first);
      if (same(w.kind, wrapper_kind::range)) {
        here += trip * step;
      } else {
        for (long long done = 0; done < trip; ++done) here = next(w.kind, here, step);
      }
      set(w.variable, here);
    }
    four coordinates;
    for (int d = 0; d < access.subscripts; ++d) coordinates[d] = value(access.subscript[d]);
    return array.base_bytes + array.layout(coordinates) * array.element_bytes;
  };
  set(variable::bx, at.x);
  set(variable::by, at.y);
  set(variable::bz, at.z);
  set(variable::warp, place.warp);
  const int low = trailing_zeros(lanes.active);
  const long long first = run(low);
  to.warp = place.warp;
  for (int level = 0; level < access.depth; ++level) {
    const wrapper& w = access.wrappers[level];
    if (same(w.kind, wrapper_kind::filter)) continue;
    to.loop[to.loops++] = {w.variable, place.trip[point::number(w.variable)],
                           values[static_cast<int>(w.variable)]};
  }
  to.worst.active = lanes.active;
  to.worst.bytes = access.bytes();
  to.worst.kind = access.kind;
  const bool is_known = worst.has_distances && array.layout.is_strided();
  for (std::uint64_t rest = lanes.active; rest != 0; rest &= rest - 1) {
    const int lane = trailing_zeros(rest);
    if (is_known)
      to.worst.address[lane] = first + (lanes.in_line ? lanes.stride * (lane - low)
                                                      : lanes.offset[lane] - lanes.offset[low]);
    else
      to.worst.address[lane] = run(lane);
  }
}

// Walks through several accesses: first to find the one to a memory with the most cost beyond its
// ideal, the first of those; then to explain it. Each access is counted once.
template <class Counted>
struct worst_access {
  const machine& m;
  const block_dim& block;
  const block_index& at;
  Counted most = {};
  int number = -1, next = 0;

  template <int Wrappers, int Nodes>
  BANKMODEL_FN void find(const access_expression<Wrappers, Nodes>& access) {
    if (access.array.memory == Counted::memory) {
      Counted here;
      here.count(m, block, view_of(access), at);
      if (number < 0 || here.excess() > most.excess()) most = here, number = next;
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
  BANKMODEL_FN void explain_it(const access_expression<Wrappers, Nodes>& access, Explanation& to) {
    if (next++ == number) to = most.explained(m, block, access, at);
  }
  template <class Explanation>
  BANKMODEL_FN void explain_it(const access_list<>&, Explanation&) {}
  template <class Explanation, class First, class... Rest>
  BANKMODEL_FN void explain_it(const access_list<First, Rest...>& list, Explanation& to) {
    explain_it(list.first, to);
    explain_it(list.rest, to);
  }
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
