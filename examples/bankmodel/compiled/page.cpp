// SPDX-License-Identifier: MIT
#include "page.hpp"

#include <algorithm>

#include "../known_machines.hpp"
#include "../table.hpp"
#include "../utf8.hpp"
#include "diagnostics.hpp"
#include "issued_column.hpp"
#include "plan_text.hpp"

namespace compiled {

using command_line::joined;
using command_line::row;

std::string verb_of(const memory_access& access) {
  switch (access.does) {
    case access_does::load: return "load";
    case access_does::store: return "store";
    case access_does::atomic: return "atomic";
    case access_does::load_matrix: return "ldmatrix";
    case access_does::store_matrix: return "stmatrix";
    default: return "copy";
  }
}

std::string array_name(const kernel_code& kernel, const recorded_access& access) {
  if (access.array < 0) return {};
  auto number = static_cast<std::size_t>(access.array);
  if (!access.is_global) return number < kernel.shared.size() ? kernel.shared[number].name : "";
  if (number < kernel.parameters.size()) return kernel.parameters[number].name;
  number -= kernel.parameters.size();
  return number < kernel.globals.size() ? kernel.globals[number].name : "";
}

std::string heading_of(const page& of, std::size_t width) {
  return command_line::wrapped(
      joined(command_line::name_of(of.machine), ": ", command_line::printable(of.kernel->name),
             ", one block of ", command_line::text_of(of.how.block)),
      "", width);
}

namespace {

// load tile, 16 bytes
std::string what_of(const kernel_code& kernel, const priced_access& one) {
  const std::string name = array_name(kernel, *one.first);
  const memory_access& access = one.first->memory;
  std::string result = joined(verb_of(access), name.empty() ? "" : " ", name);
  if (access.elements > 1) result += joined(", ", access.bytes * access.elements, " bytes");
  return one.is_partial ? joined(result, " (in part)") : result;
}

const auto& cost_of(const priced_access& one, const bm::cost&) { return one.cost; }
const auto& cost_of(const priced_access& one, const bm::memory_traffic&) { return one.traffic; }

// The table, with as much of each source line as the width allows.
template <class Cost>
std::string table(const page& of, const std::vector<priced_access>& accesses,
                  const std::string& memory, const command_line::cells& head, const Cost& sum,
                  source_lines& lines, std::size_t width) {
  if (accesses.empty()) return {};
  std::vector<row> rows = {{"line", memory, head}};
  const bool is_issued = has_issued_column(of, accesses);
  if (is_issued) add_issued_head(rows.back().cell, sum);
  std::size_t longest = 0;
  for (const priced_access& one : accesses) {
    const int line = one.first->where.line;
    rows.push_back(command_line::row_of(line == 0 ? "" : std::to_string(line),
                                        what_of(*of.kernel, one), cost_of(one, sum)));
    if (is_issued) add_issued(rows.back().cell, one.issued.bytes, issued_of(one, sum));
    longest = std::max(longest, rows.back().text.size());
  }
  const bool in_part = std::any_of(accesses.begin(), accesses.end(),
                                   [](const priced_access& one) { return one.is_partial; });
  rows.push_back(
      command_line::row_of("", joined("the whole kernel", in_part ? " (in part)" : ""), sum));
  if (is_issued) add_issued(rows.back().cell, {}, issued_of(of.costs, sum));
  // The widest line has no blanks for a source line yet.
  const std::string without = command_line::printed(rows, longest);
  const std::size_t used = without.find('\n'), blanks = 2, least = 8, most = 40;
  const std::size_t room = width > used + blanks ? std::min(width - used - blanks, most) : 0;
  for (std::size_t at = 0; at < accesses.size() && room >= least; ++at) {
    const std::string source =
        command_line::printable(lines.line_of(*of.kernel, accesses[at].first->where));
    std::string& text = rows[at + 1].text;
    if (!source.empty())
      text = command_line::left(text, longest + blanks) + command_line::cut(source, room);
  }
  return joined("\n", command_line::printed(rows, 0));
}

}  // namespace

std::string as_text(const page& of, source_lines& lines, const command_line::text_shape& shape) {
  std::string result = heading_of(of, shape.width);
  result += table(of, of.costs.shared, "shared memory", command_line::shared_head, of.costs.cost,
                  lines, shape.width);
  result += table(of, of.costs.global, "global memory", command_line::global_head, of.costs.traffic,
                  lines, shape.width);
  result += issued_note(of, shape.width);
  if (of.costs.shared.empty() && of.costs.global.empty())
    result += "\nIt accesses neither shared nor global memory.\n";
  for (const diagnostic& one : diagnostics_of(of))
    result += joined("\n", text_of(of, one, lines, shape));
  result += text_of_plans(of, lines, shape);
  if (of.costs.most > 0)
    result += joined("\nThe whole kernel takes ", of.costs.cost.wavefronts + of.costs.least, " to ",
                     of.costs.cost.wavefronts + of.costs.most, " wavefronts in shared memory",
                     has_issued_column(of, of.costs.shared) ? " as written.\n" : ".\n");
  if (!of.recorded->notes.empty()) result += "\n";
  for (const std::string& note : of.recorded->notes)
    result += command_line::wrapped(joined("note: ", note), "", shape.width);
  return result;
}

}  // namespace compiled
