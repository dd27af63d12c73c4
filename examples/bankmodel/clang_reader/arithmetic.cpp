// SPDX-License-Identifier: MIT
// Integer and floating-point instructions, conversions, and what takes vectors and structures
// apart.
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>

#include "translation.hpp"

namespace compiled {

namespace {

struct binary_operation {
  unsigned instruction;
  opcode integer;
  floating_operation number = floating_operation::none;
};
constexpr binary_operation binary_operations[] = {
    {llvm::Instruction::Add, opcode::add},
    {llvm::Instruction::Sub, opcode::subtract},
    {llvm::Instruction::Mul, opcode::multiply},
    {llvm::Instruction::SDiv, opcode::divide_signed},
    {llvm::Instruction::UDiv, opcode::divide_unsigned},
    {llvm::Instruction::SRem, opcode::remainder_signed},
    {llvm::Instruction::URem, opcode::remainder_unsigned},
    {llvm::Instruction::And, opcode::bit_and},
    {llvm::Instruction::Or, opcode::bit_or},
    {llvm::Instruction::Xor, opcode::bit_xor},
    {llvm::Instruction::Shl, opcode::shift_left},
    {llvm::Instruction::AShr, opcode::shift_right_signed},
    {llvm::Instruction::LShr, opcode::shift_right_unsigned},
    {llvm::Instruction::FAdd, opcode::floating, floating_operation::add},
    {llvm::Instruction::FSub, opcode::floating, floating_operation::subtract},
    {llvm::Instruction::FMul, opcode::floating, floating_operation::multiply},
    {llvm::Instruction::FDiv, opcode::floating, floating_operation::divide},
    {llvm::Instruction::FRem, opcode::floating, floating_operation::truncated_remainder},
};

bool is_wide(const llvm::Type* type) {
  return type->getScalarSizeInBits() > 64 && !type->isPtrOrPtrVectorTy();
}

}  // namespace

bool translation::add_arithmetic(const llvm::Instruction& given) {
  if (is_wide(given.getType()) ||
      (given.getNumOperands() > 0 && is_wide(given.getOperand(0)->getType()) &&
       !llvm::isa<llvm::CallBase>(given) && !llvm::isa<llvm::StoreInst>(given))) {
    if (llvm::isa<llvm::LoadInst>(given)) return false;
    set_unknown(given, "a number of more than 64 bits");
    return true;
  }
  if (const auto* const binary = llvm::dyn_cast<llvm::BinaryOperator>(&given))
    return add_binary(*binary), true;
  if (const auto* const comparison = llvm::dyn_cast<llvm::CmpInst>(&given))
    return add_comparison(*comparison), true;
  if (const auto* const cast = llvm::dyn_cast<llvm::CastInst>(&given)) return add_cast(*cast), true;
  switch (given.getOpcode()) {
    case llvm::Instruction::Select: {
      const operands which = values_of(given.getOperand(0)), yes = values_of(given.getOperand(1)),
                     no = values_of(given.getOperand(2));
      const std::vector<int> widths = widths_of(given.getType());
      operands to;
      for (std::size_t i = 0; i < widths.size(); ++i)
        to.push_back(
            computed(opcode::select, widths[i], {which[which.size() == 1 ? 0 : i], yes[i], no[i]}));
      set(given, to);
      return true;
    }
    case llvm::Instruction::FNeg: {
      operands to;
      const std::vector<int> widths = widths_of(given.getType());
      const operands from = values_of(given.getOperand(0));
      for (std::size_t i = 0; i < widths.size(); ++i)
        to.push_back(floating(floating_operation::negative, widths[i], {from[i]}));
      set(given, to);
      return true;
    }
    case llvm::Instruction::Freeze: set(given, values_of(given.getOperand(0))); return true;
    case llvm::Instruction::ExtractElement:
    case llvm::Instruction::InsertElement:
    case llvm::Instruction::ShuffleVector:
    case llvm::Instruction::ExtractValue:
    case llvm::Instruction::InsertValue: add_vector(given); return true;
    default: return false;
  }
}

// nvcc computes a product and a sum in one operation with one rounding where it is allowed to.
// The result is known if both ways give the same.
void translation::require_unfused(const llvm::BinaryOperator& given, operands& results) {
  const bool is_sum = given.getOpcode() == llvm::Instruction::FAdd;
  if (!(is_sum || given.getOpcode() == llvm::Instruction::FSub) || !given.hasAllowContract())
    return;
  const std::vector<int> widths = widths_of(given.getType());
  for (unsigned side = 0; side < 2; ++side) {
    const operands fused = fused_with(given, side, !is_sum);
    for (std::size_t i = 0; i < fused.size(); ++i)
      results[i] = known_if_same(results[i], fused[i], widths[i]);
  }
}

// Newer versions of LLVM make c > a * b of c - a * b > 0, where nvcc may fuse the difference.
void translation::require_unfused(const llvm::CmpInst& given, operands& results) {
  const std::vector<int> widths = widths_of(given.getOperand(0)->getType());
  for (unsigned side = 0; side < 2; ++side) {
    const operands fused = fused_with(given, side, true);
    for (std::size_t i = 0; i < fused.size(); ++i)
      results[i] = known_if_same(
          results[i], compared(given.getPredicate(), fused[i], constant(0), widths[i]), 1);
  }
}

// The sum of both operands, or the first minus the second, where the one on this side is a product
// that may be fused; nothing if it is none.
translation::operands translation::fused_with(const llvm::Instruction& given, unsigned side,
                                              bool is_difference) {
  const auto* const product = llvm::dyn_cast<llvm::BinaryOperator>(given.getOperand(side));
  if (product == nullptr || product->getOpcode() != llvm::Instruction::FMul ||
      !product->hasAllowContract())
    return {};
  operands first = values_of(product->getOperand(0)), other = values_of(given.getOperand(1 - side));
  const operands second = values_of(product->getOperand(1));
  const std::vector<int> widths = widths_of(product->getType());
  operands result;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    operand& negated = side == 1 ? first[i] : other[i];
    if (is_difference) negated = floating(floating_operation::negative, widths[i], {negated});
    result.push_back(
        floating(floating_operation::fused, widths[i], {first[i], second[i], other[i]}));
  }
  return result;
}

operand translation::known_if_same(const operand& one, const operand& other, int bits) {
  const operand is_same = computed(opcode::equal, bits, {one, other});
  const operand either = unknown(1, "a product and a sum, which the compiler may fuse").front();
  return computed(opcode::select, bits, {is_same, one, either});
}

void translation::add_binary(const llvm::BinaryOperator& given) {
  const operands left = values_of(given.getOperand(0)), right = values_of(given.getOperand(1));
  const std::vector<int> widths = widths_of(given.getType());
  for (const binary_operation& each : binary_operations) {
    if (each.instruction != given.getOpcode()) continue;
    operands to;
    for (std::size_t i = 0; i < widths.size(); ++i)
      to.push_back(each.integer == opcode::floating
                       ? floating(each.number, widths[i], {left[i], right[i]})
                       : computed(each.integer, widths[i], {left[i], right[i]}));
    require_unfused(given, to);
    return set(given, to);
  }
  set_unknown(given, given.getOpcodeName());
}

operand translation::compared(llvm::CmpInst::Predicate how, const operand& left,
                              const operand& right, int bits) {
  using predicate = llvm::CmpInst;
  using number = floating_operation;
  const auto integers = [&](opcode what, const operand& a, const operand& b) {
    return computed(what, bits, {a, b});
  };
  const auto numbers = [&](number what) { return floating(what, bits, {left, right}); };
  const auto negated = [&](const operand& of) {
    return computed(opcode::bit_xor, 1, {of, constant(1)});
  };
  switch (how) {
    case predicate::ICMP_EQ: return integers(opcode::equal, left, right);
    case predicate::ICMP_NE: return integers(opcode::not_equal, left, right);
    case predicate::ICMP_SLT: return integers(opcode::less_signed, left, right);
    case predicate::ICMP_SLE: return integers(opcode::less_equal_signed, left, right);
    case predicate::ICMP_SGT: return integers(opcode::less_signed, right, left);
    case predicate::ICMP_SGE: return integers(opcode::less_equal_signed, right, left);
    case predicate::ICMP_ULT: return integers(opcode::less_unsigned, left, right);
    case predicate::ICMP_ULE: return integers(opcode::less_equal_unsigned, left, right);
    case predicate::ICMP_UGT: return integers(opcode::less_unsigned, right, left);
    case predicate::ICMP_UGE: return integers(opcode::less_equal_unsigned, right, left);
    case predicate::FCMP_OEQ: return numbers(number::equal);
    case predicate::FCMP_ONE: return numbers(number::not_equal);
    case predicate::FCMP_OLT: return numbers(number::less);
    case predicate::FCMP_OLE: return numbers(number::less_equal);
    case predicate::FCMP_OGT: return numbers(number::greater);
    case predicate::FCMP_OGE: return numbers(number::greater_equal);
    case predicate::FCMP_UNO: return numbers(number::unordered);
    case predicate::FCMP_ORD: return negated(numbers(number::unordered));
    case predicate::FCMP_UNE: return negated(numbers(number::equal));
    case predicate::FCMP_UEQ: return negated(numbers(number::not_equal));
    case predicate::FCMP_ULT: return negated(numbers(number::greater_equal));
    case predicate::FCMP_ULE: return negated(numbers(number::greater));
    case predicate::FCMP_UGT: return negated(numbers(number::less_equal));
    case predicate::FCMP_UGE: return negated(numbers(number::less));
    case predicate::FCMP_TRUE: return constant(1);
    case predicate::FCMP_FALSE: return constant(0);
    default: return unknown(1, "a comparison").front();
  }
}

void translation::add_comparison(const llvm::CmpInst& given) {
  const operands left = values_of(given.getOperand(0)), right = values_of(given.getOperand(1));
  const std::vector<int> widths = widths_of(given.getOperand(0)->getType());
  operands to;
  for (std::size_t i = 0; i < widths.size(); ++i)
    to.push_back(compared(given.getPredicate(), left[i], right[i], widths[i]));
#if LLVM_VERSION_MAJOR > 14
  require_unfused(given, to);
#endif
  set(given, to);
}

void translation::add_cast(const llvm::CastInst& given) {
  const llvm::Value* const source = given.getOperand(0);
  const auto does = given.getOpcode();
  const bool keeps = does == llvm::Instruction::AddrSpaceCast ||
                     (does == llvm::Instruction::BitCast && given.getType()->isPointerTy());
  if (keeps) {
    address found;
    if (find_address(source, found))
      addresses_[&given] = found;
    else
      set(given, values_of(source));
    if (addresses_.count(&given) != 0) values_.erase(&given);
    return;
  }
  const operands from = values_of(source);
  const std::vector<int> widths = widths_of(given.getType()),
                         from_widths = widths_of(source->getType());
  if (does == llvm::Instruction::BitCast) {
    if (widths.size() == from_widths.size()) return set(given, from);
    return set(given, with_other_elements(from, from_widths.front(), widths.front()));
  }
  operands to;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const auto whole = [&](opcode what) {
      return computed(what, widths[i], {from[i]}, from_widths[i]);
    };
    const auto number = [&](floating_operation what) {
      return floating(what, widths[i], {from[i]}, from_widths[i]);
    };
    switch (does) {
      case llvm::Instruction::SExt: to.push_back(whole(opcode::extend_signed)); break;
      case llvm::Instruction::Trunc:
      case llvm::Instruction::ZExt:
      case llvm::Instruction::PtrToInt:
      case llvm::Instruction::IntToPtr: to.push_back(whole(opcode::extend_unsigned)); break;
      case llvm::Instruction::FPTrunc:
      case llvm::Instruction::FPExt: to.push_back(number(floating_operation::resize)); break;
      case llvm::Instruction::FPToSI: to.push_back(number(floating_operation::to_signed)); break;
      case llvm::Instruction::FPToUI: to.push_back(number(floating_operation::to_unsigned)); break;
      case llvm::Instruction::SIToFP: to.push_back(number(floating_operation::from_signed)); break;
      case llvm::Instruction::UIToFP:
        to.push_back(number(floating_operation::from_unsigned));
        break;
      default: to.push_back(unknown(1, given.getOpcodeName()).front());
    }
  }
  set(given, to);
}

// The same bits in elements of another width: i64 as <2 x i32>.
translation::operands translation::with_other_elements(const operands& from, int from_bits,
                                                       int bits) {
  operands to;
  if (bits < from_bits && from_bits % bits == 0) {
    for (const operand& each : from)
      for (int at = 0; at < from_bits; at += bits) {
        const operand shifted = computed(opcode::shift_right_unsigned, from_bits,
                                         {each, constant(static_cast<std::uint64_t>(at))});
        to.push_back(computed(opcode::extend_unsigned, bits, {shifted}, from_bits));
      }
    return to;
  }
  if (bits % from_bits == 0) {
    const std::size_t parts = static_cast<std::size_t>(bits / from_bits);
    for (std::size_t first = 0; first + parts <= from.size(); first += parts) {
      operand whole = constant(0);
      for (std::size_t part = 0; part < parts; ++part) {
        const operand wide =
            computed(opcode::extend_unsigned, bits, {from[first + part]}, from_bits);
        const operand shifted =
            computed(opcode::shift_left, bits,
                     {wide, constant(part * static_cast<std::uint64_t>(from_bits))});
        whole = part == 0 ? wide : computed(opcode::bit_or, bits, {whole, shifted});
      }
      to.push_back(whole);
    }
    return to;
  }
  const std::size_t count =
      from.size() * static_cast<std::size_t>(from_bits) / static_cast<std::size_t>(bits);
  return unknown(count, "bits of a vector in elements of another width");
}

void translation::add_vector(const llvm::Instruction& given) {
  operands first = values_of(given.getOperand(0));
  const auto position = [&](const llvm::Type* type, llvm::ArrayRef<unsigned> indexes) {
    std::size_t at = 0;
    for (const unsigned index : indexes) {
      for (unsigned i = 0; i < index; ++i)
        at += widths_of(llvm::ExtractValueInst::getIndexedType(const_cast<llvm::Type*>(type), {i}))
                  .size();
      type = llvm::ExtractValueInst::getIndexedType(const_cast<llvm::Type*>(type), {index});
    }
    return static_cast<std::ptrdiff_t>(at);
  };
  if (const auto* const part = llvm::dyn_cast<llvm::ExtractValueInst>(&given)) {
    const auto at =
        first.begin() + position(part->getAggregateOperand()->getType(), part->getIndices());
    return set(given,
               operands(at, at + static_cast<std::ptrdiff_t>(widths_of(given.getType()).size())));
  }
  if (const auto* const part = llvm::dyn_cast<llvm::InsertValueInst>(&given)) {
    const operands inserted = values_of(part->getInsertedValueOperand());
    std::copy(inserted.begin(), inserted.end(),
              first.begin() + position(given.getType(), part->getIndices()));
    return set(given, first);
  }
  if (const auto* const shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&given)) {
    const operands second = values_of(given.getOperand(1));
    operands to;
    for (const int from : shuffle->getShuffleMask()) {
      const auto at = static_cast<std::size_t>(from);
      to.push_back(from < 0            ? operand{}
                   : at < first.size() ? first[at]
                                       : second[at - first.size()]);
    }
    return set(given, to);
  }
  const bool inserts = given.getOpcode() == llvm::Instruction::InsertElement;
  const llvm::Value* const index = given.getOperand(inserts ? 2 : 1);
  const std::vector<int> widths = widths_of(given.getOperand(0)->getType());
  if (const auto* const known = llvm::dyn_cast<llvm::ConstantInt>(index)) {
    const auto at = static_cast<std::size_t>(known->getZExtValue());
    if (at >= first.size()) return set_unknown(given, "an element outside its vector");
    if (!inserts) return set(given, {first[at]});
    first[at] = values_of(given.getOperand(1)).front();
    return set(given, first);
  }
  // A variable index: a chain of selections.
  const operand at = value_of(index);
  const int index_bits = widths_of(index->getType()).front();
  operand found = first.front();
  for (std::size_t i = 0; i < first.size(); ++i) {
    const operand is_it = computed(opcode::equal, index_bits, {at, constant(i)});
    if (inserts)
      first[i] =
          computed(opcode::select, widths[i], {is_it, value_of(given.getOperand(1)), first[i]});
    else
      found = computed(opcode::select, widths[i], {is_it, first[i], found});
  }
  set(given, inserts ? first : operands{found});
}

}  // namespace compiled
