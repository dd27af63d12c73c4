// SPDX-License-Identifier: MIT
#include "long_statements.hpp"

#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>

#include "syntax_visitor.hpp"

namespace compiled {

namespace {

class statement_finder : public syntax_visitor {
 public:
  explicit statement_finder(const clang::SourceManager& files) : files_(files) {}

  bool enter(clang::Stmt* statement) override {
    if (llvm::isa<clang::LambdaExpr>(statement) || llvm::isa<clang::StmtExpr>(statement)) {
      // Its own statements begin anew.
      has_statements_ = true;
      outer_.push_back(depth_);
      depth_ = 0;
    } else if (llvm::isa<clang::Expr>(statement) && depth_++ == 0) {
      has_statements_ = false;
    }
    return true;
  }
  void leave(clang::Stmt* statement) override {
    if (llvm::isa<clang::LambdaExpr>(statement) || llvm::isa<clang::StmtExpr>(statement)) {
      has_statements_ = true;
      depth_ = outer_.back();
      outer_.pop_back();
    } else if (llvm::isa<clang::Expr>(statement) && --depth_ == 0 && !has_statements_) {
      add(*statement);
    }
  }

  std::vector<statement_lines> take_statements() { return std::move(statements_); }

 private:
  void add(const clang::Stmt& statement) {
    const clang::PresumedLoc first = files_.getPresumedLoc(statement.getBeginLoc()),
                             last = files_.getPresumedLoc(statement.getEndLoc());
    if (first.isInvalid() || last.isInvalid() || first.getLine() >= last.getLine() ||
        llvm::StringRef(first.getFilename()) != last.getFilename())
      return;
    std::string name = first.getFilename();
    name.erase(0, name.rfind('/') + 1);
    statements_.push_back(
        {std::move(name), static_cast<int>(first.getLine()), static_cast<int>(last.getLine())});
  }

  const clang::SourceManager& files_;
  std::vector<statement_lines> statements_;
  std::vector<int> outer_;  // depths around lambdas
  int depth_ = 0;           // of expressions
  bool has_statements_ = false;
};

}  // namespace

std::vector<statement_lines> find_long_statements(clang::ASTContext& context,
                                                  const std::vector<clang::Decl*>& declarations) {
  statement_finder finder(context.getSourceManager());
  for (clang::Decl* const declaration : declarations)
    if (!context.getSourceManager().isInSystemHeader(declaration->getLocation()))
      finder.visit_all(declaration);
  return finder.take_statements();
}

}  // namespace compiled
