// SPDX-License-Identifier: MIT
// Work on all processors.
#include "examples/bankmodel/processors.hpp"

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.hpp"

using command_line::do_parts;

TEST_CASE("Each part is done once", "[processors]") {
  for (const std::size_t parts : {0u, 1u, 2u, 3u, 1000u}) {
    std::vector<std::atomic<int>> done(parts);
    do_parts(parts, [&](std::size_t part) { ++done.at(part); });
    for (const std::atomic<int>& count : done) CHECK(count == 1);
  }
}

TEST_CASE("The error of a part is thrown, and no further part begins", "[processors]") {
  constexpr std::size_t parts = 100'000;
  std::atomic<std::size_t> begun = 0;
  std::string said;
  try {
    do_parts(parts, [&](std::size_t part) {
      ++begun;
      if (part == 5) throw std::runtime_error("part 5");
    });
  } catch (const std::runtime_error& error) {
    said = error.what();
  }
  CHECK(said == "part 5");
  CHECK(begun > 5);
  CHECK(begun < parts);
}
