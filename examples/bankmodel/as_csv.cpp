// SPDX-License-Identifier: MIT
#include "answer.hpp"
#include "known_machines.hpp"

namespace command_line {

namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text) result += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return result + "\"";
}

}  // namespace

std::string as_csv(const source& of, const kernel_file& kernel, const std::vector<finding>& found) {
  std::string result = "machine,bank_width,line,column,access,requests,wavefronts,ideal,conflicts,degree\n";
  for (const finding& one : found)
    for (const kernel_cost& cost : one.costs)
      for (std::size_t at = 0; at < cost.each.size(); ++at) {
        const kernel_access& access = kernel.accesses[at];
        const bm::cost& each = cost.each[at];
        result += joined(name_of(one.machine), ",", cost.machine.bank_width, ",", line_number(of, access.where.first), ",",
                         column_number(of, access.where.first), ",", quoted(access.text), ",", each.requests, ",", each.wavefronts, ",",
                         each.ideal, ",", each.conflicts(), ",", each.degree, "\n");
      }
  return result;
}

}  // namespace command_line
