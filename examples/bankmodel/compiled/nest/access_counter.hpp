// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "../description/symbolic_run.hpp"
#include "counted_nest.hpp"
#include "form_text.hpp"
#include "thread_numbers.hpp"

// The requests of one access of a symbolic run: one recursion over the loops and conditions around
// it, in which trips that repeat are multiplied.
namespace compiled {

// What the formulas of one access take as true, and what they are of.
class nest_notes {
 public:
  nest_notes(counted_nest& nest, std::map<int, std::string>& loops, long long& requests,
             std::vector<int>& used)
      : nest_(nest), loops_(loops), requests_(requests), used_(used) {}

  void assume(const nest_assumption& assumption) {
    const auto is_same = [&](const nest_assumption& other) {
      return other.is == assumption.is && other.text == assumption.text &&
             other.location.line == assumption.location.line &&
             other.location.file == assumption.location.file;
    };
    const auto position = std::ranges::find_if(nest_.assumptions, is_same);
    const int number = static_cast<int>(position - nest_.assumptions.begin());
    if (position == nest_.assumptions.end()) nest_.assumptions.push_back(assumption);
    if (!includes(used_, number)) used_.push_back(number);
  }

  // Of all accesses.
  long long count_request() { return ++requests_; }

  // How often a loop goes on whose end data decides, or what no formula says.
  formula trips_of(int loop, const place& location) {
    const auto entry = loops_.find(loop);
    if (entry != loops_.end()) return formula::symbol(entry->second);
    std::string name = "trips_" + std::to_string(location.line);
    const auto is_taken = [&](const nest_symbol& symbol) { return symbol.name == name; };
    while (std::ranges::any_of(nest_.symbols, is_taken)) name += "_";
    nest_.symbols.push_back({name, -1, location, {}});
    loops_[loop] = name;
    return formula::symbol(name);
  }

 private:
  counted_nest& nest_;
  std::map<int, std::string>& loops_;  // the names of their symbols
  long long& requests_;
  std::vector<int>& used_;
};

// The factor of a condition on arguments alone, and what it says.
struct argument_condition {
  formula factor;
  std::string text;
  bool is_order = false;
};
// Error (inexpressible): formulas do not have it.
argument_condition argument_condition_of(const symbolic_run& run, const condition& comparison);
bool is_of_arguments_alone(const form_table& forms, const condition& comparison);

// An access, and the launch that it is a part of.
struct nest_access {
  const kernel_code& kernel;
  const launch& settings;
  symbolic_run& run;
  const symbolic_access& access;
  bool is_global = false;
};

// The memory that the access is to. `may_be_shared`: of may_hold_shared_address(kernel).
memory_kind memory_of(const symbolic_access& access, const std::vector<bool>& may_be_shared);

// Writes the costs on a machine. `conditions`: those of the kernel on arguments, as JSON of their
// factors. `unknown_address`: why the addresses are taken as unknown; empty if they are not.
// Error (inexpressible, formula_error): why they are not counted.
void count_access(const nest_access& site, const bm::machine& m,
                  const std::set<std::string>& conditions, nest_notes& notes,
                  const std::string& unknown_address, counted_access& result);

// Requests to these addresses, and how often they are made. In global memory those that are a
// multiple of global_period further are among them.
struct repeated_request {
  std::uint64_t active = 0;
  lane_numbers address = {};  // of active lanes, others 0
  // Of copies to shared memory: from a multiple of copied_from on, as in recorded_class.
  lane_numbers source = {};
  std::uint64_t times = 0;
};

// Returns all requests of a launch whose arguments are known, of a copy those to one memory.
// `left`: how many may be looked at; it becomes less by those that were.
// Error (inexpressible): why they are not known.
std::vector<repeated_request> requests_of(const nest_access& site, long long& left);

// Returns the address of all lanes of all requests; nothing if there are several. Error: see above.
std::optional<long long> only_address(const nest_access& site, long long& left);

}  // namespace compiled
