// SPDX-License-Identifier: MIT
#include "percent_signs.hpp"

#include <clang/AST/Stmt.h>
#include <clang/Basic/DiagnosticAST.h>

#include <string>
#include <string_view>

#include "syntax_visitor.hpp"

namespace compiled {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool names_operand(char c) { return c == '[' || (c >= '0' && c <= '9'); }

// Whether Clang reads what is behind a %: a sign, an operand, or an operand with a modifier.
bool is_escape(std::string_view text) {
  if (text.empty()) return false;
  if (std::string_view("%{|}=").find(text[0]) != std::string_view::npos) return true;
  if (is_letter(text[0])) text.remove_prefix(1);
  return !text.empty() && names_operand(text[0]);
}

// The assembly with its signs doubled, on one line: Clang looks for the place of each line in the
// file, where the text is shorter.
std::string with_doubled_signs(std::string_view text) {
  std::string result;
  for (std::size_t index = 0; index < text.size(); ++index) {
    if (text.substr(index, 2) == "//") index = text.find('\n', index);
    if (index == text.npos) break;
    if (text[index] == '\n') {
      result += ' ';
      continue;
    }
    result += text[index];
    if (text[index] != '%') continue;
    if (!is_escape(text.substr(index + 1)))
      result += '%';
    else
      result += text[++index];
  }
  return result;
}

class assembly_visitor : public syntax_visitor {
 public:
  explicit assembly_visitor(clang::ASTContext& context) : context_(context) {}

  bool visits_instantiations() const override { return true; }
  bool enter(clang::Stmt* statement) override {
    auto* const assembly = llvm::dyn_cast<clang::GCCAsmStmt>(statement);
    if (assembly == nullptr) return true;
    llvm::SmallVector<clang::GCCAsmStmt::AsmStringPiece, 8> pieces;
    unsigned offset = 0;
    if (assembly->AnalyzeAsmString(pieces, context_, offset) != clang::diag::err_asm_invalid_escape)
      return true;
    const clang::StringLiteral* const old = assembly->getAsmString();
    const std::string text = with_doubled_signs(old->getString().str());
    assembly->setAsmString(clang::StringLiteral::Create(
        context_, text, old->getKind(), false,
        context_.getStringLiteralArrayType(context_.CharTy, static_cast<unsigned>(text.size())),
        old->getBeginLoc()));
    return true;
  }

 private:
  clang::ASTContext& context_;
};

}  // namespace

void double_percent_signs(clang::ASTContext& context,
                          const std::vector<clang::Decl*>& declarations) {
  assembly_visitor visitor(context);
  for (clang::Decl* const declaration : declarations) visitor.visit_all(declaration);
}

}  // namespace compiled
