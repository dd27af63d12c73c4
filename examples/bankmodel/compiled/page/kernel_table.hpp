// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_PAGE_KERNEL_TABLE_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_PAGE_KERNEL_TABLE_HPP

#include <string>
#include <vector>

#include "page.hpp"

// The kernels of a file, a row for each, before the tables of each.
namespace compiled {

// True if an access takes more than its ideal, or may, or is counted in part.
bool has_something_to_gain(const page& of);

// A row for each page, those with the most conflicts first, then those with the most transactions
// beyond the ideal.
std::string text_of_kernels(const std::vector<page>& pages, const std::string& file,
                            const command_line::text_shape& shape);

}  // namespace compiled

#endif
