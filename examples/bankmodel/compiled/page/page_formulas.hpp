// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "../../table.hpp"

// The costs of a kernel as formulas of the arguments that nobody gave, as text and as JSON.
namespace compiled {

struct formula_row {
  int line = 0;      // 0: the sum of a memory's rows
  std::string text;  // "load tile"
  bool is_global = false;
  std::string requests, units, ideal;  // "32 * ceil(K / 32)"; wavefronts or transactions
  std::string json;                    // an object with all of these
};

struct number_range {
  long long minimum = 0, maximum = 0;
};

struct page_formulas {
  // Those that depend on what nobody gave, by memory and place, and the sum of each memory of which
  // all accesses have formulas.
  std::vector<formula_row> rows;
  std::vector<std::string> assumptions;  // what they take as true, as sentences
  std::vector<std::string> symbols;
  // Of each symbol the accesses whose costs depend on it, or on what they assume of it, those
  // without a row too: "line 7, load a".
  std::map<std::string, std::vector<std::string>> depending;

  // Accesses of which the page's run is not what their formulas say, since conditions that these
  // assume do not hold for all of its threads: "line 7, load a"; and the arguments in the formulas.
  std::vector<std::string> contradicted;
  std::set<std::string> contradicting;

  // The least and the most over the ranges that are given of arguments: of the rows whose values
  // are proven to be these, and why others are not, as sentences.
  std::string ranged;  // "K = 1..4096, N = 1..64"; empty if there is no range
  std::vector<formula_row> ranges;
  std::vector<std::string> without_range;
  std::optional<number_range> conflicts;  // of all of shared memory, if they are proven

  bool is_empty() const { return rows.empty() && ranged.empty(); }
};

// "For all K, N", or "With the arguments that were given" without symbols.
std::string title_of_formulas(const page_formulas& formulas);

// The table of the rows of one memory; empty without a row.
std::vector<command_line::row> formula_table(const std::vector<formula_row>& rows, bool is_global);

// {"symbols": [..], "accesses": [..], "assumptions": [..]}
std::string json_of_formulas(const page_formulas& formulas);

}  // namespace compiled
