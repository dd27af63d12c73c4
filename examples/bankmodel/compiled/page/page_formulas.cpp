// SPDX-License-Identifier: MIT
#include "page_formulas.hpp"

#include "../../json.hpp"

namespace compiled {

using command_line::joined;
using command_line::json_string;
using command_line::list;
using command_line::row;

std::string title_of_formulas(const page_formulas& of) {
  std::string names;
  for (const std::string& one : of.symbols) names += joined(names.empty() ? "" : ", ", one);
  return names.empty() ? "With the arguments that were given" : joined("For all ", names);
}

std::vector<row> formula_table(const page_formulas& of, bool is_global) {
  std::vector<row> result;
  for (const formula_row& one : of.rows) {
    if (one.is_global != is_global) continue;
    if (result.empty())
      result.push_back({"line",
                        is_global ? "global memory" : "shared memory",
                        {"requests", is_global ? "transactions" : "wavefronts", "ideal"}});
    result.push_back({one.line == 0 ? "" : std::to_string(one.line),
                      one.text,
                      {one.requests, one.units, one.ideal}});
  }
  return result;
}

std::string json_of_formulas(const page_formulas& of) {
  list symbols("        "), accesses("        "), assumptions("        ");
  for (const std::string& one : of.symbols) symbols.add(json_string(one));
  for (const formula_row& one : of.rows) accesses.add(one.json);
  for (const std::string& one : of.assumptions) assumptions.add(json_string(one));
  return joined("{\"symbols\": [", symbols.text(), "],\n       \"accesses\": [", accesses.text(),
                "],\n       \"assumptions\": [", assumptions.text(), "]}");
}

}  // namespace compiled
