// SPDX-License-Identifier: MIT
// Compares a measured file with the model; or joins a file with ncu's counts.
//
//   compare FILE [--all]                       exit code 1 if they disagree, 2 if it cannot be read
//   compare join TIMED LAUNCHES PROFILE OUT    writes the file with the wavefronts that ncu counted
#include "comparison.hpp"
#include "profiler.hpp"

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

measured read(const std::string& file) {
  std::ifstream stream = opened(file);
  return read_measured(stream, file);
}

int compare_file(const std::string& name, bool shows_all) {
  const measured file = read(name);
  const std::vector<pattern> patterns = all_patterns(file.seed);
  const comparison result =
      compare(bankmodel::nvidia::compute_capability(file.major, file.minor), file, patterns);
  print(std::cout, result, file, patterns, shows_all ? 1000000 : 5);
  if (result.judged == 0) refuse(name, 0, "no pattern was measured; see the output of measure.sh");
  return result.disagreements.empty() ? 0 : 1;
}

void join_files(const std::string& timed, const std::string& launches, const std::string& profile,
                const std::string& out_name) {
  measured file = read(timed);
  std::ifstream launches_in = opened(launches), profile_in = opened(profile);
  const int not_whole = join(file.readings, read_launches(launches_in, launches),
                             read_profiles(profile_in, profile), profile);
  std::ofstream output(out_name);
  write(output, file, all_patterns(file.seed));
  if (!output.flush()) refuse(out_name, 0, "cannot be written");
  int counted = 0;
  for (const reading& r : file.readings) counted += r.counter.has_value();
  std::cout << counted << " of " << file.readings.size() << " patterns counted by the hardware; "
            << not_whole << " counts were not whole numbers\n";
  if (counted == 0)
    refuse(profile, 0,
           std::string("no launch has ") + counter_metric +
               "; ncu --query-metrics lists the names of this GPU");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.size() == 5 && arguments[0] == "join") {
      join_files(arguments[1], arguments[2], arguments[3], arguments[4]);
      return 0;
    }
    const bool shows_all = arguments.size() == 2 && arguments[1] == "--all";
    if (arguments.size() == 1 || shows_all) return compare_file(arguments[0], shows_all);
    std::cerr << "compare FILE [--all]\ncompare join TIMED LAUNCHES PROFILE OUT\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
  }
  return 2;
}
