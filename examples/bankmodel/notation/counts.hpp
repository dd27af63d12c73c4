// SPDX-License-Identifier: MIT
#pragma once

#include <bankmodel/global/memory_traffic.hpp>
#include <bankmodel/host/search/bounds.hpp>
#include <bankmodel/model/cost.hpp>
#include <bankmodel/search/options.hpp>
#include <bankmodel/search/plan.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel_file.hpp"

// The cost of a kernel file on a machine, and its plan there.
namespace command_line {

// The costs of accesses, each in its memory, and their sums: those to shared memory have no
// traffic, and the others no cost.
struct costs_of_accesses {
  std::vector<bm::cost> costs;
  bm::cost sum;
  std::vector<bm::memory_traffic> traffic;
  bm::memory_traffic traffic_sum;
};

// Of one block.
struct kernel_cost : costs_of_accesses {
  bm::machine machine;
  std::optional<costs_of_accesses> of_grid;  // of all blocks, if the file states their number
};

// An error of the library in the words of this program.
refusal refusal_of(const bm::error& failure, const place& position);

// Counts the accesses. An error of the library becomes a refusal at the access.
kernel_cost count(const kernel_file& kernel, const bm::machine& m);

// the kernel's accesses to shared memory are the first of them
using kernel_plan = bm::layout_plan<most_accesses>;

// A plan, or the reason why there is none: arrays that do not fit.
struct planned {
  std::unique_ptr<kernel_plan> plan;
  std::string none;
  // The bound over all layouts, if the plan leaves conflicts, or why it was not computed.
  std::optional<bm::possibility> bound = {};
  std::string not_bounded = {};
};

// The number of an access among those to shared memory.
int number_in_plan(const kernel_file& kernel, std::size_t access);

// True if an access enumerates so many iterations that counting it takes longer than about a tenth
// of a second. Planning and explaining count it several times.
bool takes_long(const kernel_file& kernel, const kernel_access& access, const bm::machine& m);

// The plan as a header with this namespace. Error: the machine has no name in C++.
std::string header_of(const kernel_file& kernel, const bm::machine& m, const kernel_plan& plan,
                      const std::string& name);

// Searches for a plan. Requires: an access to shared memory. For limits that the machine cannot
// meet, throws a refusal without a place.
planned plan_of(const kernel_file& kernel, const bm::machine& m, const bm::search& options);

// The bytes of the accessed shared arrays as declared: an array with `at` begins there; the others
// follow one another, each aligned to its element, around those.
long long declared_bytes(const kernel_file& kernel);

// A kernel file on a machine.
struct counted_file {
  bm::machine machine;
  std::shared_ptr<const kernel_file> kernel;  // as it is there: warpSize may be 32 or 64
  kernel_cost cost;
  std::optional<kernel_cost> with_other_banks = {};  // if the machine offers another bank width
  planned planning = {};
  int blocks_before = 0;  // resident blocks with the declared arrays
};

}  // namespace command_line
