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

std::vector<row> formula_table(const std::vector<formula_row>& rows, bool is_global) {
  std::vector<row> result;
  for (const formula_row& one : rows) {
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

namespace {

std::string json_of_ranges(const page_formulas& of) {
  if (of.ranged.empty()) return {};
  list accesses("        "), without("        ");
  for (const formula_row& one : of.ranges) accesses.add(one.json);
  for (const std::string& one : of.without_range) without.add(json_string(one));
  return joined(
      ",\n       \"ranged\": ", json_string(of.ranged), ", \"conflicts\": ",
      of.conflicts ? joined("[", of.conflicts->least, ", ", of.conflicts->most, "]") : "null",
      ",\n       \"ranges\": [", accesses.text(), "],\n       \"without_range\": [", without.text(),
      "]");
}

}  // namespace

std::string json_of_formulas(const page_formulas& of) {
  list symbols("        "), accesses("        "), assumptions("        ");
  for (const std::string& one : of.symbols) symbols.add(json_string(one));
  for (const formula_row& one : of.rows) accesses.add(one.json);
  for (const std::string& one : of.assumptions) assumptions.add(json_string(one));
  return joined("{\"symbols\": [", symbols.text(), "],\n       \"accesses\": [", accesses.text(),
                "],\n       \"assumptions\": [", assumptions.text(), "]", json_of_ranges(of), "}");
}

}  // namespace compiled
