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
    call entry{};
    unsigned long long limit = 0;
    if (line.size() <= width || std::sscanf(line.c_str() + width, "%llu %llu %llu",
                                            &entry.instructions, &limit, &entry.aim) != 3)
      continue;
    entry.name = line.substr(0, line.find_last_not_of(' ', width - 1) + 1);
    result.push_back(entry);
  }
  return result;
}

// How many times the instructions of 10^3 iterations 10^12 take, by the ends of the rows' names; 0
// if they are not there.
double growth_of(const std::vector<call>& calls, const std::string& short_name,
                 const std::string& long_name) {
  const auto measure = [&](const std::string& end) {
    for (const call& entry : calls)
      if (entry.name.ends_with(end)) return static_cast<double>(entry.instructions);
    return 0.;
  };
  return measure(short_name) > 0 ? measure(long_name) / measure(short_name) : 0;
}

std::string text_of(double growth) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", growth);
  return growth > 0 ? text : "not counted";
}

}  // namespace

void instructions(page& output) {
  const std::string script = BANKMODEL_SOURCE "/tests/house/run_cost.sh";
  const std::string printed =
      output_of("bash " + script + " " BANKMODEL_COMPILER " " BANKMODEL_SOURCE "/include 2>&1");
  const auto calls = calls_of(printed);
  const double growth = growth_of(calls, "10^3 iterations", "of 10^12"),
               growth_of_two_rows = growth_of(calls, "of 10^3 where W > N", "of 10^12 where W > N");
  output.text(
      "Counted by valgrind's callgrind, compared with the aims of the design: the instructions of "
      "one "
      "call, which no load of the machine changes. `bash tests/house/run_cost.sh g++ include` "
      "prints the same.");
  if (calls.empty()) {
    output.text("Result: not counted here.");
    output.table({"call", "instructions"}, {{printed.substr(0, printed.find('\n')), ""}});
  } else {
    std::size_t successes = 0;
    std::vector<page::row> rows;
    for (const call& entry : calls) {
      rows.push_back(
          {entry.name,
           number_text(static_cast<double>(entry.instructions) / static_cast<double>(entry.aim)),
           count_text(entry.instructions), count_text(entry.aim)});
      successes += entry.instructions <= entry.aim ? 1 : 0;
    }
    output.text("Result: " + std::to_string(successes) + " of " + std::to_string(calls.size()) +
                " keep to their aims. A total of 10^12 iterations takes " + text_of(growth) +
                " times the instructions of one of 10^3, " + text_of(growth_of_two_rows) +
                " times where W > N.");
    output.table({"call", "instructions / aim", "instructions", "aim"}, rows);
  }
  for (const auto& [suffix, times] :
       {std::pair("", growth), std::pair(", W > N", growth_of_two_rows)})
    output.aims.push_back(
        {std::string("`total()` of 10^12 iterations / 10^3, in instructions") + suffix,
         "1.05 at most", text_of(times), times > 0 && times <= 1.05});
}

}  // namespace bench
