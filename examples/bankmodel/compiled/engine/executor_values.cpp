// SPDX-License-Identifier: MIT
// Runs that compute all values. What nobody evaluates, exp(), products of matrices, numbers of 16
// bits, is a number that the operands decide: two runs with the same operands have the same one.
#include <algorithm>

#include "executor.hpp"

namespace compiled {

namespace {

// In place of what nobody ever wrote, and of what changes shared memory without the warp.
constexpr std::uint64_t unwritten_value = 0x5bd1e995;

std::uint64_t number_of(const std::string& text) {
  std::uint64_t result = 0;
  for (const char letter : text) result = mixed(result, static_cast<unsigned char>(letter));
  return result;
}

// Random bits that are a number from 1 to 2 as a float of 32 and of 64 bits: sums and products of
// large numbers soon are infinite, whatever they are of.
std::uint64_t made_up(std::uint64_t random) {
  constexpr std::uint64_t ones = 0x3ff00000'3f800000, fractions = 0x000fffff'007fffff;
  return ones | (random & fractions);
}

// Results that operands decide, and no memory.
bool is_function(const instruction& code) {
  if (code.operation == opcode::unknown)
    return !code.may_access_shared && !code.may_access_global && code.unit == memory_unit::warp;
  return code.operation != opcode::access && code.operation != opcode::map_to_block;
}

}  // namespace

executor::values_by_lane executor::inputs_of(const warp& current, const step& action,
                                             std::uint64_t active) const {
  values_by_lane result;
  const instruction& code = *action.code;
  result.fill(unwritten_value);
  // Integers are computed, but for a division by 0.
  if (!is_function(code) || code.operation < opcode::floating) return result;
  const std::uint64_t kind = mixed(static_cast<std::uint64_t>(code.operation) << 16 |
                                       static_cast<std::uint64_t>(code.floating) << 8 | code.bits,
                                   number_of(code.description));
  result.fill(kind);
  for (std::size_t number = 0; number < action.operands.size(); ++number) {
    const lane_values source = operand_of(current, action, number);
    for_each_lane(active, [&](int lane) {
      const std::uint64_t value = has(source.unknown, lane) ? unwritten_value : source[lane];
      result[slot(lane)] = mixed(result[slot(lane)], value);
    });
  }
  return result;
}

// Of an instruction that was executed, the results that are not known.
void executor::make_up_results(warp& current, const instruction& code, std::uint64_t active,
                               const values_by_lane& inputs) {
  for (std::size_t number = 0; number < code.results.size(); ++number) {
    const int target = code.results[number];
    const std::uint64_t unknown = current.registers[target].unknown & active;
    if (unknown == 0) continue;
    std::uint64_t* const values = current.registers.values(target);
    for_each_lane(unknown,
                  [&](int lane) { values[lane] = made_up(mixed(inputs[slot(lane)], number)); });
    current.registers.mark(target, unknown, 0, no_origin);
  }
}

// Loads, stores, and atomic operations, each of which adds a number that its operands decide: their
// order does not matter. `load(address, bytes)` returns the content; `store(address, bytes,
// value)`.
template <class Load, class Store>
void executor::transfer(warp& current, const step& action, std::uint64_t lanes,
                        const std::uint64_t* address, const Load& load, const Store& store) {
  const instruction& code = *action.code;
  const memory_access& memory = code.memory;
  const int bytes = std::min(memory.bytes, 8);
  const auto content = [&](int, std::uint64_t byte) { return load(byte, bytes); };
  if (memory.operation != access_does::store)
    load_elements(current, code, lanes, address, 0, content);
  if (memory.operation == access_does::load) return;
  for (std::size_t number = 1; number < action.operands.size(); ++number) {
    const lane_values source = operand_of(current, action, number);
    const std::uint64_t distance =
        memory.operation == access_does::store ? (number - 1) * slot(memory.bytes) : 0;
    for_each_lane(lanes, [&](int lane) {
      const std::uint64_t byte = address[lane] + distance;
      const std::uint64_t value = has(source.unknown, lane) ? unwritten_value : source[lane];
      if (memory.operation == access_does::store)
        for (int piece = 0; piece < memory.bytes; piece += 8)
          store(byte + slot(piece), std::min(8, memory.bytes - piece),
                piece == 0 ? value : mixed(value, slot(piece)));
      else
        store(byte, bytes, load(byte, bytes).value + mixed(value, number));
    });
  }
}

void executor::transfer_global(warp& current, const step& action, std::uint64_t lanes,
                               const std::uint64_t* address) {
  transfer(
      current, action, lanes, address,
      [&](std::uint64_t byte, int bytes) {
        return tracked_bytes::content{values_->load(byte, bytes), no_origin};
      },
      [&](std::uint64_t byte, int bytes, std::uint64_t value) {
        values_->store(byte, bytes, value);
      });
}

// All bytes are in shared memory.
void executor::transfer_shared(warp& current, const step& action, std::uint64_t lanes,
                               const std::uint64_t* address) {
  if (action.code->memory.operation == access_does::copy)
    return copy_values(current, action, lanes, address);
  if (action.code->memory.matrices > 0) return;  // transfer_matrices()
  transfer(
      current, action, lanes, address,
      [&](std::uint64_t byte, int bytes) { return shared_.load(byte, bytes); },
      [&](std::uint64_t byte, int bytes, std::uint64_t value) {
        shared_.store(byte, bytes, value);
      });
}

// cp.async: operands[2], if present, is how many bytes are loaded; the rest is 0.
void executor::copy_values(warp& current, const step& action, std::uint64_t lanes,
                           const std::uint64_t* address) {
  const auto bytes = static_cast<std::uint64_t>(action.code->memory.bytes);
  const lane_values source = operand_of(current, action, 1);
  const lane_values size =
      action.operands.size() > 2 ? operand_of(current, action, 2) : lane_values{};
  for_each_lane(lanes, [&](int lane) {
    const std::uint64_t loaded = size.value == nullptr ? bytes : std::min(size[lane], bytes);
    for (std::uint64_t byte = 0; byte < bytes; ++byte)
      shared_.store(address[lane] + byte, 1,
                    byte < loaded ? values_->load(source[lane] + byte, 1) : 0);
  });
}

// ldmatrix and stmatrix: of each matrix, eight lanes have the address of a row of 16 bytes. Which
// elements a lane gets is not modelled: it gets a number that all elements and the lane decide.
void executor::transfer_matrices(warp& current, const step& action, std::uint64_t active,
                                 std::uint64_t addressing, const std::uint64_t* address) {
  const instruction& code = *action.code;
  const bool loads = code.memory.operation == access_does::load_matrix;
  constexpr std::uint64_t row_bytes = 16;
  constexpr int rows = 8;
  const auto is_inside = [&](int lane) {
    return has(addressing, lane) && address[lane] + row_bytes <= shared_.size();
  };
  for (int matrix = 0; matrix < code.memory.matrices; ++matrix) {
    std::uint64_t elements = mixed(slot(matrix));
    if (loads) {
      for (int lane = rows * matrix; lane < rows * (matrix + 1); ++lane)
        for (std::uint64_t byte = 0; is_inside(lane) && byte < row_bytes; byte += 8) {
          const tracked_bytes::content content = shared_.load(address[lane] + byte, 8);
          elements = mixed(elements, content.origin == no_origin ? content.value : unwritten_value);
        }
      if (slot(matrix) >= code.results.size()) continue;
      const int target = code.results[slot(matrix)];
      std::uint64_t* const values = current.registers.values(target);
      for_each_lane(active, [&](int lane) { values[lane] = made_up(mixed(elements, slot(lane))); });
      current.registers.mark(target, active, 0, no_origin);
      continue;
    }
    if (slot(matrix) + 1 >= action.operands.size()) continue;
    const lane_values source = operand_of(current, action, slot(matrix) + 1);
    for_each_lane(active, [&](int lane) {
      elements = mixed(elements, has(source.unknown, lane) ? unwritten_value : source[lane]);
    });
    for (int lane = rows * matrix; lane < rows * (matrix + 1); ++lane)
      for (std::uint64_t byte = 0; is_inside(lane) && byte < row_bytes; byte += 8)
        shared_.store(address[lane] + byte, 8, mixed(elements, slot(lane) * row_bytes + byte));
  }
}

}  // namespace compiled
