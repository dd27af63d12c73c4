// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_COUNTED_KERNEL_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_COUNTED_KERNEL_HPP

#include <memory>
#include <vector>

#include "ask.hpp"
#include "code_of_file.hpp"
#include "issued/issued_recording.hpp"
#include "page/page.hpp"

namespace compiled {

// The kernel that is asked about, its requests, and its page on each machine.
struct counted_kernel {
  code_of_file code;
  const kernel_code* kernel = nullptr;  // in `code`
  launch how;
  recording recorded;
  std::unique_ptr<issued_recording> issued;  // null: that of `recorded`
  std::vector<page> pages;                   // of `kernel` and `recorded`
  std::vector<std::string> left_out;  // what was not read and may be meant, as text for people
};

// Error (command_line::refusal): all that answer_to() reports.
std::unique_ptr<counted_kernel> counted(const question& asked);

// What is printed of its pages, and the exit code.
command_line::answer answer_about(const counted_kernel& counted, const question& asked);

}  // namespace compiled

#endif
