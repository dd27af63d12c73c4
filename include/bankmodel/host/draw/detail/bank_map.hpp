// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_DRAW_DETAIL_BANK_MAP_HPP
#define BANKMODEL_HOST_DRAW_DETAIL_BANK_MAP_HPP

#include <bankmodel/host/draw/detail/drawn_part.hpp>
#include <bankmodel/host/draw/detail/map_shape.hpp>
#include <bankmodel/host/draw/detail/touched_banks.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// The bank map as data, with the captions that every picture shows. All numbers are the
// model's.
namespace bankmodel::detail {

// A row or a column is after a gap if the one before it in the array is not drawn.
struct map_column {
  std::string label;
  bool is_after_gap = false;
};
struct map_row {
  std::string label;
  bool is_after_gap = false;
  std::vector<map_cell> cells;
};
struct map_plane {
  std::string label;  // "tile[1]"; empty in one and two dimensions
  std::vector<map_row> rows;
};

struct bank_map {
  geometry banks{};
  int element_bytes = 0;
  bankmodel::cost cost;
  int largest_phase = 0;  // active lanes of the largest phase
  // For each bank the most layers (or lanes, see `serves`) that a phase touches.
  std::vector<int> layers;
  int most_layers = 0;                 // the largest of them
  serving serves = serving::by_layer;  // the unit of `layers`
  std::string heading;                 // "tile[32][33] on sm_90"
  std::vector<std::string> remarks;    // one sentence each, without a full stop
  std::vector<map_column> columns;
  std::vector<map_plane> planes;

  // An element that covers several banks covers consecutive ones, bank 0 following the last.
  // Their number, and which ones.
  int banks_of_an_element() const { return element_bytes <= banks.N ? 1 : element_bytes / banks.N; }
  int bank(const map_cell& cell, int word = 0) const {
    return banks.bank(cell.byte + static_cast<long long>(word) * banks.N);
  }
  bool conflicts(const map_cell& cell) const { return cell.layers > 1; }
  bool is_worst(const map_cell& cell) const {
    return cell.layers > 1 && cell.layers == most_layers;
  }
};

// A name may contain any bytes; those that would break a picture are drawn as '?'.
inline std::string printable_name(const array_name& name) {
  std::string result = text(name);
  for (char& letter : result)
    if (letter < ' ' || letter > '~') letter = '?';
  return result;
}

inline void say_what_is_left_out(const char* items, const drawn_part& drawn,
                                 std::vector<std::string>& remarks) {
  const std::string words = drawn.omitted(items);
  if (!words.empty()) remarks.push_back(words);
}

// Adds "32 lanes load 4 bytes each: wavefronts 32, ideal 1, conflicts 31", and the worst banks.
inline void say_what_it_costs(const request& r, const touched_banks& touched, bank_map& map) {
  std::uint64_t lanes = 0;
  for (std::size_t phase = 0; phase < touched.phases(); ++phase) lanes |= touched.lanes(phase);
  if (lanes == 0) return;
  const bool is_single = size_of(lanes) == 1;
  std::string summary = line_of(std::to_string(size_of(lanes)), is_single ? " lane " : " lanes ",
                                verb_of(r.kind), is_single ? "s " : " ", std::to_string(r.bytes),
                                r.bytes == 1 ? " byte" : " bytes", is_single ? "" : " each");
  if (touched.phases() > 1) summary += line_of(" in ", std::to_string(touched.phases()), " phases");
  map.remarks.push_back(line_of(summary, ": wavefronts ", std::to_string(map.cost.wavefronts),
                                ", ideal ", std::to_string(map.cost.ideal), ", conflicts ",
                                std::to_string(map.cost.conflicts())));
  const bool lanes_count = map.serves != serving::by_layer;
  const std::string in_a_phase = touched.phases() > 1 ? " by one phase" : "";
  if (map.most_layers < 2) {
    map.remarks.push_back(line_of("no bank is touched ",
                                  lanes_count ? "by more than one lane" : "in more than one layer",
                                  in_a_phase));
    return;
  }
  const auto is_worst = [&](long long bank) {
    return map.layers[static_cast<std::size_t>(bank)] == map.most_layers;
  };
  const std::string worst = runs(map.banks.bank_num, is_worst);
  const bool several = worst.find_first_of(",-") != std::string::npos;
  map.remarks.push_back(line_of(several ? "banks " : "bank ", worst,
                                several ? " are each touched " : " is touched ",
                                lanes_count ? "by " : "in ", std::to_string(map.most_layers),
                                lanes_count ? " lanes" : " layers", in_a_phase, " (",
                                std::to_string(map.cost.degree), "-way)"));
}

inline void say_how_it_is_banked(const array_description& array, const map_shape& shape,
                                 bank_map& map) {
  std::string banks = line_of(std::to_string(map.banks.bank_num), " banks of ",
                              std::to_string(map.banks.N), "-byte words");
  if (map.banks.W != map.banks.N)
    banks += line_of(", ", std::to_string(map.banks.W), " bytes of each in a layer");
  map.remarks.push_back(banks);
  if (map.banks_of_an_element() > 1)
    map.remarks.push_back(line_of("an element covers ", std::to_string(map.banks_of_an_element()),
                                  " banks, numbered by its first"));
  if (map.element_bytes < map.banks.N)
    map.remarks.push_back(
        line_of(std::to_string(map.banks.N / map.element_bytes), " elements share a word"));
  if (array.base_bytes != 0)
    map.remarks.push_back(line_of("the array begins at byte ", std::to_string(array.base_bytes)));
  if (array.layout.interval != 0)
    map.remarks.push_back("rows are numbered by the storage index of their first element");
  if (array.layout.permutation.family != layout_family::rows)
    map.remarks.push_back(
        "each element is drawn at its subscripts, with the bank in which it is stored");
  if (shape.is_in_a_box()) map.remarks.push_back("unused elements are not drawn");
}

// Adds the lanes that touch elements that are not drawn, and those that touch unused elements.
inline void say_which_lanes_are_elsewhere(const array_description& array, const request& r,
                                          const touched_banks& touched, bank_map& map) {
  const long long bytes = array.layout.required_size() * array.element_bytes;
  std::uint64_t outside = 0, not_drawn = 0, unused = 0;
  for (std::size_t phase = 0; phase < touched.phases(); ++phase)
    for (int lane = 0; lane < max_lanes; ++lane) {
      const std::uint64_t bit = touched.lanes(phase) & std::uint64_t{1} << lane;
      if (bit == 0) continue;
      const long long inside = touched.overlap(lane, array.base_bytes, bytes);
      long long drawn = 0;
      for (const map_plane& plane : map.planes)
        for (const map_row& row : plane.rows)
          for (const map_cell& cell : row.cells)
            if (cell.exists) {
              const long long overlap = touched.overlap(lane, cell.byte, array.element_bytes);
              drawn += overlap;
              if (cell.unused && overlap > 0) unused |= bit;
            }
      if (inside < r.bytes) outside |= bit;
      if (drawn < inside) not_drawn |= bit;
    }
  const auto touch = [](std::uint64_t lanes) {
    return size_of(lanes) == 1 ? " touches " : " touch ";
  };
  if (not_drawn != 0)
    map.remarks.push_back(
        line_of(text_of_lanes(not_drawn), touch(not_drawn), "elements that are not drawn"));
  if (unused != 0)
    map.remarks.push_back(line_of(text_of_lanes(unused), touch(unused), "unused elements"));
  if (outside != 0)
    map.remarks.push_back(line_of(text_of_lanes(outside), touch(outside), "bytes outside of ",
                                  printable_name(array.name)));
}

// The planes, rows and columns that lanes touch.
struct touched_lines {
  std::set<long long> planes, rows, columns;
};
inline touched_lines lines_of(const array_description& array, const map_shape& shape,
                              const touched_banks& touched, const request& r) {
  touched_lines result;
  const long long elements = array.layout.required_size();
  for (std::size_t phase = 0; phase < touched.phases(); ++phase)
    for (int lane = 0; lane < max_lanes; ++lane) {
      const long long begin = r.address[lane] - array.base_bytes, end = begin + r.bytes;
      if ((touched.lanes(phase) >> lane & 1) == 0 || end <= 0) continue;
      for (long long element = std::max(begin, 0ll) / array.element_bytes;
           element * array.element_bytes < end && element < elements; ++element) {
        map_shape::position place;
        if (!shape.find(element, place)) continue;
        result.planes.insert(place.plane);
        result.rows.insert(place.row);
        result.columns.insert(place.column);
      }
    }
  return result;
}

// The layers that the phases of a request touch in each bank.
inline void add_layers(const touched_banks& touched, bank_map& map) {
  map.layers.resize(static_cast<std::size_t>(map.banks.bank_num));
  for (std::size_t phase = 0; phase < touched.phases(); ++phase) {
    map.largest_phase = std::max(map.largest_phase, size_of(touched.lanes(phase)));
    for (int bank = 0; bank < map.banks.bank_num; ++bank) {
      int& layers = map.layers[static_cast<std::size_t>(bank)];
      layers = std::max(layers, touched.layers(phase, bank));
      map.most_layers = std::max(map.most_layers, layers);
    }
  }
}

// The cells of one row, in the drawn columns.
inline std::vector<map_cell> cells_of(const array_description& array, const map_shape& shape,
                                      const touched_banks& touched, long long plane, long long row,
                                      const drawn_part& columns) {
  std::vector<map_cell> result;
  for (const long long column : columns.numbers()) {
    const long long number = shape.start(plane, row) + column;
    map_cell cell{.exists = number < shape.end(plane)};
    if (cell.exists) cell.byte = array.base_bytes + shape.place(number) * array.element_bytes;
    cell.unused = cell.exists && shape.is_unused(row, column);
    if (cell.exists) touched.mark(cell, array.element_bytes);
    result.push_back(cell);
  }
  return result;
}

// Adds the drawn planes, and states what is omitted.
inline void add_planes(const array_description& array, const map_shape& shape,
                       const touched_banks& touched, const request& r, const picture_part& part,
                       bank_map& map) {
  const touched_lines lines = lines_of(array, shape, touched, r);
  const drawn_part planes(part.first_plane, part.planes, shape.planes(), lines.planes),
      columns(part.first_column, part.columns, shape.row_length(), lines.columns);
  long long most_rows = 0;
  for (const long long plane : planes.numbers()) most_rows = std::max(most_rows, shape.rows(plane));
  const drawn_part rows(part.first_row, part.rows, most_rows, lines.rows);
  for (std::size_t column = 0; column < columns.numbers().size(); ++column)
    map.columns.push_back(
        {std::to_string(columns.numbers()[column]), columns.is_after_gap(column)});
  for (const long long plane : planes.numbers()) {
    map.planes.push_back({shape.plane_label(printable_name(array.name), plane), {}});
    for (std::size_t row = 0; row < rows.numbers().size(); ++row) {
      const long long number = rows.numbers()[row];
      if (number < shape.rows(plane))
        map.planes.back().rows.push_back({shape.row_label(number), rows.is_after_gap(row),
                                          cells_of(array, shape, touched, plane, number, columns)});
    }
  }
  say_what_is_left_out("planes", planes, map.remarks);
  say_what_is_left_out("rows", rows, map.remarks);
  say_what_is_left_out("columns", columns, map.remarks);
}

// Error: the errors of total() for this machine and request; an array that shared_array() would
// not make.
inline bank_map map_of(const machine& m, const array_description& array, const request& r,
                       const picture_part& part) {
  bank_map map;
  map.cost = total(m, r);
  map.banks = m.banks(r.bytes, r.kind);
  map.element_bytes = array.element_bytes;
  map.serves = m.served(r.bytes, r.kind).serves;
  const map_shape shape(array, map.banks, part);
  const touched_banks touched(m, r);
  map.heading = line_of(printable_name(array.name), text(array.layout), " on ", text(m));
  add_layers(touched, map);
  say_what_it_costs(r, touched, map);
  say_how_it_is_banked(array, shape, map);
  add_planes(array, shape, touched, r, part, map);
  say_which_lanes_are_elsewhere(array, r, touched, map);
  return map;
}

// The kinds of cells in a picture, for its legend.
struct map_kinds {
  bool untouched = false, free = false, conflict = false, worst = false, unused = false;
  bool several = false;  // lanes that are not consecutive, "0+3"
};
inline map_kinds kinds_of(const bank_map& map) {
  map_kinds result;
  for (const map_plane& plane : map.planes)
    for (const map_row& row : plane.rows)
      for (const map_cell& cell : row.cells) {
        result.unused |= cell.unused;
        result.untouched |= cell.exists && !cell.unused && cell.lanes == 0;
        result.free |= cell.lanes != 0 && !map.conflicts(cell);
        result.conflict |= map.conflicts(cell) && !map.is_worst(cell);
        result.worst |= map.is_worst(cell);
        result.several |= short_text_of_lanes(cell.lanes).find('+') != std::string::npos;
      }
  return result;
}

// A load of one element per lane without an active lane, for a map without marks.
inline request no_lanes(const array_description& array) {
  request result;
  result.bytes = array.element_bytes;
  return result;
}

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
