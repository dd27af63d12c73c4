// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "../code/code.hpp"

// What a count needs: a kernel that multiplies matrices spends its time on products that decide
// about no address.
namespace compiled {

struct needed_values {
  // True for each register whose values decide about an address, a branch, a guard or a barrier,
  // or may be stored where a value is loaded from that does.
  std::vector<bool> registers;
  bool local = false;  // such a value may be loaded from local memory
};

// `has_data`: values that are stored to global memory are known when they are loaded again.
needed_values needed_registers(const kernel_code& kernel, bool has_data);

// True if the instruction does nothing but write registers or local memory that are not needed.
bool is_without_effect(const instruction& code, const needed_values& needed);

}  // namespace compiled
