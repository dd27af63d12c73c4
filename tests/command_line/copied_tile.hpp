// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_COMMAND_LINE_COPIED_TILE_HPP
#define BANKMODEL_TESTS_COMMAND_LINE_COPIED_TILE_HPP

#include <cstdint>
#include <map>
#include <string>

#include "examples/bankmodel/compiled/engine/run.hpp"

// A kernel as a reader makes it, without instructions, and recordings of its accesses made by hand.
namespace copied_tile {

// copy(const float* in) with an array tile[32][32].
inline compiled::kernel_code kernel(const std::string& name, const std::string& file) {
  compiled::kernel_code result;
  result.name = name;
  result.files = {file};
  compiled::code_array tile;
  tile.name = "tile";
  tile.bytes = 4096;
  tile.element_bytes = 4;
  tile.extents = {32, 32};
  result.shared = {tile};
  result.parameters = {{"in", "const float*", 0, 8, true}};
  return result;
}

// The first lanes of a warp, `stride` bytes from one to the next.
inline bankmodel::request lanes_of(int lanes, int bytes, long long stride) {
  bankmodel::request r{.active = ~std::uint64_t{0} >> (64 - lanes), .bytes = bytes};
  for (int lane = 0; lane < lanes; ++lane) r.address[lane] = lane * stride;
  return r;
}

// An access to the tile, or to what `input` points to, with these bases and how often.
inline compiled::recorded_access access_of(bool global, const compiled::place& location,
                                           const bankmodel::request& lanes,
                                           const std::map<long long, std::uint64_t>& times) {
  compiled::recorded_access result;
  result.location = location;
  result.is_global = global;
  result.memory.bytes = lanes.bytes;
  result.array = 0;
  result.classes = {{lanes, times}};
  for (const auto& [base, often] : times) result.requests += often;
  return result;
}

}  // namespace copied_tile

#endif
