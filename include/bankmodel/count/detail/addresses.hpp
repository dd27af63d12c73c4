// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_ADDRESSES_HPP
#define BANKMODEL_COUNT_DETAIL_ADDRESSES_HPP

#include <bankmodel/count/detail/evaluate.hpp>
#include <bankmodel/model/request.hpp>

// Where the lanes of one access lie, and how far loops may move them.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void subscripts_must_lie_within_their_extent(long long dimension,
                                                                       long long value,
                                                                       long long extent) {
  detail::fail(__func__,
               "subscript % (from 0) reaches % in an active lane, its extent is % (all elements of "
               "a wide access count); mend the "
               "subscript or guard it with if_threads",
               dimension, value, extent);
}
}  // namespace rule

namespace detail {

// An access_expression without its sizes, so that one function serves all.
struct access_view {
  const array_description& array;
  int subscripts;
  const slice* subscript;
  int vector;
  access_kind kind;
  const wrapper* wrappers;
  int depth;
  const node* nodes;
};

// Evaluates the subscripts, and refuses what lies outside the array or is not aligned to its width.
class addresses {
 public:
  BANKMODEL_FN addresses(const access_view& access, const slice* subscripts)
      : access_(access), subscript_(subscripts) {
    const layout& l = access.array.layout;
    (void)checked_add(checked_multiply(l.size(), access.array.element_bytes),
                      access.array.base_bytes);
    for (int d = 0; d < access.subscripts; ++d)
      pitch_[d] = l.stride[d] * access.array.element_bytes;
  }

  // The address of the first active lane; relative[lane] is how far from there each active lane's
  // lies.
  BANKMODEL_FN long long read(const lane_values* values, const lane_set& active, value_rows& rows,
                              long long* relative) {
    bool differ = false;
    long long address = access_.array.base_bytes;
    for (int d = 0; d < access_.subscripts; ++d) {
      const slice& program = subscript_[d];
      const lane_values subscript =
          evaluate(access_.nodes + program.first, program.size, values, active, rows);
      const long long first = subscript[active.lane[0]], pitch = pitch_[d];
      long long lowest = first, highest = first;
      require_within(d, first, first);
      if (subscript.each != nullptr) {
        for (int index = 0; index < active.count; ++index) {
          const int lane = active.lane[index];
          const long long value = subscript.each[lane];
          if (value > highest)
            require_within(d, lowest, highest = value);
          else if (value < lowest)
            require_within(d, lowest = value, highest);
          relative[lane] = (differ ? relative[lane] : 0) + (value - first) * pitch;
        }
        differ = true;
      }
      address += first * pitch;
      first_[d] = first;
      below_[d] = first - lowest;
      above_[d] = highest - first;
    }
    if (!differ)
      for (int index = 0; index < active.count; ++index) relative[active.lane[index]] = 0;
    if (access_.vector > 1)
      for (int index = 0; index < active.count; ++index)
        require_aligned(address + relative[active.lane[index]]);
    return address;
  }

  // The address in one lane, where nothing lies outside the array.
  BANKMODEL_FN long long unchecked(const long long* values) const {
    long long address = access_.array.base_bytes;
    for (int d = 0; d < access_.subscripts; ++d) address += subscript(d, values) * pitch_[d];
    return address;
  }

  // The same address where only loops and warps have moved all lanes alike since they were read.
  // `values` are those of the first active lane.
  BANKMODEL_FN long long moved(const long long* values) {
    long long address = access_.array.base_bytes;
    for (int d = 0; d < access_.subscripts; ++d) {
      first_[d] = subscript(d, values);
      require_within(d, checked_subtract(first_[d], below_[d]), checked_add(first_[d], above_[d]));
      address += first_[d] * pitch_[d];
    }
    require_aligned(address);
    return address;
  }

  // From here on loops move the lanes away from where read() or moved() found them.
  BANKMODEL_FN void begin_loops() {
    for (int d = 0; d < access_.subscripts; ++d) lowest_[d] = highest_[d] = first_[d];
  }

  // A loop that moves all lanes by the same amount `trips` times, 2 or more, `values` being those
  // of its second one: the bytes of one move. Loops add up, each starting where the others start.
  BANKMODEL_FN long long add_loop(const long long* values, long long trips) {
    long long step = 0;
    for (int d = 0; d < access_.subscripts; ++d) {
      const long long by = checked_subtract(subscript(d, values), first_[d]);
      if (by == 0) continue;
      long long& end = by > 0 ? highest_[d] : lowest_[d];
      end = checked_add(end, checked_multiply(by, trips - 1));
      require_within(d, checked_subtract(lowest_[d], below_[d]),
                     checked_add(highest_[d], above_[d]));
      step += by * pitch_[d];
    }
    require_aligned(step);
    return step;
  }

  // One subscript, and the bytes by which the address moves with it.
  BANKMODEL_FN long long subscript(int d, const long long* values) const {
    return evaluate(access_.nodes + subscript_[d].first, subscript_[d].size, values);
  }
  BANKMODEL_FN long long pitch(int d) const { return pitch_[d]; }

  BANKMODEL_FN void require_within(int d, long long lowest, long long highest) const {
    const long long extent = access_.array.layout.extent[d];
    // what a wide access touches behind it
    const long long behind = d == access_.subscripts - 1 ? access_.vector - 1 : 0;
    if (lowest < 0) rule::subscripts_must_lie_within_their_extent(d, lowest, extent);
    if (highest >= extent - behind)
      rule::subscripts_must_lie_within_their_extent(d, highest, extent);
  }

  BANKMODEL_FN void require_aligned(long long address) const {
    const int bytes = access_.array.element_bytes * access_.vector;
    if (access_.vector > 1 && (address & ((bytes == 12 ? 4 : bytes) - 1)) != 0)
      rule::accesses_must_be_aligned_to_their_width(address, bytes);
  }

 private:
  const access_view& access_;
  const slice* subscript_;
  long long pitch_[max_rank] = {};  // bytes
  // the subscripts in the first active lane
  long long first_[max_rank] = {};
  // how far those of the other lanes reach from there
  long long below_[max_rank] = {}, above_[max_rank] = {};
  // and how far loops move the first lane's
  long long lowest_[max_rank] = {}, highest_[max_rank] = {};
};

}  // namespace detail
}  // namespace bankmodel

#endif
