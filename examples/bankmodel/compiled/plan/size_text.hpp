// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "../code/array_source.hpp"

namespace compiled {

// Returns a sum of products as C has it, each argument as `text_of(name)`, which is an operand of a
// product: "32 + 2 * Bc * d"; "0" of an empty sum.
std::string text_of_size(const size_form& size,
                         const std::function<std::string(const std::string& name)>& text_of);

}  // namespace compiled
