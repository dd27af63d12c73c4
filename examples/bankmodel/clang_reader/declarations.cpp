// SPDX-License-Identifier: MIT
#include "declarations.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/TypeLoc.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "../compiled/code/identifier.hpp"
#include "array_uses.hpp"
#include "carved_arrays.hpp"
#include "shared_members.hpp"
#include "source_places.hpp"
#include "source_text.hpp"

namespace compiled {

namespace {

bool is_in_a_template(const clang::DeclaratorDecl& variable) {
  const auto* const object = llvm::dyn_cast<clang::VarDecl>(&variable);
  if (variable.isTemplated() ||
      (object != nullptr && object->getTemplateInstantiationPattern() != nullptr))
    return true;
  for (const clang::DeclContext* at = variable.getLexicalDeclContext(); at != nullptr;
       at = at->getParent()) {
    if (const auto* const function = llvm::dyn_cast<clang::FunctionDecl>(at))
      if (function->getTemplatedKind() != clang::FunctionDecl::TK_NonTemplate) return true;
    if (llvm::isa<clang::ClassTemplateSpecializationDecl>(at)) return true;
  }
  return false;
}

// True for a variable in the body of a function, whose instances have one each.
bool is_local(const clang::DeclaratorDecl& variable) { return function_of(variable) != nullptr; }

// Sets the extents.
// Returns why they cannot be set; empty if they are.
std::string read_extents(const clang::ASTContext& context, const clang::DeclaratorDecl& variable,
                         array_source& to) {
  if (variable.getTypeSourceInfo() == nullptr) return "its declaration has no type of its own";
  clang::TypeLoc type = variable.getTypeSourceInfo()->getTypeLoc();
  for (clang::QualType left = variable.getType(); context.getAsArrayType(left) != nullptr;
       left = context.getAsArrayType(left)->getElementType()) {
    type = type.getUnqualifiedLoc().IgnoreParens();
    while (const auto marked = type.getAs<clang::AttributedTypeLoc>())
      type = marked.getModifiedLoc();
    const auto array = type.getAs<clang::ArrayTypeLoc>();
    if (array.isNull())
      return "its extents are those of the type `" +
             type.getType().getAsString(context.getLangOpts()) + "`";
    // A dynamic array's bytes are those of the launch.
    const auto* const object = llvm::dyn_cast<clang::VarDecl>(&variable);
    if (array.getSizeExpr() == nullptr)
      return object != nullptr && object->hasExternalStorage() ? ""
                                                               : "its declaration has no extent";
    if (array.getLBracketLoc().isMacroID()) return "it is declared in a macro";
    const auto extent = spelled_sum(context, array.getSizeExpr());
    if (!extent) return "a part of an extent comes from a macro";
    to.extents.push_back(*extent);
    type = array.getElementLoc();
  }
  if (const auto text = piece_of_tokens(context, type.getSourceRange()))
    to.element_type = text->text;
  return "";
}

// Of a variable, or of a member of one.
std::string refusal_of_place(const clang::ASTContext& context,
                             const clang::DeclaratorDecl& variable, array_source& to) {
  const clang::SourceManager& files = context.getSourceManager();
  if (variable.getLocation().isMacroID()) return "it is declared in a macro";
  if (is_in_a_template(variable) && !is_local(variable))
    return "it is declared in a template, and the change would be one of all its instances";
  if (!files.isInMainFile(variable.getLocation()))
    to.header = files.getFilename(variable.getLocation()).str();
  return {};
}

// True unless the other declaration of a dynamic array is that of another kernel, which has its own
// uses and launches.
bool may_be_used_with(const clang::VarDecl& variable, const clang::VarDecl& other) {
  const auto kernel_of = [](const clang::VarDecl& one) -> const clang::FunctionDecl* {
    return is_local_extern(one) && function_of(one)->hasAttr<clang::CUDAGlobalAttr>()
               ? function_of(one)
               : nullptr;
  };
  if (&other == &variable) return false;
  const clang::FunctionDecl* const kernel = kernel_of(variable);
  const clang::FunctionDecl* const another = kernel_of(other);
  return kernel == nullptr || another == nullptr || kernel == another;
}

std::string refusal_of(const clang::ASTContext& context, const clang::VarDecl& variable,
                       array_source& to) {
  if (std::string why = refusal_of_place(context, variable, to); !why.empty()) return why;
  if (std::any_of(variable.redecls_begin(), variable.redecls_end(),
                  [&](const clang::VarDecl* other) { return may_be_used_with(variable, *other); }))
    return "it is declared several times";
  return read_extents(context, variable, to);
}

// A structure that others have too would change for them.
std::string refusal_of(const clang::ASTContext& context, const clang::VarDecl& variable,
                       const shared_member& member, const array_uses& uses, array_source& to) {
  if (is_in_a_template(variable))
    return "it is declared in a template, and the change would be one of all its instances";
  for (const clang::FieldDecl* const field : member.fields) {
    const auto line_of = [&](clang::SourceLocation place) {
      return std::to_string(context.getSourceManager().getPresumedLoc(place).getLine());
    };
    if (const auto cast = uses.casts.find(field->getParent()); cast != uses.casts.end())
      return "memory is cast to its structure at line " + line_of(cast->second);
    const auto found = uses.variables.find(field->getParent());
    if (found == uses.variables.end()) continue;
    for (const clang::VarDecl* const other : found->second)
      if (other != variable.getCanonicalDecl())
        return "its structure is that of `" + other->getNameAsString() + "` at line " +
               line_of(other->getLocation()) + " too";
  }
  if (std::string why = refusal_of_place(context, *member.fields.back(), to); !why.empty())
    return why;
  return read_extents(context, *member.fields.back(), to);
}

// The line of the first range that has the name, within a function's code if the name is one of its
// own; 0 if none has.
int skipped_line_with(const clang::ASTContext& context,
                      const std::vector<clang::SourceRange>& skipped, const std::string& name,
                      const clang::FunctionDecl* within) {
  const clang::SourceManager& files = context.getSourceManager();
  const auto is_outside = [&](const clang::SourceRange& range) {
    const clang::SourceRange code = files.getExpansionRange(within->getSourceRange()).getAsRange();
    return files.isBeforeInTranslationUnit(range.getEnd(), code.getBegin()) ||
           files.isBeforeInTranslationUnit(code.getEnd(), range.getBegin());
  };
  for (const clang::SourceRange& range : skipped) {
    if (within != nullptr && is_outside(range)) continue;
    const auto piece = piece_of_characters(context, range.getBegin(), range.getEnd());
    const std::size_t first = piece ? find_identifier(piece->text, name) : std::string::npos;
    if (first != std::string::npos)
      return piece->line + static_cast<int>(std::count(
                               piece->text.begin(),
                               piece->text.begin() + static_cast<std::ptrdiff_t>(first), '\n'));
  }
  return 0;
}

// An instance has the uses of all instances, and those that the template has in none of them: code
// that `if constexpr` leaves out is changed too.
void add_uses_of_instances(std::map<const clang::VarDecl*, declared_source>& found) {
  std::map<clang::SourceLocation, std::vector<const clang::VarDecl*>> by_place;
  for (const auto& [variable, source] : found)
    if (is_local(*variable) && is_in_a_template(*variable))
      by_place[variable->getLocation()].push_back(variable);
  for (auto& [place, variables] : by_place) {
    // The template's own expressions have no types.
    std::stable_partition(variables.begin(), variables.end(), [](const clang::VarDecl* variable) {
      return !variable->getLexicalDeclContext()->isDependentContext();
    });
    array_source all;
    for (const clang::VarDecl* const variable : variables) {
      add_missing(found[variable].whole.uses, all.uses);
      add_missing(found[variable].whole.others, all.others);
      add_missing(found[variable].whole.pitches, all.pitches);
    }
    for (const clang::VarDecl* const variable : variables) {
      found[variable].whole.uses = all.uses;
      found[variable].whole.others = all.others;
      found[variable].whole.pitches = all.pitches;
    }
  }
}

template <class Places>
void sort_by_place(Places& all) {
  std::sort(all.begin(), all.end(), [](const auto& left, const auto& right) {
    return std::tie(left.where.file, left.where.offset) <
           std::tie(right.where.file, right.where.offset);
  });
}

}  // namespace

std::map<const clang::VarDecl*, declared_source> find_shared_arrays(
    clang::ASTContext& context, const std::vector<clang::Decl*>& declarations,
    const std::vector<clang::SourceRange>& skipped, const linkage_names& left_out) {
  array_uses uses(context, left_out);
  carved_arrays carved(context, left_out);
  for (clang::Decl* const each : declarations) {
    if (context.getSourceManager().isInSystemHeader(each->getLocation())) continue;
    uses.visit_all(each);
    carved.visit_all(each);
  }
  carved.join_instances();
  for (auto& [variable, source] : uses.found)
    if (const auto all = carved.found.find(variable); all != carved.found.end())
      source.whole.carved = all->second;
  add_uses_of_instances(uses.found);
  // By name and function, whose instances share it.
  std::map<std::pair<std::string, clang::SourceLocation>, int> skipped_lines;
  for (auto& [declaration, source] : uses.found) {
    const clang::VarDecl* const variable = declaration;  // clang 14 captures no binding
    const clang::FunctionDecl* const function = function_of(*variable);
    const auto finish = [&](array_source& of) {
      of.is_of_one_kernel = function != nullptr && function->hasAttr<clang::CUDAGlobalAttr>();
      of.is_of_template = is_in_a_template(*variable);
      // Other functions may name the same dynamic array.
      const clang::FunctionDecl* const within = variable->hasExternalStorage() ? nullptr : function;
      const std::string name = variable->getNameAsString();
      const auto [line, is_new] = skipped_lines.try_emplace(
          {name, within == nullptr ? clang::SourceLocation() : within->getBeginLoc()}, 0);
      if (is_new) line->second = skipped_line_with(context, skipped, name, within);
      of.skipped_line = line->second;
      sort_by_place(of.uses);
      sort_by_place(of.pitches);
      sort_by_place(of.others);
    };
    finish(source.whole);
    source.whole.refusal = refusal_of(context, *variable, source.whole);
    for (const shared_member& member : members_of(context, *variable)) {
      if (member.fields.empty()) continue;
      array_source& own = source.members[member.name];
      finish(own);
      own.refusal = refusal_of(context, *variable, member, uses, own);
    }
  }
  return std::move(uses.found);
}

}  // namespace compiled
