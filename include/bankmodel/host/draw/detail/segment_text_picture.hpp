// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_DRAW_DETAIL_SEGMENT_TEXT_PICTURE_HPP
#define BANKMODEL_HOST_DRAW_DETAIL_SEGMENT_TEXT_PICTURE_HPP

#include <bankmodel/host/draw/detail/colours.hpp>
#include <bankmodel/host/draw/detail/segment_map.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// One request to global memory as text for a terminal.
namespace bankmodel::detail {

class segment_text_picture {
 public:
  segment_text_picture(const segment_map& map, const text_style& style)
      : map_(map),
        colour_(style.colour),
        width_(static_cast<std::size_t>(map.line_bytes / map.sector_bytes), 1) {
    for (std::size_t column = 0; column < width_.size(); ++column)
      width_[column] = head_of(column).size();
    for (const segment_line& line : map.lines) {
      label_width_ = std::max(label_width_, line.label.size());
      for (std::size_t column = 0; column < line.cells.size(); ++column)
        width_[column] = std::max(width_[column], words_of(line.cells[column]).size());
    }
  }

  std::string drawn() {
    add_line(map_.heading);
    for (const std::string& remark : map_.remarks) add_line(remark);
    add_line("");
    if (map_.lines.empty()) return result_;
    std::string head = line_of(std::string(label_width_, ' '), " |");
    for (std::size_t column = 0; column < width_.size(); ++column)
      head += line_of(" ", left_aligned(head_of(column), width_[column]));
    add_line(head);
    add_line(line_of(std::string(label_width_ + 1, '-'), "+",
                     std::string(head.size() - label_width_ - 2, '-')));
    for (const segment_line& line : map_.lines) {
      std::string words =
          line_of(std::string(label_width_ - line.label.size(), ' '), line.label, " |");
      for (std::size_t column = 0; column < line.cells.size(); ++column)
        words += line_of(" ", coloured(line.cells[column], width_[column]));
      add_line(words);
    }
    add_legend();
    return result_;
  }

 private:
  static std::string left_aligned(const std::string& words, std::size_t width) {
    return words + std::string(width - words.size(), ' ');
  }
  // The byte of the line at which the sector begins.
  std::string head_of(std::size_t column) const {
    return line_of("+", std::to_string(column * static_cast<std::size_t>(map_.sector_bytes)));
  }

  // ".", "0B", "28B[0-6]", "32B[0-7]x2"
  static std::string words_of(const segment_cell& cell) {
    if (cell.transactions == 0) return ".";
    return line_of(std::to_string(cell.used), "B",
                   cell.lanes == 0 ? "" : line_of("[", short_text_of_lanes(cell.lanes), "]"),
                   cell.transactions == 1 ? "" : line_of("x", std::to_string(cell.transactions)));
  }

  // The background is the colour of the lowest lane.
  std::string coloured(const segment_cell& cell, std::size_t width) const {
    const std::string words = words_of(cell);
    std::string text = left_aligned(words, width);
    if (!colour_ || cell.lanes == 0) return text;
    const int colour = strong.bank_colour(trailing_zeros(cell.lanes), map_.lanes);
    return line_of("\033[1;38;5;16;48;5;", std::to_string(terminal_colour(colour)), "m", words,
                   "\033[0m", text.substr(words.size()));
  }

  void add_legend() {
    bool touched = false, several = false, empty = false, unmoved = false, repeated = false;
    for (const segment_line& line : map_.lines)
      for (const segment_cell& cell : line.cells) {
        touched |= cell.lanes != 0;
        several |= short_text_of_lanes(cell.lanes).find('+') != std::string::npos;
        empty |= cell.transactions > 0 && cell.lanes == 0;
        unmoved |= cell.transactions == 0;
        repeated |= cell.transactions > 1;
      }
    add_line("");
    if (touched) add_line("4B[0]  4 bytes of the sector are used, by lane 0");
    if (several) add_line("[0+3]  lane 0 and 3 more");
    if (empty) add_line("0B     moved, and not used");
    if (unmoved) add_line(".      not moved");
    if (repeated) add_line("x2     moved by 2 transactions");
  }

  void add_line(const std::string& line) {
    const std::size_t end = line.find_last_not_of(' ');
    result_ += line_of(end == std::string::npos ? "" : line.substr(0, end + 1), "\n");
  }

  const segment_map& map_;
  bool colour_;
  std::size_t label_width_ = 0;
  std::vector<std::size_t> width_;  // of each column
  std::string result_;
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
