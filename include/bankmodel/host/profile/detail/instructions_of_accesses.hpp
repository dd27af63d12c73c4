// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_PROFILE_DETAIL_INSTRUCTIONS_OF_ACCESSES_HPP
#define BANKMODEL_HOST_PROFILE_DETAIL_INSTRUCTIONS_OF_ACCESSES_HPP

#include <bankmodel/count/total.hpp>
#include <bankmodel/host/profile/source_page.hpp>
#include <bankmodel/host/text/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Matches the instructions of a source page with the accesses to shared memory of a kernel.
namespace bankmodel::detail {

// An access that issues requests.
struct expected_access {
  std::string text;
  profiled_instruction::kind kind = profiled_instruction::kind::load;
  cost sum;
};

inline profiled_instruction::kind kind_of(access_kind access) {
  using kind = profiled_instruction::kind;
  switch (access) {
    case access_kind::store:
    case access_kind::copy:
    case access_kind::copy_uncached: return kind::store;
    case access_kind::atomic: return kind::atomic;
    case access_kind::load_matrix: return kind::load_matrix;
    case access_kind::store_matrix: return kind::store_matrix;
    default: return kind::load;
  }
}

template <class Kernel>
std::vector<expected_access> expected_accesses(const machine& m, const Kernel& kernel,
                                               std::uint64_t blocks) {
  std::vector<expected_access> result;
  for_each_access(kernel, [&](const auto& access) {
    const cost sum = total(m, kernel.block, access) * blocks;
    if (sum.requests != 0) result.push_back({text(access), kind_of(access.kind), sum});
  });
  return result;
}

// Merges instructions of one kind on one source line.
inline std::vector<profiled_instruction> by_line(
    const std::vector<profiled_instruction>& instructions) {
  std::vector<profiled_instruction> result;
  for (const profiled_instruction& instruction : instructions) {
    const auto same =
        std::find_if(result.begin(), result.end(), [&](const profiled_instruction& other) {
          return other.does == instruction.does && other.file == instruction.file &&
                 other.line == instruction.line && !instruction.line.empty();
        });
    if (same == result.end()) {
      result.push_back(instruction);
      continue;
    }
    if (same->where.substr(0, 5) != "line ") same->where = line_of("line ", same->line);
    same->executed = checked_count_sum(same->executed, instruction.executed);
    same->wavefronts = checked_count_sum(same->wavefronts, instruction.wavefronts);
    same->ideal = checked_count_sum(same->ideal, instruction.ideal);
    same->excessive = checked_count_sum(same->excessive, instruction.excessive);
  }
  return result;
}

// Returns for each access the number of its instruction: the first load is matched with the
// first instruction that loads, and so on. Empty if the numbers of a kind differ.
inline std::vector<std::size_t> matched(const std::vector<profiled_instruction>& instructions,
                                        const std::vector<expected_access>& accesses) {
  std::vector<std::size_t> result;
  std::vector<bool> used(instructions.size(), false);
  if (instructions.size() != accesses.size()) return {};
  for (const expected_access& access : accesses) {
    std::size_t candidate = 0;
    const auto fits = [&] {
      return instructions[candidate].does == access.kind ||
             instructions[candidate].does == profiled_instruction::kind::unknown;
    };
    while (candidate < instructions.size() && (used[candidate] || !fits())) ++candidate;
    if (candidate == instructions.size()) return {};
    used[candidate] = true;
    result.push_back(candidate);
  }
  return result;
}

}  // namespace bankmodel::detail

#endif
