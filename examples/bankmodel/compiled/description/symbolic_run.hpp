// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../code/loops.hpp"
#include "symbolic_values.hpp"

// A compiled kernel run once for all threads and all iterations: each access with its address, the
// loops around it and the conditions under which it is executed.
namespace compiled {

// What is around an instruction, from the outermost inwards: loops and conditions.
struct path_item {
  int loop = -1;            // its number; else a condition
  bool after_test = false;  // of that loop
  condition_pointer truth;
  place location = {};  // of the branch with the condition
};
// A loop, if it has one test that ends it and counts toward it. The block of the test, and what is
// executed only if the test holds, comes after it; all else before it.
struct counted_loop {
  int trip = -1;       // its atom
  std::string reason;  // why it is not counted; empty if it is
  int test = -1;       // the block that ends with the test; -1: there is none, or several
  place location;
  // The test holds in iteration `trip` while first + step * trip is below `last`, above it if the
  // step is negative. Absent if `trips` says all.
  bool has_bounds = false;
  bool is_unequal = false;  // it holds while both differ, which only the last iteration ends
  form first, last;
  long long step = 1;
  std::optional<long long> trips;  // how often the test holds, if that is a constant
  condition_pointer stays;         // the test; null if it is not known
  long long most_trips = unbounded;
  // Other exits, which large arguments do not take: under these conditions no thread does.
  std::vector<std::pair<int, int>> left_out = {};
  std::vector<path_item> assumed = {};
};

struct execution_path {
  std::vector<path_item> items;
  std::string reason;  // why it is not known; else empty
  // Beside a reason: no more lanes come here, and no more often, than the items say.
  bool has_more = false;
  bool is_dead = false;  // no thread comes here
};

struct symbolic_access {
  const instruction* code = nullptr;
  int number = 0;  // among the access instructions of the code
  execution_path path;
  form address;
  int bits = 64;       // of the address
  std::string reason;  // why there is no address; else empty
  // Of a copy: the address in global memory, and why there is none, or not for all lanes.
  form source = {};
  std::string source_reason = {};
};

class symbolic_run {
 public:
  symbolic_run(const kernel_analysis& analysis, const launch& settings,
               missing_arguments missing = missing_arguments::are_unknown);

  const std::vector<symbolic_access>& accesses() const { return accesses_; }
  const counted_loop& loop(int number) const { return counted_[slot(number)]; }
  form_table& forms() { return evaluator_.forms(); }
  const form_table& forms() const { return evaluator_.forms(); }
  const std::vector<argument_symbol>& symbols() const { return evaluator_.symbols(); }
  const loop_structure& structure() const { return structure_; }
  const kernel_analysis& analysis() const { return analysis_; }
  // Under which condition a block goes to the first of its two successors; null if that is not
  // known, or if it has one successor.
  condition_pointer branch_condition(int block) const {
    return results_[slot(block)].branch_condition;
  }
  const execution_path& path(int block) const { return results_[slot(block)].path; }
  const shared_layout& shared() const { return evaluator_.shared(); }

  // Sets the ranges of trips, and the facts, as they are at this place.
  void enter(const execution_path& path);

 private:
  struct block_result {
    symbolic_state state;
    execution_path path;
    condition_pointer branch_condition;  // to the first successor; null without a condition
    std::string reason;                  // why it is not known
    bool is_done = false;
  };

  // ---- symbolic_run.cpp: blocks ----
  void run_blocks(int loop);
  void run_block(int block);
  void execute(int block, block_result& result);
  void set_source(const instruction& copy, const symbolic_state& state, symbolic_access& access);
  void join(int block, int loop, symbolic_state& state, execution_path& path);
  value_pointer met(const value_pointer& first, const value_pointer& second,
                    const execution_path (&paths)[2], std::size_t ways);
  execution_path path_of(int block, const std::vector<int>& predecessors);
  execution_path path_along(int origin, int target);
  bool is_dead_edge(int origin, int target) const;
  bool meets_all_of(int block, int dominator) const;
  void leave_loops(int origin, int target, symbolic_state& state);
  path_item loop_item(int loop, int block) const;

  // ---- symbolic_loops.cpp: loops ----
  void run_loop(int loop);
  void count(int loop, const form_table::replacement& carried);
  void leave_out_exits(int loop, const form_table::replacement& carried);
  void count_or_throw(int loop, const form_table::replacement& carried);
  bool count_by_values(counted_loop& counted, const condition_pointer& stays);
  void count_by_bounds(counted_loop& counted, const condition& stays);
  value_pointer at_start(int loop, const value_pointer& entry, const value_pointer& latch,
                         int carried);
  form advanced(int loop, const form& entry, const form& latch, int carried);
  using trip_numbers = std::map<int, long long>;  // by their atoms
  long long most_by_values(const counted_loop& counted, const condition_pointer& stays);
  std::optional<long long> trips_by_values(const condition_pointer& stays, int trip,
                                           trip_numbers of_others);
  std::optional<long long> at_trips(const form& expression, const trip_numbers& numbers);
  std::optional<bool> at_trips(const condition_pointer& test, const trip_numbers& numbers);
  value_pointer after_loop(int loop, const value_pointer& value);

  const kernel_code& kernel_;
  const kernel_analysis& analysis_;
  const loop_structure& structure_;
  symbolic_evaluator evaluator_;
  std::vector<block_result> results_;
  std::vector<counted_loop> counted_;
  std::vector<execution_path> entries_;  // of each loop: where it is entered
  std::vector<symbolic_state> header_;   // of each loop: the registers at its start
  std::vector<int> first_access_;        // of each block: the number of its first access
  std::vector<symbolic_access> accesses_;
  bool has_symbols_ = false;
};

}  // namespace compiled
