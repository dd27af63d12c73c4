// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_HARDWARE_INSTRUCTIONS_HPP
#define BANKMODEL_TESTS_HARDWARE_INSTRUCTIONS_HPP

#include <bankmodel/model/request.hpp>

#include <cstdint>
#include <string_view>

// The measured instructions. Each is a kernel of kernels.cuh with the same name.
namespace hardware {

// clang-format off
enum class instruction : unsigned char {
  load_1, load_2, load_4, load_8, load_16,
  store_1, store_2, store_4, store_8, store_16,
  atomic_4,
  load_matrix_1, load_matrix_2, load_matrix_4,     // ldmatrix .x1, .x2, .x4
  store_matrix_1, store_matrix_2, store_matrix_4,  // stmatrix
  copy_4, copy_8, copy_16,                         // cp.async.ca from a source in order
  copy_16_bypass,                                  // cp.async.cg, which goes past the first cache
  copy_4_from, copy_8_from, copy_16_from,          // cp.async.ca to places in order
  copy_16_bypass_from
};
// clang-format on
constexpr int instruction_count = static_cast<int>(instruction::copy_16_bypass_from) + 1;

struct description {
  const char* name;
  bankmodel::access_kind kind;
  int bytes;       // per lane
  int lanes;       // the lanes that give addresses: 0 up to this
  int capability;  // compute capability, 10 * major + minor
};

inline const description& describe(instruction opcode) {
  using bankmodel::access_kind;
  static constexpr description table[instruction_count] = {
      {"load_1", access_kind::load, 1, 32, 0},
      {"load_2", access_kind::load, 2, 32, 0},
      {"load_4", access_kind::load, 4, 32, 0},
      {"load_8", access_kind::load, 8, 32, 0},
      {"load_16", access_kind::load, 16, 32, 0},
      {"store_1", access_kind::store, 1, 32, 0},
      {"store_2", access_kind::store, 2, 32, 0},
      {"store_4", access_kind::store, 4, 32, 0},
      {"store_8", access_kind::store, 8, 32, 0},
      {"store_16", access_kind::store, 16, 32, 0},
      {"atomic_4", access_kind::atomic, 4, 32, 0},
      {"load_matrix_1", access_kind::load_matrix, 16, 8, 75},
      {"load_matrix_2", access_kind::load_matrix, 16, 16, 75},
      {"load_matrix_4", access_kind::load_matrix, 16, 32, 75},
      {"store_matrix_1", access_kind::store_matrix, 16, 8, 90},
      {"store_matrix_2", access_kind::store_matrix, 16, 16, 90},
      {"store_matrix_4", access_kind::store_matrix, 16, 32, 90},
      {"copy_4", access_kind::copy, 4, 32, 80},
      {"copy_8", access_kind::copy, 8, 32, 80},
      {"copy_16", access_kind::copy, 16, 32, 80},
      {"copy_16_bypass", access_kind::copy_uncached, 16, 32, 80},
      {"copy_4_from", access_kind::copy, 4, 32, 80},
      {"copy_8_from", access_kind::copy, 8, 32, 80},
      {"copy_16_from", access_kind::copy, 16, 32, 80},
      {"copy_16_bypass_from", access_kind::copy_uncached, 16, 32, 80},
  };
  return table[static_cast<int>(opcode)];
}

inline bool is_matrix(instruction opcode) {
  return describe(opcode).kind == bankmodel::access_kind::load_matrix ||
         describe(opcode).kind == bankmodel::access_kind::store_matrix;
}
inline bool is_copy(instruction opcode) { return opcode >= instruction::copy_4; }
// The pattern is where it copies from, in global memory; the lanes write to places in order.
inline bool has_source_pattern(instruction opcode) { return opcode >= instruction::copy_4_from; }

// All instructions, for a loop.
inline instruction nth_instruction(int number) { return static_cast<instruction>(number); }

// Returns true if there is an instruction of this name, in `result`.
inline bool find_instruction(std::string_view name, instruction& result) {
  for (int number = 0; number < instruction_count; ++number)
    if (name == describe(nth_instruction(number)).name) {
      result = nth_instruction(number);
      return true;
    }
  return false;
}

}  // namespace hardware

#endif
