// SPDX-License-Identifier: MIT
// Integer and floating-point instructions, conversions, and what takes vectors and structures
// apart.
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>

#include <algorithm>

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

bool translation::add_arithmetic(const llvm::Instruction& operation) {
  if (is_wide(operation.getType()) ||
      (operation.getNumOperands() > 0 && is_wide(operation.getOperand(0)->getType()) &&
       !llvm::isa<llvm::CallBase>(operation) && !llvm::isa<llvm::StoreInst>(operation))) {
    if (llvm::isa<llvm::LoadInst>(operation)) return false;
    set_unknown(operation, "a number of more than 64 bits");
    return true;
  }
  if (const auto* const binary = llvm::dyn_cast<llvm::BinaryOperator>(&operation))
    return add_binary(*binary), true;
  if (const auto* const comparison = llvm::dyn_cast<llvm::CmpInst>(&operation))
    return add_comparison(*comparison), true;
  if (const auto* const cast = llvm::dyn_cast<llvm::CastInst>(&operation))
    return add_cast(*cast), true;
  switch (operation.getOpcode()) {
    case llvm::Instruction::Select: {
      const operands condition = values_of(operation.getOperand(0)),
                     if_true = values_of(operation.getOperand(1)),
                     if_false = values_of(operation.getOperand(2));
      const std::vector<int> widths = widths_of(operation.getType());
      operands results;
      for (std::size_t i = 0; i < widths.size(); ++i)
        results.push_back(
            computed(opcode::select, widths[i],
                     {condition[condition.size() == 1 ? 0 : i], if_true[i], if_false[i]}));
      set(operation, results);
      return true;
    }
    case llvm::Instruction::FNeg: {
      operands results;
      const std::vector<int> widths = widths_of(operation.getType());
      const operands values = values_of(operation.getOperand(0));
      for (std::size_t i = 0; i < widths.size(); ++i)
        results.push_back(floating(floating_operation::negative, widths[i], {values[i]}));
      set(operation, results);
      return true;
    }
    case llvm::Instruction::Freeze: set(operation, values_of(operation.getOperand(0))); return true;
    case llvm::Instruction::ExtractElement:
    case llvm::Instruction::InsertElement:
    case llvm::Instruction::ShuffleVector:
    case llvm::Instruction::ExtractValue:
    case llvm::Instruction::InsertValue: add_vector(operation); return true;
    default: return false;
  }
}

// nvcc computes a product and a sum in one operation with one rounding where it is allowed to.
// The result is known if both ways give the same.
void translation::require_unfused(const llvm::BinaryOperator& operation, operands& results) {
  const bool is_sum = operation.getOpcode() == llvm::Instruction::FAdd;
  if (!(is_sum || operation.getOpcode() == llvm::Instruction::FSub) ||
      !operation.hasAllowContract())
    return;
  const std::vector<int> widths = widths_of(operation.getType());
  for (unsigned side = 0; side < 2; ++side) {
    const operands fused = fused_with(operation, side, !is_sum);
    for (std::size_t i = 0; i < fused.size(); ++i)
      results[i] = known_if_same(results[i], fused[i], widths[i]);
  }
}

// Newer versions of LLVM make c > a * b of c - a * b > 0, where nvcc may fuse the difference.
void translation::require_unfused(const llvm::CmpInst& operation, operands& results) {
  const std::vector<int> widths = widths_of(operation.getOperand(0)->getType());
  for (unsigned side = 0; side < 2; ++side) {
    const operands fused = fused_with(operation, side, true);
    for (std::size_t i = 0; i < fused.size(); ++i)
      results[i] = known_if_same(
          results[i], compared(operation.getPredicate(), fused[i], constant(0), widths[i]), 1);
  }
}

// The sum of both operands, or the first minus the second, where the one on this side is a product
// that may be fused; nothing if it is none.
translation::operands translation::fused_with(const llvm::Instruction& operation, unsigned side,
                                              bool is_difference) {
  const auto* const product = llvm::dyn_cast<llvm::BinaryOperator>(operation.getOperand(side));
  if (product == nullptr || product->getOpcode() != llvm::Instruction::FMul ||
      !product->hasAllowContract())
    return {};
  operands first = values_of(product->getOperand(0)),
           other = values_of(operation.getOperand(1 - side));
  const operands second = values_of(product->getOperand(1));
  const std::vector<int> widths = widths_of(product->getType());
  operands result;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    operand& negated = side == 1 ? first[i] : other[i];
    if (is_difference) negated = floating(floating_operation::negative, widths[i], {negated});
    result.push_back(
        floating(floating_operation::fused, widths[i], {first[i], second[i], other[i]}));
    code_.blocks[block_].instructions.back().is_doubt = true;
  }
  return result;
}

operand translation::known_if_same(const operand& first, const operand& other, int bits) {
  const operand is_same = computed(opcode::equal, bits, {first, other});
  const operand either =
      unknown(1, "a product and a sum, which the compiler may fuse", {first, other}).front();
  return computed(opcode::select, bits, {is_same, first, either});
}

void translation::add_binary(const llvm::BinaryOperator& operation) {
  const operands left = values_of(operation.getOperand(0)),
                 right = values_of(operation.getOperand(1));
  const std::vector<int> widths = widths_of(operation.getType());
  for (const binary_operation& candidate : binary_operations) {
    if (candidate.instruction != operation.getOpcode()) continue;
    operands results;
    for (std::size_t i = 0; i < widths.size(); ++i)
      results.push_back(candidate.integer == opcode::floating
                            ? floating(candidate.number, widths[i], {left[i], right[i]})
                            : computed(candidate.integer, widths[i], {left[i], right[i]}));
    require_unfused(operation, results);
    return set(operation, results);
  }
  set_unknown(operation, operation.getOpcodeName());
}

operand translation::compared(llvm::CmpInst::Predicate comparison, const operand& left,
                              const operand& right, int bits) {
  using predicate = llvm::CmpInst;
  using number = floating_operation;
  const auto integers = [&](opcode code, const operand& a, const operand& b) {
    return computed(code, bits, {a, b});
  };
  const auto numbers = [&](number operation) { return floating(operation, bits, {left, right}); };
  const auto negated = [&](const operand& value) {
    return computed(opcode::bit_xor, 1, {value, constant(1)});
  };
  switch (comparison) {
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
    default: return unknown(1, "a comparison", {left, right}).front();
  }
}

void translation::add_comparison(const llvm::CmpInst& comparison) {
  const operands left = values_of(comparison.getOperand(0)),
                 right = values_of(comparison.getOperand(1));
  const std::vector<int> widths = widths_of(comparison.getOperand(0)->getType());
  operands results;
  for (std::size_t i = 0; i < widths.size(); ++i)
    results.push_back(compared(comparison.getPredicate(), left[i], right[i], widths[i]));
#if LLVM_VERSION_MAJOR > 14
  require_unfused(comparison, results);
#endif
  set(comparison, results);
}

void translation::add_cast(const llvm::CastInst& cast) {
  const llvm::Value* const source = cast.getOperand(0);
  const auto conversion = cast.getOpcode();
  const bool keeps = conversion == llvm::Instruction::AddrSpaceCast ||
                     (conversion == llvm::Instruction::BitCast && cast.getType()->isPointerTy());
  if (keeps) {
    address location;
    if (find_address(source, location))
      addresses_[&cast] = location;
    else
      set(cast, values_of(source));
    if (addresses_.count(&cast) != 0) values_.erase(&cast);
    return;
  }
  const operands values = values_of(source);
  const std::vector<int> widths = widths_of(cast.getType()),
                         from_widths = widths_of(source->getType());
  if (conversion == llvm::Instruction::BitCast) {
    if (widths.size() == from_widths.size()) return set(cast, values);
    return set(cast, with_other_elements(values, from_widths.front(), widths.front()));
  }
  operands results;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const auto convert = [&](opcode code) {
      return computed(code, widths[i], {values[i]}, from_widths[i]);
    };
    const auto number = [&](floating_operation operation) {
      return floating(operation, widths[i], {values[i]}, from_widths[i]);
    };
    switch (conversion) {
      case llvm::Instruction::SExt: results.push_back(convert(opcode::extend_signed)); break;
      case llvm::Instruction::Trunc:
      case llvm::Instruction::ZExt:
      case llvm::Instruction::PtrToInt:
      case llvm::Instruction::IntToPtr: results.push_back(convert(opcode::extend_unsigned)); break;
      case llvm::Instruction::FPTrunc:
      case llvm::Instruction::FPExt: results.push_back(number(floating_operation::resize)); break;
      case llvm::Instruction::FPToSI:
        results.push_back(number(floating_operation::to_signed));
        break;
      case llvm::Instruction::FPToUI:
        results.push_back(number(floating_operation::to_unsigned));
        break;
      case llvm::Instruction::SIToFP:
        results.push_back(number(floating_operation::from_signed));
        break;
      case llvm::Instruction::UIToFP:
        results.push_back(number(floating_operation::from_unsigned));
        break;
      default: results.push_back(unknown(1, cast.getOpcodeName(), {values[i]}).front());
    }
  }
  set(cast, results);
}

// The same bits in elements of another width: i64 as <2 x i32>.
translation::operands translation::with_other_elements(const operands& sources, int from_bits,
                                                       int bits) {
  operands results;
  if (bits < from_bits && from_bits % bits == 0) {
    for (const operand& value : sources)
      for (int shift = 0; shift < from_bits; shift += bits) {
        const operand shifted = computed(opcode::shift_right_unsigned, from_bits,
                                         {value, constant(static_cast<std::uint64_t>(shift))});
        results.push_back(computed(opcode::extend_unsigned, bits, {shifted}, from_bits));
      }
    return results;
  }
  if (bits % from_bits == 0) {
    const std::size_t parts = static_cast<std::size_t>(bits / from_bits);
    for (std::size_t first = 0; first + parts <= sources.size(); first += parts) {
      operand combined = constant(0);
      for (std::size_t part = 0; part < parts; ++part) {
        const operand wide =
            computed(opcode::extend_unsigned, bits, {sources[first + part]}, from_bits);
        const operand shifted =
            computed(opcode::shift_left, bits,
                     {wide, constant(part * static_cast<std::uint64_t>(from_bits))});
        combined = part == 0 ? wide : computed(opcode::bit_or, bits, {combined, shifted});
      }
      results.push_back(combined);
    }
    return results;
  }
  const std::size_t count =
      sources.size() * static_cast<std::size_t>(from_bits) / static_cast<std::size_t>(bits);
  return unknown(count, "bits of a vector in elements of another width", sources);
}

void translation::add_vector(const llvm::Instruction& operation) {
  operands first = values_of(operation.getOperand(0));
  const auto position = [&](const llvm::Type* type, llvm::ArrayRef<unsigned> indexes) {
    std::size_t offset = 0;
    for (const unsigned index : indexes) {
      for (unsigned i = 0; i < index; ++i)
        offset +=
            widths_of(llvm::ExtractValueInst::getIndexedType(const_cast<llvm::Type*>(type), {i}))
                .size();
      type = llvm::ExtractValueInst::getIndexedType(const_cast<llvm::Type*>(type), {index});
    }
    return static_cast<std::ptrdiff_t>(offset);
  };
  if (const auto* const part = llvm::dyn_cast<llvm::ExtractValueInst>(&operation)) {
    const auto begin =
        first.begin() + position(part->getAggregateOperand()->getType(), part->getIndices());
    return set(operation, operands(begin, begin + static_cast<std::ptrdiff_t>(
                                                      widths_of(operation.getType()).size())));
  }
  if (const auto* const part = llvm::dyn_cast<llvm::InsertValueInst>(&operation)) {
    const operands inserted = values_of(part->getInsertedValueOperand());
    std::ranges::copy(inserted, first.begin() + position(operation.getType(), part->getIndices()));
    return set(operation, first);
  }
  if (const auto* const shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&operation)) {
    const operands second = values_of(operation.getOperand(1));
    operands results;
    for (const int source : shuffle->getShuffleMask()) {
      const auto element = static_cast<std::size_t>(source);
      results.push_back(source < 0               ? operand{}
                        : element < first.size() ? first[element]
                                                 : second[element - first.size()]);
    }
    return set(operation, results);
  }
  const bool inserts = operation.getOpcode() == llvm::Instruction::InsertElement;
  const llvm::Value* const index = operation.getOperand(inserts ? 2 : 1);
  const std::vector<int> widths = widths_of(operation.getOperand(0)->getType());
  if (const auto* const known = llvm::dyn_cast<llvm::ConstantInt>(index)) {
    const auto element = static_cast<std::size_t>(known->getZExtValue());
    if (element >= first.size()) return set_unknown(operation, "an element outside its vector");
    if (!inserts) return set(operation, {first[element]});
    first[element] = values_of(operation.getOperand(1)).front();
    return set(operation, first);
  }
  // A variable index: a chain of selections.
  const operand selector = value_of(index);
  const int index_bits = widths_of(index->getType()).front();
  operand selected = first.front();
  for (std::size_t i = 0; i < first.size(); ++i) {
    const operand is_it = computed(opcode::equal, index_bits, {selector, constant(i)});
    if (inserts)
      first[i] =
          computed(opcode::select, widths[i], {is_it, value_of(operation.getOperand(1)), first[i]});
    else
      selected = computed(opcode::select, widths[i], {is_it, first[i], selected});
  }
  set(operation, inserts ? first : operands{selected});
}

}  // namespace compiled
