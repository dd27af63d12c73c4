// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_DRAW_DETAIL_SVG_STYLE_SHEET_HPP
#define BANKMODEL_HOST_DRAW_DETAIL_SVG_STYLE_SHEET_HPP

#include <bankmodel/host/draw/detail/colours.hpp>
#include <bankmodel/host/draw/detail/svg_markup.hpp>

#include <string>

// The style sheet of a picture: a class for each bank that occurs in it, and the fonts, frames and
// page colours.
namespace bankmodel::detail {

struct svg_style_sheet {
  // The banks that have a cell without lanes (class u and the bank's number), and with lanes
  // (class m).
  bool used[256] = {}, marked[256] = {};

  // Text and page colours change with the page; marked cells have the same colours on both.
  std::string text(int bank_num, bool thin_frames) const {
    std::string light, dark, common;
    for (int bank = 0; bank < bank_num; ++bank) {
      const auto rule = [&](const char* name, const wheel& colours) {
        return line_of(".", name, std::to_string(bank),
                       "{color:", hexadecimal(colours.bank_colour(bank, bank_num)), "}");
      };
      if (used[bank]) light += rule("u", pale), dark += rule("u", dim);
      if (marked[bank]) common += rule("m", strong);
    }
    return line_of(
        "text{font-family:system-ui,-apple-system,\"Segoe "
        "UI\",Helvetica,Arial,sans-serif;fill:#1f2328}\n"
        ".n{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,\"Liberation Mono\",\"DejaVu "
        "Sans Mono\",monospace;text-anchor:middle}\n"
        ".h,.b{font-weight:700}.s,.l,.g{fill:#59636e}.e{text-anchor:end}\n"
        "path{fill:currentColor}.cells path{fill:none;stroke:currentColor}\n"
        ".page{fill:#fff;stroke:#d1d9e0}.hole{fill:url(#hatch);stroke:#b7bfc8}.hatch{stroke:#"
        "b7bfc8}.bar{fill:#1f2328}\n"
        ".free,.hit,.worst{fill:none;stroke:#1f2328;stroke-width:1.5}.hit,.worst{stroke:#cf222e;"
        "stroke-width:",
        thin_frames ? "2" : "3",
        "}.hit{stroke-dasharray:5 3}.over{fill:#cf222e}\n"
        "text.on{fill:#0d1117}\n",
        light, "\n", common,
        "\n@media (prefers-color-scheme:dark){\n"
        "text{fill:#f0f6fc}.s,.l{fill:#9198a1}.g{fill:#a9b1bb}\n"
        ".page{fill:#0d1117;stroke:#3d444d}.hole{stroke:#4a525c}.hatch{stroke:#4a525c}.bar{fill:#"
        "f0f6fc}\n"
        ".free{stroke:#f0f6fc}.hit,.worst{stroke:#ff5c57}.over{fill:#ff5c57}\n",
        dark, "\n}\n");
  }
};

}  // namespace bankmodel::detail

#endif
