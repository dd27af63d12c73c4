// SPDX-License-Identifier: MIT
#include "unread_launches.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>

#include "launches.hpp"
#include "syntax_visitor.hpp"

namespace compiled {

namespace {

class launch_finder : public syntax_visitor {
 public:
  std::set<clang::SourceLocation> read, dependent;  // of `<<<`
  std::set<std::string> invalid;                    // variables that have an error
  std::vector<clang::CUDAKernelCallExpr*> calls;    // whose kernel is known

  bool visits_instantiations() const override { return true; }
  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr* call) override {
    const clang::CallExpr* const how = call->getConfig();
    if (how != nullptr) (call->isTypeDependent() ? dependent : read).insert(how->getBeginLoc());
    if (!call->isTypeDependent() && call->getDirectCallee() != nullptr) calls.push_back(call);
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* variable) override {
    const clang::Expr* const with = variable->getInit();
    const bool has_wrong_type =
        variable->getType()->isUndeducedType() && with != nullptr && with->containsErrors();
    if (variable->isInvalidDecl() || has_wrong_type) invalid.insert(variable->getNameAsString());
    return true;
  }
};

void visit(syntax_visitor& with, clang::ASTContext& context,
           const std::vector<clang::Decl*>& declarations) {
  const clang::SourceManager& files = context.getSourceManager();
  for (clang::Decl* const each : declarations)
    if (!files.isInSystemHeader(each->getLocation())) with.visit_all(each);
}

// The main file as tokens, without the preprocessor.
class raw_file {
 public:
  raw_file(const clang::SourceManager& files, const clang::LangOptions& language)
      : files_(files), text_(files.getBufferData(files.getMainFileID()).str()) {
    clang::Lexer lexer(files.getLocForStartOfFile(files.getMainFileID()), language, text_.data(),
                       text_.data(), text_.data() + text_.size());
    for (clang::Token token; !lexer.LexFromRawLexer(token);) tokens_.push_back(token);
  }

  const std::string& text() const { return text_; }
  std::size_t count() const { return tokens_.size(); }
  bool is(std::size_t index, clang::tok::TokenKind kind) const {
    return index < tokens_.size() && tokens_[index].is(kind);
  }
  bool begins_line(std::size_t index) const { return tokens_[index].isAtStartOfLine(); }
  std::size_t begin(std::size_t index) const {
    return files_.getFileOffset(tokens_[index].getLocation());
  }
  std::size_t end(std::size_t index) const { return begin(index) + tokens_[index].getLength(); }
  std::string spelling(std::size_t index) const {
    return text_.substr(begin(index), tokens_[index].getLength());
  }
  // The token that begins at this byte; count() if none does.
  std::size_t token_beginning(std::size_t byte) const {
    const auto found =
        std::lower_bound(tokens_.begin(), tokens_.end(), byte, [&](const auto& token, auto value) {
          return files_.getFileOffset(token.getLocation()) < value;
        });
    const auto index = static_cast<std::size_t>(found - tokens_.begin());
    return index < tokens_.size() && begin(index) == byte ? index : tokens_.size();
  }

 private:
  const clang::SourceManager& files_;
  std::string text_;
  std::vector<clang::Token> tokens_;
};

int closed_angles(const raw_file& file, std::size_t index) {
  return file.is(index, clang::tok::greater)          ? 1
         : file.is(index, clang::tok::greatergreater) ? 2
                                                      : 0;
}

// "space::k<64>" before the `<<<` that is this token; empty if it is not a name.
std::string kernel_before(const raw_file& file, std::size_t mark) {
  std::size_t first = mark;
  if (first > 0 && closed_angles(file, first - 1) > 0) {
    int depth = 0;
    do {
      --first;
      depth += closed_angles(file, first) - (file.is(first, clang::tok::less) ? 1 : 0);
    } while (depth > 0 && first > 0);
  }
  if (first == 0 || !file.is(first - 1, clang::tok::raw_identifier)) return {};
  --first;
  while (first >= 2 && file.is(first - 1, clang::tok::coloncolon) &&
         file.is(first - 2, clang::tok::raw_identifier))
    first -= 2;
  return file.text().substr(file.begin(first), file.end(mark - 1) - file.begin(first));
}

// After `name<` the token behind the `>` that belongs to it, if these are template arguments.
std::size_t after_template_arguments(const raw_file& file, std::size_t less) {
  int depth = 0;
  for (std::size_t index = less; index < file.count(); ++index) {
    depth += (file.is(index, clang::tok::less) ? 1 : 0) - closed_angles(file, index);
    if (depth <= 0) return index + 1;
    const bool is_part =
        file.is(index, clang::tok::less) || file.is(index, clang::tok::raw_identifier) ||
        file.is(index, clang::tok::numeric_constant) || file.is(index, clang::tok::coloncolon) ||
        file.is(index, clang::tok::comma) || file.is(index, clang::tok::star) ||
        closed_angles(file, index) > 0;
    if (!is_part) break;
  }
  return less + 1;
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
    for (const collected_errors::error& one : errors.errors()) {
      if (one.where.isInvalid()) continue;
      const auto place = files.getDecomposedExpansionLoc(one.where);
      if (place.first == files.getMainFileID()) errors_.push_back(place.second);
    }
  }

  // First the expressions; where none has an error, the head of the function around the launch.
  void mend(std::size_t mark, char unknown) {
    std::size_t index = mark + 1;
    std::vector<token_range> all = expressions(file_, index, clang::tok::greatergreatergreater);
    if (all.empty() || !file_.is(index + 1, clang::tok::l_paren)) return;
    index += 2;
    bool has_errors = false;
    const std::vector<token_range> arguments = expressions(file_, index, clang::tok::r_paren);
    all.insert(all.end(), arguments.begin(), arguments.end());
    for (const token_range& one : all)
      if (has_error(one)) {
        replace(one, std::string(1, unknown));
        has_errors = true;
      }
    if (has_errors) return;
    const token_range head = head_of_function(file_, mark);
    if (head.end == head.first || !heads_.insert(head.first).second) return;
    const std::string text = "void " + std::string(1, unknown) + std::to_string(head.first) + "()";
    if (file_.end(head.end - 1) - file_.begin(head.first) >= text.size()) replace(head, text);
  }
  std::optional<std::string> result() const {
    return is_changed_ ? std::optional(mended_) : std::nullopt;
  }

 private:
  bool has_error(const token_range& one) const {
    const std::size_t begin = file_.begin(one.first), end = file_.end(one.end - 1);
    for (const std::size_t place : errors_)
      if (place >= begin && place < end) return true;
    for (std::size_t index = one.first; index < one.end; ++index)
      if (file_.is(index, clang::tok::raw_identifier) && invalid_.count(file_.spelling(index)) != 0)
        return true;
    return false;
  }
  // Lines remain: the text is in the first that has room for it.
  void replace(const token_range& one, const std::string& text) {
    const std::size_t begin = file_.begin(one.first), end = file_.end(one.end - 1);
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
  std::vector<std::size_t> errors_;  // their bytes
  std::set<std::size_t> heads_;      // that were replaced
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
  for (const collected_errors::error& one : errors.errors()) {
    if (one.where.isInvalid()) continue;
    const auto its = files.getDecomposedExpansionLoc(one.where);
    if (its.first == place.first && files.getLineNumber(its.first, its.second) <= line)
      result = first_line(one.text);
  }
  return result;
}

class kernel_template_finder : public syntax_visitor {
 public:
  explicit kernel_template_finder(const clang::SourceManager& files) : files_(files) {}
  std::vector<std::string> found;

  bool VisitFunctionDecl(clang::FunctionDecl* function) override {
    const clang::FunctionTemplateDecl* const all = function->getDescribedFunctionTemplate();
    if (all == nullptr || !function->hasAttr<clang::CUDAGlobalAttr>() ||
        !function->doesThisDeclarationHaveABody() || !files_.isInMainFile(function->getLocation()))
      return true;
    for (const clang::FunctionDecl* const one : all->specializations())
      if (one->isDefined()) return true;
    found.push_back(function->getNameAsString());
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
                                     const std::set<clang::SourceLocation>& marks,
                                     const collected_errors& errors, std::string& unknown) {
  unread_launches result;
  if (marks.empty() || errors.errors().empty()) return result;
  launch_finder finder;
  visit(finder, context, declarations);
  const clang::SourceManager& files = context.getSourceManager();
  const raw_file file(files, context.getLangOpts());
  if (unknown.empty()) unknown = unused_letter(file);
  mending all(file, finder.invalid, errors, files);
  for (const clang::SourceLocation mark : marks) {
    if (finder.read.count(mark) != 0 || files.isInSystemHeader(mark)) continue;
    const clang::PresumedLoc where = files.getPresumedLoc(files.getExpansionLoc(mark));
    unread_launch one;
    one.file = where.isValid() ? where.getFilename() : "";
    one.line = where.isValid() ? static_cast<int>(where.getLine()) : 0;
    one.reason = finder.dependent.count(mark) != 0 && !errors.errors().empty()
                     ? "nothing that compiles here instantiates the template around it"
                     : reason_at(mark, errors, files);
    const auto place = files.getDecomposedLoc(files.getFileLoc(mark));
    if (place.first == files.getMainFileID()) {
      const std::size_t index = file.token_beginning(place.second);
      if (file.is(index, clang::tok::lesslessless)) {
        one.kernel = kernel_before(file, index);
        if (mark.isFileID() && !unknown.empty()) all.mend(index, unknown[0]);
      }
    }
    result.found.push_back(std::move(one));
  }
  result.mended = all.result();
  return result;
}

void define_launched_kernels(clang::Sema& sema, const std::vector<clang::Decl*>& declarations) {
  launch_finder finder;
  visit(finder, sema.getASTContext(), declarations);
  for (clang::CUDAKernelCallExpr* const call : finder.calls) {
    clang::FunctionDecl* const kernel = call->getDirectCallee();
    if (kernel->isTemplateInstantiation() && !kernel->isDefined() && !kernel->isInvalidDecl())
      sema.InstantiateFunctionDefinition(call->getBeginLoc(), kernel, true, true);
  }
  sema.PerformPendingInstantiations();
}

std::vector<std::string> kernels_without_instance(clang::ASTContext& context,
                                                  const std::vector<clang::Decl*>& declarations) {
  kernel_template_finder finder(context.getSourceManager());
  visit(finder, context, declarations);
  return finder.found;
}

}  // namespace compiled
