// SPDX-License-Identifier: MIT
// Unknown values that lanes share, but for known distances: `row * n + threadIdx.x` of a row that
// all of them have loaded.
#include <algorithm>
#include <bit>

#include "executor.hpp"

namespace compiled {

namespace {

constexpr int aligned_pointer_bits = 8;
constexpr std::uint64_t first_of_arguments = std::uint64_t{1} << 63;

bool is_uniform(const lane_values& values, std::uint64_t lanes) {
  const std::uint64_t first = values[std::countr_zero(lanes)];
  bool result = true;
  for_each_lane(lanes, [&](int lane) { result = result && values[lane] == first; });
  return result;
}

// Of distances from one base, which do not wrap around.
bool compared(opcode comparison, std::int64_t left, std::int64_t right) {
  switch (comparison) {
    case opcode::equal: return left == right;
    case opcode::not_equal: return left != right;
    case opcode::less_signed:
    case opcode::less_unsigned: return left < right;
    default: return left <= right;
  }
}

}  // namespace

unknown_base executor::new_base(std::uint64_t lanes, int zeros) {
  return {lanes, ++bases_, std::min(zeros, 63)};
}

void executor::set_loaded_base(warp& current, const instruction& code, int number,
                               std::uint64_t lanes) {
  std::uint64_t* const values = current.registers.values(number);
  for_each_lane(lanes, [&](int lane) { values[lane] = 0; });
  current.registers.set_base(
      number, new_base(lanes, code.memory.gives_pointers ? aligned_pointer_bits : 0));
  if (code.memory.gives_pointers)
    note(
        "pointers that are loaded are taken as multiples of 256 bytes, as cudaMalloc returns them");
}

// An unknown argument is its own base.
unknown_base executor::base_of(const warp& current, const step& action, std::size_t number) const {
  const operand_reference& operand = action.operands[number];
  switch (operand.storage) {
    case operand_reference::table::registers: return current.registers.base(operand.index);
    case operand_reference::table::specials: return {};
    default:
      return {prepared_.fixed(operand.index).unknown,
              first_of_arguments + static_cast<std::uint64_t>(operand.index), 0};
  }
}

// Requires: some operand of each active lane is unknown. Distances are written to `results`.
executor::result_base executor::base_of_result(const warp& current, const step& action,
                                               std::uint64_t active, const lane_values* operands,
                                               std::uint64_t* results) {
  const instruction& code = *action.code;
  const std::size_t count = action.operands.size();
  if (count == 0 || count > 4) return {};
  unknown_base bases[4];
  bool has_base[4] = {}, are_uniform = true;
  for (std::size_t number = 0; number < count; ++number) {
    has_base[number] = (operands[number].unknown & active) != 0;
    if (has_base[number]) bases[number] = base_of(current, action, number);
    const std::uint64_t based = bases[number].lanes & operands[number].unknown;
    if (has_base[number] && (active & ~based) != 0) return {};
    are_uniform = are_uniform && is_uniform(operands[number], active);
  }
  // The same operation on the same values.
  const auto uniform_result = [&]() -> result_base {
    if (!are_uniform) return {};
    for_each_lane(active, [&](int lane) { results[lane] = 0; });
    return {new_base(active)};
  };
  const int bits = code.bits;
  const auto set_distances = [&](const auto& distance) {
    for_each_lane(active, [&](int lane) { results[lane] = distance(lane) & low_bits(bits); });
  };
  const auto based_result = [&](const unknown_base& base, const auto& distance) -> result_base {
    set_distances(distance);
    return {{active, base.number, base.zeros}};
  };
  const bool has_single = count < 2 || has_base[0] != has_base[1];
  const unknown_base& single_base = has_base[0] ? bases[0] : bases[1];
  const bool is_same =
      count == 2 && has_base[0] && has_base[1] && bases[0].number == bases[1].number;
  const auto signed_distance = [&](std::size_t number, int lane) {
    return static_cast<std::int64_t>(sign_extended(operands[number][lane], bits));
  };
  if (is_same && is_comparison(code.operation)) {
    for_each_lane(active, [&](int lane) {
      results[lane] =
          compared(code.operation, signed_distance(0, lane), signed_distance(1, lane)) ? 1 : 0;
    });
    return {{}, true};
  }
  switch (code.operation) {
    case opcode::move:
      return based_result(single_base, [&](int lane) { return operands[0][lane]; });
    case opcode::add: {
      const auto sum = [&](int lane) { return operands[0][lane] + operands[1][lane]; };
      if (has_single) return based_result(single_base, sum);
      const int zeros = std::min(bases[0].zeros, bases[1].zeros);
      return based_result(new_base(active, zeros + (is_same ? 1 : 0)), sum);
    }
    case opcode::subtract: {
      const auto difference = [&](int lane) { return operands[0][lane] - operands[1][lane]; };
      if (is_same) {
        set_distances(difference);
        return {{}, true};
      }
      if (has_single && has_base[0]) return based_result(single_base, difference);
      const int zeros = has_single ? single_base.zeros : std::min(bases[0].zeros, bases[1].zeros);
      return based_result(new_base(active, zeros), difference);
    }
    case opcode::multiply: {
      const lane_values& factor = operands[has_base[0] ? 1 : 0];
      if (!has_single || !is_uniform(factor, active)) return uniform_result();
      const std::uint64_t multiplier = factor[std::countr_zero(active)] & low_bits(bits);
      if (multiplier == 0) return uniform_result();
      return based_result(new_base(active, single_base.zeros + std::countr_zero(multiplier)),
                          [&](int lane) { return operands[0][lane] * operands[1][lane]; });
    }
    case opcode::shift_left: {
      if (!has_base[0] || has_base[1] || !is_uniform(operands[1], active)) return uniform_result();
      const std::uint64_t shift = operands[1][std::countr_zero(active)];
      if (shift >= static_cast<std::uint64_t>(bits)) return uniform_result();
      return based_result(new_base(active, single_base.zeros + static_cast<int>(shift)),
                          [&](int lane) { return operands[0][lane] << shift; });
    }
    case opcode::bit_or: {
      // Into bits of the base that are 0.
      const lane_values &based = operands[has_base[0] ? 0 : 1],
                        &other = operands[has_base[0] ? 1 : 0];
      bool is_disjoint = has_single;
      for_each_lane(active, [&](int lane) {
        is_disjoint = is_disjoint && based[lane] == 0 &&
                      (other[lane] & low_bits(bits) & ~low_bits(single_base.zeros)) == 0;
      });
      if (!is_disjoint) return uniform_result();
      return based_result(single_base, [&](int lane) { return other[lane]; });
    }
    case opcode::extend_signed:
    case opcode::extend_unsigned: {
      const bool is_wider = bits > code.from_bits;
      if (is_wider && code.operation == opcode::extend_unsigned && !are_uniform)
        note(
            "indexes without a sign that are computed from unknown values are taken not to wrap "
            "around");
      return based_result(new_base(active, single_base.zeros), [&](int lane) {
        return is_wider ? sign_extended(operands[0][lane], code.from_bits) : operands[0][lane];
      });
    }
    default: return uniform_result();
  }
}

}  // namespace compiled
