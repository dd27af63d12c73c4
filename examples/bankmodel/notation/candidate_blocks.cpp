// SPDX-License-Identifier: MIT
#include "candidate_blocks.hpp"

#include <algorithm>

namespace command_line {

std::vector<bm::block_dim> candidate_blocks(const block_use& use) {
  std::vector<bm::block_dim> result;
  const int limit = use.most_threads > 0 ? use.most_threads : 1024;
  const auto add = [&](long long x, long long y, long long z) {
    x = use.known.x > 0 ? use.known.x : x;
    y = use.known.y > 0 ? use.known.y : y;
    z = use.known.z > 0 ? use.known.z : z;
    if (x < 1 || y < 1 || z < 1 || x > limit || y > limit || x * y * z > limit) return;
    const bm::block_dim block = {static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)};
    const auto is_same = [&](const bm::block_dim& candidate) {
      return candidate.x == block.x && candidate.y == block.y && candidate.z == block.z;
    };
    if (std::ranges::none_of(result, is_same)) result.push_back(block);
  };
  const int usual = use.most_threads > 0 ? use.most_threads : 256;
  if (!use.has_y && !use.has_z) {
    for (const std::vector<long long>& extents : use.extents)
      // An array of 32 elements more often holds a number for each warp than one for each thread.
      if (extents.size() == 1 && extents[0] % 32 == 0 && extents[0] > 32 && use.most_threads == 0)
        add(extents[0], 1, 1);
    for (const int threads : {usual, 256, 128, 64, 32, 16, 512, 1024}) add(threads, 1, 1);
    if (result.empty()) result.push_back({std::max(use.known.x, 1), 1, 1});
    return result;
  }
  for (const std::vector<long long>& extents : use.extents) {
    const std::size_t rank = extents.size();
    if (rank < 2 || use.has_z) continue;
    const long long rows = extents[rank - 2], columns = extents[rank - 1];
    // A column more is padding.
    for (const long long width : {columns, columns - 1})
      if ((width & (width - 1)) == 0 && (width == columns || width == rows)) add(width, rows, 1);
  }
  if (use.has_z) {
    add(8, 8, 8);
    add(8, 8, 4);
    add(4, 4, 4);
    add(32, 1, 1);
  }
  if (usual % 32 == 0) add(32, usual / 32, 1);
  for (const int rows : {8, 4, 16, 32, 2, 1}) add(32, rows, 1);
  add(16, 16, 1);
  add(8, 8, 1);
  if (result.empty()) add(usual, 1, 1);  // a bound of fewer threads
  // The axes that are known may leave room for few threads along the others, or for none.
  for (int threads = limit; result.empty() && threads > 0; threads /= 2) add(threads, 1, 1);
  if (result.empty())
    result.push_back(
        {std::max(use.known.x, 1), std::max(use.known.y, 1), std::max(use.known.z, 1)});
  return result;
}

}  // namespace command_line
