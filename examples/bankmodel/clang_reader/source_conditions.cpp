// SPDX-License-Identifier: MIT
#include "source_conditions.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>

#include "syntax_visitor.hpp"

namespace compiled {

namespace {

bool is_jump(const clang::Stmt* statement) {
  if (const auto* const block = llvm::dyn_cast_or_null<clang::CompoundStmt>(statement))
    return block->size() == 1 && is_jump(block->body_front());
  return llvm::isa_and_nonnull<clang::ReturnStmt, clang::ContinueStmt, clang::BreakStmt>(statement);
}

class condition_finder : public syntax_visitor {
 public:
  explicit condition_finder(const clang::SourceManager& files) : files_(files) {}

  bool VisitIfStmt(clang::IfStmt* statement) override {
    if (is_jump(statement->getThen()))
      for (const source_line& line : lines_of(statement->getCond()))
        result_.guarded_jumps.insert(line);
    add_else(*statement);
    return true;
  }
  bool VisitForStmt(clang::ForStmt* loop) override { return add_loop(loop->getCond()); }
  bool VisitWhileStmt(clang::WhileStmt* loop) override { return add_loop(loop->getCond()); }
  bool VisitDoStmt(clang::DoStmt* loop) override { return add_loop(loop->getCond()); }

  source_conditions result() {
    // Lines with the condition of a loop too say nothing.
    for (const source_line& line : loops_) {
      result_.guarded_jumps.erase(line);
      result_.else_branches.erase(line);
    }
    return std::move(result_);
  }

 private:
  std::set<source_line> lines_of(const clang::Expr* condition) const {
    if (condition == nullptr) return {};
    const clang::PresumedLoc first = files_.getPresumedLoc(condition->getBeginLoc()),
                             last = files_.getPresumedLoc(condition->getEndLoc());
    if (first.isInvalid() || last.isInvalid()) return {};
    std::string name = first.getFilename();
    name.erase(0, name.rfind('/') + 1);
    std::set<source_line> result;
    for (unsigned line = first.getLine(); line <= last.getLine(); ++line)
      result.emplace(name, static_cast<int>(line));
    return result;
  }

  bool add_loop(const clang::Expr* condition) {
    loops_.merge(lines_of(condition));
    return true;
  }

  void add_else(const clang::IfStmt& statement) {
    const place condition = place_of(statement.getCond()->getBeginLoc());
    for (const source_line& line : lines_of(statement.getCond())) {
      const auto [known, is_new] = conditions_.emplace(line, condition);
      // Instances of a template have it again.
      if (!is_new && !(known->second == condition))
        result_.else_branches.erase(line);
      else if (is_new && statement.getElse() != nullptr)
        result_.else_branches[line] = {place_of(statement.getElse()->getBeginLoc()),
                                       place_of(statement.getElse()->getEndLoc())};
    }
  }

  place place_of(clang::SourceLocation location) const {
    const clang::PresumedLoc presumed = files_.getPresumedLoc(location);
    if (presumed.isInvalid()) return {};
    return {-1, static_cast<int>(presumed.getLine()), static_cast<int>(presumed.getColumn())};
  }

  const clang::SourceManager& files_;
  source_conditions result_;
  std::set<source_line> loops_;
  std::map<source_line, place> conditions_;  // where the first `if` of a line has it
};

}  // namespace

source_conditions find_conditions(clang::ASTContext& context,
                                  const std::vector<clang::Decl*>& declarations) {
  condition_finder finder(context.getSourceManager());
  for (clang::Decl* const declaration : declarations)
    if (!context.getSourceManager().isInSystemHeader(declaration->getLocation()))
      finder.visit_all(declaration);
  return finder.result();
}

}  // namespace compiled
