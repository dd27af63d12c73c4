// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_WARPS_HPP
#define BANKMODEL_COUNT_DETAIL_WARPS_HPP

#include <bankmodel/count/detail/lane_program.hpp>
#include <bankmodel/kernel/kernel.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The warps of a block in groups: each group is a nest of loops over warps, along x, y and z.
//
// Example: block 64 x 2, 32 lanes: one group, with {2, 1, 32} along x and {2, 2, 1} along y.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void the_block_must_have_threads(long long x, long long y, long long z) {
  detail::fail(__func__, "a block of % x % x % threads; each must be 1 or more", x, y, z);
}
[[noreturn]] BANKMODEL_FN void the_block_must_fit_the_machine(long long threads, long long limit) {
  detail::fail(__func__, "a block of % threads; this machine takes at most %", threads, limit);
}
}  // namespace rule

namespace detail {

// `trips` warps; each is `warps` warps after the previous one, and its threads are `threads`
// further in x, y or z.
struct warp_loop {
  int trips, warps, threads;
};

struct warp_group {
  int first = 0, lanes = 0;  // the first warp; active lanes of each
  warp_loop axes[3] = {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}};
};

class warp_groups {
 public:
  BANKMODEL_FN warp_groups(const machine& m, const block_dim& block)
      : block_(block), lanes_(m.lanes) {
    threads_ = checked_threads(m, block);
    full_ = static_cast<int>(threads_ / lanes_);
    rest_ = static_cast<int>(threads_ % lanes_);
    const int plane = block.x * block.y, rows = lanes_ / block.x;
    if (block.x % lanes_ == 0 || (block.y == 1 && block.z == 1)) {
      shape_ = shape::within_rows;
    } else if (lanes_ % block.x == 0 && (block.y % rows == 0 || block.z == 1)) {
      shape_ = shape::whole_rows;
    } else if (lanes_ % block.x == 0 && rows % block.y == 0) {
      shape_ = shape::whole_planes;
    } else if (plane % lanes_ == 0 || block.z == 1) {
      shape_ = shape::in_turn;
      period_ = block.x / static_cast<int>(greatest_common_divisor(block.x, lanes_));
    } else {
      shape_ = shape::each_its_own;
      period_ = full_;
    }
    if (period_ > full_) period_ = full_;
  }

  BANKMODEL_FN int count() const { return (full_ > 0 ? period_ : 0) + (rest_ != 0 ? 1 : 0); }
  BANKMODEL_FN int warps() const { return full_ + (rest_ != 0 ? 1 : 0); }
  BANKMODEL_FN int threads() const { return static_cast<int>(threads_); }

  // True if the lanes of each warp are neighbours in one row of threads.
  BANKMODEL_FN bool within_rows() const { return shape_ == shape::within_rows; }

  // The thread variables that differ from lane to lane.
  BANKMODEL_FN unsigned differing() const {
    constexpr unsigned in_a_row =
        variable_bit(variable::tx) | variable_bit(variable::tid) | variable_bit(variable::lane);
    if (shape_ == shape::within_rows) return in_a_row;
    if (shape_ == shape::whole_rows || shape_ == shape::in_turn)
      return in_a_row | variable_bit(variable::ty);
    return in_a_row | variable_bit(variable::ty) | variable_bit(variable::tz);
  }

  BANKMODEL_FN warp_group group(int number) const {
    warp_group result{.first = number, .lanes = lanes_};
    if (full_ == 0 || number >= period_) {  // the last warp, which is not full
      result.first = full_;
      result.lanes = rest_;
      return result;
    }
    warp_loop &x = result.axes[0], &y = result.axes[1], &z = result.axes[2];
    if (shape_ == shape::within_rows) {
      const bool one_row = block_.y == 1 && block_.z == 1;
      const int in_a_row = one_row ? full_ : block_.x / lanes_;
      x = {in_a_row, 1, lanes_};
      if (!one_row) y = {block_.y, in_a_row, 1}, z = {block_.z, in_a_row * block_.y, 1};
    } else if (shape_ == shape::whole_rows) {
      const int rows = lanes_ / block_.x, in_a_plane = block_.z == 1 ? full_ : block_.y / rows;
      y = {in_a_plane, 1, rows};
      z = {block_.z, in_a_plane, 1};
    } else if (shape_ == shape::whole_planes) {
      z = {full_, 1, lanes_ / (block_.x * block_.y)};
    } else if (shape_ == shape::in_turn) {
      const int in_a_plane = block_.z == 1 ? full_ : block_.x * block_.y / lanes_;
      y = {(in_a_plane - number - 1) / period_ + 1, period_, period_ * lanes_ / block_.x};
      z = {block_.z, in_a_plane, 1};
    }
    return result;
  }

 private:
  enum class shape : unsigned char { within_rows, whole_rows, whole_planes, in_turn, each_its_own };

  BANKMODEL_FN static long long checked_threads(const machine& m, const block_dim& block) {
    if (block.x < 1 || block.y < 1 || block.z < 1)
      rule::the_block_must_have_threads(block.x, block.y, block.z);
    const long long threads = checked_multiply(static_cast<long long>(block.x) * block.y, block.z);
    const int limit = m.limits.threads_per_block != 0 ? m.limits.threads_per_block : 1 << 20;
    if (threads > limit) rule::the_block_must_fit_the_machine(threads, limit);
    return threads;
  }

  block_dim block_;
  int lanes_;
  long long threads_ = 0;
  int full_ = 0;    // warps without an inactive lane
  int rest_ = 0;    // lanes of the last warp, if it is not full
  int period_ = 1;  // groups of them
  shape shape_ = shape::within_rows;
};

}  // namespace detail
}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
