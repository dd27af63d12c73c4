// SPDX-License-Identifier: MIT
#pragma once

#include <bankmodel/model/cost.hpp>
#include <bankmodel/model/machine.hpp>
#include <optional>
#include <string>
#include <vector>

#include "../engine/run.hpp"
#include "formula.hpp"

// Counts the requests of one block from the description of its accesses, without running it:
// arguments that nobody gave are symbols of the formulas.
namespace compiled {

// What a formula is of: an argument, or how often a loop goes on that data ends.
struct nest_symbol {
  std::string name;    // "K"; "trips_12" of a loop in line 12
  int parameter = -1;  // in kernel_code::parameters; -1: a loop
  place location;      // of the loop
  symbol_range range;
};

// What the formulas take as true. Each is once in counted_nest::assumptions.
struct nest_assumption {
  enum class kind : unsigned char {
    condition,     // it holds for all threads: "ty < M"
    equal_trips,   // each thread goes on in the loop as often
    exact_end,     // the loop's steps meet its end
    aligned_rows,  // of global memory: "K" elements are multiples of 128 bytes, rows do not overlap
    no_overflow,   // what is computed from arguments fits in its type
  };
  kind is = kind::condition;
  place location;
  std::string text;  // of a condition: itself; of rows: the argument; else a sentence
};

// Of one access instruction in one memory. A number is a formula without symbols.
struct counted_access {
  int number = 0;  // as recorded_access::number
  place location;
  memory_access memory;
  bool is_global = false;
  // Why there are no formulas; empty if there are. If `has_bounds`, there are some: of wavefronts
  // at least `wavefronts` and at most `maximum`. If `is_possible` too, data decides whether it is
  // executed, and `requests` are the most.
  std::string reason;
  bool has_bounds = false, is_possible = false;
  formula requests, wavefronts, ideal;  // of global memory: transactions
  formula maximum;
  // Of each request, if all cost the same.
  std::optional<bm::cost> request_cost = {};
  // Conditions on arguments alone under which it is executed, as text; the formulas are 0 where
  // they do not hold.
  std::vector<std::string> under = {};
  std::vector<int> assumes = {};  // numbers in counted_nest::assumptions
  // In shared memory: its addresses depend on threads and on loops whose trips are numbers alone.
  bool has_known_addresses = false;
};

struct counted_nest {
  std::vector<counted_access> accesses;  // by their places in the source
  std::vector<nest_assumption> assumptions;
  std::vector<nest_symbol> symbols;
};

// Requires: run(kernel, options) could begin, see there; arguments may be missing.
// Error: none; what cannot be counted has a reason.
counted_nest count_nest(const kernel_code& kernel, const launch& options, const bm::machine& m);

}  // namespace compiled
