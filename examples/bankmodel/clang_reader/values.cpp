// SPDX-License-Identifier: MIT
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "constant_bytes.hpp"
#include "translation.hpp"

namespace compiled {

std::vector<int> translation::widths_of(llvm::Type* type) const {
  if (type->isPointerTy()) return {64};
  if (type->isIntegerTy()) return {static_cast<int>(std::min(64u, type->getIntegerBitWidth()))};
  if (type->isFloatingPointTy())
    return {std::min(64, static_cast<int>(type->getPrimitiveSizeInBits().getFixedValue()))};
  std::vector<int> result;
  const auto add = [&](llvm::Type* element) { append(result, widths_of(element)); };
  if (auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
    for (unsigned i = 0; i < vector->getNumElements(); ++i) add(vector->getElementType());
  else if (auto* const array = llvm::dyn_cast<llvm::ArrayType>(type))
    for (std::uint64_t i = 0; i < array->getNumElements(); ++i) add(array->getElementType());
  else if (auto* const structure = llvm::dyn_cast<llvm::StructType>(type))
    for (llvm::Type* const member : structure->elements()) add(member);
  return result;
}

instruction& translation::add(instruction operation) {
  operation.location = location_;
  code_.blocks[block_].instructions.push_back(std::move(operation));
  return code_.blocks[block_].instructions.back();
}

operand translation::computed(opcode code, int bits, std::vector<operand> sources, int from_bits) {
  const operand result = new_operand();
  instruction operation;
  operation.operation = code;
  operation.bits = static_cast<std::uint8_t>(bits);
  operation.from_bits = static_cast<std::uint8_t>(from_bits == 0 ? bits : from_bits);
  operation.results = {static_cast<int>(result.value)};
  for (operand& source : sources) source = set_value(source);
  operation.operands = std::move(sources);
  add(std::move(operation));
  return result;
}

operand translation::floating(floating_operation operation, int bits, std::vector<operand> sources,
                              int from_bits) {
  const operand result = computed(opcode::floating, bits, std::move(sources), from_bits);
  code_.blocks[block_].instructions.back().floating = operation;
  return result;
}

// It has a register for each scalar of the value.
void translation::add_with_results(instruction operation, const llvm::Instruction& value) {
  operands results;
  for (std::size_t i = widths_of(value.getType()).size(); i > 0; --i) {
    results.push_back(new_operand());
    operation.results.push_back(static_cast<int>(results.back().value));
  }
  add(std::move(operation));
  set(value, std::move(results));
}

translation::operands translation::unknown(std::size_t count, const std::string& description,
                                           operands inputs) {
  instruction operation;
  operation.operation = opcode::unknown;
  operation.bits = 64;
  operation.description = description;
  operation.operands = std::move(inputs);
  operands result;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(new_operand());
    operation.results.push_back(static_cast<int>(result.back().value));
  }
  add(std::move(operation));
  return result;
}

void translation::set_unknown(const llvm::Instruction& value, const std::string& description) {
  set(value, unknown(widths_of(value.getType()).size(), description, numbers_in(value)));
}

// The numbers among its operands, or among the arguments of a call.
translation::operands translation::numbers_in(const llvm::Instruction& value) {
  operands result;
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(&value);
  const unsigned count = call != nullptr ? call->arg_size() : value.getNumOperands();
  for (unsigned number = 0; number < count; ++number) {
    const llvm::Value* const source = value.getOperand(number);
    if (source->getType()->isIntOrIntVectorTy() || source->getType()->isFPOrFPVectorTy())
      for (const operand& scalar : values_of(source)) result.push_back(set_value(scalar));
  }
  return result;
}

operand translation::set_value(const operand& value) {
  return value.is == operand::kind::none ? unknown(1, "a variable without a value").front() : value;
}

operand translation::value_of(const llvm::Value* value) {
  const operands values = values_of(value);
  return set_value(values.empty() ? operand{} : values.front());
}

translation::operands translation::values_of(const llvm::Value* value) {
  if (const auto entry = values_.find(value); entry != values_.end()) return entry->second;
  address in_memory;
  if (value->getType()->isPointerTy() && find_address(value, in_memory))
    return {operand_of(in_memory)};
  if (const auto* const known = llvm::dyn_cast<llvm::Constant>(value))
    return values_of_constant(known);
  return unknown(widths_of(value->getType()).size(), "a value that is not modelled");
}

translation::operands translation::values_of_constant(const llvm::Constant* known) {
  const std::vector<int> widths = widths_of(known->getType());
  if (llvm::isa<llvm::UndefValue>(known)) return operands(widths.size());
  if (known->isNullValue()) return operands(widths.size(), constant(0));
  if (const auto* const integer = llvm::dyn_cast<llvm::ConstantInt>(known))
    return {constant(
        integer->getValue().extractBitsAsZExtValue(std::min(64u, integer->getBitWidth()), 0))};
  if (const auto* const number = llvm::dyn_cast<llvm::ConstantFP>(known)) {
    const llvm::APInt bits = number->getValueAPF().bitcastToAPInt();
    return {constant(bits.extractBitsAsZExtValue(std::min(64u, bits.getBitWidth()), 0))};
  }
  if (known->getType()->isVectorTy() || known->getType()->isAggregateType()) {
    operands result;
    for (unsigned i = 0; const llvm::Constant* const element = known->getAggregateElement(i); ++i) {
      const operands parts = values_of(element);
      append(result, parts);
    }
    if (result.size() == widths.size()) return result;
  }
  if (const auto* const expression = llvm::dyn_cast<llvm::ConstantExpr>(known)) {
    // The same as an instruction that exists for a moment.
    llvm::Instruction* const temporary = expression->getAsInstruction();
    operands result;
    if (add_arithmetic(*temporary))
      if (const auto entry = values_.find(temporary); entry != values_.end())
        result = entry->second;
    values_.erase(temporary);
    addresses_.erase(temporary);
    temporary->deleteValue();
    if (!result.empty()) return result;
  }
  return unknown(widths.size(), "a constant that is not modelled");
}

// ---- addresses ----

translation::address translation::address_of(const llvm::Value* pointer) {
  address result;
  if (!find_address(pointer, result)) result.base = value_of(pointer);
  return result;
}

operand translation::operand_of(const address& location) {
  if (location.offset == 0) return location.base;
  if (location.base.is == operand::kind::constant)
    return constant(location.base.value + static_cast<std::uint64_t>(location.offset));
  return computed(opcode::add, 64,
                  {location.base, constant(static_cast<std::uint64_t>(location.offset))});
}

// A base and a constant distance, so that accesses need no addition.
bool translation::find_address(const llvm::Value* pointer, address& result) {
  if (const auto known = addresses_.find(pointer); known != addresses_.end()) {
    result = known->second;
    return true;
  }
  if (const auto* const global = llvm::dyn_cast<llvm::GlobalVariable>(pointer)) {
    result = {global_operand(global), 0};
    return true;
  }
  if (!llvm::isa<llvm::Constant>(pointer)) return false;
  const unsigned code = llvm::Operator::getOpcode(pointer);
  if (code == llvm::Instruction::BitCast || code == llvm::Instruction::AddrSpaceCast)
    return find_address(llvm::cast<llvm::Operator>(pointer)->getOperand(0), result);
  const auto* const element = llvm::dyn_cast<llvm::GEPOperator>(pointer);
  if (element == nullptr) return false;
  llvm::APInt offset(layout_.getIndexTypeSizeInBits(element->getType()), 0);
  if (!element->accumulateConstantOffset(layout_, offset)) return false;
  result = address_of(element->getPointerOperand());
  result.offset += offset.getSExtValue();
  return true;
}

namespace {

void set_declaration(const declared_array& declared, int file, code_array& array) {
  array.name = declared.name;
  array.element_type = declared.element_type;
  array.element_bytes = declared.element_bytes;
  array.extents = declared.extents;
  array.source = declared.source;
  if (declared.line > 0) array.location = {file, declared.line, declared.column};
}

}  // namespace

operand translation::global_operand(const llvm::GlobalVariable* global) {
  if (const auto entry = globals_.find(global); entry != globals_.end()) return entry->second;
  const bool is_shared = global->getAddressSpace() == 3;
  code_array array;
  llvm::Type* const type = global->getValueType();
  array.name = global->getName().str();
  array.bytes = layout_.getTypeAllocSize(type).getFixedValue();
  array.alignment = static_cast<int>(global->getAlign() ? global->getAlign()->value()
                                                        : layout_.getABITypeAlign(type).value());
  if (const auto declaration = source_.arrays.find(array.name);
      declaration != source_.arrays.end()) {
    const declared_array& declared = declaration->second;
    const auto file_of = [&](const declared_array& symbol) {
      return symbol.line > 0 ? file_number(symbol.file) : -1;
    };
    if (is_shared && !declared.members.empty()) {
      const operand result{operand::kind::shared_array, code_.shared.size()};
      int left = static_cast<int>(declared.members.size());
      for (const declared_array& member : declared.members) {
        code_array& part = code_.shared.emplace_back();
        set_declaration(member, file_of(member), part);
        part.bytes = static_cast<std::uint64_t>(member.bytes);
        part.alignment = member.alignment;
        if (&member == &declared.members.front())
          part.alignment = std::max(part.alignment, array.alignment);
        part.members = left--;
      }
      return globals_[global] = result;
    }
    const auto own = std::ranges::find(declared.in_kernels, code_.linkage, &declared_array::kernel);
    const declared_array& chosen = own == declared.in_kernels.end() ? declared : *own;
    set_declaration(chosen, file_of(chosen), array);
  }
  // `extern __shared__ float array[]`
  if (is_shared && (global->isDeclaration() || array.bytes == 0)) {
    array.bytes = 0;
    array.extents.clear();
    // nvcc aligns it so whatever its type is.
    if (global->getParent()->getTargetTriple().rfind("nvptx", 0) == 0)
      array.alignment = std::max(array.alignment, 16);
  }
  array.is_constant = global->isConstant();
  if (!is_shared && array.is_constant && global->hasDefinitiveInitializer())
    array.content = bytes_of(*global->getInitializer(), layout_);
  std::vector<code_array>& arrays = is_shared ? code_.shared : code_.globals;
  const operand result{is_shared ? operand::kind::shared_array : operand::kind::global_array,
                       arrays.size()};
  arrays.push_back(std::move(array));
  return globals_[global] = result;
}

}  // namespace compiled
