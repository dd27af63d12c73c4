// SPDX-License-Identifier: MIT
#include "array_plans.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>
#include <bankmodel/search/optimize_requests.hpp>

#include "../source.hpp"
#include "memory.hpp"
#include "plan_edits.hpp"

namespace compiled {

using command_line::joined;

namespace {

bm::layout rows_of(const std::vector<long long>& extent) {
  switch (extent.size()) {
    case 1: return bm::row_major(extent[0]);
    case 2: return bm::row_major(extent[0], extent[1]);
    case 3: return bm::row_major(extent[0], extent[1], extent[2]);
    default: return bm::row_major(extent[0], extent[1], extent[2], extent[3]);
  }
}

// The requests to one array, with bases from its start.
struct requests_to_plan {
  std::vector<bm::request_class> classes;  // none if not all are known
  int widest = 0;                          // the bytes of the widest access
};

requests_to_plan requests_of(const page& of, int number, long long start) {
  requests_to_plan result;
  for (const priced_access& one : of.costs.shared) {
    if (one.first->array < 0 || (one.first->array == number && one.is_partial)) return {};
    if (one.first->array != number) continue;
    for (bm::request_class each : one.classes) {
      each.base -= start;
      result.widest = std::max(result.widest, each.lanes.bytes);
      result.classes.push_back(each);
    }
  }
  return result;
}

// A declaration does not choose the width of banks.
bm::machine as_it_is(bm::machine m) {
  m.other_bank_width = 0;
  return m;
}

// The bytes by which the declared arrays may grow. All of them are limited to what a block has
// without opting in; a block that has more, in dynamic arrays, may have all that the machine has.
long long room_in(const page& of, const shared_layout& places) {
  const bm::residency& limits = of.machine.limits;
  const auto all = static_cast<long long>(places.total),
             declared = all - of.how.dynamic_shared_bytes;
  const long long most =
      all <= limits.shared_per_block ? limits.shared_per_block : limits.shared_per_block_opt_in;
  return std::max(0ll, std::min(limits.shared_per_block - declared, most - all));
}

// The formulas of triangular layouts may need a root, which C has no operator for.
constexpr bm::layout_families searched = bm::layouts::padding | bm::layouts::xor_swizzle |
                                         bm::layouts::rotation | bm::layouts::modular |
                                         bm::layouts::linear;

std::string text_of(const code_array& array, const array_plan& plan, int widest) {
  const bm::layout& to = plan.planned;
  return joined(array.name, " declared as ", array.name, bm::text(to),
                plan.is_a_declaration ? "" : ",", " takes ", bm::grouped(plan.after.wavefronts),
                " wavefronts instead of ", bm::grouped(plan.before.wavefronts), ", in ",
                bm::grouped(static_cast<std::uint64_t>(to.required_size() * array.element_bytes)),
                " bytes instead of ", bm::grouped(array.bytes),
                widest > array.element_bytes
                    ? joined("; accesses of ", widest, " bytes stay aligned and in one piece.")
                    : ".");
}

// Of arrays with planes: a declaration with rows and planes of other extents that takes as few
// wavefronts as this layout, whose padding no declaration has; this layout if there is none.
bm::layout as_declaration(const page& of, const bm::array_description& now,
                          const requests_to_plan& given, const bm::layout& planned,
                          std::uint64_t wavefronts, long long most_bytes) {
  bm::layout best = planned;
  if (now.layout.rank < 3 || !planned.is_strided() || is_declaration(planned)) return best;
  constexpr long long most_padding = 32;
  const int inner = now.layout.rank - 1;
  long long least = most_bytes / now.element_bytes + 1;
  for (long long columns = 0; columns < most_padding; ++columns)
    for (long long rows = 0; rows < most_padding; ++rows) {
      const long long row = now.layout.extent[inner] + columns;
      const bm::layout tried = now.layout.padded(columns, inner - 1).padded(rows * row, inner - 2);
      if (tried.required_size() >= least) break;
      try {
        const auto cost = bm::optimize(as_it_is(of.machine), of.how.block, now.with(tried),
                                       given.classes.data(), static_cast<int>(given.classes.size()),
                                       {.layouts = bm::layouts::as_declared});
        if (cost.before().wavefronts > wavefronts) continue;
        least = tried.required_size();
        best = tried;
      } catch (const bm::error&) {
        // An access would not be aligned.
      }
    }
  return best;
}

// Nothing if the array is best as it is, or if its requests cannot be planned.
std::vector<array_plan> plan_of(const page& of, std::size_t number, long long start,
                                long long most_bytes) {
  const code_array& array = of.kernel->shared[number];
  const requests_to_plan given = requests_of(of, static_cast<int>(number), start);
  if (given.classes.empty()) return {};
  const bm::machine m = as_it_is(of.machine);
  try {
    const bm::array_description now{bm::name_of(array.name.c_str()), rows_of(array.extents),
                                    array.element_bytes};
    const auto found = bm::optimize(m, of.how.block, now, given.classes.data(),
                                    static_cast<int>(given.classes.size()),
                                    {.layouts = searched,
                                     .shared_bytes = most_bytes,
                                     .prefer = bm::preference::simple_indices});
    // Where costs do not depend on the base, a word of the banks and the widest access are enough.
    constexpr int anywhere = 16;
    const int alignment =
        found.alignment() == anywhere ? std::max(m.bank_width, given.widest) : found.alignment();
    if (found.after().wavefronts >= found.before().wavefronts || found.layout(0) == now.layout ||
        found.offset_bytes(0) != 0 || start % alignment != 0)
      return {};
    array_plan plan;
    plan.array = static_cast<int>(number);
    plan.declared = now.layout;
    plan.planned =
        as_declaration(of, now, given, found.layout(0), found.after().wavefronts, most_bytes);
    plan.before = found.before();
    plan.after = found.after();
    set_edits(array, plan);
    plan.text = text_of(array, plan, given.widest);
    return {plan};
  } catch (const bm::error&) {
    // Structures whose members are accessed one by one are not arrays of such elements.
    return {};
  }
}

}  // namespace

std::vector<array_plan> array_plans(const page& of) {
  const shared_layout places =
      laid_out(*of.kernel, static_cast<std::uint64_t>(of.how.dynamic_shared_bytes));
  long long room = room_in(of, places);
  std::vector<array_plan> result;
  for (std::size_t at = 0; at < of.kernel->shared.size(); ++at) {
    const code_array& array = of.kernel->shared[at];
    if (array.extents.empty() || array.extents.size() > bm::max_rank || array.element_bytes == 0)
      continue;
    const auto bytes = static_cast<long long>(array.bytes);
    for (array_plan& plan :
         plan_of(of, at, static_cast<long long>(places.first[at]), bytes + room)) {
      room -= plan.planned.required_size() * array.element_bytes - bytes;
      result.push_back(std::move(plan));
    }
  }
  return result;
}

}  // namespace compiled
