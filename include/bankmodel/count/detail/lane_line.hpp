// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_LANE_LINE_HPP
#define BANKMODEL_COUNT_DETAIL_LANE_LINE_HPP

#include <bankmodel/model/line_degree.hpp>
#include <bankmodel/model/service.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The passes of requests whose lanes are in equal steps, without evaluating each lane.
namespace bankmodel::detail {

// The degree of neighbouring lanes that are `stride` bytes apart.
class lane_line {
 public:
  // `rules`: how a machine serves accesses of `bytes` bytes, and in which banks.
  BANKMODEL_FN lane_line(const service& rules, const geometry& banks, int bytes)
      : banks_(banks), bytes_(bytes) {
    const bool mixed = bytes < banks.N && (banks.N < banks.W || banks.N > 16 * bytes);
    usable_ =
        rules.is_plain() && rules.phases.bits() == 0 && bytes <= banks.W && bytes != 12 && !mixed;
  }

  // True if a request is one phase whose lanes can be described by a stride. passes() requires it.
  BANKMODEL_FN bool usable() const { return usable_; }

  // Sets the stride. Requires: it is a multiple of the bytes that a lane touches.
  BANKMODEL_FN void set_stride(long long bytes) {
    negative_ = bytes < 0;
    stride_ = negative_ ? -bytes : bytes;
  }

  // Returns the passes of `lanes` lanes if they are the same at every base, 0 if they may differ.
  BANKMODEL_FN int passes_everywhere(int lanes) const {
    if (!usable_) return 0;
    if ((stride_ & (banks_.N - 1)) == 0) return degree_everywhere(banks_, stride_, lanes);
    if (lanes == 1) return 1;
    if (banks_.N != 2 * bytes_) return 0;
    const int first = passes(0, lanes);
    return passes(bytes_, lanes) == first ? first : 0;
  }

  // Returns the passes of `lanes` lanes, the first of them at `base`. Requires: it is a multiple of
  // the bytes that a lane touches.
  BANKMODEL_FN int passes(long long base, int lanes) const {
    return degree_of_line(banks_, negative_ ? base - stride_ * (lanes - 1) : base, stride_, lanes);
  }

 private:
  geometry banks_;
  int bytes_;
  bool usable_ = false, negative_ = false;
  long long stride_ = 0;
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
