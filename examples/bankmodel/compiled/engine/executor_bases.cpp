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

bool is_uniform(const lane_values& of, std::uint64_t lanes) {
  const std::uint64_t first = of[std::countr_zero(lanes)];
  bool result = true;
  for_each_lane(lanes, [&](int lane) { result = result && of[lane] == first; });
  return result;
}

bool is_comparison(opcode does) {
  return does >= opcode::equal && does <= opcode::less_equal_unsigned;
}

// Of distances from one base, which do not wrap around.
bool compared(opcode does, std::int64_t left, std::int64_t right) {
  switch (does) {
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

void executor::set_loaded_base(warp& of, const instruction& one, int number, std::uint64_t lanes) {
  std::uint64_t* const values = of.registers.values(number);
  for_each_lane(lanes, [&](int lane) { values[lane] = 0; });
  of.registers.set_base(number,
                        new_base(lanes, one.memory.gives_pointers ? aligned_pointer_bits : 0));
  if (one.memory.gives_pointers)
    note(
        "pointers that are loaded are taken as multiples of 256 bytes, as cudaMalloc returns them");
}

// An unknown argument is its own base.
unknown_base executor::base_of(const warp& of, const step& one, std::size_t number) const {
  const operand_reference& to = one.from[number];
  switch (to.in) {
    case operand_reference::table::registers: return of.registers.base(to.at);
    case operand_reference::table::specials: return {};
    default:
      return {prepared_.fixed(to.at).unknown,
              first_of_arguments + static_cast<std::uint64_t>(to.at), 0};
  }
}

// Requires: some operand of each active lane is unknown. Distances are written to `to`.
executor::result_base executor::base_of_result(const warp& of, const step& one,
                                               std::uint64_t active, const lane_values* from,
                                               std::uint64_t* to) {
  const instruction& does = *one.does;
  const std::size_t count = one.from.size();
  if (count == 0 || count > 4) return {};
  unknown_base bases[4];
  bool has_base[4] = {}, are_uniform = true;
  for (std::size_t number = 0; number < count; ++number) {
    has_base[number] = (from[number].unknown & active) != 0;
    if (has_base[number]) bases[number] = base_of(of, one, number);
    const std::uint64_t based = bases[number].lanes & from[number].unknown;
    if (has_base[number] && (active & ~based) != 0) return {};
    are_uniform = are_uniform && is_uniform(from[number], active);
  }
  // The same operation on the same values.
  const auto uniform_result = [&]() -> result_base {
    if (!are_uniform) return {};
    for_each_lane(active, [&](int lane) { to[lane] = 0; });
    return {new_base(active)};
  };
  const int bits = does.bits;
  const auto set_distances = [&](const auto& distance) {
    for_each_lane(active, [&](int lane) { to[lane] = distance(lane) & low_bits(bits); });
  };
  const auto based_result = [&](const unknown_base& base, const auto& distance) -> result_base {
    set_distances(distance);
    return {{active, base.number, base.zeros}};
  };
  const bool has_single = count < 2 || has_base[0] != has_base[1];
  const unknown_base& its = has_base[0] ? bases[0] : bases[1];
  const bool is_same =
      count == 2 && has_base[0] && has_base[1] && bases[0].number == bases[1].number;
  const auto signed_distance = [&](std::size_t number, int lane) {
    return static_cast<std::int64_t>(sign_extended(from[number][lane], bits));
  };
  if (is_same && is_comparison(does.does)) {
    for_each_lane(active, [&](int lane) {
      to[lane] = compared(does.does, signed_distance(0, lane), signed_distance(1, lane)) ? 1 : 0;
    });
    return {{}, true};
  }
  switch (does.does) {
    case opcode::move: return based_result(its, [&](int lane) { return from[0][lane]; });
    case opcode::add: {
      const auto sum = [&](int lane) { return from[0][lane] + from[1][lane]; };
      if (has_single) return based_result(its, sum);
      const int zeros = std::min(bases[0].zeros, bases[1].zeros);
      return based_result(new_base(active, zeros + (is_same ? 1 : 0)), sum);
    }
    case opcode::subtract: {
      const auto difference = [&](int lane) { return from[0][lane] - from[1][lane]; };
      if (is_same) {
        set_distances(difference);
        return {{}, true};
      }
      if (has_single && has_base[0]) return based_result(its, difference);
      const int zeros = has_single ? its.zeros : std::min(bases[0].zeros, bases[1].zeros);
      return based_result(new_base(active, zeros), difference);
    }
    case opcode::multiply: {
      const lane_values& factor = from[has_base[0] ? 1 : 0];
      if (!has_single || !is_uniform(factor, active)) return uniform_result();
      const std::uint64_t by = factor[std::countr_zero(active)] & low_bits(bits);
      if (by == 0) return uniform_result();
      return based_result(new_base(active, its.zeros + std::countr_zero(by)),
                          [&](int lane) { return from[0][lane] * from[1][lane]; });
    }
    case opcode::shift_left: {
      if (!has_base[0] || has_base[1] || !is_uniform(from[1], active)) return uniform_result();
      const std::uint64_t by = from[1][std::countr_zero(active)];
      if (by >= static_cast<std::uint64_t>(bits)) return uniform_result();
      return based_result(new_base(active, its.zeros + static_cast<int>(by)),
                          [&](int lane) { return from[0][lane] << by; });
    }
    case opcode::bit_or: {
      // Into bits of the base that are 0.
      const lane_values &based = from[has_base[0] ? 0 : 1], &other = from[has_base[0] ? 1 : 0];
      bool is_disjoint = has_single;
      for_each_lane(active, [&](int lane) {
        is_disjoint = is_disjoint && based[lane] == 0 &&
                      (other[lane] & low_bits(bits) & ~low_bits(its.zeros)) == 0;
      });
      if (!is_disjoint) return uniform_result();
      return based_result(its, [&](int lane) { return other[lane]; });
    }
    case opcode::extend_signed:
    case opcode::extend_unsigned: {
      const bool is_wider = bits > does.from_bits;
      if (is_wider && does.does == opcode::extend_unsigned && !are_uniform)
        note(
            "indexes without a sign that are computed from unknown values are taken not to wrap "
            "around");
      return based_result(new_base(active, its.zeros), [&](int lane) {
        return is_wider ? sign_extended(from[0][lane], does.from_bits) : from[0][lane];
      });
    }
    default: return uniform_result();
  }
}

}  // namespace compiled
