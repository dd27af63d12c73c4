// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_COLLECTED_REQUESTS_HPP
#define BANKMODEL_SEARCH_DETAIL_COLLECTED_REQUESTS_HPP

#include <bankmodel/count/request_taker.hpp>
#include <bankmodel/search/detail/spread_coordinates.hpp>

#include <bankmodel/core/hide_macros.hpp>

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
  int lanes, previous;  // the numbers of its pattern, and of the class before it of that pattern
  int next;             // with the same hash
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
  int number, access;
  std::uint64_t times;
};

class collected_requests {
 public:
  BANKMODEL_FN collected_requests() {}

  BANKMODEL_FN void clear() {
    patterns_ = classes_ = loops_ = shares_ = distances_ = 0;
    for (int& first : first_) first = -1;
  }
  // current(): the numbers of everything stored. rewind() removes everything added since then.
  struct mark {
    int patterns, classes, loops, shares, distances;
  };
  BANKMODEL_FN mark current() const { return {patterns_, classes_, loops_, shares_, distances_}; }
  BANKMODEL_FN void rewind(const mark& position) {
    while (classes_ > position.classes) {
      --classes_;
      first_[bucket_of(class_[classes_].lanes, class_[classes_].number)] = class_[classes_].next;
    }
    patterns_ = position.patterns;
    loops_ = position.loops;
    shares_ = position.shares;
    distances_ = position.distances;
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
    const int class_number =
        full_ ? 0 : class_of(pattern, bases_matter_ ? base / element_bytes_ : 0, loops, depth);
    if (full_) return;
    const std::uint64_t requests = checked_count_product(times, weight_);
    class_[class_number].requests = checked_count_sum(class_[class_number].requests, requests);
    std::uint64_t sum = requests;
    for (int loop = 0; loop < depth; ++loop)
      sum = checked_count_product(sum, static_cast<std::uint64_t>(loops[loop].trips));
    pattern_[pattern].requests = checked_count_sum(pattern_[pattern].requests, sum);
    for (int index = first_share_; index < shares_ && class_number < seen && access_ >= 0; ++index)
      if (share_[index].number == class_number) {
        share_[index].times = checked_count_sum(share_[index].times, times);
        return;
      }
    if (access_ < 0) return;
    full_ = shares_ == most_shares;
    if (!full_) share_[shares_++] = {class_number, access_, times};
  }

  // The steps, in units of effort.hpp, of all calls of add().
  BANKMODEL_FN long long steps() const { return steps_; }

  // True if there was no room for everything of the present array.
  BANKMODEL_FN bool is_full() const { return full_; }

  BANKMODEL_FN int patterns() const { return patterns_; }
  BANKMODEL_FN const lanes_in_coordinates& pattern(int number) const { return pattern_[number]; }
  BANKMODEL_FN int classes() const { return classes_; }
  BANKMODEL_FN const class_in_coordinates& class_at(int number) const { return class_[number]; }
  BANKMODEL_FN int shares() const { return shares_; }
  BANKMODEL_FN const share_of_class& share(int number) const { return share_[number]; }

  // The distances without repetitions, phase by phase, of a pattern that is not in line.
  BANKMODEL_FN const coordinate_step* distinct_distances(const lanes_in_coordinates& entry) const {
    return distance_ + entry.distances + entry.lanes;
  }
  // The lanes of a pattern in a strided layout; `pitch`: its strides in bytes.
  BANKMODEL_FN void read_lanes(int number, const element_strides& pitch,
                               lane_pattern& result) const {
    const lanes_in_coordinates& entry = pattern_[number];
    result.active = entry.active;
    result.in_line = entry.in_line;
    result.stride = pitch.distance(entry.step);
    if (entry.in_line) return;
    const coordinate_step* distance = distance_ + entry.distances;
    for (std::uint64_t rest = entry.active; rest != 0; rest &= rest - 1)
      result.offset[trailing_zeros(rest)] = pitch.distance(*distance++);
  }
  // The base of a class in a strided layout, and its loops; returns their number.
  BANKMODEL_FN int read_class(int number, const element_strides& pitch, long long& base,
                              progression* loops) const {
    const class_in_coordinates& entry = class_[number];
    base = pitch.distance(entry.base);
    for (int loop = 0; loop < entry.loops; ++loop)
      loops[loop] = {pitch.distance(loop_[entry.loop + loop].step), loop_[entry.loop + loop].trips};
    return entry.loops;
  }

 private:
  static constexpr int most_patterns = 512, most_distances = 16384, most_classes = 4096,
                       most_loops = 4096, most_shares = 8192, buckets = 128;

  // The number of a pattern, which is added if it is new.
  BANKMODEL_FN int pattern_of(const lane_pattern& lanes, int low) {
    const bool is_single = (lanes.active & (lanes.active - 1)) == 0,
               in_line = is_single || lanes.in_line;
    const coordinate_step step =
        is_single || !in_line ? coordinate_step{} : numbers_.step(lanes.stride / element_bytes_);
    int served_as = patterns_;
    for (int number = patterns_ - 1; number >= begin_; --number) {
      const lanes_in_coordinates& seen = pattern_[number];
      if (seen.bytes != bytes_ || seen.kind != kind_) continue;
      served_as = seen.served_as;
      steps_ += 16;
      if (seen.active == lanes.active && seen.in_line == in_line &&
          (in_line ? is_same(seen.step, step) : has_distances(seen, lanes, low)))
        return number;
    }
    full_ = full_ || patterns_ == most_patterns || distances_ + 2 * max_lanes > most_distances;
    if (full_) return 0;
    lanes_in_coordinates& entry = pattern_[patterns_];
    const bool merged = merges_ && (pairs_up(lanes, 1) || pairs_up(lanes, 2));
    const lane_groups phases = merged ? phases_.merged() : phases_;
    entry = {lanes.active, bytes_, kind_, served_as, in_line, step, 0,
             distances_,   merged, 0,     {},        -1,      0};
    for (std::uint64_t rest = lanes.active; rest != 0; rest &= rest - 1) {
      ++entry.lanes;
      if (!in_line) distance_[distances_++] = distance_to(lanes, low, trailing_zeros(rest));
    }
    steps_ += in_line ? 0 : 30 * entry.lanes;
    for (int phase = 0; phase < 1 << phases.bits(); ++phase) {
      const std::uint64_t served = lanes.active & phases.lanes_of(phase);
      steps_ += 40;
      if (served == 0) continue;
      if (!in_line) add_distinct(entry, served);
      ++entry.phases;
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
  BANKMODEL_FN void add_distinct(lanes_in_coordinates& entry, std::uint64_t phase) {
    const coordinate_step* distance = distance_ + entry.distances;
    const int first = distances_;
    for (std::uint64_t rest = entry.active; rest != 0; rest &= rest - 1, ++distance) {
      if ((rest & -rest & phase) == 0) continue;
      // Lanes that share an element are mostly neighbours.
      bool repeated = distances_ > first && is_same(*distance, distance_[distances_ - 1]);
      steps_ += 12 * (distances_ - first);
      for (int index = first; index < distances_ && !repeated; ++index)
        repeated = is_same(*distance, distance_[index]);
      if (!repeated) distance_[distances_++] = *distance;
    }
    entry.distinct[entry.phases] = static_cast<unsigned char>(distances_ - first);
  }
  BANKMODEL_FN coordinate_step distance_to(const lane_pattern& lanes, int low, int lane) const {
    return numbers_.step((lanes.offset[lane] - lanes.offset[low]) / element_bytes_);
  }
  BANKMODEL_FN bool has_distances(const lanes_in_coordinates& seen, const lane_pattern& lanes,
                                  int low) {
    const coordinate_step* distance = distance_ + seen.distances;
    for (std::uint64_t rest = seen.active; rest != 0; rest &= rest - 1) {
      steps_ += 40;
      if (!is_same(*distance++, distance_to(lanes, low, trailing_zeros(rest)))) return false;
    }
    return true;
  }
  BANKMODEL_FN bool is_same(const coordinate_step& a, const coordinate_step& b) const {
    for (int d = 0; d < rank_; ++d)
      if (a.coordinate[d] != b.coordinate[d]) return false;
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
    for (int index = first; index >= 0; index = class_[index].next)
      if (class_[index].lanes == pattern && class_[index].number == number &&
          has_loops(class_[index], loops, depth))
        return index;
    full_ = full_ || classes_ == most_classes || loops_ + depth > most_loops;
    if (full_) return 0;
    class_[classes_] = {pattern, pattern_[pattern].classes, first, loops_, depth,
                        number,  numbers_.step(number),     0};
    for (int loop = 0; loop < depth; ++loop) {
      const long long step = loops[loop].step / element_bytes_;
      loop_[loops_++] = {step, loops[loop].trips, numbers_.step(step)};
    }
    pattern_[pattern].classes = classes_;
    return first = classes_++;
  }
  BANKMODEL_FN bool has_loops(const class_in_coordinates& entry, const progression* loops,
                              int depth) const {
    if (entry.loops != depth) return false;
    for (int level = 0; level < depth; ++level) {
      const loop_in_coordinates& loop = loop_[entry.loop + level];
      if (loop.number != loops[level].step / element_bytes_ || loop.trips != loops[level].trips)
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

#include <bankmodel/core/restore_macros.hpp>

#endif
