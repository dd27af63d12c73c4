// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "../code/code.hpp"

// What a run needs: a kernel that multiplies matrices spends its time on products that decide about
// no address.
namespace compiled {

enum class needed_for : std::uint8_t {
  requests,
  requests_with_data,  // what is loaded from global memory is known if it was stored there
  values               // all that the kernel computes
};

struct needed_values {
  // True for each register whose values decide about an address, a branch, a guard or a barrier,
  // or may be stored where a value is loaded from that does.
  std::vector<bool> registers;
  bool local = false;  // such a value may be loaded from local memory
};

needed_values needed_registers(const kernel_code& kernel, needed_for purpose);

// True if the instruction does nothing but write registers or local memory that are not needed.
bool is_without_effect(const instruction& code, const needed_values& needed);

}  // namespace compiled
