// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_CODE_ARRAY_SOURCE_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_CODE_ARRAY_SOURCE_HPP

#include <cstddef>
#include <string>
#include <vector>

// How the source declares an array in shared memory and where it uses the array: the text that
// another layout of the array changes.
namespace compiled {

// A piece of a source file. Lines and columns start at 1; a column is a byte.
struct source_piece {
  std::string file;
  int line = 0, column = 0;          // of its first byte
  int end_line = 0, end_column = 0;  // after its last byte
  std::size_t offset = 0;            // of its first byte, from the start of the file
  std::string text;
  bool operator==(const source_piece&) const = default;
};

// An extent of a declaration. With n more elements, `prefix` and the number `number` + n replace
// the piece: of [32] the piece 32 becomes 33, of [TILE + 1] the piece 1 becomes 2, and of [TILE]
// the piece TILE becomes "TILE + 1".
struct spelled_extent {
  source_piece where;
  std::string prefix;
  long long number = 0;
};

// A use of the array with one subscript for each dimension: tile[ty + j][tx].
struct subscripted_use {
  source_piece where;
  std::vector<std::string> subscripts;
  bool has_effects =
      false;  // they change something, or call a function of the source: tile[i++][0]
};

// Any other use, which may depend on the declared extents: "it is cast to `float4 *`".
struct other_use {
  source_piece where;
  std::string what;
};

struct array_source {
  std::vector<spelled_extent> extents;  // empty if the reader does not know them
  std::vector<subscripted_use> uses;    // in the order of the source, each place once
  std::vector<other_use> others;
  // Why the declaration must not be changed: "it is declared in a template"; empty if it may be.
  std::string refusal;
  bool is_of_one_kernel = false;  // declared in the body of a kernel
};

}  // namespace compiled

#endif
