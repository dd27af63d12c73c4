// SPDX-License-Identifier: MIT
#include "missing_tokens.hpp"

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticParse.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Preprocessor.h>

#include <cctype>
#include <memory>
#include <string_view>
#include <utility>

namespace compiled {

namespace {

// Of what a macro is expanded to, the place in the macro.
place_in_text place_of(clang::SourceLocation location, const clang::SourceManager& files) {
  const clang::PresumedLoc place = files.getPresumedLoc(files.getSpellingLoc(location), false);
  if (place.isInvalid()) return {};
  return {place.getFilename(), place.getLine(), place.getColumn()};
}

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::size_t behind_blanks(std::string_view text, std::size_t index) {
  while (index < text.size() && is_blank(text[index])) ++index;
  return index;
}
std::size_t behind_name(std::string_view text, std::size_t index) {
  while (index < text.size() && is_of_name(text[index])) ++index;
  return index;
}
// The bytes of the `.`, `->` or `::` that the text begins with.
std::size_t bytes_of_selection(std::string_view text) {
  if (text.substr(0, 2) == "->" || text.substr(0, 2) == "::") return 2;
  return text.substr(0, 1) == "." ? 1 : 0;
}
std::optional<std::size_t> selection_before(std::string_view text, std::size_t name) {
  while (name > 0 && is_blank(text[name - 1])) --name;
  for (const std::size_t bytes : {std::size_t{2}, std::size_t{1}})
    if (name >= bytes && bytes_of_selection(text.substr(name - bytes, bytes)) == bytes)
      return name - bytes;
  return {};
}

// Behind the `>` of the `<` at this index.
std::size_t behind_arguments(std::string_view text, std::size_t index) {
  for (int depth = 0; index < text.size(); ++index) {
    depth += text[index] == '<' || text[index] == '(' ? 1 : 0;
    depth -= text[index] == '>' || text[index] == ')' ? 1 : 0;
    if (depth == 0) return index + 1;
  }
  return index;
}

// Of `a<b>::c.d < ..` from any of these names on: the `.`.
std::optional<std::size_t> last_selection(std::string_view text, std::size_t index) {
  for (;;) {
    const std::size_t name = index;
    index = behind_blanks(text, behind_name(text, name));
    if (index == name || index == text.size()) return {};
    if (text[index] == '<') {
      if (const auto selection = selection_before(text, name)) return selection;
      index = behind_blanks(text, behind_arguments(text, index));
    }
    const std::size_t bytes = bytes_of_selection(text.substr(index));
    if (bytes == 0) return {};
    index = behind_blanks(text, index + bytes);
  }
}

// Of `asm("..." : : "r"(a) "r"(b))`: the `)` before the string that is at this index.
std::optional<std::size_t> operand_before(std::string_view text, std::size_t index) {
  if (index >= text.size() || text[index] != '"') return {};
  std::size_t end = index;
  while (end > 0 && is_blank(text[end - 1])) --end;
  if (end == 0 || text[end - 1] != ')') return {};
  // Within the parentheses of the last `asm`, whose strings may have any.
  const std::size_t assembly = text.substr(0, end).rfind("asm");
  if (assembly == text.npos) return {};
  int depth = 0;
  bool is_string = false;
  for (std::size_t byte = assembly; byte < end; ++byte) {
    if (text[byte] == '"' && text[byte - 1] != '\\') is_string = !is_string;
    if (is_string) continue;
    depth += (text[byte] == '(' ? 1 : 0) - (text[byte] == ')' ? 1 : 0);
    if (text[byte] == ';') return {};
  }
  if (depth != 1) return {};
  return end - 1;
}

// Before the `<` of the `>` at this index.
std::size_t before_arguments(std::string_view text, std::size_t index) {
  int depth = 0;
  for (;; --index) {
    depth += text[index] == '>' || text[index] == ')' ? 1 : 0;
    depth -= text[index] == '<' || text[index] == '(' ? 1 : 0;
    if (depth == 0 || index == 0) return index;
  }
}

// Of `f(a, b<c>::d())` or `return b<c>::d()`, of which the name b is at this index: the `,` or the
// `return`.
std::optional<std::size_t> token_before_type(std::string_view text, std::size_t begin) {
  while (begin > 0 && is_blank(text[begin - 1])) --begin;
  if (begin > 0 && std::string_view("(,={").find(text[begin - 1]) != std::string_view::npos)
    return begin - 1;
  constexpr std::string_view returning = "return";
  if (begin < returning.size() ||
      text.substr(begin - returning.size(), returning.size()) != returning)
    return {};
  return begin - returning.size();
}

// The same, of which the name d is at this index.
std::optional<std::size_t> token_before_member(std::string_view text, std::size_t name) {
  const std::size_t next = behind_blanks(text, behind_name(text, name));
  if (next == text.size() || text[next] != '(') return {};
  std::size_t begin = name;
  while (const auto selection = selection_before(text, begin)) {
    if (text[*selection] != ':') return {};
    begin = *selection;
    while (begin > 0 && is_blank(text[begin - 1])) --begin;
    if (begin > 0 && text[begin - 1] == '>') begin = before_arguments(text, begin - 1);
    while (begin > 0 && is_blank(text[begin - 1])) --begin;
    while (begin > 0 && is_of_name(text[begin - 1])) --begin;
  }
  if (begin == name) return {};
  return token_before_type(text, begin);
}

// Before what is at this index and has this error.
std::optional<std::size_t> token_before(const clang::Diagnostic& error, std::string_view text,
                                        std::size_t index) {
  switch (error.getID()) {
    case clang::diag::err_expected: return operand_before(text, index);
    case clang::diag::err_ref_non_value: return token_before_member(text, index);
    case clang::diag::err_typename_missing: return token_before_type(text, index);
    default: return last_selection(text, index);
  }
}

bool is_missing_parenthesis(const clang::Diagnostic& diagnostic) {
  return diagnostic.getID() == clang::diag::err_expected && diagnostic.getNumArgs() == 1 &&
         diagnostic.getArgKind(0) == clang::DiagnosticsEngine::ak_tokenkind &&
         diagnostic.getRawArg(0) == clang::tok::r_paren;
}

}  // namespace

std::optional<place_in_text> place_without_token(const clang::Diagnostic& diagnostic) {
  switch (diagnostic.getID()) {
    case clang::diag::err_expected:
      if (!is_missing_parenthesis(diagnostic)) return {};
      break;
    case clang::diag::err_ref_non_value:
    case clang::diag::err_typename_missing:
    case clang::diag::err_ovl_unresolvable:
    case clang::diag::err_bound_member_function:
    case clang::diag::err_missing_dependent_template_keyword: break;
    default: return {};
  }
  if (!diagnostic.hasSourceManager() || diagnostic.getLocation().isInvalid()) return {};
  const clang::SourceManager& files = diagnostic.getSourceManager();
  const auto [file, offset] = files.getDecomposedSpellingLoc(diagnostic.getLocation());
  const llvm::StringRef text = files.getBufferData(file);
  const std::string_view content(text.data(), text.size());
  const auto token = token_before(diagnostic, content, offset);
  if (!token) return {};
  return place_of(files.getComposedLoc(file, static_cast<unsigned>(*token)), files);
}

void add_missing_token(clang::Preprocessor& preprocessor, const clang::Token& token,
                       const std::set<place_in_text>& places) {
  using namespace clang::tok;
  const TokenKind kind = token.isOneOf(period, arrow, coloncolon)                   ? kw_template
                         : token.is(r_paren)                                        ? comma
                         : token.isOneOf(l_paren, comma, equal, l_brace, kw_return) ? kw_typename
                                                                                    : unknown;
  if (kind == unknown ||
      places.count(place_of(token.getLocation(), preprocessor.getSourceManager())) == 0)
    return;
  auto missing = std::make_unique<clang::Token[]>(1);
  missing[0].startToken();
  missing[0].setKind(kind);
  missing[0].setLocation(token.getLocation());
  if (kind != comma)
    missing[0].setIdentifierInfo(preprocessor.getIdentifierInfo(getKeywordSpelling(kind)));
  preprocessor.EnterTokenStream(std::move(missing), 1, true, true);
}

}  // namespace compiled
