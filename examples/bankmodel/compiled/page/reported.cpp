// SPDX-License-Identifier: MIT
#include "reported.hpp"

#include "../../known_machines.hpp"
#include "../../table.hpp"
#include "kernel_table.hpp"

namespace compiled {

using command_line::joined;

namespace {

project::reported_access reported(const page& of, const priced_access& one, source_lines& lines) {
  const recorded_access& access = *one.first;
  project::reported_access result;
  result.is_global = access.is_global;
  result.array = array_name(*of.kernel, access);
  result.does = verb_of(access.memory.does);
  result.bytes = access.memory.bytes * access.memory.elements;
  result.line = access.where.line;
  result.source = lines.line_of(*of.kernel, access.where);
  const std::uint64_t known = access.is_global ? one.traffic.transactions : one.cost.wavefronts,
                      ideal = access.is_global ? one.traffic.ideal : one.cost.ideal;
  result.requests =
      one.bounded_requests + (access.is_global ? one.traffic.requests : one.cost.requests);
  result.taken = known + one.most;
  result.ideal = ideal + one.least;
  return result;
}

}  // namespace

project::report report_of(const std::vector<page>& pages,
                          const std::vector<uncounted_kernel>& others, source_lines& lines,
                          const std::string& file, bool is_executed) {
  project::report result;
  for (const page& of : pages) {
    project::reported_kernel& kernel = result.kernels.emplace_back();
    kernel.file = file;
    kernel.name = of.kernel->name;
    kernel.shown = of.kernel->shown_name();
    kernel.symbol = of.kernel->linkage;
    kernel.arm = text_of_arms(of.assumed);
    kernel.machine = command_line::shown_name(of.machine);
    kernel.block = command_line::option_text(of.how.block);
    for (const assumed_fact& one : of.assumed)
      kernel.assumed.push_back(joined(one.subject, " = ", one.value));
    kernel.is_partial = !is_executed || !is_within_bounds(of.costs);
    for (const auto* const accesses : {&of.costs.shared, &of.costs.global})
      for (const priced_access& one : *accesses)
        kernel.accesses.push_back(reported(of, one, lines));
  }
  for (const uncounted_kernel& one : others)
    result.others.push_back({file, one.name, one.reason, one.machine});
  return result;
}

}  // namespace compiled
