// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_COLLECTED_REQUESTS_HPP
#define BANKMODEL_SEARCH_DETAIL_COLLECTED_REQUESTS_HPP

#include <bankmodel/count/request_taker.hpp>
#include <bankmodel/search/detail/spread_coordinates.hpp>

// The requests to a kernel's arrays as classes in coordinates, equal ones once. From these the
// requests in any strided layout of an array follow by multiplication, so the subscripts are read
// once for each array and not for each layout.
namespace bankmodel::detail {

// All are trivial types: members that are not set cost nothing in a constant expression.

// The lanes of a request, relative to the lowest active one.
struct lanes_in_coordinates {
  std::uint64_t active;
  int bytes;
  access_kind kind;
  int served_as;         // the first pattern of the array with this width and kind
  bool in_line;          // lanes are one step apart; else each lane has its own distance:
  coordinate_step step;  // between neighbours
  int lanes;             // their number
  int distances;         // the index of the first lane's
  bool merged;           // phases are merged in pairs;
  int phases;            // the number of those that are not empty
  // The number of distances in each phase without repetitions, which follow those of the lanes.
  unsigned char distinct[8];
  int classes;             // the number of the last class of this pattern, or -1
  std::uint64_t requests;  // of all classes and loops
};
struct class_in_coordinates {
  int lanes, before;  // the numbers of its pattern, and of the class before it of that pattern
  int next;           // with the same hash
  int loop, loops;
  long long number;        // of the base
  coordinate_step base;    // of the lowest active lane
  std::uint64_t requests;  // of all accesses, the loops not multiplied
};
struct loop_in_coordinates {
  long long number, trips;
  coordinate_step step;
};
// `times` requests of a class belong to an access.
struct share_of_class {
  int which, access;
  std::uint64_t times;
};

class collected_requests {
 public:
  BANKMODEL_FN collected_requests() {}

  BANKMODEL_FN void clear() {
    patterns_ = classes_ = loops_ = shares_ = distances_ = 0;
    for (int& first : first_) first = -1;
  }
  // now(): the numbers of everything stored. rewind() removes everything added since then.
  struct mark {
    int patterns, classes, loops, shares, distances;
  };
  BANKMODEL_FN mark now() const { return {patterns_, classes_, loops_, shares_, distances_}; }
  BANKMODEL_FN void rewind(const mark& to) {
    while (classes_ > to.classes) {
      --classes_;
      first_[bucket_of(class_[classes_].lanes, class_[classes_].number)] = class_[classes_].next;
    }
    patterns_ = to.patterns;
    loops_ = to.loops;
    shares_ = to.shares;
    distances_ = to.distances;
  }
  // Starts another array. If its bases do not matter, classes have base 0 and no loops.
  BANKMODEL_FN void begin_array(const layout& declared, bool bases_matter) {
    numbers_ = spread_coordinates(declared);
    rank_ = declared.rank;
    bases_matter_ = bases_matter;
    begin_ = patterns_;
    full_ = false;
  }
  // Starts another access of that array, which is made `weight` times. If its number is negative,
  // no shares of it are kept.
  BANKMODEL_FN void begin_access(const machine& m, int access, int bytes, access_kind kind,
                                 int element_bytes, std::uint64_t weight) {
    access_ = access;
    bytes_ = bytes;
    kind_ = kind;
    phases_ = m.served(bytes, kind).phases;
    merges_ = phases_.bits() > 0 && same(m.merges(kind), merging::pairs);
    element_bytes_ = element_bytes;
    weight_ = weight;
    first_share_ = shares_;
  }
  // Adds requests of that access. Addresses are numbers, times the bytes of an element.
  BANKMODEL_FN void add(const lane_pattern& lanes, long long base, const progression* loops,
                        int depth, std::uint64_t times) {
    const int low = trailing_zeros(lanes.active);
    if (!lanes.in_line) base += lanes.offset[low];
    for (; !bases_matter_ && depth > 0; --depth, ++loops)
      times = checked_count_product(times, static_cast<std::uint64_t>(loops->trips));
    steps_ += 250;
    const int pattern = full_ ? 0 : pattern_of(lanes, low), seen = classes_;
    const int which =
        full_ ? 0 : class_of(pattern, bases_matter_ ? base / element_bytes_ : 0, loops, depth);
    if (full_) return;
    const std::uint64_t requests = checked_count_product(times, weight_);
    class_[which].requests = checked_count_sum(class_[which].requests, requests);
    std::uint64_t all = requests;
    for (int at = 0; at < depth; ++at)
      all = checked_count_product(all, static_cast<std::uint64_t>(loops[at].trips));
    pattern_[pattern].requests = checked_count_sum(pattern_[pattern].requests, all);
    for (int at = first_share_; at < shares_ && which < seen && access_ >= 0; ++at)
      if (share_[at].which == which) {
        share_[at].times = checked_count_sum(share_[at].times, times);
        return;
      }
    if (access_ < 0) return;
    full_ = shares_ == most_shares;
    if (!full_) share_[shares_++] = {which, access_, times};
  }

  // The steps, in units of effort.hpp, of all calls of add().
  BANKMODEL_FN long long steps() const { return steps_; }

  // True if there was no room for everything of the present array.
  BANKMODEL_FN bool is_full() const { return full_; }

  BANKMODEL_FN int patterns() const { return patterns_; }
  BANKMODEL_FN const lanes_in_coordinates& pattern(int at) const { return pattern_[at]; }
  BANKMODEL_FN int classes() const { return classes_; }
  BANKMODEL_FN const class_in_coordinates& class_at(int at) const { return class_[at]; }
  BANKMODEL_FN int shares() const { return shares_; }
  BANKMODEL_FN const share_of_class& share(int at) const { return share_[at]; }

  // The distances without repetitions, phase by phase, of a pattern that is not in line.
  BANKMODEL_FN const coordinate_step* distinct_distances(const lanes_in_coordinates& of) const {
    return distance_ + of.distances + of.lanes;
  }
  // The lanes of a pattern in a strided layout; `pitch`: its strides in bytes.
  BANKMODEL_FN void read_lanes(int at, const element_strides& pitch, lane_pattern& to) const {
    const lanes_in_coordinates& of = pattern_[at];
    to.active = of.active;
    to.in_line = of.in_line;
    to.stride = pitch.distance(of.step);
    if (of.in_line) return;
    const coordinate_step* each = distance_ + of.distances;
    for (std::uint64_t rest = of.active; rest != 0; rest &= rest - 1)
      to.offset[trailing_zeros(rest)] = pitch.distance(*each++);
  }
  // The base of a class in a strided layout, and its loops; returns their number.
  BANKMODEL_FN int read_class(int at, const element_strides& pitch, long long& base,
                              progression* loops) const {
    const class_in_coordinates& of = class_[at];
    base = pitch.distance(of.base);
    for (int loop = 0; loop < of.loops; ++loop)
      loops[loop] = {pitch.distance(loop_[of.loop + loop].step), loop_[of.loop + loop].trips};
    return of.loops;
  }

 private:
  static constexpr int most_patterns = 512, most_distances = 16384, most_classes = 4096,
                       most_loops = 4096, most_shares = 8192, buckets = 128;

  // The number of a pattern, which is added if it is new.
  BANKMODEL_FN int pattern_of(const lane_pattern& lanes, int low) {
    const bool one = (lanes.active & (lanes.active - 1)) == 0, in_line = one || lanes.in_line;
    const coordinate_step step =
        one || !in_line ? coordinate_step{} : numbers_.of(lanes.stride / element_bytes_);
    int served_as = patterns_;
    for (int at = patterns_ - 1; at >= begin_; --at) {
      const lanes_in_coordinates& seen = pattern_[at];
      if (seen.bytes != bytes_ || seen.kind != kind_) continue;
      served_as = seen.served_as;
      steps_ += 16;
      if (seen.active == lanes.active && seen.in_line == in_line &&
          (in_line ? is_same(seen.step, step) : has_distances(seen, lanes, low)))
        return at;
    }
    full_ = full_ || patterns_ == most_patterns || distances_ + 2 * max_lanes > most_distances;
    if (full_) return 0;
    lanes_in_coordinates& made = pattern_[patterns_];
    const bool merged = merges_ && (pairs_up(lanes, 1) || pairs_up(lanes, 2));
    const lane_groups phases = merged ? phases_.merged() : phases_;
    made = {lanes.active, bytes_, kind_, served_as, in_line, step, 0,
            distances_,   merged, 0,     {},        -1,      0};
    for (std::uint64_t rest = lanes.active; rest != 0; rest &= rest - 1) {
      ++made.lanes;
      if (!in_line) distance_[distances_++] = distance_to(lanes, low, trailing_zeros(rest));
    }
    steps_ += in_line ? 0 : 30 * made.lanes;
    for (int phase = 0; phase < 1 << phases.bits(); ++phase) {
      const std::uint64_t served = lanes.active & phases.lanes_of(phase);
      steps_ += 40;
      if (served == 0) continue;
      if (!in_line) add_distinct(made, served);
      ++made.phases;
    }
    return patterns_++;
  }
  // As lanes_pair_up().
  BANKMODEL_FN static bool pairs_up(const lane_pattern& lanes, int partner) {
    for (std::uint64_t rest = lanes.active; rest != 0; rest &= rest - 1) {
      const int lane = trailing_zeros(rest), other = lane ^ partner;
      if ((lanes.active >> other & 1) != 0 &&
          (lanes.in_line ? lanes.stride != 0 : lanes.offset[lane] != lanes.offset[other]))
        return false;
    }
    return true;
  }
  // Adds those of the next phase.
  BANKMODEL_FN void add_distinct(lanes_in_coordinates& of, std::uint64_t phase) {
    const coordinate_step* each = distance_ + of.distances;
    const int first = distances_;
    for (std::uint64_t rest = of.active; rest != 0; rest &= rest - 1, ++each) {
      if ((rest & -rest & phase) == 0) continue;
      // Lanes that share an element are mostly neighbours.
      bool again = distances_ > first && is_same(*each, distance_[distances_ - 1]);
      steps_ += 12 * (distances_ - first);
      for (int before = first; before < distances_ && !again; ++before)
        again = is_same(*each, distance_[before]);
      if (!again) distance_[distances_++] = *each;
    }
    of.distinct[of.phases] = static_cast<unsigned char>(distances_ - first);
  }
  BANKMODEL_FN coordinate_step distance_to(const lane_pattern& lanes, int low, int lane) const {
    return numbers_.of((lanes.offset[lane] - lanes.offset[low]) / element_bytes_);
  }
  BANKMODEL_FN bool has_distances(const lanes_in_coordinates& seen, const lane_pattern& lanes,
                                  int low) {
    const coordinate_step* each = distance_ + seen.distances;
    for (std::uint64_t rest = seen.active; rest != 0; rest &= rest - 1) {
      steps_ += 40;
      if (!is_same(*each++, distance_to(lanes, low, trailing_zeros(rest)))) return false;
    }
    return true;
  }
  BANKMODEL_FN bool is_same(const coordinate_step& a, const coordinate_step& b) const {
    for (int d = 0; d < rank_; ++d)
      if (a.of[d] != b.of[d]) return false;
    return true;
  }

  BANKMODEL_FN static int bucket_of(int pattern, long long number) {
    const auto key =
        (static_cast<std::uint64_t>(number) * 512 + static_cast<std::uint64_t>(pattern)) *
        0x9e3779b97f4a7c15u;
    return static_cast<int>(key >> 40) & (buckets - 1);
  }
  // The number of a class, which is added if it is new. `number`: of its base.
  BANKMODEL_FN int class_of(int pattern, long long number, const progression* loops, int depth) {
    int& first = first_[bucket_of(pattern, number)];
    for (int at = first; at >= 0; at = class_[at].next)
      if (class_[at].lanes == pattern && class_[at].number == number &&
          has_loops(class_[at], loops, depth))
        return at;
    full_ = full_ || classes_ == most_classes || loops_ + depth > most_loops;
    if (full_) return 0;
    class_[classes_] = {pattern, pattern_[pattern].classes, first, loops_, depth,
                        number,  numbers_.of(number),       0};
    for (int at = 0; at < depth; ++at) {
      const long long step = loops[at].step / element_bytes_;
      loop_[loops_++] = {step, loops[at].trips, numbers_.of(step)};
    }
    pattern_[pattern].classes = classes_;
    return first = classes_++;
  }
  BANKMODEL_FN bool has_loops(const class_in_coordinates& of, const progression* loops,
                              int depth) const {
    if (of.loops != depth) return false;
    for (int at = 0; at < depth; ++at) {
      const loop_in_coordinates& loop = loop_[of.loop + at];
      if (loop.number != loops[at].step / element_bytes_ || loop.trips != loops[at].trips)
        return false;
    }
    return true;
  }

  spread_coordinates numbers_;
  int rank_ = 1, begin_ = 0, access_ = 0, bytes_ = 0, element_bytes_ = 1, first_share_ = 0;
  access_kind kind_ = access_kind::load;
  lane_groups phases_ = {};
  std::uint64_t weight_ = 1;
  bool full_ = false, bases_matter_ = true, merges_ = false;

  int patterns_ = 0, classes_ = 0, loops_ = 0, shares_ = 0, distances_ = 0;
  long long steps_ = 0;
  int first_[buckets];
  lanes_in_coordinates pattern_[most_patterns];
  class_in_coordinates class_[most_classes];
  loop_in_coordinates loop_[most_loops];
  share_of_class share_[most_shares];
  coordinate_step distance_[most_distances];
};

}  // namespace bankmodel::detail

#endif
