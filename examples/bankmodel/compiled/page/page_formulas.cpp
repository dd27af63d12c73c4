// SPDX-License-Identifier: MIT
#include "page_formulas.hpp"

#include "../../common_names.hpp"
#include "../../json.hpp"

namespace compiled {

using command_line::json_string;
using command_line::list;
using command_line::row;

std::string title_of_formulas(const page_formulas& formulas) {
  std::string names;
  for (const std::string& symbol : formulas.symbols)
    names += joined(names.empty() ? "" : ", ", symbol);
  return names.empty() ? "With the arguments that were given" : joined("For all ", names);
}

std::vector<row> formula_table(const std::vector<formula_row>& rows, bool is_global) {
  std::vector<row> result;
  for (const formula_row& formula : rows) {
    if (formula.is_global != is_global) continue;
    if (result.empty())
      result.push_back({"line",
                        is_global ? "global memory" : "shared memory",
                        {"requests", is_global ? "transactions" : "wavefronts", "ideal"}});
    result.push_back({formula.line == 0 ? "" : std::to_string(formula.line),
                      formula.text,
                      {formula.requests, formula.units, formula.ideal}});
  }
  return result;
}

namespace {

std::string json_of_ranges(const page_formulas& formulas) {
  if (formulas.ranged.empty()) return {};
  list accesses("        "), reasons("        ");
  for (const formula_row& formula : formulas.ranges) accesses.add(formula.json);
  for (const std::string& reason : formulas.without_range) reasons.add(json_string(reason));
  return joined(",\n       \"ranged\": ", json_string(formulas.ranged), ", \"conflicts\": ",
                formulas.conflicts ? joined("[", formulas.conflicts->minimum, ", ",
                                            formulas.conflicts->maximum, "]")
                                   : "null",
                ",\n       \"ranges\": [", accesses.text(), "],\n       \"without_range\": [",
                reasons.text(), "]");
}

}  // namespace

std::string json_of_formulas(const page_formulas& formulas) {
  list symbols("        "), accesses("        "), assumptions("        ");
  for (const std::string& symbol : formulas.symbols) symbols.add(json_string(symbol));
  for (const formula_row& formula : formulas.rows) accesses.add(formula.json);
  for (const std::string& assumption : formulas.assumptions)
    assumptions.add(json_string(assumption));
  return joined("{\"symbols\": [", symbols.text(), "],\n       \"accesses\": [", accesses.text(),
                "],\n       \"assumptions\": [", assumptions.text(), "]", json_of_ranges(formulas),
                "}");
}

}  // namespace compiled
