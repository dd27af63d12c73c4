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
               ".., .megahertz = .., .gigabytes_per_second = .., .cache_bytes_per_cycle = ..}");
}
}  // namespace rule

struct product {
  const char* name = nullptr;    // null: none is known
  int multiprocessors = 0;       // AMD's compute units
  int megahertz = 0;             // of the multiprocessors: the boost clock
  int gigabytes_per_second = 0;  // 10^9 bytes, from and to its memory
  confidence sure = confidence::low;
  source from = source::own;
  // Of the second cache, for all multiprocessors together, in a cycle of theirs; 0: not known.
  int cache_bytes_per_cycle = 0;

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

  // Returns the fewest cycles in which a multiprocessor gets `bytes` bytes from the second cache,
  // if all multiprocessors get as many. Error: the product or `cache_bytes_per_cycle` is not known;
  // the cycles do not fit in 64 bits. Example: 5,120 bytes in a cycle are 47.4 for each of 108
  // multiprocessors:
  //
  //   static_assert(product_of(nvidia::sm_80).cache_cycles_of(8192) == 173);
  BANKMODEL_FN std::uint64_t cache_cycles_of(std::uint64_t bytes) const {
    if (!is_known() || cache_bytes_per_cycle <= 0) rule::the_product_of_a_machine_must_be_known();
    const auto rate = static_cast<std::uint64_t>(cache_bytes_per_cycle);
    const std::uint64_t shared =
        detail::checked_count_product(bytes, static_cast<std::uint64_t>(multiprocessors));
    return shared / rate + (shared % rate != 0 ? 1 : 0);
  }
};

namespace detail {

struct product_of_model {
  int model;  // as machine::model
  product sold;
};

constexpr product_of_model nvidia_products[] = {
    {70, {"V100 SXM2", 80, 1530, 900, confidence::medium, sources::whitepapers, 2048}},
    {75, {"T4", 40, 1590, 320, confidence::medium, sources::data_sheets}},
    {80, {"A100 SXM 80 GB", 108, 1410, 2039, confidence::high, sources::whitepapers, 5120}},
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

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
