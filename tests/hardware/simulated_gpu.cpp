// SPDX-License-Identifier: MIT
// Stands for the programs that measure.sh and plans.sh run on a GPU, to test the scripts without
// one:
//
//   simulated_gpu measure clocks|counters OUT ..    measure_global OUT    time_plan time|count ..
//   simulated_gpu profile LAUNCHES LOG              writes what ncu writes for these launches; of
//                                                   time_plan LAUNCHES is a number or "count"
//
// Environment: WRONG=shared, WRONG=global or WRONG=plans is a device with another rule.
#include "clocks.hpp"
#include "global_comparison.hpp"
#include "plan_table.hpp"
#include "simulated_global_device.hpp"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace hardware;

namespace {

bool is_wrong(const std::string& subject) {
  const char* const wrong = std::getenv("WRONG");
  return wrong != nullptr && subject == wrong;
}

void measure(const std::string& kind, std::ostream& output) {
  simulated_device device(rules{.stores_merge = is_wrong("shared")});
  if (kind == "counters") return write_launches(output, launches_of(patterns_for(90), 64));
  measured file;
  file.device = "Simulated GPU", file.driver = "580.65.06", file.toolkit = "13.0";
  file.command = "measure.sh", file.date = "2025-11-22", file.major = 9;
  std::vector<std::string> said;
  file.readings = measure_clocks(device, patterns_for(90), said);
  write(output, file, all_patterns());
}

// 4,096 blocks of 72 wavefronts before and 24 after.
std::string profile_of_plans() {
  std::string text =
      "\"ID\",\"Kernel Name\",\"Grid Size\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
  for (const bool is_planned : {false, true}) {
    const long long count = 4096LL * (is_planned ? 24 : 72) + (is_planned && is_wrong("plans"));
    for (const char* metric : {counter_metric, source_metric})
      text += std::string("\"") + (is_planned ? "1\",\"planned" : "0\",\"original") +
              "::k(float *)\",\"(64, 64, 1)\",\"" + metric + "\",\"\",\"" + with_thousands(count) +
              "\"\n";
  }
  return text;
}

std::string profile_of(const std::string& launches) {
  std::ifstream stream(launches);
  if (!stream) return profile_of_plans();
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  std::istringstream lines(text);
  if (text.find("global_") != std::string::npos)
    return profiled(simulated_global_device({.atomics_in_rounds = is_wrong("global")}),
                    read_launches<global_instruction>(lines, launches), all_global_patterns());
  return profiled(simulated_device(rules{.stores_merge = is_wrong("shared")}),
                  read_launches(lines, launches), all_patterns());
}

int run(const std::vector<std::string>& arguments) {
  const std::string& command = arguments.at(0);
  if (command == "time_plan") {
    if (arguments.at(1) == "time") std::cout << "12.5 6.25\n";
    return 0;
  }
  if (command == "measure_global") {
    std::ofstream output(arguments.at(1));
    write_launches(output, global_launches(all_global_patterns(), 64));
  } else {
    std::ofstream output(arguments.at(2));
    if (command == "measure") measure(arguments.at(1), output);
    if (command == "profile") output << profile_of(arguments.at(1));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return run({argv + 1, argv + argc}); }
