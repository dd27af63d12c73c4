// SPDX-License-Identifier: MIT
#include "page.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>

#include "../../known_machines.hpp"
#include "../../table.hpp"
#include "../../utf8.hpp"
#include "../engine/memory.hpp"
#include "cost_rows.hpp"
#include "cycle_bounds.hpp"
#include "diagnostics.hpp"
#include "issued_column.hpp"
#include "plan_text.hpp"

namespace compiled {

using command_line::row;

std::string verb_of(access_does operation) {
  switch (operation) {
    case access_does::load: return "load";
    case access_does::store: return "store";
    case access_does::atomic: return "atomic";
    case access_does::load_matrix: return "ldmatrix";
    case access_does::store_matrix: return "stmatrix";
    default: return "copy";
  }
}

std::string range_text(std::uint64_t minimum, std::uint64_t maximum) {
  return minimum == maximum ? bm::grouped(minimum)
                            : joined(bm::grouped(minimum), "..", bm::grouped(maximum));
}

std::string range_in_words(std::uint64_t minimum, std::uint64_t maximum, const char* unit) {
  return minimum == maximum
             ? bm::detail::counted_in_words(maximum, unit)
             : joined(bm::grouped(minimum), " to ", bm::grouped(maximum), " ", unit, "s");
}

std::string text_of_copy(const page& kernel_page, const priced_access& entry) {
  if (entry.first->is_global || entry.first->memory.operation != access_does::copy) return {};
  if (!is_copy_on(kernel_page.machine, entry.first->memory)) return ", as a load and a store";
  if (entry.first->memory.uncached) return ", past the first cache";
  return joined(", to ", bm::grouped(entry.copied.destination), ", from ",
                entry.has_unknown_source ? "?" : bm::grouped(entry.copied.source));
}

std::string source_of_copies(const bm::machine& m) {
  const bm::service rules = m.served(16, bm::access_kind::copy);
  return rules.sure == bm::confidence::low ? "inferred from counts on sm_120" : "counted on sm_120";
}

namespace {

// The structure that has all bytes which the access may be to: "s" of s.a and s.inner.b. Empty if
// there is none.
std::string structure_name(const kernel_code& kernel, const recorded_access& access) {
  const shared_layout layout = laid_out(kernel, 0);
  for (std::size_t first = 0; first < kernel.shared.size(); ++first) {
    if (kernel.shared[first].members == 1) continue;
    const std::size_t last = first + static_cast<std::size_t>(kernel.shared[first].members) - 1;
    const auto begin = static_cast<std::int64_t>(layout.first[first]),
               end = static_cast<std::int64_t>(layout.first[last] + layout.bytes[last]);
    const auto is_within = [&](const bounded_class& group) {
      return group.bytes.first >= begin && group.bytes.last >= group.bytes.first &&
             group.bytes.last < end;
    };
    const std::string& name = kernel.shared[first].name;
    if (std::ranges::all_of(access.bounded, is_within)) return name.substr(0, name.find('.'));
    first = last;
  }
  return {};
}

}  // namespace

std::string array_name(const kernel_code& kernel, const recorded_access& access) {
  if (access.array < 0 && !access.is_global && !access.bounded.empty())
    return structure_name(kernel, access);
  if (access.array < 0) return {};
  auto number = static_cast<std::size_t>(access.array);
  if (!access.is_global) return number < kernel.shared.size() ? kernel.shared[number].name : "";
  if (number < kernel.parameters.size()) return kernel.parameters[number].name;
  number -= kernel.parameters.size();
  return number < kernel.globals.size() ? kernel.globals[number].name : "";
}

std::string declares_too_much(const page& kernel_page) {
  const std::uint64_t declared = laid_out(*kernel_page.kernel, 0).total;
  const bm::residency& limits = kernel_page.machine.limits;
  const auto limit = static_cast<std::uint64_t>(limits.shared_per_block);
  if (limit == 0 || declared <= limit) return {};
  return joined(
      "the arrays in shared memory are declared with ", bm::grouped(declared),
      " bytes, and compilers accept ", bm::grouped(limit), " on ",
      command_line::shown_name(kernel_page.machine),
      limits.shared_per_block_opt_in > limits.shared_per_block
          ? joined(": use extern __shared__, of which a block may have ",
                   bm::grouped(static_cast<std::uint64_t>(limits.shared_per_block_opt_in)))
          : ": use smaller arrays");
}

std::string heading_of(const page& kernel_page, const std::string& machines, std::size_t width) {
  return command_line::wrapped(
      joined(machines, ": ", command_line::printable(kernel_page.kernel->shown_name()),
             ", one block of ", command_line::text_of(kernel_page.settings.block)),
      "", width);
}

std::string heading_of(const page& kernel_page, std::size_t width) {
  return heading_of(kernel_page, command_line::shown_name(kernel_page.machine), width);
}

std::string text_of_other_banks(const bm::machine& other, std::uint64_t minimum,
                                std::uint64_t maximum, std::uint64_t ideal) {
  return joined("on ", command_line::name_of(other), " with ", other.bank_width,
                "-byte banks the kernel takes ", range_in_words(minimum, maximum, "wavefront"),
                ", ideal ", bm::grouped(ideal), "; --bank-width ", other.bank_width,
                " counts with them");
}

std::string text_without_access(const page& kernel_page) {
  return kernel_page.recorded->leaves_out_shared
             ? "Its accesses to shared and global memory are not modelled."
         : kernel_page.recorded->leaves_out ? "Its accesses to global memory are not modelled."
                                            : "It accesses neither shared nor global memory.";
}

namespace {

// The table, with as much of each source line as the width allows.
std::string table(const page& kernel_page, std::vector<row> rows,
                  const std::vector<priced_access>& accesses, source_lines& lines,
                  std::size_t width, bool brief) {
  if (rows.empty()) return {};
  if (brief) {
    rows.erase(rows.begin() + 1, rows.begin() + 1 + static_cast<std::ptrdiff_t>(accesses.size()));
    return joined("\n", command_line::printed(rows, 0));
  }
  std::size_t longest = 0;
  for (std::size_t position = 0; position < accesses.size(); ++position)
    longest = std::max(longest, rows[position + 1].text.size());
  // The widest line has no blanks for a source line yet.
  const std::string plain = command_line::printed(rows, longest);
  const std::size_t used = plain.find('\n'), blanks = 2, minimum = 8, maximum = 40;
  const std::size_t room = width > used + blanks ? std::min(width - used - blanks, maximum) : 0;
  for (std::size_t position = 0; position < accesses.size() && room >= minimum; ++position) {
    const std::string source = command_line::printable(
        lines.line_of(*kernel_page.kernel, accesses[position].first->location));
    std::string& text = rows[position + 1].text;
    if (!source.empty())
      text = command_line::left(text, longest + blanks) + command_line::cut(source, room);
  }
  return joined("\n", command_line::printed(rows, 0));
}

// The sentence, wrapped, and the differences, each one line for an editor.
std::string text_of_issued(const page& kernel_page, std::size_t width) {
  std::string result;
  for (const std::string& note : issued_notes(kernel_page))
    result +=
        result.empty() ? joined("\n", command_line::wrapped(note, "", width)) : joined(note, "\n");
  return result;
}

// A table and its sentences.
std::string text_with_notes(const std::vector<row>& rows, const std::vector<std::string>& notes,
                            std::size_t width) {
  if (rows.empty()) return {};
  std::string result = joined("\n", command_line::printed(rows, 0, width));
  for (const std::string& note : notes) result += command_line::wrapped(note, "", width);
  return result;
}

// A table whose formulas are too long for its columns, equal ones once: "    6  store t: requests
// 2 * u; wavefronts, ideal 4 * u".
std::string sentences_of(const std::vector<row>& rows, std::size_t width) {
  constexpr std::size_t longest_formula = 240;
  const row& head = rows.front();
  std::string result;
  for (std::size_t number = 1; number < rows.size(); ++number) {
    const row& entry = rows[number];
    std::string text = joined(command_line::right(entry.line, 5), "  ", entry.text, ": ");
    for (std::size_t cell = 0; cell < entry.cell.size();) {
      text += joined(cell == 0 ? "" : "; ", head.cell[cell]);
      const std::string& formula = entry.cell[cell++];
      for (; cell < entry.cell.size() && entry.cell[cell] == formula; ++cell)
        text += joined(", ", head.cell[cell]);
      text += joined(
          " ", formula.size() > longest_formula ? "a long formula, which --json has" : formula);
    }
    result += command_line::fitted(text, width);
  }
  return result;
}

std::string tables_of_formulas(const std::vector<formula_row>& formulas, std::size_t width,
                               bool brief) {
  std::string result;
  for (const bool is_global : {false, true}) {
    std::vector<row> rows = formula_table(formulas, is_global);
    if (rows.empty()) continue;
    if (brief)
      rows.erase(std::remove_if(rows.begin() + 1, rows.end(),
                                [](const row& entry) { return !entry.line.empty(); }),
                 rows.end());
    if (rows.size() == 1) continue;
    const std::string table = command_line::printed(rows, 0);
    result += table.find('\n') <= width ? table : sentences_of(rows, width);
  }
  return result;
}

// The tables for all values of what was assumed, and what these take for granted.
std::string text_of_formulas(const page& kernel_page, std::size_t width, bool brief) {
  std::string result;
  // Without the rows of accesses there may be no total.
  if (const std::string tables = tables_of_formulas(kernel_page.formulas.rows, width, brief);
      !tables.empty()) {
    result += joined("\n", title_of_formulas(kernel_page.formulas), ":\n", tables);
    for (const std::string& assumption : kernel_page.formulas.assumptions)
      result += command_line::wrapped(joined("the formulas assume: ", assumption), "", width);
  }
  if (kernel_page.formulas.ranged.empty()) return result;
  result += joined("\nFor ", kernel_page.formulas.ranged, ":\n");
  result += tables_of_formulas(kernel_page.formulas.ranges, width, brief);
  for (const std::string& reason : kernel_page.formulas.without_range)
    result += command_line::wrapped(reason, "", width);
  return result;
}

}  // namespace

std::string as_text(const page& kernel_page, source_lines& lines,
                    const command_line::text_shape& shape) {
  return heading_of(kernel_page, shape.width) + body_of(kernel_page, lines, shape);
}

std::string body_of(const page& kernel_page, source_lines& lines,
                    const command_line::text_shape& shape, bool brief) {
  std::string result;
  for (const assumed_fact& fact : kernel_page.assumed)
    result += command_line::wrapped(text_of(fact), "", shape.width);
  result += table(kernel_page, shared_rows(kernel_page), kernel_page.costs.shared, lines,
                  shape.width, brief);
  if (kernel_page.costs.shared.empty() && !kernel_page.costs.global.empty() &&
      !kernel_page.recorded->leaves_out_shared)
    result += "\nIt does not access shared memory.\n";
  result += table(kernel_page, global_rows(kernel_page), kernel_page.costs.global, lines,
                  shape.width, brief);
  result += text_with_notes(stride_rows(kernel_page), stride_notes(kernel_page), shape.width) +
            text_of_formulas(kernel_page, shape.width, brief);
  if (!brief)
    result += text_of_issued(kernel_page, shape.width) +
              text_with_notes(cycle_rows(kernel_page), cycle_notes(kernel_page), shape.width);
  if (kernel_page.costs.shared.empty() && kernel_page.costs.global.empty())
    result += joined("\n", text_without_access(kernel_page), "\n");
  for (const diagnostic& finding : brief ? std::vector<diagnostic>() : diagnostics_of(kernel_page))
    result += joined("\n", text_of(kernel_page, finding, lines, shape));
  result += kernel_page.joint ? text_of_joint_plan(kernel_page, shape)
                              : text_of_plans(kernel_page, lines, shape);
  result += text_with_notes(alternative_rows(kernel_page), {}, shape.width);
  for (const global_advice& advice : kernel_page.advice)
    result += joined("\n", command_line::wrapped(text_of(advice), "", shape.width));
  if (kernel_page.costs.maximum > 0)
    result += joined(
        "\nThe whole kernel takes ",
        range_in_words(kernel_page.costs.cost.wavefronts + kernel_page.costs.minimum,
                       kernel_page.costs.cost.wavefronts + kernel_page.costs.maximum, "wavefront"),
        " in shared memory",
        has_issued_column(kernel_page, kernel_page.costs.shared) ? " as written.\n" : ".\n");
  if (!kernel_page.recorded->notes.empty()) result += "\n";
  for (const std::string& note : kernel_page.recorded->notes)
    result += command_line::wrapped(joined("note: ", note), "", shape.width);
  return result;
}

std::vector<std::string> all_notes(const page& kernel_page) {
  std::vector<std::string> result = kernel_page.recorded->notes;
  append(result, kernel_page.file_notes);
  return result;
}

std::vector<std::string> notes_with_plan(const page& kernel_page) {
  std::vector<std::string> result = all_notes(kernel_page);
  if (const std::string plan = sentence_of_joint_plan(kernel_page); !plan.empty())
    result.push_back(plan);
  return result;
}

}  // namespace compiled
