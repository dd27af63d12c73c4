// SPDX-License-Identifier: MIT
// PTX's instructions for units beside the warps: barrier objects, bulk copies, and matrices that
// tensor cores read from shared memory. Source: NVIDIA, Parallel Thread Execution ISA 9.0, the
// instructions by these names.
#include <algorithm>
#include <optional>

#include "ptx_emitter.hpp"

namespace compiled {

namespace {

struct unit_use {
  memory_unit unit = memory_unit::warp;  // warp: shared and global memory are not accessed
  bool changes_shared = false, changes_global = false;
  int address = -1;  // the number of the operand with the address in shared memory
};

unit_use bulk_copy(const ptx_statement& statement) {
  if (has_part(statement, "prefetch")) return {};
  const auto find_part = [&](std::string_view part) {
    return std::ranges::find_if(statement.parts,
                                [&](std::string_view other) { return other.starts_with(part); });
  };
  const auto shared = find_part("shared"), global = find_part("global");
  // Each block of the cluster may write to the others.
  if (global == statement.parts.end()) return {memory_unit::copy_engine, true};
  const bool is_to_shared = shared < global;
  return {memory_unit::copy_engine, is_to_shared, !is_to_shared, is_to_shared ? 0 : 1};
}

unit_use tensor_memory(const ptx_statement& statement) {
  const std::string_view operation =
      statement.parts.size() > 1 ? statement.parts[1] : std::string_view();
  // The address in tensor memory that was allocated is stored.
  if (operation == "alloc") return {memory_unit::tensor_core, true, false, 0};
  if (operation == "commit") return {memory_unit::barrier_object, false, false, 0};
  if (operation == "mma" || operation == "cp") return {memory_unit::tensor_core};
  return {};
}

// Nothing: it is no instruction for one of them.
std::optional<unit_use> use_of_unit(const ptx_statement& statement) {
  const std::string_view name = statement.parts[0];
  const auto is = [&](std::string_view part) { return has_part(statement, part); };
  if (name == "mbarrier" || (name == "cp" && is("mbarrier"))) {
    const bool waits = is("test_wait") || is("try_wait");
    const int address =
        statement.operands.empty() || statement.operands[0].is == ptx_term::kind::address ? 0 : 1;
    if (is("pending_count")) return unit_use{};
    // Others have stored before they arrived.
    return unit_use{memory_unit::barrier_object, waits, false, address};
  }
  if (name == "cp" && is("bulk")) return bulk_copy(statement);
  if ((name == "st" || name == "red") && (is("async") || is("bulk")))
    return unit_use{memory_unit::copy_engine, true, false, is("bulk") ? 0 : -1};
  if (name == "tensormap")
    return unit_use{memory_unit::copy_engine, names_shared(statement), is("global"), -1};
  if (name == "clusterlaunchcontrol")
    return is("try_cancel") ? unit_use{memory_unit::copy_engine, true, false, 0} : unit_use{};
  if (name == "wgmma") return is("mma_async") ? unit_use{memory_unit::tensor_core} : unit_use{};
  if (name == "tcgen05") return tensor_memory(statement);
  return std::nullopt;
}

}  // namespace

bool ptx_emitter::emit_unit(const ptx_statement& statement) {
  const std::optional<unit_use> use = use_of_unit(statement);
  if (!use) return false;
  std::vector<operand> operands;
  if (use->address >= 0) {
    memory_access memory;
    const operand base =
        address(statement, operand_term(statement, static_cast<std::size_t>(use->address)), memory);
    operands.push_back(sum(base, memory.offset));
  }
  const std::vector<int> results = results_of(statement);
  const bool waits = use->unit == memory_unit::barrier_object && use->changes_shared;
  instruction& added =
      add_unknown(statement, 64, waits ? std::vector<int>{} : results, std::move(operands));
  added.unit = use->unit;
  added.may_access_shared = use->changes_shared;
  added.may_access_global = use->changes_global;
  // A program that ends waits no longer than for what it waits for.
  if (waits)
    for (const int result : results) add(opcode::move, 1, {result}, {constant_operand(1)});
  return true;
}

// elect.sync d|p, mask: PTX does not say which lane it is; it is taken to be the lowest.
bool ptx_emitter::emit_election(const ptx_statement& statement) {
  if (statement.parts[0] != "elect" || statement.operands.size() != 2) return false;
  emit_meeting(statement);
  const operand mask = source(statement, 1, 32);
  const std::vector<int> results = destinations(statement, statement.operands[0]);
  const operand lower_lanes =
      computed(opcode::bit_and, 32,
               {mask, {operand::kind::special, static_cast<std::uint64_t>(special::lanes_below)}});
  const int is_elected = results.size() > 1 ? results[1] : new_register();
  add(opcode::equal, 32, {is_elected}, {lower_lanes, constant_operand(0)}).description =
      std::string(statement.name);
  const operand reversed = computed(opcode::reverse_bits, 32, {mask});
  add(opcode::count_leading_zeros, 32, {results.at(0)}, {reversed});
  return true;
}

}  // namespace compiled
