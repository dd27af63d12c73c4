// SPDX-License-Identifier: MIT
// The warps of a block in groups: every block up to 70 x 6 x 3 threads, warps of 8 to 64 lanes,
// thread by thread.
#include <bankmodel/count/detail/warps.hpp>

#include "catch.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

namespace bm = bankmodel;
using bm::block_dim;
using bm::detail::variable_bit;
using bm::detail::warp_group;
using bm::detail::warp_groups;

namespace {

bm::machine with_lanes(int lanes) {
  bm::machine m;
  m.lanes = lanes;
  return m;
}

// The coordinates of the threads of one block.
struct plain_block {
  block_dim block;
  int lanes;

  int threads() const { return block.x * block.y * block.z; }
  int warps() const { return (threads() + lanes - 1) / lanes; }
  int lanes_of(int warp) const { return std::min(lanes, threads() - warp * lanes); }
  std::array<int, 3> place(int warp, int lane) const {
    const int thread = warp * lanes + lane;
    return {thread % block.x, thread / block.x % block.y, thread / block.x / block.y};
  }
};

std::string text(const plain_block& b) {
  return std::to_string(b.block.x) + " x " + std::to_string(b.block.y) + " x " +
         std::to_string(b.block.z) + " threads, " + std::to_string(b.lanes) + " lanes";
}

template <class Check>
void for_each_block(const Check& check) {
  for (const int lanes : {8, 16, 32, 64})
    for (int x = 1; x <= 70; ++x)
      for (int y = 1; y <= 6; ++y)
        for (int z = 1; z <= 3; ++z) {
          const plain_block plain{{x, y, z}, lanes};
          check(plain, warp_groups(with_lanes(lanes), plain.block));
        }
}

// The defect of one group, or an empty text. `seen` counts each warp in it.
std::string wrong(const plain_block& plain, const warp_group& group, std::vector<int>& seen) {
  const auto& [x, y, z] = group.axes;
  for (int at_z = 0; at_z < z.trips; ++at_z)
    for (int at_y = 0; at_y < y.trips; ++at_y)
      for (int at_x = 0; at_x < x.trips; ++at_x) {
        const int warp = group.first + at_x * x.warps + at_y * y.warps + at_z * z.warps;
        if (warp < 0 || warp >= plain.warps()) return "a warp that the block does not have";
        ++seen[static_cast<std::size_t>(warp)];
        if (group.lanes != plain.lanes_of(warp))
          return "warp " + std::to_string(warp) + " has other lanes";
        for (int lane = 0; lane < group.lanes; ++lane) {
          const auto start = plain.place(group.first, lane), target = plain.place(warp, lane);
          if (target != std::array{start[0] + at_x * x.threads, start[1] + at_y * y.threads,
                                   start[2] + at_z * z.threads})
            return "lane " + std::to_string(lane) + " of warp " + std::to_string(warp) +
                   " stands elsewhere";
        }
      }
  return "";
}

}  // namespace

TEST_CASE("each warp is in one group, at the place that its directions give", "[groups]") {
  for_each_block([](const plain_block& plain, const warp_groups& groups) {
    std::vector<int> seen(static_cast<std::size_t>(plain.warps()), 0);
    for (int number = 0; number < groups.count(); ++number) {
      const auto text_of_it = wrong(plain, groups.group(number), seen);
      if (!text_of_it.empty()) FAIL(text(plain) << ", group " << number << ": " << text_of_it);
    }
    for (const int times : seen)
      if (times != 1) FAIL(text(plain) << ": a warp is in " << times << " groups");
    if (groups.warps() != plain.warps() || groups.threads() != plain.threads()) FAIL(text(plain));
  });
  SUCCEED();
}

TEST_CASE("the shape of a warp's lanes in the block", "[groups]") {
  for_each_block([](const plain_block& plain, const warp_groups& groups) {
    bool within_rows = true;
    unsigned differing = 0;
    for (int warp = 0; warp < plain.warps(); ++warp) {
      const auto first = plain.place(warp, 0);
      for (int lane = 1; lane < plain.lanes_of(warp); ++lane) {
        const auto position = plain.place(warp, lane);
        within_rows = within_rows && position == std::array{first[0] + lane, first[1], first[2]};
        for (int way = 0; way < 3; ++way)
          if (position[static_cast<std::size_t>(way)] != first[static_cast<std::size_t>(way)])
            differing |= 1u << way;
        differing |= variable_bit(bm::variable::tid) | variable_bit(bm::variable::lane);
      }
    }
    if (groups.within_rows() != within_rows) FAIL(text(plain) << ": within_rows()");
    if ((differing & ~groups.differing()) != 0) FAIL(text(plain) << ": differing()");
  });
  SUCCEED();
}

TEST_CASE("at most as many groups as columns in which warps begin", "[groups]") {
  for_each_block([](const plain_block& plain, const warp_groups& groups) {
    const int full = plain.threads() / plain.lanes,
              last = plain.threads() % plain.lanes != 0 ? 1 : 0;
    std::set<int> columns;
    for (int warp = 0; warp < full; ++warp) columns.insert(plain.place(warp, 0)[0]);
    const bool planes_end_with_a_warp =
        plain.block.z == 1 || plain.block.x * plain.block.y % plain.lanes == 0;
    const int limit = planes_end_with_a_warp ? static_cast<int>(columns.size()) : full;
    if (groups.count() > limit + last) FAIL(text(plain) << ": " << groups.count() << " groups");
  });
  const auto count = [](const block_dim& block) {
    return warp_groups(with_lanes(32), block).count();
  };
  CHECK(count({1024}) == 1);
  CHECK(count({1000}) == 2);
  CHECK(count({64, 2, 8}) == 1);
  CHECK(count({8, 4, 16}) == 1);
  CHECK(count({4, 4, 64}) == 1);
  CHECK(count({4, 4, 3}) == 2);
  CHECK(count({48, 16}) == 3);
  CHECK(count({24, 32}) == 3);
  CHECK(count({33, 31}) == 32);  // the last of them has 31 lanes
  CHECK(count({7, 5, 3}) == 4);
  CHECK(count({31}) == 1);
}

TEST_CASE("blocks that no machine has", "[groups]") {
  const auto rule = [](const bm::machine& m, const block_dim& block) -> std::string {
    try {
      return std::to_string(warp_groups(m, block).threads());
    } catch (const bm::error& e) {
      return e.rule();
    }
  };
  auto m = with_lanes(32);
  CHECK(rule(m, {1 << 20}) == "1048576");
  CHECK(rule(m, {1 << 20, 2}) == "the_block_must_fit_the_machine");
  CHECK(rule(m, {0x7fffffff, 0x7fffffff, 1}) == "the_block_must_fit_the_machine");
  m.limits.threads_per_block = 1024;
  CHECK(rule(m, {32, 32}) == "1024");
  CHECK(rule(m, {41, 5, 5}) == "the_block_must_fit_the_machine");
  for (const auto& block : {block_dim{0}, block_dim{1, 0}, block_dim{1, 1, 0}, block_dim{-4, -4}})
    CHECK(rule(m, block) == "the_block_must_have_threads");
}
