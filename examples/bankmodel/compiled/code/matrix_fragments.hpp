// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "code.hpp"

// What ptxas makes of wmma.load and wmma.store, which nvcc makes of load_matrix_sync() and
// store_matrix_sync(): ldmatrix of a matrix that is known to be in shared memory, loads and stores
// of each lane else. ptxas 13.0 for sm_75 to sm_121, as in tests/command_line/reconvergence/
// matrices.txt.
namespace compiled {

enum class fragment_use : std::uint8_t { a, b, sum };

struct matrix_fragment {
  fragment_use use = fragment_use::a;
  int m = 16, n = 16, k = 16;
  int bits = 16;  // of an element in memory
  bool is_integer = false;
  bool is_row_major = true;
  bool is_store = false;
};

// A part of the lane's number, (lane >> shift & mask), and how far from one to the next it is.
struct lane_part {
  int shift = 0, mask = 0;
  int lines = 0, bytes = 0;
};

// In lines of the matrix in memory and bytes of a line.
struct matrix_distance {
  int lines = 0, bytes = 0;
};

// One instruction for each distance, from which on the lanes are as `lanes` says.
struct fragment_accesses {
  int matrices = 0;  // of ldmatrix; 0: loads or stores
  int bytes = 4;
  std::array<lane_part, 3> lanes = {};
  std::vector<matrix_distance> starts;
};

// `machine`: 90 of sm_90. Without a start if it is not known what ptxas makes of it.
fragment_accesses accesses_of(const matrix_fragment& fragment, bool is_shared, int machine);

inline access_does matrix_access_of(const matrix_fragment& fragment,
                                    const fragment_accesses& accesses) {
  return fragment.is_store       ? access_does::store
         : accesses.matrices > 0 ? access_does::load_matrix
                                 : access_does::load;
}

// Of PTX's wmma.load and wmma.store: m16n16k16, s8. False: there is none of these.
bool set_shape(std::string_view name, matrix_fragment& fragment);
bool set_element(std::string_view name, matrix_fragment& fragment);

// Adds the instructions that compute where the accesses are. `compute`: (opcode, operands) to the
// operand that is computed; `add`: (address) once for each instruction. `line`: the bytes from one
// line to the next.
template <class Compute, class Add>
void add_fragment(const fragment_accesses& accesses, const operand& base, const operand& line,
                  Compute compute, Add add) {
  const auto constant = [](int value) {
    return operand{operand::kind::constant, static_cast<std::uint64_t>(value)};
  };
  const auto moved = [&](const operand& origin, const operand& times, int lines, int bytes) {
    operand result = origin;
    if (lines != 0) {
      const operand step = lines == 1 ? line : compute(opcode::multiply, {line, constant(lines)});
      const bool is_single = times.is == operand::kind::constant;
      result = compute(opcode::add,
                       {result, is_single ? step : compute(opcode::multiply, {times, step})});
    }
    if (bytes != 0) {
      const operand step = constant(bytes);
      const bool is_single = times.is == operand::kind::constant;
      result = compute(opcode::add,
                       {result, is_single ? step : compute(opcode::multiply, {times, step})});
    }
    return result;
  };
  operand of_lane = base;
  for (const lane_part& part : accesses.lanes) {
    if (part.mask == 0) continue;
    operand value{operand::kind::special, static_cast<std::uint64_t>(special::lane)};
    if (part.shift != 0)
      value = compute(opcode::shift_right_unsigned, {value, constant(part.shift)});
    constexpr int last_lane = 31;
    if (part.mask != last_lane >> part.shift)
      value = compute(opcode::bit_and, {value, constant(part.mask)});
    of_lane = moved(of_lane, value, part.lines, part.bytes);
  }
  for (const matrix_distance& start : accesses.starts)
    add(moved(of_lane, constant(1), start.lines, start.bytes));
}

}  // namespace compiled
