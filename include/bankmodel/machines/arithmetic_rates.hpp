// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MACHINES_ARITHMETIC_RATES_HPP
#define BANKMODEL_MACHINES_ARITHMETIC_RATES_HPP

#include <bankmodel/core/arithmetic.hpp>
#include <bankmodel/machines/sources.hpp>

#include <bankmodel/core/hide_macros.hpp>

// How much a multiprocessor issues and computes in a cycle, beside its memories: whether conflicts
// cost time depends on what else takes as long.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void the_rate_must_be_known(long long rate) {
  detail::fail(__func__,
               "a rate of % in a cycle; arithmetic_rates_of() knows NVIDIA's since 7.0, for others "
               "make one: arithmetic_rate{.per_cycle = 128}",
               rate);
}
}  // namespace rule

struct arithmetic_rate {
  int per_cycle = 0;  // of a multiprocessor; 0: not known
  confidence sure = confidence::low;
  source from = source::own;

  BANKMODEL_FN bool is_known() const { return per_cycle > 0; }

  // Returns the fewest cycles in which a multiprocessor does `count` of these (lanes, multiply-adds
  // or instructions, as arithmetic_rates says). Error: the rate is not known.
  // Example: 1,000 instructions of 32 lanes that multiply floats, 128 lanes in a cycle:
  //
  //   static_assert(arithmetic_rates_of(nvidia::sm_90).floats.cycles_of(1000 * 32) == 250);
  BANKMODEL_FN std::uint64_t cycles_of(std::uint64_t count) const {
    if (!is_known()) rule::the_rate_must_be_known(per_cycle);
    const auto rate = static_cast<std::uint64_t>(per_cycle);
    return count / rate + (count % rate != 0 ? 1 : 0);
  }
};

struct arithmetic_rates {
  // Lanes that add or multiply numbers of 32 and of 64 bits, or do both in one instruction; lanes
  // that are not active take as long.
  arithmetic_rate floats = {}, doubles = {};
  arithmetic_rate special_functions = {};  // lanes: 2^x, logarithms, sine, reciprocal square roots
  // Multiply-adds of numbers of 16 bits in matrices, without structured zeros. Those of 8 bits are
  // twice as many, of 32 bits (TF32) half as many.
  arithmetic_rate matrix_products = {};
  arithmetic_rate instructions = {};  // of warps, whatever they do
};

namespace detail {

struct rates_of_model {
  int model;  // as machine::model
  int floats, doubles, special_functions, matrix_products;
};

// Floats by the CUDA Programming Guide's throughput of native arithmetic instructions, doubles and
// matrices by the whitepapers: 32 or 64 units for doubles in data centers' GPUs and 2 in others;
// tensor cores multiply 64 (7.x), 128 (8.6, 8.9, 12.0), 256 (8.0), 512 (9.0) pairs each. Those of
// 10.0 are what 2,250 TFLOPS of a B200 are for each of 148 multiprocessors.
constexpr rates_of_model nvidia_arithmetic[] = {
    {70, 64, 32, 16, 512},    {72, 64, 0, 16, 512}, {75, 64, 2, 16, 512},  {80, 64, 32, 16, 1024},
    {86, 128, 2, 16, 512},    {87, 128, 0, 16, 0},  {89, 128, 2, 16, 512}, {90, 128, 64, 16, 2048},
    {100, 128, 64, 16, 4096}, {103, 128, 0, 0, 0},  {110, 128, 0, 0, 0},   {120, 128, 2, 16, 512},
    {121, 128, 0, 16, 0}};

}  // namespace detail

// Returns the rates of a machine of the library's records, for NVIDIA since 7.0; of other machines
// none is known. Since then each of four schedulers issues an instruction in a cycle.
//
//   static_assert(arithmetic_rates_of(nvidia::sm_80).floats.per_cycle == 64);
//   static_assert(arithmetic_rates_of(nvidia::sm_80).matrix_products.per_cycle == 1024);
//   static_assert(!arithmetic_rates_of(amd::gfx942).floats.is_known());
BANKMODEL_FN arithmetic_rates arithmetic_rates_of(const machine& m) {
  if (!detail::same(m.made_by, vendor::nvidia)) return {};
  constexpr int issued = 4;
  for (const detail::rates_of_model& entry : detail::nvidia_arithmetic)
    if (entry.model == m.model)
      return {{entry.floats, confidence::medium, sources::guide_13},
              {entry.doubles, confidence::medium, sources::whitepapers},
              {entry.special_functions, confidence::medium, sources::guide_13},
              {entry.matrix_products, confidence::medium, sources::whitepapers},
              {issued, confidence::high, sources::guide_13}};
  return {};
}

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
