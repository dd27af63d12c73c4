// SPDX-License-Identifier: MIT
// Rotations of padded rows that the search does not try, since rotations of the rows without
// padding replace them.
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>

#include "catch.hpp"

#include <random>

namespace bm = bankmodel;

namespace {

constexpr bm::machine machine = bm::nvidia::sm_90;  // 32 banks of 4 bytes
constexpr int rows = 5, lanes = 32;

struct element {
  long long row, column;
};

bm::layout rotated(const bm::layout& array, long long step) {
  const long long rest = step % array.extent[1];
  return rest == 0 ? array : array.permuted(bm::rotation(rest));
}

// Those of elements of this size, each of which may touch several words.
bm::geometry banks_of(const bm::machine& m, int element_bytes) {
  bm::geometry banks = m.banks(element_bytes, bm::access_kind::load);
  banks.M = element_bytes;
  return banks;
}

// Of a request of a warp to these elements.
std::uint64_t wavefronts(const bm::layout& array, int bytes, const element (&touched)[lanes]) {
  bm::request warp_request{.active = 0xffffffff, .bytes = bytes};
  for (int lane = 0; lane < lanes; ++lane)
    warp_request.address[lane] = array(touched[lane].row, touched[lane].column) * bytes;
  return bm::total(machine, warp_request).wavefronts;
}

}  // namespace

TEST_CASE("A rotation of padded rows is not better than one of the rows without padding",
          "[plan]") {
  std::mt19937 random(1);
  for (const int bytes : {1, 2, 4, 8, 16})
    for (const int layers : {1, 2, 3}) {
      const int width = (layers == 3 ? 1 : layers) * 128 / bytes, words = bytes < 4 ? 4 / bytes : 1;
      const bm::layout array = bm::row_major(rows, width).padded(layers == 3 ? words : 0);
      const int first = bm::detail::padding_that_rotates(banks_of(machine, bytes), array);
      REQUIRE(first == (bytes == 1 ? 3 : 1));
      for (int padding = 1; padding < 128 / bytes; ++padding)
        for (int step = 0; step < width; ++step) {
          element touched[lanes];
          const int spacing = 1 + static_cast<int>(random() % 8);
          const bool is_strided = random() % 2 == 0;
          for (int lane = 0; lane < lanes; ++lane)
            touched[lane] = {is_strided ? lane % rows : static_cast<int>(random() % rows),
                             is_strided ? lane / rows * spacing % width
                                        : static_cast<int>(random()) & (width - 1)};
          const bool is_better =
              wavefronts(rotated(array.padded(array.padding() + padding), step), bytes, touched) <
              wavefronts(rotated(array, step + padding), bytes, touched);
          REQUIRE((padding < first || !is_better));
        }
    }
  // With a smaller one the last element of row 1 and the first of row 2 share a word.
  element touched[lanes];
  for (int lane = 0; lane < lanes; ++lane) touched[lane] = {1 + lane % 2, lane % 2 == 0 ? 127 : 0};
  const bm::layout bytes = bm::row_major(rows, 128);
  CHECK(wavefronts(bytes.padded(1), 1, touched) == 1);
  CHECK(wavefronts(rotated(bytes, 1), 1, touched) == 2);
  constexpr int none = bm::detail::above_all_paddings;
  const bm::geometry banks = banks_of(machine, 2);
  CHECK(bm::detail::padding_that_rotates(banks, bm::row_major(16, 64).padded(1)) == none);
  CHECK(bm::detail::padding_that_rotates(banks, bm::row_major(16, 48)) == none);
  CHECK(bm::detail::padding_that_rotates(banks, bm::row_major(16, 32)) ==
        none);  // half of the banks
  CHECK(bm::detail::padding_that_rotates(banks, bm::row_major(4, 16, 64)) == none);
  CHECK(bm::detail::padding_that_rotates(banks_of(bm::nvidia::sm_35, 8), bm::row_major(16, 64)) ==
        none);
}
