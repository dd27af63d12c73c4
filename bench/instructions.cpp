// SPDX-License-Identifier: MIT
// Instructions of single calls, which are the same in every run: what tests/house/run_cost.sh
// counts.
#include "page.hpp"
#include "sections.hpp"

#include <cstdio>
#include <sstream>

namespace bench {
namespace {

struct call {
  std::string name;
  unsigned long long instructions, aim;
};

// The rows of run_cost.sh's table: a name of 76 characters, instructions, a limit, an aim.
std::vector<call> calls_of(const std::string& printed) {
  constexpr std::size_t width = 76;
  std::vector<call> result;
  std::istringstream lines(printed);
  for (std::string line; std::getline(lines, line);) {
    call one{};
    unsigned long long limit = 0;
    if (line.size() <= width || std::sscanf(line.c_str() + width, "%llu %llu %llu",
                                            &one.instructions, &limit, &one.aim) != 3)
      continue;
    one.name = line.substr(0, line.find_last_not_of(' ', width - 1) + 1);
    result.push_back(one);
  }
  return result;
}

// How many times the instructions of 10^3 iterations 10^12 take, by the ends of the rows' names; 0
// if they are not there.
double growth_of(const std::vector<call>& calls, const std::string& few, const std::string& many) {
  const auto of = [&](const std::string& end) {
    for (const call& one : calls)
      if (one.name.ends_with(end)) return static_cast<double>(one.instructions);
    return 0.;
  };
  return of(few) > 0 ? of(many) / of(few) : 0;
}

std::string text_of(double growth) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", growth);
  return growth > 0 ? text : "not counted";
}

}  // namespace

void instructions(page& to) {
  const std::string script = BANKMODEL_SOURCE "/tests/house/run_cost.sh";
  const std::string printed =
      output_of("bash " + script + " " BANKMODEL_COMPILER " " BANKMODEL_SOURCE "/include 2>&1");
  const auto calls = calls_of(printed);
  const double growth = growth_of(calls, "10^3 iterations", "of 10^12"),
               growth_of_two_rows = growth_of(calls, "of 10^3 where W > N", "of 10^12 where W > N");
  to.text(
      "Counted by valgrind's callgrind, compared with the aims of the design: the instructions of "
      "one "
      "call, which no load of the machine changes. `bash tests/house/run_cost.sh g++ include` "
      "prints the same.");
  if (calls.empty()) {
    to.text("Result: not counted here.");
    to.table({"call", "instructions"}, {{printed.substr(0, printed.find('\n')), ""}});
  } else {
    std::size_t within = 0;
    std::vector<page::row> rows;
    for (const call& one : calls) {
      rows.push_back(
          {one.name,
           number_text(static_cast<double>(one.instructions) / static_cast<double>(one.aim)),
           count_text(one.instructions), count_text(one.aim)});
      within += one.instructions <= one.aim ? 1 : 0;
    }
    to.text("Result: " + std::to_string(within) + " of " + std::to_string(calls.size()) +
            " keep to their aims. A total of 10^12 iterations takes " + text_of(growth) +
            " times the instructions of one of 10^3, " + text_of(growth_of_two_rows) +
            " times where W > N.");
    to.table({"call", "instructions / aim", "instructions", "aim"}, rows);
  }
  for (const auto& [what, times] :
       {std::pair("", growth), std::pair(", W > N", growth_of_two_rows)})
    to.aims.push_back({std::string("`total()` of 10^12 iterations / 10^3, in instructions") + what,
                       "1.05 at most", text_of(times), times > 0 && times <= 1.05});
}

}  // namespace bench
