// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MODEL_PROGRESSION_HPP
#define BANKMODEL_MODEL_PROGRESSION_HPP

#include <bankmodel/model/cost.hpp>
#include <bankmodel/model/line_degree.hpp>
#include <bankmodel/model/request.hpp>

#include <bankmodel/core/hide_macros.hpp>

// Prices a request with a constant stride from lane to lane in closed form: the numbers of
// wavefronts.hpp, faster, for a whole warp in phases of neighbouring lanes.
namespace bankmodel::detail {

// Modulo 2^64.
BANKMODEL_FN std::uint64_t difference(long long a, long long b) {
  return static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b);
}

// True if each of 32 addresses is `step` above the one two lanes before, modulo 2^64. (Compilers
// compare two at once; two halves in one loop take fewer instructions.)
BANKMODEL_FN bool is_progression(const long long* address, std::uint64_t step) {
  std::uint64_t wrong =
      (difference(address[16], address[14]) ^ step) | (difference(address[17], address[15]) ^ step);
  for (int lane = 0; lane < 14; ++lane)
    wrong |= (difference(address[lane + 2], address[lane]) ^ step) |
             (difference(address[lane + 18], address[lane + 16]) ^ step);
  return wrong == 0;
}

// True if all lanes of a warp of 32 or 64 are active, with a constant stride. False if an address
// is negative or so large that a sum may overflow.
BANKMODEL_FN bool has_stride(const request& r, int lanes) {
  const long long first = r.address[0], second = r.address[1], last = r.address[lanes - 1];
  if (r.active != ~std::uint64_t{0} >> (max_lanes - lanes) || lanes < 32 ||
      (first | second) >> 40 != 0 || last < 0 || last != first + (lanes - 1) * (second - first))
    return false;
  const std::uint64_t step = 2 * difference(second, first);
  return is_progression(r.address, step) &&
         (lanes == 32 || (difference(r.address[32], r.address[30]) == step &&
                          is_progression(r.address + 32, step)));
}

// Sets `result` to the cost of that request on `m`. Returns false if there is no closed form, or
// if the request is invalid, which total() reports.
// Requires: the machine has such accesses.
BANKMODEL_FN bool cost_of_progression(const machine& m, const service& rules, const request& r,
                                      cost& result) {
  const geometry banks{rules.bank_num, rules.W, rules.N, 1};
  const int bytes = r.bytes, bits = rules.phases.bits(), in_phase = m.lanes >> bits;
  if (!rules.is_plain() || (bits > 0 && rules.phases.parity_0 != in_phase) ||
      (bits > 1 && rules.phases.parity_1 != 2 * in_phase) ||
      (bits > 2 && rules.phases.parity_2 != 4 * in_phase) || !banks.is_valid() || bytes == 12 ||
      (bytes > banks.W && bytes > banks.bank_num * banks.N) || !has_stride(r, m.lanes))
    return false;
  const long long signed_stride = r.address[1] - r.address[0],
                  stride = signed_stride < 0 ? -signed_stride : signed_stride;
  if (((r.address[0] | stride) & (bytes - 1)) != 0) return false;
  int degree = (stride & (banks.N - 1)) == 0 ? degree_everywhere(banks, stride, in_phase) : 0;
  // Several phases may differ where the degree depends on their first lane, and may merge if all
  // lanes have one address.
  if (bits > 0 && stride == 0) return false;
  if (degree == 0 && bits == 0)
    degree = degree_of_line(banks, r.address[signed_stride < 0 ? m.lanes - 1 : 0], stride, m.lanes);
  const std::uint64_t unit = 1;
  result = {unit, static_cast<std::uint64_t>(degree) << bits, unit << bits, degree,
            method::each_request};
  return degree != 0;
}

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
