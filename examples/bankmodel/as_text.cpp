// SPDX-License-Identifier: MIT
#include <algorithm>

#include "answer.hpp"
#include "declaration.hpp"
#include "known_machines.hpp"
#include "table.hpp"

namespace command_line {

namespace {

// The accesses to one memory, if there are some; `each` and `sum`: their costs.
template <class Cost>
std::string table(const source& of, const kernel_file& kernel, bool global, const row& heading,
                  const std::vector<Cost>& each, const Cost& sum, const Cost* of_grid) {
  std::vector<row> rows = {heading};
  for (std::size_t at = 0; at < each.size(); ++at)
    if (kernel.accesses[at].is_global() == global)
      rows.push_back(row_of(std::to_string(line_number(of, kernel.accesses[at].where.first)),
                            kernel.accesses[at].text, each[at]));
  if (rows.size() == 1) return {};
  rows.push_back(row_of("", "the whole kernel", sum));
  if (of_grid != nullptr)
    rows.push_back(
        row_of("", joined("all ", bm::grouped(kernel.grid->blocks()), " blocks"), *of_grid));
  std::size_t text_width = 0;
  // Both tables have the same width.
  for (const kernel_access& one : kernel.accesses)
    if (one.text.size() <= longest_text) text_width = std::max(text_width, one.text.size());
  return printed(rows, text_width);
}

std::string table(const source& of, const kernel_file& kernel, const kernel_cost& cost) {
  return table(of, kernel, false, {"line", kernel.has_global() ? "shared memory" : "", shared_head},
               cost.each, cost.sum, cost.of_grid ? &cost.of_grid->sum : nullptr);
}

std::string global_table(const source& of, const kernel_file& kernel, const kernel_cost& cost) {
  return table(of, kernel, true, {"line", "global memory", global_head}, cost.traffic,
               cost.traffic_sum, cost.of_grid ? &cost.of_grid->traffic_sum : nullptr);
}

// The reasons for each access to one memory with conflicts or with transactions beyond the ideal;
// accesses with the same reason are listed together.
std::string reasons(const source& of, const kernel_file& kernel, bm::memory_space memory,
                    const kernel_cost& cost, bool with_remedy) {
  std::vector<std::pair<std::string, std::string>> said;  // accesses, and their text
  for (std::size_t at = 0; at < cost.each.size(); ++at) {
    if (kernel.accesses[at].expression.array.memory != memory) continue;
    const bool is_coalesced = cost.traffic[at].transactions == cost.traffic[at].ideal;
    if (cost.each[at].conflicts() == 0 && is_coalesced) continue;
    const std::string text = why(kernel, kernel.accesses[at], cost.machine, with_remedy).text;
    const std::string access = joined("line ", line_number(of, kernel.accesses[at].where.first),
                                      ": ", kernel.accesses[at].text, "\n");
    const auto same = std::find_if(said.begin(), said.end(),
                                   [&](const auto& each) { return each.second == text; });
    if (same == said.end())
      said.emplace_back(access, text);
    else
      same->first += access;
  }
  std::string result;
  for (const auto& [accesses, text] : said)
    result += joined("\n", accesses, wrapped(text, "  ", longest_text));
  return result;
}

std::string plan_text(const kernel_file& kernel, const finding& on) {
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
                      "  ", longest_text);
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
      result += joined("\n", table(of, kernel, cost),
                       reasons(of, kernel, bm::memory_space::shared, cost, asked.plan));
    }
  // Global memory is the same with either bank width.
  if (kernel.has_global())
    result += joined("\n", global_table(of, kernel, on.costs.front()),
                     reasons(of, kernel, bm::memory_space::global, on.costs.front(), asked.plan));
  return asked.plan && kernel.has_shared() ? joined(result, plan_text(kernel, on)) : result;
}

std::string notes(const kernel_file& kernel) {
  std::string result;
  for (const kernel_array& one : kernel.arrays)
    if (!one.is_used)
      result += joined("note: no access reads or writes ", one.name,
                       one.description.memory == bm::memory_space::shared
                           ? "; its bytes are not counted\n"
                           : "\n");
  if (kernel.reads_block_index)
    result += kernel.grid
                  ? "note: the numbers of a block are those of the first, where blockIdx is 0\n"
                  : "note: the numbers are those of the first block, where blockIdx is 0\n";
  return result.empty() ? result : joined("\n", result);
}

}  // namespace

std::string as_text(const source& of, const kernel_file& kernel, const std::vector<finding>& found,
                    const question& asked) {
  std::vector<std::pair<std::string, std::string>> said;  // the machines' names, and their text
  for (const finding& one : found) {
    const std::string about = body(of, kernel, one, asked);
    const auto same = std::find_if(said.begin(), said.end(),
                                   [&](const auto& each) { return each.second == about; });
    if (same == said.end())
      said.emplace_back(name_of(one.machine), about);
    else
      same->first += joined(", ", name_of(one.machine));
  }

  std::string result;
  for (const auto& [names, about] : said)
    result += joined(result.empty() ? "" : "\n\n", names, ": one block of ", text_of(kernel.block),
                     "\n", about);
  return joined(result, notes(kernel));
}

}  // namespace command_line
