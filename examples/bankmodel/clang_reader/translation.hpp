// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include <array>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../compiled/ptx/ptx_reader.hpp"
#include "front_end.hpp"

namespace compiled {

// The arrays in shared memory that a kernel uses, in the order of their declarations.
std::vector<const llvm::GlobalVariable*> shared_arrays_of(const llvm::Function& kernel);

// The name of the file with a piece of code; `path` where it is the file that is read.
std::string full_name(const llvm::DIScope& scope, const std::string& path);
// Of a file's name in a folder.
std::string full_name(const std::string& file, const std::string& folder, const std::string& path);

inline bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// Translates one lowered kernel from LLVM IR to the form that the engine runs.
//
// A value of LLVM becomes one operand for each scalar in it: a <4 x float> has four. An operand of
// kind `none` is a value that was never set; it becomes `unknown` where it is used. Pointers have
// 64 bits in all address spaces.
class translation {
 public:
  translation(const llvm::Function& function, const parsed_source& source, const std::string& path);

  kernel_code result();
  // Of code that no longer uses all of the arrays in shared memory: they are these.
  kernel_code result(const std::vector<const llvm::GlobalVariable*>& shared);

 private:
  using operands = std::vector<operand>;
  struct address {
    operand base;
    long long offset = 0;
  };

  // ---- translation.cpp: blocks, parameters, places ----
  void add_parameters();
  void add_block(const llvm::BasicBlock& block);
  void add_instruction(const llvm::Instruction& operation);
  void add_end(const llvm::Instruction& end);
  void add_moves(const llvm::BasicBlock& block, const llvm::BasicBlock& successor);
  place place_of_condition(const llvm::Instruction& end);
  place place_of(const llvm::DebugLoc& location);
  place location_place(const llvm::DILocation& location);
  int calls_number(const llvm::DILocation& inlined);  // its index in kernel_code::calls
  bool is_of_the_project(int file);
  int file_number(const std::string& name);

  // ---- values.cpp: operands and what is written ----
  operands values_of(const llvm::Value* value);
  operand value_of(const llvm::Value* value);  // the first one, set
  operand set_value(const operand& value);
  address address_of(const llvm::Value* pointer);
  bool find_address(const llvm::Value* pointer, address& result);
  operand operand_of(const address& location);
  operands values_of_constant(const llvm::Constant* constant);
  operand global_operand(const llvm::GlobalVariable* global);
  int new_register() { return code_.registers++; }
  operand new_operand() { return {operand::kind::reg, static_cast<std::uint64_t>(new_register())}; }
  static operand constant(std::uint64_t value) { return {operand::kind::constant, value}; }
  instruction& add(instruction operation);
  void add_with_results(instruction operation, const llvm::Instruction& value);
  operand lowest_bit(operand value, int bits);
  operand computed(opcode code, int bits, std::vector<operand> sources, int from_bits = 0);
  operand floating(floating_operation operation, int bits, std::vector<operand> sources,
                   int from_bits = 0);
  void set(const llvm::Value& value, operands scalars) { values_[&value] = std::move(scalars); }
  void set_unknown(const llvm::Instruction& value, const std::string& description);
  operands numbers_in(const llvm::Instruction& value);
  // `inputs`: what the values depend on.
  operands unknown(std::size_t count, const std::string& description, operands inputs = {});

  // ---- arithmetic.cpp ----
  bool add_arithmetic(const llvm::Instruction& operation);
  void require_unfused(const llvm::BinaryOperator& operation, operands& results);
  void require_unfused(const llvm::CmpInst& operation, operands& results);
  operands fused_with(const llvm::Instruction& operation, unsigned side, bool is_difference);
  operand known_if_same(const operand& first, const operand& other, int bits);
  void add_binary(const llvm::BinaryOperator& operation);
  void add_comparison(const llvm::CmpInst& comparison);
  operand compared(llvm::CmpInst::Predicate comparison, const operand& left, const operand& right,
                   int bits);
  void add_cast(const llvm::CastInst& cast);
  operands with_other_elements(const operands& sources, int from_bits, int bits);
  void add_vector(const llvm::Instruction& operation);

  // ---- accesses.cpp ----
  bool add_memory(const llvm::Instruction& operation);
  void add_load(const llvm::LoadInst& load);
  void add_store(const llvm::StoreInst& store);
  void add_atomic(const llvm::Instruction& atomic, const llvm::Value* pointer, int bytes);
  instruction access(access_does effect, const llvm::Value* pointer, int bytes, int elements,
                     long long offset);
  memory_kind memory_of(const llvm::Value* pointer) const;

  // ---- calls.cpp ----
  void add_call(const llvm::CallBase& call);
  bool add_integer_call(std::string_view name, const llvm::CallBase& call);
  bool add_rounding_call(std::string_view name, const llvm::CallBase& call);
  bool add_overflow_call(std::string_view name, const llvm::CallBase& call);
  bool add_float_call(std::string_view name, const llvm::CallBase& call);
  bool add_warp_call(std::string_view name, const llvm::CallBase& call);
  bool add_memory_call(std::string_view name, const llvm::CallBase& call);
  bool add_amd_call(std::string_view name, const llvm::CallBase& call);
  void forget_variable(const llvm::AllocaInst& variable, const operands& inputs);
  void add_unknown_call(std::string_view name, const llvm::CallBase& call);
  void add_matrix(const llvm::CallBase& call);
  void add_product_of_matrices(const llvm::CallBase& call);
  void add_shuffle(const llvm::CallBase& call, shuffle_kind kind, unsigned value, operand control);

  // ---- assembly.cpp ----
  void add_assembly(const llvm::CallBase& call);
  bool add_ptx(const llvm::CallBase& call);
  void add_blocks(ptx_fragment read);

  std::vector<int> widths_of(llvm::Type* type) const;  // in bits, of its scalars

  const llvm::Function& function_;
  const parsed_source& source_;
  const std::string& path_;
  const llvm::DataLayout& layout_;
  kernel_code code_;
  std::map<const llvm::DILocation*, int> calls_by_location_;       // numbers in kernel_code::calls
  std::map<std::vector<std::array<int, 3>>, int> calls_by_lines_;  // by file, line, column of each
  std::map<const llvm::Value*, operands> values_;
  std::map<const llvm::Value*, address> addresses_;
  std::map<const llvm::BasicBlock*, int> blocks_;
  std::map<const llvm::GlobalVariable*, operand> globals_;
  std::size_t block_ = 0;  // that is written now
  place location_;
  std::map<int, bool> is_of_the_project_;  // by file
};

}  // namespace compiled
