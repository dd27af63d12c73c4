// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COUNTS_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COUNTS_HPP

#include <bankmodel/model/cost.hpp>
#include <bankmodel/search/options.hpp>
#include <bankmodel/search/plan.hpp>
#include <memory>
#include <string>
#include <vector>

#include "kernel_file.hpp"

// What a kernel file costs on a machine, and its plan there.
namespace command_line {

struct kernel_cost {
  bm::machine machine;
  std::vector<bm::cost> each;  // of the accesses
  bm::cost sum;
};

// What the library refuses of an access is thrown as a refusal at that access.
kernel_cost count(const kernel_file& kernel, const bm::machine& m);

using kernel_plan = bm::layout_plan<most_accesses>;  // of which the kernel's accesses are the first

// A plan, or why there is none: arrays that do not fit.
struct planned {
  std::unique_ptr<kernel_plan> plan;
  std::string none;
};

// Limits of the search that the machine does not have are thrown as a refusal without a place.
planned plan_of(const kernel_file& kernel, const bm::machine& m, const bm::search& how);

// What a profiler exported, and which of its launches is meant.
struct profile {
  std::string name, csv;  // of the file, and its text
  std::uint64_t blocks = 0;
  std::string kernel;  // a part of its name
  int launch = 0;      // the first of that name is 1; 0 for the only one
};

// The profile's counters beside those of the kernel, as a table; what cannot be compared is thrown
// as a refusal without a place.
std::string compared(const kernel_file& kernel, const bm::machine& m, const profile& measured);

// Bytes of the arrays that are accessed as they are declared, one behind the other, each aligned
// to its element.
long long declared_bytes(const kernel_file& kernel);

}  // namespace command_line

#endif
