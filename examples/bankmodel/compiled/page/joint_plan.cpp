// SPDX-License-Identifier: MIT
#include "joint_plan.hpp"

#include <bankmodel/report.hpp>

#include "../../json.hpp"
#include "../../table.hpp"
#include "page.hpp"

namespace compiled {

using command_line::joined;
using command_line::json_string;
using command_line::members;

std::string text_of_joint_plan(const page& of, const command_line::text_shape& shape) {
  if (!of.joint) return {};
  const joint_plan& plan = *of.joint;
  // Lines to paste are whole where somebody can.
  const auto within = [&](const std::string& lines) {
    return shape.is_terminal ? command_line::within(lines, shape.width) : lines;
  };
  std::string result = joined("\nplan: ", plan.summary, "\n");
  if (!plan.not_bounded.empty())
    result += joined("  Whether a layout takes ", bm::grouped(plan.after.cost.ideal),
                     " is not known: ", plan.not_bounded, "\n");
  if (plan.changes_nothing)
    result += plan.after.cost.conflicts() == 0
                  ? "  The arrays can stay as they are.\n"
                  : "  No layout that was searched takes less than the arrays as they are.\n";
  else
    for (const std::string& line : plan.declarations) result += joined("  ", line, "\n");
  for (const std::string& line : plan.indices) result += joined("  index: ", line, "\n");
  if (plan.changes_nothing) return within(result);

  using command_line::left;
  using command_line::right;
  const auto compare = [&](const char* what, auto before, auto after) {
    result +=
        joined("  ", left(what, 15), right(bm::grouped(static_cast<std::uint64_t>(before)), 13),
               right(bm::grouped(static_cast<std::uint64_t>(after)), 13), "\n");
  };
  result += joined("\n  ", left("", 15), right("before", 13), right("after", 13), "\n");
  compare("wavefronts", plan.before.cost.wavefronts, plan.after.cost.wavefronts);
  compare("bytes", plan.before.bytes, plan.after.bytes);
  compare("resident blocks", plan.before.resident_blocks, plan.after.resident_blocks);
  return within(result);
}

std::string sentence_of_joint_plan(const page& of) {
  if (!of.joint || of.joint->changes_nothing) return {};
  const joint_plan& plan = *of.joint;
  std::string lines;
  for (const std::string& line : plan.declarations) lines += joined(" ", line);
  for (const std::string& line : plan.indices) lines += joined(" index: ", line);
  return joined("plan: ", bm::detail::counted_in_words(plan.after.cost.wavefronts, "wavefront"),
                " instead of ", bm::grouped(plan.before.cost.wavefronts), " with", lines);
}

namespace {

std::string json_of(const planned_state& of) {
  return joined("{", members(of.cost), ", \"bytes\": ", of.bytes,
                ", \"resident_blocks\": ", of.resident_blocks, "}");
}

std::string json_of(const std::vector<std::string>& lines) {
  command_line::list result("          ");
  for (const std::string& line : lines) result.add(json_string(line));
  return joined("[", result.text(), "]");
}

}  // namespace

std::string json_of_joint_plan(const page& of) {
  if (!of.joint) return "null";
  const joint_plan& plan = *of.joint;
  const auto flag = [](bool value) { return value ? "true" : "false"; };
  command_line::list arrays("          ");
  for (const jointly_planned_array& one : plan.arrays)
    arrays.add(joined("{\"name\": ", json_string(one.name), ", \"layout\": ",
                      json_string(one.family), ", \"declare\": ", json_string(one.layout),
                      ", \"offset_bytes\": ", one.offset_bytes, ", \"bytes\": ", one.bytes, "}"));
  return joined(
      "{\"bank_width\": ", plan.bank_width, ", \"optimal\": ", flag(plan.is_optimal),
      ", \"complete\": ", flag(plan.is_complete), ", \"least_wavefronts\": ", plan.least_wavefronts,
      ", \"least_of_all_layouts\": ", plan.after.cost.ideal, ", \"reached_by_tables\": ",
      plan.is_reached_by_tables ? flag(*plan.is_reached_by_tables) : "null",
      ", \"alignment\": ", plan.alignment, ",\n        \"before\": ", json_of(plan.before),
      ",\n        \"after\": ", json_of(plan.after), ",\n        \"arrays\": [", arrays.text(),
      "],\n        \"declarations\": ", json_of(plan.declarations),
      ",\n        \"indices\": ", json_of(plan.indices), "}");
}

}  // namespace compiled
