// SPDX-License-Identifier: MIT
// Plans over every family: tiles of every width from 2 to 32, and to 64 with
// BANKMODEL_ALL_CASES in the environment, and every pair of common accesses,
// in the tile's own bytes and with room for padding, against every XOR swizzle, the bound of
// tables, and the oracle.
#include <bankmodel/host/search/bounds.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>

#include "catch.hpp"
#include "machines.hpp"
#include "permutations.hpp"
#include "run_plainly.hpp"

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace bm = bankmodel;
using bm::layout_family;
using bm::optimize;
using bm::nvidia::sm_90;

namespace {

// ---- accesses of a tile of so many rows and columns, of one size: so that one function serves
// every width ----

using expression = bm::access_expression<4, 96>;

template <int Wrappers, int Nodes>
expression widened(const bm::access_expression<Wrappers, Nodes>& source) {
  static_assert(Wrappers <= 4 && Nodes <= 96);
  expression result{};
  result.array = source.array;
  result.subscripts = source.subscripts;
  for (int d = 0; d < source.subscripts; ++d) result.subscript[d] = source.subscript[d];
  result.vector = source.vector;
  result.kind = source.kind;
  result.stated = source.stated;
  result.depth = source.depth;
  for (int level = 0; level < Wrappers; ++level) result.wrappers[level] = source.wrappers[level];
  for (int node = 0; node < Nodes; ++node) result.nodes[node] = source.nodes[node];
  return result;
}

struct named_access {
  std::string name;
  expression access;
};

// A block of w x h threads covers a tile of w x w in steps of h.
std::vector<named_access> accesses_of(int w, int h) {
  using namespace bm::index;
  const auto tile = bm::shared_array<float>("tile", w, w);
  const auto steps = bm::range(0, w, h);
  const auto each_row = [&](const auto& access) {
    return widened(bm::for_loop(j, steps, bm::if_threads(ty + j < w, access)));
  };
  std::vector<named_access> result{{"row", each_row(tile[ty + j][tx])},
                                   {"column", each_row(tile[tx][ty + j])},
                                   {"diagonal", each_row(tile[tx][(tx + ty + j) % w])}};
  if (w % 4 == 0)
    result.push_back({"vector", widened(bm::for_loop(
                                    j, steps,
                                    bm::if_threads(4 * (ty + j) < w,
                                                   bm::vectorized<4>(tile[tx][4 * (ty + j)]))))});
  if (w % 8 == 0 && h % 4 == 0) {  // each warp a block of 4 rows and 8 columns
    const auto blocks = [&](const auto& number) {
      return tile[4 * (number / (w / 8)) + lane / 8][8 * (number % (w / 8)) + lane % 8];
    };
    result.push_back(
        {"block", widened(bm::for_loop(j, bm::range(0, w * w / 32, w * h / 32),
                                       bm::if_threads(warp + j < w * w / 32, blocks(warp + j))))});
  }
  return result;
}

int rows_of_block(int w) {
  int h = 1;
  while (2 * h * w <= 1024 && 2 * h <= w) h *= 2;
  return h;
}

// By the tests' own definitions of permutations, run thread by thread.
std::uint64_t plain_wavefronts(const bm::block_dim& block, const expression& access,
                               const bm::layout& array_layout) {
  std::uint64_t sum = 0;
  const permuted::rows_of rows{{array_layout.extent[0], array_layout.extent[1]},
                               array_layout.padding()};
  const auto& m = tested_machines[0];
  expression packed = access;  // row and column in one number
  packed.array.layout = bm::row_major(array_layout.extent[0], array_layout.extent[1]);
  plainly::each_request(m.lanes, block, packed, [&](const plainly::request& lanes) {
    const auto address = plainly::by_lane(packed, lanes, [&](long long element) {
      return 4 * permuted::place_of(rows, array_layout.permutation,
                                    element / array_layout.extent[1],
                                    element % array_layout.extent[1]);
    });
    sum += counted(m, address, 4 * access.vector, access.kind == bm::access_kind::load).wavefronts;
  });
  return sum;
}

struct tally {
  int plans = 0, without_conflict = 0, proven = 0, above_a_table = 0;
  std::map<layout_family, int> families;
};

void compare(int w, const named_access& first, const named_access& second, bool own_bytes,
             tally& sum) {
  const bm::block_dim block{w, rows_of_block(w)};
  const auto kernel = bm::kernel(block, bm::store(first.access), bm::load(second.access));
  const long long bytes = 4ll * w * w;
  const auto plan =
      optimize(sm_90, kernel, {.shared_bytes = own_bytes ? bytes : 0, .effort = 1 << 24});
  const bm::layout array_layout = plan.layout("tile");
  INFO(w << " x " << w << ", " << first.name << " and " << second.name
         << (own_bytes ? " in its own bytes" : "") << ": " << plan.after().wavefronts
         << " wavefronts, at least " << plan.least_wavefronts() << ", ideal " << plan.after().ideal
         << ", family " << static_cast<int>(array_layout.permutation.family));

  // The plan's statements are true.
  const auto stored = bm::total(sm_90, block, bm::store(first.access)),
             loaded = bm::total(sm_90, block, bm::load(second.access));
  REQUIRE(plan.before().wavefronts == stored.wavefronts + loaded.wavefronts);
  REQUIRE(plan.after().wavefronts == plain_wavefronts(block, first.access, array_layout) +
                                         plain_wavefronts(block, second.access, array_layout));
  REQUIRE(plan.after().wavefronts <= plan.before().wavefronts);
  REQUIRE(plan.bytes() == 4 * array_layout.required_size());
  if (own_bytes) REQUIRE(plan.bytes() == bytes);
  REQUIRE(plan.is_optimal() == (plan.least_wavefronts() == plan.after().wavefronts));
  REQUIRE(plan.least_wavefronts() >= plan.after().ideal);

  const auto lowest = bm::possible(sm_90, kernel);
  REQUIRE(lowest.wavefronts <= plan.after().wavefronts);
  ++sum.plans;
  // Linear layouts are not exhausted: where one is possible, a plan with conflicts is not proven.
  sum.proven +=
      plan.is_optimal() || (bm::detail::is_power_of_two(w) && plan.after().conflicts() != 0);
  sum.without_conflict += plan.after().conflicts() == 0;
  sum.above_a_table += lowest.reached && plan.after().wavefronts > lowest.wavefronts;
  ++sum.families[array_layout.permutation.family];

  if (own_bytes && bm::detail::is_power_of_two(w)) {
    int bits = 0;
    while (1 << bits < w * w) ++bits;
    for (int count = 1; 2 * count <= bits; ++count)
      for (int base = 0; base + 2 * count <= bits; ++base)
        for (int shift = count; base + shift + count <= bits; ++shift)
          for (const int way : {shift, -shift}) {
            const bm::permutation p = bm::xor_swizzle(count, base, way);
            if (p.group < first.access.vector || p.group < second.access.vector) continue;
            expression swizzled = first.access, other = second.access;
            swizzled.array = other.array = swizzled.array.with(swizzled.array.layout.permuted(p));
            const auto wavefronts = bm::total(sm_90, block, swizzled).wavefronts +
                                    bm::total(sm_90, block, other).wavefronts;
            if (wavefronts < plan.after().wavefronts)
              FAIL("XOR " << count << ", " << base << ", " << way << " takes " << wavefronts);
          }
  }
}

}  // namespace

TEST_CASE("tiles of every width and every pair of accesses", "[plan][layout]") {
  for (const bool own_bytes : {true, false}) {
    tally sum;
    for (int w = 2; w <= 64; ++w) {
      // Half a minute is spent above 32. There, multiples of 8 and what follows them.
      if (w > 32 && w % 8 > 1 && std::getenv("BANKMODEL_ALL_CASES") == nullptr) continue;
      const auto accesses = accesses_of(w, rows_of_block(w));
      for (std::size_t first = 0; first < accesses.size(); ++first)
        for (std::size_t second = first; second < accesses.size(); ++second)
          compare(w, accesses[first], accesses[second], own_bytes, sum);
    }
    std::string families;
    for (const auto& [family, count] : sum.families)
      families +=
          ", " + std::to_string(count) + " of family " + std::to_string(static_cast<int>(family));
    WARN((own_bytes ? "in their own bytes: " : "with room for padding: ")
         << sum.plans << " plans, " << sum.without_conflict << " without a conflict, " << sum.proven
         << " proven, " << sum.above_a_table << " where a table would need fewer" << families);
    CHECK(sum.plans > 200);
    CHECK(sum.proven == sum.plans);
  }
}
