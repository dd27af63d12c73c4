// SPDX-License-Identifier: MIT
#pragma once

#include "../code/code.hpp"
#include "../page/array_plan.hpp"

namespace compiled {

// Returns the text of an expression, in parentheses if operators around could part it.
std::string as_operand(const std::string& text);

// True if an array with other extents has this layout: tile[32][33].
bool is_declaration(const bankmodel::layout& array_layout);

// True for rows of one dimension with elements between them, element c at c + c / 64: an array of
// any extent has this layout.
bool is_for_any_extent(const array_plan& plan);

// Sets what a plan's layouts change in the source of its array: see array_plan.
void set_edits(const code_array& array, array_plan& plan);

// Returns all edits of the source that make the plan, `text` being the file that declares the
// array: those of a new declaration of other extents, "6144" for "128][24", too.
std::vector<text_edit> source_edits(const code_array& array, const array_plan& plan,
                                    const std::string& text);

// Returns the text with these edits.
// Requires: the pieces are of this text and do not overlap.
std::string edited(std::string text, const std::vector<text_edit>& edits);

}  // namespace compiled
