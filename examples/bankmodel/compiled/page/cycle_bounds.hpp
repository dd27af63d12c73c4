// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "page.hpp"

// Whether conflicts and transactions matter: the fewest cycles that a block takes by each resource
// of a multiprocessor, from what is counted and from published rates.
namespace compiled {

struct cycle_bound {
  enum class resource : unsigned char {
    shared_memory,
    first_cache,
    second_cache,
    memory,
    floats,
    doubles,
    special_functions,
    matrices,
    issue_slots
  };
  resource component = resource::shared_memory;
  std::string rate;          // "1 wavefront a cycle"
  std::uint64_t cycles = 0;  // as issued, if that is known, else as written
  std::uint64_t ideal = 0;   // the same without conflicts, and with the ideal transactions
};

// Returns a bound for each resource that the kernel uses and whose rate is known.
std::vector<cycle_bound> cycle_bounds_of(const page& counted);

// Returns the table of the bounds, and in sentences what decides and what the bound of the memory
// assumes; nothing if each bound is ideal.
std::vector<command_line::row> cycle_rows(const page& counted);
std::vector<std::string> cycle_notes(const page& counted);

// Returns [{"resource": "shared memory", "rate": "1 wavefront a cycle", "cycles": 1056, "ideal":
// 64}, ..].
std::string json_of_cycles(const page& counted);

}  // namespace compiled
