// SPDX-License-Identifier: MIT
// Sparse matrices in Matrix Market files with coordinates.
// Source: NIST, The Matrix Market Exchange Formats, NISTIR 5935.
#ifndef BANKMODEL_EXAMPLES_REORGANIZE_MATRIX_MARKET_HPP
#define BANKMODEL_EXAMPLES_REORGANIZE_MATRIX_MARKET_HPP

#include <cstdint>
#include <string>
#include <vector>

namespace inputs {

struct matrix_entry {
  std::uint32_t row, column;  // counted from 0
};

// The positions of the entries, row after row (CSR form); the values are not kept. Entries that a
// symmetric file leaves out are added.
struct matrix {
  std::uint32_t rows = 0, columns = 0;
  std::vector<matrix_entry> entries;
};

// Throws std::runtime_error with the line: a file that cannot be read, has another form, fewer or
// more entries than its header says, or an entry outside of the matrix.
matrix read_matrix_market(const std::string& file);

}  // namespace inputs

#endif
