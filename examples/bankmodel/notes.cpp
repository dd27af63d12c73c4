// SPDX-License-Identifier: MIT
// What the reader should know about the numbers.
#include <algorithm>

#include "answer.hpp"
#include "known_machines.hpp"

namespace command_line {

namespace {

// "a, b, c and 4 more"
std::string listed(const std::vector<std::string>& all) {
  constexpr std::size_t most = 6;
  std::string result;
  for (std::size_t at = 0; at < std::min(all.size(), most); ++at)
    result += joined(at == 0 ? "" : ", ", all[at]);
  return all.size() > most ? joined(result, " and ", all.size() - most, " more") : result;
}

std::string of_skipped(const source& of, const skipped_part& skipped) {
  std::string result;
  std::vector<std::string> lines;
  for (const place& one : skipped.statements) {
    const std::string line = std::to_string(line_number(of, one.first));
    if (lines.empty() || lines.back() != line) lines.push_back(line);
  }
  const std::size_t count = skipped.statements.size();
  if (count != 0)
    result += joined("note: ", count, count == 1 ? " statement" : " statements",
                     " without shared memory ", count == 1 ? "was" : "were", " skipped, in line",
                     lines.size() == 1 ? " " : "s ", listed(lines), "\n");
  if (!skipped.memory.empty())
    result += joined("note: not declared, and not counted: ", listed(skipped.memory),
                     "; `global float *", skipped.memory[0],
                     "` above counts its transactions\n");
  return result;
}

}  // namespace

std::string notes(const source& of, const kernel_file& kernel, bool is_default_machine) {
  std::string result;
  if (is_default_machine)
    result += joined("note: no machine is named, so the numbers are those of ", default_machine,
                     "; --machine names another\n");
  result += of_skipped(of, kernel.skipped);
  for (const kernel_array& one : kernel.arrays)
    if (!one.is_used)
      result += joined("note: no access reads or writes ", one.name,
                       one.description.memory == bm::memory_space::shared
                           ? "; its bytes are not counted\n"
                           : "\n");
  if (kernel.reads_block_index)
    result += kernel.grid
                  ? "note: the numbers of a block are those of the first, where blockIdx is 0\n"
                  : "note: the numbers are those of the first block, where blockIdx is 0\n";
  return result;
}

}  // namespace command_line
