// SPDX-License-Identifier: MIT
#include "reported.hpp"

#include "../../known_machines.hpp"
#include "../../table.hpp"
#include "kernel_table.hpp"

namespace compiled {

namespace {

project::reported_access reported(const page& kernel_page, const priced_access& entry,
                                  source_lines& lines) {
  const recorded_access& access = *entry.first;
  project::reported_access result;
  result.is_global = access.is_global;
  result.array = array_name(*kernel_page.kernel, access);
  result.operation = verb_of(access.memory.operation);
  result.bytes = access.memory.bytes * access.memory.elements;
  result.line = access.location.line;
  result.source = lines.line_of(*kernel_page.kernel, access.location);
  const std::uint64_t known = access.is_global ? entry.traffic.transactions : entry.cost.wavefronts,
                      ideal = access.is_global ? entry.traffic.ideal : entry.cost.ideal;
  result.requests =
      entry.bounded_requests + (access.is_global ? entry.traffic.requests : entry.cost.requests);
  result.units = known + entry.maximum;
  result.ideal = ideal + entry.minimum;
  return result;
}

}  // namespace

project::report report_of(const std::vector<page>& pages,
                          const std::vector<uncounted_kernel>& failures, source_lines& lines,
                          const std::string& file, bool is_executed) {
  project::report result;
  for (const page& kernel_page : pages) {
    project::reported_kernel& kernel = result.kernels.emplace_back();
    kernel.file = file;
    kernel.name = kernel_page.kernel->name;
    kernel.shown = kernel_page.kernel->shown_name();
    kernel.symbol = kernel_page.kernel->linkage;
    kernel.arm = text_of_arms(kernel_page.assumed);
    kernel.machine = command_line::shown_name(kernel_page.machine);
    kernel.block = command_line::option_text(kernel_page.settings.block);
    for (const assumed_fact& fact : kernel_page.assumed)
      kernel.assumed.push_back(joined(fact.subject, " = ", fact.value));
    kernel.is_partial = !is_executed || !is_within_bounds(kernel_page.costs);
    for (const auto* const accesses : {&kernel_page.costs.shared, &kernel_page.costs.global})
      for (const priced_access& entry : *accesses)
        kernel.accesses.push_back(reported(kernel_page, entry, lines));
  }
  for (const uncounted_kernel& failure : failures)
    result.uncounted_kernels.push_back({file, failure.name, failure.reason, failure.machine});
  return result;
}

}  // namespace compiled
