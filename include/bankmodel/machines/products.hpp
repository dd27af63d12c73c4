// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MACHINES_PRODUCTS_HPP
#define BANKMODEL_MACHINES_PRODUCTS_HPP

#include <bankmodel/core/arithmetic.hpp>
#include <bankmodel/machines/sources.hpp>

#include <bankmodel/core/hide_macros.hpp>

// Products: what a machine's record does not have, since each GPU with the same multiprocessors has
// its own number of them, clock and memory.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void the_product_of_a_machine_must_be_known() {
  detail::fail(__func__,
               "no product is known for this machine; make one: {.name = .., .multiprocessors = "
               ".., .megahertz = .., .gigabytes_per_second = ..}");
}
[[noreturn]] BANKMODEL_FN void the_float_rate_of_a_machine_must_be_known(long long rate) {
  detail::fail(__func__,
               "a rate of % floats in a cycle; it is known for NVIDIA since 7.0, for others make "
               "one: float_rate{.multiply_adds = 128}",
               rate);
}
}  // namespace rule

struct product {
  const char* name = nullptr;    // null: none is known
  int multiprocessors = 0;       // AMD's compute units
  int megahertz = 0;             // of the multiprocessors: the boost clock
  int gigabytes_per_second = 0;  // 10^9 bytes, from and to its memory
  confidence sure = confidence::low;
  source from = source::own;

  BANKMODEL_FN bool is_known() const { return name != nullptr; }

  // Returns the fewest cycles in which a multiprocessor gets `bytes` bytes from the memory, if all
  // multiprocessors get as many: a lower bound if no cache has them.
  // Error: the product is not known; the cycles do not fit in 64 bits.
  // Example: 3,350 GB/s for 132 multiprocessors at 1,980 MHz are 12.8 bytes in a cycle:
  //
  //   static_assert(product_of(nvidia::sm_90).cycles_of(8192) == 640);
  BANKMODEL_FN std::uint64_t cycles_of(std::uint64_t bytes) const {
    if (!is_known()) rule::the_product_of_a_machine_must_be_known();
    const std::uint64_t units = 1000ull * static_cast<std::uint64_t>(gigabytes_per_second);
    const std::uint64_t cycles =
        static_cast<std::uint64_t>(megahertz) * static_cast<std::uint64_t>(multiprocessors);
    return detail::checked_count_sum(detail::checked_count_product(bytes / units, cycles),
                                     (bytes % units * cycles + units - 1) / units);
  }
};

namespace detail {

struct product_of_model {
  int model;  // as machine::model
  product sold;
};

constexpr product_of_model nvidia_products[] = {
    {70, {"V100 SXM2", 80, 1530, 900, confidence::medium, sources::whitepapers}},
    {75, {"T4", 40, 1590, 320, confidence::medium, sources::data_sheets}},
    {80, {"A100 SXM 80 GB", 108, 1410, 2039, confidence::high, sources::whitepapers}},
    {86, {"RTX 3090", 82, 1695, 936, confidence::medium, sources::whitepapers}},
    {89, {"RTX 4090", 128, 2520, 1008, confidence::medium, sources::data_sheets}},
    {90, {"H100 SXM", 132, 1980, 3350, confidence::medium, sources::data_sheets}},
    {100, {"B200", 148, 1965, 8000, confidence::medium, sources::data_sheets}},
    {110, {"Jetson Thor T5000", 20, 1575, 273, confidence::medium, sources::data_sheets}},
    {120, {"RTX 5090", 170, 2407, 1792, confidence::medium, sources::whitepapers}}};

constexpr product_of_model amd_products[] = {
    {0x908, {"MI100", 120, 1502, 1200, confidence::medium, sources::data_sheets}},
    {0x90a, {"MI210", 104, 1700, 1600, confidence::medium, sources::data_sheets}},
    {0x942, {"MI300X", 304, 2100, 5300, confidence::high, sources::data_sheets}},
    {0x950, {"MI355X", 256, 2400, 8000, confidence::medium, sources::data_sheets}},
    {0x1030, {"RX 6900 XT", 80, 2250, 512, confidence::medium, sources::data_sheets}},
    {0x1100, {"RX 7900 XTX", 96, 2500, 960, confidence::medium, sources::data_sheets}}};

template <int Count>
BANKMODEL_FN product product_in(const product_of_model (&table)[Count], int model) {
  for (const product_of_model& entry : table)
    if (entry.model == model) return entry.sold;
  return {};
}

}  // namespace detail

// Returns a fast product of its time with this machine; one that is not known if there is none.
//
//   static_assert(product_of(nvidia::sm_90).multiprocessors == 132);
//   static_assert(!product_of(nvidia::sm_35).is_known());
BANKMODEL_FN product product_of(const machine& m) {
  return detail::same(m.made_by, vendor::nvidia)
             ? detail::product_in(detail::nvidia_products, m.model)
         : detail::same(m.made_by, vendor::amd) ? detail::product_in(detail::amd_products, m.model)
                                                : product{};
}

// How many floats of 32 bits a multiprocessor multiplies and adds in a cycle: a product, a sum, or
// both in one instruction.
struct float_rate {
  int multiply_adds = 0;  // of lanes, in a cycle; 0: not known
  confidence sure = confidence::low;
  source from = source::own;

  // Returns the fewest cycles in which a multiprocessor executes `instructions` such instructions
  // of warps. `lanes`: of a warp; lanes that are not active take as long. Error: the rate is not
  // known; the lanes of all instructions do not fit in 64 bits. Example: 1,000 instructions have
  // 32,000 lanes, of which 128 are executed in a cycle:
  //
  //   static_assert(float_rate_of(nvidia::sm_90).cycles_of(1000, 32) == 250);
  BANKMODEL_FN std::uint64_t cycles_of(std::uint64_t instructions, int lanes) const {
    if (multiply_adds <= 0) rule::the_float_rate_of_a_machine_must_be_known(multiply_adds);
    const auto rate = static_cast<std::uint64_t>(multiply_adds);
    const std::uint64_t work =
        detail::checked_count_product(instructions, static_cast<std::uint64_t>(lanes));
    return work / rate + (work % rate != 0 ? 1 : 0);
  }
};

// Returns the rate of a machine of the library's records, for NVIDIA since 7.0: 64 on 7.x and 8.0,
// else 128 (CUDA Programming Guide, throughput of native arithmetic instructions).
//
//   static_assert(float_rate_of(nvidia::sm_80).multiply_adds == 64);
BANKMODEL_FN float_rate float_rate_of(const machine& m) {
  if (!detail::same(m.made_by, vendor::nvidia) || m.model < 70) return {};
  return {m.model <= 80 ? 64 : 128, confidence::medium, sources::guide_13};
}

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
