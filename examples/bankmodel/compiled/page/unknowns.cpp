// SPDX-License-Identifier: MIT
#include "unknowns.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>

#include "../../json.hpp"
#include "../../table.hpp"
#include "../../utf8.hpp"
#include "../engine/prepared_kernel.hpp"

namespace compiled {

using command_line::joined;
using command_line::json_string;
using command_line::list;

namespace {

constexpr char every_number[] = "every number of the kernel";

bool has_option(const assumed_fact& of, const char* option) {
  return of.option.rfind(option, 0) == 0;
}

std::vector<std::string> sharpened_by(const page& of, const assumed_fact& fact) {
  if (has_option(fact, "--arg ")) {
    const auto rows = of.formulas.depending.find(fact.subject);
    if (rows != of.formulas.depending.end()) return rows->second;
    if (of.issued_by == issued_source::none) return {"every number that depends on it"};
    return {"which accesses are executed, and how often: no formula has it"};
  }
  if (has_option(fact, "--dynamic-bytes")) return {"where the dynamic array ends, and its plans"};
  if (has_option(fact, "--assume")) return {"what the branch guards, and how often"};
  if (has_option(fact, "--max-steps"))
    return {"the numbers of the tables; the formulas are those of the given value"};
  return {every_number};
}

// The part of a reason that says what to give; else what decides about such accesses.
std::string option_in(const std::string& reason) {
  const std::size_t give = reason.find("; give ");
  if (give != reason.npos) return reason.substr(give + 7);
  const std::size_t branch = reason.find("behind a branch at ");
  if (branch == reason.npos) return "--data NAME=FILE";
  const std::size_t colon = reason.find(':', branch);
  const std::size_t end = reason.find_first_of(": ", colon + 1);
  return colon == reason.npos ? "--assume, or --data NAME=FILE"
                              : joined("--assume ", reason.substr(colon + 1, end - colon - 1),
                                       "=taken or =not-taken, or --data NAME=FILE");
}

unknown_fact partial_fact(const page& of, const priced_access& one) {
  const recorded_access& access = *one.first;
  const std::string name = array_name(*of.kernel, access);
  unknown_fact result;
  result.subject = joined(access.where.line == 0 ? "" : joined("line ", access.where.line, ", "),
                          verb_of(access.memory.does), name.empty() ? "" : " ", name);
  result.reason = one.reason.substr(0, one.reason.find("; give "));
  if (one.most > 0)
    result.assumed =
        joined(range_in_words(one.least, one.most, access.is_global ? "transaction" : "wavefront"),
               " more");
  result.sharpens = {"this access"};
  result.option = option_in(one.reason);
  return result;
}

}  // namespace

std::vector<unknown_fact> unknowns_of(const page& of) {
  std::vector<unknown_fact> result;
  const auto add = [&](unknown_fact fact) {
    const bool is_there = std::any_of(result.begin(), result.end(), [&](const auto& one) {
      return one.subject == fact.subject && one.reason == fact.reason;
    });
    if (!is_there) result.push_back(std::move(fact));
  };
  for (const assumed_fact& one : of.assumed)
    add({one.subject, one.value, one.reason, sharpened_by(of, one), one.option});
  for (const std::vector<priced_access>* const accesses : {&of.costs.shared, &of.costs.global})
    for (const priced_access& one : *accesses)
      if (one.is_partial) add(partial_fact(of, one));
  return result;
}

std::vector<std::string> arguments_without_use(const page& of) {
  std::vector<std::string> result;
  const std::vector<code_parameter>& all = of.kernel->parameters;
  for (std::size_t number = 0; number < all.size(); ++number) {
    const auto is_it = [&](const auto& given) {
      return parameter_number(*of.kernel, given.first.substr(0, given.first.find('+'))) == number;
    };
    const auto is_in_use = std::any_of(of.how.arguments.begin(), of.how.arguments.end(), is_it);
    const std::string& name = all[number].name;
    const bool has_symbol = std::any_of(
        of.formulas.symbols.begin(), of.formulas.symbols.end(), [&](const std::string& symbol) {
          return symbol == name || symbol.rfind(name + ".", 0) == 0 ||
                 symbol.rfind(name + "+", 0) == 0;
        });
    if (!all[number].is_pointer && !is_in_use && !has_symbol) result.push_back(name);
  }
  return result;
}

std::string text_of_unknowns(const std::vector<page>& kernels,
                             const command_line::text_shape& shape) {
  std::string result;
  for (const page& of : kernels) {
    result += joined(result.empty() ? "" : "\n", heading_of(of, shape.width));
    const std::vector<unknown_fact> facts = unknowns_of(of);
    if (facts.empty()) result += "  nothing is unknown\n";
    for (const unknown_fact& one : facts) {
      const bool is_value = !one.assumed.empty() && one.subject.rfind("line ", 0) != 0;
      result += command_line::within(joined("  ", command_line::printable(one.subject),
                                            one.assumed.empty() ? ": not counted"
                                            : is_value          ? joined(" = ", one.assumed)
                                                                : joined(": ", one.assumed),
                                            ", since ", command_line::printable(one.reason), "\n"),
                                     shape.width);
      std::string sharpens;
      for (const std::string& each : one.sharpens)
        sharpens += joined(sharpens.empty() ? "" : "; ", each);
      result += command_line::within(joined("    would sharpen: ", sharpens, "\n"), shape.width);
      result += command_line::within(joined("    give ", one.option, "\n"), shape.width);
    }
    std::string unused;
    for (const std::string& one : arguments_without_use(of))
      unused += joined(unused.empty() ? "" : ", ", one);
    if (!unused.empty())
      result += command_line::within(joined("  no count depends on: ", unused, "\n"), shape.width);
    for (const std::string& one : of.formulas.assumptions)
      result += command_line::within(joined("  the formulas assume: ", one, "\n"), shape.width);
  }
  return result;
}

std::string json_of_unknowns(const std::vector<page>& kernels, const std::string& file,
                             const std::vector<uncounted_kernel>& others) {
  list pages("    "), uncounted("    ");
  for (const page& of : kernels) {
    list facts("        "), unused("        "), assumptions("        ");
    for (const unknown_fact& one : unknowns_of(of)) {
      std::string sharpens;
      for (const std::string& each : one.sharpens)
        sharpens += joined(sharpens.empty() ? "" : ", ", json_string(each));
      facts.add(joined("{\"subject\": ", json_string(one.subject),
                       ", \"assumed\": ", one.assumed.empty() ? "null" : json_string(one.assumed),
                       ", \"reason\": ", json_string(one.reason), ", \"sharpens\": [", sharpens,
                       "], \"option\": ", json_string(one.option), "}"));
    }
    for (const std::string& one : arguments_without_use(of)) unused.add(json_string(one));
    for (const std::string& one : of.formulas.assumptions) assumptions.add(json_string(one));
    pages.add(joined("{\"kernel\": ", json_string(of.kernel->name), ",\n      \"unknowns\": [",
                     facts.text(), "],\n      \"unused\": [", unused.text(),
                     "],\n      \"assumptions\": [", assumptions.text(), "]}"));
  }
  for (const uncounted_kernel& one : others) uncounted.add(json_of(one));
  return joined("{\n  \"file\": ", json_string(file), ",\n  \"kernels\": [", pages.text(),
                "\n  ],\n  \"not_counted\": [", uncounted.text(), "\n  ]\n}\n");
}

}  // namespace compiled
