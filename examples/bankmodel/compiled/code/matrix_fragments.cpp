// SPDX-License-Identifier: MIT
#include "matrix_fragments.hpp"

#include <algorithm>
#include <charconv>

namespace compiled {

namespace {

struct fragment_size {
  int lines, bytes;  // in memory; bytes of a line
};

void add_starts(fragment_accesses& result, const fragment_size& size, int lines, int bytes) {
  for (int line = 0; line < size.lines; line += lines)
    for (int byte = 0; byte < size.bytes; byte += bytes) result.starts.push_back({line, byte});
}

// Two elements of each lane for each 8 x 8 elements.
fragment_accesses accesses_of_sum(const matrix_fragment& fragment, int machine) {
  // Sums of 8 x 32 are computed as the transposed ones of 32 x 8; those of integers from 8.0 on.
  const bool is_turned =
      fragment.m == 8 && fragment.n == 32 && (!fragment.is_integer || machine >= 80);
  const int bytes = fragment.bits / 8;
  const fragment_size size = {fragment.is_row_major ? fragment.m : fragment.n,
                              (fragment.is_row_major ? fragment.n : fragment.m) * bytes};
  fragment_accesses result;
  // The two are in a word of 16-bit elements in either layout: ptxas transposes them.
  if (bytes == 2 || fragment.is_row_major != is_turned) {
    result.bytes = 2 * bytes;
    result.lanes = {lane_part{0, 3, 0, 2 * bytes}, lane_part{2, 7, 1, 0}};
    add_starts(result, size, 8, 8 * bytes);
    return result;
  }
  result.bytes = bytes;
  result.lanes = {lane_part{0, 3, 2, 0}, lane_part{2, 7, 0, bytes}};
  for (int line = 0; line < size.lines; line += 8)
    for (const int next : {0, 1})
      for (int byte = 0; byte < size.bytes; byte += 8 * bytes)
        result.starts.push_back({line + next, byte});
  return result;
}

// Blocks of 8 lines of 16 bytes, as many as an instruction loads.
fragment_accesses matrices_of(const fragment_size& size, bool lines_first, int machine) {
  fragment_accesses result;
  result.bytes = 16;
  const bool has_columns = size.bytes > 16, has_lines = size.lines > 8;
  const bool has_all = has_columns && has_lines;
  if (!has_all) lines_first = has_lines;
  // The lanes of one block, or of two, one below the other; and what the next bit of a lane adds.
  result.lanes[0] = {0, has_lines && lines_first ? 15 : 7, 1, 0};
  if (has_columns && !lines_first) result.lanes[1] = {3, 1, 0, 16};
  result.matrices = has_all && machine >= 80 ? 4 : has_lines || has_columns ? 2 : 1;
  if (result.matrices == 4)
    result.lanes[2] = lines_first ? lane_part{4, 1, 0, 16} : lane_part{4, 1, 8, 0};
  const bool covers_lines = has_lines && (lines_first || result.matrices == 4);
  const bool covers_columns = has_columns && (!lines_first || result.matrices == 4);
  add_starts(result, size, covers_lines ? 16 : 8, covers_columns ? 32 : 16);
  return result;
}

}  // namespace

fragment_accesses accesses_of(const matrix_fragment& fragment, bool is_shared, int machine) {
  if (machine < 75) return {};  // nvcc 13 does not compile for these
  if (fragment.use == fragment_use::sum) return accesses_of_sum(fragment, machine);
  // Lines along k are what a lane multiplies; 8 x 32 is computed as the transposed 32 x 8.
  const bool is_along_k = (fragment.use == fragment_use::a) == fragment.is_row_major;
  const int across = fragment.use == fragment_use::a ? fragment.m : fragment.n;
  const fragment_size size = {is_along_k ? across : fragment.k,
                              (is_along_k ? fragment.k : across) * fragment.bits / 8};
  const bool is_turned = fragment.m == 8 && fragment.n == 32;
  // Elements of 16 bits are transposed by ldmatrix, or in registers.
  const bool is_in_words = is_along_k || fragment.bits == 16;
  if (is_shared && is_in_words && fragment.bits <= 16) {
    return matrices_of(size, fragment.is_row_major != is_turned, machine);
  }
  fragment_accesses result;
  if (is_in_words) {
    result.bytes = std::max(4, fragment.bits / 8);
    result.lanes = {lane_part{0, 3, 0, result.bytes}, lane_part{2, 7, 1, 0}};
    add_starts(result, size, 8, 4 * result.bytes);
    return result;
  }
  result.bytes = fragment.bits / 8;
  const int lane_lines = std::max(1, 4 / result.bytes);  // lines of a lane, one after the other
  result.lanes = {lane_part{0, 3, lane_lines, 0}, lane_part{2, 7, 0, result.bytes}};
  for (int line = 0; line < size.lines; line += 4 * lane_lines)
    for (int next = 0; next < lane_lines; ++next)
      for (int byte = 0; byte < size.bytes; byte += 8 * result.bytes)
        result.starts.push_back({line + next, byte});
  return result;
}

bool set_shape(std::string_view name, matrix_fragment& fragment) {
  const char* const end = name.data() + name.size();
  const char* next = name.data();
  for (const auto& [letter, size] :
       {std::pair{'m', &fragment.m}, {'n', &fragment.n}, {'k', &fragment.k}}) {
    if (next == end || *next != letter) return false;
    const auto read = std::from_chars(next + 1, end, *size);
    if (read.ec != std::errc()) return false;
    next = read.ptr;
  }
  return next == end;
}

bool set_element(std::string_view name, matrix_fragment& fragment) {
  struct element {
    std::string_view name;
    int bits;
    bool is_integer;
  };
  constexpr element elements[] = {{"f16", 16, false}, {"bf16", 16, false}, {"tf32", 32, false},
                                  {"f32", 32, false}, {"f64", 64, false},  {"s8", 8, true},
                                  {"u8", 8, true},    {"s4", 4, true},     {"u4", 4, true},
                                  {"b1", 1, true},    {"s32", 32, true}};
  for (const element& known : elements)
    if (name == known.name) {
      fragment.bits = known.bits;
      fragment.is_integer = known.is_integer;
      return true;
    }
  return false;
}

}  // namespace compiled
