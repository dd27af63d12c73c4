// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

// Parts of a page in HTML.
namespace command_line {

// Any bytes as text or as the value of an attribute. Control characters and what is not UTF-8
// become U+FFFD.
std::string escaped(std::string_view text);

// The pictures of a page: they share their style sheets.
class page_pictures {
 public:
  // A picture of draw_svg() to be put into the page. `name` becomes its identifier, its other
  // identifiers begin with it, and it has a class instead of its styles.
  std::string add(const std::string& svg, const std::string& name);
  // The styles of all pictures so far, and what they refer to, for the page's head and its body.
  // Empty without a picture.
  std::string styles() const;
  static std::string hatch();

 private:
  // The declarations of each selector; in the second those of a dark page.
  using sheet = std::map<std::string, std::string>;
  struct group {
    sheet light, dark;
  };
  static group read(std::string_view styles);
  std::vector<group> groups_;  // whose selectors mean different things
};

}  // namespace command_line
