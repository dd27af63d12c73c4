// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_DRAW_DETAIL_SEGMENT_SVG_HPP
#define BANKMODEL_HOST_DRAW_DETAIL_SEGMENT_SVG_HPP

#include <bankmodel/host/draw/detail/segment_map.hpp>
#include <bankmodel/host/draw/detail/svg_page.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// One request to global memory as SVG: each line to scale, the bytes of each lane in its colour.
namespace bankmodel::detail {

class segment_svg_picture : svg_page {
 public:
  explicit segment_svg_picture(const segment_map& map) : map_(map) {
    std::size_t longest_label = 1;
    for (const segment_line& line : map.lines)
      longest_label = std::max(longest_label, line.label.size());
    left_ = margin + static_cast<int>(longest_label) * label_size * 6 / 10 + 8;
    scale_ = std::max(1, (widest - margin - left_) / map.line_bytes);
    width_ = std::max(left_ + map.line_bytes * scale_ + margin, 640);
    set_sizes();
  }

  std::string drawn() {
    y_ = margin;
    add_heading(map_.heading, words_size_ + 4);
    add_words(map_.remarks[0], "t", words_size_);
    y_ += 8 + label_size;
    for (int byte = 0; byte < map_.line_bytes; byte += map_.sector_bytes)
      add_text(left_ + byte * scale_ + map_.sector_bytes * scale_ / 2, y_, label_size, "n l",
               line_of("+", number(byte)));
    y_ += 6;
    for (const segment_line& line : map_.lines) add_line(line);
    add_legend();
    std::string rest;
    for (std::size_t remark = 1; remark < map_.remarks.size(); ++remark)
      rest += line_of(remark == 1 ? "" : "; ", map_.remarks[remark]);
    y_ += 4;
    add_words(rest, "s", small_size_);
    y_ += margin;
    return page(line_of("Transactions of ", map_.heading), line_of(map_.remarks[0], "; ", rest),
                map_.lanes, true);
  }

 private:
  static constexpr int height = 28, sample = 24;

  // From the bottom: sectors, unused bytes of transactions, lanes, frames of transactions.
  void add_line(const segment_line& line) {
    add_text(left_ - 8, y_ + height / 2 + label_size * 35 / 100, label_size, "n l e", line.label);
    std::string unmoved, moved;
    for (const segment_cell& cell : line.cells)
      (cell.transactions == 0 ? unmoved : moved) += box(line, cell.byte, map_.sector_bytes, 0);
    add_path("page", unmoved);
    add_path("hole", moved);
    std::string words;
    for (int lane = 0; lane < map_.lanes; ++lane) {
      const std::uint64_t alike = lanes_at(map_.marked.address[lane]);
      if ((map_.marked.active >> lane & 1) == 0 || (alike & ((std::uint64_t{1} << lane) - 1)) != 0)
        continue;
      add_lane(line, lane, short_text_of_lanes(alike), words);
    }
    body_ += words;
    std::string full, part;
    for (int index = 0; index < map_.segments.count; ++index) {
      const segment& transaction = map_.segments.each[index];
      if (transaction.begin < line.byte + map_.line_bytes &&
          transaction.begin + transaction.bytes > line.byte)
        (transaction.used == transaction.bytes ? full : part) +=
            box(line, transaction.begin, transaction.bytes, 1);
    }
    add_path("free", full);
    add_path("hit", part);
    any_whole_ |= !full.empty();
    any_part_ |= !part.empty();
    y_ += height + 4;
  }
  // The active lanes with an access at this address.
  std::uint64_t lanes_at(long long address) const {
    std::uint64_t result = 0;
    for (int lane = 0; lane < map_.lanes; ++lane)
      if ((map_.marked.active >> lane & 1) != 0 && map_.marked.address[lane] == address)
        result |= std::uint64_t{1} << lane;
    return result;
  }
  void add_lane(const segment_line& line, int lane, const std::string& lanes, std::string& words) {
    const long long begin = std::max(map_.marked.address[lane], line.byte),
                    end = std::min(map_.marked.address[lane] + map_.marked.bytes,
                                   line.byte + map_.line_bytes);
    if (begin >= end) return;
    const int x = x_of(line, begin), wide = static_cast<int>(end - begin) * scale_ - 1;
    sheet_.marked[lane] = true;
    body_ += line_of("<path class=\"m", number(lane), "\" d=\"",
                     rectangle(x, y_ + 3, wide, height - 7), "\"/>\n");
    const int size = size_of_digits(lanes.size(), 62, std::min(wide, height) + 4);
    if (size != 0)
      words += line_of("<text class=\"n b on\" x=\"", number(x + wide / 2), "\" y=\"",
                       number(y_ + (height - 1) / 2 + size * 36 / 100), "\" font-size=\"",
                       number(size), "\">", lanes, "</text>\n");
    else
      unwritten_ = true;
  }
  int x_of(const segment_line& line, long long byte) const {
    return left_ + static_cast<int>(byte - line.byte) * scale_;
  }
  // A rectangle around the bytes of this line.
  std::string box(const segment_line& line, long long byte, int bytes, int inside) const {
    const long long begin = std::max(byte, line.byte),
                    end = std::min(byte + bytes, line.byte + map_.line_bytes);
    return rectangle(x_of(line, begin) + inside, y_ + inside,
                     static_cast<int>(end - begin) * scale_ - 1 - 2 * inside,
                     height - 1 - 2 * inside);
  }
  void add_path(const char* name, const std::string& path) {
    if (!path.empty()) body_ += line_of("<path class=\"", name, "\" d=\"", path, "\"/>\n");
  }

  void add_legend() {
    int x = margin;
    y_ += 8;
    const auto add = [&](const char* name, const char* meaning) {
      add_path(name, square(x + 1, y_ + 1, sample - 3));
      add_text(x + sample + 6, y_ + sample / 2 + small_size_ * 35 / 100, small_size_, "s", meaning);
      x += sample + 24 + static_cast<int>(std::string(meaning).size()) * small_size_ * 55 / 100;
    };
    if (any_whole_) add("free", "transaction");
    if (any_part_) add("hit", "transaction with unused bytes");
    if (any_part_) add("hole", "unused");
    if (any_whole_ || any_part_) y_ += sample + 4;
    if (unwritten_)
      add_words("colours without a number are lanes in ascending order", "s", small_size_);
  }

  const segment_map& map_;
  int left_ = 0, scale_ = 1;  // pixels before a line, and for each byte
  bool any_whole_ = false, any_part_ = false, unwritten_ = false;
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
