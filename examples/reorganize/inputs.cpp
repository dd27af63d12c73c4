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
  for (const std::vector<std::uint32_t>& column : indices)
    result.references.push_back(std::span<const std::uint32_t>(column));
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
  for (std::uint32_t molecule = 0; molecule < molecules; ++molecule) {
    for (double& coordinate : positions[molecule])
      coordinate = static_cast<double>(dice() >> 11) / 9007199254740992.0 * width;
    const auto& [x, y, z] = positions[molecule];
    cells[cell(static_cast<std::size_t>(x), static_cast<std::size_t>(y),
               static_cast<std::size_t>(z))]
        .push_back(molecule);
  }
  const auto are_near = [&](std::uint32_t a, std::uint32_t b) {
    double square = 0;
    for (std::size_t dimension = 0; dimension < 3; ++dimension) {
      double distance = std::abs(positions[a][dimension] - positions[b][dimension]);
      distance = std::min(distance, width - distance);
      square += distance * distance;
    }
    return square < 1;
  };
  constexpr std::size_t limit = 16;
  input result{"molecular dynamics, " + std::to_string(molecules) + " molecules", molecules,
               std::vector<std::vector<std::uint32_t>>(
                   limit, std::vector<std::uint32_t>(molecules, re::no_element)),
               true};
  for (std::uint32_t molecule = 0; molecule < molecules; ++molecule) {
    std::size_t count = 0;
    const auto x = static_cast<std::size_t>(positions[molecule][0]) + side,
               y = static_cast<std::size_t>(positions[molecule][1]) + side,
               z = static_cast<std::size_t>(positions[molecule][2]) + side;
    for (std::size_t neighbour = 0; neighbour < 27; ++neighbour)
      for (const std::uint32_t other :
           cells[cell(x + neighbour % 3 - 1, y + neighbour / 3 % 3 - 1, z + neighbour / 9 - 1)])
        if (count < limit && other != molecule && are_near(molecule, other))
          result.indices[count++][molecule] = other;
  }
  return result;
}

input sparse_matrix(const std::string& file) {
  const matrix read = read_matrix_market(file);
  input result{"sparse matrix, " + std::to_string(read.entries.size()) + " entries",
               read.columns,
               {{}},
               false};
  for (const matrix_entry& entry : read.entries) result.indices[0].push_back(entry.column);
  return result;
}

namespace {

// Exchanges each number with one at most `window` further on.
std::vector<std::uint32_t> shuffled(std::uint32_t size, std::uint32_t window,
                                    std::mt19937_64& dice) {
  std::vector<std::uint32_t> result(size);
  std::iota(result.begin(), result.end(), 0u);
  for (std::uint32_t index = 0; index < size; ++index)
    std::swap(result[index], result[std::min<std::uint64_t>(size - 1, index + dice() % window)]);
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
    const std::uint32_t node = square / side * row + square % side;
    const bool rises = dice() % 2 == 0;
    const std::array<std::uint32_t, 6> corners =
        rises ? std::array{node, node + 1, node + row, node + 1, node + row + 1, node + row}
              : std::array{node, node + 1, node + row + 1, node, node + row + 1, node + row};
    for (std::size_t vertex = 0; vertex < 6; ++vertex)
      result.indices[vertex % 3][cell[2 * square + vertex / 3]] = number[corners[vertex]];
  }
  return result;
}

}  // namespace inputs
