// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REPORT_STYLE_HPP
#define BANKMODEL_REPORT_STYLE_HPP

// The options of draw.hpp.
namespace bankmodel {

// Selects which part of the array is drawn. The picture states what was omitted; a range
// outside the array draws nothing. Rows and columns include unused elements: float tile[32][33]
// has 33 columns.
struct picture_part {
  unsigned first_plane = 0, planes = 4;  // for three and four dimensions, in storage order
  unsigned first_row = 0, rows = 64;     // in each plane
  unsigned first_column = 0, columns = 64;
  // One dimension only: the elements in each row of the picture. 0 stands for one layer of all
  // banks, halved until it is at most `columns`.
  unsigned row_length = 0;
};

// The options of draw_text().
struct text_style {
  picture_part part = {};
  bool colour = false;  // use the escape sequences of a terminal with 256 colours
};

// The options of draw_svg().
struct svg_style {
  picture_part part = {};
  bool bank_numbers = true;  // write them in cells that no lane touches
};

}  // namespace bankmodel

#endif
