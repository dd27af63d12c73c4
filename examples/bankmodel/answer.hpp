// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_ANSWER_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_ANSWER_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <bankmodel/explain.hpp>

#include "counts.hpp"

// Everything that the program does but reading its arguments and files.
namespace command_line {

enum class format : unsigned char { text, json, csv };

struct question {
  std::vector<std::string> machines;  // in place of the file's
  bool all_machines = false;
  bool plan = true, picture = false;
  bm::search how = {};
  format as = format::text;
  std::optional<std::uint64_t> max_conflicts;  // on any machine, with either bank width
  std::optional<profile> measured;             // to be compared with, of the one machine
};

enum exit_code { fine = 0, too_many_conflicts = 1, bad_input = 2 };

struct answer {
  exit_code code = fine;
  std::string out, error;    // for the two streams
  std::string picture = {};  // for the file of --svg
};

// Never throws but for want of memory: what is refused is the answer's error.
answer answer_to(const source& of, const question& asked);

// What is found on one machine.
struct finding {
  bm::machine machine;
  // with each bank width, the one first that the machine starts with
  std::vector<kernel_cost> costs;
  planned planning;
  int blocks_before = 0;  // resident, with the arrays as they are declared
};

std::string as_text(const source& of, const kernel_file& kernel, const std::vector<finding>& found,
                    const question& asked);
std::string as_json(const source& of, const kernel_file& kernel, const std::vector<finding>& found,
                    const question& asked);
std::string as_csv(const source& of, const kernel_file& kernel, const std::vector<finding>& found);

// Why an access conflicts.
struct reason {
  std::optional<bm::explanation> found;  // where the library has one
  std::string text;
};
reason why(const kernel_file& kernel, const kernel_access& access, const bm::machine& on);

// The worst request on the first machine as SVG; refused for the moment.
std::string drawn(const kernel_file& kernel, const std::vector<finding>& found);

}  // namespace command_line

#endif
