// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_DRAW_DETAIL_SEGMENT_MAP_HPP
#define BANKMODEL_HOST_DRAW_DETAIL_SEGMENT_MAP_HPP

#include <bankmodel/explain/segments.hpp>
#include <bankmodel/host/draw/detail/bank_map.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// One request to global memory as data: the lines that it touches, and in each the sectors with
// their lanes.
namespace bankmodel::detail {

// One sector.
struct segment_cell {
  long long byte = 0;    // its first byte
  int transactions = 0;  // that move it
  int used = 0;          // the bytes of it that lanes touch
  std::uint64_t lanes = 0;
};

struct segment_line {
  long long byte = 0;
  std::string label;  // the element at its first byte, "in[1][0]", or "byte 128" without a name
  std::vector<segment_cell> cells;
};

struct segment_map {
  request marked;
  request_segments segments;
  memory_traffic traffic;
  int lanes = 0;  // of the machine
  int sector_bytes = 0, line_bytes = 0;
  std::string heading;
  std::vector<std::string> remarks;  // one sentence each, without a full stop
  std::vector<segment_line> lines;
};

inline std::string label_of_line(const array_description& array, long long byte) {
  const long long from_base = byte - array.base_bytes;
  if (array.name[0] != '\0' && from_base >= 0 && array.layout.is_strided()) {
    const four subscripts = array.layout.coordinates(from_base / array.element_bytes);
    std::string result = printable_name(array.name);
    for (int d = 0; d < array.layout.rank; ++d)
      result += line_of("[", std::to_string(subscripts[d]), "]");
    if (subscripts[0] >= 0) return result;
  }
  return line_of("byte ", std::to_string(byte));
}

inline segment_cell cell_of(const segment_map& map, long long byte) {
  segment_cell cell{.byte = byte};
  for (int number = 0; number < map.segments.count; ++number) {
    const segment& transaction = map.segments.each[number];
    if (transaction.begin < byte + map.sector_bytes && transaction.begin + transaction.bytes > byte)
      ++cell.transactions;
  }
  std::vector<bool> used(static_cast<std::size_t>(map.sector_bytes));
  for (int lane = 0; lane < map.lanes; ++lane) {
    if ((map.marked.active >> lane & 1) == 0) continue;
    const long long first = std::max(map.marked.address[lane], byte),
                    end = std::min(map.marked.address[lane] + map.marked.bytes,
                                   byte + map.sector_bytes);
    for (long long address = first; address < end; ++address)
      used[static_cast<std::size_t>(address - byte)] = true;
    if (first < end) cell.lanes |= std::uint64_t{1} << lane;
  }
  cell.used = static_cast<int>(std::count(used.begin(), used.end(), true));
  return cell;
}

// Adds "32 lanes load 4 bytes each: transactions 32, ideal 4, 128 bytes used of 1024 moved", and
// how many are moved for nothing.
inline void say_what_moves(segment_map& map) {
  const int lanes = size_of(map.marked.active);
  const bool is_single = lanes == 1;
  if (lanes == 0) {
    map.remarks.push_back("no lane is active");
    return;
  }
  map.remarks.push_back(line_of(
      std::to_string(lanes), is_single ? " lane " : " lanes ", verb_of(map.marked.kind),
      is_single ? "s " : " ", std::to_string(map.marked.bytes),
      map.marked.bytes == 1 ? " byte" : " bytes", is_single ? "" : " each", ": transactions ",
      std::to_string(map.traffic.transactions), ", ideal ", std::to_string(map.traffic.ideal),
      ", bytes used ", std::to_string(map.traffic.bytes_used), " of ",
      std::to_string(map.traffic.bytes_moved), " moved"));
}

// Error: the errors of traffic(m, r); an array that global_array() would not make.
inline segment_map segment_map_of(const machine& m, const array_description& array,
                                  const request& r, const picture_part& part) {
  segment_map map;
  map.marked = r;
  map.lanes = m.lanes;
  map.traffic = traffic(m, r);
  map.segments = segments_of(m, r);
  map.sector_bytes = m.global.sector_bytes;
  map.line_bytes = m.global.line_bytes;
  (void)map_shape(array, {32, 4, 4, 4}, part);  // its errors
  map.heading = array.name[0] == '\0'
                    ? line_of("global memory on ", text(m))
                    : line_of(printable_name(array.name), text(array.layout), " on ", text(m));

  std::vector<long long> lines;
  for (int number = 0; number < map.segments.count; ++number) {
    const segment& transaction = map.segments.each[number];
    for (long long byte = transaction.begin & -map.line_bytes;
         byte < transaction.begin + transaction.bytes; byte += map.line_bytes)
      lines.push_back(byte);
  }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  const auto count = static_cast<long long>(lines.size());
  const drawn_part drawn(part.first_row, part.rows, count, {});
  for (const long long number : drawn.numbers()) {
    const long long begin = lines[static_cast<std::size_t>(number)];
    segment_line line{begin, label_of_line(array, begin), {}};
    for (long long byte = begin; byte < begin + map.line_bytes; byte += map.sector_bytes)
      line.cells.push_back(cell_of(map, byte));
    map.lines.push_back(line);
  }

  say_what_moves(map);
  map.remarks.push_back(line_of("a row is a line of ", std::to_string(map.line_bytes),
                                " bytes, a cell a sector of ", std::to_string(map.sector_bytes),
                                "; other lines are not touched"));
  if (array.base_bytes != 0)
    map.remarks.push_back(line_of("the array begins at byte ", std::to_string(array.base_bytes)));
  if (!array.layout.is_strided()) map.remarks.push_back("rows are labelled with their first bytes");
  say_what_is_left_out("touched lines", drawn, map.remarks);
  return map;
}

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
