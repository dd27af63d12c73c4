// SPDX-License-Identifier: MIT
// A plan in words.
#include <bankmodel/report.hpp>

#include "../../source.hpp"
#include "array_plans.hpp"

namespace compiled {

using command_line::joined;

namespace {

// Of a layout of one dimension in rows with elements between them: "Rows of 256 bytes become rows
// of 260: 64 elements of 4 bytes become 65." Empty if it is another one.
std::string rows_in_words(const array_plan& plan, int element_bytes) {
  if (plan.planned.rank != 1) return {};
  const long long elements = plan.declared.required_size();
  long long row = 1;
  while (row < elements && plan.planned({row}) == row) ++row;
  if (row == elements) return {};
  const long long new_row = plan.planned({row});
  for (long long element = 0; element < elements; ++element)
    if (plan.planned({element}) != element / row * new_row + element % row) return {};
  const long long bytes = row * element_bytes, new_bytes = new_row * element_bytes;
  const bool is_whole = bytes % plan.widest == 0 && new_bytes % plan.widest == 0;
  return joined(" Rows of ", bytes, " bytes become rows of ", new_bytes,
                is_whole ? joined(": ", bytes / plan.widest, " elements of ", plan.widest,
                                  " bytes become ", new_bytes / plan.widest)
                         : "",
                ".");
}

// "sk in smem, with rows of 65 elements instead of 64,"; "t with rows of BK + 1 = 9 elements
// instead of 8"
std::string text_of_rows(const code_array& array, const array_plan& plan) {
  if (array.bytes != 0) return text_of_declared_rows(plan);
  std::string result;
  for (const longer_rows& rows : plan.rows)
    result += joined(result.empty() ? "" : " and ", rows.name, " in ", array.name,
                     ", with rows of ", (rows.row + rows.added) / rows.element_bytes,
                     " elements instead of ", rows.row / rows.element_bytes, ",");
  return result;
}

std::string text_of_conflicts_left(const array_plan& plan) {
  const std::uint64_t left = plan.planned_cost.conflicts();
  if (left == 0 || plan.has_upper_bound()) return ".";
  return joined("; ", bm::detail::counted_in_words(left, "conflict"),
                left == 1 ? " remains" : " remain", ", and no layout takes fewer than ",
                bm::grouped(plan.planned_cost.ideal), ".");
}

}  // namespace

std::string text_of_declared_rows(const array_plan& plan) {
  const longer_rows& rows = plan.rows.front();
  const long long row = rows.row / rows.element_bytes, added = rows.added / rows.element_bytes;
  const bool is_named = !rows.spelled.empty() && (rows.spelled[0] < '0' || rows.spelled[0] > '9');
  return joined(rows.name, " with rows of ",
                is_named ? joined(rows.spelled, " + ", added, " = ") : "", row + added,
                " elements instead of ", row);
}

std::string text_of_layout(const code_array& array, const array_plan& plan) {
  if (!plan.rows.empty()) {
    const long long bytes = plan.declared.required_size() * array.element_bytes;
    const std::uint64_t planned_bytes =
        plan.launches.empty() ? static_cast<std::uint64_t>(plan.bytes(array.element_bytes))
                              : plan.dynamic_bytes;
    return joined(text_of_rows(array, plan),
                  plan.has_upper_bound()  ? " takes at most "
                  : plan.rows.size() == 1 ? " takes "
                                          : " take ",
                  bm::detail::counted_in_words(plan.planned_cost.wavefronts, "wavefront"),
                  " instead of ", bm::grouped(plan.declared_cost.wavefronts),
                  plan.is_as_issued ? " as issued" : "", ", in ", bm::grouped(planned_bytes),
                  array.bytes == 0 ? " dynamic" : "", " bytes instead of ",
                  bm::grouped(static_cast<std::uint64_t>(bytes)), text_of_conflicts_left(plan));
  }
  const bm::layout& planned = plan.planned;
  const bool is_dynamic = array.bytes == 0;
  const long long declared_bytes = plan.declared.required_size() * array.element_bytes;
  return joined(array.name, is_dynamic || plan.is_flat ? " as " : " declared as ", array.name,
                bm::text(planned), plan.is_a_declaration ? "" : ",",
                plan.has_upper_bound() ? " takes at most " : " takes ",
                bm::detail::counted_in_words(plan.planned_cost.wavefronts, "wavefront"),
                " instead of ", bm::grouped(plan.declared_cost.wavefronts),
                plan.is_as_issued ? " as issued" : "", ", in ",
                bm::grouped(static_cast<std::uint64_t>(
                    plan.is_flat ? declared_bytes : planned.required_size() * array.element_bytes)),
                is_dynamic ? " dynamic" : "", " bytes instead of ",
                bm::grouped(static_cast<std::uint64_t>(declared_bytes)),
                plan.widest > array.element_bytes && !plan.takes_joins_apart
                    ? joined("; accesses of ", plan.widest, " bytes stay aligned and in one piece")
                    : "",
                text_of_conflicts_left(plan),
                plan.is_complete ? "" : " The search ended early; raise --effort for more.",
                plan.kernels > 1 ? joined(" The declaration is that of ", plan.kernels,
                                          " kernels, which were all counted with the change.")
                                 : "",
                plan.refusal.empty() ? "" : rows_in_words(plan, array.element_bytes));
}

}  // namespace compiled
