// SPDX-License-Identifier: MIT
#include "layout_alternative.hpp"

#include <bankmodel/report.hpp>

#include "../../json.hpp"
#include "page.hpp"

namespace compiled {

using command_line::json_string;

std::vector<command_line::row> alternative_rows(const page& kernel_page) {
  if (kernel_page.alternatives.empty()) return {};
  std::vector<command_line::row> result = {
      {"", "to choose from", {"wavefronts", "conflicts", "bytes", "resident blocks"}}};
  for (const layout_alternative& alternative : kernel_page.alternatives)
    result.push_back(
        {"",
         alternative.layout,
         {bm::grouped(alternative.cost.wavefronts), bm::grouped(alternative.cost.conflicts()),
          bm::grouped(static_cast<std::uint64_t>(alternative.bytes)),
          alternative.resident_blocks == 0 ? "-" : std::to_string(alternative.resident_blocks)}});
  return result;
}

std::string json_of_alternatives(const page& kernel_page) {
  command_line::list items("        ");
  for (const layout_alternative& alternative : kernel_page.alternatives)
    items.add(joined(
        "{\"array\": ", json_string(kernel_page.kernel->shared[slot(alternative.array)].name),
        ", \"layout\": ", json_string(alternative.layout), ", ",
        command_line::members(alternative.cost), ", \"bytes\": ", alternative.bytes,
        ", \"resident_blocks\": ",
        alternative.resident_blocks == 0 ? "null" : std::to_string(alternative.resident_blocks),
        "}"));
  return items.text();
}

}  // namespace compiled
