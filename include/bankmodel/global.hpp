// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_HPP
#define BANKMODEL_GLOBAL_HPP

#include <bankmodel/global/block_stride.hpp>
#include <bankmodel/global/cached_loads.hpp>
#include <bankmodel/global/copies.hpp>
#include <bankmodel/global/costs.hpp>
#include <bankmodel/global/partition_camping.hpp>
#include <bankmodel/global/traffic.hpp>
#include <bankmodel/kernel/global_array.hpp>
#include <bankmodel/kernel/variables.hpp>

// Accesses to global memory: the sectors and lines that they move, and how blocks share bytes.
//
// Arrays of global memory are described and accessed as shared ones are, with bx, by and bz for the
// block. A kernel may have both:
//
//   constexpr auto in = global_array<float>("in", 1024, 1024);
//   constexpr auto tile = shared_array<float>("tile", 32, 33);
//   constexpr auto row = load(in[32 * by + ty][32 * bx + tx]);
//   constexpr auto read = kernel(block_dim{32, 8}, row, store(tile[ty][tx]));
//   constexpr memory_traffic block = traffic(nvidia::sm_90, read);
//   static_assert(block.requests == 8 && block.transactions == 32 && block.ideal == 32);
//   static_assert(traffic(nvidia::sm_90, read, grid_dim{32, 32}).transactions == 1024 * 32);
//   static_assert(total(nvidia::sm_90, read) == cost{8, 8, 8, 1});  // the shared side
//   static_assert(costs(nvidia::sm_90, read).shared_cycles == 8);   // at least
//   // No byte is read by two blocks, and the places of the next block are 128 bytes further on.
//   constexpr block_sharing blocks = block_stride(block_dim{32, 8}, axis::x, row);
//   static_assert(blocks.relation == sharing::exclusive && blocks.bytes == 128);
//
// Each of the block's 8 warps loads 32 neighbouring floats, 128 bytes: 4 sectors of 32 bytes in one
// line.
//
// A column instead of a row, in[32 * bx + tx][32 * by + ty], takes 256 transactions: its lanes are
// in 32 different lines. Through a tile both sides are rows (examples/transposes.cpp).
//
// The order of the headers: transactions.hpp is the model, one request by counting; traffic.hpp
// sums it over loops, warps and blocks; costs.hpp compares both memories; copies.hpp is cp.async,
// which accesses both; block_stride.hpp and partition_camping.hpp compare blocks.

#endif
