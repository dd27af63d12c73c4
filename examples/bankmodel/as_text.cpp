// SPDX-License-Identifier: MIT
#include <algorithm>

#include "answer.hpp"
#include "declaration.hpp"
#include "known_machines.hpp"
#include "table.hpp"

namespace command_line {

namespace {

std::size_t paragraph(const question& asked) {
  return asked.width == 0 ? longest_text
                          : std::clamp<std::size_t>(asked.width - 2, 20, longest_text);
}

// The accesses to one memory, if there are some; `each` and `sum`: their costs.
template <class Cost>
std::string table(const source& of, const kernel_file& kernel, bool global, const row& heading,
                  const std::vector<Cost>& each, const Cost& sum, const Cost* of_grid,
                  const question& asked) {
  std::vector<row> rows = {heading};
  bool any = false;
  for (std::size_t at = 0; at < each.size(); ++at)
    if (kernel.accesses[at].is_global() == global && (any = true, !asked.brief))
      rows.push_back(row_of(std::to_string(line_number(of, kernel.accesses[at].where.first)),
                            kernel.accesses[at].text, each[at]));
  if (!any) return {};
  rows.push_back(row_of("", "the whole kernel", sum));
  if (of_grid != nullptr)
    rows.push_back(
        row_of("", joined("all ", bm::grouped(kernel.grid->blocks()), " blocks"), *of_grid));
  std::size_t text_width = 0;
  // Both tables have the same width.
  for (const kernel_access& one : kernel.accesses)
    if (one.text.size() <= longest_text && !asked.brief)
      text_width = std::max(text_width, one.text.size());
  return printed(rows, text_width, asked.width);
}

std::string table(const source& of, const kernel_file& kernel, const kernel_cost& cost,
                  const question& asked) {
  return table(of, kernel, false, {"line", kernel.has_global() ? "shared memory" : "", shared_head},
               cost.each, cost.sum, cost.of_grid ? &cost.of_grid->sum : nullptr, asked);
}

std::string global_table(const source& of, const kernel_file& kernel, const kernel_cost& cost,
                         const question& asked) {
  return table(of, kernel, true, {"line", "global memory", global_head}, cost.traffic,
               cost.traffic_sum, cost.of_grid ? &cost.of_grid->traffic_sum : nullptr, asked);
}

// Why accesses conflict, those with the same reason together.
struct said_reason {
  bm::array_name array;
  std::string text, remedy, accesses;
  bool is(const said_reason& other) const {
    return array == other.array && text == other.text && remedy == other.remedy;
  }
};

// Of each access to one memory with conflicts or with transactions beyond the ideal.
std::vector<said_reason> collected_reasons(const source& of, const kernel_file& kernel,
                                           bm::memory_space memory, const kernel_cost& cost,
                                           bool with_remedy) {
  std::vector<said_reason> said;
  for (std::size_t at = 0; at < cost.each.size(); ++at) {
    const kernel_access& access = kernel.accesses[at];
    if (access.expression.array.memory != memory) continue;
    const bool is_coalesced = cost.traffic[at].transactions == cost.traffic[at].ideal;
    if (cost.each[at].conflicts() == 0 && is_coalesced) continue;
    const reason because = why(kernel, access, cost.machine, with_remedy);
    said_reason one{access.expression.array.name, because.text, because.remedy,
                    joined("line ", line_number(of, access.where.first), ": ", access.text, "\n")};
    const auto same = std::find_if(said.begin(), said.end(),
                                   [&](const said_reason& each) { return each.is(one); });
    if (same == said.end())
      said.push_back(one);
    else
      same->accesses += one.accesses;
  }
  return said;
}

std::string reasons(const source& of, const kernel_file& kernel, bm::memory_space memory,
                    const kernel_cost& cost, const question& asked) {
  if (asked.brief) return {};
  const auto said = collected_reasons(of, kernel, memory, cost, asked.plan);
  std::string result;
  for (std::size_t at = 0; at < said.size(); ++at) {
    const said_reason& one = said[at];
    // A remedy is said once for each array.
    const bool is_new = !one.remedy.empty() &&
                        std::none_of(said.begin(), said.begin() + static_cast<std::ptrdiff_t>(at),
                                     [&](const said_reason& each) {
                                       return each.array == one.array && each.remedy == one.remedy;
                                     });
    result += joined(
        "\n", within(one.accesses, asked.width),
        wrapped(is_new ? joined(one.text, " ", one.remedy) : one.text, "  ", paragraph(asked)));
  }
  return result;
}

std::string plan_text(const kernel_file& kernel, const finding& on, const question& asked) {
  if (on.planning.plan == nullptr) return joined("\nno plan: ", on.planning.none, "\n");
  const kernel_plan& plan = *on.planning.plan;
  std::string result =
      joined("\nplan: ",
             bm::detail::text_of_plan(plan, on.planning.bound && on.planning.bound->reached,
                                      "raise --effort"),
             "\n");
  if (!on.planning.not_bounded.empty())
    result += wrapped(joined("Whether a layout takes ", bm::grouped(plan.after().ideal),
                             " is not known: ", on.planning.not_bounded),
                      "  ", paragraph(asked));
  if (changes_nothing(on.machine, plan))
    result += plan.after().conflicts() == 0
                  ? "  The arrays can stay as they are.\n"
                  : "  No layout that was searched takes less than the arrays as they are.\n";
  else
    for (const std::string& line : declarations(kernel, on.machine, plan))
      result += joined("  ", line, "\n");
  const auto indices = changed_indices(plan);
  for (const std::string& line : indices) result += joined("  index: ", line, "\n");

  const auto compared = [&](const char* what, long long before, long long after) {
    result +=
        joined("  ", left(what, 15), right(bm::grouped(static_cast<std::uint64_t>(before)), 13),
               right(bm::grouped(static_cast<std::uint64_t>(after)), 13), "\n");
  };
  result += joined("\n  ", left("", 15), right("before", 13), right("after", 13), "\n");
  compared("wavefronts", static_cast<long long>(plan.before().wavefronts),
           static_cast<long long>(plan.after().wavefronts));
  compared("bytes", declared_bytes(kernel), plan.bytes());
  compared("resident blocks", on.blocks_before, plan.resident_blocks());
  return result;
}

// Everything about a machine except its name: machines with the same text share it.
std::string body(const source& of, const kernel_file& kernel, const finding& on,
                 const question& asked) {
  std::string result;
  if (kernel.has_shared())
    for (const kernel_cost& cost : on.costs) {
      if (on.costs.size() > 1) result += joined("\n", cost.machine.bank_width, "-byte banks\n");
      result += joined("\n", table(of, kernel, cost, asked),
                       reasons(of, kernel, bm::memory_space::shared, cost, asked));
    }
  // Global memory is the same with either bank width.
  if (kernel.has_global())
    result += joined("\n", global_table(of, kernel, on.costs.front(), asked),
                     reasons(of, kernel, bm::memory_space::global, on.costs.front(), asked));
  return asked.plan && kernel.has_shared()
             ? joined(result, within(plan_text(kernel, on, asked), asked.width))
             : result;
}

}  // namespace

std::string as_text(const source& of, const std::vector<finding>& found, const question& asked) {
  std::vector<named_text> bodies;
  for (const finding& one : found)
    bodies.push_back({name_of(one.machine), body(of, *one.kernel, one, asked)});

  const kernel_file& kernel = *found.front().kernel;
  std::string result;
  for (const named_text& one : by_text(bodies))
    result += joined(result.empty() ? "" : "\n\n", one.names, ": one block of ",
                     text_of(kernel.block), "\n", one.text);
  std::string noted;
  for (const std::string& one : notes(of, kernel, asked)) noted += joined("note: ", one, "\n");
  return joined(result, noted.empty() ? "" : "\n", within(noted, asked.width));
}

}  // namespace command_line
