// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "../../answer.hpp"
#include "page.hpp"

// The kernels of a file, a row for each, before the tables of each.
namespace compiled {

inline constexpr char rest_of_kernels[] =
    "Kernels that take no more than the ideal have no table below; --kernel NAME prints it.\n";

// True if an access takes more than its ideal, or may, or is counted in part.
bool has_something_to_gain(const page& kernel_page);

// True if all requests are counted, or are in the bounds of what data decide, in both memories.
bool is_within_bounds(const priced& costs);

// ", transposed = true": which of a kernel's rows it is, where both arms of a branch have one.
std::string text_of_arms(const std::vector<assumed_fact>& assumed);

// A row for each page. `file`: its name is in the rows; empty if there is no other file.
std::vector<command_line::kernel_row> rows_of_kernels(const std::vector<page>& pages,
                                                      const std::string& file);

// Those with the most conflicts first, then those with the most transactions beyond the ideal.
// `heading`: what the kernels are of.
std::string text_of_kernels(std::vector<command_line::kernel_row> rows, const std::string& heading,
                            const command_line::text_shape& shape);

}  // namespace compiled
