// SPDX-License-Identifier: MIT
#include "layout_alternative.hpp"

#include <bankmodel/report.hpp>

#include "../../json.hpp"
#include "page.hpp"

namespace compiled {

using command_line::joined;
using command_line::json_string;

std::vector<command_line::row> alternative_rows(const page& of) {
  if (of.alternatives.empty()) return {};
  std::vector<command_line::row> result = {
      {"", "to choose from", {"wavefronts", "conflicts", "bytes", "resident blocks"}}};
  for (const layout_alternative& one : of.alternatives)
    result.push_back({"",
                      one.layout,
                      {bm::grouped(one.cost.wavefronts), bm::grouped(one.cost.conflicts()),
                       bm::grouped(static_cast<std::uint64_t>(one.bytes)),
                       one.resident_blocks == 0 ? "-" : std::to_string(one.resident_blocks)}});
  return result;
}

std::string json_of_alternatives(const page& of) {
  command_line::list all("        ");
  for (const layout_alternative& one : of.alternatives)
    all.add(joined(
        "{\"array\": ", json_string(of.kernel->shared[static_cast<std::size_t>(one.array)].name),
        ", \"layout\": ", json_string(one.layout), ", ", command_line::members(one.cost),
        ", \"bytes\": ", one.bytes, ", \"resident_blocks\": ",
        one.resident_blocks == 0 ? "null" : std::to_string(one.resident_blocks), "}"));
  return all.text();
}

}  // namespace compiled
