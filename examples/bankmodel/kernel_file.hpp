// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_KERNEL_FILE_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_KERNEL_FILE_HPP

#include <algorithm>
#include <bankmodel/global/grid.hpp>
#include <bankmodel/kernel/kernel.hpp>
#include <map>
#include <optional>
#include <string>
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
  place where;
  bool is_used = false, is_dynamic = false;
};

struct kernel_access {
  access_expression expression;
  std::string text;                     // with its loops and conditions, on one line
  std::vector<std::string> loop_names;  // from the outermost inwards
  place where;

  bool is_global() const { return expression.array.memory == bm::memory_space::global; }
};

// What was read and not counted.
struct skipped_part {
  std::vector<place> statements;    // without an access to a declared array
  std::vector<std::string> memory;  // arrays and pointers that are not declared
};

struct kernel_file {
  std::vector<bm::machine> machines;
  bm::block_dim block;
  std::vector<kernel_array> arrays;
  std::vector<kernel_access> accesses;
  bool reads_block_index = false;
  std::optional<bm::grid_dim> grid = {};  // if it is stated
  skipped_part skipped = {};
  bool reads_warp_size = false;

  bool has_global() const {
    return std::any_of(accesses.begin(), accesses.end(),
                       [](const kernel_access& one) { return one.is_global(); });
  }
  bool has_shared() const {
    return !std::all_of(accesses.begin(), accesses.end(),
                        [](const kernel_access& one) { return one.is_global(); });
  }
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
};

// What the text does not say.
struct reading {
  int lanes = 32;                         // warpSize
  long long dynamic_bytes = 0;            // of `extern __shared__ float a[]`; 0: not given
  std::vector<row_padding> padding = {};  // for arrays that are not declared it is ignored
  launch_values values = {};
};

// Reads a kernel from text. Bad input is thrown as one refusal; nothing is guessed.
kernel_file read_kernel_file(const source& of, const reading& how = {});

}  // namespace command_line

#endif
