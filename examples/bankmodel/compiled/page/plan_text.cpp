// SPDX-License-Identifier: MIT
#include "plan_text.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>

#include "../../json.hpp"
#include "../../table.hpp"
#include "../../utf8.hpp"

namespace compiled {

using command_line::json_string;

const code_array& array_of(const page& kernel_page, const array_plan& plan) {
  return kernel_page.kernel->shared[slot(plan.array)];
}

namespace {

// transpose.cu:5:29
std::string place_of(const page& kernel_page, const source_piece& piece) {
  const std::vector<std::string>& files = kernel_page.kernel->files;
  const auto file = std::ranges::find(files, piece.file);
  if (file == files.end()) return joined(piece.file, ":", piece.line, ":", piece.column);
  return text_with_path(*kernel_page.kernel,
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

std::string text_of_change(const text_edit& edit) {
  if (edit.piece.text.empty()) return joined("add", edit.replacement, "\n");
  return joined(edit.piece.text, "\n    becomes ", edit.replacement, "\n");
}

std::string text_of_fix(const page& kernel_page, const array_plan& plan, source_lines& lines) {
  std::string result;
  int last = 0;
  for (const text_edit& edit : plan.fix) {
    const std::string line = edited_line(plan.fix, edit.piece.line, lines);
    if (edit.piece.line == last && !line.empty()) continue;
    last = edit.piece.line;
    result += joined(place_of(kernel_page, edit.piece), ": note: fix-it, which --fix writes:\n",
                     line.empty() ? text_of_change(edit) : line);
  }
  return result;
}

std::string text_of_subscripts(const page& kernel_page, const array_plan& plan) {
  std::string result;
  if (!plan.subscripts.empty() && reason_not_written(kernel_page, plan).empty())
    result = "--fix writes these changes:\n";
  if (!plan.declaration.empty())
    result +=
        joined(text_with_path(*kernel_page.kernel, array_of(kernel_page, plan).location),
               ": declare ", plan.declaration, plan.subscripts.empty() ? "\n" : ", and write\n");
  if (plan.dynamic_bytes > 0 && plan.launches.empty())
    result += joined(text_with_path(*kernel_page.kernel, array_of(kernel_page, plan).location),
                     ": launch it with ", plan.dynamic_bytes,
                     plan.subscripts.empty() ? " dynamic bytes\n" : " dynamic bytes, and write\n");
  for (const std::vector<text_edit>* const edits : {&plan.subscripts, &plan.launches})
    for (const text_edit& edit : *edits)
      result += joined(place_of(kernel_page, edit.piece), ": ", text_of_change(edit));
  return result;
}

std::string json_of(const source_piece& piece, const std::string& replacement) {
  return joined("{\"file\": ", json_string(piece.file), ", \"line\": ", piece.line,
                ", \"column\": ", piece.column, ", \"end_line\": ", piece.end_line,
                ", \"end_column\": ", piece.end_column, ", \"text\": ", json_string(piece.text),
                ", \"replacement\": ", json_string(replacement), "}");
}

std::string json_of(const std::vector<text_edit>& edits) {
  command_line::list items("          ");
  for (const text_edit& counted : edits) {
    const text_edit edit = counted.as_written();
    items.add(json_of(edit.piece, edit.replacement));
  }
  return joined("[", items.text(), "]");
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
  for (const text_edit& edit : edits) {
    const source_piece& piece = edit.piece;
    if (piece.line > number || piece.end_line < number) continue;
    if (piece.line != piece.end_line) return {};
    if (line.empty()) line = original = lines.line(piece.file, number);
    // Earlier edits have moved it.
    const std::size_t first =
        static_cast<std::size_t>(piece.column) - 1 + line.size() - original.size();
    if (first > line.size() || line.compare(first, piece.text.size(), piece.text) != 0) return {};
    line.replace(first, piece.text.size(), edit.replacement);
    marked.resize(command_line::length(command_line::printable(line.substr(0, first))), ' ');
    const std::size_t width = std::max<std::size_t>(command_line::length(edit.replacement), 1);
    marked += joined("^", std::string(width - 1, '~'));
  }
  if (marks != nullptr) *marks = marked;
  return line;
}

std::string reason_not_written(const page& kernel_page, const array_plan& plan) {
  const std::string& name = array_of(kernel_page, plan).name;
  const kernel_code& kernel = *kernel_page.kernel;
  if (!plan.refusal.empty()) return joined(name, " is not changed: ", plan.refusal);
  if (plan.dynamic_bytes > 0 && plan.launches.empty())
    return joined(name, " is not changed: its launches must have ", bm::grouped(plan.dynamic_bytes),
                  " dynamic bytes",
                  kernel.named_at.empty() ? "" : ", and host code names the kernel at ",
                  kernel.named_at, kernel.named_at.empty() ? "" : ", which may be another launch");
  const auto is_simpler = [&](const array_plan& other) {
    return other.array == plan.array && other.is_a_declaration && other.refusal.empty();
  };
  if (plan.is_a_declaration || std::ranges::none_of(kernel_page.plans, is_simpler)) return {};
  return joined("the plan of ", name, " with ",
                bm::detail::counted_in_words(plan.planned_cost.wavefronts, "wavefront"),
                " changes subscripts too");
}

bool array_plan::has_upper_bound() const { return takes_joins_apart && !refusal.empty(); }

std::string text_of(const array_plan& plan) {
  return plan.refusal.empty() ? plan.text
                              : joined(plan.text, " It is a change by hand: ", plan.refusal, ".");
}

std::string text_of_plans(const page& kernel_page, source_lines& lines,
                          const command_line::text_shape& shape) {
  std::string result;
  for (const array_plan& plan : kernel_page.plans) {
    result += joined("\n", command_line::wrapped(text_of(plan), "", shape.width),
                     text_of_fix(kernel_page, plan, lines), text_of_subscripts(kernel_page, plan));
  }
  return result;
}

std::string json_of_plans(const page& kernel_page) {
  command_line::list items("        ");
  for (const array_plan& plan : kernel_page.plans) {
    items.add(joined("{\"array\": ", json_string(array_of(kernel_page, plan).name),
                     ", \"message\": ", json_string(plan.text),
                     ", \"wavefronts_before\": ", plan.declared_cost.wavefronts,
                     ", \"wavefronts_after\": ", plan.planned_cost.wavefronts,
                     ", \"is_upper_bound\": ", plan.has_upper_bound() ? "true" : "false",
                     ", \"as_issued\": ", plan.is_as_issued ? "true" : "false", ", \"refusal\": ",
                     json_string(plan.refusal), ",\n         \"fix\": ", json_of(plan.fix),
                     ",\n         \"declaration\": ", json_string(plan.declaration),
                     ", \"dynamic_bytes\": ", plan.dynamic_bytes,
                     ",\n         \"subscripts\": ", json_of(plan.subscripts),
                     ",\n         \"launches\": ", json_of(plan.launches), "}"));
  }
  return items.text();
}

}  // namespace compiled
