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

  bool enter(clang::Stmt* given) override {
    if (llvm::isa<clang::LambdaExpr>(given) || llvm::isa<clang::StmtExpr>(given)) {
      // Its own statements begin anew.
      has_statements_ = true;
      outer_.push_back(depth_);
      depth_ = 0;
    } else if (llvm::isa<clang::Expr>(given) && depth_++ == 0) {
      has_statements_ = false;
    }
    return true;
  }
  void leave(clang::Stmt* given) override {
    if (llvm::isa<clang::LambdaExpr>(given) || llvm::isa<clang::StmtExpr>(given)) {
      has_statements_ = true;
      depth_ = outer_.back();
      outer_.pop_back();
    } else if (llvm::isa<clang::Expr>(given) && --depth_ == 0 && !has_statements_) {
      add(*given);
    }
  }

  std::vector<statement_lines> found() { return std::move(found_); }

 private:
  void add(const clang::Stmt& statement) {
    const clang::PresumedLoc first = files_.getPresumedLoc(statement.getBeginLoc()),
                             last = files_.getPresumedLoc(statement.getEndLoc());
    if (first.isInvalid() || last.isInvalid() || first.getLine() >= last.getLine() ||
        llvm::StringRef(first.getFilename()) != last.getFilename())
      return;
    std::string name = first.getFilename();
    name.erase(0, name.rfind('/') + 1);
    found_.push_back(
        {std::move(name), static_cast<int>(first.getLine()), static_cast<int>(last.getLine())});
  }

  const clang::SourceManager& files_;
  std::vector<statement_lines> found_;
  std::vector<int> outer_;  // depths around lambdas
  int depth_ = 0;           // of expressions
  bool has_statements_ = false;
};

}  // namespace

std::vector<statement_lines> find_long_statements(clang::ASTContext& context,
                                                  const std::vector<clang::Decl*>& declarations) {
  statement_finder finder(context.getSourceManager());
  for (clang::Decl* const each : declarations)
    if (!context.getSourceManager().isInSystemHeader(each->getLocation())) finder.visit_all(each);
  return finder.found();
}

}  // namespace compiled
