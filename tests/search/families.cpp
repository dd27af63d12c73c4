// SPDX-License-Identifier: MIT
// Plans over every family of layouts: the kernels in their own bytes, small kernels against
// each layout of the searched space, limits and preferences.
#include <bankmodel/host/search/bounds.hpp>
#include <bankmodel/host/search/pareto.hpp>
#include <bankmodel/host/search/plans_by_family.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>

#include "catch.hpp"
#include "examples/kernels.hpp"
#include "small_kernels.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>
#include <vector>

namespace bm = bankmodel;
using bm::layout_family;
using bm::optimize;
using bm::nvidia::sm_35;
using bm::nvidia::sm_90;

// ---- kernels ----

namespace {

template <class Kernel>
auto in_own_bytes(const bm::machine& m, const Kernel& kernel) {
  return optimize(
      m, kernel,
      {.shared_bytes = optimize(m, kernel, {.layouts = bm::layouts::as_declared}).bytes()});
}

}  // namespace

TEST_CASE("transpose, lud, nw and convolution in their own bytes", "[plan][layout]") {
  for (const bm::machine& m : {sm_90, sm_35}) {
    const auto free_of_conflicts = [&](const auto& kernel) {
      const auto plan = in_own_bytes(m, kernel);
      CHECK(plan.after().conflicts() == 0);
      CHECK(plan.is_optimal());
    };
    free_of_conflicts(kernels::transpose::copySharedMem);
    free_of_conflicts(kernels::transpose::transposeCoalesced);
    free_of_conflicts(kernels::lud::lud_diagonal);
    free_of_conflicts(kernels::lud::lud_perimeter);
    free_of_conflicts(kernels::nw::needle_cuda_shared_1);
    free_of_conflicts(kernels::convolution_separable::convolutionRowsKernel);
  }
  // Arrays that the authors padded, so that their own bytes are rows of 17 and 81: all layouts
  // of the families were tried and none is conflict-free, but a table is.
  const auto left = [](const auto& kernel, std::uint64_t wavefronts, std::uint64_t possible) {
    const auto plan = in_own_bytes(sm_90, kernel);
    CHECK(plan.after().wavefronts == wavefronts);
    CHECK(plan.is_optimal());
    const auto at_all = bm::possible(sm_90, kernel);
    CHECK(at_all.reached);
    CHECK(at_all.wavefronts == possible);
    CHECK(at_all.excess(plan) == wavefronts - possible);
  };
  left(kernels::transpose::transposeNoBankConflicts, 31, 16);
  left(kernels::transpose::transposeDiagonal, 31, 16);
  left(kernels::transpose::transposeFineGrained, 31, 16);
  left(kernels::transpose::transposeCoarseGrained, 30, 16);
  left(kernels::convolution_separable::convolutionColumnsKernel, 647, 584);
  // With the bytes that a block gets, each of the thirteen is conflict-free.
  kernels::for_each_kernel([](const char* name, const auto& kernel) {
    INFO(name);
    CHECK(optimize(sm_90, kernel).after().conflicts() == 0);
    CHECK(optimize(sm_35, kernel).after().conflicts() == 0);
  });
}

// ---- the whole searched space, by total() of each layout in it ----

namespace {

struct small_kernel {
  int rows, columns, vector;
  // of each access: ((a tx + b ty + c) % rows, (d tx + e ty + f) % columns)
  std::array<std::array<int, 6>, 3> number;
  int accesses;
};

auto kernel_of(const small_kernel& k) {
  using namespace bm::index;
  const auto tile = bm::shared_array<float>("t", k.rows, k.columns);
  const auto access = [&](int number) {
    const auto& n = k.number[static_cast<std::size_t>(number < k.accesses ? number : 0)];
    auto result = tile[(n[0] * tx + n[1] * ty + n[2]) % k.rows]
                      [(n[3] * tx + n[4] * ty + n[5]) % (k.columns / k.vector) * k.vector];
    if (number == 0) result.vector = k.vector;
    return result;
  };
  return bm::kernel(bm::block_dim{8, 8}, bm::load(access(0)), bm::store(access(1)),
                    bm::load(access(2)));
}

// The kernel's wavefronts with this layout of its array.
std::uint64_t wavefronts_with(const bm::machine& m, const small_kernel& k,
                              const bm::layout& array_layout) {
  std::uint64_t sum = 0;
  const auto kernel = kernel_of(k);
  bm::for_each_access(kernel, [&](auto access) {
    access.array = access.array.with(array_layout);
    sum += bm::total(m, kernel.block, access).wavefronts;
  });
  return sum;
}

template <class Visit>
void each_layout(const small_kernel& k, long long layer, const Visit& visit) {
  const bm::layout rows = bm::row_major(k.rows, k.columns);
  for (int padding = 0; padding < layer; padding += k.vector) {
    const bm::layout padded = rows.padded(padding);
    visit(padded);
    for (int bits = 1; bits <= 6; ++bits)
      for (int base = 0; base <= 10; ++base)
        for (int shift = -10; shift <= 10; ++shift) {
          if (std::abs(shift) < bits || base + bits + std::abs(shift) > 10) continue;
          const bm::permutation p = bm::xor_swizzle(bits, base, shift);
          if (p.group >= k.vector) visit(padded.permuted(p));
        }
    for (int group = k.vector; k.columns % group == 0; group *= 2) {
      const int width = k.columns / group;
      if ((k.columns + padding) % group == 0)
        for (int step = 1; step < width; ++step)
          visit(padded.permuted(bm::rotation(step).in_groups_of(group)));
      if (padding != 0) continue;
      for (const auto side : {bm::triangle::of_columns, bm::triangle::of_rows}) {
        if (side == bm::triangle::of_columns && !bm::detail::is_power_of_two(width)) continue;
        visit(rows.permuted(bm::triangular(side).in_groups_of(group)));
        visit(rows.permuted(bm::inverse_triangular(side).in_groups_of(group)));
      }
      for (int a = 2; a < width; ++a)
        for (int b = 0; b < width && bm::detail::greatest_common_divisor(a, width) == 1; ++b)
          visit(rows.permuted(bm::modular({a, b, 0, 1}).in_groups_of(group)));
    }
  }
}

}  // namespace

TEST_CASE("no layout of the families beats a proven plan", "[plan][layout]") {
  std::mt19937 random(6);
  const auto draw = [&](int end) {
    return static_cast<int>(random() % static_cast<unsigned>(end));
  };
  const bm::service rules{.bank_num = 8, .W = 4, .N = 4},
      in_halves{.bank_num = 8, .W = 4, .N = 4, .phases = {8, 0, 0}};
  bm::machine eight_banks;
  eight_banks.lanes = 16;
  eight_banks.loads = eight_banks.stores = {rules, in_halves, {}, in_halves};
  int proven = 0, better_than_rows = 0;
  for (int seed = 0; seed < 100; ++seed) {
    small_kernel k{};
    k.vector = draw(4) == 0 ? 2 : 1;
    k.rows = 2 + draw(8);
    k.columns = (2 + draw(7)) * k.vector;
    k.accesses = 1 + draw(3);
    for (auto& n : k.number) n = {draw(4), draw(4), draw(8), draw(4), draw(4), draw(8)};
    const auto plan = optimize(eight_banks, kernel_of(k), {.effort = 1 << 24});
    std::uint64_t best = ~0ull, best_of_rows = ~0ull;
    long long best_bytes = 0;
    each_layout(k, 8, [&](const bm::layout& candidate) {
      const auto wavefronts = wavefronts_with(eight_banks, k, candidate);
      if (wavefronts < best || (wavefronts == best && 4 * candidate.required_size() < best_bytes))
        best_bytes = 4 * candidate.required_size();
      best = std::min(best, wavefronts);
      if (candidate.permutation.family == layout_family::rows)
        best_of_rows = std::min(best_of_rows, wavefronts);
    });
    INFO("kernel " << seed << ": " << k.rows << " x " << k.columns << ", vectors of " << k.vector
                   << ": plan " << plan.after().wavefronts << ", least " << plan.least_wavefronts()
                   << ", of all " << best << ", of rows " << best_of_rows);
    REQUIRE(plan.after().wavefronts == wavefronts_with(eight_banks, k, plan.layout(0)));
    REQUIRE(plan.least_wavefronts() <= plan.after().wavefronts);
    REQUIRE(plan.after().wavefronts <= best);  // a linear layout may be better
    // Linear layouts are not exhausted, so they leave a plan with conflicts unproven.
    constexpr bm::layout_families exhausted{bm::layouts::all.bits - bm::layouts::linear.bits};
    const auto without_linear =
        optimize(eight_banks, kernel_of(k), {.layouts = exhausted, .effort = 1 << 24});
    REQUIRE(without_linear.after().wavefronts == best);
    REQUIRE(plan.least_wavefronts() <= best);
    proven += without_linear.is_optimal();
    better_than_rows += best < best_of_rows;
    const auto smallest = optimize(eight_banks, kernel_of(k),
                                   {.prefer = bm::preference::few_bytes, .effort = 1 << 24});
    REQUIRE(smallest.after().wavefronts == plan.after().wavefronts);
    if (best == smallest.after().wavefronts) REQUIRE(smallest.bytes() <= best_bytes);
  }
  WARN(proven << " proven, in " << better_than_rows << " a permutation beats all paddings");
  CHECK(proven == 100);
  CHECK(better_than_rows > 10);
}

// ---- linear layouts synthesised for given requests ----

TEST_CASE("a linear layout is found exactly if there is one", "[plan][layout]") {
  std::mt19937 random(8);
  int solved = 0, none = 0;
  for (int seed = 0; seed < 3000; ++seed) {
    const int bits = 2 + static_cast<int>(random() % 4), fixed = static_cast<int>(random() % 2),
              free = bits - fixed;
    const int bank_bits = 1 + static_cast<int>(random() % 2);
    if (bank_bits > free) continue;
    // Phases whose elements differ by a space: all sums of some vectors, added to some element.
    std::vector<std::vector<long long>> phases;
    for (int phase = 1 + static_cast<int>(random() % 5); phase > 0; --phase) {
      std::vector<long long> elements{static_cast<long long>(random() % (1u << bits))};
      for (int vector = 1 + static_cast<int>(random() % 2); vector > 0; --vector) {
        const auto difference = static_cast<long long>(random() % (1u << bits));
        const auto previous = elements;
        for (const long long element : previous) elements.push_back(element ^ difference);
      }
      phases.push_back(elements);
    }
    bm::detail::synthesis solver(bits, fixed, bank_bits);
    bool possible = true;
    for (const auto& phase : phases)
      possible = possible && solver.add(phase.data(), static_cast<int>(phase.size()), 0);
    bm::bit_matrix matrix;
    possible = possible && solver.run(1 << 20, matrix);

    // Any linear map from the bits that are not fixed to banks, which fixed bits select too.
    const auto has_conflict = [&](const auto& bank_of) {
      for (const auto& phase : phases)
        for (const long long a : phase)
          for (const long long b : phase)
            if (a != b && bank_of(a) == bank_of(b)) return true;
      return false;
    };
    bool exists = false;
    for (unsigned map = 0; map < 1u << (free * bank_bits) && !exists; ++map)
      exists = !has_conflict([&](long long element) {
        unsigned bank = static_cast<unsigned>(element) & ((1u << fixed) - 1);
        for (int bit = 0; bit < free; ++bit)
          if ((element >> (fixed + bit) & 1) != 0)
            bank ^= (map >> (bit * bank_bits) & ((1u << bank_bits) - 1)) << fixed;
        return bank;
      });
    INFO("seed " << seed << ": " << bits << " bits, " << fixed << " fixed, " << bank_bits
                 << " of banks");
    REQUIRE(possible == exists);
    (possible ? solved : none) += 1;
    if (!possible) continue;
    REQUIRE((bits == 0 || bm::detail::inverse_of(matrix, bits) != bm::bit_matrix{}));
    REQUIRE(!has_conflict([&](long long element) {
      return bm::detail::moved_by(matrix, element) & ((1 << (fixed + bank_bits)) - 1);
    }));
    for (int bit = 0; bit < fixed; ++bit) REQUIRE(matrix[bit] == 1u << bit);
  }
  CHECK(solved > 500);
  CHECK(none > 500);
}

// A family that is synthesised, not exhausted, proves nothing above the ideal.
TEST_CASE("without a linear layout without conflicts nothing is proven of the others", "[plan]") {
  using namespace bm::index;
  const auto a = bm::shared_array<float>("a", 32, 32);
  const auto two =
      bm::kernel(bm::block_dim{32}, bm::load(a[tx][0]), bm::load(a[tx % 8][3 * tx % 32]));
  const auto plan = optimize(sm_90, two, {.layouts = bm::layouts::linear});
  CHECK(plan.after().wavefronts == 33);
  // [r][c ^ r] is linear too.
  CHECK(optimize(sm_90, two, {.layouts = bm::layouts::xor_swizzle}).after().wavefronts == 3);
  CHECK(plan.least_wavefronts() <= 3);
  CHECK_FALSE(plan.is_optimal());

  // No layout of the other families has 5, but a linear one has.
  const auto four =
      bm::kernel(bm::block_dim{32}, bm::load(a[tx][0]), bm::load(a[tx & 15][(tx >> 2 & 7) << 1]),
                 bm::load(a[tx >> 3 & 7][(tx & 3) * 8 + 4]), bm::load(a[tx % 32][tx * 3 % 32]));
  const auto best = optimize(sm_90, four, {.shared_bytes = 4096});
  CHECK(best.after().wavefronts == 6);
  CHECK(best.least_wavefronts() <= 5);
  CHECK_FALSE(best.is_optimal());
  for (const auto& entry : bm::plans_by_family(sm_90, four, {.shared_bytes = 4096}))
    CHECK((entry.family != layout_family::linear || !entry.plan.is_optimal() ||
           entry.plan.after().conflicts() == 0));

  // Families that are exhausted still prove, also beside a linear layout without a conflict.
  CHECK(optimize(
            sm_90, four,
            {.layouts = {bm::layouts::all.bits - bm::layouts::linear.bits}, .shared_bytes = 4096})
            .is_optimal());
  const auto odd = bm::shared_array<float>("odd", 31, 3);
  const auto combined =
      bm::kernel(bm::block_dim{31}, bm::load(a[tx][0]), bm::load(odd[tx][tx % 3]),
                 bm::load(odd[tx][0]), bm::load(odd[(5 * tx) % 31][(tx * tx) % 3]));
  const auto beside = optimize(sm_90, combined);
  CHECK(beside.after().conflicts() > 0);
  CHECK(beside.is_optimal());
}

// With little effort a search within fewer bytes may end although the one before it did not, and
// with a better plan.
TEST_CASE("a front with little effort claims no more than its searches", "[plan]") {
  const auto check = [](const auto& kernel) {
    const auto best = optimize(sm_90, kernel, {.layouts = bm::layouts::padding, .effort = 1 << 20});
    int early = 0;
    for (long long effort = 1; effort < 10'000; effort = effort * 9 / 8 + 1) {
      INFO("effort " << effort);
      const auto front =
          bm::pareto_front(sm_90, kernel, {.layouts = bm::layouts::padding, .effort = effort});
      CHECK(front[0].least_wavefronts() <= best.after().wavefronts);
      if (front[0].after().wavefronts == best.after().wavefronts) continue;
      ++early;
      CHECK_FALSE(front[0].is_optimal());
      CHECK_FALSE(front[0].is_complete());
    }
    CHECK(early > 0);
  };
  check(small_kernels::kernel_8);
  check(small_kernels::kernel_22);
}

// ---- limits and preferences ----

namespace {

constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
constexpr auto transpose = [] {
  using namespace bm::index;
  return bm::kernel(bm::block_dim{32, 8},
                    bm::store(bm::for_loop(j, bm::range(0, 32, 8), tile[ty + j][tx])),
                    bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j])));
}();

layout_family family_of(const bm::search& options) {
  return optimize(sm_90, transpose, options).layout(tile).permutation.family;
}

}  // namespace

TEST_CASE("families are a limit", "[plan][layout]") {
  using namespace bm::layouts;
  CHECK(family_of({}) == layout_family::rows);  // padding costs no block
  CHECK(family_of({.layouts = permutations}) == layout_family::xor_swizzle);
  CHECK(family_of({.layouts = bm::layouts::rotation}) == layout_family::rotation);
  CHECK(family_of({.layouts = bm::layouts::triangular}) == layout_family::triangular);
  CHECK(family_of({.layouts = bm::layouts::modular}) == layout_family::modular);
  CHECK(family_of({.layouts = bm::layouts::linear}) == layout_family::linear);
  for (const auto family : {bm::layouts::xor_swizzle, bm::layouts::rotation,
                            bm::layouts::triangular, bm::layouts::modular, bm::layouts::linear}) {
    const auto plan = optimize(sm_90, transpose, {.layouts = family});
    CHECK(plan.after().conflicts() == 0);
    CHECK(plan.bytes() == 4096);
    CHECK(plan.is_optimal());
  }
  const auto kept = optimize(sm_90, transpose, {.keep = bm::arrays(tile)});
  CHECK(kept.layout(tile) == tile.layout);
  CHECK(kept.after().wavefronts == kept.before().wavefronts);
}

TEST_CASE("the preference after the wavefronts", "[plan][layout]") {
  CHECK(family_of({.prefer = bm::preference::resident_blocks}) == layout_family::rows);
  CHECK(family_of({.prefer = bm::preference::few_bytes}) == layout_family::xor_swizzle);
  // In the 48 KiB of a Jetson TK1 three such tiles are resident, but two padded ones.
  using namespace bm::index;
  const auto large = bm::shared_array<float>("t", 64, 64);
  const auto kernel = bm::kernel(bm::block_dim{64, 4},
                                 bm::store(bm::for_loop(j, bm::range(0, 64, 4), large[ty + j][tx])),
                                 bm::load(bm::for_loop(j, bm::range(0, 64, 4), large[tx][ty + j])));
  const auto blocks = optimize(bm::nvidia::sm_32, kernel),
             simple =
                 optimize(bm::nvidia::sm_32, kernel, {.prefer = bm::preference::simple_indices});
  CHECK(blocks.layout(0).permutation.family == layout_family::xor_swizzle);
  CHECK(blocks.resident_blocks() == 3);
  CHECK(simple.layout(0).permutation.family == layout_family::rows);
  CHECK(simple.resident_blocks() == 2);
  CHECK(blocks.after().conflicts() == 0);
  CHECK(simple.after().conflicts() == 0);
}

TEST_CASE("each family alone, and its resident blocks", "[plan][layout]") {
  using namespace bm::index;
  const auto large = bm::shared_array<float>("t", 64, 64);
  const auto kernel = bm::kernel(bm::block_dim{64, 4},
                                 bm::store(bm::for_loop(j, bm::range(0, 64, 4), large[ty + j][tx])),
                                 bm::load(bm::for_loop(j, bm::range(0, 64, 4), large[tx][ty + j])));
  const auto plans = bm::plans_by_family(bm::nvidia::sm_32, kernel);
  REQUIRE(plans.size() == 6);
  for (std::size_t number = 0; number < plans.size(); ++number) {
    const auto& [family, plan] = plans[number];
    CHECK(static_cast<std::size_t>(family) == number);
    CHECK(plan.layout(0).permutation.family == family);
    CHECK(plan.after().conflicts() == 0);
    CHECK(plan.bytes() == (number == 0 ? 16640 : 16384));
    CHECK(plan.resident_blocks() == (number == 0 ? 2 : 3));
  }
  CHECK(bm::plans_by_family(bm::nvidia::sm_32, kernel, {.layouts = bm::layouts::rotation}).size() ==
        1);
  CHECK(
      bm::plans_by_family(bm::nvidia::sm_32, bm::kernel(bm::block_dim{32}, large[0][tx])).empty());
}

TEST_CASE("as the copy engine stores", "[plan][layout]") {
  using namespace bm::index;
  const auto halves = bm::shared_array<short>("halves", 64, 64),
             line = bm::shared_array<float>("line", 33);
  const auto kernel =
      bm::kernel(bm::block_dim{32}, bm::load(line[tx]),
                 bm::load(bm::for_loop(j, bm::range(0, 64, 8), bm::vectorized<8>(halves[tx][j]))));
  const auto plan = optimize(sm_90, kernel, {.copy_engine_bytes = 128, .keep = bm::arrays(line)});
  CHECK(plan.layout(halves).permutation == bm::copy_engine_swizzle(128, 2));
  CHECK(plan.layout(line) == line.layout);
  CHECK(plan.offset_bytes(halves) % 1024 == 0);
  CHECK(plan.alignment() == 1024);
  CHECK(plan.after().conflicts() == 0);
  CHECK(plan.before().conflicts() > 0);
  // rows of 132 bytes
  CHECK_THROWS_AS(optimize(sm_90, kernel, {.copy_engine_bytes = 128}), bm::error);
  // of 128
  CHECK_THROWS_AS(optimize(sm_90, kernel, {.copy_engine_bytes = 64, .keep = bm::arrays(line)}),
                  bm::error);
  CHECK_THROWS_AS(optimize(sm_90, kernel, {.copy_engine_bytes = 100, .keep = bm::arrays(line)}),
                  bm::error);
}
