// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "memory.hpp"

// The low bits of addresses that a compiler knows: those that are the same whatever the threads,
// the arguments and the data are.
namespace compiled {

// A value is `value` more than a multiple of 2^bits.
struct low_part {
  int bits = 64;
  std::uint64_t value = 0;
};

class known_alignment {
 public:
  known_alignment(const kernel_code& kernel, const shared_layout& shared);

  // Of each address of this access.
  low_part evaluate(const instruction& access) const;

 private:
  low_part evaluate(const operand& source) const;
  low_part result_of(const instruction& code) const;

  const kernel_code& kernel_;
  const shared_layout& shared_;
  std::vector<low_part> registers_;
};

}  // namespace compiled
