// SPDX-License-Identifier: MIT
// Bank maps of a column that one warp of a transpose reads, before and after padding, and the
// sectors of global memory that a warp moves for the first coordinates of its points: as text, and
// as the guide's pictures if a folder is given: example_pictures examples/pictures
#include <bankmodel/analyze.hpp>
#include <bankmodel/draw.hpp>
#include <bankmodel/explain.hpp>
#include <bankmodel/global.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <cstdio>
#include <fstream>
#include <string>

namespace bm = bankmodel;
using namespace bm::index;

namespace {

// The worst request of the block's 32, or the first if none is worse.
bm::explanation worst_of(const bm::array_description& tile) {
  return bm::explain(bm::nvidia::sm_90, bm::block_dim{32, 8},
                     bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j])));
}

bool write(const std::string& path, const auto& explanation) {
  std::ofstream file(path, std::ios::binary);
  return static_cast<bool>(
      file << bm::draw_svg(bm::nvidia::sm_90, explanation.array, explanation.worst) << std::flush);
}

}  // namespace

int main(int arguments, char** argument) {
  const auto tile = bm::shared_array<float>("tile", 32, 32);
  const auto padded = tile.with(tile.layout.padded(1));
  const auto point = bm::global_array<float>("point", 1024, 3);
  const auto coordinates =
      bm::explain_traffic(bm::nvidia::sm_90, bm::block_dim{32}, bm::load(point[tx][0]));
  if (arguments == 2) {
    const std::string folder = argument[1];
    if (!write(folder + "/transpose_before.svg", worst_of(tile)) ||
        !write(folder + "/transpose_after.svg", worst_of(padded)) ||
        !write(folder + "/points.svg", coordinates)) {
      std::fprintf(stderr, "cannot write into %s\n", argument[1]);
      return 1;
    }
  }

  // A corner of 8 rows and 12 columns is enough for a terminal. {.colour = true} adds the
  // banks' colours.
  for (const auto& explanation : {worst_of(tile), worst_of(padded)})
    std::printf("%s\n", bm::draw_text(bm::nvidia::sm_90, explanation.array, explanation.worst,
                                      {.part = {.rows = 8, .columns = 12}})
                            .c_str());
  std::printf("%s", bm::draw_text(bm::nvidia::sm_90, coordinates.array, coordinates.worst).c_str());
}
