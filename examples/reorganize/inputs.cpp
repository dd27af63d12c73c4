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
  result.element_bytes = element_bytes;
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
               true, 4};
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
               false,
               4};
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
               std::vector<std::vector<std::uint32_t>>(3), false, 4};
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

namespace {

using columns = std::vector<std::vector<std::uint32_t>>;

// IRREG: the nodes of a square grid, numbered at random, each with the 8 nodes around it.
input partial_differential_solver(std::uint32_t side, std::mt19937_64& dice) {
  std::vector<std::uint32_t> number = shuffled(side * side, side * side, dice);
  input result{"IRREG", side * side, columns(8, std::vector<std::uint32_t>(side * side)), false, 4};
  for (std::uint32_t node = 0; node < side * side; ++node)
    for (std::uint32_t other = 0, reference = 0; other < 9; ++other) {
      if (other == 4) continue;
      const std::uint32_t x = (node % side + side + other % 3 - 1) % side,
                          y = (node / side + side + other / 3 - 1) % side;
      result.indices[reference++][number[node]] = number[y * side + x];
    }
  return result;
}

// NBF: atoms in the order of their molecule, each with 12 partners among the 256 around it.
input force_field(std::uint32_t atoms, std::mt19937_64& dice) {
  input result{"NBF", atoms, columns(12, std::vector<std::uint32_t>(atoms)), false, 4};
  for (auto& partners : result.indices)
    for (std::uint32_t atom = 0; atom < atoms; ++atom)
      partners[atom] = static_cast<std::uint32_t>((atom + atoms - 128 + dice() % 256) % atoms);
  return result;
}

// CFD: cells of a cube, numbered at random within 16 layers, with the 4 cells that share a face of
// a tetrahedron; an element has four features.
input finite_volumes(std::uint32_t side, std::mt19937_64& dice) {
  const std::uint32_t cells = side * side * side;
  const std::vector<std::uint32_t> number = shuffled(cells, 16 * side * side, dice);
  input result{"CFD", cells, columns(4, std::vector<std::uint32_t>(cells)), false, 16};
  const std::uint32_t steps[] = {1, cells - 1, side, side * side};
  for (std::uint32_t cell = 0; cell < cells; ++cell)
    for (std::size_t face = 0; face < 4; ++face)
      result.indices[face][number[cell]] = number[(cell + steps[face]) % cells];
  return result;
}

// CG: the columns of a sparse matrix by rows, a thread for each entry: groups of 32 rows have their
// entries in the same 24 columns.
input conjugate_gradient(std::uint32_t rows, std::mt19937_64& dice) {
  constexpr std::uint32_t group = 32, entries = 24;
  input result{"CG", rows, columns(1), false, 4};
  std::vector<std::uint32_t> pattern(entries);
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (row % group == 0)
      for (std::uint32_t& column : pattern) column = static_cast<std::uint32_t>(dice() % rows);
    for (const std::uint32_t column : pattern) result.indices[0].push_back(column);
  }
  return result;
}

// UNWRAP: an image in polar coordinates, `angles` of them in a row, from one in rows and columns.
input polar_image(std::uint32_t angles, std::uint32_t radii) {
  const std::uint32_t side = 2 * radii + 1;
  input result{"UNWRAP", side * side, columns(1), false, 4};
  for (std::uint32_t radius = 0; radius < radii; ++radius)
    for (std::uint32_t angle = 0; angle < angles; ++angle) {
      const double turned = 6.283185307179586 * angle / angles;
      const auto x = static_cast<std::uint32_t>(std::lround(radii + radius * std::cos(turned))),
                 y = static_cast<std::uint32_t>(std::lround(radii + radius * std::sin(turned)));
      result.indices[0].push_back(y * side + x);
    }
  return result;
}

// NN: records of 16 numbers, of which a thread for each reads the latitude and the longitude.
input nearest_neighbour(std::uint32_t records) {
  constexpr std::uint32_t numbers = 16;
  input result{"NN", std::uint64_t{records} * numbers, columns(2), false, 4};
  for (std::uint32_t record = 0; record < records; ++record)
    for (std::uint32_t field = 0; field < 2; ++field)
      result.indices[field].push_back(record * numbers + 7 + field);
  return result;
}

// MERGE: updates of a database at random keys, which are read and written: one pattern twice, with
// three updates of a key on average.
input database_update(std::uint32_t updates, std::mt19937_64& dice) {
  input result{"MERGE", updates / 3, columns(1), false, 4};
  for (std::uint32_t update = 0; update < updates; ++update)
    result.indices[0].push_back(static_cast<std::uint32_t>(dice() % result.elements));
  result.indices.push_back(result.indices[0]);
  return result;
}

}  // namespace

std::vector<input> benchmarks_of_paper(std::uint32_t scale, std::uint64_t seed) {
  std::mt19937_64 dice(seed);
  const double threads = 1024.0 * scale;
  std::vector<input> result = {molecular_dynamics(1024 * scale, seed)};
  result[0].name = "MD";
  result.push_back(partial_differential_solver(
      static_cast<std::uint32_t>(std::lround(std::sqrt(threads))), dice));
  result.push_back(force_field(1024 * scale, dice));
  result.push_back(
      finite_volumes(static_cast<std::uint32_t>(std::lround(std::cbrt(threads))), dice));
  result.push_back(conjugate_gradient(48 * scale, dice));
  result.push_back(polar_image(512, 2 * scale));
  result.push_back(nearest_neighbour(1024 * scale));
  result.push_back(database_update(1024 * scale, dice));
  return result;
}

}  // namespace inputs
