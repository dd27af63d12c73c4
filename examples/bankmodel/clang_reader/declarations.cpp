// SPDX-License-Identifier: MIT
#include "declarations.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/TypeLoc.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <tuple>

#include "../compiled/code/identifier.hpp"
#include "array_uses.hpp"
#include "carved_arrays.hpp"
#include "shared_members.hpp"
#include "source_places.hpp"
#include "source_text.hpp"
#include "spelled_names.hpp"

namespace compiled {

namespace {

bool is_in_a_template(const clang::DeclaratorDecl& variable) {
  const auto* const object = llvm::dyn_cast<clang::VarDecl>(&variable);
  if (variable.isTemplated() ||
      (object != nullptr && object->getTemplateInstantiationPattern() != nullptr))
    return true;
  for (const clang::DeclContext* scope = variable.getLexicalDeclContext(); scope != nullptr;
       scope = scope->getParent()) {
    if (const auto* const function = llvm::dyn_cast<clang::FunctionDecl>(scope))
      if (function->getTemplatedKind() != clang::FunctionDecl::TK_NonTemplate) return true;
    if (llvm::isa<clang::ClassTemplateSpecializationDecl>(scope)) return true;
  }
  return false;
}

// True for a variable in the body of a function, whose instances have one each.
bool is_local(const clang::DeclaratorDecl& variable) { return function_of(variable) != nullptr; }

// Sets the extents.
// Returns why they cannot be set; empty if they are.
std::string read_extents(const clang::ASTContext& context, const clang::DeclaratorDecl& variable,
                         array_source& source) {
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
    source.extents.push_back(*extent);
    type = array.getElementLoc();
  }
  if (const auto text = piece_of_tokens(context, type.getSourceRange()))
    source.element_type = text->text;
  return "";
}

// Of a variable, or of a member of one.
std::string refusal_of_place(const clang::ASTContext& context,
                             const clang::DeclaratorDecl& variable, array_source& source) {
  const clang::SourceManager& files = context.getSourceManager();
  if (variable.getLocation().isMacroID()) return "it is declared in a macro";
  if (is_in_a_template(variable) && !is_local(variable))
    return "it is declared in a template, and the change would be one of all its instances";
  if (!files.isInMainFile(variable.getLocation()))
    source.header = files.getFilename(variable.getLocation()).str();
  return {};
}

// True unless the other declaration of a dynamic array is that of another kernel, which has its own
// uses and launches.
bool may_be_used_with(const clang::VarDecl& variable, const clang::VarDecl& other) {
  const auto kernel_of = [](const clang::VarDecl& candidate) -> const clang::FunctionDecl* {
    return is_local_extern(candidate) && function_of(candidate)->hasAttr<clang::CUDAGlobalAttr>()
               ? function_of(candidate)
               : nullptr;
  };
  if (&other == &variable) return false;
  const clang::FunctionDecl* const kernel = kernel_of(variable);
  const clang::FunctionDecl* const another = kernel_of(other);
  return kernel == nullptr || another == nullptr || kernel == another;
}

std::string refusal_of(const clang::ASTContext& context, const clang::VarDecl& variable,
                       array_source& source) {
  if (std::string reason = refusal_of_place(context, variable, source); !reason.empty())
    return reason;
  if (std::any_of(variable.redecls_begin(), variable.redecls_end(),
                  [&](const clang::VarDecl* other) { return may_be_used_with(variable, *other); }))
    return "it is declared several times";
  return read_extents(context, variable, source);
}

// A structure that others have too would change for them.
std::string refusal_of(const clang::ASTContext& context, const clang::VarDecl& variable,
                       const shared_member& member, const array_uses& uses, array_source& source) {
  if (is_in_a_template(variable))
    return "it is declared in a template, and the change would be one of all its instances";
  for (const clang::FieldDecl* const field : member.fields) {
    const auto line_of = [&](clang::SourceLocation place) {
      return std::to_string(context.getSourceManager().getPresumedLoc(place).getLine());
    };
    if (const auto cast = uses.casts.find(field->getParent()); cast != uses.casts.end())
      return "memory is cast to its structure at line " + line_of(cast->second);
    const auto entry = uses.variables.find(field->getParent());
    if (entry == uses.variables.end()) continue;
    for (const clang::VarDecl* const other : entry->second)
      if (other != variable.getCanonicalDecl())
        return "its structure is that of `" + other->getNameAsString() + "` at line " +
               line_of(other->getLocation()) + " too";
  }
  if (std::string reason = refusal_of_place(context, *member.fields.back(), source);
      !reason.empty())
    return reason;
  return read_extents(context, *member.fields.back(), source);
}

// The line of the first range that has the name, within a function's code if the name is one of its
// own; 0 if none has.
int skipped_line_with(const clang::ASTContext& context,
                      const std::vector<clang::SourceRange>& skipped, const std::string& name,
                      const clang::FunctionDecl* function) {
  const clang::SourceManager& files = context.getSourceManager();
  const auto is_outside = [&](const clang::SourceRange& range) {
    const clang::SourceRange code =
        files.getExpansionRange(function->getSourceRange()).getAsRange();
    return files.isBeforeInTranslationUnit(range.getEnd(), code.getBegin()) ||
           files.isBeforeInTranslationUnit(code.getEnd(), range.getBegin());
  };
  for (const clang::SourceRange& range : skipped) {
    if (files.isInSystemHeader(range.getBegin()) || (function != nullptr && is_outside(range)))
      continue;
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
void add_uses_of_instances(std::map<const clang::VarDecl*, declared_source>& sources) {
  std::map<clang::SourceLocation, std::vector<const clang::VarDecl*>> by_place;
  for (const auto& [variable, source] : sources)
    if (is_local(*variable) && is_in_a_template(*variable))
      by_place[variable->getLocation()].push_back(variable);
  for (auto& [place, variables] : by_place) {
    // The template's own expressions have no types.
    std::stable_partition(variables.begin(), variables.end(), [](const clang::VarDecl* variable) {
      return !variable->getLexicalDeclContext()->isDependentContext();
    });
    array_source common;
    for (const clang::VarDecl* const variable : variables) {
      add_missing(sources[variable].variable.uses, common.uses);
      if (variable->getLexicalDeclContext()->isDependentContext())
        add_missing(sources[variable].variable.other_uses, common.other_uses);
      else
        for (const other_use& use : sources[variable].variable.other_uses)
          add_use(use, common.other_uses);
      add_missing(sources[variable].variable.pitches, common.pitches);
    }
    for (const clang::VarDecl* const variable : variables) {
      sources[variable].variable.uses = common.uses;
      sources[variable].variable.other_uses = common.other_uses;
      sources[variable].variable.pitches = common.pitches;
    }
  }
}

template <class Places>
void sort_by_place(Places& places) {
  std::sort(places.begin(), places.end(), [](const auto& left, const auto& right) {
    return std::tie(left.piece.file, left.piece.offset) <
           std::tie(right.piece.file, right.piece.offset);
  });
}

}  // namespace

std::map<const clang::VarDecl*, declared_source> find_shared_arrays(
    clang::ASTContext& context, const std::vector<clang::Decl*>& declarations,
    const std::vector<clang::SourceRange>& skipped, const linkage_names& left_out) {
  array_uses uses(context, left_out);
  carved_arrays carved(context, left_out);
  for (clang::Decl* const declaration : declarations) {
    if (context.getSourceManager().isInSystemHeader(declaration->getLocation())) continue;
    uses.visit_all(declaration);
    carved.visit_all(declaration);
  }
  carved.join_instances();
  uses.join_received();
  uses.leave_shared_macros();
  for (auto& [variable, source] : uses.sources)
    if (const auto entry = carved.parts.find(variable); entry != carved.parts.end())
      source.variable.carved = entry->second;
  add_uses_of_instances(uses.sources);
  // By name and function, whose instances share it.
  std::map<std::pair<std::string, clang::SourceLocation>, int> skipped_lines;
  for (auto& [declaration, source] : uses.sources) {
    const clang::VarDecl* const variable = declaration;  // clang 14 captures no binding
    const clang::FunctionDecl* const function = function_of(*variable);
    const auto finish = [&](array_source& array) {
      array.is_of_one_kernel = function != nullptr && function->hasAttr<clang::CUDAGlobalAttr>();
      array.is_of_template = is_in_a_template(*variable);
      // Other functions may name the same dynamic array.
      const clang::FunctionDecl* const scope = variable->hasExternalStorage() ? nullptr : function;
      const std::string name = variable->getNameAsString();
      const auto [line, is_new] = skipped_lines.try_emplace(
          {name, scope == nullptr ? clang::SourceLocation() : scope->getBeginLoc()}, 0);
      if (is_new) line->second = skipped_line_with(context, skipped, name, scope);
      array.skipped_line = line->second;
      for (const char* const end : {"_placed", "_permuted", "_swizzled"})
        if (known_names(context).are_all_in_file(name + end)) array.function_name = name + end;
      sort_by_place(array.uses);
      sort_by_place(array.pitches);
      sort_by_place(array.other_uses);
    };
    finish(source.variable);
    source.variable.refusal = refusal_of(context, *variable, source.variable);
    for (const shared_member& member : members_of(context, *variable)) {
      if (member.fields.empty()) continue;
      array_source& own = source.members[member.name];
      finish(own);
      own.refusal = refusal_of(context, *variable, member, uses, own);
    }
  }
  return std::move(uses.sources);
}

}  // namespace compiled
