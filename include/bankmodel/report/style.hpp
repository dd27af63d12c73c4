// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REPORT_STYLE_HPP
#define BANKMODEL_REPORT_STYLE_HPP

// How draw.hpp draws.
namespace bankmodel {

// Which part of an array a picture shows. What it leaves out it says in words; a part beyond the
// array is empty. Rows and columns count unused elements too: float tile[32][33] has 33 columns.
struct picture_part {
  unsigned first_plane = 0, planes = 4;  // of three and four dimensions, in the order of storage
  unsigned first_row = 0, rows = 64;     // of each plane
  unsigned first_column = 0, columns = 64;
  // One dimension: elements in a row of the picture. 0 is one layer of all banks, halved until
  // `columns` hold it.
  unsigned row_length = 0;
};

// How draw_text() draws.
struct text_style {
  picture_part part = {};
  bool colour = false;  // with the escape sequences of a terminal of 256 colours
};

// How draw_svg() draws.
struct svg_style {
  picture_part part = {};
  bool bank_numbers = true;  // in the cells that no lane touches
};

}  // namespace bankmodel

#endif
