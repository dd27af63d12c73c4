// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "engine/run.hpp"

namespace compiled {

// Returns the requests of the kernel whose author exchanges threadIdx.x and threadIdx.y, blockDim.x
// and blockDim.y, and the extents of the block: the same threads do the same, in other warps. A
// block of 32 x 8 that reads column threadIdx.x of rows threadIdx.y becomes one of 8 x 32, the
// threads of a warp being neighbours along what was y.
//
// Nothing if the block has one axis, if the kernel reads neither number, if lanes work together in
// a way that depends on the warp that they are in (shuffles, votes, matrices, lane numbers,
// barriers of some warps), or if the exchanged block cannot be run within some tenths of a second.
std::optional<recording> recorded_with_exchanged_threads(const kernel_code& kernel,
                                                         const launch& settings);

}  // namespace compiled
