// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_DRAW_DETAIL_COLOURS_HPP
#define BANKMODEL_HOST_DRAW_DETAIL_COLOURS_HPP

// The colour wheels of the banks. Neighbouring banks have neighbouring colours.
namespace bankmodel::detail {

// Sixteen hues of equal lightness and nearly equal chroma (OKLCH, starting at hue 255 in steps
// of 22.5), as 0xrrggbb.
struct wheel {
  int colour[16];

  // Interpolates between two of the sixteen, in integers, so that every compiler gives the same
  // colours.
  constexpr int bank_colour(int bank, int bank_num) const {
    const int sixteenths = bank * 16, low = sixteenths / bank_num, part = sixteenths % bank_num;
    int result = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
      const int start = colour[low] >> shift & 0xff, end = colour[(low + 1) % 16] >> shift & 0xff;
      result |= (start * (bank_num - part) + end * part + bank_num / 2) / bank_num << shift;
    }
    return result;
  }
};

// Lightness 91 %, chroma 0.055: the background of dark text on a light page.
inline constexpr wheel pale = {{0xcee3ff, 0xdadffe, 0xe6daff, 0xf4d6f7, 0xfdd3ea, 0xfed5db,
                                0xffd7cf, 0xffd8c1, 0xf7ddb9, 0xebe2b9, 0xdce7bf, 0xcdebca,
                                0xc0eed8, 0xb8eee8, 0xb8ecf6, 0xc0e8ff}};
// Lightness 36 %, chroma 0.06: the background of light text on a dark page.
inline constexpr wheel dim = {{0x273e5c, 0x353a5c, 0x423658, 0x4c3250, 0x533044, 0x582f37, 0x59302a,
                               0x56341e, 0x4f3815, 0x463d14, 0x39421b, 0x2a4527, 0x184735, 0x064743,
                               0x05454e, 0x164257}};
// Lightness 76 %, chroma 0.145: the background of dark text on both pages.
inline constexpr wheel strong = {{0x7ab4fe, 0x9ea9fe, 0xbf9bfe, 0xdc90e7, 0xf189c6, 0xfd87a0,
                                  0xff8b7a, 0xf89452, 0xe6a231, 0xcab12b, 0xa6be49, 0x77c871,
                                  0x37ce9a, 0x04cbc0, 0x04c7df, 0x2ec0fd}};

// The nearest of a terminal's 256 colours to a wheel's colour, from its 6 x 6 x 6 cube with the
// levels 0, 95, 135, .. 255.
constexpr int terminal_colour(int colour) {
  int result = 16;
  for (int shift = 16, weight = 36; shift >= 0; shift -= 8, weight /= 6) {
    const int part = colour >> shift & 0xff;
    result += weight * (part < 48 ? 0 : part < 115 ? 1 : (part - 35) / 40);
  }
  return result;
}

}  // namespace bankmodel::detail

#endif
