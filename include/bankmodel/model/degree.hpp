// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MODEL_DEGREE_HPP
#define BANKMODEL_MODEL_DEGREE_HPP

#include <bankmodel/model/geometry.hpp>
#include <bankmodel/model/pattern.hpp>
#include <bankmodel/model/wavefronts.hpp>

// The degree of one warp's strided access (dissertation, 4.3, 4.4 and appendix A), equal to
// counting everywhere.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void lanes_must_be_1_to_256(long long lanes) {
  detail::fail(__func__, "an access of % lanes; use 1 to 256, or leave .lanes out for one a bank",
               lanes);
}
[[noreturn]] BANKMODEL_FN void strides_and_offsets_must_lie_within_2_to_the_40(long long stride,
                                                                               long long offset) {
  detail::fail(__func__,
               "a stride of % or an offset of % elements; shared memory is far smaller, use the "
               "offset modulo a layer",
               stride, offset);
}
}  // namespace rule

namespace detail {

BANKMODEL_FN void require_small(long long stride, long long offset) {
  constexpr std::uint64_t limit = 1ull << 40;
  if (static_cast<std::uint64_t>(stride) + limit > 2 * limit ||
      static_cast<std::uint64_t>(offset) + limit > 2 * limit)
    rule::strides_and_offsets_must_lie_within_2_to_the_40(stride, offset);
}

// Lanes whose items are `stride` (> 0) apart, where item e lies in bank e mod `banks` and layer e
// / `items_in_layer`, both powers of two: the most layers that such lanes touch in one bank.
//
// Lanes p = banks / gcd(stride, banks) apart share a bank, p * stride items apart. Where that is a
// layer or more each has a layer of its own. Where it is less, the lanes of a bank touch every
// layer from their first to their last. The worst bank is then among those with the most lanes,
// [0, full): the one whose first lane lies deepest in its layer. The first lanes are less than p *
// stride apart, so that is the last of them before they pass the end of a layer, and a bank with
// one lane fewer, though it may begin deeper, ends before that one does.
class lane_steps {
 public:
  BANKMODEL_FN lane_steps() {}
  BANKMODEL_FN lane_steps(long long stride, long long banks, long long items_in_layer)
      : stride_(stride), row_(banks), items_(items_in_layer) {
    const long long lowest_bit = stride & -stride;
    const long long common = lowest_bit < banks ? lowest_bit : banks;
    period_bits_ = trailing_zeros(static_cast<std::uint64_t>(banks)) -
                   trailing_zeros(static_cast<std::uint64_t>(common));
    step_ = stride << period_bits_;
  }

  // Lanes in the fullest bank.
  BANKMODEL_FN long long most(long long lanes) const {
    return (lanes + (1ll << period_bits_) - 1) >> period_bits_;
  }
  // Whether the degree is the same wherever they begin: also where the lanes of a bank end as deep
  // in a layer as they began.
  BANKMODEL_FN bool same_everywhere(long long lanes) const {
    return step_ >= items_ || (((most(lanes) - 1) * step_) & (items_ - 1)) == 0;
  }

  BANKMODEL_FN long long degree(long long first, long long lanes) const {
    const long long most_lanes = most(lanes);
    if (most_lanes == 1 || step_ >= items_) return most_lanes;
    const int layer_bits = trailing_zeros(static_cast<std::uint64_t>(items_));
    const long long full = lanes - ((most_lanes - 1) << period_bits_);
    const long long depth = first & (items_ - 1);
    const long long last = depth + stride_ * (full - 1);
    // A stride of at most a row: how deep exactly makes no difference, since all that is added is
    // whole rows.
    const long long deepest = last < items_     ? last
                              : stride_ <= row_ ? items_ - 1
                                                : depth + (items_ - 1 - depth) / stride_ * stride_;
    return 1 + ((deepest + (most_lanes - 1) * step_) >> layer_bits);
  }

 private:
  long long stride_ = 1, row_ = 1, items_ = 1, step_ = 1;
  int period_bits_ = 0;
};

// The same for elements that share words of `share` elements, where a word is a layer of its bank
// (N = W) and `stride` is positive and no multiple of `share`.
//
// A stride below `share` skips no word. Otherwise every lane has a word of its own, and lanes
// `apart` apart move by the same odd number of words: `apart` progressions with one odd stride. In
// units of that stride each is an interval of banks, and the degree is the most intervals over one
// bank, found where one of them starts.
BANKMODEL_FN long long shared_word_degree(long long first, long long stride, long long lanes,
                                          long long banks, long long share) {
  const int share_bits = trailing_zeros(static_cast<std::uint64_t>(share));
  const int bank_bits = trailing_zeros(static_cast<std::uint64_t>(banks));
  const auto word = [=](long long lane) { return (first + stride * lane) >> share_bits; };
  if (stride < share) return (word(lanes - 1) - word(0) + banks) >> bank_bits;

  const long long apart = share / (stride & -stride);
  const long long odd = stride / (stride & -stride);
  // of `odd` modulo 2^64 and so modulo banks: each step doubles the bits that are right
  long long inverse = odd;
  for (int bits = 3; bits < bank_bits; bits *= 2)
    inverse = static_cast<long long>(
        static_cast<std::uint64_t>(inverse) *
        (2 - static_cast<std::uint64_t>(odd) * static_cast<std::uint64_t>(inverse)));
  const auto start = [=](long long lane) {
    return static_cast<long long>(static_cast<std::uint64_t>(word(lane)) *
                                  static_cast<std::uint64_t>(inverse)) &
           (banks - 1);
  };
  long long worst = 0;
  for (long long at = 0; at < apart && at < lanes; ++at) {
    const long long bank = start(at);
    long long covering = 0;
    for (long long other = 0; other < apart && other < lanes; ++other) {
      const long long length = (lanes - other + apart - 1) / apart;
      covering += (length - 1 - ((bank - start(other)) & (banks - 1)) + banks) >> bank_bits;
    }
    if (covering > worst) worst = covering;
  }
  return worst;
}

}  // namespace detail

// The degree of one phase: of `count` lanes that touch `bytes` bytes each from address[0 .. count)
// on, counted; 0 for none. g.M is not read: addresses 0, 128 and 256 on {32, 4, 4, 4} are 3-way.
BANKMODEL_FN int phase_degree(const geometry& g, const long long* address, int count, int bytes) {
  g.require_valid();
  int layers[256];
  return detail::count_layers(g, address, count, bytes, layers);
}

// The n of the n-way conflict of one warp: the most layers that its lanes touch in one bank; 1 is
// no conflict.
//   g       the geometry; a.stride and a.offset are in elements of g.M bytes
//   a.lanes 1 to 256, 0 for g.bank_num; |a.stride| and |a.offset| up to 2^40
// In constant time but where M < N < W (mapping::mixed), which is counted.
// degree(bank_geometry<32, 4, 4, 4>{}, access_1d{.stride = 12}) == 4, the gcd of stride and banks.
BANKMODEL_FN int degree(const geometry& g, const access_1d& a) {
  g.require_valid();
  detail::require_small(a.stride, a.offset);
  const int lanes = a.lanes == 0 ? g.bank_num : a.lanes;
  if (lanes < 1 || lanes > 256) rule::lanes_must_be_1_to_256(lanes);
  if (a.stride == 0) return 1;
  // The same elements in the other order have the same degree.
  const long long first = a.stride > 0 ? a.offset : a.offset + a.stride * (lanes - 1);
  const long long stride = a.stride > 0 ? a.stride : -a.stride;

  // Shifts instead of divisions, which would be most of the time.
  const int element_bits = detail::trailing_zeros(static_cast<std::uint64_t>(g.M));
  const long long layer_elements = static_cast<long long>(g.bank_num) * g.W >> element_bits;
  if (g.M >= g.N) {
    const long long row_elements = static_cast<long long>(g.bank_num) * g.N >> element_bits;
    return static_cast<int>(
        detail::lane_steps(stride, row_elements > 0 ? row_elements : 1, layer_elements)
            .degree(first, lanes));
  }
  const long long share = g.N >> element_bits;  // elements of a word
  if ((stride & (share - 1)) == 0) {
    const int share_bits = detail::trailing_zeros(static_cast<std::uint64_t>(share));
    return static_cast<int>(
        detail::lane_steps(stride >> share_bits, g.bank_num, layer_elements >> share_bits)
            .degree(first >> share_bits, lanes));
  }
  if (g.N == g.W)
    return static_cast<int>(detail::shared_word_degree(first, stride, lanes, g.bank_num, share));

  long long address[256];
  for (int lane = 0; lane < lanes; ++lane) address[lane] = (first + stride * lane) * g.M;
  return phase_degree(g, address, lanes, g.M);
}

// The same for a 2D warp of repeat_x * repeat_y lanes, 1 to 256 together. In constant time where
// its lanes are one progression (a row, a column, rows that continue each other), else counted
// once a lane. degree(bank_geometry<32, 4, 4, 4>{}, access_2d{.stride_x = 1, .repeat_x = 16,
// .stride_y = 24, .repeat_y = 2}) == 2.
BANKMODEL_FN int degree(const geometry& g, const access_2d& a) {
  g.require_valid();
  detail::require_small(a.stride_x, a.offset);
  detail::require_small(a.stride_y, a.offset);
  if (a.repeat_x < 1 || a.repeat_x > 256) rule::lanes_must_be_1_to_256(a.repeat_x);
  if (a.repeat_y < 1 || a.repeat_y > 256 / a.repeat_x)
    rule::lanes_must_be_1_to_256(static_cast<long long>(a.repeat_x) * a.repeat_y);
  const int lanes = a.repeat_x * a.repeat_y;
  if (a.repeat_y == 1 || a.stride_y == 0)
    return degree(g, access_1d{a.stride_x, a.offset, a.repeat_x});
  if (a.repeat_x == 1 || a.stride_x == 0)
    return degree(g, access_1d{a.stride_y, a.offset, a.repeat_y});
  if (a.stride_y == a.stride_x * a.repeat_x)
    return degree(g, access_1d{a.stride_x, a.offset, lanes});

  long long address[256];
  for (int y = 0; y < a.repeat_y; ++y)
    for (int x = 0; x < a.repeat_x; ++x)
      address[x + a.repeat_x * y] = (a.offset + a.stride_x * x + a.stride_y * y) * g.M;
  return phase_degree(g, address, lanes, g.M);
}

}  // namespace bankmodel

#endif
