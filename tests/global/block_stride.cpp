// SPDX-License-Identifier: MIT
// The block stride of accesses, compared with the bytes that every thread of every block touches.
#include "catch.hpp"

#include <bankmodel/analyze.hpp>
#include <bankmodel/global.hpp>
#include <bankmodel/layout/families.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "breaks.hpp"
#include "dice.hpp"
#include "run_plainly.hpp"

namespace bm = bankmodel;
using namespace bm::index;
using bm::axis;
using bm::sharing;

namespace {

using bytes_of_block = std::set<long long>;

// ---- the definition, byte by byte ----

// Nothing if a subscript is outside its extent.
template <class Access>
bool add_bytes(const Access& access, const bm::block_dim& block, const bm::block_index& grid_index,
               bool bounded, bytes_of_block& result) {
  const int threads = block.x * block.y * block.z;
  for (int warp = 0; warp * 32 < threads; ++warp)
    for (const plainly::touch& lane : plainly::run_warp(32, block, access, warp, grid_index)) {
      long long element = 0;
      for (int d = 0; d < access.subscripts; ++d) {
        const long long subscript = lane.subscripts[static_cast<std::size_t>(d)],
                        tail = d == access.subscripts - 1 ? access.vector - 1 : 0;
        if (bounded && (subscript < 0 || subscript + tail >= access.array.layout.extent[d]))
          return false;
        element += subscript * access.array.layout.stride[d];
      }
      const long long begin = access.array.base_bytes + element * access.array.element_bytes;
      for (long long byte = 0; byte < access.vector * access.array.element_bytes; ++byte)
        result.insert(begin + byte);
    }
  return true;
}

template <class... Accesses>
std::optional<bytes_of_block> touched(const bm::block_dim& block, const bm::block_index& grid_index,
                                      bool bounded, const Accesses&... accesses) {
  bytes_of_block result;
  if (!(add_bytes(accesses, block, grid_index, bounded, result) && ...)) return {};
  return result;
}

long long common(const bytes_of_block& a, const bytes_of_block& b) {
  return std::count_if(a.begin(), a.end(), [&](long long byte) { return b.count(byte) != 0; });
}
bytes_of_block moved(const bytes_of_block& a, long long distance) {
  bytes_of_block result;
  for (const long long byte : a) result.insert(byte + distance);
  return result;
}

// What comparing these blocks shows; `unguarded` are the bytes of blocks without their guards.
bm::block_sharing compared(const std::vector<bytes_of_block>& blocks,
                           const bm::block_sharing* unguarded) {
  bm::block_sharing result;
  result.blocks = static_cast<long long>(blocks.size());
  result.touched_bytes = static_cast<long long>(blocks[0].size());
  bool even = true, two_are_whole = false;
  std::optional<long long> stride;
  for (std::size_t number = 1; number < blocks.size(); ++number) {
    const bytes_of_block &a = blocks[number - 1], &b = blocks[number];
    result.overlap_bytes = std::max(result.overlap_bytes, common(a, b));
    if (unguarded != nullptr)
      two_are_whole =
          two_are_whole ||
          (a.size() == static_cast<std::size_t>(unguarded->touched_bytes) && b.size() == a.size());
    if (a.empty() || b.empty()) {
      even = false;
      continue;
    }
    if (!stride) stride = *b.begin() - *a.begin();
    even = even && moved(a, *stride) == b;
  }
  if (!even && two_are_whole) {
    result = *unguarded;
    result.proven = false;
    result.blocks = static_cast<long long>(blocks.size());
    return result;
  }
  if (!even) return result;
  result.bytes = *stride;
  result.relation = *stride == 0                ? sharing::the_same
                    : result.overlap_bytes != 0 ? sharing::overlapping
                                                : sharing::exclusive;
  for (std::size_t distance = 2; distance < blocks.size() && result.shares_again_after == 0;
       ++distance)
    if (common(blocks[0], blocks[distance]) != 0)
      result.shares_again_after = static_cast<long long>(distance);
  return result;
}

const std::vector<bytes_of_block> nothing;

struct seen {
  int proven = 0, observed = 0, refused = 0, guarded = 0, far = 0;
  std::map<sharing, int> relations;
};

// Checks one result. `bare`: if conditions depend on the block's index, what blocks would touch
// without them.
template <class... Accesses>
void check(const bm::block_dim& block, const bm::blocks_along& wanted,
           const std::vector<bytes_of_block>& bare, seen& totals, const Accesses&... accesses) {
  const bool guarded = !bare.empty();
  constexpr long long most_blocks = 40;
  bm::blocks_along sequence = wanted;
  // The blocks along the axis from its beginning that are within the extents.
  std::vector<bytes_of_block> blocks;
  long long begin = -1;
  bool ends = false;
  for (long long number = 0; number < most_blocks; ++number) {
    bm::blocks_along from_zero = sequence;
    (sequence.axis == axis::x   ? from_zero.first.x
     : sequence.axis == axis::y ? from_zero.first.y
                                : from_zero.first.z) = 0;
    const auto bytes = touched(block, from_zero.block(number), true, accesses...);
    if (!bytes && begin >= 0) {
      ends = true;
      break;
    }
    if (!bytes) continue;
    if (begin < 0) begin = number;
    blocks.push_back(*bytes);
  }
  if (begin < 0) return;
  const long long first = begin + static_cast<long long>(blocks.size() > 2 ? blocks.size() / 3 : 0);
  (sequence.axis == axis::x   ? sequence.first.x
   : sequence.axis == axis::y ? sequence.first.y
                              : sequence.first.z) = first;
  bm::block_sharing result;
  std::string refused;
  try {
    result = bm::block_stride(block, sequence, accesses...);
  } catch (const bm::error& failure) {
    refused = failure.rule();
  }
  const auto compare = [&] {
    std::vector<bytes_of_block> some;
    for (long long number = 0; number < sequence.count; ++number) {
      const long long index = first - begin + number;
      if (index >= static_cast<long long>(blocks.size())) return some;
      some.push_back(blocks[static_cast<std::size_t>(index)]);
    }
    return some;
  };
  if (!refused.empty()) {
    ++totals.refused;
    const auto some = compare();
    INFO(refused);
    if (refused == "blocks_must_touch_memory")
      REQUIRE((guarded ||
               std::all_of(some.begin(), some.end(),
                           [](const bytes_of_block& block_bytes) { return block_bytes.empty(); })));
    else
      REQUIRE((refused == "subscripts_must_lie_within_their_extent" &&
               some.size() < static_cast<std::size_t>(sequence.count)));
    return;
  }
  ++totals.relations[result.relation];
  if (!result.proven) {
    ++totals.observed;
    const auto some = compare();
    REQUIRE(some.size() == static_cast<std::size_t>(sequence.count));
    bm::block_sharing unguarded;
    if (guarded) unguarded = compared(bare, nullptr);
    const bm::block_sharing expected =
        compared(some, guarded && !bare[0].empty() ? &unguarded : nullptr);
    REQUIRE(result.relation == expected.relation);
    REQUIRE(result.bytes == expected.bytes);
    REQUIRE(result.overlap_bytes == expected.overlap_bytes);
    REQUIRE(result.touched_bytes == expected.touched_bytes);
    const long long repeat = result.shares_again_after;
    // `bare` does not know where the array ends, and has 40 blocks.
    if (!guarded || (repeat != 0 && repeat < static_cast<long long>(bare.size())))
      REQUIRE(repeat == expected.shares_again_after);
    REQUIRE(result.blocks == sequence.count);
    return;
  }
  ++totals.proven;
  totals.guarded += guarded;
  REQUIRE(result.blocks == 0);
  if (result.relation == sharing::unrelated) {
    std::set<long long> distances;
    const auto add = [&](const auto& access) {
      const auto touch = [&](long long number) {
        return *touched(block, sequence.block(number), false, access);
      };
      const bytes_of_block base = touch(0), other = touch(1);
      if (!base.empty()) distances.insert(*other.begin() - *base.begin());
    };
    (add(accesses), ...);
    REQUIRE(distances.size() > 1);
    REQUIRE(result.bytes == 0);
    REQUIRE(result.overlap_bytes == 0);
    return;
  }
  long long repeat = 0;
  for (std::size_t a = 0; a < blocks.size(); ++a) {
    if (!guarded) REQUIRE(static_cast<long long>(blocks[a].size()) == result.touched_bytes);
    for (std::size_t b = a + 1; b < blocks.size(); ++b) {
      const auto distance = static_cast<long long>(b - a);
      if (guarded) {
        REQUIRE(common(blocks[a], blocks[b]) == 0);
        continue;
      }
      if (distance == 1) {
        REQUIRE(moved(blocks[a], result.bytes) == blocks[b]);
        REQUIRE(common(blocks[a], blocks[b]) == result.overlap_bytes);
      } else if (a == 0 && repeat == 0 && common(blocks[a], blocks[b]) != 0) {
        repeat = distance;
      }
    }
  }
  if (guarded) {
    REQUIRE(result.relation == sharing::exclusive);
    REQUIRE(result.shares_again_after == 0);
    return;
  }
  totals.far += result.relation == sharing::exclusive && repeat != 0;
  REQUIRE((result.relation == sharing::the_same) == (result.bytes == 0));
  REQUIRE((result.relation == sharing::exclusive) == (result.overlap_bytes == 0));
  if (result.relation == sharing::the_same)
    REQUIRE(result.shares_again_after == 2);
  else if (repeat != 0 || ends)
    REQUIRE(result.shares_again_after == repeat);
  else
    REQUIRE((result.shares_again_after == 0 ||
             result.shares_again_after >= static_cast<long long>(blocks.size())));
}

std::uint64_t first_seed() {
  const char* const text = std::getenv("BANKMODEL_FIRST_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}
int cases() {
  const char* const text = std::getenv("BANKMODEL_STRIDES");
  return text == nullptr ? 3000 : std::atoi(text);
}

bm::block_dim some_block(dice& d) {
  switch (d.number(0, 4)) {
    case 0: return {static_cast<int>(d.one_of({1, 4, 8, 16, 32, 33, 48, 64})), 1, 1};
    case 1:
      return {static_cast<int>(d.one_of({4, 8, 16, 32})), static_cast<int>(d.number(1, 4)), 1};
    case 2: return {static_cast<int>(d.number(1, 20)), static_cast<int>(d.number(1, 4)), 1};
    case 3:
      return {static_cast<int>(d.number(1, 6)), static_cast<int>(d.number(1, 4)),
              static_cast<int>(d.number(1, 3))};
    default: return {32, static_cast<int>(d.number(1, 3)), 1};
  }
}

}  // namespace

TEST_CASE("generated affine accesses, byte by byte") {
  seen totals;
  for (int number = 0; number < cases(); ++number) {
    const std::uint64_t seed = first_seed() + static_cast<std::uint64_t>(number);
    dice d{std::mt19937_64(seed)};
    const bm::block_dim block = some_block(d);
    const auto way = static_cast<axis>(d.number(0, 2));
    const long long rows = d.number(1, 60), columns = d.number(1, 400);
    bm::array_description a = d.number(0, 2) == 0   ? bm::global_array<short>("a", rows, columns)
                              : d.number(0, 1) == 0 ? bm::global_array<double>("a", rows, columns)
                                                    : bm::global_array<float>("a", rows, columns);
    if (d.number(0, 3) == 0)
      a = bm::with_row_stride(a, (columns + d.number(0, 40)) * a.element_bytes);
    if (d.number(0, 3) == 0) a = a.at(d.number(0, 9) * a.element_bytes);
    const long long offset = d.one_of({0, 0, 0, 40, 300}), in_row = d.one_of({0, 0, 1, 5});
    const long long row_x = d.one_of({0, 0, 0, 1, -1}), row_y = d.one_of({0, 1, 1, 3}),
                    column_x = d.one_of({0, 1, 1, 2, 4, 8, block.x, block.x, -1, -8, 33}),
                    column_y = d.one_of({0, 0, block.x, 1}), column_z = d.one_of({0, 5, 16}),
                    t_row = d.one_of({0, 0, 1}), t_column = d.one_of({1, 1, 1, 2, 3, 0, -1, 10}),
                    ty_row = d.one_of({0, 1, 2}), ty_column = d.one_of({0, 0, block.x, 7}),
                    j_row = d.one_of({0, 0, 1, 4}), j_column = d.one_of({0, 1, 16, 40, -4}),
                    tz_row = d.one_of({0, 1}), trips = d.number(1, 6), limit = d.number(0, 40);
    const auto access = [&](long long by_row, long long by_column) {
      return a[in_row + by_row + row_x * bx + row_y * by + t_row * tx + ty_row * ty + j_row * j +
               tz_row * tz][offset + by_column + column_x * bx + column_y * by + column_z * bz +
                            t_column * tx + ty_column * ty + j_column * j];
    };
    const auto looped = [&](const auto& body) {
      return bm::load(bm::for_loop(j, bm::range(0, trips), body));
    };
    const auto plain = looped(access(0, 0));
    const auto halo = looped(access(d.one_of({0, 0, 1}), d.one_of({0, 1, 2, 7, 30})));
    const bm::blocks_along blocks{
        way, d.number(2, 5), {d.number(0, 1), d.number(0, 1), d.number(0, 1)}};
    INFO("seed " << seed);
    switch (d.number(0, 7)) {
      case 0:
      case 1: check(block, blocks, nothing, totals, plain); break;
      case 2:
      case 3: check(block, blocks, nothing, totals, plain, halo); break;
      case 4: check(block, blocks, nothing, totals, bm::if_threads(tx < limit, plain), halo); break;
      case 5:
        check(block, blocks, nothing, totals,
              looped(bm::if_threads(tx + ty < j + limit, access(0, 0))));
        break;
      case 6: check(block, blocks, nothing, totals, plain, bm::load(a[ty][tx + 3 * bx])); break;
      default: {
        std::vector<bytes_of_block> bare;
        for (long long index = 0; index < 40; ++index)
          bare.push_back(*touched(block, blocks.block(index), false, plain));
        check(block, blocks, bare, totals,
              bm::if_threads(block.x * bx + tx < limit * d.number(1, 10) && by + ty < 50, plain));
      }
    }
  }
  CHECK(totals.proven > cases() / 3);
  CHECK(totals.relations[sharing::exclusive] > cases() / 20);
  CHECK(totals.relations[sharing::overlapping] > cases() / 20);
  CHECK(totals.relations[sharing::the_same] > cases() / 20);
  CHECK(totals.relations[sharing::unrelated] > cases() / 50);
  CHECK(totals.far > 0);
  CHECK(totals.guarded > cases() / 100);
  WARN("proven " << totals.proven << ", observed " << totals.observed << ", refused "
                 << totals.refused << ", behind guards " << totals.guarded << ", far " << totals.far
                 << ": exclusive " << totals.relations[sharing::exclusive] << ", overlapping "
                 << totals.relations[sharing::overlapping] << ", the same "
                 << totals.relations[sharing::the_same] << ", unrelated "
                 << totals.relations[sharing::unrelated]);
}

TEST_CASE("generated accesses that are not linear in the block, byte by byte") {
  seen totals;
  for (int number = 0; number < cases() / 3; ++number) {
    const std::uint64_t seed = first_seed() + static_cast<std::uint64_t>(number);
    dice d{std::mt19937_64(seed)};
    const bm::block_dim block = some_block(d);
    const auto a = bm::global_array<float>("a", 64, 512);
    const long long rows = d.number(1, 9), s = d.one_of({1, 8, 16, 32, block.x});
    const bm::blocks_along blocks{axis::x, d.number(2, 8), {d.number(0, 6), d.number(0, 3), 0}};
    INFO("seed " << seed);
    switch (d.number(0, 6)) {
      case 0: check(block, blocks, nothing, totals, bm::load(a[bx % rows][s * tx + ty])); break;
      case 1: check(block, blocks, nothing, totals, bm::load(a[ty][(bx ^ tx) + s * ty])); break;
      case 2: check(block, blocks, nothing, totals, bm::load(a[ty][bx * bx + tx])); break;
      case 3:
        check(block, blocks, nothing, totals, bm::load(a[(bx + by) % rows][s * bx + tx]));
        break;
      case 4: check(block, blocks, nothing, totals, bm::load(a[ty][bx * tx])); break;
      case 5:
        check(block, blocks, nothing, totals,
              bm::load(bm::for_loop(j, bm::range(block.x * bx + tx, 40 * rows, s), a[ty][j])));
        break;
      default: check(block, blocks, nothing, totals, bm::load(a[bx / rows][s * tx + min(bx, 3)]));
    }
  }
  CHECK(totals.proven == 0);
  CHECK(totals.observed > cases() / 6);
  WARN("observed " << totals.observed << ", refused " << totals.refused);
}

// ---- accesses by name ----

namespace {

constexpr auto input = bm::global_array<float>("in", 1024, 1024);
constexpr auto vector_of = bm::global_array<float>("v", bm::unknown_extent);
constexpr auto tile_block = bm::block_dim{32, 8};

// At run time: no constant that a compiler would try to compute.
template <class... Accesses>
bm::block_sharing runtime_sharing(const bm::block_dim& block, const bm::blocks_along& blocks,
                                  const Accesses&... accesses) {
  return bm::block_stride(block, blocks, accesses...);
}
template <class... Accesses>
bm::block_sharing runtime_sharing(const bm::machine& gpu, const bm::block_dim& block,
                                  const bm::blocks_along& blocks, const Accesses&... accesses) {
  return bm::block_stride(gpu, block, blocks, accesses...);
}

// A request class: `bytes` bytes at byte `base`, repeated.
bm::request_class repeated(long long base, int bytes,
                           std::initializer_list<bm::progression> loops) {
  bm::request_class result;
  result.lanes.active = 1;
  result.lanes.bytes = bytes;
  result.base = base;
  for (const bm::progression& loop : loops) result.loop[result.loops++] = loop;
  return result;
}

}  // namespace

TEST_CASE("the accesses of the report") {
  // II C: A[blockIdx.x * blockDim.x + threadIdx.x] has the block stride blockDim.x.
  constexpr auto simple =
      bm::block_stride(bm::block_dim{128}, axis::x, bm::load(vector_of[128 * bx + tx]));
  static_assert(simple.relation == sharing::exclusive && simple.bytes == 4 * 128 && simple.proven &&
                simple.shares_again_after == 0 && simple.touched_bytes == 512);
  static_assert(bm::placement_of(simple) == bm::placement{bm::interleaving::coarse, 512});
  // III: if the block's index is not found, all blocks access the same places.
  constexpr auto shared = bm::block_stride(bm::block_dim{128}, axis::x, bm::load(vector_of[tx]));
  static_assert(shared.relation == sharing::the_same && shared.bytes == 0 && shared.proven);
  static_assert(shared.overlap_bytes == 512 && shared.shares_again_after == 2);
  static_assert(bm::placement_of(shared) == bm::placement{bm::interleaving::fine, 0});
  constexpr auto halo =
      bm::block_stride(bm::block_dim{128}, axis::x, bm::load(vector_of[128 * bx + tx]),
                       bm::load(vector_of[128 * bx + tx + 2]));
  static_assert(halo.relation == sharing::overlapping && halo.overlap_bytes == 8 &&
                halo.bytes == 512 && halo.touched_bytes == 520 && halo.shares_again_after == 0);
  static_assert(bm::placement_of(halo) == bm::placement{bm::interleaving::coarse, 512});
  constexpr auto backwards = bm::block_stride(bm::block_dim{128}, {axis::x, 4, {5, 0, 0}},
                                              bm::load(vector_of[1000 - 128 * bx + tx]));
  static_assert(backwards.relation == sharing::exclusive && backwards.bytes == -512);
  static_assert(bm::placement_of(backwards).bytes == 512);
  // Positions that move by different amounts.
  constexpr auto two =
      bm::block_stride(bm::block_dim{128}, axis::x, bm::load(vector_of[128 * bx + tx]),
                       bm::load(vector_of[256 * bx + tx]));
  static_assert(two.relation == sharing::unrelated && two.proven && two.bytes == 0);
  static_assert(bm::placement_of(two).grain == bm::interleaving::fine);
}

TEST_CASE("tiles of a matrix") {
  constexpr auto by_row =
      bm::load(bm::for_loop(j, bm::range(0, 32, 8), input[32 * by + ty + j][32 * bx + tx]));
  constexpr auto along_x = bm::block_stride(tile_block, axis::x, by_row);
  static_assert(along_x.relation == sharing::exclusive && along_x.bytes == 128 && along_x.proven &&
                along_x.touched_bytes == 4096);
  // Block 32 would be in the next rows, but there the row ends.
  static_assert(along_x.shares_again_after == 0);
  constexpr auto along_y = bm::block_stride(tile_block, axis::y, by_row);
  static_assert(along_y.relation == sharing::exclusive && along_y.bytes == 32 * 4096);
  constexpr auto along_z = bm::block_stride(tile_block, axis::z, by_row);
  static_assert(along_z.relation == sharing::the_same);

  // The same of a pointer: nothing ends the row.
  constexpr auto flat = bm::block_stride(
      tile_block, axis::x,
      bm::load(bm::for_loop(j, bm::range(0, 32, 8), vector_of[1024 * (ty + j) + 32 * bx + tx])));
  static_assert(flat.relation == sharing::exclusive && flat.shares_again_after == 32);

  // A stencil of five points, with and without its guard.
  const auto five = [](const auto&... filter) {
    const auto points = [] {
      return bm::load(input[32 * by + ty][32 * bx + tx], input[32 * by + ty - 1][32 * bx + tx],
                      input[32 * by + ty + 1][32 * bx + tx], input[32 * by + ty][32 * bx + tx - 1],
                      input[32 * by + ty][32 * bx + tx + 1]);
    };
    return bm::if_threads((... && filter), points());
  };
  const auto stencil =
      runtime_sharing(bm::block_dim{32, 32}, {axis::x, 4, {1, 1, 0}}, five(tx >= 0));
  CHECK(stencil.relation == sharing::overlapping);
  CHECK(stencil.proven);
  CHECK(stencil.overlap_bytes == 32 * 2 * 4);
  CHECK(stencil.touched_bytes == 4 * (32 * 32 + 4 * 32));
  const auto guarded = runtime_sharing(
      bm::block_dim{32, 32}, {axis::x, 4, {0, 1, 0}},
      five(32 * bx + tx > 0, 32 * bx + tx < 1023, 32 * by + ty > 0, 32 * by + ty < 1023));
  CHECK(guarded.relation == sharing::overlapping);
  CHECK_FALSE(guarded.proven);
  CHECK(guarded.overlap_bytes == 32 * 2 * 4);
  CHECK(guarded.bytes == 128);
  CHECK(guarded.blocks == 4);

  // Guards at the edge of exclusive places change nothing.
  constexpr auto edge =
      bm::block_stride(bm::block_dim{256}, axis::x,
                       bm::load(bm::if_threads(256 * bx + tx < 1000,
                                               bm::global_array<float>("a", 1000)[256 * bx + tx])));
  static_assert(edge.relation == sharing::exclusive && edge.bytes == 1024 && edge.proven);
}

TEST_CASE("rows and loops that no list could hold") {
  constexpr long long rows = 1ll << 30;
  constexpr auto matrix = bm::global_array<float>("matrix", rows, 1024);
  constexpr auto all_rows =
      bm::block_stride(bm::block_dim{32}, axis::x,
                       bm::load(bm::for_loop(j, bm::range(0, rows), matrix[j][32 * bx + tx])),
                       bm::load(bm::for_loop(j, bm::range(0, rows), matrix[j][32 * bx + tx + 3])));
  static_assert(all_rows.relation == sharing::overlapping && all_rows.bytes == 128);
  static_assert(all_rows.overlap_bytes == 12 * rows && all_rows.touched_bytes == 140 * rows);
  static_assert(all_rows.shares_again_after == 0);
  // Elements of a row 1024 apart: block 1024 would come back to the second row.
  constexpr auto distant = bm::block_stride(
      bm::block_dim{32}, axis::x,
      bm::load(bm::for_loop(j, bm::range(0, 1ll << 20), vector_of[1024 * (32 * j + tx) + bx])));
  static_assert(distant.relation == sharing::exclusive && distant.shares_again_after == 1024);
  // The same in bytes, where the first shared byte is a whole number of blocks away.
  constexpr auto bytes = bm::global_array<unsigned char>("bytes", bm::unknown_extent);
  constexpr auto two =
      bm::block_stride(bm::block_dim{1, 2}, axis::x, bm::load(bytes[1024 * ty + bx]));
  static_assert(two.relation == sharing::exclusive && two.shares_again_after == 1024);
}

TEST_CASE("nests of loops, at each distance") {
  dice d{std::mt19937_64(7)};
  for (int number = 0; number < 3000; ++number) {
    bm::request_class classes[3];
    const auto count = static_cast<int>(d.number(1, 3));
    const bm::progression outer{d.number(1, 200), d.number(1, 4)}, next{d.number(-60, 60), 3};
    std::set<long long> bytes;
    for (int index = 0; index < count; ++index) {
      classes[index] = repeated(500 + d.number(0, 20), static_cast<int>(d.one_of({1, 2, 4, 8})),
                                {{d.number(-9, 9), d.number(1, 5)}, next, outer});
      bm::for_each_base(classes[index], [&](long long base, std::uint64_t) {
        for (int byte = 0; byte < classes[index].lanes.bytes; ++byte) bytes.insert(base + byte);
        return true;
      });
    }
    bm::detail::common_repeats first;
    for (int index = 0; index < count; ++index) first(classes[index]);
    bm::detail::touched_places places(first);
    for (int index = 0; index < count; ++index) places(classes[index]);
    places.tidy();
    INFO("number " << number);
    REQUIRE(places.bytes() == static_cast<long long>(bytes.size()));
    REQUIRE(places.extent() == *bytes.rbegin() - *bytes.begin() + 1);
    long long gap = bm::detail::no_gap;
    for (long long shift = places.extent() + 1; shift >= -3; --shift) {
      const long long shared = common(moved(bytes, shift), bytes);
      gap = shared != 0 ? 0 : gap == bm::detail::no_gap ? gap : gap + 1;
      REQUIRE(places.common_bytes(shift) == shared);
      REQUIRE(places.gap(shift) == gap);
      if (shift % 7 == 0) REQUIRE(places.common_bytes(-shift) == shared);
    }
  }
}

TEST_CASE("accesses that are compared block by block") {
  const auto a = bm::global_array<float>("a", 64, 64);
  // Blocks in diagonal order: the next block of a row is in the next row.
  const auto diagonal =
      runtime_sharing(bm::block_dim{32}, {axis::x, 4, {0, 1, 0}}, bm::load(a[(bx + by) % 8][tx]));
  CHECK(diagonal.relation == sharing::exclusive);
  CHECK(diagonal.bytes == 256);
  CHECK_FALSE(diagonal.proven);
  CHECK(diagonal.blocks == 4);
  // .. until they come to the first one again.
  CHECK(runtime_sharing(bm::block_dim{32}, {axis::x, 9, {0, 1, 0}}, bm::load(a[(bx + by) % 8][tx]))
            .relation == sharing::unrelated);
  // A permutation of threads.
  const auto permuted = runtime_sharing(bm::block_dim{32}, axis::x, bm::load(a[0 * tx][bx ^ tx]));
  CHECK(permuted.relation == sharing::the_same);
  CHECK_FALSE(permuted.proven);
  const auto squares =
      runtime_sharing(bm::block_dim{4}, axis::x, bm::load(a[0 * tx][bx * bx + tx]));
  CHECK(squares.relation == sharing::unrelated);
  CHECK(squares.overlap_bytes == 12);
  CHECK(squares.touched_bytes == 16);
  // A grid-stride loop.
  const auto strided =
      runtime_sharing(bm::block_dim{64}, axis::x,
                      bm::load(bm::for_loop(i, bm::range(64 * bx + tx, 4096, 512), vector_of[i])));
  CHECK(strided.relation == sharing::exclusive);
  CHECK(strided.bytes == 256);
  CHECK(strided.touched_bytes == 8 * 256);
  // A swizzled array.
  const auto swizzled =
      runtime_sharing(bm::block_dim{32}, axis::x,
                      bm::load(a.with(a.layout.permuted(bm::rotation(1)))[bx + 0 * tx][tx]));
  CHECK_FALSE(swizzled.proven);
  CHECK(swizzled.blocks == 4);
  // Lanes are those of a machine.
  const auto of_lanes = runtime_sharing(bm::nvidia::sm_90, bm::block_dim{64}, axis::x,
                                        bm::load(vector_of[64 * bx + 32 * warp + lane]));
  CHECK(of_lanes.relation == sharing::exclusive);
  CHECK(of_lanes.bytes == 256);
  CHECK(of_lanes.proven);
  // An access that no thread makes does not count.
  const auto dead = runtime_sharing(bm::block_dim{32}, axis::x, bm::load(vector_of[32 * bx + tx]),
                                    bm::if_threads(tx > 40, bm::load(vector_of[tx])));
  CHECK(dead.relation == sharing::exclusive);
  CHECK(dead.proven);
}

TEST_CASE("addresses from an index array, and requests from a trace") {
  std::vector<int> index(1024);
  for (int position = 0; position < 1024; ++position)
    index[static_cast<std::size_t>(position)] = position ^ 5;
  const auto address = [&](long long number, long long thread) {
    return 4ll * index[static_cast<std::size_t>(256 * number + thread)];
  };
  const auto sorted = bm::block_stride_of_addresses(4, 256, 4, address);
  CHECK(sorted.relation == sharing::exclusive);
  CHECK(sorted.bytes == 1024);
  CHECK(sorted.touched_bytes == 1024);
  CHECK_FALSE(sorted.proven);
  CHECK(sorted.blocks == 4);
  index[700] = 3;
  const auto torn = bm::block_stride_of_addresses(4, 256, 4, address);
  CHECK(torn.relation == sharing::unrelated);
  CHECK(torn.bytes == 0);
  CHECK(bm::block_stride_of_addresses(2, 256, 4, address).relation == sharing::exclusive);
  // The report: only index arrays that do not depend on the block have a stride.
  const auto by_thread = bm::block_stride_of_addresses(3, 256, 4, [&](long long b, long long t) {
    return 4 * (index[static_cast<std::size_t>(t)] + 300 * b);
  });
  CHECK(by_thread.relation == sharing::exclusive);
  CHECK(by_thread.bytes == 1200);
  // Threads without an access.
  const auto some = bm::block_stride_of_addresses(
      3, 64, 8, [](long long b, long long t) { return t < 3 ? 16 * t + 48 * b : -1; });
  CHECK(some.relation == sharing::exclusive);
  CHECK(some.touched_bytes == 24);

  const auto trace = [](long long b, auto& visit) { visit(repeated(512 * b, 4, {{4, 130}})); };
  const auto traced = bm::block_stride_of_requests(3, trace);
  CHECK(traced.relation == sharing::overlapping);
  CHECK(traced.overlap_bytes == 8);
  CHECK(traced.shares_again_after == 0);
}

TEST_CASE("block_stride() names what it refuses") {
  const auto other = bm::global_array<float>("in", 1024, 1024);
  const bm::block_dim block{32};
  const auto stride = [&](const bm::blocks_along& blocks, const auto&... accesses) {
    return rule_of([&] { (void)runtime_sharing(block, blocks, accesses...); });
  };
  const auto row = bm::load(input[ty][32 * bx + tx]);
  CHECK(stride(axis::x, row, bm::load(other[ty][tx])) ==
        "block_stride_must_be_asked_of_one_array_in_global_memory");
  CHECK(stride(axis::x, bm::load(bm::shared_array<float>("s", 32)[tx])) ==
        "block_stride_must_be_asked_of_one_array_in_global_memory");
  CHECK(stride(axis::x, bm::load(input[ty][lane])) == "lanes_and_warps_must_be_those_of_a_machine");
  CHECK(stride(axis::x, bm::if_threads(warp < 1, row)) ==
        "lanes_and_warps_must_be_those_of_a_machine");
  CHECK(stride(axis::x, bm::if_threads(tx > 40, row)) == "blocks_must_touch_memory");
  CHECK(stride(axis::x, bm::access_list<>{}) == "blocks_must_touch_memory");
  CHECK(stride(axis::x, bm::if_threads(bx < 0, bm::load(input[ty][tx]))) ==
        "blocks_must_touch_memory");
  CHECK(stride({axis::x, 1}, row) == "at_least_two_blocks_must_be_compared");
  CHECK(stride({axis::x, 2, {-1, 0, 0}}, row) == "block_indices_must_not_be_negative");
  CHECK(stride(axis::x, input[ty]) == "too_few_subscripts");
  CHECK(stride({axis::x, 4, {40, 0, 0}}, row) == "subscripts_must_lie_within_their_extent");
  CHECK(stride({axis::x, 40}, bm::load(input[bx * bx][tx])) ==
        "subscripts_must_lie_within_their_extent");
  // 5 000 rows whose distances are not equal.
  CHECK(
      stride(axis::x, bm::load(bm::for_loop(j, bm::range(0, 5000), vector_of[bx + j * j * 64]))) ==
      "the_places_of_a_block_must_be_few_enough_to_compare");
  CHECK(rule_of([] {
          (void)bm::block_stride_of_addresses(1, 32, 4,
                                              [](long long, long long t) { return 4 * t; });
        }) == "at_least_two_blocks_must_be_compared");
  CHECK(rule_of([] {
          (void)bm::block_stride_of_addresses(2, 32, 0,
                                              [](long long, long long t) { return 4 * t; });
        }) == "blocks_must_touch_memory");
  CHECK(rule_of([] {
          (void)bm::block_stride_of_addresses(2, 32, 4, [](long long, long long) { return -1; });
        }) == "blocks_must_touch_memory");
  CHECK(rule_of([] {
          (void)bm::block_stride_of_addresses(2, 5000, 4,
                                              [](long long, long long t) { return 8 * t; });
        }) == "the_places_of_a_block_must_be_few_enough_to_compare");
  // In order or not, as many as fit.
  CHECK(bm::block_stride_of_addresses(2, 4096, 4, [](long long b, long long t) {
          return 8 * (4095 - t) + 4 * b;
        }).relation == sharing::exclusive);
}

// ---- constants ----

namespace {

// A small access from a seed, by a generator that compilers can run too.
template <int Seed>
constexpr auto small_stride() {
  std::uint64_t state = static_cast<std::uint64_t>(Seed) * 0x9e3779b97f4a7c15u + 1;
  const auto roll = [&](int limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int>((state >> 33) % static_cast<std::uint64_t>(limit));
  };
  const int row = roll(3), column = roll(40), stride = roll(4), ty_row = roll(2), by_j = roll(20),
            halo = roll(5), trips = roll(5) + 1, x = roll(40) + 1, y = roll(3) + 1, way = roll(3),
            last = roll(50);
  const auto a = bm::global_array<float>("a", 64, 1024);
  const auto body = [&](int offset) {
    return bm::load(bm::for_loop(
        j, bm::range(0, trips),
        a[row * by + ty_row * ty + j % 2][column * bx + stride * tx + by_j * j + offset]));
  };
  const bm::blocks_along blocks{static_cast<axis>(way), 3};
  const bm::block_dim block{x, y};
  if (Seed % 3 == 0) return bm::block_stride(block, blocks, body(0));
  if (Seed % 3 == 1) return bm::block_stride(block, blocks, body(0), body(halo));
  return bm::block_stride(block, blocks, bm::if_threads(x * bx + tx <= last, body(0)));
}

template <int Seed>
bool agrees() {
  constexpr auto constant = small_stride<Seed>();
  bm::block_sharing (*volatile call)() = [] { return small_stride<Seed>(); };
  return call() == constant;
}
template <int... Seeds>
int agreeing(std::integer_sequence<int, Seeds...>) {
  return (0 + ... + (agrees<Seeds>() ? 1 : 0));
}

}  // namespace

TEST_CASE("constants and run time agree") {
  CHECK(agreeing(std::make_integer_sequence<int, 30>{}) == 30);
}
