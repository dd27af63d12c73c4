// SPDX-License-Identifier: MIT
#include "kernel_file_notes.hpp"

#include <algorithm>

#include "../known_machines.hpp"

namespace command_line {

namespace {

// "a, b, c and 4 more"
std::string listed(const std::vector<std::string>& items) {
  constexpr std::size_t limit = 6;
  std::string result;
  for (std::size_t index = 0; index < std::min(items.size(), limit); ++index)
    result += joined(index == 0 ? "" : ", ", items[index]);
  return items.size() > limit ? joined(result, " and ", items.size() - limit, " more") : result;
}

void add_skipped(std::vector<std::string>& result, const source& input,
                 const skipped_part& skipped) {
  std::vector<std::string> lines;
  for (const place& statement : skipped.statements) {
    const std::string line = std::to_string(line_number(input, statement.first));
    if (lines.empty() || lines.back() != line) lines.push_back(line);
  }
  const std::size_t count = skipped.statements.size();
  if (count != 0)
    result.push_back(joined(count, count == 1 ? " statement" : " statements",
                            " without shared memory ", count == 1 ? "was" : "were",
                            " skipped, in line", lines.size() == 1 ? " " : "s ", listed(lines)));
  std::vector<std::string> memory;
  for (const std::string& name : skipped.memory) {
    const auto is_argument = [&](const auto& pointer) { return pointer.first == name; };
    if (std::ranges::none_of(skipped.pointers, is_argument)) memory.push_back(name);
  }
  if (!memory.empty())
    result.push_back(joined("not declared, and not counted: ", listed(memory), "; `global float *",
                            memory[0], "` above counts its transactions"));
  for (const auto& [name, problem] : skipped.pointers)
    result.push_back(joined("not counted: accesses through ", name, ", since in line ",
                            line_number(input, problem.location.first), " ", problem.wrong));
}

}  // namespace

std::vector<std::string> notes_of(const source& input, const kernel_file& kernel,
                                  bool has_machine) {
  std::vector<std::string> result;
  if (!has_machine && kernel.machines.empty())
    result.push_back(joined("no machine is named, so the numbers are those of ", default_machine,
                            "; --machine names another"));
  add_skipped(result, input, kernel.skipped);
  for (const kernel_array& array : kernel.arrays)
    if (!array.is_used)
      result.push_back(joined("no access reads or writes ", array.name,
                              array.description.memory == bm::memory_space::shared
                                  ? "; its bytes are not counted"
                                  : ""));
  if (kernel.reads_block_index)
    result.push_back(kernel.grid
                         ? "the numbers of a block are those of the first, where blockIdx is 0"
                         : "the numbers are those of the first block, where blockIdx is 0");
  return result;
}

}  // namespace command_line
