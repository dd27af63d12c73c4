// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MODEL_DEGREE_HPP
#define BANKMODEL_MODEL_DEGREE_HPP

#include <bankmodel/model/geometry.hpp>
#include <bankmodel/model/pattern.hpp>
#include <bankmodel/model/wavefronts.hpp>

// The degree of one warp's strided access in closed form (dissertation, 4.3, 4.4 and appendix
// A). Equal to counting for every valid input.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void lanes_must_be_1_to_256(long long lanes) {
  detail::fail(__func__,
               "the access has % lanes; use 1 to 256, or leave .lanes out for one lane per bank",
               lanes);
}
[[noreturn]] BANKMODEL_FN void strides_and_offsets_must_lie_within_2_to_the_40(long long stride,
                                                                               long long offset) {
  detail::fail(__func__,
               "a stride of % or an offset of % elements exceeds 2^40; shared memory is far "
               "smaller, use the offset modulo a layer of all banks",
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

// The degree of lanes whose items are `stride` (> 0) apart, if item e is in bank e mod `banks`
// and layer e / `items_in_layer`; both are powers of two.
//
// Lanes p = banks / gcd(stride, banks) apart share a bank, and their items are p * stride
// apart. If that is a layer or more, each of these lanes is in a layer of its own. If it is
// less, the lanes of a bank touch every layer from their first to their last. The worst bank is
// then among those with the most lanes, [0, full): the one whose first lane is deepest in its
// layer. The first lanes are less than p * stride apart, so that is the last of them before
// they pass the end of a layer. A bank with one lane fewer ends before that one does, even if
// it begins deeper.
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

  // The number of lanes in the fullest bank.
  BANKMODEL_FN long long most(long long lanes) const {
    return (lanes + (1ll << period_bits_) - 1) >> period_bits_;
  }
  // True if the degree does not depend on the first item: also if the lanes of a bank end at
  // the depth in a layer at which they began.
  BANKMODEL_FN bool same_everywhere(long long lanes) const {
    return step_ >= items_ || (((most(lanes) - 1) * step_) & (items_ - 1)) == 0;
  }

  // The degree of `lanes` lanes from item `first` on.
  BANKMODEL_FN long long degree(long long first, long long lanes) const {
    const long long most_lanes = most(lanes);
    if (most_lanes == 1 || step_ >= items_) return most_lanes;
    const int layer_bits = trailing_zeros(static_cast<std::uint64_t>(items_));
    const long long full = lanes - ((most_lanes - 1) << period_bits_);
    const long long depth = first & (items_ - 1);
    const long long last = depth + stride_ * (full - 1);
    // For a stride of at most a row the exact depth does not matter: only whole rows are added
    // to it.
    const long long deepest = last < items_     ? last
                              : stride_ <= row_ ? items_ - 1
                                                : depth + (items_ - 1 - depth) / stride_ * stride_;
    return 1 + ((deepest + (most_lanes - 1) * step_) >> layer_bits);
  }

 private:
  long long stride_ = 1, row_ = 1, items_ = 1, step_ = 1;
  int period_bits_ = 0;
};

// The degree if elements share words of `share` elements, and a word is a whole layer of its
// bank (N = W).
// Requires: `stride` is positive and not a multiple of `share`.
//
// A stride below `share` skips no word. If it is above, every lane has a word of its own, and
// lanes `apart` apart move by the same odd number of words: `apart` progressions with one odd
// stride. In units of that stride each progression is an interval of banks. The degree is the
// largest number of intervals over one bank, which occurs at the start of one of them.
BANKMODEL_FN long long shared_word_degree(long long first, long long stride, long long lanes,
                                          long long banks, long long share) {
  const int share_bits = trailing_zeros(static_cast<std::uint64_t>(share));
  const int bank_bits = trailing_zeros(static_cast<std::uint64_t>(banks));
  if (stride < share)
    return (((first + stride * (lanes - 1)) >> share_bits) - (first >> share_bits) + banks) >>
           bank_bits;

  const long long apart = share / (stride & -stride);
  const long long odd = stride / (stride & -stride);
  // Modulo 2^64, so modulo banks too: each step doubles the correct bits.
  long long inverse = odd;
  for (int bits = 3; bits < bank_bits; bits *= 2)
    inverse = static_cast<long long>(
        static_cast<std::uint64_t>(inverse) *
        (2 - static_cast<std::uint64_t>(odd) * static_cast<std::uint64_t>(inverse)));
  const auto start_of = [=](long long lane) {
    const auto word = static_cast<std::uint64_t>((first + stride * lane) >> share_bits);
    return static_cast<long long>(word * static_cast<std::uint64_t>(inverse)) & (banks - 1);
  };
  long long worst = 0;
  for (long long at = 0; at < apart && at < lanes; ++at) {
    const long long bank = start_of(at);
    long long covering = 0;
    for (long long other = 0; other < apart && other < lanes; ++other) {
      const long long length = (lanes - other + apart - 1) / apart;
      covering += (length - 1 - ((bank - start_of(other)) & (banks - 1)) + banks) >> bank_bits;
    }
    if (covering > worst) worst = covering;
  }
  return worst;
}

}  // namespace detail

// Returns the degree of one phase, by counting: the most distinct layers that `count` lanes
// touch in one bank, if lane k touches `bytes` bytes from byte address[k]. 0 for no lanes. g.M
// is not read.
// Error: `g` is not a valid geometry.
// Example: addresses 0, 128 and 256 of 4 bytes in {32, 4, 4, 4}: 3.
BANKMODEL_FN int phase_degree(const geometry& g, const long long* address, int count, int bytes) {
  g.require_valid();
  int layers[256];
  return detail::count_layers(g, address, count, bytes, layers);
}

namespace detail {

// The number of lanes of a pattern on that geometry.
BANKMODEL_FN int lanes_of(const geometry& g, const access_1d& a) {
  require_small(a.stride, a.offset);
  const int lanes = a.lanes == 0 ? g.bank_num : a.lanes;
  if (static_cast<unsigned>(lanes) - 1 >= 256) rule::lanes_must_be_1_to_256(lanes);
  return lanes;
}

// degree() on any geometry.
BANKMODEL_FN int degree_of_any_mapping(const geometry& g, const access_1d& a) {
  g.require_valid();
  const int lanes = lanes_of(g, a);
  if (a.stride == 0) return 1;
  // The same elements in reverse order have the same degree.
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

}  // namespace detail

// Returns the degree of one warp's strided access: the n of its n-way conflict, 1 without a
// conflict.
//
//   g         the geometry; a.stride and a.offset are in elements of g.M bytes
//   a.lanes   1 to 256; 0 means g.bank_num
//   a.stride, a.offset   at most 2^40 in absolute value
//
// Error: `g` is not a valid geometry; a.lanes, a.stride or a.offset is out of range.
// Complexity: constant, except that M < N < W (mapping::mixed) is counted.
// Source: dissertation, 4.3, 4.4 and appendix A.
// Example: degree(bank_geometry<32, 4, 4, 4>{}, access_1d{.stride = 12}) == 4, which is
// gcd(12, 32).
BANKMODEL_FN int degree(const geometry& g, const access_1d& a) {
  const auto banks = static_cast<unsigned>(g.bank_num), width = static_cast<unsigned>(g.W);
  const bool powers = ((banks & (banks - 1)) | (width & (width - 1))) == 0;
  if (g.N != g.W || g.M != g.W || !powers || banks - 1 >= 256 || width - 1 >= 1024)
    return detail::degree_of_any_mapping(g, a);

  // The conventional mapping: lanes that share a bank never share a layer.
  const int lanes = detail::lanes_of(g, a);
  if (a.stride == 0) return 1;
  const auto stride = static_cast<std::uint64_t>(a.stride);
  const int period_bits = detail::trailing_zeros(banks) - detail::trailing_zeros(stride | banks);
  return (lanes + (1 << period_bits) - 1) >> period_bits;
}

// Returns the degree of a two-dimensional warp of repeat_x * repeat_y lanes.
// Error: `g` is not a valid geometry; the lanes are not 1 to 256; a stride or the offset
// exceeds 2^40.
// Complexity: constant if the lanes form one progression (a row, a column, rows that continue
// each other); counted otherwise.
// Example: degree(bank_geometry<32, 4, 4, 4>{}, access_2d{.stride_x = 1, .repeat_x = 16,
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
