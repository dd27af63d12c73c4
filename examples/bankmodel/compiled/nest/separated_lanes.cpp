// SPDX-License-Identifier: MIT
#include "separated_lanes.hpp"

#include <algorithm>

#include "../code/control_flow.hpp"
#include "thread_numbers.hpp"

namespace compiled {

namespace {

using block_set = std::vector<bool>;

class separation {
 public:
  separation(const launch& options, symbolic_run& run)
      : kernel_(run.analysis().kernel()), settings_(options), run_(run) {}

  block_set find() {
    block_set result(kernel_.blocks.size());
    for (std::size_t block = 0; block < kernel_.blocks.size(); ++block) {
      const auto& instructions = kernel_.blocks[block].instructions;
      if (!std::ranges::any_of(instructions, waits)) continue;
      const int number = static_cast<int>(block);
      const block_set followers = reached_blocks(kernel_, successors(kernel_.blocks[block]));
      for (const int branch : branches_before(number)) {
        if (is_uniform(branch)) continue;
        const block_set detour =
            reached_blocks(kernel_, successors(kernel_.blocks[slot(branch)]), number);
        for (std::size_t index = 0; index < result.size(); ++index)
          result[index] = result[index] || (followers[index] && detour[index]);
      }
    }
    return result;
  }

 private:
  static bool waits(const instruction& item) {
    return (item.operation == opcode::barrier && !item.only_arrives) || mask_operand(item) >= 0;
  }

  // True if each way from `branch` comes to the block.
  bool meets(int block, int branch) const {
    for (int meeting = run_.analysis().meets_in(branch); meeting >= 0;
         meeting = run_.analysis().meets_in(meeting))
      if (meeting == block) return true;
    return false;
  }

  // The branches that decide who comes to a block, with those that decide who comes to them.
  std::vector<int> branches_before(int block) const {
    std::vector<int> result, open = {block};
    while (!open.empty()) {
      const int target = open.back();
      open.pop_back();
      for (std::size_t branch = 0; branch < kernel_.blocks.size(); ++branch) {
        const int number = static_cast<int>(branch);
        const auto& next = successors(kernel_.blocks[branch]);
        const auto comes = [&](int successor) {
          return successor == target || meets(target, successor);
        };
        if (next.size() < 2 || meets(target, number) || std::ranges::none_of(next, comes) ||
            includes(result, number))
          continue;
        result.push_back(number);
        open.push_back(number);
      }
    }
    return result;
  }

  // What the code waits for is there: where data decides, it decides for all lanes alike. So do
  // arguments, whose conditions are assumed to hold for all threads, unless a loop ends by them.
  bool is_uniform(int branch) const {
    const condition_pointer branch_test = run_.branch_condition(branch);
    if (branch_test == nullptr || run_.path(branch).is_dead) return true;
    const int loop = run_.structure().innermost[slot(branch)];
    return is_uniform(branch_test, loop >= 0 && run_.loop(loop).test == branch);
  }
  bool is_uniform(const condition_pointer& test, bool ends_loop) const {
    if (test->is == condition::kind::constant) return true;
    if (test->is != condition::kind::comparison)
      return is_uniform(test->parts[0], ends_loop) && is_uniform(test->parts[1], ends_loop);
    const form_table& forms = run_.forms();
    const form difference = test->right - test->left;
    if (!ends_loop && forms.has_kind(difference, atom::kind::argument)) return true;
    form of_threads, rest;
    for (const auto& [number, factor] : difference.factors) {
      const form term = atom_form(number);
      (forms.has_kind(term, atom::kind::thread) ? of_threads : rest) =
          (forms.has_kind(term, atom::kind::thread) ? of_threads : rest) + term * factor;
    }
    of_threads.constant = difference.constant;
    if (forms.has_kind(of_threads, atom::kind::argument) ||
        forms.has_kind(of_threads, atom::kind::trip))
      return false;
    for (int warp = 0; warp < warps_of(kernel_, settings_); ++warp) {
      thread_numbers threads(kernel_, settings_, warp);
      const lane_numbers numbers = threads.evaluate(forms, of_threads, {});
      const auto value = [&](int lane) {
        const long long number = numbers[slot(lane)];
        if (!rest.is_constant()) return number;
        switch (test->relation) {
          case bm::operation::less: return static_cast<long long>(number > 0);
          case bm::operation::less_equal: return static_cast<long long>(number >= 0);
          default: return static_cast<long long>(number == 0);
        }
      };
      bool is_same = true;
      for_each_lane(threads.live(),
                    [&](int lane) { is_same = is_same && value(lane) == value(0); });
      if (!is_same) return false;
    }
    return true;
  }

  const kernel_code& kernel_;
  const launch& settings_;
  symbolic_run& run_;
};

}  // namespace

std::vector<bool> separated_lanes(const launch& options, symbolic_run& run) {
  return separation(options, run).find();
}

}  // namespace compiled
