// SPDX-License-Identifier: MIT
#include "address_origins.hpp"

#include <algorithm>

#include "control_flow.hpp"

namespace compiled {

namespace {

// The array that a value is an address in. Values only become less certain: unwritten, then a
// number or an array, then several.
struct address_origin {
  static constexpr int unwritten = -3, number = -2, several = -1;
  int array = unwritten;
  bool is_mapped = false;  // to a block of the cluster
  bool operator==(const address_origin&) const = default;
};

bool is_array(const address_origin& one) { return one.array >= 0; }

class origin_finder {
 public:
  explicit origin_finder(const kernel_code& kernel)
      : registers_(static_cast<std::size_t>(kernel.registers)) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const code_block& block : kernel.blocks)
        for (const instruction& one : block.instructions)
          for (const int to : one.to) {
            address_origin& now = registers_[static_cast<std::size_t>(to)];
            const address_origin next = either(now, result_of(one));
            changed = changed || next != now;
            now = next;
          }
    }
  }

  address_origin of(const operand& one) const {
    switch (one.is) {
      case operand::kind::reg: return registers_[static_cast<std::size_t>(one.value)];
      case operand::kind::shared_array: return {static_cast<int>(one.value)};
      default: return {address_origin::number};
    }
  }

 private:
  static address_origin either(const address_origin& one, const address_origin& other) {
    if (one.array == address_origin::unwritten) return other;
    if (other.array == address_origin::unwritten) return one;
    return {one.array == other.array ? one.array : address_origin::several,
            one.is_mapped || other.is_mapped};
  }
  // An array and a distance from it.
  static address_origin sum(const address_origin& one, const address_origin& other) {
    address_origin result{address_origin::several, one.is_mapped || other.is_mapped};
    if (one.array == address_origin::unwritten || other.array == address_origin::unwritten)
      result.array = address_origin::unwritten;
    else if (one.array == address_origin::number || other.array == address_origin::number)
      result.array = std::max(one.array, other.array);
    return result;
  }

  address_origin result_of(const instruction& one) const {
    const auto from = [&](std::size_t at) { return of(one.from[at]); };
    switch (one.does) {
      case opcode::move: return from(0);
      case opcode::extend_signed:
      case opcode::extend_unsigned:
        if (is_array(from(0)) && std::min(one.bits, one.from_bits) < 32)
          return {address_origin::number};
        return from(0);
      case opcode::map_to_block: return {from(0).array, true};
      case opcode::add:
      case opcode::bit_or:   // where bits of the array's address are known to be 0
      case opcode::bit_and:  // an address that is rounded stays in its array
        return sum(from(0), from(1));
      case opcode::subtract:
        if (is_array(from(0)) && is_array(from(1))) return {address_origin::number};
        if (is_array(from(1))) return {address_origin::several, from(0).is_mapped};
        return sum(from(0), from(1));
      case opcode::select: return either(from(1), from(2));
      case opcode::equal:
      case opcode::not_equal:
      case opcode::less_signed:
      case opcode::less_equal_signed:
      case opcode::less_unsigned:
      case opcode::less_equal_unsigned:
      case opcode::vote:
      case opcode::barrier:
      case opcode::unknown:
      // A number, as an index; an address that was loaded is of no array that is known here.
      case opcode::access: return {address_origin::number};
      default: break;
    }
    address_origin result{address_origin::number};
    for (const operand& each : one.from) {
      const address_origin given = of(each);
      if (given.array == address_origin::unwritten) return given;
      if (given.array != address_origin::number) result.array = address_origin::several;
      result.is_mapped = result.is_mapped || given.is_mapped;
    }
    return result;
  }

  std::vector<address_origin> registers_;
};

}  // namespace

void set_address_origins(kernel_code& of) {
  const origin_finder origins(of);
  for (code_block& block : of.blocks)
    for (instruction& one : block.instructions) {
      const bool may_be_shared =
          is_shared_only(one.memory) || one.memory.memory == memory_kind::generic;
      if (one.does != opcode::access || one.from.empty() || !may_be_shared) continue;
      const address_origin origin = origins.of(one.from[0]);
      if (is_array(origin)) one.memory.shared_array = origin.array;
      if (origin.is_mapped) one.memory.may_be_of_cluster = true;
    }
}

}  // namespace compiled
