// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_HTML_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_HTML_HPP

#include <string>
#include <string_view>

// Parts of a page in HTML.
namespace command_line {

// Any bytes as text or as the value of an attribute. Control characters and what is not UTF-8
// become U+FFFD.
std::string escaped(std::string_view text);

// A picture of draw_svg() to be put into a page, in which others are too: `name` becomes its
// identifier, its other identifiers begin with it, and its styles are for it alone.
std::string in_page(const std::string& svg, const std::string& name);

}  // namespace command_line

#endif
