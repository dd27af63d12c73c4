// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MODEL_PROGRESSION_HPP
#define BANKMODEL_MODEL_PROGRESSION_HPP

#include <bankmodel/model/cost.hpp>
#include <bankmodel/model/request.hpp>

// Prices a request with a constant stride from lane to lane in closed form: the numbers of
// wavefronts.hpp, faster, for a whole warp in phases of neighbouring lanes on machines with W = N.
namespace bankmodel::detail {

// True if each address is `step` above the one two lanes before, modulo 2^64. (Compilers compare
// two at once.)
template <int Lanes>
BANKMODEL_FN bool is_progression(const long long* address, std::uint64_t step) {
  std::uint64_t difference = 0;
  for (int lane = 2; lane < Lanes; ++lane)
    difference |= (static_cast<std::uint64_t>(address[lane]) -
                   static_cast<std::uint64_t>(address[lane - 2])) ^
                  step;
  return difference == 0;
}

// The stride in bytes between the lanes of a warp of 32 or 64. 0 if it is not constant, if a lane
// is not active, if all lanes have one address (then phases may merge), or if an address is
// negative or so large that a sum may overflow.
BANKMODEL_FN long long stride_of(const request& r, int lanes) {
  constexpr std::uint64_t limit = std::uint64_t{1} << 40;
  if (r.active != ~std::uint64_t{0} >> (max_lanes - lanes)) return 0;
  const auto first = static_cast<std::uint64_t>(r.address[0]),
             second = static_cast<std::uint64_t>(r.address[1]);
  if (first >= limit || second >= limit) return 0;
  const long long stride = r.address[1] - r.address[0];
  if (r.address[2] != r.address[1] + stride || r.address[0] + (lanes - 1) * stride < 0) return 0;
  const std::uint64_t step = 2 * (second - first);
  const bool found = lanes == 32 ? is_progression<32>(r.address, step)
                                 : lanes == 64 && is_progression<64>(r.address, step);
  return found ? stride : 0;
}

// Sets `result` to the cost of that request on `m`. Returns false if there is no closed form, or
// if the request is invalid, which total() reports.
// Requires: the machine has such accesses.
//
// A layer consists of `columns` elements of `bytes` bytes, N or more. The lanes that touch one
// column are columns / gcd(stride, columns) apart, and each of them has a layer of its own.
BANKMODEL_FN bool cost_of_progression(const machine& m, const service& how, const request& r,
                                      cost& result) {
  const int bank_num = how.bank_num, N = how.N, bytes = r.bytes;
  const bool powers = ((bank_num & (bank_num - 1)) | (N & (N - 1)) | (bytes & (bytes - 1))) == 0;
  if (how.W != N || bytes < N || !powers || bank_num > 256 || N < 1 || bank_num * N < bytes ||
      !how.is_plain())
    return false;
  const long long stride = stride_of(r, m.lanes);
  if (stride == 0 || ((r.address[0] | stride) & (bytes - 1)) != 0) return false;

  const int bits = how.phases.bits(),
            in_phase = m.lanes >> bits;  // neighbours, if each bit is one of the lane's number
  if (bits > 0 && how.phases.parity_0 != in_phase) return false;
  if (bits > 1 && how.phases.parity_1 != 2 * in_phase) return false;
  if (bits > 2 && how.phases.parity_2 != 4 * in_phase) return false;

  const int element_bits = trailing_zeros(static_cast<std::uint64_t>(bytes));
  const auto columns = static_cast<std::uint64_t>(bank_num * N >> element_bits);
  const int period_bits =
      trailing_zeros(columns) -
      trailing_zeros(static_cast<std::uint64_t>(stride >> element_bits) | columns);
  result.requests = 1;
  result.degree = (in_phase + (1 << period_bits) - 1) >> period_bits;
  result.wavefronts = static_cast<std::uint64_t>(result.degree) << bits;
  result.ideal = std::uint64_t{1} << bits;
  result.method = method::each_request;
  return true;
}

}  // namespace bankmodel::detail

#endif
