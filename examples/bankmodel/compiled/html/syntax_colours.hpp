// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace compiled {

// The lines of a source in C++, CUDA, PTX or the kernel notation as HTML: comments, literals, words
// of the language and lines of the preprocessor are in spans with the classes c, v, w and p. What
// is between the tags is the text, escaped.
//
// Example: {"int n; // rows"} returns {"<span class=\"w\">int</span> n; <span class=\"c\">// rows
// </span>"}.
std::vector<std::string> with_syntax_colours(const std::vector<std::string>& lines);

}  // namespace compiled
