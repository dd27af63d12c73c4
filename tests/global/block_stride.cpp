// SPDX-License-Identifier: MIT
// The block stride of accesses, compared with the bytes that every thread of every block touches.
#include "catch.hpp"

#include <bankmodel/analyze.hpp>
#include <bankmodel/global.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

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
bool add_bytes(const Access& access, const bm::block_dim& block, const bm::block_index& at,
               bool within, bytes_of_block& to) {
  const int threads = block.x * block.y * block.z;
  for (int warp = 0; warp * 32 < threads; ++warp)
    for (const plainly::touch& lane : plainly::run_warp(32, block, access, warp, at)) {
      long long element = 0;
      for (int d = 0; d < access.subscripts; ++d) {
        const long long subscript = lane.at[static_cast<std::size_t>(d)],
                        behind = d == access.subscripts - 1 ? access.vector - 1 : 0;
        if (within && (subscript < 0 || subscript + behind >= access.array.layout.extent[d]))
          return false;
        element += subscript * access.array.layout.stride[d];
      }
      const long long begin = access.array.base_bytes + element * access.array.element_bytes;
      for (long long byte = 0; byte < access.vector * access.array.element_bytes; ++byte)
        to.insert(begin + byte);
    }
  return true;
}

template <class... Accesses>
std::optional<bytes_of_block> touched(const bm::block_dim& block, const bm::block_index& at,
                                      bool within, const Accesses&... accesses) {
  bytes_of_block result;
  if (!(add_bytes(accesses, block, at, within, result) && ...)) return {};
  return result;
}

long long common(const bytes_of_block& a, const bytes_of_block& b) {
  return std::count_if(a.begin(), a.end(), [&](long long byte) { return b.count(byte) != 0; });
}
bytes_of_block moved(const bytes_of_block& a, long long by) {
  bytes_of_block result;
  for (const long long byte : a) result.insert(byte + by);
  return result;
}

// What comparing these blocks shows; `whole` are the bytes of blocks without their guards.
bm::block_sharing compared(const std::vector<bytes_of_block>& blocks,
                           const bm::block_sharing* whole) {
  bm::block_sharing result;
  result.blocks = static_cast<long long>(blocks.size());
  result.touched_bytes = static_cast<long long>(blocks[0].size());
  bool even = true, two_are_whole = false;
  std::optional<long long> by;
  for (std::size_t at = 1; at < blocks.size(); ++at) {
    const bytes_of_block &a = blocks[at - 1], &b = blocks[at];
    result.overlap_bytes = std::max(result.overlap_bytes, common(a, b));
    if (whole != nullptr)
      two_are_whole =
          two_are_whole ||
          (a.size() == static_cast<std::size_t>(whole->touched_bytes) && b.size() == a.size());
    if (a.empty() || b.empty()) {
      even = false;
      continue;
    }
    if (!by) by = *b.begin() - *a.begin();
    even = even && moved(a, *by) == b;
  }
  if (!even && two_are_whole) {
    result = *whole;
    result.proven = false;
    result.blocks = static_cast<long long>(blocks.size());
    return result;
  }
  if (!even) return result;
  result.bytes = *by;
  result.relation = *by == 0                    ? sharing::the_same
                    : result.overlap_bytes != 0 ? sharing::overlapping
                                                : sharing::exclusive;
  for (std::size_t apart = 2; apart < blocks.size() && result.shares_again_after == 0; ++apart)
    if (common(blocks[0], blocks[apart]) != 0)
      result.shares_again_after = static_cast<long long>(apart);
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
           const std::vector<bytes_of_block>& bare, seen& all, const Accesses&... accesses) {
  const bool guarded = !bare.empty();
  constexpr long long most_blocks = 40;
  bm::blocks_along along = wanted;
  // The blocks along the axis from its beginning that are within the extents.
  std::vector<bytes_of_block> blocks;
  long long begin = -1;
  bool ends = false;
  for (long long number = 0; number < most_blocks; ++number) {
    bm::blocks_along from_zero = along;
    (along.way == axis::x   ? from_zero.first.x
     : along.way == axis::y ? from_zero.first.y
                            : from_zero.first.z) = 0;
    const auto here = touched(block, from_zero.block(number), true, accesses...);
    if (!here && begin >= 0) {
      ends = true;
      break;
    }
    if (!here) continue;
    if (begin < 0) begin = number;
    blocks.push_back(*here);
  }
  if (begin < 0) return;
  const long long first = begin + static_cast<long long>(blocks.size() > 2 ? blocks.size() / 3 : 0);
  (along.way == axis::x   ? along.first.x
   : along.way == axis::y ? along.first.y
                          : along.first.z) = first;
  bm::block_sharing result;
  std::string refused;
  try {
    result = bm::block_stride(block, along, accesses...);
  } catch (const bm::error& what) {
    refused = what.rule();
  }
  const auto compare = [&] {
    std::vector<bytes_of_block> some;
    for (long long number = 0; number < along.count; ++number) {
      const long long at = first - begin + number;
      if (at >= static_cast<long long>(blocks.size())) return some;
      some.push_back(blocks[static_cast<std::size_t>(at)]);
    }
    return some;
  };
  if (!refused.empty()) {
    ++all.refused;
    const auto some = compare();
    INFO(refused);
    if (refused == "blocks_must_touch_memory")
      REQUIRE((guarded || std::all_of(some.begin(), some.end(),
                                      [](const bytes_of_block& one) { return one.empty(); })));
    else
      REQUIRE((refused == "subscripts_must_lie_within_their_extent" &&
               some.size() < static_cast<std::size_t>(along.count)));
    return;
  }
  ++all.relations[result.relation];
  if (!result.proven) {
    ++all.observed;
    const auto some = compare();
    REQUIRE(some.size() == static_cast<std::size_t>(along.count));
    bm::block_sharing whole;
    if (guarded) whole = compared(bare, nullptr);
    const bm::block_sharing expected =
        compared(some, guarded && !bare[0].empty() ? &whole : nullptr);
    REQUIRE(result.relation == expected.relation);
    REQUIRE(result.bytes == expected.bytes);
    REQUIRE(result.overlap_bytes == expected.overlap_bytes);
    REQUIRE(result.touched_bytes == expected.touched_bytes);
    const long long again = result.shares_again_after;
    // `bare` does not know where the array ends, and has 40 blocks.
    if (!guarded || (again != 0 && again < static_cast<long long>(bare.size())))
      REQUIRE(again == expected.shares_again_after);
    REQUIRE(result.blocks == along.count);
    return;
  }
  ++all.proven;
  all.guarded += guarded;
  REQUIRE(result.blocks == 0);
  if (result.relation == sharing::unrelated) {
    std::set<long long> distances;
    const auto add = [&](const auto& access) {
      const auto at = [&](long long number) {
        return *touched(block, along.block(number), false, access);
      };
      const bytes_of_block one = at(0), other = at(1);
      if (!one.empty()) distances.insert(*other.begin() - *one.begin());
    };
    (add(accesses), ...);
    REQUIRE(distances.size() > 1);
    REQUIRE(result.bytes == 0);
    REQUIRE(result.overlap_bytes == 0);
    return;
  }
  long long again = 0;
  for (std::size_t a = 0; a < blocks.size(); ++a) {
    if (!guarded) REQUIRE(static_cast<long long>(blocks[a].size()) == result.touched_bytes);
    for (std::size_t b = a + 1; b < blocks.size(); ++b) {
      const auto apart = static_cast<long long>(b - a);
      if (guarded) {
        REQUIRE(common(blocks[a], blocks[b]) == 0);
        continue;
      }
      if (apart == 1) {
        REQUIRE(moved(blocks[a], result.bytes) == blocks[b]);
        REQUIRE(common(blocks[a], blocks[b]) == result.overlap_bytes);
      } else if (a == 0 && again == 0 && common(blocks[a], blocks[b]) != 0) {
        again = apart;
      }
    }
  }
  if (guarded) {
    REQUIRE(result.relation == sharing::exclusive);
    REQUIRE(result.shares_again_after == 0);
    return;
  }
  all.far += result.relation == sharing::exclusive && again != 0;
  REQUIRE((result.relation == sharing::the_same) == (result.bytes == 0));
  REQUIRE((result.relation == sharing::exclusive) == (result.overlap_bytes == 0));
  if (result.relation == sharing::the_same)
    REQUIRE(result.shares_again_after == 2);
  else if (again != 0 || ends)
    REQUIRE(result.shares_again_after == again);
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

struct dice {
  std::mt19937_64 from;
  long long number(long long low, long long high) {
    return low + static_cast<long long>(from() % static_cast<std::uint64_t>(high - low + 1));
  }
  long long one_of(std::initializer_list<long long> these) {
    return *(these.begin() + number(0, static_cast<long long>(these.size()) - 1));
  }
};

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
  seen all;
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
    const long long up = d.one_of({0, 0, 0, 40, 300}), in_row = d.one_of({0, 0, 1, 5});
    const long long row_x = d.one_of({0, 0, 0, 1, -1}), row_y = d.one_of({0, 1, 1, 3}),
                    column_x = d.one_of({0, 1, 1, 2, 4, 8, block.x, block.x, -1, -8, 33}),
                    column_y = d.one_of({0, 0, block.x, 1}), column_z = d.one_of({0, 5, 16}),
                    t_row = d.one_of({0, 0, 1}), t_column = d.one_of({1, 1, 1, 2, 3, 0, -1, 10}),
                    ty_row = d.one_of({0, 1, 2}), ty_column = d.one_of({0, 0, block.x, 7}),
                    j_row = d.one_of({0, 0, 1, 4}), j_column = d.one_of({0, 1, 16, 40, -4}),
                    tz_row = d.one_of({0, 1}), trips = d.number(1, 6), most = d.number(0, 40);
    const auto access = [&](long long by_row, long long by_column) {
      return a[in_row + by_row + row_x * bx + row_y * by + t_row * tx + ty_row * ty + j_row * j +
               tz_row * tz][up + by_column + column_x * bx + column_y * by + column_z * bz +
                            t_column * tx + ty_column * ty + j_column * j];
    };
    const auto looped = [&](const auto& body) {
      return bm::load(bm::for_loop(j, bm::range(0, trips), body));
    };
    const auto plain = looped(access(0, 0));
    const auto halo = looped(access(d.one_of({0, 0, 1}), d.one_of({0, 1, 2, 7, 30})));
    const bm::blocks_along along{
        way, d.number(2, 5), {d.number(0, 1), d.number(0, 1), d.number(0, 1)}};
    INFO("seed " << seed);
    switch (d.number(0, 7)) {
      case 0:
      case 1: check(block, along, nothing, all, plain); break;
      case 2:
      case 3: check(block, along, nothing, all, plain, halo); break;
      case 4: check(block, along, nothing, all, bm::if_threads(tx < most, plain), halo); break;
      case 5:
        check(block, along, nothing, all, looped(bm::if_threads(tx + ty < j + most, access(0, 0))));
        break;
      case 6: check(block, along, nothing, all, plain, bm::load(a[ty][tx + 3 * bx])); break;
      default: {
        std::vector<bytes_of_block> bare;
        for (long long at = 0; at < 40; ++at)
          bare.push_back(*touched(block, along.block(at), false, plain));
        check(block, along, bare, all,
              bm::if_threads(block.x * bx + tx < most * d.number(1, 10) && by + ty < 50, plain));
      }
    }
  }
  CHECK(all.proven > cases() / 3);
  CHECK(all.relations[sharing::exclusive] > cases() / 20);
  CHECK(all.relations[sharing::overlapping] > cases() / 20);
  CHECK(all.relations[sharing::the_same] > cases() / 20);
  CHECK(all.relations[sharing::unrelated] > cases() / 50);
  CHECK(all.far > 0);
  CHECK(all.guarded > cases() / 100);
  WARN("proven " << all.proven << ", observed " << all.observed << ", refused " << all.refused
                 << ", behind guards " << all.guarded << ", far " << all.far << ": exclusive "
                 << all.relations[sharing::exclusive] << ", overlapping "
                 << all.relations[sharing::overlapping] << ", the same "
                 << all.relations[sharing::the_same] << ", unrelated "
                 << all.relations[sharing::unrelated]);
}

TEST_CASE("generated accesses that are not linear in the block, byte by byte") {
  seen all;
  for (int number = 0; number < cases() / 3; ++number) {
    const std::uint64_t seed = first_seed() + static_cast<std::uint64_t>(number);
    dice d{std::mt19937_64(seed)};
    const bm::block_dim block = some_block(d);
    const auto a = bm::global_array<float>("a", 64, 512);
    const long long n = d.number(1, 9), s = d.one_of({1, 8, 16, 32, block.x});
    const bm::blocks_along along{axis::x, d.number(2, 8), {d.number(0, 6), d.number(0, 3), 0}};
    INFO("seed " << seed);
    switch (d.number(0, 6)) {
      case 0: check(block, along, nothing, all, bm::load(a[bx % n][s * tx + ty])); break;
      case 1: check(block, along, nothing, all, bm::load(a[ty][(bx ^ tx) + s * ty])); break;
      case 2: check(block, along, nothing, all, bm::load(a[ty][bx * bx + tx])); break;
      case 3: check(block, along, nothing, all, bm::load(a[(bx + by) % n][s * bx + tx])); break;
      case 4: check(block, along, nothing, all, bm::load(a[ty][bx * tx])); break;
      case 5:
        check(block, along, nothing, all,
              bm::load(bm::for_loop(j, bm::range(block.x * bx + tx, 40 * n, s), a[ty][j])));
        break;
      default: check(block, along, nothing, all, bm::load(a[bx / n][s * tx + min(bx, 3)]));
    }
  }
  CHECK(all.proven == 0);
  CHECK(all.observed > cases() / 6);
  WARN("observed " << all.observed << ", refused " << all.refused);
}
