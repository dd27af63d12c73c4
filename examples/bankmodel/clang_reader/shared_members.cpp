// SPDX-License-Identifier: MIT
#include "shared_members.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/RecordLayout.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>

#include "front_end.hpp"

namespace compiled {

namespace {

constexpr std::size_t most_members = 64;

// What a library has in its own structures is nobody's array.
bool is_of_library(const clang::ASTContext& context, const clang::RecordDecl& record) {
  const clang::SourceManager& files = context.getSourceManager();
  const clang::SourceLocation place = files.getExpansionLoc(record.getLocation());
  return record.isFromASTFile() || files.isInSystemHeader(place) ||
         files.getFilename(place).str().rfind(own_folder, 0) == 0;
}

// The structure, if its layout is that of its fields alone.
const clang::RecordDecl* plain_structure(const clang::ASTContext& context, clang::QualType type) {
  const clang::RecordDecl* const record = type->getAsRecordDecl();
  if (record == nullptr || record->isUnion() || record->isInvalidDecl() ||
      !record->isCompleteDefinition() || record->isDependentType() || record->field_empty() ||
      record->hasAttr<clang::PackedAttr>() || is_of_library(context, *record))
    return nullptr;
  const auto* const with_bases = llvm::dyn_cast<clang::CXXRecordDecl>(record);
  if (with_bases != nullptr && (with_bases->getNumBases() > 0 || with_bases->isPolymorphic()))
    return nullptr;
  const bool is_plain =
      std::all_of(record->field_begin(), record->field_end(), [](const clang::FieldDecl* field) {
        return !field->isBitField() && !field->getName().empty() && !field->isInvalidDecl();
      });
  return is_plain ? record : nullptr;
}

// False if there are too many.
bool add_members(const clang::ASTContext& context, const clang::RecordDecl& record,
                 const shared_member& outer, std::vector<shared_member>& members) {
  const clang::ASTRecordLayout& layout = context.getASTRecordLayout(&record);
  for (const clang::FieldDecl* const field : record.fields()) {
    shared_member member = outer;
    member.fields.push_back(field);
    member.name += (member.name.empty() ? "" : ".") + field->getNameAsString();
    member.type = field->getType();
    member.offset += static_cast<long long>(layout.getFieldOffset(field->getFieldIndex()) / 8);
    member.bytes = context.getTypeSizeInChars(member.type).getQuantity();
    member.alignment = static_cast<int>(context.getDeclAlign(field).getQuantity());
    if (const clang::RecordDecl* const inner = plain_structure(context, member.type)) {
      if (!add_members(context, *inner, member, members)) return false;
      continue;
    }
    if (member.bytes == 0 || members.size() >= most_members) return false;
    members.push_back(std::move(member));
  }
  // Bytes behind the last member belong to the structure.
  const long long used = members.back().offset + members.back().bytes - outer.offset;
  const long long unused = layout.getSize().getQuantity() - used;
  if (unused == 0) return true;
  shared_member rest;
  rest.name = outer.name + (outer.name.empty() ? "" : ".") + "unused";
  rest.offset = outer.offset + used;
  rest.bytes = unused;
  members.push_back(std::move(rest));
  return members.size() <= most_members;
}

}  // namespace

std::vector<shared_member> members_of(const clang::ASTContext& context,
                                      const clang::VarDecl& variable) {
  const clang::RecordDecl* const record = plain_structure(context, variable.getType());
  std::vector<shared_member> result;
  if (record == nullptr || !variable.hasAttr<clang::CUDASharedAttr>() ||
      !add_members(context, *record, {}, result))
    return {};
  const bool has_array = std::ranges::any_of(result, [&](const shared_member& member) {
    return !member.fields.empty() && context.getAsConstantArrayType(member.type) != nullptr;
  });
  long long end = 0;
  for (const shared_member& member : result) {
    if ((end + member.alignment - 1) / member.alignment * member.alignment != member.offset)
      return {};
    end = member.offset + member.bytes;
  }
  return has_array ? result : std::vector<shared_member>{};
}

}  // namespace compiled
