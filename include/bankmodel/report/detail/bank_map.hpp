// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REPORT_DETAIL_BANK_MAP_HPP
#define BANKMODEL_REPORT_DETAIL_BANK_MAP_HPP

#include <bankmodel/report/detail/map_shape.hpp>
#include <bankmodel/report/detail/touched_banks.hpp>

#include <string>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// The bank map as data, with the captions that every picture shows. All numbers are the
// model's.
namespace bankmodel::detail {

struct map_row {
  std::string label;
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
  std::vector<std::string> columns;    // column labels
  std::vector<map_plane> planes;

  // An element that covers several banks covers consecutive ones, bank 0 following the last.
  // Their number, and which ones.
  int banks_of_an_element() const { return element_bytes <= banks.N ? 1 : element_bytes / banks.N; }
  int bank(const map_cell& cell, int which = 0) const {
    return banks.bank(cell.byte + static_cast<long long>(which) * banks.N);
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

// Adds "columns 64-127 of 128 are not drawn", or nothing if all are drawn.
inline void say_what_is_left_out(const char* what, const drawn_range& drawn, long long total,
                                 std::vector<std::string>& remarks) {
  std::string ranges;
  const auto add = [&](long long begin, long long end) {
    if (begin == end) return;
    ranges += line_of(ranges.empty() ? "" : " and ", std::to_string(begin));
    if (end - begin > 1) ranges += line_of("-", std::to_string(end - 1));
  };
  if (drawn.begin < drawn.end) {
    add(0, drawn.begin);
    add(drawn.end, total);
  } else {
    add(0, total);
  }
  if (!ranges.empty())
    remarks.push_back(line_of(what, " ", ranges, " of ", std::to_string(total), " are not drawn"));
}

// Adds "32 lanes load 4 bytes each: wavefronts 32, ideal 1, conflicts 31", and the worst banks.
inline void say_what_it_costs(const request& r, const touched_banks& touched, bank_map& map) {
  std::uint64_t lanes = 0;
  for (std::size_t phase = 0; phase < touched.phases(); ++phase) lanes |= touched.lanes(phase);
  if (lanes == 0) return;
  const bool one = size_of(lanes) == 1;
  std::string what = line_of(std::to_string(size_of(lanes)), one ? " lane " : " lanes ",
                             verb_of(r.kind), one ? "s " : " ", std::to_string(r.bytes),
                             r.bytes == 1 ? " byte" : " bytes", one ? "" : " each");
  if (touched.phases() > 1) what += line_of(" in ", std::to_string(touched.phases()), " phases");
  map.remarks.push_back(line_of(what, ": wavefronts ", std::to_string(map.cost.wavefronts),
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
              const long long here = touched.overlap(lane, cell.byte, array.element_bytes);
              drawn += here;
              if (cell.unused && here > 0) unused |= bit;
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

// Error: the errors of total() for this machine and request; an array that shared_array() would
// not make.
inline bank_map map_of(const machine& m, const array_description& array, const request& r,
                       const picture_part& part) {
  bank_map map;
  map.cost = total(m, r);
  map.banks = m.banks(r.bytes, r.kind);
  map.element_bytes = array.element_bytes;
  const map_shape shape(array, map.banks, part);
  const touched_banks touched(m, r);
  const std::string name = printable_name(array.name);
  map.heading = line_of(name, text(array.layout), " on ", text(m));
  map.layers.resize(static_cast<std::size_t>(map.banks.bank_num));
  for (std::size_t phase = 0; phase < touched.phases(); ++phase) {
    const int lanes = size_of(touched.lanes(phase));
    if (lanes > map.largest_phase) map.largest_phase = lanes;
    for (int bank = 0; bank < map.banks.bank_num; ++bank) {
      int& most = map.layers[static_cast<std::size_t>(bank)];
      if (touched.layers(phase, bank) > most) most = touched.layers(phase, bank);
      if (most > map.most_layers) map.most_layers = most;
    }
  }
  map.serves = m.served(r.bytes, r.kind).serves;

  const drawn_range planes(part.first_plane, part.planes, shape.planes());
  const drawn_range columns(part.first_column, part.columns, shape.row_length());
  for (long long column = columns.begin; column < columns.end; ++column)
    map.columns.push_back(std::to_string(column));
  long long most_rows = 0;
  for (long long at = planes.begin; at < planes.end; ++at) {
    map_plane plane{shape.plane_label(name, at), {}};
    const drawn_range rows(part.first_row, part.rows, shape.rows(at));
    if (shape.rows(at) > most_rows) most_rows = shape.rows(at);
    for (long long row = rows.begin; row < rows.end; ++row) {
      map_row line{shape.row_label(row), {}};
      for (long long column = columns.begin; column < columns.end; ++column) {
        const long long number = shape.start(at, row) + column;
        map_cell cell{.exists = number < shape.end(at)};
        if (cell.exists) cell.byte = array.base_bytes + shape.place(number) * array.element_bytes;
        cell.unused = cell.exists && shape.is_unused(row, column);
        if (cell.exists) touched.mark(cell, array.element_bytes);
        line.cells.push_back(cell);
      }
      plane.rows.push_back(line);
    }
    map.planes.push_back(plane);
  }

  say_what_it_costs(r, touched, map);
  say_how_it_is_banked(array, shape, map);
  say_what_is_left_out("planes", planes, shape.planes(), map.remarks);
  say_what_is_left_out("rows", drawn_range(part.first_row, part.rows, most_rows), most_rows,
                       map.remarks);
  say_what_is_left_out("columns", columns, shape.row_length(), map.remarks);
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
