// SPDX-License-Identifier: MIT
// Small generated accesses to global memory in constant expressions, on a machine of each rule, of
// a block or a grid: the compiler evaluates traffic() within its default limits, and running every
// thread gives the same. BANKMODEL_SEEDS_FROM and BANKMODEL_SEEDS are set by the build.
#include <bankmodel/global.hpp>

#include "catch.hpp"
#include "global_cases.hpp"
#include "run_plainly.hpp"

#include <utility>

namespace bm = bankmodel;

namespace {

struct small_case {
  generated::one_case access;
  bool has_grid = false;
  bm::grid_dim grid;
};

// A case that needs more steps than a constant expression may take is replaced by another.
constexpr int light(int seed) { return seed == 1215 || seed == 1714 ? seed + 2000 : seed; }

// Two of three depend on the block, most of one of them in a grid.
constexpr small_case make_case(int seed) {
  small_case result;
  result.access =
      generated::generator(static_cast<unsigned long long>(light(seed)), generated::size::small)
          .make();
  generated::one_case& c = result.access;
  const int kind = seed % 3, d = seed % c.rank;
  const long long unit = d == c.rank - 1 ? c.vector : 1, factor = unit * (seed % 7 + 1);
  if (kind == 0) return result;
  // Extents are large enough for the case's own block.
  result.has_grid = kind == 2;
  for (int node = 0; node < c.count; ++node)
    if (c.nodes[node].op == 'v' && c.nodes[node].value == static_cast<int>(bm::variable::bx))
      result.has_grid = false;
  c.subscript[d] = generated::plus_block(c, c.subscript[d], seed % 2, factor);
  c.extent[d] += factor * 40;
  if (result.has_grid) result.grid = {2 + seed % 2, 1 + seed % 3, 1};
  return result;
}

// 1.2 has no rule for 12 bytes.
constexpr int rule_of(int seed) {
  const int rule = seed / 3 % generated::rules;
  const generated::one_case c = make_case(seed).access;
  return rule == 1 && c.element_bytes * c.vector == 12 ? 0 : rule;
}

constexpr bm::memory_traffic asked(int seed) {
  const small_case s = make_case(seed);
  const auto access = generated::for_global_memory(s.access);
  const bm::machine m = generated::machine_of_rule(rule_of(seed), s.access.own.lanes);
  return s.has_grid ? bm::traffic(m, generated::block_of(s.access), access, s.grid)
                    : bm::traffic(m, generated::block_of(s.access), access,
                                  bm::block_index{s.access.block_index, 1, 0});
}

template <int Seed>
constexpr bm::memory_traffic at_compile_time = asked(Seed);

bm::memory_traffic run(int seed) {
  const small_case s = make_case(seed);
  const generated::one_case& c = s.access;
  const auto access = generated::for_global_memory(c);
  const auto block = generated::block_of(c);
  bm::memory_traffic sum;
  const auto run_block = [&](const bm::block_index& grid_index) {
    for (int warp = 0; warp * c.own.lanes < c.block[0] * c.block[1] * c.block[2]; ++warp)
      plainly::each_request(plainly::run_warp(c.own.lanes, block, access, warp, grid_index),
                            [&](const plainly::request& touches) {
                              const auto address = [&](long long element) {
                                return c.base + element * c.element_bytes;
                              };
                              sum = sum + traffic_of(global_oracle::request(
                                              generated::memory_of_rule[rule_of(seed)],
                                              plainly::by_lane(access, touches, address),
                                              c.element_bytes * c.vector, !c.store));
                            });
  };
  if (!s.has_grid) run_block({c.block_index, 1, 0});
  for (int x = 0; s.has_grid && x < s.grid.x; ++x)
    for (int y = 0; y < s.grid.y; ++y) run_block({x, y, 0});
  return sum;
}

template <int... Seeds>
void compare(std::integer_sequence<int, Seeds...>) {
  const bm::memory_traffic constants[] = {at_compile_time<BANKMODEL_SEEDS_FROM + Seeds>...};
  int seed = BANKMODEL_SEEDS_FROM;
  for (const auto& constant : constants) {
    INFO("seed " << seed << ": " << text(constant) << "; counting " << text(run(seed)));
    CHECK(constant == asked(seed));
    CHECK(constant == run(seed));
    ++seed;
  }
}

}  // namespace

TEST_CASE(
    "the same traffic in a constant expression and by running every thread, seeds "
    "from " BANKMODEL_SEEDS_TEXT,
    "[global]") {
  compare(std::make_integer_sequence<int, BANKMODEL_SEEDS>{});
}
