// SPDX-License-Identifier: MIT
// Properties of every text: it is read as a profile, whose lines compare a counter with a number,
// or is one error of ours.
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/profile.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace bm = bankmodel;
using namespace bm::index;

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz_profile: not so: %s\n", what);
  std::abort();
}

void compare(std::string_view csv, const bm::which_launch& which) {
  constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
  constexpr auto kernel =
      bm::kernel(bm::block_dim{32, 32}, bm::store(tile[ty][tx]), bm::load(tile[tx][ty]));
  try {
    const bm::profile_comparison all =
        bm::compare_with_profile(bm::nvidia::sm_90, kernel, which, csv);
    const std::string text = bm::text(all);
    require(all.lines.empty() == text.empty(), "a text where there are lines");
    for (const bm::compared_counter& one : all.lines) {
      require(!one.counter.empty(), "a counter has a name");
      require(one.measured.places <= 18 && one.expected.places <= 18, "places of a number");
    }
  } catch (const bm::error& why) {
    require(std::string_view(why.what()).size() > 40, "what is wrong and what would be right");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view csv(reinterpret_cast<const char*>(data), size);
  compare(csv, {.blocks = 100});
  compare(csv, {.blocks = 100, .named = "k", .number = 1});
  std::size_t launches = 0;
  try {
    for (const bm::profiled_launch& one : bm::launches_of(csv)) {
      require(!one.counters.empty(), "a launch has counters");
      ++launches;
    }
  } catch (const bm::error&) {
  }
  require(launches <= size, "as many launches as the text has rows");
  return 0;
}
