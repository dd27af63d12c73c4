// SPDX-License-Identifier: MIT
#include "constant_bytes.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>

namespace compiled {

namespace {

constexpr std::uint64_t most_bytes = 1 << 20;

bool write(const llvm::Constant& value, const llvm::DataLayout& layout, std::uint8_t* target) {
  if (value.isNullValue() || llvm::isa<llvm::UndefValue>(value)) return true;
  llvm::APInt bits;
  if (const auto* const integer = llvm::dyn_cast<llvm::ConstantInt>(&value)) {
    bits = integer->getValue();
  } else if (const auto* const number = llvm::dyn_cast<llvm::ConstantFP>(&value)) {
    bits = number->getValueAPF().bitcastToAPInt();
  } else {
    llvm::Type* const type = value.getType();
    const auto* const structure = llvm::dyn_cast<llvm::StructType>(type);
    if (structure == nullptr && !type->isArrayTy() && !type->isVectorTy()) return false;
    for (unsigned i = 0; const llvm::Constant* const element = value.getAggregateElement(i); ++i) {
      const std::uint64_t offset =
          structure != nullptr
              ? layout.getStructLayout(llvm::cast<llvm::StructType>(type))->getElementOffset(i)
              : i * layout.getTypeAllocSize(element->getType()).getFixedValue();
      if (!write(*element, layout, target + offset)) return false;
    }
    return true;
  }
  const unsigned bytes = (bits.getBitWidth() + 7) / 8;
  bits = bits.zextOrTrunc(8 * bytes);
  for (unsigned i = 0; i < bytes; ++i)
    target[i] = static_cast<std::uint8_t>(bits.extractBitsAsZExtValue(8, 8 * i));
  return true;
}

}  // namespace

std::vector<std::uint8_t> bytes_of(const llvm::Constant& constant, const llvm::DataLayout& layout) {
  const std::uint64_t size = layout.getTypeAllocSize(constant.getType()).getFixedValue();
  if (size > most_bytes) return {};
  std::vector<std::uint8_t> result(size);
  if (!write(constant, layout, result.data())) result.clear();
  return result;
}

}  // namespace compiled
