// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REPORT_DETAIL_LANE_TABLE_HPP
#define BANKMODEL_REPORT_DETAIL_LANE_TABLE_HPP

#include <bankmodel/kernel/index.hpp>
#include <bankmodel/model/request.hpp>

// Values that differ from lane to lane in any way, written as programs of the index language.
namespace bankmodel::detail {

// A program that has a given value in each of some lanes. Lanes are halved until the values of a
// part are on a line, a + s * lane. If bit b of the lane's number selects a half, the two halves
// together are (lane >> b & 1) * upper + ((lane >> b & 1) ^ 1) * lower.
//
// Example: 0, 0, 7, 8 in lanes 0 to 3 is (lane >> 1 & 1) * (5 + lane) + (lane >> 1 & 1 ^ 1) * 0.
class lane_table {
 public:
  // The most nodes of a table: one for each of 64 lanes, and 15 for each of 63 halvings.
  static constexpr int most_nodes = 64 + 63 * 15;

  // Writes the values of the lanes in `active` to `nodes`. In other lanes the program has any
  // value. Requires: room for most_nodes.
  BANKMODEL_FN lane_table(const long long* values, std::uint64_t active, node* nodes)
      : values_(values), active_(active), nodes_(nodes) {
    write(0, 6);
  }
  BANKMODEL_FN int size() const { return size_; }

 private:
  BANKMODEL_FN void append(operation op, long long value = 0) { nodes_[size_++] = {op, value}; }
  BANKMODEL_FN void append(operation op, long long left, operation by) {
    append(op, left);
    append(by);
  }
  BANKMODEL_FN void append_bit(int bit) {
    append(operation::variable, static_cast<long long>(variable::lane));
    append(operation::constant, bit, operation::shift_right);
    append(operation::constant, 1, operation::bit_and);
  }

  // The 2^bits lanes from `from` on.
  BANKMODEL_FN void write(int from, int bits) {
    if (write_line(from, from + (1 << bits))) return;
    --bits;
    append_bit(bits);
    write(from + (1 << bits), bits);
    append(operation::multiply);
    append_bit(bits);
    append(operation::constant, 1, operation::bit_xor);
    write(from, bits);
    append(operation::multiply);
    append(operation::add);
  }

  // Returns false if the values of these lanes are not on a line.
  BANKMODEL_FN bool write_line(int from, int to) {
    constexpr long long far = 1ll << 50;  // sums of larger values may overflow
    long long first = 0, slope = 0;
    int first_lane = -1, lanes = 0;
    for (int lane = from; lane < to; ++lane) {
      if ((active_ >> lane & 1) == 0) continue;
      const long long value = values_[lane];
      if (lanes++ == 0) first = value, first_lane = lane;
      if (lanes == 2 && value != first) {
        if (value > far || value < -far || first > far || first < -far) return false;
        slope = (value - first) / (lane - first_lane);
      }
      if (value != first + slope * (lane - first_lane)) return false;
    }
    append(operation::constant, first - slope * first_lane);
    if (slope == 0) return true;
    append(operation::constant, slope);
    append(operation::variable, static_cast<long long>(variable::lane), operation::multiply);
    append(operation::add);
    return true;
  }

  const long long* values_;
  std::uint64_t active_;
  node* nodes_;
  int size_ = 0;
};

// Writes the condition that holds in the lanes of `active`: the bits of a number, 32 lanes at a
// time. Returns its nodes, at most most_nodes_of_a_lane_filter.
constexpr int most_nodes_of_a_lane_filter = 25;
BANKMODEL_FN int write_lane_filter(std::uint64_t active, node* nodes) {
  int size = 0;
  const auto append = [&](operation op, long long value = 0) { nodes[size++] = {op, value}; };
  const auto append_lane = [&] {
    append(operation::variable, static_cast<long long>(variable::lane));
  };
  const auto append_is_in = [&](std::uint64_t lanes, int from) {
    append(operation::constant, static_cast<long long>(lanes));
    append_lane();
    if (from > 0) append(operation::constant, from), append(operation::subtract);
    append(operation::shift_right);
    append(operation::constant, 1);
    append(operation::bit_and);
    append(operation::constant, 1);
    append(operation::equal);
  };
  append_lane();
  append(operation::constant, 32);
  append(operation::less);
  append(operation::skip_if_false, 7);
  append_is_in(active & 0xffffffff, 0);
  append(operation::skip_if_true, 13);
  append(operation::constant, 32);
  append_lane();
  append(operation::less_equal);
  append(operation::skip_if_false, 9);
  append_is_in(active >> 32, 32);
  return size;
}

}  // namespace bankmodel::detail

#endif
