// SPDX-License-Identifier: MIT
// Irregular inputs: neighbour lists of a molecular dynamics box, a sparse matrix in CSR form, an
// unstructured grid, and inputs of the structure of the paper's eight benchmarks.
#ifndef BANKMODEL_EXAMPLES_REORGANIZE_INPUTS_HPP
#define BANKMODEL_EXAMPLES_REORGANIZE_INPUTS_HPP

#include <bankmodel/reorganize.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace inputs {

// The references of a kernel to one array.
struct input {
  std::string name;
  std::uint64_t elements = 0;
  std::vector<std::vector<std::uint32_t>> indices;  // [reference][thread]
  bool may_skip = false;                            // threads may have fewer references
  int element_bytes = 4;

  // As the library takes it, for blocks of `block` threads. It views this input.
  bankmodel::reorganize::irregular_references references(int block) const;
};

// pos[neighbours[j * molecules + tid]]: molecules in random order in a box with periodic walls, two
// for each unit of volume; the neighbours are those within a distance of 1, at most 16.
input molecular_dynamics(std::uint32_t molecules, std::uint64_t seed);

// x[column[k]], a thread for each entry of a sparse matrix in CSR form.
// Throws std::runtime_error if the file cannot be read or is not a Matrix Market file with
// coordinates.
input sparse_matrix(const std::string& file);

// state[vertex[corner][cell]]: a grid of side * side squares, each cut into two triangles along a
// random diagonal; a thread for each triangle, with three corners. Vertices and triangles are in
// random order within windows, as after refining parts of a mesh.
input unstructured_grid(std::uint32_t side, std::uint64_t seed);

// Inputs of the structure of table 1 in B. Wu et al., PPoPP 2013, in its order, small and made
// here: MD, IRREG, NBF, CFD, CG, UNWRAP, NN and MERGE. `scale`: about a thousand threads each.
std::vector<input> benchmarks_of_paper(std::uint32_t scale, std::uint64_t seed);

}  // namespace inputs

#endif
