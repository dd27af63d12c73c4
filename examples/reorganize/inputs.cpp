// SPDX-License-Identifier: MIT
#include "inputs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>

#include "matrix_market.hpp"

namespace inputs {

namespace re = bankmodel::reorganize;

re::irregular_references input::references(int block) const {
  re::irregular_references result;
  for (const std::vector<std::uint32_t>& one : indices)
    result.references.push_back(std::span<const std::uint32_t>(one));
  result.elements = elements;
  result.block = block;
  result.may_skip = may_skip;
  return result;
}

input molecular_dynamics(std::uint32_t molecules, std::uint64_t seed) {
  std::mt19937_64 dice(seed);
  const auto side = static_cast<std::size_t>(
      std::max(3.0, std::floor(std::cbrt(static_cast<double>(molecules) / 2))));
  const double width = static_cast<double>(side);
  std::vector<std::array<double, 3>> positions(molecules);
  std::vector<std::vector<std::uint32_t>> cells(side * side * side);  // of width 1
  const auto cell = [side](std::size_t x, std::size_t y, std::size_t z) {
    return (z % side * side + y % side) * side + x % side;
  };
  for (std::uint32_t at = 0; at < molecules; ++at) {
    for (double& one : positions[at])
      one = static_cast<double>(dice() >> 11) / 9007199254740992.0 * width;
    const auto& [x, y, z] = positions[at];
    cells[cell(static_cast<std::size_t>(x), static_cast<std::size_t>(y),
               static_cast<std::size_t>(z))]
        .push_back(at);
  }
  const auto are_near = [&](std::uint32_t a, std::uint32_t b) {
    double square = 0;
    for (std::size_t at = 0; at < 3; ++at) {
      double apart = std::abs(positions[a][at] - positions[b][at]);
      apart = std::min(apart, width - apart);
      square += apart * apart;
    }
    return square < 1;
  };
  constexpr std::size_t most = 16;
  input result{"molecular dynamics, " + std::to_string(molecules) + " molecules", molecules,
               std::vector<std::vector<std::uint32_t>>(
                   most, std::vector<std::uint32_t>(molecules, re::no_element)),
               true};
  for (std::uint32_t at = 0; at < molecules; ++at) {
    std::size_t found = 0;
    const auto x = static_cast<std::size_t>(positions[at][0]) + side,
               y = static_cast<std::size_t>(positions[at][1]) + side,
               z = static_cast<std::size_t>(positions[at][2]) + side;
    for (std::size_t near = 0; near < 27; ++near)
      for (const std::uint32_t other :
           cells[cell(x + near % 3 - 1, y + near / 3 % 3 - 1, z + near / 9 - 1)])
        if (found < most && other != at && are_near(at, other)) result.indices[found++][at] = other;
  }
  return result;
}

input sparse_matrix(const std::string& file) {
  const matrix read = read_matrix_market(file);
  input result{"sparse matrix, " + std::to_string(read.entries.size()) + " entries",
               read.columns,
               {{}},
               false};
  for (const matrix_entry& one : read.entries) result.indices[0].push_back(one.column);
  return result;
}

namespace {

// Exchanges each number with one at most `window` further on.
std::vector<std::uint32_t> shuffled(std::uint32_t size, std::uint32_t window,
                                    std::mt19937_64& dice) {
  std::vector<std::uint32_t> result(size);
  std::iota(result.begin(), result.end(), 0u);
  for (std::uint32_t at = 0; at < size; ++at)
    std::swap(result[at], result[std::min<std::uint64_t>(size - 1, at + dice() % window)]);
  return result;
}

}  // namespace

input unstructured_grid(std::uint32_t side, std::uint64_t seed) {
  std::mt19937_64 dice(seed);
  const std::uint32_t row = side + 1;
  const std::vector<std::uint32_t> number = shuffled(row * row, 20 * row, dice);
  const std::vector<std::uint32_t> cell = shuffled(2 * side * side, 20 * side, dice);
  input result{"unstructured grid, " + std::to_string(2 * side * side) + " triangles", row * row,
               std::vector<std::vector<std::uint32_t>>(3), false};
  for (auto& corner : result.indices) corner.resize(2 * std::size_t{side} * side);
  for (std::uint32_t square = 0; square < side * side; ++square) {
    const std::uint32_t at = square / side * row + square % side;
    const bool rises = dice() % 2 == 0;
    const std::array<std::uint32_t, 6> corners =
        rises ? std::array{at, at + 1, at + row, at + 1, at + row + 1, at + row}
              : std::array{at, at + 1, at + row + 1, at, at + row + 1, at + row};
    for (std::size_t each = 0; each < 6; ++each)
      result.indices[each % 3][cell[2 * square + each / 3]] = number[corners[each]];
  }
  return result;
}

}  // namespace inputs
