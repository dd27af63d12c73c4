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
//   constexpr auto read = kernel(block_dim{32, 8}, load(in[32 * by + ty][32 * bx + tx]),
//                                store(tile[ty][tx]));
//
// Each of the block's 8 warps loads 32 neighbouring floats, 128 bytes: 4 sectors of 32 bytes in one
// line.
//
//   traffic(nvidia::sm_90, read)                8 requests, 32 transactions, ideal 32, 8 lines
//   traffic(nvidia::sm_90, read, grid_dim{32, 32})   of all 1024 blocks: 32768 transactions
//   total(nvidia::sm_90, read)                  the shared side: 8 requests, 8 wavefronts
//   costs(nvidia::sm_90, read)                  both, and the cycles that each takes at least
//   block_stride(block_dim{32, 8}, axis::x, load(in[32 * by + ty][32 * bx + tx]))
//                                               exclusive: no byte is read by two blocks, and the
//                                               places of the next block are 128 bytes further on
//
// A column instead of a row, in[32 * bx + tx][32 * by + ty], takes 256 transactions: its lanes are
// in 32 different lines. Through a tile both sides are rows (examples/transposes.cpp).
//
// The order of the headers: transactions.hpp is the model, one request by counting; traffic.hpp
// sums it over loops, warps and blocks; costs.hpp compares both memories; copies.hpp is cp.async,
// which accesses both; block_stride.hpp and partition_camping.hpp compare blocks.

#endif
