// SPDX-License-Identifier: MIT
#include "other_machines.hpp"

#include <algorithm>

#include "../known_machines.hpp"

namespace compiled {

bool has_code_of(const bm::machine& first, const bm::machine& second) {
  if (first.made_by != second.made_by) return false;
  return first.made_by == bm::vendor::nvidia
             ? first.model == second.model
             : command_line::name_of(first) == command_line::name_of(second);
}

std::vector<bm::machine> machines_of(const question& asked, const code_of_file& code) {
  return command_line::machines_named(asked.machines, asked.all_machines,
                                      {command_line::machine_of(code.machine, {})},
                                      asked.bank_width);
}

std::vector<bm::machine> machines_with_other_code(const question& asked, const code_of_file& code,
                                                  const kernel_code& kernel) {
  std::vector<bm::machine> result;
  const bool is_named = !asked.all_machines && !asked.machines.empty();
  const bm::machine first =
      command_line::machine_of(is_named ? asked.machines[0] : code.machine, {});
  const bool is_read = !kernel.is_of_ptx;
  for (const bm::machine& m : machines_of(asked, code))
    if ((code.depends_on_machine && !has_code_of(first, m)) ||
        (is_read && m.lanes != kernel.lanes && first.lanes == kernel.lanes))
      result.push_back(m);
  return result;
}

void put_in_order(const std::vector<bm::machine>& machines, std::vector<page>& pages) {
  const auto number_of = [&](const page& item) {
    return std::ranges::find(machines, item.machine) - machines.begin();
  };
  std::ranges::sort(pages, [&](const page& left, const page& right) {
    return number_of(left) < number_of(right);
  });
}

}  // namespace compiled
