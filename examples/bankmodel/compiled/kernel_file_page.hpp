// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_KERNEL_FILE_PAGE_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_KERNEL_FILE_PAGE_HPP

#include "../answer.hpp"
#include "../terminal.hpp"

// Kernel files in the forms of compiled kernels: source with costs, HTML and SARIF.
namespace compiled {

// The answer of command_line::answer_to() in each format. `html`: for the file of --html too.
command_line::answer answer_about_kernel_file(const command_line::source& of,
                                              const command_line::question& asked, bool html,
                                              const command_line::text_shape& shape);

}  // namespace compiled

#endif
