// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>
#include <vector>

#include "code/short_names.hpp"
#include "code_of_file.hpp"

// The kernels of a file that a question is about.
namespace compiled {

// A kernel of the file; `code` is null if it is not read.
struct candidate {
  std::string name, linkage;
  const kernel_code* code = nullptr;
  std::string reason;  // why it is not read, as Clang says
  std::string short_name = {};

  // True for a part of the name, and for a pattern of the whole name with * and ?.
  bool has(const std::string& part) const;
  // True for the whole name, without its parameters too, and for the short one.
  bool is(const std::string& named) const;
};

// Sets why kernels are not read. Those that are named are read. Without names it is those of the
// header that is asked about, or all but those that only a library's header has and nobody
// launches; of each template the first 24 instances; and no more than 262,144 instructions, first
// those of the smallest kernels, then those of further instances: a file may have hundreds, which
// take seconds each.
void pass_over_kernels(const question& asked, std::vector<readable_kernel>& kernels);

// Of kernels that are not read although the question is about them: what they are called together,
// why, and what to do.
struct left_out_kernels {
  std::string name;
  command_line::refusal reason;
};
std::vector<left_out_kernels> left_out_kernels_of(const code_of_file& code);

// The kernels with these names, or all if there is no name: of each name those that have it in
// full, else those that have it as a part or a pattern.
// Error (command_line::refusal): no kernel has one of the names; the file has no kernel.
std::vector<candidate> chosen_kernels(const code_of_file& code, const question& asked);

// The kernel of a question that is about one.
// Error (command_line::refusal): it is about none or several; the kernel does not compile.
const kernel_code& chosen_kernel(const code_of_file& code, const question& asked);

// "the launches of k<scalar_t> in lines 12 and 17 (use of undeclared identifier 'scalar_t')", which
// differ by their lines alone; they have their file where that is not this one.
std::string text_of_unread(const unread_launch& launch, const std::string& file,
                           const std::set<int>& lines);

// "k<scalar_t> in line 12": what was not read and may be this kernel, or another one if none is
// named. A name in full is that kernel alone.
std::vector<std::string> left_out(const code_of_file& code, const question& asked,
                                  const kernel_code& kernel);

}  // namespace compiled
