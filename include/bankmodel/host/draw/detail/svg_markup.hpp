// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_DRAW_DETAIL_SVG_MARKUP_HPP
#define BANKMODEL_HOST_DRAW_DETAIL_SVG_MARKUP_HPP

#include <bankmodel/host/text/phrases.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// The notation of SVG: text, colours and paths.
namespace bankmodel::detail {

inline std::string escaped_for_xml(const std::string& words) {
  std::string result;
  for (const char letter : words) {
    if (letter == '&')
      result += "&amp;";
    else if (letter == '<')
      result += "&lt;";
    else if (letter == '>')
      result += "&gt;";
    else if (letter == '"')
      result += "&quot;";
    else
      result += letter;
  }
  return result;
}

inline std::string hexadecimal(int colour) {
  std::string result = "#";
  for (int shift = 20; shift >= 0; shift -= 4) result += "0123456789abcdef"[colour >> shift & 15];
  return result;
}

// Breaks words into lines of at most `letters` characters.
inline std::vector<std::string> broken_into_lines(const std::string& words, std::size_t letters) {
  std::vector<std::string> lines(1);
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t space = words.find(' ', begin),
                      end = space == std::string::npos ? words.size() : space;
    const std::string word = words.substr(begin, end - begin);
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > letters)
      lines.emplace_back();
    lines.back() += line_of(lines.back().empty() ? "" : " ", word);
    begin = end + 1;
  }
  return lines;
}

// A rectangle in a path, from its upper left corner on; lengths are in pixels.
inline std::string rectangle(int x, int y, int width, int height) {
  return line_of("M", std::to_string(x), " ", std::to_string(y), "h", std::to_string(width), "v",
                 std::to_string(height), "h", std::to_string(-width), "z");
}
// Horizontal lines in a path, each from the end of the one before if that is shorter.
struct stroke_path {
  std::string text;
  int end_x = 0, end_y = 0;

  void add(int x, int y, int width) {
    const auto move = [](const char* letter, int to_x, int to_y) {
      return line_of(letter, std::to_string(to_x), " ", std::to_string(to_y));
    };
    const std::string absolute = move("M", x, y), relative = move("m", x - end_x, y - end_y);
    const bool is_absolute = text.empty() || absolute.size() <= relative.size();
    text += line_of(is_absolute ? absolute : relative, "h", std::to_string(width));
    end_x = x + width;
    end_y = y;
  }
};
inline std::string square(int x, int y, int side) { return rectangle(x, y, side, side); }

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
