// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_TEXT_STYLE_HPP
#define BANKMODEL_HOST_TEXT_STYLE_HPP

// The options of draw.hpp.
namespace bankmodel {

// Selects which part of the array is drawn, at most so many planes, rows and columns. The picture
// states what was omitted; a range outside the array draws nothing. Rows and columns include unused
// elements: float tile[32][33] has 33 columns.
//
// `automatic` draws those that the lanes of the request touch: all if the array has no more; else
// the first ones if they contain all lanes; else the first window that contains all lanes; else,
// for lanes that are farther apart, only the rows or columns that they touch. Of columns it draws
// 40, whose cells are large enough for numbers, and 64 if lanes touch more.
// Example: float tile[512][512], and lanes at tile[16 * tx][300]. The columns 296 to 335 are drawn:
//
//   constexpr auto tile = shared_array<float>("tile", 512, 512);
//   const auto why = explain(nvidia::sm_90, block_dim{32}, load(tile[16 * tx][300 + 0 * tx]));
//   assert(draw_text(nvidia::sm_90, why.array, why.worst)
//              .find("columns 0-295 and 336-511 of 512 are not drawn") != std::string::npos);
struct picture_part {
  static constexpr unsigned automatic = ~0u;
  static constexpr unsigned few_columns = 40, many_columns = 64;
  unsigned first_plane = automatic, planes = 4;  // for three and four dimensions, in storage order
  unsigned first_row = automatic, rows = 64;     // in each plane
  unsigned first_column = automatic, columns = automatic;
  // One dimension only: the elements in each row of the picture. 0 stands for one layer of all
  // banks, halved until it is at most `columns`, or 64.
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
  bool bank_numbers = true;  // write the bank in each cell, if there is room
  // Write it in the cells too that no lane touches, which is half of the file.
  bool untouched_bank_numbers = true;
};

}  // namespace bankmodel

#endif
