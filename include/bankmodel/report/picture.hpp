// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REPORT_PICTURE_HPP
#define BANKMODEL_REPORT_PICTURE_HPP

#include <bankmodel/report/detail/svg.hpp>
#include <bankmodel/report/detail/text_picture.hpp>

#include <string>

// For people, on the host only: the bank map of an array as a picture. One cell for each element
// of storage, unused ones included, with the bank that it lies in; the lanes of one request
// marked, and those that conflict marked more.
//
// A lane conflicts where its phase touches a bank in more than one layer: only then do two of its
// lanes wait for each other. The worst are those of the banks that decide the request's degree.
namespace bankmodel {

// The map as text for a terminal, each line with its end; without colour it is plain ASCII.
//   row      the row of the array, or for one dimension the place in storage where it begins; the
//            elements of an array that is permuted stand at their subscripts, not in the order of
//            storage
//   cell     the bank; "-" for an unused element; "0[3]" where lane 3 touches it, "0[0-7]" and
//            "0[0+2]" for several lanes, "!" behind it for a conflict and "!!" for the worst
// Bytes of `marked` count from the start of shared memory, as array.base_bytes does. Its width and
// direction say which banks the machine has for it. Refused: what total(m, marked) refuses, and an
// array that shared_array() would not make.
//
//   const auto why = explain(m, block_dim{8}, load(tile[tx][0]));  // float tile[8][8] on a
//   machine of 8 banks
//   draw_text(m, why.array, why.worst) has in row 0 the cells 0[0]!! 1 2 3 4 5 6 7, in row 1
//   0[1]!! 1 2 3 4 5 6 7.
inline std::string draw_text(const machine& m, const array_description& array,
                             const request& marked, const text_style& style = {}) {
  return detail::text_picture(detail::map_of(m, array, marked, style.part), style).drawn();
}

// The same without marks, in the banks for loads of one element a lane.
inline std::string draw_text(const machine& m, const array_description& array,
                             const text_style& style = {}) {
  return draw_text(m, array, detail::no_lanes(array), style);
}

// The map as a file of SVG, some 820 pixels wide at most for 64 columns or fewer: colours by bank,
// in a marked cell its lanes, and below it the layers touched in each bank. It has colours for
// light pages and for dark ones, conflicts show without colour, and the title and description say
// in words what is drawn. The same call writes the same bytes everywhere. What it takes and
// refuses is as for draw_text().
inline std::string draw_svg(const machine& m, const array_description& array, const request& marked,
                            const svg_style& style = {}) {
  return detail::svg_picture(detail::map_of(m, array, marked, style.part), style).drawn();
}

// The same without marks, in the banks for loads of one element a lane.
inline std::string draw_svg(const machine& m, const array_description& array,
                            const svg_style& style = {}) {
  return draw_svg(m, array, detail::no_lanes(array), style);
}

}  // namespace bankmodel

#endif
