// SPDX-License-Identifier: MIT
#include "other_machines.hpp"

#include "../known_machines.hpp"

namespace compiled {

bool has_code_of(const bm::machine& first, const bm::machine& second) {
  if (first.made_by != second.made_by) return false;
  return first.made_by == bm::vendor::nvidia
             ? first.model == second.model
             : command_line::name_of(first) == command_line::name_of(second);
}

std::vector<std::string> machines_with_other_code(const question& asked, const code_of_file& code) {
  std::vector<std::string> result;
  if (!code.depends_on_machine || asked.machines.empty()) return result;
  const bm::machine first = command_line::machine_of(asked.machines[0], {});
  for (const std::string& name : asked.machines)
    if (!has_code_of(first, command_line::machine_of(name, {}))) result.push_back(name);
  return result;
}

std::vector<page> in_order(const question& asked, const std::vector<page>& mine,
                           const std::vector<std::string>& machines,
                           const std::vector<page>& theirs) {
  std::vector<page> result;
  std::size_t their = 0, my = 0;
  for (const std::string& name : asked.machines) {
    const bool is_theirs = their < machines.size() && name == machines[their];
    result.push_back(is_theirs ? theirs[their++] : mine[my++]);
  }
  return result;
}

}  // namespace compiled
