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
  const auto append = [&](llvm::Type* each) {
    const std::vector<int> more = widths_of(each);
    result.insert(result.end(), more.begin(), more.end());
  };
  if (auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
    for (unsigned i = 0; i < vector->getNumElements(); ++i) append(vector->getElementType());
  else if (auto* const array = llvm::dyn_cast<llvm::ArrayType>(type))
    for (std::uint64_t i = 0; i < array->getNumElements(); ++i) append(array->getElementType());
  else if (auto* const structure = llvm::dyn_cast<llvm::StructType>(type))
    for (llvm::Type* const each : structure->elements()) append(each);
  return result;
}

instruction& translation::add(instruction one) {
  one.where = where_;
  code_.blocks[block_].instructions.push_back(std::move(one));
  return code_.blocks[block_].instructions.back();
}

operand translation::computed(opcode what, int bits, std::vector<operand> from, int from_bits) {
  const operand result = new_operand();
  instruction one;
  one.does = what;
  one.bits = static_cast<std::uint8_t>(bits);
  one.from_bits = static_cast<std::uint8_t>(from_bits == 0 ? bits : from_bits);
  one.to = {static_cast<int>(result.value)};
  for (operand& each : from) each = set_value(each);
  one.from = std::move(from);
  add(std::move(one));
  return result;
}

operand translation::floating(floating_operation what, int bits, std::vector<operand> from,
                              int from_bits) {
  const operand result = computed(opcode::floating, bits, std::move(from), from_bits);
  code_.blocks[block_].instructions.back().floating = what;
  return result;
}

// It has a register for each scalar of the value.
void translation::add_with_results(instruction one, const llvm::Instruction& value) {
  operands to;
  for (std::size_t i = widths_of(value.getType()).size(); i > 0; --i) {
    to.push_back(new_operand());
    one.to.push_back(static_cast<int>(to.back().value));
  }
  add(std::move(one));
  set(value, std::move(to));
}

translation::operands translation::unknown(std::size_t count, const std::string& what) {
  instruction one;
  one.does = opcode::unknown;
  one.bits = 64;
  one.what = what;
  operands result;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(new_operand());
    one.to.push_back(static_cast<int>(result.back().value));
  }
  add(std::move(one));
  return result;
}

void translation::set_unknown(const llvm::Instruction& given, const std::string& what) {
  set(given, unknown(widths_of(given.getType()).size(), what));
}

operand translation::set_value(const operand& one) {
  return one.is == operand::kind::none ? unknown(1, "a variable without a value").front() : one;
}

operand translation::value_of(const llvm::Value* value) {
  const operands all = values_of(value);
  return set_value(all.empty() ? operand{} : all.front());
}

translation::operands translation::values_of(const llvm::Value* value) {
  if (const auto found = values_.find(value); found != values_.end()) return found->second;
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
    for (unsigned i = 0; const llvm::Constant* const each = known->getAggregateElement(i); ++i) {
      const operands more = values_of(each);
      result.insert(result.end(), more.begin(), more.end());
    }
    if (result.size() == widths.size()) return result;
  }
  if (const auto* const expression = llvm::dyn_cast<llvm::ConstantExpr>(known)) {
    // The same as an instruction that exists for a moment.
    llvm::Instruction* const made = expression->getAsInstruction();
    operands result;
    if (add_arithmetic(*made))
      if (const auto found = values_.find(made); found != values_.end()) result = found->second;
    values_.erase(made);
    addresses_.erase(made);
    made->deleteValue();
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

operand translation::operand_of(const address& of) {
  if (of.offset == 0) return of.base;
  if (of.base.is == operand::kind::constant)
    return constant(of.base.value + static_cast<std::uint64_t>(of.offset));
  return computed(opcode::add, 64, {of.base, constant(static_cast<std::uint64_t>(of.offset))});
}

// A base and a constant distance, so that accesses need no addition.
bool translation::find_address(const llvm::Value* pointer, address& found) {
  if (const auto known = addresses_.find(pointer); known != addresses_.end()) {
    found = known->second;
    return true;
  }
  if (const auto* const global = llvm::dyn_cast<llvm::GlobalVariable>(pointer)) {
    found = {global_operand(global), 0};
    return true;
  }
  if (!llvm::isa<llvm::Constant>(pointer)) return false;
  const unsigned does = llvm::Operator::getOpcode(pointer);
  if (does == llvm::Instruction::BitCast || does == llvm::Instruction::AddrSpaceCast)
    return find_address(llvm::cast<llvm::Operator>(pointer)->getOperand(0), found);
  const auto* const element = llvm::dyn_cast<llvm::GEPOperator>(pointer);
  if (element == nullptr) return false;
  llvm::APInt offset(layout_.getIndexTypeSizeInBits(element->getType()), 0);
  if (!element->accumulateConstantOffset(layout_, offset)) return false;
  found = address_of(element->getPointerOperand());
  found.offset += offset.getSExtValue();
  return true;
}

namespace {

void set_declaration(const declared_array& declared, int file, code_array& to) {
  to.name = declared.name;
  to.element_type = declared.element_type;
  to.element_bytes = declared.element_bytes;
  to.extents = declared.extents;
  to.source = declared.source;
  if (declared.line > 0) to.where = {file, declared.line, declared.column};
}

}  // namespace

operand translation::global_operand(const llvm::GlobalVariable* global) {
  if (const auto found = globals_.find(global); found != globals_.end()) return found->second;
  const bool is_shared = global->getAddressSpace() == 3;
  code_array one;
  llvm::Type* const type = global->getValueType();
  one.name = global->getName().str();
  one.bytes = layout_.getTypeAllocSize(type).getFixedValue();
  one.alignment = static_cast<int>(global->getAlign() ? global->getAlign()->value()
                                                      : layout_.getABITypeAlign(type).value());
  if (const auto found = source_.arrays.find(one.name); found != source_.arrays.end()) {
    const declared_array& declared = found->second;
    const auto file_of = [&](const declared_array& of) {
      return of.line > 0 ? file_number(of.file) : -1;
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
          part.alignment = std::max(part.alignment, one.alignment);
        part.members = left--;
      }
      return globals_[global] = result;
    }
    const auto own =
        std::find_if(declared.in_kernels.begin(), declared.in_kernels.end(),
                     [&](const declared_array& each) { return each.kernel == code_.linkage; });
    const declared_array& chosen = own == declared.in_kernels.end() ? declared : *own;
    set_declaration(chosen, file_of(chosen), one);
  }
  // `extern __shared__ float array[]`
  if (is_shared && (global->isDeclaration() || one.bytes == 0)) {
    one.bytes = 0;
    one.extents.clear();
    // nvcc aligns it so whatever its type is.
    if (global->getParent()->getTargetTriple().rfind("nvptx", 0) == 0)
      one.alignment = std::max(one.alignment, 16);
  }
  one.is_constant = global->isConstant();
  if (!is_shared && one.is_constant && global->hasDefinitiveInitializer())
    one.content = bytes_of(*global->getInitializer(), layout_);
  std::vector<code_array>& all = is_shared ? code_.shared : code_.globals;
  const operand result{is_shared ? operand::kind::shared_array : operand::kind::global_array,
                       all.size()};
  all.push_back(std::move(one));
  return globals_[global] = result;
}

}  // namespace compiled
