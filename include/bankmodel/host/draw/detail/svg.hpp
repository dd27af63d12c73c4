// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_DRAW_DETAIL_SVG_HPP
#define BANKMODEL_HOST_DRAW_DETAIL_SVG_HPP

#include <bankmodel/host/draw/detail/bank_map.hpp>
#include <bankmodel/host/draw/detail/svg_page.hpp>
#include <bankmodel/host/text/style.hpp>

#include <string>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// The bank map as SVG: a single file without scripts and without external fonts.
namespace bankmodel::detail {

// Lengths are in pixels of the picture's own size, which is up to 820 wide for 64 columns or
// fewer.
class svg_picture : svg_page {
 public:
  svg_picture(const bank_map& map, const svg_style& style)
      : map_(map),
        bank_numbers_(style.bank_numbers),
        untouched_numbers_(style.untouched_bank_numbers) {
    const int columns = static_cast<int>(map.columns.size());
    std::size_t longest_label = 1;
    int rows = 1;
    for (const map_plane& plane : map.planes)
      for (const map_row& row : plane.rows) {
        if (row.label.size() > longest_label) longest_label = row.label.size();
        ++rows;
      }
    left_ = margin + static_cast<int>(longest_label) * label_size * 6 / 10 + 8;
    int gaps = 0;
    for (const map_column& column : map.columns) gaps += column.is_after_gap ? gap : 0;
    cell_ = columns == 0 ? largest_cell : (widest - margin - left_ - gaps) / columns;
    if (cell_ > largest_cell) cell_ = largest_cell;
    if (cell_ * rows > highest) cell_ = highest / rows;
    if (cell_ < smallest_cell) cell_ = smallest_cell;
    int x = left_;
    for (const map_column& column : map.columns) {
      x += column.is_after_gap ? gap : 0;
      column_at_.push_back(x);
      x += cell_;
    }
    width_ = x + margin;
    if (cell_ < largest_cell && width_ < widest) width_ = widest;
    if (width_ < narrowest) width_ = narrowest;
    set_sizes();
  }

  std::string drawn() {
    y_ = margin;
    add_heading(map_.heading, words_size_ + 4);
    // The cost first, then the other remarks.
    const std::size_t first = map_.cost.requests == 0 ? 0 : 2;
    for (std::size_t remark = 0; remark < first; ++remark)
      add_words(map_.remarks[remark], "t", words_size_);
    for (const map_plane& plane : map_.planes) add_plane(plane);
    add_banks();
    add_legend();
    std::string rest;
    for (std::size_t remark = first; remark < map_.remarks.size(); ++remark)
      rest += line_of(rest.empty() ? "" : "; ", map_.remarks[remark]);
    y_ += 4;
    add_words(rest, "s", small_size_);
    y_ += margin;
    std::string description;
    for (const std::string& remark : map_.remarks)
      description += line_of(description.empty() ? "" : "; ", remark);
    return page(line_of("Bank map of ", map_.heading), description, map_.banks.bank_num,
                cell_ < 18);
  }

 private:
  static constexpr int smallest_cell = 12, largest_cell = 44, narrowest = 504, highest = 1400;
  static constexpr int gap = 6;                            // where rows or columns are omitted
  static constexpr int sample = 24, longest_meaning = 28;  // of the legend: pixels, characters

  // Labels of rows or columns that do not touch each other.
  class labels {
   public:
    labels(int cell, std::size_t count) : interval_(count > 16 ? 8 : cell < 18 ? 4 : 1) {}
    // Every label if there are few and they fit; else every fourth or eighth, and those after a
    // gap. Labels are `size` pixels long. Requires: calls in ascending order.
    bool has(std::size_t index, bool is_after_gap, int place, int size) {
      if ((index % interval_ != 0 && !is_after_gap) || place < free_) return false;
      free_ = place + size;
      return true;
    }

   private:
    std::size_t interval_;
    int free_ = 0;  // the first place after the labels so far
  };

  void add_plane(const map_plane& plane) {
    y_ += 8;
    add_heading(plane.label, words_size_);
    y_ += label_size + 2;
    add_column_labels();
    y_ += 6;
    cells_of_plane cells(map_.banks.bank_num);
    labels rows(cell_, plane.rows.size());
    for (std::size_t index = 0; index < plane.rows.size(); ++index, y_ += cell_) {
      const map_row& row = plane.rows[index];
      if (row.is_after_gap) y_ += gap;
      if (!row.label.empty() && rows.has(index, row.is_after_gap, y_, label_size))
        add_text(left_ - 8, y_ + cell_ / 2 + label_size * 35 / 100, label_size, "n l e", row.label);
      add_row(row, cells);
    }
    if (!cells.holes.empty()) body_ += line_of("<path class=\"hole\" d=\"", cells.holes, "\"/>\n");
    // Each cell is a stroke as wide as the cell is high, from the middle of its left side.
    const int high = cell_ - 1;
    body_ +=
        line_of("<g class=\"cells\" stroke-width=\"", number(high), "\" transform=\"translate(0 ",
                number(high / 2), high % 2 != 0 ? ".5" : "", ")\">\n");
    for (int bank = 0; bank < map_.banks.bank_num; ++bank) {
      add_path("u", cells.untouched[static_cast<std::size_t>(bank)].text, bank, sheet_.used);
      add_path("m", cells.marked[static_cast<std::size_t>(bank)].text, bank, sheet_.marked);
    }
    body_ += "</g>\n";
    body_ += line_of(cells.numbers, cells.marks);
  }

  void add_column_labels() {
    labels columns(cell_, map_.columns.size());
    for (std::size_t index = 0; index < map_.columns.size(); ++index) {
      const map_column& column = map_.columns[index];
      const int size = static_cast<int>(column.label.size()) * label_size * 6 / 10;
      if (columns.has(index, column.is_after_gap, column_at_[index] + cell_ / 2 - size / 2,
                      size + 4))
        add_text(column_at_[index] + cell_ / 2, y_, label_size, "n l", column.label);
    }
  }

  // One path for all cells of a bank; the text in the cells is drawn above it.
  struct cells_of_plane {
    std::vector<stroke_path> untouched, marked;  // for each bank
    std::string holes, numbers, marks;
    explicit cells_of_plane(int bank_num)
        : untouched(static_cast<std::size_t>(bank_num)),
          marked(static_cast<std::size_t>(bank_num)) {}
  };

  // Banks are written in all cells or in none, in small letters: in a marked cell above the lanes.
  int size_of_banks(int cell) const {
    return size_of_digits(number(map_.banks.bank_num - 1).size(), 40, cell);
  }
  bool has_numbers() const { return bank_numbers_ && size_of_banks(cell_) != 0; }

  void add_row(const map_row& row, cells_of_plane& cells) {
    std::string banks;
    for (std::size_t column = 0; column < row.cells.size(); ++column) {
      const map_cell& cell = row.cells[column];
      const int x = column_at_[column];
      if (!cell.exists) continue;
      if (cell.unused && cell.lanes == 0) {
        cells.holes += square(x + 1, y_ + 1, cell_ - 3);
        continue;
      }
      for (int piece = 0, pieces = map_.banks_of_an_element(); piece < pieces; ++piece) {
        const int begin = (cell_ - 1) * piece / pieces,
                  width = (cell_ - 1) * (piece + 1) / pieces - begin;
        (cell.lanes == 0 ? cells.untouched
                         : cells.marked)[static_cast<std::size_t>(map_.bank(cell, piece))]
            .add(x + begin, y_, width);
      }
      if (cell.lanes != 0) {
        const std::string lanes = short_text_of_lanes(cell.lanes);
        cells.marks += mark(kind_of(cell), map_.bank(cell), lanes, x, y_, cell_);
        const bool fits = size_of_lanes(lanes, cell_) != 0;
        several_ |= fits && lanes.find('+') != std::string::npos;
        unwritten_ |= !fits;
      } else if (has_numbers() && untouched_numbers_) {
        banks += line_of("<tspan x=\"", number(x + (cell_ - 1) / 2), "\">", number(map_.bank(cell)),
                         "</tspan>");
      }
    }
    const int size = size_of_banks(cell_);
    if (!banks.empty())
      cells.numbers += line_of("<text class=\"n g\" y=\"", number(y_ + cell_ / 2 + size * 35 / 100),
                               "\" font-size=\"", number(size), "\">", banks, "</text>\n");
  }

  void add_path(const char* name, const std::string& path, int bank, bool (&has_one)[256]) {
    if (path.empty()) return;
    has_one[bank] = true;
    body_ += line_of("<path class=\"", name, number(bank), "\" d=\"", path, "\"/>\n");
  }

  int size_of_lanes(const std::string& lanes, int cell) const {
    return size_of_digits(lanes.size(), has_numbers() ? 46 : 62, cell);
  }
  // A frame around the cell, with its bank and its lanes: thin without a conflict, thick and dashed
  // for a conflict, thick and solid for the worst.
  std::string mark(const char* kind, int bank, const std::string& lanes, int x, int y,
                   int cell) const {
    const int fitting = size_of_lanes(lanes, cell),
              size = fitting != 0 ? fitting : size_of_lanes("+", cell), middle = x + (cell - 1) / 2,
              bank_size = size_of_banks(cell);
    const auto text = [&](const char* classes, int place, int letters, const std::string& words) {
      return line_of("<text class=\"", classes, "\" x=\"", number(middle), "\" y=\"", number(place),
                     "\" font-size=\"", number(letters), "\">", words, "</text>\n");
    };
    return line_of(
        "<path class=\"", kind, "\" d=\"", square(x + 1, y + 1, cell - 3), "\"/>",
        has_numbers() ? text("n on", y + 3 + bank_size * 72 / 100, bank_size, number(bank)) : "",
        text("n b on",
             has_numbers() ? y + cell - 3 - cell / 12 : y + (cell - 1) / 2 + size * 36 / 100, size,
             fitting != 0 ? lanes : "+"));
  }
  const char* kind_of(const map_cell& cell) const {
    return map_.is_worst(cell) ? "worst" : map_.conflicts(cell) ? "hit" : "free";
  }

  // A bar for each bank, as high as the number of layers that a phase touches there: full
  // height if each of the phase's lanes touches a layer of its own.
  void add_banks() {
    const int room = width_ - left_ - margin, maximum = cell_ > 24 ? cell_ : 24,
              high = map_.cost.requests == 0 ? 0 : 66;
    const int full = map_.largest_phase > map_.most_layers ? map_.largest_phase : map_.most_layers;
    int in_a_line = map_.banks.bank_num;
    while (in_a_line > 1 && room / in_a_line < 20) in_a_line /= 2;
    const int width = room / in_a_line < maximum ? room / in_a_line : maximum;
    y_ += 8;
    const char* const bars = map_.serves == serving::by_layer ? "layers touched in each bank"
                                                              : "lanes that touch each bank";
    add_words(high == 0 ? "banks" : bars, "t", small_size_);
    for (int bank = 0; bank < map_.banks.bank_num; ++bank) {
      if (bank % in_a_line == 0) y_ += (bank == 0 ? 0 : 20) + high;
      const int layers = map_.layers[static_cast<std::size_t>(bank)],
                x = left_ + bank % in_a_line * width;
      if (layers > 0) {
        const int bar = 2 + (high - 20) * layers / full;
        body_ +=
            line_of("<path class=\"", layers > 1 ? "over" : "bar", "\" d=\"",
                    rectangle(x + width / 5, y_ - bar, width - 1 - 2 * (width / 5), bar), "\"/>\n");
        add_text(x + (width - 1) / 2, y_ - bar - 3, 13, layers > 1 ? "n b" : "n", number(layers));
      }
      add_path("m", rectangle(x, y_ + 2, width - 1, 17), bank, sheet_.marked);
      add_text(x + (width - 1) / 2, y_ + 15, bank < 100 ? 12 : 10, "n on", number(bank));
    }
    y_ += 20;
  }

  // The legend: samples of the cells that occur in the picture, with their meanings.
  void add_legend() {
    const map_kinds has = kinds_of(map_);
    x_ = margin;
    y_ += 10;
    if (has.untouched && has_numbers() && untouched_numbers_) {
      add_path("u", sample_square(), 0, sheet_.used);
      add_text(x_ + (sample - 1) / 2, y_ + sample / 2 + 3, size_of_banks(sample), "n g", "0");
      add_meaning("bank 0");
    }
    if (has.free) add_mark("free", "5", "lane 5 touches it");
    if (has.conflict) add_mark("hit", "5", "lane 5 in conflict");
    if (has.worst) add_mark("worst", "5", "lane 5 in the worst conflict");
    if (several_) add_mark("free", "0+3", "lane 0 and 3 more");
    if (unwritten_) add_mark("free", "+", "too many lanes to name");
    if (has.unused) {
      body_ += line_of("<path class=\"hole\" d=\"", sample_square(), "\"/>\n");
      add_meaning("unused element");
    }
    y_ += x_ > margin ? sample + 4 : 0;
  }
  std::string sample_square() const { return square(x_, y_, sample - 1); }
  void add_mark(const char* kind, const char* lanes, const char* meaning) {
    add_path("m", sample_square(), 0, sheet_.marked);
    body_ += mark(kind, 0, lanes, x_, y_, sample);
    add_meaning(meaning);
  }
  // Writes the meaning after a sample. The next sample starts a new line if little room is
  // left.
  void add_meaning(const std::string& words) {
    const int size = small_size_;
    add_text(x_ + sample + 6, y_ + sample / 2 + size * 35 / 100, size, "s", words);
    x_ += sample + 20 + static_cast<int>(words.size()) * size * 55 / 100;
    if (x_ + sample + 6 + longest_meaning * size * 55 / 100 > width_ - margin)
      x_ = margin, y_ += sample + 4;
  }

  const bank_map& map_;
  bool bank_numbers_, untouched_numbers_;
  // True if a cell contains "0+3", or "+" if that does not fit.
  bool several_ = false, unwritten_ = false;
  int left_ = 0, cell_ = 0;
  std::vector<int> column_at_;
  int x_ = 0;  // of the legend
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
