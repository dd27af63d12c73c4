// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_DRAW_PICTURE_HPP
#define BANKMODEL_HOST_DRAW_PICTURE_HPP

#include <bankmodel/explain/worst_request.hpp>
#include <bankmodel/host/draw/detail/segment_svg.hpp>
#include <bankmodel/host/draw/detail/segment_text_picture.hpp>
#include <bankmodel/host/draw/detail/svg.hpp>
#include <bankmodel/host/draw/detail/text_picture.hpp>

#include <string>

// Pictures of an array in its banks, and of a request to global memory (host only): as text for a
// terminal, and as SVG.
//
// One cell is drawn for each element of storage, unused ones included, with its bank. The lanes
// of one request are marked, conflicting lanes more prominently. A lane conflicts if its phase
// touches its bank in more than one layer. The worst conflicts are in the banks that have the
// request's degree.
//
// Example: float tile[8][8] on a machine of 8 banks, and the request of 8 lanes that read column 0.
// In the row of tile[1], lane 1 touches bank 0, and `!!` marks the worst conflict:
//
//   machine m;
//   m.lanes = 8;
//   m.loads.up_to_4 = m.stores.up_to_4 = {.bank_num = 8, .W = 4, .N = 4};
//   constexpr auto tile = shared_array<float>("tile", 8, 8);
//   const auto why = explain(m, block_dim{8}, load(tile[tx][0 * tx]));
//   assert(draw_text(m, why.array, why.worst).find("1 | 0[1]!!") != std::string::npos);
//
// draw_svg() writes the same map as a file; examples/pictures.cpp writes those of the README.
//
// A request to an array in global memory is drawn in the lines that it touches: a row for each
// line, a cell for each sector, with its lanes and the bytes that they use:
//
//   constexpr auto a = global_array<float>("a", 1024);
//   const auto seen = explain_traffic(nvidia::sm_90, block_dim{32}, load(a[tx + 1]));
//   const std::string picture = draw_text(nvidia::sm_90, seen.array, seen.worst);
//   assert(picture.find(" a[0] | 28B[0-6] 32B[7-14] 32B[15-22] 32B[23-30]") != std::string::npos);
//   assert(picture.find("a[32] | 4B[31]   .         .          .") != std::string::npos);
//
// Not shown: time, and more than one request. draw_text() and draw_svg() use the
// model's own numbers, so a picture never differs from total().
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void a_picture_of_global_memory_must_be_given_a_request() {
  detail::fail(__func__,
               "the array is in global memory; give draw_text() or draw_svg() one request to it, "
               "such as explain_traffic(..).worst");
}
}  // namespace rule

namespace detail {
inline void require_shared(const array_description& array) {
  if (array.memory == memory_space::global)
    rule::a_picture_of_global_memory_must_be_given_a_request();
}
}  // namespace detail

// Returns the bank map as text for a terminal; each line ends in a newline. Without colour it
// is plain ASCII.
//
//   row      the row of the array, or in one dimension the storage index of its first element. The
//            elements of a permuted array are drawn at their subscripts, not in storage order
//   cell     the bank; "-" for an unused element; "0[3]" if lane 3 touches it, "0[0-7]" and
//            "0[0+2]" for several lanes; "!" after it for a conflict, "!!" for the worst one
//
// `marked` is the request to mark; its addresses count from the start of shared memory, as
// array.base_bytes does. Its width and kind select the banks.
//
// For an array in global memory it returns the lines and sectors of the request; rows of
// `style.part` are lines that are touched:
//
//   row      a line, with the element at its first byte; the byte itself if the array has no name
//   cell     a sector: "28B[0-6]" if lanes 0 to 6 use 28 bytes of it, "0B" if it is moved for
//            nothing, "." if it is not moved; "x2" after it if two transactions move it
//
// Error: the errors of total(m, marked), in global memory of traffic(m, marked); an array that
// shared_array() would not make.
inline std::string draw_text(const machine& m, const array_description& array,
                             const request& marked, const text_style& style = {}) {
  if (array.memory == memory_space::global)
    return detail::segment_text_picture(detail::segment_map_of(m, array, marked, style.part), style)
        .drawn();
  return detail::text_picture(detail::map_of(m, array, marked, style.part), style).drawn();
}

// Returns the picture of a class's worst request, the one that explain() finds.
// Error: also those of total(m, request_class); the array is in global memory.
inline std::string draw_text(const machine& m, const array_description& array,
                             const request_class& marked, const text_style& style = {}) {
  detail::require_shared(array);
  return draw_text(m, array, detail::worst_of_class(m, marked).worst(marked), style);
}

// Returns the same without marks, in the banks for loads of one element per lane.
// Error: also that the array is in global memory.
inline std::string draw_text(const machine& m, const array_description& array,
                             const text_style& style = {}) {
  detail::require_shared(array);
  return draw_text(m, array, detail::no_lanes(array), style);
}

// Returns the bank map as an SVG file, at most about 820 pixels wide for 64 columns or fewer. Cells
// are coloured by bank and contain its number, a marked cell also its lanes in bold, and a bar
// chart below shows the layers touched in each bank. It has colours for light and for dark pages,
// conflicts are visible without colour, and its title and description state the contents in words.
// The same call returns the same bytes on every machine. A request to global memory is drawn to
// scale: the bytes of each lane in its colour, a frame around each transaction, unused bytes
// hatched.
// Error: as for draw_text().
inline std::string draw_svg(const machine& m, const array_description& array, const request& marked,
                            const svg_style& style = {}) {
  if (array.memory == memory_space::global)
    return detail::segment_svg_picture(detail::segment_map_of(m, array, marked, style.part))
        .drawn();
  return detail::svg_picture(detail::map_of(m, array, marked, style.part), style).drawn();
}

// Returns the SVG of a class's worst request, the one that explain() finds.
// Error: also those of total(m, request_class).
inline std::string draw_svg(const machine& m, const array_description& array,
                            const request_class& marked, const svg_style& style = {}) {
  detail::require_shared(array);
  return draw_svg(m, array, detail::worst_of_class(m, marked).worst(marked), style);
}

// Returns the SVG without marks, in the banks for loads of one element per lane.
inline std::string draw_svg(const machine& m, const array_description& array,
                            const svg_style& style = {}) {
  detail::require_shared(array);
  return draw_svg(m, array, detail::no_lanes(array), style);
}

}  // namespace bankmodel

#endif
