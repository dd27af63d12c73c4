// SPDX-License-Identifier: MIT
// The kernels of the demo before and after their plans on a GPU, as plans.sh measured them.
//
//   compare_plans FILE               prints them; exit code 1 if wavefronts differ from the
//   model's,
//                                    2 if the file cannot be read
//   compare_plans metrics            prints the counters' names
//   compare_plans counted PROFILE    prints the fields of ncu's run of time_plan
//   compare_plans head TIMED COUNT   prints the lines before the rows; TIMED is the same device's
//                                    file of measure.sh
#include "plan_table.hpp"

#include <fstream>
#include <iostream>

using namespace hardware;

namespace {

std::ifstream opened(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) refuse(file, 0, "cannot be opened");
  return stream;
}

void print_head(const std::string& timed, const std::string& count) {
  std::ifstream stream = opened(timed);
  const file_head head = read_measured(stream, timed);
  std::size_t rows = 0;
  if (!to_number(count, rows, 10)) refuse(timed, 0, "\"" + count + "\" is not a number of rows");
  write_head(std::cout, head, plans_first_line, "plans", rows, plans_columns);
}

int run(const std::vector<std::string>& arguments) {
  const std::string command = arguments.empty() ? "" : arguments[0];
  if (arguments.size() == 1 && command == "metrics") {
    std::cout << counter_metric << '\n' << source_metric << '\n';
  } else if (arguments.size() == 2 && command == "counted") {
    std::ifstream stream = opened(arguments[1]);
    write(std::cout, counted_of(read_profiles(stream, arguments[1]), arguments[1]));
  } else if (arguments.size() == 3 && command == "head") {
    print_head(arguments[1], arguments[2]);
  } else if (arguments.size() == 1) {
    std::ifstream stream = opened(command);
    return print(std::cout, read_plans(stream, command)) == 0 ? 0 : 1;
  } else {
    std::cerr << "compare_plans FILE\ncompare_plans metrics\ncompare_plans counted PROFILE\n"
                 "compare_plans head TIMED COUNT\n";
    return 2;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
