// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_PLACEMENT_HPP
#define BANKMODEL_SEARCH_DETAIL_PLACEMENT_HPP

#include <bankmodel/model/occupancy.hpp>
#include <bankmodel/search/detail/array_options.hpp>
#include <bankmodel/search/detail/declared_arrays.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The placement of a kernel's arrays: their order, and an option and an offset for each.
namespace bankmodel::detail {

// The choice for one array.
struct array_choice {
  array_option option;
  long long offset_bytes;
};

// The cost of all arrays together. Index functions are added as numbers in base 17, one digit
// for each kind, the least simple one first: a plan has at most 16 arrays.
struct placement_cost {
  std::uint64_t wavefronts = ~std::uint64_t{0};
  long long bytes = int64_max;
  int width = 0;  // 0 for the bank width that the machine starts with
  long long indices = 0;
};
BANKMODEL_FN long long weight_of(int index) {
  long long weight = index == no_index ? 0 : 1;
  for (int simpler = 1; simpler < index; ++simpler) weight *= 17;
  return weight;
}

// The order of costs: fewest wavefronts, then the preferred criterion, then the other two, then
// the machine's initial bank width.
class ranking {
 public:
  // `most_blocks` is the number of blocks without shared memory; 0 if the machine has no
  // limits.
  BANKMODEL_FN ranking(preference first, const residency& limits, int most_blocks)
      : first_(first), limits_(limits), most_blocks_(most_blocks) {}

  BANKMODEL_FN int blocks(long long bytes) const {
    if (most_blocks_ == 0 || bytes == int64_max) return 0;
    const long long by_bytes = blocks_by_shared_memory(limits_, bytes);
    return by_bytes < most_blocks_ ? static_cast<int>(by_bytes) : most_blocks_;
  }
  BANKMODEL_FN bool is_better(const placement_cost& a, const placement_cost& b) const {
    if (a.wavefronts != b.wavefronts) return a.wavefronts < b.wavefronts;
    if (a.indices == b.indices) return a.bytes != b.bytes ? a.bytes < b.bytes : a.width < b.width;
    if (first_ == preference::few_bytes && a.bytes != b.bytes) return a.bytes < b.bytes;
    if (first_ == preference::resident_blocks) {
      const int of_a = blocks(a.bytes), of_b = blocks(b.bytes);
      if (of_a != of_b) return of_a > of_b;
    }
    return a.indices < b.indices;
  }

 private:
  preference first_;
  const residency& limits_;
  int most_blocks_;
};

// The costs with which each set of arrays was placed. A placement that costs no less and ends
// no earlier than an earlier one leads to nothing better. Some entries are dropped: then more
// is tried.
class placed_before {
 public:
  BANKMODEL_FN void forget(int arrays) {
    for (int set = 0; set < (arrays < bits ? 1 << arrays : sets); ++set) count_[set] = 0;
  }

  // Returns true if such a placement is stored; else stores it.
  BANKMODEL_FN bool has_better(std::uint64_t arrays, const placement_cost& cost) {
    const auto set = static_cast<int>((arrays ^ arrays >> bits ^ arrays >> 2 * bits) & (sets - 1));
    entry* const kept = kept_[set];
    int& count = count_[set];
    for (int position = 0; position < count; ++position)
      if (kept[position].arrays == arrays && kept[position].wavefronts <= cost.wavefronts &&
          kept[position].bytes <= cost.bytes && kept[position].indices <= cost.indices)
        return true;
    int left = 0;
    for (int position = 0; position < count; ++position)
      if (kept[position].arrays != arrays || kept[position].wavefronts < cost.wavefronts ||
          kept[position].bytes < cost.bytes || kept[position].indices < cost.indices)
        kept[left++] = kept[position];
    if (left == capacity) --left;
    kept[left] = {arrays, cost.wavefronts, cost.bytes, cost.indices};
    count = left + 1;
    return false;
  }

 private:
  static constexpr int bits = 6, sets = 1 << bits, capacity = 32;
  struct entry {
    std::uint64_t arrays, wavefronts;
    long long bytes, indices;
  };
  int count_[sets];
  entry kept_[sets][capacity];
};

// Tries orders, options and offsets, and skips those that cannot beat the best so far. Options
// are those of array_options.
template <class Options>
class placement {
 public:
  // `choice` has room for all arrays; `best` is the best plan so far, replaced only by a better
  // one. `history` is room for the search.
  BANKMODEL_FN placement(const Options* arrays, int count, int width, long long most_bytes,
                         const ranking& order, array_choice* current, array_choice* choice,
                         placement_cost& best, placed_before& history)
      : arrays_(arrays),
        count_(count),
        width_(width),
        most_bytes_(most_bytes),
        order_(order),
        current_(current),
        choice_(choice),
        best_(best),
        table_(history) {}

  // Returns false if the tries were not enough.
  BANKMODEL_FN bool run(long long tries) {
    tries_ = tries;
    full_set_ = (std::uint64_t{1} << count_) - 1;
    remembers_ = count_ > 2;
    if (remembers_) table_.forget(count_);
    std::uint64_t wavefronts = 0;
    long long bytes = 0;
    for (int number = 0; number < count_; ++number) {
      if (arrays_[number].count() == 0) return true;  // no option yet
      wavefronts = checked_count_sum(wavefronts, arrays_[number].least_wavefronts());
      bytes = checked_add(bytes, arrays_[number].least_bytes());
    }
    find_packs();
    place(0, {0, 0, width_, 0}, {wavefronts, bytes, width_, 0});
    return tries_ > 0;
  }
  BANKMODEL_FN long long tries_left() const { return tries_; }

 private:
  // The arrays in `placed` cost `sum` and end at its bytes; all others cost at least `rest`.
  BANKMODEL_FN void place(std::uint64_t placed, const placement_cost& sum,
                          const placement_cost& rest) {
    if (placed == full_set_) {
      best_ = sum;
      for (int number = 0; number < count_; ++number) choice_[number] = current_[number];
      return;
    }
    const int forced = next_without_gap(placed, sum.bytes);
    for (int next = forced < 0 ? 0 : forced; next < (forced < 0 ? count_ : forced + 1); ++next) {
      if ((placed >> next & 1) != 0) continue;
      const Options& array = arrays_[next];
      const placement_cost remaining{rest.wavefronts - array.least_wavefronts(),
                                     rest.bytes - array.least_bytes(), width_, 0};
      for (int number = 0; number < array.count() && --tries_ > 0; ++number) {
        const array_option& option = array[number];
        const long long offset = next_base(array, option.bases, sum.bytes);
        const placement_cost new_sum{sum.wavefronts + option.wavefronts, offset + option.bytes,
                                     width_, sum.indices + weight_of(option.index)};
        const placement_cost bound{new_sum.wavefronts + remaining.wavefronts,
                                   new_sum.bytes + remaining.bytes, width_, new_sum.indices};
        if (bound.wavefronts > best_.wavefronts) break;  // and so are all later options
        if (bound.bytes > most_bytes_ || !order_.is_better(bound, best_)) continue;
        const std::uint64_t with_next = placed | std::uint64_t{1} << next;
        if (remembers_ && with_next != full_set_ && table_.has_better(with_next, new_sum)) continue;
        current_[next] = {option, offset};
        place(with_next, new_sum, remaining);
      }
    }
  }

  // The array that comes next without loss, or -1 if several orders must be tried. If an array may
  // begin at every multiple of its alignment, and the largest alignment of all that are left
  // divides `bytes` and the bytes of the next one's options, no order wastes less than that one
  // first: there is no gap before it, and after it the same holds.
  BANKMODEL_FN int next_without_gap(std::uint64_t placed, long long bytes) const {
    int align = 1;
    for (int number = 0; number < count_; ++number) {
      if ((placed >> number & 1) != 0) continue;
      if (!packs_[number]) return -1;
      if (arrays_[number].align() > align) align = arrays_[number].align();
    }
    if (bytes % align != 0) return -1;
    for (int number = 0; number < count_; ++number)
      if ((placed >> number & 1) == 0 && (bytes_of_options_[number] & (align - 1)) == 0)
        return number;
    return -1;
  }
  // Finds the arrays that may begin at every multiple of their alignment, and whose options all
  // take a multiple of it.
  BANKMODEL_FN void find_packs() {
    for (int number = 0; number < count_; ++number) {
      const Options& array = arrays_[number];
      bytes_of_options_[number] = 0;
      for (int option = 0; option < array.count(); ++option)
        bytes_of_options_[number] |= array[option].bytes;
      packs_[number] =
          array.period() == array.align() && (bytes_of_options_[number] & (array.align() - 1)) == 0;
    }
  }

  // The first base of the set from `bytes` on.
  BANKMODEL_FN static long long next_base(const Options& array, const base_set& bases,
                                          long long bytes) {
    const long long align = array.align(), period = array.period(),  // powers of two
        first = (bytes + align - 1) & -align, begin = first & -period;
    int next = bases.next((first - begin) / align);
    // A period may have more bases than a set has room for, and none of those is in it.
    const bool later = next >= period / align || next >= base_set::capacity;
    if (later) next = bases.next(0);
    return begin + (later ? period : 0) + next * align;
  }

  const Options* arrays_;
  int count_, width_;
  long long most_bytes_;
  const ranking& order_;
  array_choice *current_, *choice_;
  placement_cost& best_;
  long long tries_ = 0;
  std::uint64_t full_set_ = 0;
  bool remembers_ = false;
  bool packs_[most_planned_arrays];
  long long bytes_of_options_[most_planned_arrays];  // those of all options, as one OR
  placed_before& table_;
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
