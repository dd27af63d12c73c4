// SPDX-License-Identifier: MIT
#include "array_plans.hpp"

#include <bankmodel/report.hpp>
#include <bankmodel/search/optimize_requests.hpp>

#include "../source.hpp"
#include "memory.hpp"

namespace compiled {

using command_line::joined;

namespace {

bm::array_description described(const code_array& array) {
  const std::vector<long long>& extent = array.extents;
  const bm::layout rows = extent.size() == 2 ? bm::row_major(extent[0], extent[1])
                          : extent.size() == 3
                              ? bm::row_major(extent[0], extent[1], extent[2])
                              : bm::row_major(extent[0], extent[1], extent[2], extent[3]);
  return {bm::name_of(array.name.c_str()), rows, array.element_bytes};
}

constexpr long long most_layer_bytes = 256;

// The requests to array `number`, with bases from its start; none if not all are known.
std::vector<bm::request_class> classes_of(const page& of, int number, long long start) {
  std::vector<bm::request_class> result;
  for (const priced_access& one : of.costs.shared) {
    if (one.first->array < 0 || (one.first->array == number && one.is_partial)) return {};
    if (one.first->array != number) continue;
    for (bm::request_class each : one.classes) {
      each.base -= start;
      result.push_back(each);
    }
  }
  return result;
}

}  // namespace

std::vector<std::string> array_plans(const page& of) {
  const shared_layout places =
      laid_out(*of.kernel, static_cast<std::uint64_t>(of.how.dynamic_shared_bytes));
  std::vector<std::string> result;
  for (std::size_t at = 0; at < of.kernel->shared.size(); ++at) {
    const code_array& array = of.kernel->shared[at];
    if (array.extents.size() < 2 || array.extents.size() > 4 || array.element_bytes == 0) continue;
    const auto start = static_cast<long long>(places.first[at]);
    const auto classes = classes_of(of, static_cast<int>(at), start);
    // A plan begins at a layer of all banks.
    if (classes.empty() || start % most_layer_bytes != 0) continue;
    try {
      const bm::array_description now = described(array);
      const auto plan =
          bm::optimize(of.machine, of.how.block, now, classes.data(),
                       static_cast<int>(classes.size()), {.layouts = bm::layouts::padding});
      if (plan.after().wavefronts >= plan.before().wavefronts || plan.layout(0) == now.layout)
        continue;
      const std::string declared = joined(array.name, bm::text(plan.layout(0)));
      result.push_back(joined(array.name, " declared as ", declared, " takes ",
                              bm::grouped(plan.after().wavefronts), " wavefronts instead of ",
                              bm::grouped(plan.before().wavefronts), ", in ",
                              bm::grouped(static_cast<std::uint64_t>(plan.bytes())),
                              " bytes instead of ", bm::grouped(array.bytes), "."));
    } catch (const bm::error&) {
      // Structures whose members are accessed one by one are not arrays of such elements.
    }
  }
  return result;
}

}  // namespace compiled
