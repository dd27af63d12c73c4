// SPDX-License-Identifier: MIT
#pragma once

#include <bankmodel/model/request.hpp>
#include <cstdint>
#include <string>

namespace compiled {

// Returns how far the active lanes of a request to global memory are apart, as the cause of its
// transactions: segments of `segment` bytes, of which it would take `ideal`. Empty if no sentence
// says it.
//   float t[tx][0], rows of 1024         "neighbouring lanes are 4,096 bytes apart"
//   float t[ty][tx] with 8 tx to a row   "groups of 8 lanes are 4,096 bytes apart"
//   float p[tx + 1]                      "the first byte is 4 bytes after a multiple of 32"
//   float p[index[tx]]                   "the lanes have no common distance"
std::string text_of_lane_distances(const bankmodel::request& lanes, int segment,
                                   std::uint64_t ideal);

}  // namespace compiled
