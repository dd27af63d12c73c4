// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_LANE_LINE_HPP
#define BANKMODEL_COUNT_DETAIL_LANE_LINE_HPP

#include <bankmodel/model/degree.hpp>

// The passes of requests whose lanes are in equal steps, without evaluating each lane.
namespace bankmodel::detail {

// The degree of neighbouring lanes that are `stride` bytes apart. Values that only depend on the
// stride are computed once.
class lane_line {
 public:
  // `how` a machine serves accesses of `bytes` bytes, and in which banks.
  BANKMODEL_FN lane_line(const service& how, const geometry& banks, int bytes) : banks_(banks) {
    banks_.M = bytes;
    const bool mixed = bytes < banks.N && banks.N < banks.W;
    usable_ = how.is_plain() && how.phases.bits() == 0 && bytes <= banks.W && bytes != 12 && !mixed;
  }

  // True if a request is one phase whose lanes can be described by a stride. passes() requires it.
  BANKMODEL_FN bool usable() const { return usable_; }

  // Sets the stride. Requires: it is a multiple of the bytes that a lane touches.
  BANKMODEL_FN void set_stride(long long bytes) {
    stride_ = bytes;
    if (!usable_ || bytes == 0) return;
    const long long item = banks_.M < banks_.N ? banks_.N : banks_.M,
                    apart = bytes < 0 ? -bytes : bytes;
    shares_words_ = (apart & (item - 1)) != 0;
    if (shares_words_) return;
    item_bits_ = trailing_zeros(static_cast<std::uint64_t>(item));
    const long long row = static_cast<long long>(banks_.bank_num) * banks_.N >> item_bits_;
    steps_ = lane_steps(apart >> item_bits_, row > 0 ? row : 1,
                        static_cast<long long>(banks_.bank_num) * banks_.W >> item_bits_);
  }

  // Returns the passes of `lanes` lanes if they are the same at every base, 0 if they may differ.
  BANKMODEL_FN int passes_everywhere(int lanes) const {
    if (!usable_) return 0;
    if (stride_ == 0 || lanes == 1) return 1;
    if (shares_words_ && banks_.N == 2 * banks_.M) {
      const int first = passes(0, lanes);
      return passes(banks_.M, lanes) == first ? first : 0;
    }
    return !shares_words_ && steps_.same_everywhere(lanes)
               ? static_cast<int>(steps_.degree(0, lanes))
               : 0;
  }

  // Returns the passes of `lanes` lanes, the first of them at `base`. Requires: it is a multiple of
  // the bytes that a lane touches.
  BANKMODEL_FN int passes(long long base, int lanes) const {
    if (stride_ == 0 || lanes == 1) return 1;
    const long long first = lowest(base, lanes);
    if (!shares_words_) return static_cast<int>(steps_.degree(first >> item_bits_, lanes));
    const int element_bits = trailing_zeros(static_cast<std::uint64_t>(banks_.M));
    return static_cast<int>(shared_word_degree(first >> element_bits,
                                               (stride_ > 0 ? stride_ : -stride_) >> element_bits,
                                               lanes, banks_.bank_num, banks_.N >> element_bits));
  }

 private:
  BANKMODEL_FN long long lowest(long long base, int lanes) const {
    return stride_ > 0 ? base : base + stride_ * (lanes - 1);
  }

  geometry banks_;
  bool usable_ = false, shares_words_ = false;
  int item_bits_ = 0;
  long long stride_ = 0;
  lane_steps steps_;
};

}  // namespace bankmodel::detail

#endif
