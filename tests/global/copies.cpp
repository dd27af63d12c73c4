// SPDX-License-Identifier: MIT
// cp.async with both sides, against counting by hand.
#include <bankmodel/global/copies.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include "catch.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace bm = bankmodel;

namespace {

struct side {
  std::uint64_t unmerged = 0,
                merged = 0;  // wavefronts, words of several lanes counted for each, once
  std::uint64_t phases = 0;
};

side side_of(const long long* address, std::uint64_t lanes, int bytes) {
  side result;
  const int group = 128 / bytes;
  for (int first = 0; first < 32; first += group) {
    std::map<long long, int> times;
    std::map<long long, std::set<long long>> words;
    for (int lane = first; lane < first + group; ++lane)
      for (int word = 0; (lanes >> lane & 1) != 0 && word < bytes / 4; ++word) {
        const long long number = address[lane] / 4 + word;
        ++times[number % 32];
        words[number % 32].insert(number);
      }
    std::size_t wavefronts = 0, merged = 0;
    for (const auto& [bank, count] : times) {
      wavefronts = std::max(wavefronts, static_cast<std::size_t>(count));
      merged = std::max(merged, words[bank].size());
    }
    result.unmerged += wavefronts;
    result.merged += merged;
    result.phases += wavefronts > 0 ? 1 : 0;
  }
  return result;
}

bm::copy_request strided(int bytes, int source_stride, int destination_stride) {
  bm::copy_request r{.active = 0xffffffff, .bytes = bytes};
  for (int lane = 0; lane < 32; ++lane) {
    r.source[lane] = source_stride * lane;
    r.destination[lane] = destination_stride * lane;
  }
  return r;
}

constexpr bm::copy_cost constant_cost(int source_stride) {
  bm::copy_request r;
  r.active = 0xffffffff;
  for (int lane = 0; lane < 32; ++lane) {
    r.source[lane] = source_stride * lane;
    r.destination[lane] = 16 * lane;
  }
  return bm::total(bm::nvidia::sm_120, r);
}
static_assert(constant_cost(16).least == 4 && constant_cost(32).least == 8);

}  // namespace

TEST_CASE("the examples of copies.hpp", "[copies]") {
  const auto total = [](const bm::copy_request& r) { return bm::total(bm::nvidia::sm_120, r); };
  const auto two = total(strided(16, 32, 16));
  CHECK((two.destination == 4 && two.source == 8 && two.tags == 2));
  CHECK((two.is_known() && two.least == 8 && two.ideal == 4));
  CHECK(two.at_least().conflicts() == 4);
  const auto one_place = total(strided(16, 16, 0));
  CHECK((one_place.is_known() && one_place.least == 32 && one_place.ideal == 4));
  const auto far = total(strided(16, 128, 16));
  CHECK((far.is_known() && far.least == 32 && far.ideal == 8));
  CHECK((total(strided(16, 128, 128)).is_known() && total(strided(16, 128, 128)).least == 32));
  const auto double_stride = total(strided(16, 32, 32));
  CHECK((double_stride.least == 8 && double_stride.most == 32));
  // Rows of 36 words: more lines than the banks account for. Counted: 13.
  const auto lines = total(strided(16, 144, 16));
  CHECK((lines.least == 8 && lines.most == 32));
  // Lanes that share words of the source.
  CHECK((total(strided(16, 0, 16)).least == 4 && total(strided(16, 0, 16)).most == 32));
  // Past the first cache.
  auto uncached = strided(16, 128, 0);
  uncached.cached = false;
  CHECK((total(uncached).is_known() && total(uncached).least == 4 && total(uncached).ideal == 4));
  // Lanes that load nothing: the destination alone.
  auto zeros = strided(16, 128, 0);
  zeros.loading = 0;
  CHECK((total(zeros).is_known() && total(zeros).least == 32 && total(zeros).tags == 0));
  CHECK(total(bm::copy_request{}).requests == 0);
  CHECK((total(strided(16, 32, 32)) * 3 + two).most == 104);
}

TEST_CASE("copies of any addresses: sides, tags, and where the cost is a range", "[copies]") {
  std::mt19937 random(20261125);
  const auto pick = [&](unsigned limit) { return static_cast<long long>(random() % limit); };
  int known = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    bm::copy_request r{.active = 0, .bytes = 4 << pick(3)};
    const bool is_regular = pick(2) == 0;
    const long long stride = r.bytes * (1 << pick(5)), spread = 1ll << pick(8);
    for (int lane = 0; lane < 32; ++lane) {
      r.source[lane] = is_regular ? stride * lane : r.bytes * pick(static_cast<unsigned>(spread));
      r.destination[lane] = r.bytes * (pick(3) != 0 ? lane : pick(64));
      if (pick(16) != 0) r.active |= std::uint64_t{1} << lane;
    }
    if (pick(4) == 0)
      for (int lane = 0; lane < 32; ++lane) r.destination[lane] = 1ll * r.bytes * lane;
    if (pick(4) == 0) r.loading = 0xffff0fff;
    const std::uint64_t loading = r.active & r.loading;
    const side destination = side_of(r.destination, r.active, r.bytes),
               source = side_of(r.source, loading, r.bytes);
    std::set<long long> lines;
    std::uint64_t lanes = 0;
    for (int lane = 0; lane < 32; ++lane) {
      if ((loading >> lane & 1) != 0) lines.insert(r.source[lane] / 128);
      lanes += r.active >> lane & 1;
    }
    const std::uint64_t tags = (lines.size() + 3) / 4;
    const auto sum = bm::total(bm::nvidia::sm_90, r);
    REQUIRE(sum.destination == destination.unmerged);
    REQUIRE(sum.source == source.unmerged);
    REQUIRE(sum.tags == tags);
    REQUIRE(sum.ideal == std::max(destination.phases, tags));
    const std::uint64_t lowest = std::max({destination.unmerged, source.merged, tags});
    REQUIRE(sum.least == lowest);
    const bool in_order = source.unmerged == source.phases && tags <= 1;
    const bool source_alone = destination.unmerged == destination.phases &&
                              source.unmerged == source.merged &&
                              source.unmerged >= source.phases * tags;
    REQUIRE(sum.most == (in_order || source_alone ? lowest : lanes));
    REQUIRE(sum.least <= sum.most);
    REQUIRE(sum.ideal <= sum.least);
    known += sum.is_known() ? 1 : 0;
  }
  CHECK((known > 2000 && known < 18000));
}

TEST_CASE("copies that a machine does not have, or that are not aligned", "[copies]") {
  CHECK_THROWS_WITH(bm::total(bm::nvidia::sm_75, strided(16, 16, 16)),
                    Catch::Contains("the_machine_must_have_such_instructions"));
  CHECK_THROWS_WITH(bm::total(bm::nvidia::sm_90, strided(12, 12, 12)),
                    Catch::Contains("the_machine_must_have_such_instructions"));
  auto narrow = strided(8, 8, 8);
  narrow.cached = false;
  CHECK_THROWS_WITH(bm::total(bm::nvidia::sm_90, narrow),
                    Catch::Contains("the_machine_must_have_such_instructions"));
  CHECK_THROWS_WITH(bm::total(bm::nvidia::sm_90, strided(16, 24, 16)),
                    Catch::Contains("accesses_must_be_aligned_to_their_width"));
}
