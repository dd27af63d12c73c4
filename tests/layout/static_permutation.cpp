// SPDX-License-Identifier: MIT
// Permuted layouts as constants. With g++'s -fsanitize=undefined pointers to functions may not be
// compared in constant expressions.
#include <bankmodel/analyze.hpp>
#include <bankmodel/layout/families.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

// A column of 32 floats below each other, whose rows are as long as a layer of all banks.
constexpr std::uint64_t wavefronts_of_a_column(const bm::permutation& permuted) {
  const auto tile =
      bm::shared_array<float>("tile", 32, 32).with(bm::row_major(32, 32).permuted(permuted));
  return bm::total(bm::nvidia::sm_90, bm::block_dim{32}, bm::load(tile[tx][5])).wavefronts;
}
static_assert(wavefronts_of_a_column({}) == 32);
static_assert(wavefronts_of_a_column(bm::xor_swizzle(5, 0, 5)) == 1);
static_assert(wavefronts_of_a_column(bm::xor_swizzle(4, 0, 5)) == 2);  // 16 different columns
static_assert(wavefronts_of_a_column(bm::rotation(1)) == 1);
static_assert(wavefronts_of_a_column(bm::rotation(2)) == 2);
static_assert(wavefronts_of_a_column(bm::triangular(bm::triangle::of_rows)) == 1);
static_assert(wavefronts_of_a_column(bm::modular({1, 3, 0, 1})) == 1);
static_assert(wavefronts_of_a_column(bm::linear(bm::identity_matrix(10))) == 32);

static_assert(bm::rotation(1) == bm::rotation(1) && bm::rotation(1) != bm::rotation(2));
static_assert(bm::rotation(1) != bm::triangular() && bm::permutation{} == bm::permutation{});
static_assert(bm::xor_swizzle(5, 0, 5) != bm::permutation{} &&
              bm::modular({1, 1, 0, 1}) != bm::rotation(1));
static_assert(bm::rotation(1).in_groups_of(4) != bm::rotation(1));
