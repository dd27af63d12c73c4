// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_KNOWN_ALIGNMENT_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_KNOWN_ALIGNMENT_HPP

#include <vector>

#include "memory.hpp"

// What a compiler knows about the alignment of addresses: how many of the low bits of each value
// are 0 whatever the threads, the arguments and the data are.
namespace compiled {

class known_alignment {
 public:
  known_alignment(const kernel_code& kernel, const shared_layout& shared);

  // A power of 2, at most 16, that divides each address of this access.
  int of(const instruction& access) const;

 private:
  int zeros(const operand& of) const;
  int zeros(const instruction& of) const;

  const kernel_code& kernel_;
  const shared_layout& shared_;
  std::vector<int> zeros_;  // of each register
};

}  // namespace compiled

#endif
