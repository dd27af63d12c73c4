// SPDX-License-Identifier: MIT
#include <bankmodel/machines/compare.hpp>
#include <bankmodel/model/machine.hpp>

namespace bm = bankmodel;

template <bm::machine M>
constexpr int lanes_of = M.lanes;  // structural

// Phases partition the lanes for any parities; they are equally large if no parity is the XOR
// of others.
constexpr bool partition(const bm::lane_groups& groups) {
  std::uint64_t seen = 0;
  for (int phase = 0; phase < 1 << groups.bits(); ++phase) {
    const std::uint64_t lanes = groups.lanes_of(phase);
    if ((seen & lanes) != 0) return false;
    seen |= lanes;
  }
  return seen == ~std::uint64_t{0};
}
constexpr bool all_partition() {
  for (unsigned a = 0; a < 64; ++a)
    for (unsigned b = 0; b < 64; b += 21)
      for (unsigned c = 0; c < 64; c += 13)
        if (!partition({static_cast<unsigned char>(a), static_cast<unsigned char>(b),
                        static_cast<unsigned char>(c)}))
          return false;
  return true;
}
static_assert(all_partition());

// The examples of the header.
static_assert(bm::lane_groups{}.bits() == 0 && bm::lane_groups{}.lanes_of(0) == ~std::uint64_t{0});
static_assert((bm::lane_groups{16}.lanes_of(0) & 0xffffffff) == 0x0000ffff);
static_assert((bm::lane_groups{16}.lanes_of(1) & 0xffffffff) == 0xffff0000);
constexpr bm::lane_groups quarters{8, 16};
static_assert((quarters.lanes_of(0) & 0xffffffff) == 0x000000ff &&
              (quarters.lanes_of(1) & 0xffffffff) == 0x0000ff00);
static_assert((quarters.lanes_of(2) & 0xffffffff) == 0x00ff0000 &&
              (quarters.lanes_of(3) & 0xffffffff) == 0xff000000);
static_assert((quarters.lanes_of(1) >> 9 & 1) == 1 && (quarters.lanes_of(2) >> 17 & 1) == 1);
static_assert(bm::lane_groups{32}.lanes_of(0) == 0xffffffff);
static_assert((bm::lane_groups{20, 8}.lanes_of(0) & 0xffffffff) == 0x00f0000f);  // 0-3 with 20-23
static_assert((bm::lane_groups{20, 8}.lanes_of(1) & 0xffffffff) == 0x000f00f0);  // 4-7 with 16-19

// Neighbouring quarters merge into halves, halves into the whole warp.
static_assert(quarters.merged() == bm::lane_groups{16} &&
              bm::lane_groups{16}.merged() == bm::lane_groups{});
static_assert(quarters.merged().lanes_of(0) == (quarters.lanes_of(0) | quarters.lanes_of(1)));

// A user-defined machine: its widths, its kinds of accesses, its bank width.
constexpr bm::machine own{
    .lanes = 32,
    .loads = {.up_to_4 = {.bank_num = 16, .W = 4, .N = 4},
              .bytes_16 = {.bank_num = 32, .W = 8, .N = 4, .phases = {8, 16}}},
    .stores = {.up_to_4 = {.bank_num = 32, .W = 4, .N = 4}},
    .bank_width = 4,
    .other_bank_width = 8};
static_assert(lanes_of<own> == 32);
static_assert(own.served(1, bm::access_kind::load) == own.served(4, bm::access_kind::load) &&
              own.served(2, bm::access_kind::load).bank_num == 16);
static_assert(own.served(4, bm::access_kind::store).bank_num == 32 &&
              own.served(16, bm::access_kind::load).phases == quarters);
static_assert(own.banks(16, bm::access_kind::load) ==
              bm::geometry{32, 8, 4, 8});  // at most a layer
static_assert(own.banks(2, bm::access_kind::load) == bm::geometry{16, 4, 4, 2});

// The other bank width, and back again; missing instructions stay missing.
constexpr bm::machine wide = own.with_bank_width(8);
static_assert(wide.bank_width == 8 && wide.other_bank_width == 4 && wide.loads.up_to_4.N == 8 &&
              wide.loads.bytes_16.N == 8);
static_assert(wide.loads.bytes_8.bank_num == 0 && wide.loads.bytes_8.N == 0);
static_assert(wide.with_bank_width(4) == own && own.with_bank_width(4) == own);
