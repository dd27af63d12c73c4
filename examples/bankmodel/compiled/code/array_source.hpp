// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <optional>
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
  source_piece piece;
  std::string prefix;
  long long number = 0;
  source_piece expression = {};  // "TILE + 1"; line 0: a part of it comes from a macro
};

// A use of the array with one subscript for each dimension: tile[ty + j][tx].
struct subscripted_use {
  source_piece piece;
  std::string base;  // what is subscripted: "tile", "n::tile"
  std::vector<std::string> subscripts;
  bool has_effects = false;  // they change something, or call a function that may: tile[i++][0]
  bool has_several_effects = false;  // several have effects: t[i++][i++]
  // In a function that receives the array as a pointer, or a row of it: the function's name, and
  // the leading subscripts that its callers give, 1 for f(tile[0]) with p[c]. The base is a
  // parameter.
  std::string receiver = {};
  int given = 0;
};

// Any other use, which may depend on the declared extents: "it is cast to `float4 *`".
struct other_use {
  source_piece piece;
  std::string description;
  bool has_extents = false;  // in its type, or it reads the array's size, or compares addresses
  bool is_access = false;    // of one piece that begins at the element, and of nothing else
  int piece_bytes = 0;       // of the type that a cast makes of it: 16 of a float4; 0: no cast
  // A row that is passed to a function, each use of which is among the array's own: f(tile[0]).
  bool is_received_row = false;
};

// A sum of products of arguments by name: of 4 * d + 512 it is {{"d"}: 4, {}: 512}.
using size_form = std::map<std::vector<std::string>, long long>;

// A factor of a product, which has a size for each launch.
struct spelled_size {
  source_piece piece;
  size_form value;
  bool is_of_same_term = false;  // as the one before: the other factor of N * N
};

// sk[tid * d + i]: `rows` has the d of it, and both factors of a term that is a product of sizes.
struct carved_use {
  source_piece piece, index;
  std::vector<spelled_size> rows;
  bool has_effects = false;  // as in subscripted_use
  bool is_value = false;     // the element is read or assigned; false: its address may be kept
  // What is added to the rows is at least 0 and less than this in each execution; 0 if nothing is
  // added. Nothing: nobody knows.
  std::optional<size_form> column_end = {};
};

// A pointer into a dynamic array that a kernel uses as an array of its own: float* sk = sq + d; or
// a declared array of one dimension, which is all of itself.
struct carved_array {
  std::string name, function;
  int element_bytes = 0;
  int origin = -1;       // the carved array whose pointer its own is made of; -1: the dynamic array
  int origin_bytes = 1;  // of an element of that pointer, of which `offset` is a number
  size_form first;       // its first byte in the dynamic array
  source_piece dynamic;  // where its definition names that; line 0: it names another pointer
  source_piece offset;   // the last term that is added to the origin's pointer; no text: none
  std::vector<spelled_size> factors;  // of all terms that are added, or of the declared extent
  std::vector<carved_use> uses;
  std::string refusal;  // why other rows of it cannot be written; empty if they can
};

struct array_source {
  std::vector<spelled_extent> extents;  // empty if the reader does not know them
  std::string element_type;             // as the declaration has it: "T"
  source_piece declaration_end;         // the end of the declaration, without text; line 0: unknown
  source_piece line_end;      // of its last line if a comment at most follows; line 0: code follows
  std::string line_break;     // what begins a line as far in as the declaration: "\n    "
  std::string function_name;  // that a function for its elements may have: "tile_swizzled"
  std::vector<subscripted_use> uses;  // in the order of the source, each place once
  std::vector<other_use> other_uses;
  // The elements between the rows of a matrix that a call accesses, where they are the array's:
  // load_matrix_sync(a, &tile[r][c], 64).
  std::vector<spelled_extent> pitches = {};
  // Why the declaration must not be changed: "it is declared in a macro"; empty if it may be.
  std::string refusal;
  std::string header;                     // that declares it; empty: the file that is read
  bool is_of_one_kernel = false;          // declared in the body of a kernel
  bool is_of_template = false;            // each instance of a function has one
  int skipped_line = 0;                   // names it, and the preprocessor leaves it out
  std::vector<carved_array> carved = {};  // in the order of the source

  // The bytes of the largest piece that casts make of it, a power of 2 up to 16; 0: none do.
  int largest_piece() const {
    int result = 0;
    for (const other_use& use : other_uses) {
      const bool is_vector =
          use.piece_bytes <= 16 && (use.piece_bytes & (use.piece_bytes - 1)) == 0;
      if (is_vector && use.piece_bytes > result) result = use.piece_bytes;
    }
    return result;
  }
};

}  // namespace compiled
