// SPDX-License-Identifier: MIT
// Compares a measured file of global memory with the model; or makes it of ncu's counts.
//
//   compare_global FILE [--all]                        exit code 1 if they disagree, 2 if it cannot
//                                                      be read
//   compare_global join TIMED LAUNCHES PROFILE OUT     writes the file; its head is that of TIMED,
//                                                      the same device's file of shared memory
//   compare_global metrics                             prints the counters' names
#include "global_comparison.hpp"

#include <bankmodel/machines/nvidia.hpp>

#include <fstream>
#include <iostream>

using namespace hardware;

namespace {

std::ifstream opened(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) refuse(file, 0, "cannot be opened");
  return stream;
}

int compare_file(const std::string& name, bool shows_all) {
  std::ifstream stream = opened(name);
  const global_measured file = read_global_measured(stream, name);
  const std::vector<global_pattern> patterns = all_global_patterns(file.seed);
  const global_comparison result =
      compare(bankmodel::nvidia::compute_capability(file.major, file.minor), file, patterns);
  print(std::cout, result, file, patterns, shows_all ? 1000000 : 5);
  if (result.judged == 0) refuse(name, 0, "no pattern was measured; see the output of measure.sh");
  return result.disagreements.empty() ? 0 : 1;
}

void join_files(const std::string& timed, const std::string& launches, const std::string& profile,
                const std::string& out_name) {
  std::ifstream timed_in = opened(timed), launches_in = opened(launches),
                profile_in = opened(profile);
  global_measured file;
  static_cast<file_head&>(file) = read_measured(timed_in, timed);
  file.seed = first_seed;
  int not_whole = 0, counted = 0;
  file.readings =
      join_global(read_launches<global_instruction>(launches_in, launches),
                  read_profiles(profile_in, profile, global_metrics()), profile, not_whole);
  for (const global_reading& r : file.readings) counted += r.sectors.has_value();
  std::cout << counted << " of " << file.readings.size()
            << " patterns of global memory counted by the hardware; " << not_whole
            << " counts were not whole numbers\n";
  if (counted == 0)
    refuse(profile, 0,
           "no launch has " + sectors_metric(global_instruction::global_load_4) +
               "; ncu --query-metrics lists the names of this GPU");
  std::ofstream output(out_name);
  write(output, file, all_global_patterns());
  if (!output.flush()) refuse(out_name, 0, "cannot be written");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments == std::vector<std::string>{"metrics"}) {
      for (const std::string& name : global_metrics()) std::cout << name << '\n';
      return 0;
    }
    if (arguments.size() == 5 && arguments[0] == "join") {
      join_files(arguments[1], arguments[2], arguments[3], arguments[4]);
      return 0;
    }
    const bool shows_all = arguments.size() == 2 && arguments[1] == "--all";
    if (arguments.size() == 1 || shows_all) return compare_file(arguments[0], shows_all);
    std::cerr << "compare_global FILE [--all]\ncompare_global join TIMED LAUNCHES PROFILE OUT\n"
                 "compare_global metrics\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
  }
  return 2;
}
