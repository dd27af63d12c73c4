// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_PADDINGS_HPP
#define BANKMODEL_SEARCH_DETAIL_PADDINGS_HPP

#include <bankmodel/search/detail/spread_coordinates.hpp>

// The paddings of one array, in the order of their bytes; in one dimension, first those after the
// kernel's own rows.
//
// Why less than a layer of all banks per row is enough: rows that move apart by a whole layer
// stay in their banks. Elements that were in different layers of a bank do not get into the
// same one, because later rows only move further away from earlier ones. So a padding is
// never better than its remainder modulo a layer. The same holds between intervals, which may
// be any power of two: a stride of 2^s needs one of 2^s.
namespace bankmodel::detail {

// Trivial: hundreds that are not set cost nothing in a constant expression.
struct padding_choice {
  int elements[max_rank - 1];  // additional elements after each coordinate of each dimension
  int interval;                // one dimension: elements[0] after each `interval`; 0: none
};

BANKMODEL_FN layout padded_as(const layout& declared, const padding_choice& choice) {
  if (choice.interval != 0) return declared.padded_every(choice.interval, choice.elements[0]);
  layout result = declared;
  for (int d = declared.rank - 2; d >= 0; --d)
    if (choice.elements[d] != 0)
      result = result.padded(declared.padding(d) + choice.elements[d], d);
  return result;
}

// The strides of an array with a padding; with intervals, of rows that are one interval each.
// Requires: no stride overflows.
struct padded_strides {
  element_strides rows;
  long long size;    // elements, as layout::required_size()
  bool is_declared;  // without padding

  BANKMODEL_FN padded_strides(const layout& declared, const padding_choice& choice)
      : rows(strides_of(declared)), is_declared(choice.interval == 0) {
    if (choice.interval != 0) {
      rows = {2, {choice.interval + choice.elements[0], 1}};
      size = declared.extent[0] + (declared.extent[0] - 1) / choice.interval * choice.elements[0];
      return;
    }
    for (int d = max_rank - 2; d >= 0; --d) {
      if (d > rows.rank - 2) continue;
      rows.stride[d] = declared.stride[d] + choice.elements[d] +
                       declared.extent[d + 1] * (rows.stride[d + 1] - declared.stride[d + 1]);
      is_declared = is_declared && choice.elements[d] == 0;
    }
    size = declared.extent[0] * rows.stride[0];
  }
};

class paddings {
 public:
  // Paddings are multiples of `unit` elements below `layer`; strides of rows are multiples of
  // `stride` elements. `first`: the sum of the intervals that are tried first in one dimension.
  BANKMODEL_FN paddings(const layout& declared, int unit, long long layer, long long stride,
                        unsigned first)
      : declared_(declared),
        unit_(unit),
        layer_(layer < maximum ? layer : maximum),
        stride_(stride),
        first_(first),
        step_(stride / greatest_common_divisor(stride, unit) * unit) {}

  // Calls visit(choice) for each padding until it returns false.
  template <class Visit>
  BANKMODEL_FN void enumerate(Visit& visit) {
    if (declared_.rank == 1) {
      if (!visit(choice_)) return;
      if (first_ != 0) at_intervals(first_, visit);
      at_intervals(~first_, visit);
      return;
    }
    const long long last = largest_stride(0);
    for (long long stride = first_fitting(0, declared_.stride[0]); stride <= last;
         stride += step(0))
      if (!of_dimension(0, stride, visit)) return;
  }

 private:
  // True if any elements are a stride apart in that dimension.
  BANKMODEL_FN bool moves(int d) const { return declared_.extent[d] > 1; }
  BANKMODEL_FN long long step(int d) const { return moves(d) ? step_ : unit_; }

  // The first stride from this one on that keeps aligned accesses aligned; it may exceed all
  // that are tried.
  BANKMODEL_FN long long first_fitting(int d, long long minimum) const {
    const long long granularity = moves(d) ? stride_ : 1;
    long long stride = (minimum + granularity - 1) / granularity * granularity;
    for (int tries = 0; tries < unit_; ++tries, stride += granularity)
      if ((stride - declared_.stride[d]) % unit_ == 0) return stride;
    return int64_max / 2;
  }

  BANKMODEL_FN long long largest_stride(int d) const {
    const long long inner = d == declared_.rank - 2
                                ? declared_.extent[d + 1]
                                : checked_multiply(declared_.extent[d + 1], largest_stride(d + 1));
    return checked_add(inner, declared_.padding(d) + (moves(d) ? layer_ - 1 : 0));
  }

  // All paddings with this stride in dimension `d`, and the present choice for outer
  // dimensions.
  template <class Visit>
  BANKMODEL_FN bool of_dimension(int d, long long stride, Visit& visit) {
    const long long padding = declared_.padding(d), extent = declared_.extent[d + 1];
    const long long most_inside = (stride - padding) / extent;
    if (d == declared_.rank - 2 || d >= max_rank - 2)
      return !choose(d, stride - padding - extent) || visit(choice_);
    const long long least_inside = (stride - padding - layer_) / extent;
    const long long minimum =
        least_inside > declared_.stride[d + 1] ? least_inside : declared_.stride[d + 1];
    for (long long inside = first_fitting(d + 1, minimum); inside <= most_inside;
         inside += step(d + 1))
      if (choose(d, stride - padding - extent * inside) && !of_dimension(d + 1, inside, visit))
        return false;
    return true;
  }
  BANKMODEL_FN bool choose(int d, long long padding) {
    if (padding < 0 || padding >= layer_ || (padding != 0 && !moves(d))) return false;
    choice_.elements[d] = static_cast<int>(padding);
    return true;
  }

  // After every 2^b elements, the intervals in the set: for each b the next number of unused
  // elements, always the one with the fewest bytes next.
  template <class Visit>
  BANKMODEL_FN void at_intervals(unsigned intervals, Visit& visit) {
    int next[31] = {}, bits = 0;
    while (bits < 29 && (2ll << bits) < declared_.extent[0]) ++bits;
    for (;;) {
      int best = -1;
      long long fewest = 0;
      for (int b = bits; b >= 0 && 1 << b >= unit_; --b) {
        const long long padding = next[b] + unit_,
                        unused = ((declared_.extent[0] - 1) >> b) * padding;
        if (padding >= layer_ || (best >= 0 && unused >= fewest) || (intervals >> b & 1) == 0)
          continue;
        best = b;
        fewest = unused;
      }
      if (best < 0) return;
      choice_.interval = 1 << best;
      choice_.elements[0] = next[best] += unit_;
      if (!visit(choice_)) return;
    }
  }

  static constexpr long long maximum = 1 << 30;

  const layout& declared_;
  int unit_;
  long long layer_, stride_;
  unsigned first_;
  long long step_;
  padding_choice choice_ = {};
};

}  // namespace bankmodel::detail

#endif
