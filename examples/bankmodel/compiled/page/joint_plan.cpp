// SPDX-License-Identifier: MIT
#include "joint_plan.hpp"

#include <bankmodel/report.hpp>

#include "../../json.hpp"
#include "../../table.hpp"
#include "page.hpp"

namespace compiled {

using command_line::json_string;
using command_line::members;

std::string text_of_joint_plan(const page& kernel_page, const command_line::text_shape& shape) {
  if (!kernel_page.joint) return {};
  const joint_plan& plan = *kernel_page.joint;
  // Lines to paste are whole where somebody can.
  const auto wrap = [&](const std::string& lines) {
    return shape.is_terminal ? command_line::fitted(lines, shape.width) : lines;
  };
  std::string result = joined("\nplan: ", plan.summary, "\n");
  if (!plan.not_bounded.empty())
    result += joined("  Whether a layout takes ", bm::grouped(plan.planned.cost.ideal),
                     " is not known: ", plan.not_bounded, "\n");
  if (plan.changes_nothing)
    result += plan.planned.cost.conflicts() == 0
                  ? "  The arrays can stay as they are.\n"
                  : "  No layout that was searched takes less than the arrays as they are.\n";
  else
    for (const std::string& line : plan.declarations) result += joined("  ", line, "\n");
  for (const std::string& line : plan.indices) result += joined("  index: ", line, "\n");
  if (plan.changes_nothing) return wrap(result);

  using command_line::left;
  using command_line::right;
  const auto compare = [&](const char* label, auto declared, auto planned) {
    result +=
        joined("  ", left(label, 15), right(bm::grouped(static_cast<std::uint64_t>(declared)), 13),
               right(bm::grouped(static_cast<std::uint64_t>(planned)), 13), "\n");
  };
  result += joined("\n  ", left("", 15), right("before", 13), right("after", 13), "\n");
  compare("wavefronts", plan.declared.cost.wavefronts, plan.planned.cost.wavefronts);
  compare("bytes", plan.declared.bytes, plan.planned.bytes);
  compare("resident blocks", plan.declared.resident_blocks, plan.planned.resident_blocks);
  return wrap(result);
}

std::string sentence_of_joint_plan(const page& kernel_page) {
  if (!kernel_page.joint || kernel_page.joint->changes_nothing) return {};
  const joint_plan& plan = *kernel_page.joint;
  std::string lines;
  for (const std::string& line : plan.declarations) lines += joined(" ", line);
  for (const std::string& line : plan.indices) lines += joined(" index: ", line);
  return joined("plan: ", bm::detail::counted_in_words(plan.planned.cost.wavefronts, "wavefront"),
                " instead of ", bm::grouped(plan.declared.cost.wavefronts), " with", lines);
}

namespace {

std::string json_of(const planned_state& state) {
  return joined("{", members(state.cost), ", \"bytes\": ", state.bytes,
                ", \"resident_blocks\": ", state.resident_blocks, "}");
}

std::string json_of(const std::vector<std::string>& lines) {
  command_line::list result("          ");
  for (const std::string& line : lines) result.add(json_string(line));
  return joined("[", result.text(), "]");
}

}  // namespace

std::string json_of_joint_plan(const page& kernel_page) {
  if (!kernel_page.joint) return "null";
  const joint_plan& plan = *kernel_page.joint;
  const auto flag = [](bool value) { return value ? "true" : "false"; };
  command_line::list arrays("          ");
  for (const jointly_planned_array& array : plan.arrays)
    arrays.add(
        joined("{\"name\": ", json_string(array.name), ", \"layout\": ", json_string(array.family),
               ", \"declare\": ", json_string(array.layout),
               ", \"offset_bytes\": ", array.offset_bytes, ", \"bytes\": ", array.bytes, "}"));
  return joined(
      "{\"bank_width\": ", plan.bank_width, ", \"optimal\": ", flag(plan.is_optimal),
      ", \"complete\": ", flag(plan.is_complete), ", \"least_wavefronts\": ", plan.least_wavefronts,
      ", \"least_of_all_layouts\": ", plan.planned.cost.ideal, ", \"reached_by_tables\": ",
      plan.is_reached_by_tables ? flag(*plan.is_reached_by_tables) : "null",
      ", \"alignment\": ", plan.alignment, ",\n        \"before\": ", json_of(plan.declared),
      ",\n        \"after\": ", json_of(plan.planned), ",\n        \"arrays\": [", arrays.text(),
      "],\n        \"declarations\": ", json_of(plan.declarations),
      ",\n        \"indices\": ", json_of(plan.indices), "}");
}

}  // namespace compiled
