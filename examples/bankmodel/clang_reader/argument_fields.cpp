// SPDX-License-Identifier: MIT
#include "argument_fields.hpp"

#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/LambdaCapture.h>
#include <clang/AST/RecordLayout.h>

#include <utility>

#include "host_values.hpp"

namespace compiled {

namespace {

constexpr std::size_t most_fields = 1024;
// The host's cells have no such part.
constexpr long long part_of_union = 1ll << 40;

// A capture has the name of its variable, since its member has none. An unnamed structure has an
// empty name: its members belong to the structure around it.
std::string member_name(const clang::FieldDecl& field) {
  const auto* const closure = llvm::dyn_cast<clang::CXXRecordDecl>(field.getParent());
  if (closure == nullptr || !closure->isLambda()) return field.getName().str();
  const clang::LambdaCapture& capture = closure->captures_begin()[field.getFieldIndex()];
  return capture.capturesVariable() ? capture.getCapturedVar()->getName().str() : "this";
}

class collector {
 public:
  explicit collector(const clang::ASTContext& context) : context_(context) {}

  void add(clang::QualType type, const std::string& name, std::uint64_t offset) {
    type = type.getCanonicalType();
    if (fields.size() >= most_fields || type->isIncompleteType() || type->isDependentType()) return;
    if (const auto* const record = type->getAsRecordDecl()) {
      add_record(*record, name, offset);
    } else if (const auto* const array = context_.getAsConstantArrayType(type)) {
      const std::uint64_t bytes = bytes_of(array->getElementType());
      const std::uint64_t count = array->getSize().getZExtValue();
      // Of many elements those that have no place left are left out, and not what is behind them.
      if (constexpr std::uint64_t limit = 32; count > limit && !is_last_) {
        arrays_.push_back({type, name, offset, path_});
        return;
      }
      for (std::uint64_t i = 0; i < count && fields.size() < most_fields; ++i)
        add_part(static_cast<long long>(i), array->getElementType(),
                 name + "[" + std::to_string(i) + "]", offset + i * bytes);
    } else if (type->isPointerType() || type->isReferenceType() ||
               (type->isArithmeticType() && !type->isAnyComplexType()) || type->isEnumeralType()) {
      const std::uint64_t bytes = bytes_of(type);
      if (bytes > 8) return;
      code_parameter parameter{name, type.getAsString(context_.getPrintingPolicy()),
                               static_cast<int>(offset), static_cast<int>(bytes),
                               type->isPointerType() || type->isReferenceType()};
      if (type->isIntegralOrEnumerationType()) parameter.holds = value_kind::integer;
      if (type->isRealFloatingType()) parameter.holds = value_kind::floating;
      fields.push_back({parameter, type, path_});
    }
  }

  // The arrays that add() left for later.
  void add_arrays() {
    is_last_ = true;
    for (const postponed& array : arrays_) {
      path_ = array.path;
      add(array.type, array.name, array.offset);
    }
  }

  std::vector<located_field> fields;

 private:
  struct postponed {
    clang::QualType type;
    std::string name;
    std::uint64_t offset;
    std::vector<long long> path;
  };

  std::uint64_t bytes_of(clang::QualType type) const {
    return static_cast<std::uint64_t>(context_.getTypeSizeInChars(type).getQuantity());
  }

  void add_record(const clang::RecordDecl& record, const std::string& name, std::uint64_t offset) {
    // A map of TMA is opaque.
    const bool is_opaque =
        record.getName() == "CUtensorMap" || record.getName() == "CUtensorMap_st";
    if (record.isInvalidDecl() || is_opaque) return;
    if (record.isUnion()) return add_union(record, name, offset);
    const clang::ASTRecordLayout& layout = context_.getASTRecordLayout(&record);
    if (const auto* const type = llvm::dyn_cast<clang::CXXRecordDecl>(&record)) {
      unsigned number = 0;
      for (const clang::CXXBaseSpecifier& base : type->bases()) {
        const long long part = host_cell::number_of_base(number++);
        if (base.isVirtual()) continue;
        if (const auto* const base_record = base.getType()->getAsCXXRecordDecl())
          add_part(part, base.getType(), name,
                   offset + static_cast<std::uint64_t>(
                                layout.getBaseClassOffset(base_record).getQuantity()));
      }
    }
    for (const clang::FieldDecl* const field : record.fields()) {
      if (field->isBitField()) continue;
      const std::string own = member_name(*field);
      const std::string inner = own.empty() ? name : name + "." + own;
      add_part(field->getFieldIndex(), field->getType(), inner,
               offset + layout.getFieldOffset(field->getFieldIndex()) / 8);
    }
  }
  // Several names of one integer or of one pointer: it has the first. What the host has by another
  // name is not looked for.
  void add_union(const clang::RecordDecl& record, const std::string& name, std::uint64_t offset) {
    const clang::FieldDecl* first = nullptr;
    for (const clang::FieldDecl* const field : record.fields()) {
      const clang::QualType type = field->getType();
      if (field->isBitField() || (!type->isIntegralOrEnumerationType() && !type->isPointerType()))
        return;
      if (first == nullptr) first = field;
      if (first->getType()->isPointerType() != type->isPointerType() ||
          bytes_of(first->getType()) != bytes_of(type))
        return;
    }
    if (first != nullptr)
      add_part(part_of_union, first->getType(), name + "." + first->getName().str(), offset);
  }
  void add_part(long long number, clang::QualType type, const std::string& name,
                std::uint64_t offset) {
    path_.push_back(number);
    add(type, name, offset);
    path_.pop_back();
  }

  const clang::ASTContext& context_;
  std::vector<long long> path_;
  std::vector<postponed> arrays_;
  bool is_last_ = false;
};

}  // namespace

std::vector<located_field> located_fields_of(const clang::ASTContext& context, clang::QualType type,
                                             const std::string& name) {
  collector collected(context);
  if (type->isRecordType()) collected.add(type, name, 0);
  collected.add_arrays();
  return std::move(collected.fields);
}

std::vector<code_parameter> fields_of(const clang::ASTContext& context, clang::QualType type,
                                      const std::string& name) {
  std::vector<code_parameter> result;
  for (located_field& field : located_fields_of(context, type, name))
    result.push_back(std::move(field.declared));
  return result;
}

}  // namespace compiled
