// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../answer.hpp"
#include "../limits.hpp"
#include "../measured_profile.hpp"
#include "../notation/kernel_file.hpp"
#include "../search_options.hpp"
#include "../terminal.hpp"
#include "build/compiler_flags.hpp"
#include "engine/run.hpp"
#include "page/source_lines.hpp"

// The command line's answer about a file, of any kind.
namespace compiled {

inline constexpr std::size_t most_bytes = 1 << 26;  // of a file

struct earlier_run;

// Whether nvcc makes PTX of source, which is read instead of it.
enum class nvcc_use : unsigned char { never, where_reading_fails, always };

struct question {
  std::string file, text;             // the name and the contents
  std::vector<std::string> kernels;   // parts of names, or patterns; empty: all
  std::vector<std::string> machines;  // empty: those that the file names
  bool all_machines = false;          // instead of `machines`
  int bank_width = 0;                 // of the machines, in bytes; 0: the one that each begins with

  bool plan = true;                       // look for better layouts
  command_line::plan_limits limits = {};  // of these
  bool alternatives = false;              // layouts to choose from, beside the plans
  bool picture = false;                   // of the worst request
  bool brief = false;                     // the sums and the plans alone
  bool html = false;                      // for a file too
  command_line::text_shape shape = {};    // of text
  bool long_names = false;                // of kernels, in texts for people
  bool is_of_several = false;             // files: their kernels have one table
  command_line::format format = command_line::format::text;
  std::string rules_address = {};                      // of the page with SARIF's rules
  command_line::all_limits allowed = {};               // on any machine
  bool report = false;                                 // answer::report is wanted
  std::optional<command_line::profile> measured = {};  // to be compared, on one machine
  std::function<void(const std::string&)> tell = {};   // before and while what takes long is done
  std::function<void(std::size_t done, std::size_t total, const char* unit)> progress = {};

  long long dynamic_shared_bytes = 0;            // of `extern __shared__` arrays
  std::string block, grid, cluster, grid_index;  // as given: 32x8
  std::vector<std::string> arguments, assumed;   // as given: n=1024, 17=taken
  std::vector<std::string> data;                 // as given: indices=FILE

  // For kernel files.
  std::vector<command_line::row_padding> padding = {};  // of declared arrays
  std::string header = {};  // the namespace of the plan as a header; empty if none is wanted

  // For compiled code and source.
  bool bounds = false;                         // unknown arguments are bounded, not assumed
  long long most_steps = launch{}.most_steps;  // as there
  long long steps_at_once = launch{}.steps_at_once;
  long long steps_of_a_guess = launch{}.steps_of_a_guess;
  std::shared_ptr<const earlier_run> previous_run =
      nullptr;  // what was assumed, to be assumed again
  // For source files.
  compiler_flags flags;
  std::string build;              // as given: the folder of a compile_commands.json, or one itself
  std::string unit;               // the file that is read, since it includes `file`; empty: `file`
  std::string origin_of_flags;    // for people; empty: they were given
  std::string program_arguments;  // as given, with blanks between: 1024 10
  std::string cuda_path;
  nvcc_use nvcc = nvcc_use::never;
  std::string cubin;           // the name of a file that the accesses as issued are compared with
  bool block_strides = false;  // how accesses to global memory move from block to block
  bool unknowns = false;       // what nobody gave, instead of the tables
  // A changed text is counted again: on the machines that the first reading was for.
  bool is_recount = false;
  bool is_trial = false;                // counted_kernel::recorded alone is of interest
  std::string fix;                      // empty, "write" or "dry-run"
  std::optional<std::string> contents;  // source that is read instead of the file's
  std::map<std::string, std::string> header_contents = {};  // the same of headers, by their names
  bool describe = false;  // as a program of C++, instead of the tables
};

// Throws only if memory runs out: bad input is reported in the answer's error.
command_line::answer answer_to(const question& asked);

}  // namespace compiled
