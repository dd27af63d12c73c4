// SPDX-License-Identifier: MIT
#include "array_uses.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>

#include "../compiled/code/identifier.hpp"
#include "pointer_uses.hpp"
#include "shared_members.hpp"
#include "side_effects.hpp"
#include "source_places.hpp"
#include "source_text.hpp"
#include "spelled_names.hpp"
#include "syntax_visitor.hpp"

namespace compiled {

namespace {

std::size_t dimensions(const clang::ASTContext& context, clang::QualType type) {
  std::size_t result = 0;
  while (const clang::ArrayType* const array = context.getAsArrayType(type)) {
    type = array->getElementType();
    ++result;
  }
  return result;
}

// That of an object, of an array of them, or of what is pointed to; null if it is none.
const clang::RecordDecl* structure_of(const clang::ASTContext& context, clang::QualType type) {
  for (;;) {
    if (const clang::ArrayType* const array = context.getAsArrayType(type))
      type = array->getElementType();
    else if (!type->getPointeeType().isNull())
      type = type->getPointeeType();
    else
      return type->getAsRecordDecl();
  }
}

bool is_decay(const clang::Stmt* statement) {
  const auto* const cast = llvm::dyn_cast<clang::ImplicitCastExpr>(statement);
  return cast != nullptr && cast->getCastKind() == clang::CK_ArrayToPointerDecay;
}

// True for the value of a variable that is a pointer: p of p[i].
bool is_pointer_value(const clang::Stmt* statement) {
  const auto* const cast = llvm::dyn_cast<clang::ImplicitCastExpr>(statement);
  return cast != nullptr && cast->getCastKind() == clang::CK_LValueToRValue &&
         cast->getType()->isPointerType() &&
         llvm::isa<clang::DeclRefExpr>(cast->getSubExpr()->IgnoreParens());
}

// True unless a part of an array is used as a pointer to elements, maybe after a cast: the type of
// what is used, or a size that is read, has an extent.
bool has_extents(const clang::ASTContext& context, const clang::Expr& part,
                 const clang::Stmt* parent) {
  const auto* const cast = llvm::dyn_cast_or_null<clang::ExplicitCastExpr>(parent);
  const clang::QualType pointed_to = (cast != nullptr ? cast : &part)->getType()->getPointeeType();
  return pointed_to.isNull() || context.getAsArrayType(pointed_to) != nullptr;
}

// The text of an operand, in parentheses if it is the name of a macro that may have operators.
std::string text_of_operand(const clang::Expr& expression, const std::string& text) {
  const clang::Expr* const bare = expression.IgnoreImplicit();
  const bool is_whole = llvm::isa<clang::IntegerLiteral>(bare) ||
                        llvm::isa<clang::DeclRefExpr>(bare) || llvm::isa<clang::ParenExpr>(bare);
  return is_identifier(text) && expression.getBeginLoc().isMacroID() && !is_whole ? "(" + text + ")"
                                                                                  : text;
}

// 0: nobody knows.
int element_bytes(const clang::ASTContext& context, clang::QualType type) {
  return type->isDependentType() || type->isIncompleteType()
             ? 0
             : static_cast<int>(context.getTypeSizeInChars(type).getQuantity());
}

// Not to an array, whose elements are accessed one by one.
bool is_reference_to_piece(clang::QualType type) {
  return type->isReferenceType() && !type->getPointeeType()->isArrayType();
}

// Sets the end and the beginning of the line in which a declaration ends.
void set_line(const clang::ASTContext& context, clang::SourceLocation semicolon,
              array_source& source) {
  const clang::SourceManager& files = context.getSourceManager();
  const llvm::StringRef text = files.getBufferData(files.getFileID(semicolon));
  const std::size_t after = source.declaration_end.offset;
  const std::size_t first = text.rfind('\n', after - 1) + 1;  // npos + 1 is the first line
  std::size_t last = text.find('\n', after);
  if (last == llvm::StringRef::npos) return;
  const bool is_of_windows = last > after && text[last - 1] == '\r';
  if (is_of_windows) --last;
  const llvm::StringRef indentation =
      text.substr(first).take_while([](char letter) { return letter == ' ' || letter == '\t'; });
  source.line_break = (is_of_windows ? "\r\n" : "\n") + indentation.str();
  const std::string rest = text.slice(after, last).trim().str();
  const bool is_comment = rest.rfind("//", 0) == 0 && rest.back() != '\\';
  if (!rest.empty() && !is_comment) return;
  source.line_end = source.declaration_end;
  source.line_end.offset = last;
  source.line_end.column += static_cast<int>(last - after);
  source.line_end.end_column = source.line_end.column;
}

// A device function of the file that is read alone, whose text may be changed with that of its
// callers.
bool is_receiver(const clang::ASTContext& context, const clang::FunctionDecl& function) {
  const auto is_in_file = [&](const clang::FunctionDecl* declaration) {
    return context.getSourceManager().isInMainFile(declaration->getLocation());
  };
  return function.hasAttr<clang::CUDADeviceAttr>() && !function.hasAttr<clang::CUDAGlobalAttr>() &&
         std::all_of(function.redecls_begin(), function.redecls_end(), is_in_file);
}

// True if the function whose name is visited is called there.
bool is_called(const open_statements& open) {
  std::size_t levels = 1;
  while (llvm::isa_and_nonnull<clang::ImplicitCastExpr>(open.outer(levels)) ||
         llvm::isa_and_nonnull<clang::ParenExpr>(open.outer(levels)))
    ++levels;
  const auto* const call = llvm::dyn_cast_or_null<clang::CallExpr>(open.outer(levels));
  return call != nullptr && call->getCallee() == open.outer(levels - 1);
}

// What is subscripted in "n::tile[0][1]": the name without it if it is written otherwise.
std::string base_in(const std::string& text, const std::string& name) {
  std::string base = text.substr(0, text.find('['));
  while (!base.empty() && base.back() == ' ') base.pop_back();
  return base.size() >= name.size() &&
                 base.compare(base.size() - name.size(), name.size(), name) == 0
             ? base
             : std::string();
}

// Returns the subscripts in "s[i][2 * j]": "i" and "2 * j"; none if the text is anything else than
// a name with subscripts.
std::vector<std::string> subscripts_in(const std::string& text) {
  std::vector<std::string> result;
  for (std::size_t place = text.find('['); place < text.size(); ++place) {
    if (text[place] == ' ') continue;
    if (text[place] != '[') return {};
    const std::size_t begin = place + 1;
    for (int open = 1; open > 0 && ++place < text.size();)
      open += text[place] == '[' ? 1 : text[place] == ']' ? -1 : 0;
    if (place >= text.size()) return {};
    result.push_back(text.substr(begin, place - begin));
  }
  return result;
}

}  // namespace

// The context of an `extern` one is that of the file.
const clang::FunctionDecl* function_of(const clang::DeclaratorDecl& variable) {
  return llvm::dyn_cast<clang::FunctionDecl>(variable.getLexicalDeclContext());
}

bool is_local_extern(const clang::VarDecl& variable) {
  return variable.hasExternalStorage() && function_of(variable) != nullptr;
}

const clang::VarDecl* declaration_of(const clang::VarDecl& variable) {
  return is_local_extern(variable) ? &variable : variable.getCanonicalDecl();
}

bool array_uses::VisitDeclStmt(clang::DeclStmt* statement) {
  for (const clang::Decl* const declaration : statement->decls()) {
    const auto* const variable = llvm::dyn_cast<clang::VarDecl>(declaration);
    if (variable == nullptr || !variable->hasAttr<clang::CUDASharedAttr>()) continue;
    auto end = piece_of_tokens(context_, {statement->getEndLoc(), statement->getEndLoc()});
    if (!end || end->text != ";") continue;
    end->offset += 1;
    end->line = end->end_line;
    end->column = end->end_column;
    end->text.clear();
    array_source& source = sources[declaration_of(*variable)].variable;
    source.declaration_end = *end;
    set_line(context_, statement->getEndLoc(), source);
  }
  return true;
}

bool array_uses::VisitVarDecl(clang::VarDecl* variable) {
  if (variable->hasAttr<clang::CUDASharedAttr>() && dimensions(context_, variable->getType()) > 0)
    (void)sources[declaration_of(*variable)];
  for (const shared_member& member : members_of(context_, *variable))
    (void)sources[declaration_of(*variable)].members[member.name];
  const auto* const function =
      llvm::isa<clang::ParmVarDecl>(variable)
          ? llvm::dyn_cast_or_null<clang::FunctionDecl>(variable->getParentFunctionOrMethod())
          : nullptr;
  // What a device function gets is an object that is found elsewhere.
  const bool is_given = function != nullptr && function->hasAttr<clang::CUDADeviceAttr>() &&
                        !variable->getType()->getPointeeType().isNull();
  const clang::RecordDecl* const record = structure_of(context_, variable->getType());
  if (record != nullptr && !is_given) add_variable(*record, *variable->getCanonicalDecl());
  return true;
}

// The structure's, and those of its members and bases.
void array_uses::add_variable(const clang::RecordDecl& record, const clang::VarDecl& variable) {
  if (!variables[&record].insert(&variable).second || !record.isCompleteDefinition()) return;
  for (const clang::FieldDecl* const field : record.fields())
    if (const clang::RecordDecl* const inner = structure_of(context_, field->getType()))
      add_variable(*inner, variable);
  if (const auto* const with_bases = llvm::dyn_cast<clang::CXXRecordDecl>(&record))
    for (const clang::CXXBaseSpecifier& base : with_bases->bases())
      if (const clang::RecordDecl* const inner = base.getType()->getAsRecordDecl())
        add_variable(*inner, variable);
}

bool array_uses::VisitCastExpr(clang::CastExpr* cast) {
  const clang::RecordDecl* const record =
      llvm::isa<clang::ExplicitCastExpr>(cast) ? structure_of(context_, cast->getType()) : nullptr;
  if (record != nullptr) casts.emplace(record, cast->getBeginLoc());
  return true;
}

bool array_uses::VisitDeclRefExpr(clang::DeclRefExpr* use) {
  if (llvm::isa<clang::FunctionDecl>(use->getDecl()) && is_called(open_))
    functions_[use->getDecl()->getNameAsString()].push_back(use->getLocation());
  if (const auto* const parameter = llvm::dyn_cast<clang::ParmVarDecl>(use->getDecl())) {
    const auto* const function =
        llvm::dyn_cast_or_null<clang::FunctionDecl>(parameter->getParentFunctionOrMethod());
    if (function == nullptr || !parameter->getType()->isPointerType() ||
        !is_receiver(context_, *function))
      return true;
    parameter_uses& uses = parameters_[parameter->getLocation()];
    uses.uses.push_back(use->getLocation());
    note_subscripts(*use, use, 1, 1 + dimensions(context_, parameter->getType()->getPointeeType()),
                    function->isDependentContext() ? uses.of_template : uses.source);
    return true;
  }
  const auto* const variable = llvm::dyn_cast<clang::VarDecl>(use->getDecl());
  if (variable == nullptr || !variable->hasAttr<clang::CUDASharedAttr>()) return true;
  const std::size_t rank = dimensions(context_, variable->getType());
  if (rank > 0)
    note_subscripts(*use, use, 1, rank, sources[declaration_of(*variable)].variable);
  else
    note_member(*use, *variable);
  return true;
}

bool array_uses::VisitFunctionDecl(clang::FunctionDecl* function) {
  functions_[function->getNameAsString()].push_back(function->getLocation());
  return true;
}

bool array_uses::VisitCallExpr(clang::CallExpr* call) {
  const clang::FunctionDecl* const called = call->getDirectCallee();
  const clang::FunctionDecl* definition = nullptr;
  if (called == nullptr || called->getBody(definition) == nullptr ||
      !is_receiver(context_, *definition))
    return true;
  for (unsigned number = 0; number < definition->getNumParams(); ++number)
    if (const clang::Expr* const argument = argument_of(*call, number))
      parameters_[definition->getParamDecl(number)->getLocation()].arguments.insert(
          argument->getBeginLoc());
  return true;
}

// s.inner.a, or the structure as a whole.
void array_uses::note_member(const clang::DeclRefExpr& use, const clang::VarDecl& variable) {
  const std::vector<shared_member> members = members_of(context_, variable);
  if (members.empty()) return;
  std::string name;
  const clang::Expr* expression = &use;
  for (std::size_t levels = 1; open_.outer(levels) != nullptr; ++levels) {
    const auto* const parent = llvm::dyn_cast<clang::Expr>(open_.outer(levels));
    const auto* const member = llvm::dyn_cast_or_null<clang::MemberExpr>(parent);
    if (member == nullptr && (parent == nullptr || !llvm::isa<clang::ParenExpr>(parent))) break;
    expression = parent;
    if (member == nullptr) continue;
    if (!llvm::isa<clang::FieldDecl>(member->getMemberDecl())) break;
    name += (name.empty() ? "" : ".") + member->getMemberDecl()->getNameAsString();
    const auto found_member =
        std::find_if(members.begin(), members.end(), [&](const shared_member& candidate) {
          return candidate.name == name && !candidate.fields.empty();
        });
    if (found_member == members.end()) continue;
    note_subscripts(use, expression, levels + 1, dimensions(context_, found_member->type),
                    sources[declaration_of(variable)].members[name]);
    return;
  }
  for (const shared_member& part : members)
    if (name.empty() || part.name.rfind(name + ".", 0) == 0)
      note(sources[declaration_of(variable)].members[part.name], use, *expression, {},
           {{}, "its structure is used as a whole", false});
}

// `levels`: from the use to what is around `expression`.
void array_uses::note_subscripts(const clang::DeclRefExpr& use, const clang::Expr* expression,
                                 std::size_t levels, std::size_t rank, array_source& source) {
  std::vector<const clang::Expr*> subscripts;
  for (; open_.outer(levels) != nullptr && subscripts.size() < rank; ++levels) {
    const clang::Stmt* const parent = open_.outer(levels);
    if (const auto* const element = llvm::dyn_cast<clang::ArraySubscriptExpr>(parent)) {
      if (element->getBase() != expression) break;
      subscripts.push_back(element->getIdx());
    } else if (!llvm::isa<clang::ParenExpr>(parent) && !is_decay(parent) &&
               !is_pointer_value(parent)) {
      break;
    }
    expression = llvm::cast<clang::Expr>(parent);
  }
  const std::size_t given = subscripts.size();
  const bool is_complete = given == rank;
  if (!is_complete) subscripts.clear();
  other_use other = other_than_subscripts(levels, is_complete);
  // A wider piece than a lane accesses at once is accessed in parts, which a permutation parts too.
  if (is_complete && other.piece_bytes != element_bytes(context_, expression->getType()))
    other.is_access = other.is_access && is_piece(other.piece_bytes);
  if (rank > 1 && !llvm::isa<clang::ParmVarDecl>(use.getDecl()) &&
      note_pitch(*llvm::cast<clang::VarDecl>(use.getDecl()), levels, source))
    other.is_access = true;
  other.has_extents |= !is_complete && has_extents(context_, *expression, open_.outer(levels));
  note(source, use, *expression, subscripts, other);
  const auto* const variable = llvm::cast<clang::VarDecl>(use.getDecl());
  if (!is_complete && variable->hasAttr<clang::CUDASharedAttr>())
    note_received(
        *variable, levels, expression->getType(), given,
        place_of_tokens(context_, expression->getSourceRange(), use.getDecl()->getNameAsString()));
}

// `row`: what is passed, after `given` subscripts, if that is an argument of a function.
void array_uses::note_received(const clang::VarDecl& variable, std::size_t levels,
                               clang::QualType row, std::size_t given, const source_piece& piece) {
  while (llvm::isa_and_nonnull<clang::ImplicitCastExpr>(open_.outer(levels))) ++levels;
  const auto* const call = llvm::dyn_cast_or_null<clang::CallExpr>(open_.outer(levels));
  const clang::FunctionDecl* const called = call == nullptr ? nullptr : call->getDirectCallee();
  const clang::FunctionDecl* definition = nullptr;
  if (called == nullptr || called->getBody(definition) == nullptr ||
      !is_receiver(context_, *definition))
    return;
  const auto number = parameter_given(*call, open_.outer(levels - 1));
  if (!number || *number >= definition->getNumParams() || call->getBeginLoc().isMacroID()) return;
  const clang::ParmVarDecl& parameter = *definition->getParamDecl(*number);
  if (!parameter.getType()->isPointerType() || !row->isPointerType() ||
      !context_.hasSameUnqualifiedType(parameter.getType()->getPointeeType(),
                                       row->getPointeeType()))
    return;
  parameter_uses& uses = parameters_[parameter.getLocation()];
  uses.function = definition;
  uses.name = parameter.getNameAsString();
  uses.received.push_back(
      {declaration_of(variable), given, argument_of(*call, *number)->getBeginLoc(), piece});
}

void array_uses::join_received() {
  for (auto& [place, parameter] : parameters_) {
    if (parameter.received.empty()) continue;
    // Code that `if constexpr` leaves out of the instances is changed too.
    add_missing(parameter.of_template.uses, parameter.source.uses);
    add_missing(parameter.of_template.other_uses, parameter.source.other_uses);
    const std::string function = parameter.function->getNameAsString();
    known_names names(context_), calls(context_);
    names.add(place);
    for (const clang::SourceLocation use : parameter.uses) names.add(use);
    for (const clang::SourceLocation call : functions_[function]) calls.add(call);
    if (!names.are_all_in(parameter.function->getSourceRange(), parameter.name) ||
        !calls.are_all_in_file(function))
      continue;
    const received_array& first = parameter.received.front();
    std::set<clang::SourceLocation> arguments;
    for (const received_array& received : parameter.received)
      if (received.given == first.given &&
          received.array->getLocation() == first.array->getLocation())
        arguments.insert(received.argument);
    const std::vector<other_use>& others = parameter.source.other_uses;
    if (arguments != parameter.arguments ||
        !std::all_of(others.begin(), others.end(),
                     [](const other_use& other) { return other.is_access; }))
      continue;
    for (const received_array& received : parameter.received) {
      array_source& source = sources[received.array].variable;
      for (other_use& other : source.other_uses)
        if (other.piece.file == received.piece.file && other.piece.offset == received.piece.offset)
          (received.given == 0 ? other.is_access : other.is_received_row) = true;
      add_missing(others, source.other_uses);
      for (subscripted_use use : parameter.source.uses) {
        use.receiver = function;
        use.given = static_cast<int>(received.given);
        if (!has_place(source.uses, use.piece)) source.uses.push_back(use);
      }
    }
  }
}

// Of an array that is given to a function of wmma, as &tile[r][c] or tile[r]. Returns true if the
// function accesses rows of the array.
bool array_uses::note_pitch(const clang::VarDecl& variable, std::size_t levels,
                            array_source& source) const {
  const auto is_around_pointer = [](const clang::Stmt* statement) {
    const auto* const unary = llvm::dyn_cast<clang::UnaryOperator>(statement);
    return llvm::isa<clang::ImplicitCastExpr>(statement) ||
           llvm::isa<clang::ParenExpr>(statement) ||
           (unary != nullptr && unary->getOpcode() == clang::UO_AddrOf);
  };
  while (open_.outer(levels) != nullptr && is_around_pointer(open_.outer(levels))) ++levels;
  const auto* const call = llvm::dyn_cast_or_null<clang::CallExpr>(open_.outer(levels));
  if (call == nullptr || call->getDirectCallee() == nullptr || call->getNumArgs() < 3) return false;
  const std::string name = call->getDirectCallee()->getNameAsString();
  if (name != "load_matrix_sync" && name != "store_matrix_sync") return false;
  const clang::Expr* const elements = call->getArg(2);
  clang::QualType row = variable.getType();
  while (const clang::ArrayType* const array = context_.getAsArrayType(row)) {
    if (context_.getAsArrayType(array->getElementType()) == nullptr) break;
    row = array->getElementType();
  }
  const clang::ConstantArrayType* const columns = context_.getAsConstantArrayType(row);
  clang::Expr::EvalResult value;
  if (columns == nullptr || elements->isValueDependent() ||
      !elements->EvaluateAsInt(value, context_) ||
      value.Val.getInt().getExtValue() !=
          static_cast<std::int64_t>(columns->getSize().getZExtValue()))
    return false;
  const auto text = spelled_sum(context_, elements);
  if (!text) return false;
  if (!has_place(source.pitches, text->piece)) source.pitches.push_back(*text);
  return true;
}

// How the array, or an element of it, is used other than by its value; empty if it is not.
// `levels`: from the array's name to what is around.
other_use array_uses::other_than_subscripts(std::size_t levels, bool is_complete) const {
  bool is_address = !is_complete;
  if (is_complete)
    if (const auto access = access_of_lvalue(context_, open_, levels); access && access->bytes == 0)
      return {};
  for (; open_.outer(levels) != nullptr; ++levels) {
    const clang::Stmt* const parent = open_.outer(levels);
    if (const auto* const cast = llvm::dyn_cast<clang::ExplicitCastExpr>(parent)) {
      const clang::QualType type = cast->getTypeAsWritten();
      other_use result{{},
                       "it is cast to `" + type.getAsString(context_.getLangOpts()) + "`",
                       is_address && type->isIntegerType()};
      if (!is_complete) {
        result.piece_bytes = bytes_pointed_to(context_, type);
        return result;
      }
      auto access = is_reference_to_piece(type) ? access_of_lvalue(context_, open_, levels + 1)
                                                : access_at_once(context_, open_, levels + 1);
      if (!access) access = access_by_variable(context_, open_, levels + 1);
      result.is_access = access.has_value() && bytes_pointed_to(context_, type) != 0;
      result.piece_bytes = std::max(bytes_pointed_to(context_, type), access ? access->bytes : 0);
      return result;
    }
    if (const auto* const operation = llvm::dyn_cast<clang::BinaryOperator>(parent);
        operation != nullptr && is_address &&
        (operation->isComparisonOp() ||
         (operation->getOpcode() == clang::BO_Sub && operation->getType()->isIntegerType())))
      return {{}, "its address is compared or subtracted", true};
    const auto* const unary = llvm::dyn_cast<clang::UnaryOperator>(parent);
    if (unary != nullptr && unary->getOpcode() == clang::UO_AddrOf) {
      is_address = true;
    } else if (unary != nullptr && unary->getOpcode() == clang::UO_Deref && is_complete) {
      if (access_of_lvalue(context_, open_, levels + 1)) return {};
      is_address = false;
    } else if (const auto* const call = llvm::dyn_cast<clang::CallExpr>(parent)) {
      if (is_address) return given_to(*call, levels, is_complete);
      break;
    } else if (llvm::isa<clang::UnaryExprOrTypeTraitExpr>(parent)) {
      return is_complete ? other_use() : other_use{{}, "`sizeof` reads its size"};
    } else if (is_decay(parent) && is_complete) {
      is_address = true;  // an array in a structure
    } else if (const auto* const cast_to_value = llvm::dyn_cast<clang::ImplicitCastExpr>(parent)) {
      if (cast_to_value->getCastKind() == clang::CK_LValueToRValue && !is_address) break;
    } else if (!llvm::isa<clang::ParenExpr>(parent) && !llvm::isa<clang::MemberExpr>(parent)) {
      break;
    }
  }
  if (!is_address) return {{}, "a reference to an element is made"};
  if (!is_complete) return {{}, "it is used without all its subscripts"};
  const auto access = access_by_variable(context_, open_, levels);
  return {{},
          "the address of an element is taken",
          false,
          access.has_value(),
          access ? access->bytes : 0};
}

// The atomics of CUDA and HIP access the element whose address they are given, and no other.
other_use array_uses::given_to(const clang::CallExpr& call, std::size_t levels,
                               bool is_element) const {
  const clang::FunctionDecl* const called = call.getDirectCallee();
  if (called == nullptr) return {{}, "it is passed to a function"};
  const std::string name = called->getNameAsString();
  if (is_element && name.rfind("atomic", 0) == 0 && is_of_library(*called)) return {};
  other_use result{{}, "it is passed to `" + name + "`"};
  if (!is_element) return result;
  const auto parameter = parameter_given(call, open_.outer(levels - 1));
  const auto access = converts_to_shared(*called) ? access_in_assembly(context_, open_, levels)
                      : parameter                 ? access_by_call(context_, call, *parameter)
                                                  : std::nullopt;
  result.is_access = access.has_value();
  result.piece_bytes = access ? access->bytes : 0;
  return result;
}

void array_uses::note(array_source& source, const clang::DeclRefExpr& use,
                      const clang::Expr& expression,
                      const std::vector<const clang::Expr*>& subscripts, other_use unsubscripted) {
  const clang::SourceRange range = expression.getSourceRange();
  const source_piece place = place_of_tokens(context_, range, use.getDecl()->getNameAsString());
  unsubscripted.piece = place;
  if (!unsubscripted.description.empty()) add_use(unsubscripted, source.other_uses);
  if (subscripts.empty()) return;
  subscripted_use noted_use;
  if (const auto text = piece_of_tokens(context_, range)) noted_use.piece = *text;
  noted_use.base = base_in(noted_use.piece.text, use.getDecl()->getNameAsString());
  for (const clang::Expr* const subscript : subscripts) {
    if (const auto text = piece_of_tokens(context_, subscript->getSourceRange()))
      noted_use.subscripts.push_back(text_of_operand(*subscript, text->text));
    noted_use.has_effects = noted_use.has_effects || has_effects(context_, *subscript);
  }
  noted_use.has_several_effects =
      1 < std::count_if(subscripts.begin(), subscripts.end(), [&](const clang::Expr* subscript) {
        return has_effects(context_, *subscript);
      });
  if (noted_use.piece.line == 0 || noted_use.subscripts.size() != subscripts.size()) {
    noted_use.piece = place;  // a macro has the subscripts
    noted_use.subscripts.clear();
    if (set_piece_of_macro(use, expression, noted_use) &&
        noted_use.subscripts.size() != subscripts.size())
      noted_use.subscripts.clear();
  }
  const auto known = find_place(source.uses, noted_use.piece);
  if (known == source.uses.end()) return source.uses.push_back(noted_use);
  known->has_effects = known->has_effects || noted_use.has_effects;
  known->has_several_effects = known->has_several_effects || noted_use.has_several_effects;
}

// If the body of one macro has the array and all its subscripts, sets the piece and the subscripts
// to the text there, and returns true.
bool array_uses::set_piece_of_macro(const clang::DeclRefExpr& use, const clang::Expr& expression,
                                    subscripted_use& noted_use) {
  const clang::SourceLocation begin = expression.getBeginLoc();
  const auto piece = piece_of_macro(context_, expression.getSourceRange());
  if (!piece || llvm::isa<clang::ParmVarDecl>(use.getDecl())) return false;
  const std::string base = base_in(piece->text, use.getDecl()->getNameAsString());
  std::vector<std::string> subscripts = subscripts_in(piece->text);
  if (base.empty() || subscripts.empty()) return false;
  // What a parameter of the macro stands for may have operators.
  for (std::string& subscript : subscripts)
    if (is_identifier(subscript) && subscript[0] > '9') subscript = "(" + subscript + ")";
  const clang::SourceManager& files = context_.getSourceManager();
  macro_uses& macro = macros_[piece->offset];
  macro.name = clang::Lexer::getImmediateMacroName(begin, files, context_.getLangOpts()).str();
  macro.piece = *piece;
  if (macro.names.empty()) macro.first_place = noted_use.piece;
  macro.arrays.insert(use.getDecl()->getLocation());
  macro.names.insert(files.getImmediateExpansionRange(begin).getBegin());
  noted_use.piece = *piece;
  noted_use.base = base;
  noted_use.subscripts = subscripts;
  return true;
}

// True if the file names the macro only in its definition and in the uses that are noted, and
// includes no file after it.
bool array_uses::has_all_uses(const macro_uses& macro) const {
  const clang::SourceManager& files = context_.getSourceManager();
  const clang::SourceLocation file = files.getLocForStartOfFile(files.getMainFileID());
  const llvm::StringRef text = files.getBufferData(files.getMainFileID());
  llvm::StringRef line = text.substr(text.rfind('\n', macro.piece.offset) + 1);
  if (!line.consume_front("#")) return false;
  line = line.ltrim(" \t");
  if (!line.consume_front("define")) return false;
  line = line.ltrim(" \t");
  if (text.find("#include", macro.piece.offset) != llvm::StringRef::npos) return false;
  known_names names(context_);
  const auto add_offset = [&](std::size_t offset) {
    names.add(file.getLocWithOffset(static_cast<clang::SourceLocation::IntTy>(offset)));
  };
  add_offset(static_cast<std::size_t>(line.data() - text.data()));
  add_offset(macro.piece.offset);
  for (const clang::SourceLocation use : macro.names) names.add(use);
  for (const clang::SourceLocation array : macro.arrays) names.add(array);
  return names.are_all_in_file(macro.name);
}

void array_uses::leave_shared_macros() {
  for (const auto& [offset, macro] : macros_) {
    if (macro.arrays.size() == 1 && has_all_uses(macro)) continue;
    const auto leave = [&](array_source& source) {
      for (subscripted_use& use : source.uses) {
        if (!begin_together(use.piece, macro.piece)) continue;
        use.piece = macro.first_place;
        use.subscripts.clear();
      }
    };
    for (auto& [variable, source] : sources) {
      leave(source.variable);
      for (auto& [name, member] : source.members) leave(member);
    }
  }
}

}  // namespace compiled
