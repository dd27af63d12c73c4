// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_WARP_HPP
#define BANKMODEL_COUNT_DETAIL_WARP_HPP

#include <bankmodel/kernel/index.hpp>
#include <bankmodel/kernel/kernel.hpp>
#include <bankmodel/model/machine.hpp>

// One warp while a kernel runs: which lanes are active, and what each variable is worth in each
// lane.
namespace bankmodel::detail {

// Active lanes, as bits and as a list: loops over the list skip the others without a question.
struct lane_set {
  std::uint64_t mask = 0;
  int count = 0;
  unsigned char lane[max_lanes];

  BANKMODEL_FN lane_set() {}
  BANKMODEL_FN explicit lane_set(std::uint64_t of) {
    for (int number = 0; number < max_lanes; ++number)
      if ((of >> number & 1) != 0) add(number);
  }

  BANKMODEL_FN void add(int number) {
    mask |= std::uint64_t{1} << number;
    lane[count++] = static_cast<unsigned char>(number);
  }
};

BANKMODEL_FN int lowest_lane(std::uint64_t mask) { return trailing_zeros(mask); }
BANKMODEL_FN int highest_lane(std::uint64_t mask) { return highest_bit(mask); }

// A value in each lane, or, where `each` is null, the same one for all. Trivial: an array of these
// that is left uninitialized costs a constant expression nothing.
struct lane_values {
  const long long* each;
  long long same;
  BANKMODEL_FN long long operator[](int lane) const { return each != nullptr ? each[lane] : same; }
};

BANKMODEL_FN unsigned variable_bit(variable which) { return 1u << static_cast<int>(which); }

class warp_values {
 public:
  BANKMODEL_FN warp_values(int lanes, const block_dim& block, const block_index& at)
      : lanes_(lanes), block_(block) {
    set(variable::bx, at.x);
    set(variable::by, at.y);
    set(variable::bz, at.z);
    set_lanes(variable::lane, lane_number_);
  }

  // For each variable its value in every lane; read_lanes() comes first where thread variables
  // matter.
  BANKMODEL_FN const lane_values* in_lanes() const { return in_lanes_; }

  // For each variable its value in the lane of the last read_lane().
  BANKMODEL_FN const long long* in_one_lane() const { return in_one_lane_; }

  BANKMODEL_FN void set(variable which, long long value) {
    in_lanes_[static_cast<int>(which)] = {nullptr, value};
    in_one_lane_[static_cast<int>(which)] = value;
  }
  BANKMODEL_FN void set_lanes(variable which, const long long* values) {
    in_lanes_[static_cast<int>(which)] = {values, 0};
  }
  // In the lane of the last read_lane().
  BANKMODEL_FN void set_in_one_lane(variable which, long long value) {
    in_one_lane_[static_cast<int>(which)] = value;
  }

  // From here on it is warp `number`.
  BANKMODEL_FN void enter(int number) {
    number_ = number;
    one_lane_ = -1;
    lanes_are_read_ = false;
    set(variable::warp, number);
  }

  // The threads of the first `count` lanes, of the variables in `used`.
  BANKMODEL_FN void read_lanes(int count, unsigned used) {
    if (lanes_are_read_) return;
    lanes_are_read_ = true;
    for (; numbered_ < lanes_; ++numbered_) lane_number_[numbered_] = numbered_;
    const int first = number_ * lanes_;
    int x = first % block_.x, y = first / block_.x % block_.y, z = first / block_.x / block_.y;
    if ((used & variable_bit(variable::tid)) != 0) {
      for (int lane = 0; lane < count; ++lane) tid_[lane] = first + lane;
      set_lanes(variable::tid, tid_);
    }
    if (x + count <= block_.x) {  // within one row: ty and tz are the same in every lane
      in_lanes_[static_cast<int>(variable::ty)] = {nullptr, y};
      in_lanes_[static_cast<int>(variable::tz)] = {nullptr, z};
      set_lanes(variable::tx, x == 0 ? lane_number_ : tx_);
      if (x != 0 && (used & variable_bit(variable::tx)) != 0)
        for (int lane = 0; lane < count; ++lane) tx_[lane] = x + lane;
      return;
    }
    set_lanes(variable::tx, tx_);
    set_lanes(variable::ty, ty_);
    set_lanes(variable::tz, tz_);
    for (int lane = 0; lane < count; ++lane) {
      tx_[lane] = x;
      ty_[lane] = y;
      tz_[lane] = z;
      if (++x < block_.x) continue;
      x = 0;
      if (++y < block_.y) continue;
      y = 0;
      ++z;
    }
  }

  BANKMODEL_FN void read_lane(int lane) {
    if (one_lane_ == lane) return;
    one_lane_ = lane;
    const int thread = number_ * lanes_ + lane;
    in_one_lane_[static_cast<int>(variable::lane)] = lane;
    in_one_lane_[static_cast<int>(variable::tid)] = thread;
    in_one_lane_[static_cast<int>(variable::tx)] = thread % block_.x;
    in_one_lane_[static_cast<int>(variable::ty)] = thread / block_.x % block_.y;
    in_one_lane_[static_cast<int>(variable::tz)] = thread / block_.x / block_.y;
  }

 private:
  int lanes_;
  const block_dim& block_;
  int number_ = 0, one_lane_ = -1, numbered_ = 0;
  bool lanes_are_read_ = false;
  lane_values in_lanes_[variables];
  long long in_one_lane_[variables];
  long long lane_number_[max_lanes], tid_[max_lanes], tx_[max_lanes], ty_[max_lanes],
      tz_[max_lanes];
};

}  // namespace bankmodel::detail

#endif
