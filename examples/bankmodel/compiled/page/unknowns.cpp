// SPDX-License-Identifier: MIT
#include "unknowns.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>

#include "../../json.hpp"
#include "../../table.hpp"
#include "../../utf8.hpp"
#include "../engine/prepared_kernel.hpp"

namespace compiled {

using command_line::json_string;
using command_line::list;

namespace {

constexpr char every_number[] = "every number of the kernel";

bool has_option(const assumed_fact& fact, const char* option) {
  return fact.option.starts_with(option);
}

std::vector<std::string> sharpened_by(const page& kernel_page, const assumed_fact& fact) {
  if (has_option(fact, "--arg ")) {
    const auto rows = kernel_page.formulas.depending.find(fact.subject);
    if (rows != kernel_page.formulas.depending.end()) return rows->second;
    if (kernel_page.issued_by == issued_source::none) return {"every number that depends on it"};
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

unknown_fact partial_fact(const page& kernel_page, const priced_access& entry) {
  const recorded_access& access = *entry.first;
  const std::string name = array_name(*kernel_page.kernel, access);
  unknown_fact result;
  result.subject =
      joined(access.location.line == 0 ? "" : joined("line ", access.location.line, ", "),
             verb_of(access.memory.operation), name.empty() ? "" : " ", name);
  result.reason = entry.reason.substr(0, entry.reason.find("; give "));
  if (entry.maximum > 0)
    result.assumed = joined(range_in_words(entry.minimum, entry.maximum,
                                           access.is_global ? "transaction" : "wavefront"),
                            " more");
  result.sharpens = {"this access"};
  result.option = option_in(entry.reason);
  return result;
}

}  // namespace

std::vector<unknown_fact> unknowns_of(const page& kernel_page) {
  std::vector<unknown_fact> result;
  const auto add = [&](unknown_fact fact) {
    const bool is_there = std::ranges::any_of(result, [&](const auto& other) {
      return other.subject == fact.subject && other.reason == fact.reason;
    });
    if (!is_there) result.push_back(std::move(fact));
  };
  for (const assumed_fact& fact : kernel_page.assumed)
    add({fact.subject, fact.value, fact.reason, sharpened_by(kernel_page, fact), fact.option});
  for (const std::vector<priced_access>* const accesses :
       {&kernel_page.costs.shared, &kernel_page.costs.global})
    for (const priced_access& entry : *accesses)
      if (entry.is_partial) add(partial_fact(kernel_page, entry));
  return result;
}

std::vector<std::string> arguments_without_use(const page& kernel_page) {
  std::vector<std::string> result;
  const std::vector<code_parameter>& parameters = kernel_page.kernel->parameters;
  for (std::size_t number = 0; number < parameters.size(); ++number) {
    const auto is_it = [&](const auto& argument) {
      return parameter_number(*kernel_page.kernel,
                              argument.first.substr(0, argument.first.find('+'))) == number;
    };
    const auto is_in_use = std::ranges::any_of(kernel_page.settings.arguments, is_it);
    const std::string& name = parameters[number].name;
    const bool has_symbol =
        std::ranges::any_of(kernel_page.formulas.symbols, [&](const std::string& symbol) {
          return symbol == name || symbol.starts_with(name + ".") || symbol.starts_with(name + "+");
        });
    if (!parameters[number].is_pointer && !is_in_use && !has_symbol) result.push_back(name);
  }
  return result;
}

std::string text_of_unknowns(const std::vector<page>& kernels,
                             const command_line::text_shape& shape) {
  std::string result;
  for (const page& kernel_page : kernels) {
    result += joined(result.empty() ? "" : "\n", heading_of(kernel_page, shape.width));
    const std::vector<unknown_fact> facts = unknowns_of(kernel_page);
    if (facts.empty()) result += "  nothing is unknown\n";
    for (const unknown_fact& fact : facts) {
      const bool is_value = !fact.assumed.empty() && !fact.subject.starts_with("line ");
      result += command_line::fitted(joined("  ", command_line::printable(fact.subject),
                                            fact.assumed.empty() ? ": not counted"
                                            : is_value           ? joined(" = ", fact.assumed)
                                                                 : joined(": ", fact.assumed),
                                            ", since ", command_line::printable(fact.reason), "\n"),
                                     shape.width);
      std::string sharpens;
      for (const std::string& item : fact.sharpens)
        sharpens += joined(sharpens.empty() ? "" : "; ", item);
      result += command_line::fitted(joined("    would sharpen: ", sharpens, "\n"), shape.width);
      result += command_line::fitted(joined("    give ", fact.option, "\n"), shape.width);
    }
    std::string unused;
    for (const std::string& argument : arguments_without_use(kernel_page))
      unused += joined(unused.empty() ? "" : ", ", argument);
    if (!unused.empty())
      result += command_line::fitted(joined("  no count depends on: ", unused, "\n"), shape.width);
    for (const std::string& assumption : kernel_page.formulas.assumptions)
      result +=
          command_line::fitted(joined("  the formulas assume: ", assumption, "\n"), shape.width);
  }
  return result;
}

std::string json_of_unknowns(const std::vector<page>& kernels, const std::string& file,
                             const std::vector<uncounted_kernel>& failures) {
  list pages("    "), uncounted("    ");
  for (const page& kernel_page : kernels) {
    list facts("        "), unused("        "), assumptions("        ");
    for (const unknown_fact& fact : unknowns_of(kernel_page)) {
      std::string sharpens;
      for (const std::string& item : fact.sharpens)
        sharpens += joined(sharpens.empty() ? "" : ", ", json_string(item));
      facts.add(joined("{\"subject\": ", json_string(fact.subject),
                       ", \"assumed\": ", fact.assumed.empty() ? "null" : json_string(fact.assumed),
                       ", \"reason\": ", json_string(fact.reason), ", \"sharpens\": [", sharpens,
                       "], \"option\": ", json_string(fact.option), "}"));
    }
    for (const std::string& argument : arguments_without_use(kernel_page))
      unused.add(json_string(argument));
    for (const std::string& assumption : kernel_page.formulas.assumptions)
      assumptions.add(json_string(assumption));
    pages.add(joined("{\"kernel\": ", json_string(kernel_page.kernel->name),
                     ",\n      \"unknowns\": [", facts.text(), "],\n      \"unused\": [",
                     unused.text(), "],\n      \"assumptions\": [", assumptions.text(), "]}"));
  }
  for (const uncounted_kernel& failure : failures) uncounted.add(json_of(failure));
  return joined("{\n  \"file\": ", json_string(file), ",\n  \"kernels\": [", pages.text(),
                "\n  ],\n  \"not_counted\": [", uncounted.text(), "\n  ]\n}\n");
}

}  // namespace compiled
