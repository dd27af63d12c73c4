// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysed_code.hpp"
#include "ask.hpp"
#include "code_of_file.hpp"
#include "issued/issued_recording.hpp"
#include "page/page.hpp"

namespace compiled {

// A kernel, its requests, and its page on each machine.
struct counted_kernel {
  std::shared_ptr<const code_of_file> code;  // of all kernels of the file
  const kernel_code* kernel = nullptr;       // in `code`
  launch settings;
  recording recorded;
  std::vector<assumed_fact> assumed;         // about the launch and the data
  std::unique_ptr<issued_recording> issued;  // null: that of `recorded`
  std::vector<page> pages;  // of `kernel` and `recorded`, or of those of `variants`
  std::vector<command_line::skipped_machine> skipped;  // of several
  // The same kernel read for other machines, where the source depends on the machine.
  std::vector<std::unique_ptr<counted_kernel>> variants;
  std::vector<std::string> left_out;  // what was not read and may be meant, as text for people
  // Lines with accesses to shared memory that were not executed, of a run in which arguments or
  // branches were assumed: with others they may be. None that a run with the other arm executes.
  std::set<int> unexecuted_lines;
  std::set<int> unexecuted_global_lines;  // the same of global memory
};

// Returns the one kernel that is asked about.
// Error (command_line::refusal): the question is about several; it cannot be counted.
std::unique_ptr<counted_kernel> counted(const question& asked);

// Returns a kernel of code that was read, with plans that nobody verified and without its pages on
// machines that have another code.
// Error (command_line::refusal): it cannot be counted.
std::unique_ptr<counted_kernel> counted_in(const question& asked,
                                           const std::shared_ptr<const code_of_file>& code,
                                           const kernel_code& kernel);
std::unique_ptr<counted_kernel> counted_in(const question& asked, analysed_code& code);

// What was assumed of it.
std::shared_ptr<const earlier_run> run_of(const counted_kernel& counted);

// Returns the lines of accesses to shared memory that the run did not come to. A line of which an
// access was executed is none of them: a compiler may have taken it apart.
std::set<int> lines_not_executed(const counted_kernel& counted);

// The same of accesses to global memory, or to one that only the address says.
std::set<int> global_lines_not_executed(const counted_kernel& counted);

// "line 4", "lines 4..6, 9". Requires: there is a line.
std::string named_lines(const std::set<int>& lines);

// Accesses that a run did not come to. To shared memory: also those of which only the address says
// the memory.
enum class unexecuted { of_shared_memory, of_any_memory };

struct unexecuted_accesses {
  int first_line = 0;     // 0 if there are none
  std::set<int> numbers;  // of their instructions, among those that access memory
  // The bytes of the widest element that may be stored to other memory than a shared array.
  int stored_elsewhere = 0;
};

// Returns the accesses where none was executed, also if others of their lines were.
unexecuted_accesses accesses_not_executed(const counted_kernel& counted, unexecuted accesses);

// The names of files, without their folders, and lines of the executed accesses to shared memory
// and of the calls around them.
std::set<std::pair<std::string, int>> lines_executed(const counted_kernel& counted);

// A kernel that is asked about, or why it is not counted.
struct kernel_result {
  std::string name, shown;                  // `shown`: for people
  std::unique_ptr<counted_kernel> counted;  // null: `reason`
  command_line::refusal reason;
  std::shared_ptr<const question> asked = nullptr;  // about this kernel, if it is counted
};

// Returns all kernels that are asked about, in the order of the file; it is read once. A file that
// is_compiled() is not true of is a kernel file.
// Error (command_line::refusal): the file cannot be read, or has none of them.
std::vector<kernel_result> counted_kernels(const question& asked);

// What is printed of them, and the exit code.
command_line::answer answer_about(const std::vector<kernel_result>& outcomes,
                                  const question& asked);

}  // namespace compiled
