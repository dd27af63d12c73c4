// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bankmodel/global/grid.hpp>
#include <bankmodel/kernel/kernel.hpp>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "program.hpp"

// A kernel in the kernel's own notation:
//
//   machine sm_90                                # and others; may be left out
//   block 32 8                                   # threads along x, y, z
//   define N 32
//   grid 32 32                                   # blocks along x, y, z; may be left out
//   shared float tile[N][N + 1], line[N]         # also __shared__; `at 1024` after it: its place
//   global float in[1000][1000] stride 4096, *p  # also __device__, p[]; bytes from row to row
//   for (j = 0; j < N; j += 8) {
//     store tile[ty + j][tx]
//     if (tx < 16 && ty != 0) load (float2) line[2 * tx]; else load line[tx]
//   }
//
// or as C++ has it: threadIdx.x, `int row = threadIdx.y + j;`, `tile[row][tx] += 2 * line[tx];`,
// `*(float4*)&line[4 * tx] = ..`. examples/guide/README.md has the rest.
namespace command_line {

inline constexpr int most_accesses = 128, most_wrappers = 12, most_arrays = 16;
inline constexpr std::size_t most_bytes = 1 << 20;

using access_expression = bm::access_expression<most_wrappers, most_nodes>;

struct kernel_array {
  std::string name, type;  // as written
  bm::array_description description;
  place location;
  bool is_used = false, is_dynamic = false;
  bool is_argument = false;  // of a kernel in C++
  bool is_over = false;      // the braces in which it was declared
};

struct kernel_access {
  access_expression expression;
  std::string text;                     // with its loops and conditions, on one line
  std::vector<std::string> loop_names;  // from the outermost inwards
  place location;

  bool is_global() const { return expression.array.memory == bm::memory_space::global; }
};

// What was read and not counted.
struct skipped_part {
  std::vector<place> statements;    // without an access to a declared array
  std::vector<std::string> memory;  // arrays and pointers that are not declared
  std::vector<std::pair<std::string, refusal>> pointers;  // arguments of the kernel, and why
};

// What nobody said of a kernel in C++, and what was taken: n is "1024", T is "float".
struct assumed_value {
  std::string name, value;
  bool operator==(const assumed_value&) const = default;
};

struct kernel_file {
  std::string name = {};  // of a kernel in C++
  place name_place = {};
  std::vector<bm::machine> machines;
  bm::block_dim block;
  std::vector<kernel_array> arrays;
  std::vector<kernel_access> accesses;
  bool reads_block_index = false;
  std::optional<bm::grid_dim> grid = {};  // if it is stated
  skipped_part skipped = {};
  bool reads_warp_size = false;
  std::vector<assumed_value> assumed = {};

  bool has_shared() const { return !std::ranges::all_of(accesses, &kernel_access::is_global); }
};

// Unused elements at the end of each row of a shared array of two or more dimensions.
struct row_padding {
  std::string array;
  long long elements = 0;
};

// What is given instead of the lines `block`, `grid` and `define`. Where the file has no such line,
// it is as if it began with one.
struct launch_values {
  std::optional<bm::block_dim> block = {};
  std::optional<bm::grid_dim> grid = {};
  std::map<std::string, long long> numbers = {};  // of names
  std::string kernel = {};                        // which of several; empty: there is one
  bool has_others = false;                        // numbers of names that the text does not have
};

// What the text does not say.
struct reading {
  int lanes = 32;                         // warpSize
  long long dynamic_bytes = 0;            // of `extern __shared__ float a[]`; 0: not given
  std::vector<row_padding> padding = {};  // for arrays that are not declared it is ignored
  launch_values values = {};
  // Of a kernel in C++: integers that nobody gave, and the pointers among its arguments that are
  // arrays in global memory.
  long long assumed_number = 1024;         // of the kernel
  long long assumed_template_number = 32;  // and of its template
  std::vector<std::string> pointers = {};
  std::vector<std::pair<std::string, refusal>> not_counted = {};  // other pointers, and why
  bool is_block_assumed = false;                                  // nobody gave `values.block`
  long long assumed_dynamic_bytes = 0;  // if `dynamic_bytes` are not given
};

// The readings of the text to be tried one after the other, the most probable first: one if all is
// known. Where a kernel in C++ has no block, it is one of candidate_blocks(); integers that nobody
// gave are 1024, a multiple of 128 bytes of any element, or fewer; pointers are arrays in global
// memory where all accesses through them can be read.
// Error: as below.
std::vector<reading> readings_of(const source& input, const reading& known);

// Reads a kernel from text. Bad input is thrown as one refusal; nothing is guessed.
kernel_file read_kernel_file(const source& input, const reading& options = {});

}  // namespace command_line
