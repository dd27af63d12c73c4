// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_DRAW_DETAIL_TEXT_PICTURE_HPP
#define BANKMODEL_HOST_DRAW_DETAIL_TEXT_PICTURE_HPP

#include <bankmodel/host/draw/detail/bank_map.hpp>
#include <bankmodel/host/draw/detail/colours.hpp>
#include <bankmodel/host/text/style.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// The bank map as text for a terminal.
namespace bankmodel::detail {

class text_picture {
 public:
  text_picture(const bank_map& map, const text_style& style)
      : map_(map), colour_(style.colour), mark_width_(map.columns.size()) {
    if (!map.columns.empty()) bank_width_ = map.columns.back().label.size();
    for (const map_plane& plane : map.planes)
      for (const map_row& row : plane.rows) {
        label_width_ = std::max(label_width_, row.label.size());
        for (std::size_t column = 0; column < row.cells.size(); ++column) {
          bank_width_ = std::max(bank_width_, bank_text(row.cells[column]).size());
          mark_width_[column] = std::max(mark_width_[column], mark_text(row.cells[column]).size());
        }
      }
  }

  std::string drawn() {
    add_line(map_.heading);
    for (const std::string& remark : map_.remarks) add_line(remark);
    for (const map_plane& plane : map_.planes) {
      add_line("");
      if (!plane.label.empty()) add_line(plane.label);
      std::string head = line_of(std::string(label_width_, ' '), " |");
      for (std::size_t column = 0; column < map_.columns.size(); ++column)
        head += line_of(" ", right_aligned(map_.columns[column].label, bank_width_),
                        std::string(mark_width_[column], ' '));
      add_line(head);
      add_line(line_of(std::string(label_width_ + 1, '-'), "+",
                       std::string(head.size() - label_width_ - 2, '-')));
      for (const map_row& row : plane.rows) {
        std::string line = line_of(right_aligned(row.label, label_width_), " |");
        for (std::size_t column = 0; column < row.cells.size(); ++column)
          line += line_of(" ", drawn(row.cells[column], mark_width_[column]));
        add_line(line);
      }
    }
    add_legend();
    return result_;
  }

 private:
  static std::string right_aligned(const std::string& words, std::size_t width) {
    return std::string(width - words.size(), ' ') + words;
  }

  std::string bank_text(const map_cell& cell) const {
    return !cell.exists ? "" : cell.unused ? "-" : std::to_string(map_.bank(cell));
  }

  // "[3]", "[0-31]", "[0+15]", followed by '!' or '!!' for a conflict.
  std::string mark_text(const map_cell& cell) const {
    return cell.lanes == 0 ? ""
                           : line_of("[", short_text_of_lanes(cell.lanes), "]",
                                     map_.is_worst(cell)    ? "!!"
                                     : map_.conflicts(cell) ? "!"
                                                            : "");
  }

  // The background is the bank's colour: pale, or strong and bold in a marked cell. A
  // conflict's sign is white on red.
  std::string drawn(const map_cell& cell, std::size_t mark_width) const {
    const std::string bank = right_aligned(bank_text(cell), bank_width_), mark = mark_text(cell),
                      rest(mark_width - mark.size(), ' ');
    if (!colour_ || !cell.exists || (cell.unused && cell.lanes == 0))
      return line_of(bank, mark, rest);
    const std::size_t sign = mark.find('!') < mark.size() ? mark.find('!') : mark.size();
    const wheel& colours = cell.lanes == 0 ? pale : strong;
    const std::string background =
        std::to_string(terminal_colour(colours.bank_colour(map_.bank(cell), map_.banks.bank_num)));
    std::string result = line_of(cell.lanes == 0 ? "\033[38;5;16;48;5;" : "\033[1;38;5;16;48;5;",
                                 background, "m", bank, mark.substr(0, sign));
    if (sign < mark.size()) result += line_of("\033[38;5;231;48;5;160m", mark.substr(sign));
    if (sign < mark.size()) result += line_of("\033[48;5;", background, "m");
    return line_of(result, rest, "\033[0m");
  }

  // The legend of the signs in the picture.
  void add_legend() {
    const map_kinds has = kinds_of(map_);
    add_line("");
    add_line("0      the element's bank");
    if (has.unused) add_line("-      unused element");
    if (has.free || has.conflict || has.worst) add_line("[0]    the lane that touches it");
    if (has.several) add_line("[0+3]  lane 0 and 3 more");
    if (has.conflict) add_line("!      conflict: the bank is touched in more than one layer");
    if (has.worst) add_line("!!     the worst conflict");
  }

  void add_line(const std::string& line) {
    const std::size_t end = line.find_last_not_of(' ');
    result_ += line_of(end == std::string::npos ? "" : line.substr(0, end + 1), "\n");
  }

  const bank_map& map_;
  bool colour_;
  std::size_t bank_width_ = 1, label_width_ = 0;
  std::vector<std::size_t> mark_width_;  // of each column
  std::string result_;
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
