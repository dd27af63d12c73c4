// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_DRAW_DETAIL_SVG_PAGE_HPP
#define BANKMODEL_HOST_DRAW_DETAIL_SVG_PAGE_HPP

#include <bankmodel/host/draw/detail/svg_style_sheet.hpp>

#include <string>

// The parts that all SVG pictures share: the page, its title and description, and text.
namespace bankmodel::detail {

// Lengths are in pixels of the picture's own size.
class svg_page {
 protected:
  static constexpr int margin = 16, label_size = 15, widest = 820;

  static std::string number(int value) { return std::to_string(value); }

  // Sets the font sizes. Requires: the width is set.
  void set_sizes() {
    words_size_ = width_ < 640 ? 14 : 20;
    small_size_ = width_ < 640 ? 13 : 17;
  }

  // The whole file.
  std::string page(const std::string& title, const std::string& description, int colours,
                   bool thin_frames) const {
    const std::string wide = number(width_), high = number(y_);
    return line_of(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", wide, "\" height=\"", high,
        "\" viewBox=\"0 0 ", wide, " ", high,
        "\" role=\"img\" aria-labelledby=\"t d\">\n<title id=\"t\">", escaped_for_xml(title),
        "</title>\n<desc id=\"d\">", escaped_for_xml(description), ".</desc>\n<style>\n",
        sheet_.text(colours, thin_frames),
        "</style>\n<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" "
        "patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><path class=\"hatch\" d=\"M3 0v6\"/></pattern></defs>\n"
        "<rect class=\"page\" x=\"1\" y=\"1\" width=\"",
        number(width_ - 2), "\" height=\"", number(y_ - 2), "\" rx=\"10\"/>\n", body_, "</svg>\n");
  }

  void add_text(int x, int y, int size, const char* classes, const std::string& words) {
    body_ += line_of("<text class=\"", classes, "\" x=\"", number(x), "\" y=\"", number(y),
                     "\" font-size=\"", number(size), "\">", escaped_for_xml(words), "</text>\n");
  }

  // Writes a sentence on as many lines as needed. It leaves room for wide fonts: a character is
  // `letter` hundredths of the size wide.
  void add_heading(const std::string& words, int size) { add_words(words, "h", size, 64); }
  void add_words(const std::string& words, const char* classes, int size, int letter = 55) {
    if (words.empty()) return;
    for (const std::string& line : broken_into_lines(
             words, static_cast<std::size_t>((width_ - 2 * margin) * 100 / (size * letter)))) {
      y_ += size;
      add_text(margin, y_, size, classes, line);
      y_ += size * 35 / 100;
    }
  }

  // The largest font size, at most `hundredths` of a cell, at which `digits` digits fit; 0
  // if none is readable.
  static int size_of_digits(std::size_t digits, int hundredths, int cell) {
    int size = cell * hundredths / 100;
    const int fitting = (cell - 4) * 10 / (6 * static_cast<int>(digits));
    if (size > fitting) size = fitting;
    if (size > 18) size = 18;
    return size < 6 ? 0 : size;
  }

  int width_ = 0, words_size_ = 0, small_size_ = 0;
  int y_ = 0;  // the current position
  std::string body_;
  svg_style_sheet sheet_;
};

}  // namespace bankmodel::detail

#endif
