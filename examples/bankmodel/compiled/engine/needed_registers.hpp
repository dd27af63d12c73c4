// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_ENGINE_NEEDED_REGISTERS_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_ENGINE_NEEDED_REGISTERS_HPP

#include <vector>

#include "../code/code.hpp"

// What a count needs: a kernel that multiplies matrices spends its time on products that decide
// about no address.
namespace compiled {

// True for each register whose values decide about an address, a branch, a guard or a barrier, or
// may be stored where a value is loaded from that does. `has_data`: values that are stored to
// global memory are known when they are loaded again.
std::vector<bool> needed_registers(const kernel_code& kernel, bool has_data);

// True if the instruction does nothing but write registers that are not needed.
bool is_without_effect(const instruction& one, const std::vector<bool>& needed);

}  // namespace compiled

#endif
