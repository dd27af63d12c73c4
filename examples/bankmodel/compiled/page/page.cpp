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

using command_line::joined;
using command_line::row;

std::string verb_of(access_does does) {
  switch (does) {
    case access_does::load: return "load";
    case access_does::store: return "store";
    case access_does::atomic: return "atomic";
    case access_does::load_matrix: return "ldmatrix";
    case access_does::store_matrix: return "stmatrix";
    default: return "copy";
  }
}

std::string range_text(std::uint64_t least, std::uint64_t most) {
  return least == most ? bm::grouped(least) : joined(bm::grouped(least), "..", bm::grouped(most));
}

std::string range_in_words(std::uint64_t least, std::uint64_t most, const char* unit) {
  return least == most ? bm::detail::counted_in_words(most, unit)
                       : joined(bm::grouped(least), " to ", bm::grouped(most), " ", unit, "s");
}

std::string text_of_copy(const page& of, const priced_access& one) {
  if (one.first->is_global || one.first->memory.does != access_does::copy) return {};
  if (!is_copy_on(of.machine, one.first->memory)) return ", as a load and a store";
  if (one.first->memory.uncached) return ", past the first cache";
  return joined(", to ", bm::grouped(one.copied.destination), ", from ",
                one.has_unknown_source ? "?" : bm::grouped(one.copied.source));
}

std::string source_of_copies(const bm::machine& m) {
  const bm::service how = m.served(16, bm::access_kind::copy);
  return how.sure == bm::confidence::low ? "inferred from counts on sm_120" : "counted on sm_120";
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
    const auto is_within = [&](const bounded_class& one) {
      return one.bytes.first >= begin && one.bytes.last >= one.bytes.first && one.bytes.last < end;
    };
    const std::string& name = kernel.shared[first].name;
    if (std::all_of(access.bounded.begin(), access.bounded.end(), is_within))
      return name.substr(0, name.find('.'));
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

std::string declares_too_much(const page& of) {
  const std::uint64_t declared = laid_out(*of.kernel, 0).total;
  const bm::residency& limits = of.machine.limits;
  const auto most = static_cast<std::uint64_t>(limits.shared_per_block);
  if (most == 0 || declared <= most) return {};
  return joined(
      "the arrays in shared memory are declared with ", bm::grouped(declared),
      " bytes, and compilers accept ", bm::grouped(most), " on ",
      command_line::shown_name(of.machine),
      limits.shared_per_block_opt_in > limits.shared_per_block
          ? joined(": use extern __shared__, of which a block may have ",
                   bm::grouped(static_cast<std::uint64_t>(limits.shared_per_block_opt_in)))
          : ": use smaller arrays");
}

std::string heading_of(const page& of, const std::string& machines, std::size_t width) {
  return command_line::wrapped(
      joined(machines, ": ", command_line::printable(of.kernel->shown_name()), ", one block of ",
             command_line::text_of(of.how.block)),
      "", width);
}

std::string heading_of(const page& of, std::size_t width) {
  return heading_of(of, command_line::shown_name(of.machine), width);
}

std::string text_of_other_banks(const bm::machine& other, std::uint64_t least, std::uint64_t most,
                                std::uint64_t ideal) {
  return joined("on ", command_line::name_of(other), " with ", other.bank_width,
                "-byte banks the kernel takes ", range_in_words(least, most, "wavefront"),
                ", ideal ", bm::grouped(ideal), "; --bank-width ", other.bank_width,
                " counts with them");
}

std::string text_without_access(const page& of) {
  return of.recorded->leaves_out_shared
             ? "Its accesses to shared and global memory are not modelled."
         : of.recorded->leaves_out ? "Its accesses to global memory are not modelled."
                                   : "It accesses neither shared nor global memory.";
}

namespace {

// The table, with as much of each source line as the width allows.
std::string table(const page& of, std::vector<row> rows, const std::vector<priced_access>& accesses,
                  source_lines& lines, std::size_t width, bool brief) {
  if (rows.empty()) return {};
  if (brief) {
    rows.erase(rows.begin() + 1, rows.begin() + 1 + static_cast<std::ptrdiff_t>(accesses.size()));
    return joined("\n", command_line::printed(rows, 0));
  }
  std::size_t longest = 0;
  for (std::size_t at = 0; at < accesses.size(); ++at)
    longest = std::max(longest, rows[at + 1].text.size());
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

// The sentence, wrapped, and the differences, each one line for an editor.
std::string text_of_issued(const page& of, std::size_t width) {
  std::string result;
  for (const std::string& note : issued_notes(of))
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

// A table whose formulas are too long for its columns: "    6  store t: 2 * u requests, ..".
std::string sentences_of(const std::vector<row>& rows, std::size_t width) {
  constexpr std::size_t longest_formula = 240;
  const row& head = rows.front();
  std::string result;
  for (std::size_t number = 1; number < rows.size(); ++number) {
    const row& one = rows[number];
    std::string text = joined(command_line::right(one.line, 5), "  ", one.text, ": ");
    for (std::size_t cell = 0; cell < one.cell.size(); ++cell)
      text += joined(cell == 0 ? "" : "; ", head.cell[cell], " ",
                     one.cell[cell].size() > longest_formula ? "a long formula, which --json has"
                                                             : one.cell[cell]);
    result += command_line::within(text, width);
  }
  return result;
}

std::string tables_of_formulas(const std::vector<formula_row>& all, std::size_t width, bool brief) {
  std::string result;
  for (const bool is_global : {false, true}) {
    std::vector<row> rows = formula_table(all, is_global);
    if (rows.empty()) continue;
    if (brief)
      rows.erase(std::remove_if(rows.begin() + 1, rows.end(),
                                [](const row& one) { return !one.line.empty(); }),
                 rows.end());
    if (rows.size() == 1) continue;
    const std::string table = command_line::printed(rows, 0);
    result += table.find('\n') <= width ? table : sentences_of(rows, width);
  }
  return result;
}

// The tables for all values of what was assumed, and what these take for granted.
std::string text_of_formulas(const page& of, std::size_t width, bool brief) {
  std::string result;
  // Without the rows of accesses there may be no total.
  if (const std::string tables = tables_of_formulas(of.formulas.rows, width, brief);
      !tables.empty()) {
    result += joined("\n", title_of_formulas(of.formulas), ":\n", tables);
    for (const std::string& one : of.formulas.assumptions)
      result += command_line::wrapped(joined("the formulas assume: ", one), "", width);
  }
  if (of.formulas.ranged.empty()) return result;
  result += joined("\nFor ", of.formulas.ranged, ":\n");
  result += tables_of_formulas(of.formulas.ranges, width, brief);
  for (const std::string& one : of.formulas.without_range)
    result += command_line::wrapped(one, "", width);
  return result;
}

}  // namespace

std::string as_text(const page& of, source_lines& lines, const command_line::text_shape& shape) {
  return heading_of(of, shape.width) + body_of(of, lines, shape);
}

std::string body_of(const page& of, source_lines& lines, const command_line::text_shape& shape,
                    bool brief) {
  std::string result;
  for (const assumed_fact& one : of.assumed)
    result += command_line::wrapped(text_of(one), "", shape.width);
  result += table(of, shared_rows(of), of.costs.shared, lines, shape.width, brief);
  if (of.costs.shared.empty() && !of.costs.global.empty() && !of.recorded->leaves_out_shared)
    result += "\nIt does not access shared memory.\n";
  result += table(of, global_rows(of), of.costs.global, lines, shape.width, brief);
  result += text_with_notes(stride_rows(of), stride_notes(of), shape.width) +
            text_of_formulas(of, shape.width, brief);
  if (!brief)
    result += text_of_issued(of, shape.width) +
              text_with_notes(cycle_rows(of), cycle_notes(of), shape.width);
  if (of.costs.shared.empty() && of.costs.global.empty())
    result += joined("\n", text_without_access(of), "\n");
  for (const diagnostic& one : brief ? std::vector<diagnostic>() : diagnostics_of(of))
    result += joined("\n", text_of(of, one, lines, shape));
  result += of.joint ? text_of_joint_plan(of, shape) : text_of_plans(of, lines, shape);
  result += text_with_notes(alternative_rows(of), {}, shape.width);
  for (const global_advice& one : of.advice)
    result += joined("\n", command_line::wrapped(text_of(one), "", shape.width));
  if (of.costs.most > 0)
    result += joined("\nThe whole kernel takes ",
                     range_in_words(of.costs.cost.wavefronts + of.costs.least,
                                    of.costs.cost.wavefronts + of.costs.most, "wavefront"),
                     " in shared memory",
                     has_issued_column(of, of.costs.shared) ? " as written.\n" : ".\n");
  if (!of.recorded->notes.empty()) result += "\n";
  for (const std::string& note : of.recorded->notes)
    result += command_line::wrapped(joined("note: ", note), "", shape.width);
  return result;
}

std::vector<std::string> all_notes(const page& of) {
  std::vector<std::string> result = of.recorded->notes;
  result.insert(result.end(), of.file_notes.begin(), of.file_notes.end());
  return result;
}

std::vector<std::string> notes_with_plan(const page& of) {
  std::vector<std::string> result = all_notes(of);
  if (const std::string plan = sentence_of_joint_plan(of); !plan.empty()) result.push_back(plan);
  return result;
}

}  // namespace compiled
