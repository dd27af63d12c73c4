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

bool is_array(const address_origin& origin) { return origin.array >= 0; }

class origin_finder {
 public:
  explicit origin_finder(const kernel_code& kernel)
      : registers_(static_cast<std::size_t>(kernel.registers)) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const code_block& block : kernel.blocks)
        for (const instruction& operation : block.instructions)
          for (const int destination : operation.results) {
            address_origin& current = registers_[slot(destination)];
            const address_origin next = either(current, result_of(operation));
            changed = changed || next != current;
            current = next;
          }
    }
  }

  address_origin find(const operand& source) const {
    switch (source.is) {
      case operand::kind::reg: return registers_[static_cast<std::size_t>(source.value)];
      case operand::kind::shared_array: return {static_cast<int>(source.value)};
      default: return {address_origin::number};
    }
  }

 private:
  static address_origin either(const address_origin& first, const address_origin& other) {
    if (first.array == address_origin::unwritten) return other;
    if (other.array == address_origin::unwritten) return first;
    return {first.array == other.array ? first.array : address_origin::several,
            first.is_mapped || other.is_mapped};
  }
  // An array and a distance from it.
  static address_origin sum(const address_origin& first, const address_origin& other) {
    address_origin result{address_origin::several, first.is_mapped || other.is_mapped};
    if (first.array == address_origin::unwritten || other.array == address_origin::unwritten)
      result.array = address_origin::unwritten;
    else if (first.array == address_origin::number || other.array == address_origin::number)
      result.array = std::max(first.array, other.array);
    return result;
  }

  address_origin result_of(const instruction& operation) const {
    const auto origin = [&](std::size_t position) { return find(operation.operands[position]); };
    switch (operation.operation) {
      case opcode::move: return origin(0);
      case opcode::extend_signed:
      case opcode::extend_unsigned:
        if (is_array(origin(0)) && std::min(operation.bits, operation.from_bits) < 32)
          return {address_origin::number};
        return origin(0);
      case opcode::map_to_block: return {origin(0).array, true};
      case opcode::add:
      case opcode::bit_or:   // where bits of the array's address are known to be 0
      case opcode::bit_and:  // an address that is rounded stays in its array
        return sum(origin(0), origin(1));
      case opcode::subtract:
        if (is_array(origin(0)) && is_array(origin(1))) return {address_origin::number};
        if (is_array(origin(1))) return {address_origin::several, origin(0).is_mapped};
        return sum(origin(0), origin(1));
      case opcode::select: return either(origin(1), origin(2));
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
    for (const operand& source : operation.operands) {
      const address_origin known = find(source);
      if (known.array == address_origin::unwritten) return known;
      if (known.array != address_origin::number) result.array = address_origin::several;
      result.is_mapped = result.is_mapped || known.is_mapped;
    }
    return result;
  }

  std::vector<address_origin> registers_;
};

}  // namespace

void set_address_origins(kernel_code& kernel) {
  const origin_finder origins(kernel);
  for (code_block& block : kernel.blocks)
    for (instruction& operation : block.instructions) {
      const bool may_be_shared =
          is_shared_only(operation.memory) || operation.memory.memory == memory_kind::generic;
      if (operation.operation != opcode::access || operation.operands.empty() || !may_be_shared)
        continue;
      const address_origin origin = origins.find(operation.operands[0]);
      if (is_array(origin)) operation.memory.shared_array = origin.array;
      if (origin.is_mapped) operation.memory.may_be_of_cluster = true;
    }
}

}  // namespace compiled
