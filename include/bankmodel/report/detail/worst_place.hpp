// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REPORT_DETAIL_WORST_PLACE_HPP
#define BANKMODEL_REPORT_DETAIL_WORST_PLACE_HPP

#include <bankmodel/core/owned.hpp>
#include <bankmodel/count/total.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The place of the worst request of an access: its warp, and the iteration of each loop. Counting
// notes where the requests of each class are made, so one more pass over the classes finds it.
namespace bankmodel::detail {

// Takes all requests of an access, and keeps the first place, warp by warp, of those with the
// highest number. `Number` says how bad a request is:
//
//   residues(), modulus()   as of a request_taker
//   set_lanes(lanes)        returns false if they are those of the last call
//   everywhere()            the number at all bases, or -1 if it differs between them
//   at(base)                the number at a base, in bytes
//   work                    steps of clang that were taken
template <class Number>
class worst_finder : public request_taker {
 public:
  // `wanted`: no request has a higher number.
  BANKMODEL_FN worst_finder(Number& number, const access_view& access, int wanted)
      : number_(number), element_bytes_(access.array.element_bytes), wanted_(wanted) {
    residues_ = number.residues();
    modulus_ = number.modulus();
    source = &from_;
    for (int level = 0; level < access.depth; ++level)
      if (!same(access.wrappers[level].kind, wrapper_kind::filter))
        order_[loops_++] = point::number(access.wrappers[level].variable);
  }
  worst_finder(const worst_finder&) = delete;  // `source` points into it

  BANKMODEL_FN bool ignores_base(const lane_pattern& lanes) override {
    set_lanes(lanes);
    return number_.everywhere() >= 0;
  }
  BANKMODEL_FN void add(const lane_pattern& lanes, long long base, const progression* loops,
                        int depth, std::uint64_t) override {
    work += 150;
    if (worst_ >= wanted_ && !is_before(from_.first, place_)) return;
    set_lanes(lanes);
    now_ = &lanes;
    sort(loops, depth);
    long long none[request_class::max_loops] = {};
    const int everywhere = number_.everywhere();
    if (everywhere >= 0)
      consider(everywhere, none);
    else if (number_.residues() == 0)
      look_at_each_base(loops, 0, base, none);
    else
      look_at_residues(base, loops);
    work += number_.work;
    number_.work = 0;
    // At run time, what total() counts is explained: the limit is for each pass alone.
    if (!__builtin_is_constant_evaluated()) work = 0;
  }

  BANKMODEL_FN int number() const { return worst_; }  // -1 without a request
  BANKMODEL_FN const request_place& place() const { return place_; }
  // Its lanes; true if their distances are those at place().
  BANKMODEL_FN const lane_pattern& lanes() const { return lanes_; }
  BANKMODEL_FN bool has_distances() const { return has_distances_; }

 private:
  static constexpr int most_residues = residue_histogram::most_residues;

  BANKMODEL_FN void set_lanes(const lane_pattern& lanes) {
    if (!number_.set_lanes(lanes)) return;
    for (int at = 0; at < residues_ && at < most_residues; ++at) of_residue_[at] = unknown;
  }

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

  // Takes the request after `steps` of each progression.
  BANKMODEL_FN void consider(int number, const long long* steps) {
    if (number < worst_) return;
    request_place here = from_.first;
    for (int at = 0; at < depth_; ++at) {
      const place_step& of = from_.of[sorted_[at]];
      if (of.loop < 0)
        here.warp += static_cast<int>(of.by * steps[sorted_[at]]);
      else
        here.trip[of.loop] += of.by * steps[sorted_[at]];
    }
    if (inner_ >= 0) {
      const interval& outer = *from_.outer;
      const long long trips = from_.inner->at + steps[inner_] + 1;
      here.trip[point::number(outer.which)] =
          outer.iteration(first_position(*from_.inner, outer, from_.begin, from_.apart, trips));
    }
    if (number == worst_ && !is_before(here, place_)) return;
    worst_ = number;
    place_ = here;
    has_distances_ = from_.is_linear;
    lanes_.active = now_->active;
    lanes_.in_line = now_->in_line;
    lanes_.stride = now_->in_line ? now_->stride : 0;
    for (std::uint64_t rest = now_->in_line ? 0 : now_->active; rest != 0; rest &= rest - 1)
      lanes_.offset[trailing_zeros(rest)] = now_->offset[trailing_zeros(rest)];
  }

  BANKMODEL_FN int residue_of(long long bytes) const {
    const long long rest = bytes % modulus_;
    return static_cast<int>((rest < 0 ? rest + modulus_ : rest) / element_bytes_);
  }
  BANKMODEL_FN int number_of(int residue) {
    if (of_residue_[residue] == unknown)
      of_residue_[residue] = number_.at(static_cast<long long>(residue) * element_bytes_);
    return of_residue_[residue];
  }
  // The numbers depend on the residues of the bases, and these on the loops.
  BANKMODEL_FN void look_at_residues(long long base, const progression* loops) {
    long long steps[request_class::max_loops] = {};
    const int first = residue_of(base), count = number_.residues();
    if (number_of(first) >= wanted_) return consider(number_of(first), steps);
    // reached[d]: after the first d progressions; leads[d]: with the others to the worst residue.
    bool reached[request_class::max_loops + 1][most_residues],
        leads[request_class::max_loops + 1][most_residues];
    for (int r = 0; r < count; ++r) reached[0][r] = r == first;
    for (int d = 0; d < depth_; ++d) {
      const progression& loop = loops[sorted_[d]];
      const int step = residue_of(loop.step);
      work += 10ll * count;
      for (int r = 0; r < count; ++r) reached[d + 1][r] = false;
      for (int r = 0; r < count; ++r) {
        if (!reached[d][r]) continue;
        int to = r;
        for (long long k = 0; k < loop.trips && k < count; ++k, to = (to + step) % count) {
          reached[d + 1][to] = true;
          work += 10;
        }
      }
    }
    int worst = -1;
    for (int r = 0; r < count; ++r)
      if (reached[depth_][r] && number_of(r) > worst) worst = number_of(r);
    if (worst < worst_) return;
    for (int r = 0; r < count; ++r) leads[depth_][r] = reached[depth_][r] && number_of(r) == worst;
    for (int d = depth_ - 1; d >= 0; --d) {
      const progression& loop = loops[sorted_[d]];
      const int step = residue_of(loop.step);
      for (int r = 0; r < count; ++r) {
        leads[d][r] = false;
        if (!reached[d][r]) continue;
        int to = r;
        for (long long k = 0; k < loop.trips && k < count && !leads[d][r]; ++k) {
          leads[d][r] = leads[d + 1][to];
          to = (to + step) % count;
          work += 10;
        }
      }
    }
    int at = first;
    for (int d = 0; d < depth_; ++d) {
      const int step = residue_of(loops[sorted_[d]].step);
      for (; !leads[d + 1][at]; at = (at + step) % count) ++steps[sorted_[d]];
    }
    consider(worst, steps);
  }
  // Too many residues for a table: one base after the other, in the order of places.
  // Error: as for total().
  BANKMODEL_FN void look_at_each_base(const progression* loops, int d, long long base,
                                      long long* steps) {
    if (d == 0) has_found_in_class_ = false;
    if (d == depth_) {
      long long most = most_iterations;
      if (__builtin_is_constant_evaluated()) most = 200;
      if (++bases_ > most) rule::iterations_must_be_few_enough_to_count(most);
      const int number = number_.at(base);
      consider(number, steps);
      has_found_in_class_ = number >= wanted_;
      return;
    }
    const progression& loop = loops[sorted_[d]];
    const long long cycle = modulus_ / greatest_common_divisor(modulus_, loop.step);
    for (long long k = 0; k < loop.trips && k < cycle; ++k) {
      steps[sorted_[d]] = k;
      look_at_each_base(loops, d + 1, base + k * loop.step, steps);
      if (has_found_in_class_) return;
    }
  }

  Number& number_;
  int element_bytes_, wanted_;
  request_source from_;
  int order_[loop_variables] = {}, loops_ = 0;  // the loops, the outermost first
  int sorted_[request_class::max_loops] = {}, depth_ = 0, inner_ = -1;
  static constexpr int unknown = -2;
  int of_residue_[most_residues];
  int worst_ = -1;
  request_place place_;
  const lane_pattern* now_ = nullptr;
  lane_pattern lanes_;
  bool has_distances_ = false;
  long long bases_ = 0;
  bool has_found_in_class_ = false;
};

// The degree of requests to shared memory.
class degree_number {
 public:
  long long work = 0;

  BANKMODEL_FN degree_number(const machine& m, const access_view& access)
      : costs_(m, access.bytes(), access.kind, access.array.element_bytes) {}
  BANKMODEL_FN int residues() const { return costs_.residues(); }
  BANKMODEL_FN int modulus() const { return costs_.modulus(); }
  BANKMODEL_FN bool set_lanes(const lane_pattern& lanes) { return costs_.set_lanes(lanes); }
  BANKMODEL_FN int everywhere() {
    const int degree = costs_.degree_everywhere();
    spend();
    return degree == 0 ? -1 : degree;
  }
  BANKMODEL_FN int at(long long base) {
    const int degree = costs_.degree_at(base);
    spend();
    return degree;
  }

 private:
  BANKMODEL_FN void spend() {
    work += costs_.work;
    costs_.work = 0;
  }
  price costs_;
};

// Gives the requests of an access to the taker, whatever the layout of its array. Returns the steps
// that were taken, with those before.
BANKMODEL_FN long long give_requests_of(const machine& m, const block_dim& block,
                                        const access_view& access, const block_index& at,
                                        long long work, request_taker& to) {
  if (access.array.layout.is_strided()) {
    const owned<splitter> all(m, block, access, at, to);
    (void)all->run(work);
    return all->work();
  }
  const owned<access_as_laid_out> rows(access, access.array.layout);
  const access_view in_rows = rows->view();
  const owned<splitter> all(m, block, in_rows, at, to);
  (void)all->run(work);
  return all->work();
}

// A request, and the loops around it, the outermost first, with values in the lowest active lane.
struct placed_request {
  request lanes;
  int loops = 0;
  loop_position loop[loop_variables] = {};
};

// Returns the worst request that was found. In a strided layout the distances of its lanes may be
// known, and then only the lowest active lane is evaluated.
template <class Number>
BANKMODEL_FN placed_request worst_request(const machine& m, const block_dim& block,
                                          const block_index& at, const access_view& access,
                                          const worst_finder<Number>& worst) {
  const request_place& place = worst.place();
  const lane_pattern& lanes = worst.lanes();
  const array_description& array = access.array;
  long long values[variables] = {};
  const auto set = [&](variable which, long long to) { values[static_cast<int>(which)] = to; };
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
  placed_request result;
  for (int level = 0; level < access.depth; ++level) {
    const wrapper& w = access.wrappers[level];
    if (same(w.kind, wrapper_kind::filter)) continue;
    result.loop[result.loops++] = {w.variable, place.trip[point::number(w.variable)],
                                   values[static_cast<int>(w.variable)]};
  }
  result.lanes.active = lanes.active;
  result.lanes.bytes = access.bytes();
  result.lanes.kind = access.kind;
  const bool is_known = worst.has_distances() && array.layout.is_strided();
  for (std::uint64_t rest = lanes.active; rest != 0; rest &= rest - 1) {
    const int lane = trailing_zeros(rest);
    if (is_known)
      result.lanes.address[lane] = first + (lanes.in_line ? lanes.stride * (lane - low)
                                                          : lanes.offset[lane] - lanes.offset[low]);
    else
      result.lanes.address[lane] = run(lane);
  }
  return result;
}

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
