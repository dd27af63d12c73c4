// SPDX-License-Identifier: MIT
// Addresses, loads, stores and atomic operations.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>

#include <algorithm>

#include "lowering.hpp"
#include "translation.hpp"

namespace compiled {

namespace {

bool is_in_arguments(const llvm::Value* object) {
  const auto* const argument = llvm::dyn_cast<llvm::Argument>(object);
  return argument != nullptr && (argument->hasByValAttr() || argument->hasByRefAttr());
}

bool is_initialized(const llvm::Value* pointer) {
  const auto objects = objects_of(pointer);
  return std::ranges::any_of(objects, [](const llvm::Value* object) {
    const auto* const global = llvm::dyn_cast<llvm::GlobalVariable>(object);
    return global != nullptr && global->hasInitializer() &&
           !global->getInitializer()->isNullValue() &&
           !llvm::isa<llvm::UndefValue>(global->getInitializer());
  });
}

memory_kind memory_of_object(const llvm::Value* object) {
  if (llvm::isa<llvm::AllocaInst>(object)) return memory_kind::local;
  if (is_in_arguments(object)) return memory_kind::arguments;
  const auto* const global = llvm::dyn_cast<llvm::GlobalVariable>(object);
  if (global == nullptr) return memory_kind::global;
  if (global->getAddressSpace() == 3) return memory_kind::shared;
  return global->getAddressSpace() == 4 || global->isConstant() ? memory_kind::constant
                                                                : memory_kind::global;
}

// The types and distances of what an access of an aggregate type is made of.
struct part {
  llvm::Type* type;
  std::uint64_t offset;
};
void add_parts(llvm::Type* type, std::uint64_t offset, const llvm::DataLayout& layout,
               std::vector<part>& parts) {
  if (auto* const structure = llvm::dyn_cast<llvm::StructType>(type)) {
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      add_parts(structure->getElementType(i),
                offset + layout.getStructLayout(structure)->getElementOffset(i), layout, parts);
  } else if (auto* const array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    const std::uint64_t bytes = layout.getTypeAllocSize(array->getElementType()).getFixedValue();
    for (std::uint64_t i = 0; i < array->getNumElements(); ++i)
      add_parts(array->getElementType(), offset + i * bytes, layout, parts);
  } else {
    parts.push_back({type, offset});
  }
}

// Bytes of an element, and how many: numbers of more than 64 bits are several.
std::pair<int, int> shape_of(const llvm::Type* type, const llvm::DataLayout& layout) {
  auto* const value_type = const_cast<llvm::Type*>(type);
  const auto bytes = static_cast<int>(layout.getTypeStoreSize(value_type).getFixedValue());
  if (auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(value_type)) {
    const int count = static_cast<int>(vector->getNumElements());
    if (bytes % count == 0 && bytes / count <= 8) return {bytes / count, count};
  }
  if (bytes > 8 && bytes % 8 == 0) return {8, bytes / 8};
  return {bytes, 1};
}

void note_types(const llvm::Instruction& operation, llvm::Align alignment, std::uint64_t offset,
                memory_access& access) {
  access.alignment = static_cast<int>(
      std::min<std::uint64_t>(llvm::commonAlignment(alignment, offset).value(), 16));
  access.is_volatile = operation.hasMetadata(is_volatile);
}

}  // namespace

memory_kind translation::memory_of(const llvm::Value* pointer) const {
  const auto objects = objects_of(pointer);
  if (!objects.empty()) {
    const memory_kind first = memory_of_object(*objects.begin());
    for (const llvm::Value* const object : objects)
      if (memory_of_object(object) != first) return memory_kind::generic;
    return first;
  }
  // A pointer in a structure that is an argument, or in global memory, points to global memory. A
  // table of constants may have pointers to shared memory.
  const auto* const load = llvm::dyn_cast<llvm::LoadInst>(llvm::getUnderlyingObject(pointer));
  if (load != nullptr) {
    const memory_kind origin = memory_of(load->getPointerOperand());
    if (origin == memory_kind::arguments || origin == memory_kind::global ||
        (origin == memory_kind::constant && !is_initialized(load->getPointerOperand())))
      return memory_kind::global;
  }
  switch (pointer->getType()->getPointerAddressSpace()) {
    case 1: return memory_kind::global;
    case 3: return memory_kind::shared;
    case 4: return memory_kind::constant;
    case 5: return memory_kind::local;
    default: return memory_kind::generic;
  }
}

instruction translation::access(access_does effect, const llvm::Value* pointer, int bytes,
                                int elements, long long offset) {
  const address location = address_of(pointer);
  instruction result;
  result.operation = opcode::access;
  result.bits = static_cast<std::uint8_t>(8 * bytes);
  result.memory.operation = effect;
  result.memory.memory = memory_of(pointer);
  result.memory.bytes = bytes;
  result.memory.elements = elements;
  result.memory.offset = location.offset + offset;
  result.operands = {set_value(location.base)};
  const auto objects = objects_of(pointer);
  const auto* const array =
      objects.size() == 1 ? llvm::dyn_cast<llvm::GlobalVariable>(*objects.begin()) : nullptr;
  if (array != nullptr && array->getAddressSpace() == 3) {
    // Of a structure's members LLVM does not say which it is.
    const auto number = global_operand(array).value;
    if (code_.shared[number].members == 1) result.memory.shared_array = static_cast<int>(number);
  }
  return result;
}

bool translation::add_memory(const llvm::Instruction& operation) {
  if (const auto* const element = llvm::dyn_cast<llvm::GetElementPtrInst>(&operation)) {
    if (element->getType()->isVectorTy()) return false;
    address location = address_of(element->getPointerOperand());
    for (auto step = llvm::gep_type_begin(element); step != llvm::gep_type_end(element); ++step) {
      const auto* const known = llvm::dyn_cast<llvm::ConstantInt>(step.getOperand());
      if (llvm::StructType* const structure = step.getStructTypeOrNull()) {
        location.offset +=
            static_cast<long long>(layout_.getStructLayout(structure)->getElementOffset(
                static_cast<unsigned>(known->getZExtValue())));
        continue;
      }
      const auto size =
          static_cast<long long>(layout_.getTypeAllocSize(step.getIndexedType()).getFixedValue());
      if (known != nullptr) {
        location.offset += known->getSExtValue() * size;
        continue;
      }
      operand index = value_of(step.getOperand());
      const int bits = widths_of(step.getOperand()->getType()).front();
      if (bits < 64) index = computed(opcode::extend_signed, 64, {index}, bits);
      if (size != 1)
        index = computed(opcode::multiply, 64, {index, constant(static_cast<std::uint64_t>(size))});
      location.base = computed(opcode::add, 64, {location.base, index});
    }
    addresses_[&operation] = location;
    return true;
  }
  if (const auto* const variable = llvm::dyn_cast<llvm::AllocaInst>(&operation)) {
    const auto size = layout_.getTypeAllocSize(variable->getAllocatedType()).getFixedValue();
    const auto* const count = llvm::dyn_cast<llvm::ConstantInt>(variable->getArraySize());
    if (count == nullptr) return false;
    const auto alignment = static_cast<int>(variable->getAlign().value());
    code_.local_bytes = (code_.local_bytes + alignment - 1) / alignment * alignment;
    addresses_[&operation] = {
        constant(local_window + static_cast<std::uint64_t>(code_.local_bytes)), 0};
    code_.local_bytes += static_cast<int>(size * count->getZExtValue());
    return true;
  }
  if (const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&operation)) {
    add_load(*load);
    return true;
  }
  if (const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&operation)) {
    add_store(*store);
    return true;
  }
  if (const auto* const atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&operation)) {
    const auto bytes = layout_.getTypeStoreSize(atomic->getType()).getFixedValue();
    add_atomic(operation, atomic->getPointerOperand(), static_cast<int>(bytes));
    return true;
  }
  if (const auto* const exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&operation)) {
    llvm::Type* const type = exchange->getCompareOperand()->getType();
    const auto bytes = layout_.getTypeStoreSize(type).getFixedValue();
    add_atomic(operation, exchange->getPointerOperand(), static_cast<int>(bytes));
    return true;
  }
  if (!llvm::isa<llvm::FenceInst>(operation)) return false;
  instruction fence;
  fence.operation = opcode::warp_sync;  // no access is moved past it
  add(std::move(fence));
  return true;
}

void translation::add_load(const llvm::LoadInst& load) {
  std::vector<part> parts;
  add_parts(load.getType(), 0, layout_, parts);
  operands results;
  for (const part& piece : parts) {
    const auto [bytes, elements] = shape_of(piece.type, layout_);
    instruction step = access(access_does::load, load.getPointerOperand(), bytes, elements,
                              static_cast<long long>(piece.offset));
    note_types(load, load.getAlign(), piece.offset, step.memory);
    step.memory.gives_pointers = piece.type->isPointerTy();
    operands loaded;
    for (int i = 0; i < elements; ++i) {
      loaded.push_back(new_operand());
      step.results.push_back(static_cast<int>(loaded.back().value));
    }
    add(std::move(step));
    const std::vector<int> widths = widths_of(piece.type);
    // Numbers of more than 64 bits, and vectors that do not have an element in each register.
    if (loaded.size() != widths.size())
      loaded = unknown(widths.size(), "a number of 128 bits", loaded);
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (widths[i] < 8)
        loaded[i] = computed(opcode::extend_unsigned, widths[i], {loaded[i]}, 8 * bytes);
    append(results, loaded);
  }
  set(load, results);
}

void translation::add_store(const llvm::StoreInst& store) {
  std::vector<part> parts;
  add_parts(store.getValueOperand()->getType(), 0, layout_, parts);
  const operands values = values_of(store.getValueOperand());
  std::size_t next = 0;
  for (const part& piece : parts) {
    const auto [bytes, elements] = shape_of(piece.type, layout_);
    const std::size_t scalars = widths_of(piece.type).size();
    operands stored(values.begin() + static_cast<std::ptrdiff_t>(next),
                    values.begin() + static_cast<std::ptrdiff_t>(next + scalars));
    next += scalars;
    if (stored.size() != static_cast<std::size_t>(elements))
      stored = unknown(static_cast<std::size_t>(elements), "a number of 128 bits", stored);
    for (operand& scalar : stored) scalar = set_value(scalar);
    instruction step = access(access_does::store, store.getPointerOperand(), bytes, elements,
                              static_cast<long long>(piece.offset));
    note_types(store, store.getAlign(), piece.offset, step.memory);
    append(step.operands, stored);
    add(std::move(step));
  }
}

void translation::add_atomic(const llvm::Instruction& atomic, const llvm::Value* pointer,
                             int bytes) {
  instruction step = access(access_does::atomic, pointer, bytes, 1, 0);
  append(step.operands, numbers_in(atomic));
  add_with_results(std::move(step), atomic);
}

}  // namespace compiled
