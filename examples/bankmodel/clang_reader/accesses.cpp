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
  return std::any_of(objects.begin(), objects.end(), [](const llvm::Value* each) {
    const auto* const global = llvm::dyn_cast<llvm::GlobalVariable>(each);
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
               std::vector<part>& to) {
  if (auto* const structure = llvm::dyn_cast<llvm::StructType>(type)) {
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      add_parts(structure->getElementType(i),
                offset + layout.getStructLayout(structure)->getElementOffset(i), layout, to);
  } else if (auto* const array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    const std::uint64_t bytes = layout.getTypeAllocSize(array->getElementType()).getFixedValue();
    for (std::uint64_t i = 0; i < array->getNumElements(); ++i)
      add_parts(array->getElementType(), offset + i * bytes, layout, to);
  } else {
    to.push_back({type, offset});
  }
}

// Bytes of an element, and how many: numbers of more than 64 bits are several.
std::pair<int, int> shape_of(const llvm::Type* type, const llvm::DataLayout& layout) {
  auto* const whole = const_cast<llvm::Type*>(type);
  const auto bytes = static_cast<int>(layout.getTypeStoreSize(whole).getFixedValue());
  if (auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(whole)) {
    const int count = static_cast<int>(vector->getNumElements());
    if (bytes % count == 0 && bytes / count <= 8) return {bytes / count, count};
  }
  if (bytes > 8 && bytes % 8 == 0) return {8, bytes / 8};
  return {bytes, 1};
}

void note_types(const llvm::Instruction& given, llvm::Align alignment, std::uint64_t offset,
                memory_access& to) {
  to.alignment = static_cast<int>(
      std::min<std::uint64_t>(llvm::commonAlignment(alignment, offset).value(), 16));
  to.is_volatile = given.hasMetadata(is_volatile);
}

}  // namespace

memory_kind translation::memory_of(const llvm::Value* pointer) const {
  const auto objects = objects_of(pointer);
  if (!objects.empty()) {
    const memory_kind first = memory_of_object(*objects.begin());
    for (const llvm::Value* const each : objects)
      if (memory_of_object(each) != first) return memory_kind::generic;
    return first;
  }
  // A pointer in a structure that is an argument, or in global memory, points to global memory. A
  // table of constants may have pointers to shared memory.
  const auto* const load = llvm::dyn_cast<llvm::LoadInst>(llvm::getUnderlyingObject(pointer));
  if (load != nullptr) {
    const memory_kind from = memory_of(load->getPointerOperand());
    if (from == memory_kind::arguments || from == memory_kind::global ||
        (from == memory_kind::constant && !is_initialized(load->getPointerOperand())))
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

instruction translation::access(access_does what, const llvm::Value* pointer, int bytes,
                                int elements, long long offset) {
  const address at = address_of(pointer);
  instruction one;
  one.does = opcode::access;
  one.bits = static_cast<std::uint8_t>(8 * bytes);
  one.memory.does = what;
  one.memory.memory = memory_of(pointer);
  one.memory.bytes = bytes;
  one.memory.elements = elements;
  one.memory.offset = at.offset + offset;
  one.from = {set_value(at.base)};
  const auto objects = objects_of(pointer);
  const auto* const array =
      objects.size() == 1 ? llvm::dyn_cast<llvm::GlobalVariable>(*objects.begin()) : nullptr;
  if (array != nullptr && array->getAddressSpace() == 3) {
    // Of a structure's members LLVM does not say which it is.
    const auto number = global_operand(array).value;
    if (code_.shared[number].members == 1) one.memory.shared_array = static_cast<int>(number);
  }
  return one;
}

bool translation::add_memory(const llvm::Instruction& given) {
  if (const auto* const element = llvm::dyn_cast<llvm::GetElementPtrInst>(&given)) {
    if (element->getType()->isVectorTy()) return false;
    address at = address_of(element->getPointerOperand());
    for (auto step = llvm::gep_type_begin(element); step != llvm::gep_type_end(element); ++step) {
      const auto* const known = llvm::dyn_cast<llvm::ConstantInt>(step.getOperand());
      if (llvm::StructType* const structure = step.getStructTypeOrNull()) {
        at.offset += static_cast<long long>(layout_.getStructLayout(structure)->getElementOffset(
            static_cast<unsigned>(known->getZExtValue())));
        continue;
      }
      const auto size =
          static_cast<long long>(layout_.getTypeAllocSize(step.getIndexedType()).getFixedValue());
      if (known != nullptr) {
        at.offset += known->getSExtValue() * size;
        continue;
      }
      operand index = value_of(step.getOperand());
      const int bits = widths_of(step.getOperand()->getType()).front();
      if (bits < 64) index = computed(opcode::extend_signed, 64, {index}, bits);
      if (size != 1)
        index = computed(opcode::multiply, 64, {index, constant(static_cast<std::uint64_t>(size))});
      at.base = computed(opcode::add, 64, {at.base, index});
    }
    addresses_[&given] = at;
    return true;
  }
  if (const auto* const variable = llvm::dyn_cast<llvm::AllocaInst>(&given)) {
    const auto size = layout_.getTypeAllocSize(variable->getAllocatedType()).getFixedValue();
    const auto* const count = llvm::dyn_cast<llvm::ConstantInt>(variable->getArraySize());
    if (count == nullptr) return false;
    const auto alignment = static_cast<int>(variable->getAlign().value());
    code_.local_bytes = (code_.local_bytes + alignment - 1) / alignment * alignment;
    addresses_[&given] = {constant(local_window + static_cast<std::uint64_t>(code_.local_bytes)),
                          0};
    code_.local_bytes += static_cast<int>(size * count->getZExtValue());
    return true;
  }
  if (const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&given)) {
    add_load(*load);
    return true;
  }
  if (const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&given)) {
    add_store(*store);
    return true;
  }
  if (const auto* const atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&given)) {
    const auto bytes = layout_.getTypeStoreSize(atomic->getType()).getFixedValue();
    add_atomic(given, atomic->getPointerOperand(), static_cast<int>(bytes));
    return true;
  }
  if (const auto* const exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&given)) {
    llvm::Type* const type = exchange->getCompareOperand()->getType();
    const auto bytes = layout_.getTypeStoreSize(type).getFixedValue();
    add_atomic(given, exchange->getPointerOperand(), static_cast<int>(bytes));
    return true;
  }
  if (!llvm::isa<llvm::FenceInst>(given)) return false;
  instruction fence;
  fence.does = opcode::warp_sync;  // no access is moved past it
  add(std::move(fence));
  return true;
}

void translation::add_load(const llvm::LoadInst& given) {
  std::vector<part> parts;
  add_parts(given.getType(), 0, layout_, parts);
  operands to;
  for (const part& each : parts) {
    const auto [bytes, elements] = shape_of(each.type, layout_);
    instruction one = access(access_does::load, given.getPointerOperand(), bytes, elements,
                             static_cast<long long>(each.offset));
    note_types(given, given.getAlign(), each.offset, one.memory);
    one.memory.gives_pointers = each.type->isPointerTy();
    operands loaded;
    for (int i = 0; i < elements; ++i) {
      loaded.push_back(new_operand());
      one.to.push_back(static_cast<int>(loaded.back().value));
    }
    add(std::move(one));
    const std::vector<int> widths = widths_of(each.type);
    // Numbers of more than 64 bits, and vectors that do not have an element in each register.
    if (loaded.size() != widths.size()) loaded = unknown(widths.size(), "a number of 128 bits");
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (widths[i] < 8)
        loaded[i] = computed(opcode::extend_unsigned, widths[i], {loaded[i]}, 8 * bytes);
    to.insert(to.end(), loaded.begin(), loaded.end());
  }
  set(given, to);
}

void translation::add_store(const llvm::StoreInst& given) {
  std::vector<part> parts;
  add_parts(given.getValueOperand()->getType(), 0, layout_, parts);
  const operands values = values_of(given.getValueOperand());
  std::size_t next = 0;
  for (const part& each : parts) {
    const auto [bytes, elements] = shape_of(each.type, layout_);
    const std::size_t scalars = widths_of(each.type).size();
    operands stored(values.begin() + static_cast<std::ptrdiff_t>(next),
                    values.begin() + static_cast<std::ptrdiff_t>(next + scalars));
    next += scalars;
    if (stored.size() != static_cast<std::size_t>(elements))
      stored = unknown(static_cast<std::size_t>(elements), "a number of 128 bits");
    for (operand& one : stored) one = set_value(one);
    instruction one = access(access_does::store, given.getPointerOperand(), bytes, elements,
                             static_cast<long long>(each.offset));
    note_types(given, given.getAlign(), each.offset, one.memory);
    one.from.insert(one.from.end(), stored.begin(), stored.end());
    add(std::move(one));
  }
}

void translation::add_atomic(const llvm::Instruction& given, const llvm::Value* pointer,
                             int bytes) {
  instruction one = access(access_does::atomic, pointer, bytes, 1, 0);
  add_with_results(std::move(one), given);
}

}  // namespace compiled
