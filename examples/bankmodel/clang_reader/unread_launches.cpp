// SPDX-License-Identifier: MIT
#include "unread_launches.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <map>

#include "file_scope.hpp"
#include "front_end.hpp"
#include "launches.hpp"
#include "raw_file.hpp"
#include "syntax_visitor.hpp"

namespace compiled {

namespace {

// The name in an expression for functions that overload resolution did not choose from.
const clang::OverloadExpr* unresolved_name(const clang::Expr* expression) {
  return expression == nullptr
             ? nullptr
             : llvm::dyn_cast<clang::OverloadExpr>(expression->IgnoreParenImpCasts());
}

class launch_finder : public syntax_visitor {
 public:
  std::set<clang::SourceLocation> read, dependent;               // of `<<<`
  std::set<std::string> invalid;                                 // variables that have an error
  std::vector<clang::CUDAKernelCallExpr*> calls;                 // whose kernel is known
  std::map<clang::SourceLocation, clang::SourceLocation> names;  // of dependent kernels, by `<<<`

  bool visits_instantiations() const override { return true; }
  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr* call) override {
    const clang::CallExpr* const configuration = call->getConfig();
    if (configuration != nullptr)
      (call->isTypeDependent() ? dependent : read).insert(configuration->getBeginLoc());
    if (!call->isTypeDependent() && call->getDirectCallee() != nullptr) calls.push_back(call);
    if (const clang::OverloadExpr* const name = unresolved_name(call->getCallee());
        name != nullptr && configuration != nullptr)
      names[configuration->getBeginLoc()] = name->getNameLoc();
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* variable) override {
    const clang::Expr* const initializer = variable->getInit();
    const bool has_wrong_type = variable->getType()->isUndeducedType() && initializer != nullptr &&
                                initializer->containsErrors();
    if (variable->isInvalidDecl() || has_wrong_type) invalid.insert(variable->getNameAsString());
    return true;
  }
};

void visit(syntax_visitor& visitor, clang::ASTContext& context,
           const std::vector<clang::Decl*>& declarations) {
  const clang::SourceManager& files = context.getSourceManager();
  for (clang::Decl* const declaration : declarations)
    if (!files.isInSystemHeader(declaration->getLocation())) visitor.visit_all(declaration);
}

// What the body of a function names, and whether it launches a kernel.
class body_finder : public syntax_visitor {
 public:
  std::set<std::string> named;
  bool launches = false;

  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr*) override { return launches = true; }
  bool VisitExpr(clang::Expr* expression) override {
    if (const auto* const name = llvm::dyn_cast<clang::OverloadExpr>(expression))
      named.insert(name->getName().getAsString());
    if (const auto* const name = llvm::dyn_cast<clang::CXXDependentScopeMemberExpr>(expression))
      named.insert(name->getMember().getAsString());
    if (const auto* const name = llvm::dyn_cast<clang::DependentScopeDeclRefExpr>(expression))
      named.insert(name->getDeclName().getAsString());
    if (const auto* const name = llvm::dyn_cast<clang::DeclRefExpr>(expression))
      named.insert(name->getDecl()->getNameAsString());
    return true;
  }
};

// Host functions that are templates, or members of some, and launch a kernel, directly or by
// others.
class launcher_finder : public syntax_visitor {
 public:
  bool VisitFunctionDecl(clang::FunctionDecl* function) override {
    if (!function->isDependentContext() || !function->doesThisDeclarationHaveABody() ||
        function->hasAttr<clang::CUDAGlobalAttr>())
      return true;
    body_finder body;
    body.visit_all(function->getBody());
    const std::string name = function->getNameAsString();
    if (body.launches) launchers.insert(name);
    called_[name].insert(body.named.begin(), body.named.end());
    return true;
  }
  // Adds those that call others.
  void close() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [name, named] : called_)
        if (std::any_of(named.begin(), named.end(),
                        [&](const std::string& callee) { return launchers.count(callee) != 0; }))
          changed = launchers.insert(name).second || changed;
    }
  }

  std::set<std::string> launchers;

 private:
  std::map<std::string, std::set<std::string>> called_;
};

// Where functions of these names are declared, instantiated, or called without an error.
class name_finder : public syntax_visitor {
 public:
  explicit name_finder(const std::set<std::string>& names) : names_(names) {}
  std::set<clang::SourceLocation> locations;

  bool visits_instantiations() const override { return true; }
  // Instances have the names of their template, where host code is all that is decided later.
  bool enters(const clang::FunctionDecl& function) const override {
    return !function.isTemplateInstantiation() || !is_device_code(function);
  }
  bool VisitFunctionDecl(clang::FunctionDecl* function) override {
    if (function->isDependentContext() && function->doesThisDeclarationHaveABody()) {
      unresolved_finder in_template(*this);
      in_template.visit_all(function->getBody());
    }
    if (!is_meant(function->getDeclName())) return true;
    locations.insert(function->getLocation());
    if (const clang::FunctionTemplateDecl* const function_template =
            function->getDescribedFunctionTemplate())
      for (const clang::FunctionDecl* const instance : function_template->specializations())
        locations.insert(instance->getPointOfInstantiation());
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* name) override {
    if (is_meant(name->getDecl()->getDeclName())) locations.insert(name->getLocation());
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr* name) override {
    if (is_meant(name->getMemberDecl()->getDeclName())) locations.insert(name->getMemberLoc());
    return true;
  }

 private:
  // Names that an instantiation of the template decides about.
  class unresolved_finder : public syntax_visitor {
   public:
    explicit unresolved_finder(name_finder& finder) : finder_(finder) {}
    bool VisitExpr(clang::Expr* expression) override {
      if (const auto* const name = llvm::dyn_cast<clang::OverloadExpr>(expression))
        finder_.locations.insert(name->getNameLoc());
      if (const auto* const name = llvm::dyn_cast<clang::CXXDependentScopeMemberExpr>(expression))
        finder_.locations.insert(name->getMemberLoc());
      if (const auto* const name = llvm::dyn_cast<clang::DependentScopeDeclRefExpr>(expression))
        finder_.locations.insert(name->getLocation());
      return true;
    }

   private:
    name_finder& finder_;
  };
  bool is_meant(const clang::DeclarationName& name) const {
    return names_.count(name.getAsString()) != 0;
  }
  const std::set<std::string>& names_;
};

// Names with all of their template arguments: `run<double>`, where its call has an error.
class instance_finder : public syntax_visitor {
 public:
  explicit instance_finder(const std::set<std::string>& launchers) : launchers_(launchers) {}
  std::vector<clang::OverloadExpr*> overloads;

  bool visits_instantiations() const override { return true; }
  bool VisitExpr(clang::Expr* expression) override {
    auto* const name = llvm::dyn_cast<clang::OverloadExpr>(expression);
    if (name == nullptr || !name->hasExplicitTemplateArgs()) return true;
    for (const clang::TemplateArgumentLoc& argument : name->template_arguments())
      if (argument.getArgument().isDependent()) return true;
    for (const clang::NamedDecl* const declaration : name->decls()) {
      const auto* const function_template =
          llvm::dyn_cast<clang::FunctionTemplateDecl>(declaration->getUnderlyingDecl());
      if (function_template == nullptr) continue;
      if (function_template->getTemplatedDecl()->hasAttr<clang::CUDAGlobalAttr>() ||
          launchers_.count(function_template->getNameAsString()) != 0) {
        overloads.push_back(name);
        break;
      }
    }
    return true;
  }

 private:
  const std::set<std::string>& launchers_;
};

std::set<std::string> launchers_in(clang::ASTContext& context,
                                   const std::vector<clang::Decl*>& declarations) {
  launcher_finder finder;
  visit(finder, context, declarations);
  finder.close();
  return finder.launchers;
}

int closed_angles(const raw_file& file, std::size_t index) {
  return file.is(index, clang::tok::greater)          ? 1
         : file.is(index, clang::tok::greatergreater) ? 2
                                                      : 0;
}

// The first token of the "space::k<64>" before the `<<<` that is this token; `mark` if that is not
// a name.
std::size_t name_before(const raw_file& file, std::size_t mark) {
  std::size_t first = mark;
  if (first > 0 && closed_angles(file, first - 1) > 0) {
    int depth = 0;
    do {
      --first;
      depth += closed_angles(file, first) - (file.is(first, clang::tok::less) ? 1 : 0);
    } while (depth > 0 && first > 0);
  }
  if (first == 0 || !file.is(first - 1, clang::tok::raw_identifier)) return mark;
  --first;
  while (first >= 2 && file.is(first - 1, clang::tok::coloncolon) &&
         file.is(first - 2, clang::tok::raw_identifier))
    first -= 2;
  return first;
}
std::string kernel_before(const raw_file& file, std::size_t mark) {
  const std::size_t first = name_before(file, mark);
  if (first == mark) return {};
  return file.text().substr(file.begin(first), file.end(mark - 1) - file.begin(first));
}

// After `name<` the token behind the `>` that belongs to it, if these are template arguments.
std::size_t after_template_arguments(const raw_file& file, std::size_t angle) {
  int depth = 0;
  for (std::size_t index = angle; index < file.count(); ++index) {
    depth += (file.is(index, clang::tok::less) ? 1 : 0) - closed_angles(file, index);
    if (depth <= 0) return index + 1;
    const bool is_part =
        file.is(index, clang::tok::less) || file.is(index, clang::tok::raw_identifier) ||
        file.is(index, clang::tok::numeric_constant) || file.is(index, clang::tok::coloncolon) ||
        file.is(index, clang::tok::comma) || file.is(index, clang::tok::star) ||
        closed_angles(file, index) > 0;
    if (!is_part) break;
  }
  return angle + 1;
}

struct token_range {
  std::size_t first = 0, end = 0;  // numbers of tokens
};

// The expressions between commas from a token on, up to one of this kind, which `index` becomes.
std::vector<token_range> expressions(const raw_file& file, std::size_t& index,
                                     clang::tok::TokenKind last) {
  std::vector<token_range> result;
  std::size_t first = index;
  int depth = 0;
  while (index < file.count()) {
    if (depth == 0 && (file.is(index, last) || file.is(index, clang::tok::comma))) {
      if (index > first) result.push_back({first, index});
      if (file.is(index, last)) return result;
      first = index + 1;
    }
    if (file.is(index, clang::tok::semi)) break;
    using namespace clang::tok;
    for (const TokenKind opening : {l_paren, l_square, l_brace}) depth += file.is(index, opening);
    for (const TokenKind closing : {r_paren, r_square, r_brace}) depth -= file.is(index, closing);
    const bool may_be_template =
        file.is(index, less) && index > 0 && file.is(index - 1, raw_identifier);
    index = may_be_template ? after_template_arguments(file, index) : index + 1;
  }
  return {};
}

// What is before the `{` of the outermost function body around a token: "template <> void f(int)".
// Empty if that is not found. A directive ends with its line.
token_range head_of_function(const raw_file& file, std::size_t inside) {
  using namespace clang::tok;
  std::size_t begin = 0;  // of the declaration
  bool is_scope = false, has_parameters = false;
  const auto next_declaration = [&](std::size_t index) {
    begin = index;
    is_scope = has_parameters = false;
  };
  for (std::size_t index = 0; index < inside; ++index) {
    if (file.is(index, hash) && file.begins_line(index)) {
      while (index + 1 < inside && !file.begins_line(index + 1)) ++index;
      next_declaration(index + 1);
    } else if (file.is(index, semi) || file.is(index, r_brace)) {
      next_declaration(index + 1);
    } else if (file.is(index, raw_identifier)) {
      const std::string word = file.spelling(index);
      is_scope = is_scope || word == "namespace" || word == "extern" || word == "enum" ||
                 ((word == "struct" || word == "class" || word == "union") && !has_parameters &&
                  !(index > 0 && (file.is(index - 1, less) || file.is(index - 1, comma))));
    } else if (file.is(index, l_paren)) {
      has_parameters = true;
    } else if (file.is(index, l_brace)) {
      if (is_scope || !has_parameters) {
        next_declaration(index + 1);
        continue;
      }
      std::size_t last = index;
      for (int depth = 1; depth > 0 && last + 1 < file.count();) {
        ++last;
        depth += (file.is(last, l_brace) ? 1 : 0) - (file.is(last, r_brace) ? 1 : 0);
      }
      if (last > inside) return {begin, index};
      index = last;
      next_declaration(index + 1);
    }
  }
  return {};
}

// Expressions of launches that have an error, in the main file, and heads of functions.
class mending {
 public:
  mending(const raw_file& file, const std::set<std::string>& invalid,
          const collected_errors& errors, const clang::SourceManager& files)
      : file_(file), invalid_(invalid), mended_(file.text()) {
    for (const collected_errors::error& error : errors.errors()) {
      if (error.location.isInvalid()) continue;
      const auto place = files.getDecomposedExpansionLoc(error.location);
      if (place.first != files.getMainFileID()) continue;
      errors_.push_back(place.second);
      if (is_of_device_launch(error.text)) device_launches_.insert(place.second);
    }
  }

  // Leaves out a launch by device code, which Clang refuses; false if it is none.
  bool leave_out_device_launch(std::size_t mark) {
    const std::size_t name = name_before(file_, mark);
    const auto error = device_launches_.lower_bound(file_.begin(name));
    if (name == mark || error == device_launches_.end() || *error > file_.begin(mark)) return false;
    std::size_t index = mark + 1;
    if (expressions(file_, index, clang::tok::greatergreatergreater).empty() ||
        !file_.is(index + 1, clang::tok::l_paren))
      return false;
    index += 2;
    (void)expressions(file_, index, clang::tok::r_paren);
    if (!file_.is(index, clang::tok::r_paren)) return false;
    replace({name, index + 1}, "(void)0");
    return true;
  }

  // First the expressions; where none has an error, the head of the function around the launch.
  void mend(std::size_t mark, char unknown) {
    std::size_t index = mark + 1;
    std::vector<token_range> ranges = expressions(file_, index, clang::tok::greatergreatergreater);
    if (ranges.empty() || !file_.is(index + 1, clang::tok::l_paren)) return;
    mend_call(mark, index + 1, std::move(ranges), unknown);
  }
  // Of a call whose name is token `name`: `(` is token `parenthesis`. `ranges`: further
  // expressions.
  void mend_call(std::size_t name, std::size_t parenthesis, std::vector<token_range> ranges,
                 char unknown) {
    std::size_t index = parenthesis + 1;
    bool has_errors = false;
    const std::vector<token_range> arguments = expressions(file_, index, clang::tok::r_paren);
    ranges.insert(ranges.end(), arguments.begin(), arguments.end());
    for (const token_range& range : ranges)
      if (has_error(range)) {
        replace(range, std::string(1, unknown));
        has_errors = true;
      }
    if (has_errors) return;
    const token_range head = head_of_function(file_, name);
    if (head.end == head.first || !heads_.insert(head.first).second) return;
    const std::string text = "void " + std::string(1, unknown) + std::to_string(head.first) + "()";
    if (file_.end(head.end - 1) - file_.begin(head.first) >= text.size()) replace(head, text);
  }
  std::optional<std::string> result() const {
    return is_changed_ ? std::optional(mended_) : std::nullopt;
  }

 private:
  // "reference to __global__ function 'k' in __global__ function", and of a template "call to
  // __global__ function from __device__ function". Host code may launch.
  static bool is_of_device_launch(const std::string& error) {
    for (const char* const begin :
         {"reference to __global__ function ", "call to __global__ function from "}) {
      const std::size_t place = error.find(begin);
      if (place == error.npos) continue;
      const std::string line = error.substr(place, error.find('\n', place) - place);
      const std::size_t caller = line.rfind(" __");
      return line.compare(caller, std::string::npos, " __host__ function") != 0;
    }
    return false;
  }

  bool has_error(const token_range& range) const {
    const std::size_t begin = file_.begin(range.first), end = file_.end(range.end - 1);
    for (const std::size_t place : errors_)
      if (place >= begin && place < end) return true;
    for (std::size_t index = range.first; index < range.end; ++index)
      if (file_.is(index, clang::tok::raw_identifier) && invalid_.count(file_.spelling(index)) != 0)
        return true;
    return false;
  }
  // Lines remain: the text is in the first that has room for it.
  void replace(const token_range& range, const std::string& text) {
    const std::size_t begin = file_.begin(range.first), end = file_.end(range.end - 1);
    std::size_t first = begin;
    for (std::size_t byte = begin; byte < first + text.size(); ++byte) {
      if (byte >= end) return;
      if (mended_[byte] == '\n') first = byte + 1;
    }
    for (std::size_t byte = begin; byte < end; ++byte)
      if (mended_[byte] != '\n') mended_[byte] = ' ';
    mended_.replace(first, text.size(), text);
    is_changed_ = true;
  }

  const raw_file& file_;
  const std::set<std::string>& invalid_;
  std::vector<std::size_t> errors_;        // their bytes
  std::set<std::size_t> device_launches_;  // of these errors
  std::set<std::size_t> heads_;            // that were replaced
  std::string mended_;
  bool is_changed_ = false;
};

// A name of one letter that the file has not: each expression has room for it.
std::string unused_letter(const raw_file& file) {
  std::string letters = "_";
  for (char letter = 'a'; letter <= 'z'; ++letter) letters += letter;
  for (std::size_t index = 0; index < file.count(); ++index)
    if (file.is(index, clang::tok::raw_identifier) && file.end(index) - file.begin(index) == 1)
      letters.erase(std::remove(letters.begin(), letters.end(), file.spelling(index)[0]),
                    letters.end());
  return letters.empty() ? "" : letters.substr(0, 1);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// The last error before the end of a launch's line, else the first of all.
std::string reason_at(clang::SourceLocation mark, const collected_errors& errors,
                      const clang::SourceManager& files) {
  if (errors.errors().empty()) return {};
  const auto place = files.getDecomposedExpansionLoc(mark);
  const unsigned line = files.getLineNumber(place.first, place.second);
  std::string result = first_line(errors.errors()[0].text);
  for (const collected_errors::error& error : errors.errors()) {
    if (error.location.isInvalid()) continue;
    const auto error_place = files.getDecomposedExpansionLoc(error.location);
    if (error_place.first == place.first &&
        files.getLineNumber(error_place.first, error_place.second) <= line)
      result = first_line(error.text);
  }
  return result;
}

// Calls of host templates that launch kernels, which the syntax tree has not: the instances that
// they would make are not known.
void add_unread_calls(clang::ASTContext& context, const std::vector<clang::Decl*>& declarations,
                      const raw_file& file, const launches_in_text& text,
                      const collected_errors& errors, const std::string& unknown, mending& mended,
                      std::vector<unread_launch>& launches) {
  using namespace clang::tok;
  const std::set<std::string> launchers = launchers_in(context, declarations);
  if (launchers.empty()) return;
  name_finder names(launchers);
  visit(names, context, declarations);
  const clang::SourceManager& files = context.getSourceManager();
  std::set<clang::SourceLocation> known = text.defined;
  for (const clang::SourceLocation location : names.locations)
    known.insert(files.getFileLoc(location));
  for (std::size_t index = 0; index + 1 < file.count(); ++index) {
    if (file.is(index, hash) && file.begins_line(index)) {
      while (index + 1 < file.count() && !file.begins_line(index + 1)) ++index;
      continue;
    }
    if (!file.is(index, raw_identifier) || launchers.count(file.spelling(index)) == 0) continue;
    const std::size_t next =
        file.is(index + 1, less) ? after_template_arguments(file, index + 1) : index + 1;
    const clang::SourceLocation location = file.location(index);
    const bool is_skipped =
        std::any_of(text.skipped.begin(), text.skipped.end(), [&](const clang::SourceRange& range) {
          return !files.isBeforeInTranslationUnit(location, range.getBegin()) &&
                 files.isBeforeInTranslationUnit(location, range.getEnd());
        });
    if (!file.is(next, l_paren) || is_skipped || known.count(location) != 0) continue;
    unread_launch launch;
    const clang::PresumedLoc place = files.getPresumedLoc(location);
    launch.file = place.isValid() ? place.getFilename() : "";
    launch.line = place.isValid() ? static_cast<int>(place.getLine()) : 0;
    launch.kernel = file.text().substr(file.begin(index), file.end(next - 1) - file.begin(index));
    launch.is_call = true;
    launch.reason = reason_at(location, errors, files);
    launches.push_back(std::move(launch));
    if (!unknown.empty()) mended.mend_call(index, next, {}, unknown[0]);
  }
}

class kernel_template_finder : public syntax_visitor {
 public:
  explicit kernel_template_finder(const clang::SourceManager& files) : files_(files) {}
  std::vector<clang::FunctionTemplateDecl*> templates;

  bool VisitFunctionDecl(clang::FunctionDecl* function) override {
    clang::FunctionTemplateDecl* const function_template = function->getDescribedFunctionTemplate();
    if (function_template == nullptr || !function->hasAttr<clang::CUDAGlobalAttr>() ||
        !function->doesThisDeclarationHaveABody() || !files_.isInMainFile(function->getLocation()))
      return true;
    // Code that names an instance has its point, also where the body does not compile.
    for (const clang::FunctionDecl* const instance : function_template->specializations())
      if (instance->isDefined() || instance->getPointOfInstantiation().isValid()) return true;
    templates.push_back(function_template);
    return true;
  }

 private:
  const clang::SourceManager& files_;
};

}  // namespace

std::string declaration_of_unknown(const std::string& name) {
  return "struct __bankmodel_unknown {\n"
         "  template <class T> __attribute__((host)) operator T() const;\n};\n"
         "extern __bankmodel_unknown " +
         name + ";\n";
}

unread_launches find_unread_launches(clang::ASTContext& context,
                                     const std::vector<clang::Decl*>& declarations,
                                     const launches_in_text& text, const collected_errors& errors,
                                     std::string& unknown) {
  unread_launches result;
  if (text.marks.empty() || errors.errors().empty()) return result;
  launch_finder finder;
  visit(finder, context, declarations);
  const clang::SourceManager& files = context.getSourceManager();
  const raw_file file(files, context.getLangOpts());
  if (unknown.empty()) unknown = unused_letter(file);
  mending mended(file, finder.invalid, errors, files);
  for (const clang::SourceLocation mark : text.marks) {
    if (finder.read.count(mark) != 0 || files.isInSystemHeader(mark)) continue;
    const auto name = finder.names.find(mark);
    const bool is_defined =
        name != finder.names.end() && text.defined.count(files.getFileLoc(name->second)) != 0;
    const clang::PresumedLoc location = files.getPresumedLoc(files.getFileLoc(mark));
    if (location.isValid() && llvm::StringRef(location.getFilename()) == prelude_file) continue;
    unread_launch launch;
    launch.file = location.isValid() ? location.getFilename() : "";
    launch.line = location.isValid() ? static_cast<int>(location.getLine()) : 0;
    launch.reason = finder.dependent.count(mark) != 0 && !errors.errors().empty()
                        ? "nothing that compiles here instantiates the template around it"
                        : reason_at(mark, errors, files);
    const auto place = files.getDecomposedLoc(files.getFileLoc(mark));
    if (place.first == files.getMainFileID()) {
      const std::size_t index = file.token_beginning(place.second);
      if (file.is(index, clang::tok::lesslessless)) {
        launch.kernel = kernel_before(file, index);
        launch.is_by_device = mark.isFileID() && mended.leave_out_device_launch(index);
        if (launch.is_by_device)
          launch.reason = "device code launches it";
        else if (mark.isFileID() && !unknown.empty())
          mended.mend(index, unknown[0]);
      }
    }
    if (!is_defined) result.launches.push_back(std::move(launch));
  }
  add_unread_calls(context, declarations, file, text, errors, unknown, mended, result.launches);
  result.mended = mended.result();
  return result;
}

std::set<clang::SourceLocation> define_launched_kernels(
    clang::Sema& sema, const std::vector<clang::Decl*>& declarations) {
  std::set<clang::SourceLocation> result;
  const file_scope scope(sema);
  const std::set<std::string> launchers = launchers_in(sema.getASTContext(), declarations);
  instance_finder instances(launchers);
  visit(instances, sema.getASTContext(), declarations);
  for (clang::OverloadExpr* const name : instances.overloads) {
    clang::FunctionDecl* const instance = sema.ResolveSingleFunctionTemplateSpecialization(name);
    if (instance == nullptr || instance->isInvalidDecl()) continue;
    if (!instance->isDefined())
      sema.InstantiateFunctionDefinition(name->getNameLoc(), instance, true, true);
    if (instance->isDefined())
      result.insert(sema.getSourceManager().getFileLoc(name->getNameLoc()));
  }
  launch_finder finder;
  visit(finder, sema.getASTContext(), declarations);
  for (clang::CUDAKernelCallExpr* const call : finder.calls) {
    clang::FunctionDecl* const kernel = call->getDirectCallee();
    if (kernel->isTemplateInstantiation() && !kernel->isDefined() && !kernel->isInvalidDecl())
      sema.InstantiateFunctionDefinition(call->getBeginLoc(), kernel, true, true);
  }
  sema.PerformPendingInstantiations();
  return result;
}

std::vector<clang::FunctionTemplateDecl*> kernels_without_instance(
    clang::ASTContext& context, const std::vector<clang::Decl*>& declarations) {
  kernel_template_finder finder(context.getSourceManager());
  visit(finder, context, declarations);
  return finder.templates;
}

}  // namespace compiled
