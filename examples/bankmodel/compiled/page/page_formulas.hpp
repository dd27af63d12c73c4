// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_PAGE_PAGE_FORMULAS_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_PAGE_PAGE_FORMULAS_HPP

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

struct page_formulas {
  // Those that depend on what nobody gave, by memory and place, and the sum of each memory of which
  // all accesses have formulas.
  std::vector<formula_row> rows;
  std::vector<std::string> assumptions;  // what they take as true, as sentences
  std::vector<std::string> symbols;
};

// "For all K, N", or "With the arguments that were given" without symbols.
std::string title_of_formulas(const page_formulas& of);

// The table of one memory; empty without a row.
std::vector<command_line::row> formula_table(const page_formulas& of, bool is_global);

// {"symbols": [..], "accesses": [..], "assumptions": [..]}
std::string json_of_formulas(const page_formulas& of);

}  // namespace compiled

#endif
