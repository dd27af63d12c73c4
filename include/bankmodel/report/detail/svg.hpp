// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REPORT_DETAIL_SVG_HPP
#define BANKMODEL_REPORT_DETAIL_SVG_HPP

#include <bankmodel/report/detail/bank_map.hpp>
#include <bankmodel/report/detail/svg_page.hpp>
#include <bankmodel/report/style.hpp>

#include <string>
#include <vector>

// The bank map as SVG: a single file without scripts and without external fonts.
namespace bankmodel::detail {

// Lengths are in pixels of the picture's own size, which is up to 820 wide for 64 columns or
// fewer.
class svg_picture : svg_page {
 public:
  svg_picture(const bank_map& map, const svg_style& style)
      : map_(map), bank_numbers_(style.bank_numbers) {
    const int columns = static_cast<int>(map.columns.size());
    std::size_t longest_label = 1;
    for (const map_plane& plane : map.planes)
      for (const map_row& row : plane.rows)
        if (row.label.size() > longest_label) longest_label = row.label.size();
    left_ = margin + static_cast<int>(longest_label) * label_size * 6 / 10 + 8;
    cell_ = columns == 0 ? largest_cell : (widest - margin - left_) / columns;
    if (cell_ > largest_cell) cell_ = largest_cell;
    if (cell_ < smallest_cell) cell_ = smallest_cell;
    width_ = left_ + columns * cell_ + margin;
    if (cell_ < largest_cell && width_ < widest) width_ = widest;
    if (width_ < narrowest) width_ = narrowest;
    set_sizes();
  }

  std::string drawn() {
    y_ = margin;
    add_heading(map_.heading, words_size_ + 4);
    // The cost first, then the other remarks.
    const std::size_t first = map_.cost.requests == 0 ? 0 : 2;
    for (std::size_t at = 0; at < first; ++at) add_words(map_.remarks[at], "t", words_size_);
    for (const map_plane& plane : map_.planes) add_plane(plane);
    add_banks();
    add_legend();
    std::string rest;
    for (std::size_t at = first; at < map_.remarks.size(); ++at)
      rest += line_of(rest.empty() ? "" : "; ", map_.remarks[at]);
    y_ += 4;
    add_words(rest, "s", small_size_);
    y_ += margin;
    std::string all;
    for (const std::string& remark : map_.remarks) all += line_of(all.empty() ? "" : "; ", remark);
    return page(line_of("Bank map of ", map_.heading), all, map_.banks.bank_num, cell_ < 18);
  }

 private:
  static constexpr int smallest_cell = 12, largest_cell = 44, narrowest = 504;
  static constexpr int sample = 24, longest_meaning = 26;  // of the legend: pixels, characters

  // True for every label if there are few and they fit; else for every fourth or eighth.
  bool is_labelled(std::size_t at, std::size_t count) const {
    return at % (count > 16 ? 8 : cell_ < 18 ? 4 : 1) == 0;
  }

  int column_at(std::size_t column) const { return left_ + static_cast<int>(column) * cell_; }

  void add_plane(const map_plane& plane) {
    y_ += 8;
    add_heading(plane.label, words_size_);
    y_ += label_size + 2;
    for (std::size_t column = 0; column < map_.columns.size(); ++column)
      if (is_labelled(column, map_.columns.size()))
        add_text(column_at(column) + cell_ / 2, y_, label_size, "n l", map_.columns[column]);
    y_ += 6;
    cells_of_plane cells(map_.banks.bank_num);
    for (std::size_t at = 0; at < plane.rows.size(); ++at, y_ += cell_) {
      const std::string& label = plane.rows[at].label;
      if (!label.empty() && is_labelled(at, plane.rows.size()))
        add_text(left_ - 8, y_ + cell_ / 2 + label_size * 35 / 100, label_size, "n l e", label);
      add_row(plane.rows[at], cells);
    }
    if (!cells.holes.empty()) body_ += line_of("<path class=\"hole\" d=\"", cells.holes, "\"/>\n");
    for (int bank = 0; bank < map_.banks.bank_num; ++bank) {
      add_path("u", cells.untouched[static_cast<std::size_t>(bank)], bank, sheet_.used);
      add_path("m", cells.marked[static_cast<std::size_t>(bank)], bank, sheet_.marked);
    }
    body_ += line_of(cells.numbers, cells.marks);
  }

  // One path for all cells of a bank; the text in the cells is drawn above it.
  struct cells_of_plane {
    std::vector<std::string> untouched, marked;  // for each bank
    std::string holes, numbers, marks;
    explicit cells_of_plane(int bank_num)
        : untouched(static_cast<std::size_t>(bank_num)),
          marked(static_cast<std::size_t>(bank_num)) {}
  };

  int size_of_banks() const {
    return size_of_digits(number(map_.banks.bank_num - 1).size(), 48, cell_);
  }
  bool has_numbers() const { return bank_numbers_ && size_of_banks() != 0; }

  void add_row(const map_row& row, cells_of_plane& cells) {
    std::string banks;
    for (std::size_t column = 0; column < row.cells.size(); ++column) {
      const map_cell& cell = row.cells[column];
      const int x = column_at(column);
      if (!cell.exists) continue;
      if (cell.unused && cell.lanes == 0) {
        cells.holes += square(x + 1, y_ + 1, cell_ - 3);
        continue;
      }
      for (int piece = 0, pieces = map_.banks_of_an_element(); piece < pieces; ++piece) {
        const int begin = (cell_ - 1) * piece / pieces,
                  width = (cell_ - 1) * (piece + 1) / pieces - begin;
        (cell.lanes == 0 ? cells.untouched
                         : cells.marked)[static_cast<std::size_t>(map_.bank(cell, piece))] +=
            rectangle(x + begin, y_, width, cell_ - 1);
      }
      if (cell.lanes != 0) {
        const std::string lanes = short_text_of_lanes(cell.lanes);
        cells.marks += mark(kind_of(cell), lanes, x, y_, cell_);
        const bool fits = size_of_digits(lanes.size(), 62, cell_) != 0;
        several_ |= fits && lanes.find('+') != std::string::npos;
        unwritten_ |= !fits;
      } else if (has_numbers()) {
        banks += line_of("<tspan x=\"", number(x + (cell_ - 1) / 2), "\">", number(map_.bank(cell)),
                         "</tspan>");
      }
    }
    const int size = size_of_banks();
    if (!banks.empty())
      cells.numbers += line_of("<text class=\"n g\" y=\"", number(y_ + cell_ / 2 + size * 35 / 100),
                               "\" font-size=\"", number(size), "\">", banks, "</text>\n");
  }

  void add_path(const char* name, const std::string& path, int bank, bool (&has_one)[256]) {
    if (path.empty()) return;
    has_one[bank] = true;
    body_ += line_of("<path class=\"", name, number(bank), "\" d=\"", path, "\"/>\n");
  }

  // A frame around the cell, with its lanes: thin without a conflict, thick and dashed for a
  // conflict, thick and solid for the worst.
  std::string mark(const char* kind, const std::string& lanes, int x, int y, int cell) const {
    const int frame = cell - 3, fitting = size_of_digits(lanes.size(), 62, cell),
              size = fitting != 0 ? fitting : size_of_digits(1, 62, cell);
    return line_of("<path class=\"", kind, "\" d=\"", square(x + 1, y + 1, frame),
                   "\"/><text class=\"n b on\" x=\"", number(x + (cell - 1) / 2), "\" y=\"",
                   number(y + (cell - 1) / 2 + size * 36 / 100), "\" font-size=\"", number(size),
                   "\">", fitting != 0 ? lanes : "+", "</text>\n");
  }
  const char* kind_of(const map_cell& cell) const {
    return map_.is_worst(cell) ? "worst" : map_.conflicts(cell) ? "hit" : "free";
  }

  // A bar for each bank, as high as the number of layers that a phase touches there: full
  // height if each of the phase's lanes touches a layer of its own.
  void add_banks() {
    const int room = width_ - left_ - margin, most = cell_ > 24 ? cell_ : 24,
              high = map_.cost.requests == 0 ? 0 : 66;
    const int full = map_.largest_phase > map_.most_layers ? map_.largest_phase : map_.most_layers;
    int in_a_line = map_.banks.bank_num;
    while (in_a_line > 1 && room / in_a_line < 20) in_a_line /= 2;
    const int width = room / in_a_line < most ? room / in_a_line : most;
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
    if (has.untouched && has_numbers()) {
      add_path("u", sample_square(), 0, sheet_.used);
      add_text(x_ + (sample - 1) / 2, y_ + sample / 2 + 3, 10, "n g", "0");
      add_meaning("bank");
    }
    if (has.free) add_mark("free", "0", "lane that touches it");
    if (has.conflict) add_mark("hit", "0", "lane in conflict");
    if (has.worst) add_mark("worst", "0", "lane in the worst conflict");
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
    body_ += mark(kind, lanes, x_, y_, sample);
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
  bool bank_numbers_;
  // True if a cell contains "0+3", or "+" if that does not fit.
  bool several_ = false, unwritten_ = false;
  int left_ = 0, cell_ = 0;
  int x_ = 0;  // of the legend
};

}  // namespace bankmodel::detail

#endif
