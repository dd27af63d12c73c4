// SPDX-License-Identifier: MIT
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

#include "lowering.hpp"

namespace compiled {

namespace {

constexpr std::uint64_t most_copied_bytes = 4096;

// Whether all of it is in variables of the thread, its arguments or constants.
bool is_of_thread(const llvm::Value* pointer) {
  const auto objects = objects_of(pointer);
  if (objects.empty()) return false;
  return std::ranges::all_of(objects, [](const llvm::Value* object) {
    if (const auto* const global = llvm::dyn_cast<llvm::GlobalVariable>(object))
      return global->isConstant();
    const auto* const argument = llvm::dyn_cast<llvm::Argument>(object);
    return argument == nullptr || argument->hasByValAttr() || argument->hasByRefAttr();
  });
}

// Whether it points to global memory, or to a variable of the thread: pointers among a kernel's
// arguments are to global memory.
bool is_outside_shared_memory(const llvm::Value* pointer) {
  const auto objects = objects_of(pointer);
  return !objects.empty() && std::ranges::all_of(objects, [](const llvm::Value* object) {
    return llvm::isa<llvm::Argument>(object) || llvm::isa<llvm::AllocaInst>(object);
  });
}

// A piece's type: words of 4 bytes as far as possible, because vectors of the source have such.
llvm::Type* piece_type(llvm::LLVMContext& context, std::uint64_t bytes) {
  if (bytes < 4) return llvm::Type::getIntNTy(context, static_cast<unsigned>(8 * bytes));
  llvm::Type* const word = llvm::Type::getInt32Ty(context);
  if (bytes == 4) return word;
  return llvm::FixedVectorType::get(word, static_cast<unsigned>(bytes / 4));
}

void expand(llvm::MemIntrinsic* copy, std::uint64_t bytes, std::uint64_t widest) {
  llvm::IRBuilder<> builder(copy);
  auto* const transfer = llvm::dyn_cast<llvm::MemTransferInst>(copy);
  // The sides of an assignment have the same type, whose alignment decides how wide it is accessed.
  // Clang states less for a side that it knows to be part of an array of a smaller type: a float4
  // in a float[]. Only assignments have the type's structure with them; of memcpy(), each side is
  // as it says.
  std::uint64_t alignment = copy->getDestAlign().valueOrOne().value();
  if (transfer != nullptr) {
    const std::uint64_t of_source = transfer->getSourceAlign().valueOrOne().value();
    const bool is_assignment = copy->hasMetadata(llvm::LLVMContext::MD_tbaa_struct);
    alignment = is_assignment ? std::max(alignment, of_source) : std::min(alignment, of_source);
    // The first element of an array may be more aligned than its type, whose size is a multiple of
    // the type's alignment: a float3 in `__align__(16) float3 s[9]` is accessed by 4 bytes.
    if (is_assignment) alignment = std::min(alignment, bytes & (~bytes + 1));
  }
  const bool is_outside =
      is_outside_shared_memory(copy->getRawDest()) &&
      (transfer == nullptr || is_outside_shared_memory(transfer->getRawSource()));
  alignment = std::min<std::uint64_t>(alignment, is_outside ? widest : 16);

  llvm::Type* const byte = builder.getInt8Ty();
  const auto displace = [&](llvm::Value* base, std::uint64_t offset,
                            [[maybe_unused]] llvm::Type* type) {
#if LLVM_VERSION_MAJOR < 17
    const unsigned space = base->getType()->getPointerAddressSpace();
    base = builder.CreateBitCast(base, byte->getPointerTo(space));
    return builder.CreateBitCast(builder.CreateConstInBoundsGEP1_64(byte, base, offset),
                                 type->getPointerTo(space));
#else
    return builder.CreateConstInBoundsGEP1_64(byte, base, offset);
#endif
  };
  const auto align = [&](std::uint64_t offset) {
    return llvm::commonAlignment(llvm::Align(alignment), offset);
  };
  struct piece {
    std::uint64_t offset;
    llvm::Type* type;
  };
  std::vector<piece> pieces;
  for (std::uint64_t offset = 0; offset < bytes;) {
    std::uint64_t size = alignment;
    while (size > bytes - offset) size /= 2;
    pieces.push_back({offset, piece_type(copy->getContext(), size)});
    offset += size;
  }
  std::vector<llvm::Value*> values;  // all loads before all stores, as memmove has it
  for (const piece& part : pieces) {
    if (transfer != nullptr) {
      values.push_back(builder.CreateAlignedLoad(
          part.type, displace(transfer->getRawSource(), part.offset, part.type), align(part.offset),
          copy->isVolatile()));
      continue;
    }
    auto* const set = llvm::cast<llvm::MemSetInst>(copy);
    const auto size = part.type->getPrimitiveSizeInBits().getFixedValue() / 8;
    llvm::Value* value = set->getValue();
    if (const auto* const known = llvm::dyn_cast<llvm::ConstantInt>(value)) {
      const llvm::APInt bits =
          llvm::APInt::getSplat(part.type->getScalarSizeInBits(), known->getValue());
      value = llvm::ConstantInt::get(part.type, bits);
    } else if (size > 1) {
      llvm::Type* const scalar = part.type->getScalarType();
      value = builder.CreateMul(
          builder.CreateZExt(value, scalar),
          llvm::ConstantInt::get(
              scalar, llvm::APInt::getSplat(scalar->getScalarSizeInBits(), llvm::APInt(8, 1))));
      if (auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(part.type))
        value = builder.CreateVectorSplat(vector->getNumElements(), value);
    }
    values.push_back(value);
  }
  for (std::size_t i = 0; i < pieces.size(); ++i)
    builder.CreateAlignedStore(values[i],
                               displace(copy->getRawDest(), pieces[i].offset, pieces[i].type),
                               align(pieces[i].offset), copy->isVolatile());
  copy->eraseFromParent();
}

}  // namespace

void expand_copies(llvm::Function& function, bool those_of_variables_too, std::uint64_t widest) {
  std::vector<llvm::MemIntrinsic*> copies;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* const copy = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) copies.push_back(copy);
  for (llvm::MemIntrinsic* const copy : copies) {
    const auto* const size = llvm::dyn_cast<llvm::ConstantInt>(copy->getLength());
    if (size == nullptr || size->getZExtValue() > most_copied_bytes) continue;
    const auto* const transfer = llvm::dyn_cast<llvm::MemTransferInst>(copy);
    const bool is_own = is_of_thread(copy->getRawDest()) &&
                        (transfer == nullptr || is_of_thread(transfer->getRawSource()));
    if (is_own && !those_of_variables_too) continue;
    expand(copy, size->getZExtValue(), widest);
  }
}

}  // namespace compiled
