// SPDX-License-Identifier: MIT
// Barriers, shuffles and votes; atomic operations and copies of the prelude; AMD's intrinsics.
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstrTypes.h>

#include <algorithm>
#include <array>
#include <optional>

#include "../compiled/code/matrix_fragments.hpp"
#include "translation.hpp"

namespace compiled {

namespace {

struct shuffle_name {
  std::string_view prelude, nvvm;
  shuffle_kind kind;
};
constexpr shuffle_name shuffles[] = {
    {"__bankmodel_shuffle_index_", "llvm.nvvm.shfl.sync.idx.", shuffle_kind::index},
    {"__bankmodel_shuffle_up_", "llvm.nvvm.shfl.sync.up.", shuffle_kind::up},
    {"__bankmodel_shuffle_down_", "llvm.nvvm.shfl.sync.down.", shuffle_kind::down},
    {"__bankmodel_shuffle_butterfly_", "llvm.nvvm.shfl.sync.bfly.", shuffle_kind::butterfly}};

struct vote_name {
  std::string_view name;
  vote_kind kind;
  int predicate, mask;  // the arguments; -1: there is none
};
constexpr vote_name votes[] = {{"__bankmodel_vote_any", vote_kind::any, 0, -1},
                               {"__bankmodel_vote_all", vote_kind::all, 0, -1},
                               {"__bankmodel_vote_ballot", vote_kind::ballot, 0, -1},
                               {"__bankmodel_vote_active", vote_kind::active_mask, -1, -1},
                               {"__bankmodel_vote_any_sync", vote_kind::any, 0, 1},
                               {"__bankmodel_vote_all_sync", vote_kind::all, 0, 1},
                               {"__bankmodel_vote_ballot_sync", vote_kind::ballot, 0, 1},
                               {"llvm.nvvm.vote.any.sync", vote_kind::any, 1, 0},
                               {"llvm.nvvm.vote.all.sync", vote_kind::all, 1, 0},
                               {"llvm.nvvm.vote.uni.sync", vote_kind::uniform, 1, 0},
                               {"llvm.nvvm.vote.ballot.sync", vote_kind::ballot, 1, 0},
                               {"llvm.nvvm.activemask", vote_kind::active_mask, -1, -1}};

}  // namespace

// `control`: as PTX's operand c, the end of a segment and the mask of segments.
void translation::add_shuffle(const llvm::CallBase& call, shuffle_kind kind, unsigned value,
                              operand control) {
  instruction operation;
  operation.operation = opcode::shuffle;
  operation.shuffle = kind;
  operation.bits =
      static_cast<std::uint8_t>(widths_of(call.getArgOperand(value)->getType()).front());
  operation.operands = {value_of(call.getArgOperand(value)),
                        value_of(call.getArgOperand(value + 1)), control};
  add_with_results(std::move(operation), call);
}

bool translation::add_warp_call(std::string_view name, const llvm::CallBase& call) {
  for (const shuffle_name& shuffle : shuffles) {
    if (starts_with(name, shuffle.nvvm)) {  // mask, value, lane, control
      add_shuffle(call, shuffle.kind, 1, value_of(call.getArgOperand(3)));
      return true;
    }
    if (!starts_with(name, shuffle.prelude)) continue;
    const auto lanes = static_cast<std::uint64_t>(code_.lanes);  // value, lane, width
    const operand width = value_of(call.getArgOperand(2));
    operand control = computed(opcode::subtract, 32, {constant(lanes), width});
    control = computed(opcode::shift_left, 32, {control, constant(8)});
    if (shuffle.kind != shuffle_kind::up)
      control = computed(opcode::bit_or, 32, {control, constant(lanes - 1)});
    add_shuffle(call, shuffle.kind, 0, control);
    return true;
  }
  instruction operation;
  for (const vote_name& vote : votes) {
    if (name != vote.name) continue;
    operation.operation = opcode::vote;
    operation.vote = vote.kind;
    operation.bits = static_cast<std::uint8_t>(widths_of(call.getType()).front());
    if (vote.predicate >= 0) {
      llvm::Value* const predicate = call.getArgOperand(static_cast<unsigned>(vote.predicate));
      const int bits = widths_of(predicate->getType()).front();
      operation.operands = {computed(opcode::not_equal, bits, {value_of(predicate), constant(0)})};
    }
    if (vote.mask >= 0)
      operation.operands.push_back(value_of(call.getArgOperand(static_cast<unsigned>(vote.mask))));
    add_with_results(std::move(operation), call);
    return true;
  }
  const bool is_warp_barrier = name == "llvm.nvvm.bar.warp.sync";
  const bool is_unknown = name == "__match_any_sync" || starts_with(name, "__reduce_");
  if (name == "__bankmodel_meet" || is_warp_barrier || is_unknown) {
    instruction meets;
    meets.operation = opcode::warp_sync;
    meets.operands = {value_of(call.getArgOperand(0))};
    add(std::move(meets));
    if (!is_warp_barrier) return !is_unknown;
  }
  if (name == "__bankmodel_warp_sync" || is_warp_barrier || name == "llvm.amdgcn.wave.barrier" ||
      starts_with(name, "llvm.nvvm.membar.")) {
    operation.operation = opcode::warp_sync;
    add(std::move(operation));
    return true;
  }
  const bool has_result =
      starts_with(name, "__syncthreads_") || starts_with(name, "llvm.nvvm.barrier0.");
  if (has_result || name == "__bankmodel_barrier" || name == "llvm.nvvm.barrier0" ||
      starts_with(name, "llvm.nvvm.barrier.") || starts_with(name, "llvm.nvvm.bar.sync") ||
      starts_with(name, "llvm.amdgcn.s.barrier")) {
    operation.operation = opcode::barrier;
    const bool is_numbered = !has_result && call.arg_size() > 0;
    operation.operands = {is_numbered ? value_of(call.getArgOperand(0)) : constant(0)};
    if (is_numbered && call.arg_size() > 1)
      operation.operands.push_back(value_of(call.getArgOperand(1)));
    if (!has_result) {
      add(std::move(operation));
      return true;
    }
    llvm::Value* const predicate = call.getArgOperand(0);
    const int bits = widths_of(predicate->getType()).front();
    operation.operands.push_back(constant(0));
    operation.operands.push_back(
        computed(opcode::not_equal, bits, {value_of(predicate), constant(0)}));
    operation.vote = name.ends_with("and")  ? vote_kind::all
                     : name.ends_with("or") ? vote_kind::any
                                            : vote_kind::count;
    add_with_results(std::move(operation), call);
    return true;
  }
  return false;
}

// A matrix of wmma: __bankmodel_access_matrix() of the prelude.
void translation::add_matrix(const llvm::CallBase& call) {
  std::array<int, 10> arguments = {};
  for (unsigned i = 0; i < arguments.size(); ++i) {
    const auto* const known = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(i + 2));
    if (known == nullptr) return add_unknown_call("nvcuda::wmma::load_matrix_sync()", call);
    arguments[i] = static_cast<int>(known->getSExtValue());
  }
  const auto [use, m, n, k, bits, is_integer, is_row_major, is_store, has_memory, machine] =
      arguments;
  const matrix_fragment fragment = {static_cast<fragment_use>(use),
                                    m,
                                    n,
                                    k,
                                    bits,
                                    is_integer != 0,
                                    is_row_major != 0,
                                    is_store != 0};
  const llvm::Value* const first = call.getArgOperand(0);
  const bool is_shared = has_memory != 0 && memory_of(first) == memory_kind::shared;
  const fragment_accesses accesses = accesses_of(fragment, is_shared, machine);
  if (accesses.starts.empty())
    return add_unknown_call(fragment.is_store ? "nvcuda::wmma::store_matrix_sync()"
                                              : "nvcuda::wmma::load_matrix_sync()",
                            call);
  const instruction prototype =
      access(matrix_access_of(fragment, accesses), first, accesses.bytes, 1, 0);
  add_fragment(
      accesses, prototype.operands.front(), value_of(call.getArgOperand(1)),
      [&](opcode code, std::vector<operand> sources) {
        return computed(code, 64, std::move(sources));
      },
      [&](const operand& start) {
        instruction operation = prototype;
        operation.operands = {start};
        operation.memory.matrices = accesses.matrices;
        const int results = std::max(accesses.matrices, 1);
        for (int i = 0; i < results && !fragment.is_store; ++i)
          operation.results.push_back(new_register());
        if (fragment.is_store)
          operation.operands.push_back(unknown(1, "an element of a matrix").front());
        add(std::move(operation));
      });
}

// mma_sync() of wmma: its shape, and the bits of a number, as PTX has them.
void translation::add_product_of_matrices(const llvm::CallBase& call) {
  instruction product;
  product.operation = opcode::unknown;
  product.description = "wmma.mma.sync.aligned.row.col.";
  const auto number = [&](unsigned argument) {
    const auto* const known = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(argument));
    return known == nullptr ? 0 : known->getZExtValue();
  };
  for (unsigned side = 0; side < 3; ++side)
    product.description += "mnk"[side] + std::to_string(number(side));
  const std::uint64_t bits = number(3);
  const char* const type = bits == 16   ? "f16"
                           : bits == 32 ? "tf32"
                           : bits == 8  ? "s8"
                           : bits == 4  ? "s4"
                           : bits == 64 ? "f64"
                                        : "b1";
  product.description += command_line::joined(".f32.", type, ".", type, ".f32");
  add(std::move(product));
}

bool translation::add_memory_call(std::string_view name, const llvm::CallBase& call) {
  if (starts_with(name, "__bankmodel_atomic_")) {
    const int bits = std::stoi(std::string(name.substr(19)));
    add_atomic(call, call.getArgOperand(0), bits / 8);
    return true;
  }
  // Of an address, with a value: __builtin_amdgcn_ds_faddf() and the like.
  constexpr std::string_view atomics[] = {
      "llvm.amdgcn.ds.fadd.",           "llvm.amdgcn.ds.fmin.",
      "llvm.amdgcn.ds.fmax.",           "llvm.amdgcn.flat.atomic.fadd.",
      "llvm.amdgcn.flat.atomic.fmin.",  "llvm.amdgcn.flat.atomic.fmax.",
      "llvm.amdgcn.global.atomic.fadd."};
  if (std::ranges::any_of(atomics,
                          [&](std::string_view prefix) { return starts_with(name, prefix); })) {
    add_atomic(call, call.getArgOperand(0),
               static_cast<int>(layout_.getTypeStoreSize(call.getType()).getFixedValue()));
    return true;
  }
  const bool is_ldg = starts_with(name, "llvm.nvvm.ldg.") || starts_with(name, "llvm.nvvm.ldu.");
  if (is_ldg) {
    const std::vector<int> widths = widths_of(call.getType());
    instruction operation = access(access_does::load, call.getArgOperand(0), widths.front() / 8,
                                   static_cast<int>(widths.size()), 0);
    operation.memory.memory = memory_kind::global;
    add_with_results(std::move(operation), call);
    return true;
  }
  if (name == "__bankmodel_access_matrix") {
    add_matrix(call);
    return true;
  }
  if (name == "__bankmodel_multiply_matrices") {
    add_product_of_matrices(call);
    return true;
  }
  std::optional<int> bytes;
  bool is_uncached = false;
  if (name == "__bankmodel_copy_async") {
    const auto* const known = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(2));
    if (known == nullptr) {
      add_unknown_call("__pipeline_memcpy_async() of a size that is not constant", call);
      return true;
    }
    bytes = static_cast<int>(known->getZExtValue());
    is_uncached = *bytes == 16;  // cp.async.cg in cuda_pipeline_helpers.h
  } else if (starts_with(name, "llvm.nvvm.cp.async.") &&
             name.find(".shared.global.") != std::string_view::npos) {
    const auto last = name.substr(name.find(".shared.global.") + 15);
    bytes = last.substr(0, 2) == "16" ? 16 : last[0] - '0';
    is_uncached = starts_with(name, "llvm.nvvm.cp.async.cg.");
  }
  if (!bytes) return false;
  instruction operation = access(access_does::copy, call.getArgOperand(0), *bytes, 1, 0);
  operation.memory.memory = memory_kind::shared;
  operation.memory.offset = 0;
  operation.memory.uncached = is_uncached;
  operation.operands = {value_of(call.getArgOperand(0)), value_of(call.getArgOperand(1))};
  add(std::move(operation));
  return true;
}

bool translation::add_amd_call(std::string_view name, const llvm::CallBase& call) {
  const auto argument = [&](unsigned number) { return value_of(call.getArgOperand(number)); };
  const auto lanes = static_cast<std::uint64_t>(code_.lanes);
  const auto shuffle_from = [&](operand value, operand lane) {
    instruction operation;
    operation.operation = opcode::shuffle;
    operation.shuffle = shuffle_kind::index;
    operation.bits = 32;
    operation.operands = {value, computed(opcode::bit_and, 32, {lane, constant(lanes - 1)}),
                          constant(lanes - 1)};
    add_with_results(std::move(operation), call);
    return true;
  };
  if (name == "llvm.amdgcn.ds.bpermute")  // lane * 4, value
    return shuffle_from(argument(1),
                        computed(opcode::shift_right_unsigned, 32, {argument(0), constant(2)}));
  const bool has_32_bits = widths_of(call.getType()) == std::vector<int>{32};
  if (starts_with(name, "llvm.amdgcn.readlane") && has_32_bits)
    return shuffle_from(argument(0), argument(1));
  if (starts_with(name, "llvm.amdgcn.readfirstlane") && has_32_bits) {
    instruction active;
    active.operation = opcode::vote;
    active.vote = vote_kind::active_mask;
    active.bits = static_cast<std::uint8_t>(lanes);
    const operand mask = new_operand();
    active.results = {static_cast<int>(mask.value)};
    add(std::move(active));
    return shuffle_from(argument(0), lowest_bit(mask, static_cast<int>(lanes)));
  }
  const bool low = name == "llvm.amdgcn.mbcnt.lo";
  if (low || name == "llvm.amdgcn.mbcnt.hi") {  // a mask, and what is added
    const auto* const mask = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
    if (mask == nullptr || !mask->isMinusOne()) return false;
    const operand lane{operand::kind::special, static_cast<std::uint64_t>(special::lane)};
    const operand in_low = computed(opcode::minimum_unsigned, 32, {lane, constant(32)});
    const operand count = low ? in_low : computed(opcode::subtract, 32, {lane, in_low});
    set(call, {computed(opcode::add, 32, {count, argument(1)})});
    return true;
  }
  return false;
}

}  // namespace compiled
