// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../code/code.hpp"

// Reads PTX, the text that nvcc, Triton and CUTLASS make.
namespace compiled {

struct ptx_error : std::runtime_error {
  int line = 0;  // of the PTX text
  std::string right;
  ptx_error(int line_number, const std::string& wrong, std::string what_to_do)
      : std::runtime_error(wrong), line(line_number), right(std::move(what_to_do)) {}
};

// Returns the kernels of a PTX file, in their order; device functions are inlined. Parameters are
// named p0, p1, ..; fields of structures that a kernel reads are parameters too, p0+8, after
// these. Places are those of `.loc`; if the text has none (nvcc without -lineinfo), they are lines
// of the PTX text, in a file named "PTX". `cluster`: the blocks of a cluster, of kernels without
// .reqnctapercluster; without it the registers of clusters are unknown.
// Error (ptx_error): the text is not PTX; a function that calls itself; an array in shared memory
// whose size is not known.
std::vector<kernel_code> read_ptx(const std::string& text,
                                  const std::optional<std::array<int, 3>>& cluster = {});

// Inline assembly. Its registers are numbered from 0, and so are its blocks, of which the first is
// its entry.
struct ptx_fragment {
  std::vector<code_block> blocks;
  int end = 0;  // the block that goes on behind it, and has no last instruction; -1: none does
  int registers = 0;
  std::vector<int> operands;  // the register of each %operand_0, %operand_1, ..; -1: it is not used
};
// `types[i]`: that of the register %operand_i, such as b32.
// Error (ptx_error): the text is not PTX, or it has variables or returns.
// The registers of the block's cluster are known if its size is.
ptx_fragment read_ptx_fragment(const std::string& body, const std::vector<std::string>& types,
                               const std::optional<std::array<int, 3>>& cluster = {});

}  // namespace compiled
