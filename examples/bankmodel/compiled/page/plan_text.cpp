// SPDX-License-Identifier: MIT
#include "plan_text.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>

#include "../../json.hpp"
#include "../../table.hpp"
#include "../../utf8.hpp"

namespace compiled {

using command_line::joined;
using command_line::json_string;

const code_array& array_of(const page& of, const array_plan& plan) {
  return of.kernel->shared[static_cast<std::size_t>(plan.array)];
}

namespace {

// transpose.cu:5:29
std::string place_of(const page& of, const source_piece& piece) {
  const std::vector<std::string>& files = of.kernel->files;
  const auto file = std::find(files.begin(), files.end(), piece.file);
  if (file == files.end()) return joined(piece.file, ":", piece.line, ":", piece.column);
  return text_with_path(*of.kernel,
                        {static_cast<int>(file - files.begin()), piece.line, piece.column});
}

std::string edited_line(const std::vector<text_edit>& edits, int number, source_lines& lines) {
  std::string marks;
  const std::string line = line_with_edits(edits, number, lines, &marks),
                    margin = joined(command_line::right(std::to_string(number), 5), " | ");
  return line.empty() ? ""
                      : joined(margin, command_line::printable(line), "\n",
                               std::string(margin.size() - 2, ' '), "| ", marks, "\n");
}

std::string text_of_change(const text_edit& of) {
  if (of.where.text.empty()) return joined("add", of.replacement, "\n");
  return joined(of.where.text, "\n    becomes ", of.replacement, "\n");
}

std::string text_of_fix(const page& of, const array_plan& plan, source_lines& lines) {
  std::string result;
  int last = 0;
  for (const text_edit& each : plan.fix) {
    const std::string line = edited_line(plan.fix, each.where.line, lines);
    if (each.where.line == last && !line.empty()) continue;
    last = each.where.line;
    result += joined(place_of(of, each.where), ": note: fix-it, which --fix writes:\n",
                     line.empty() ? text_of_change(each) : line);
  }
  return result;
}

std::string text_of_subscripts(const page& of, const array_plan& plan) {
  std::string result;
  if (!plan.subscripts.empty() && reason_not_written(of, plan).empty())
    result = "--fix writes these changes:\n";
  if (!plan.declaration.empty())
    result += joined(text_with_path(*of.kernel, array_of(of, plan).where), ": declare ",
                     plan.declaration, plan.subscripts.empty() ? "\n" : ", and write\n");
  if (plan.dynamic_bytes > 0 && plan.launches.empty())
    result += joined(text_with_path(*of.kernel, array_of(of, plan).where), ": launch it with ",
                     plan.dynamic_bytes,
                     plan.subscripts.empty() ? " dynamic bytes\n" : " dynamic bytes, and write\n");
  for (const std::vector<text_edit>* const edits : {&plan.subscripts, &plan.launches})
    for (const text_edit& each : *edits)
      result += joined(place_of(of, each.where), ": ", text_of_change(each));
  return result;
}

std::string json_of(const source_piece& where, const std::string& replacement) {
  return joined("{\"file\": ", json_string(where.file), ", \"line\": ", where.line,
                ", \"column\": ", where.column, ", \"end_line\": ", where.end_line,
                ", \"end_column\": ", where.end_column, ", \"text\": ", json_string(where.text),
                ", \"replacement\": ", json_string(replacement), "}");
}

std::string json_of(const std::vector<text_edit>& edits) {
  command_line::list all("          ");
  for (const text_edit& each : edits) all.add(json_of(each.where, each.replacement));
  return joined("[", all.text(), "]");
}

}  // namespace

std::vector<text_edit> edits_of(const array_plan& plan) {
  std::vector<text_edit> result = plan.fix;
  for (const std::vector<text_edit>* edits : {&plan.subscripts, &plan.launches})
    result.insert(result.end(), edits->begin(), edits->end());
  return result;
}

std::string line_with_edits(const std::vector<text_edit>& edits, int number, source_lines& lines,
                            std::string* marks) {
  std::string line, original, marked;
  for (const text_edit& each : edits) {
    const source_piece& at = each.where;
    if (at.line > number || at.end_line < number) continue;
    if (at.line != at.end_line) return {};
    if (line.empty()) line = original = lines.line(at.file, number);
    // Earlier edits have moved it.
    const std::size_t first =
        static_cast<std::size_t>(at.column) - 1 + line.size() - original.size();
    if (first > line.size() || line.compare(first, at.text.size(), at.text) != 0) return {};
    line.replace(first, at.text.size(), each.replacement);
    marked.resize(command_line::length(command_line::printable(line.substr(0, first))), ' ');
    const std::size_t width = std::max<std::size_t>(command_line::length(each.replacement), 1);
    marked += joined("^", std::string(width - 1, '~'));
  }
  if (marks != nullptr) *marks = marked;
  return line;
}

std::string reason_not_written(const page& of, const array_plan& plan) {
  const std::string& name = array_of(of, plan).name;
  if (!plan.refusal.empty()) return joined(name, " is not changed: ", plan.refusal);
  if (plan.dynamic_bytes > 0 && plan.launches.empty())
    return joined(name, " is not changed: its launches must have ", bm::grouped(plan.dynamic_bytes),
                  " dynamic bytes");
  const auto is_simpler = [&](const array_plan& other) {
    return other.array == plan.array && other.is_a_declaration && other.refusal.empty();
  };
  if (plan.is_a_declaration || std::none_of(of.plans.begin(), of.plans.end(), is_simpler))
    return {};
  return joined("the plan of ", name, " with ",
                bm::detail::counted_in_words(plan.after.wavefronts, "wavefront"),
                " changes subscripts too");
}

bool array_plan::has_upper_bound() const { return takes_joins_apart && !refusal.empty(); }

std::string text_of(const array_plan& plan) {
  return plan.refusal.empty() ? plan.text
                              : joined(plan.text, " It is a change by hand: ", plan.refusal, ".");
}

std::string text_of_plans(const page& of, source_lines& lines,
                          const command_line::text_shape& shape) {
  std::string result;
  for (const array_plan& plan : of.plans) {
    result += joined("\n", command_line::wrapped(text_of(plan), "", shape.width),
                     text_of_fix(of, plan, lines), text_of_subscripts(of, plan));
  }
  return result;
}

std::string json_of_plans(const page& of) {
  command_line::list all("        ");
  for (const array_plan& plan : of.plans) {
    all.add(joined("{\"array\": ", json_string(array_of(of, plan).name), ", \"message\": ",
                   json_string(plan.text), ", \"wavefronts_before\": ", plan.before.wavefronts,
                   ", \"wavefronts_after\": ", plan.after.wavefronts,
                   ", \"is_upper_bound\": ", plan.has_upper_bound() ? "true" : "false",
                   ", \"as_issued\": ", plan.is_as_issued ? "true" : "false", ", \"refusal\": ",
                   json_string(plan.refusal), ",\n         \"fix\": ", json_of(plan.fix),
                   ",\n         \"declaration\": ", json_string(plan.declaration),
                   ", \"dynamic_bytes\": ", plan.dynamic_bytes,
                   ",\n         \"subscripts\": ", json_of(plan.subscripts),
                   ",\n         \"launches\": ", json_of(plan.launches), "}"));
  }
  return all.text();
}

}  // namespace compiled
