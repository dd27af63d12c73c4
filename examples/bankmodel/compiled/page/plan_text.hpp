// SPDX-License-Identifier: MIT
#pragma once

#include "page.hpp"

namespace compiled {

// The array that the plan is of.
const code_array& array_of(const page& kernel_page, const array_plan& plan);

// What the plan is, and why --fix does not write it.
std::string text_of(const array_plan& plan);

// Why --fix does not write the plan; empty if it does: of an array that has another one that is a
// declaration, it writes that one.
std::string reason_not_written(const page& kernel_page, const array_plan& plan);

// The changes of the source that a plan takes: of the declaration, the subscripts and the launches.
std::vector<text_edit> edits_of(const array_plan& plan);

// Line `number` of the file with the edits that are in it; empty if it cannot be read, or if one of
// them is of several lines. `edits`: in ascending order. `marks`, if it is not null: a mark below
// each replacement, as compilers write them.
std::string line_with_edits(const std::vector<text_edit>& edits, int number, source_lines& lines,
                            std::string* marks = nullptr);

// For each plan a paragraph, and below it the changed line of the declaration as compilers write
// it, or each subscript with its replacement.
std::string text_of_plans(const page& kernel_page, source_lines& lines,
                          const command_line::text_shape& shape = {});

// The elements of a list in JSON, without its brackets.
std::string json_of_plans(const page& kernel_page);

}  // namespace compiled
