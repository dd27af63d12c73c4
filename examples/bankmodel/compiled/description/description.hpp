// SPDX-License-Identifier: MIT
#pragma once

#include <bankmodel/model/cost.hpp>
#include <string>
#include <vector>

#include "../../answer.hpp"
#include "../../notation/kernel_file.hpp"
#include "../page/page.hpp"

// The accesses of a compiled kernel to shared memory as expressions of the library.
//
// An expression is found by reading the code once for all threads and iterations. It is kept only
// if its requests are those that an interpreted run of the same launch recorded, one by one; of a
// run that was stopped, if all that were recorded are among its requests.
// Accesses that one instruction does are one (issued.hpp).
namespace compiled {

struct described_access {
  const recorded_access* recorded = nullptr;
  command_line::access_expression expression;
  int joined = 1;      // accesses of the code that its instruction does
  int array = -1;      // in description::arrays
  std::string reason;  // why it has no expression; else empty
};

struct description {
  struct array {
    bm::array_description described;
    std::string name, type;  // as declared; the type of an element in C++
  };
  std::vector<std::string> notes;          // of the recording
  std::vector<array> arrays;               // of those that have an expression
  std::vector<described_access> accesses;  // those that were executed, by their places
  std::vector<place> not_reached;          // of other accesses, after which the run was stopped
  // Accesses or parts of them are known to nobody: there is no guard.
  bool leaves_out = false;

  // True if each access has an expression.
  bool is_complete() const;
  // True if an instruction does several accesses.
  bool is_joined() const;
  // The cost of the accesses without an expression, as they were recorded and are issued.
  bm::cost cost_without_expression(const bm::machine& m) const;
};

// `m` has warps of as many lanes as the code. `recorded` is the run of the same launch, and
// outlives the result.
description describe(const kernel_code& kernel, const launch& settings, const recording& recorded,
                     const bm::machine& m);

// What a program of C++ says about the kernel.
struct described_text {
  std::string program;  // complete: includes, arrays, kernel and static_asserts
  std::string notes;    // accesses without an expression, a line for each, with the reason
};

// Error (bm::error): a machine has no name in C++.
described_text text_of(const description& described_kernel, const kernel_code& kernel,
                       const launch& settings, const std::vector<bm::machine>& machines,
                       const std::string& file);

// Puts the program about a kernel on these machines into the answer, and the notes to its errors.
// If no access has an expression, the answer is that of bad input.
void add_description(command_line::answer& result, const std::vector<page>& pages,
                     const std::string& file);

}  // namespace compiled
