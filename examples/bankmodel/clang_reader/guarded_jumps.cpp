// SPDX-License-Identifier: MIT
#include "guarded_jumps.hpp"

#include <clang/AST/Stmt.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>

#include "syntax_visitor.hpp"

namespace compiled {

namespace {

bool is_jump(const clang::Stmt* of) {
  if (const auto* const block = llvm::dyn_cast_or_null<clang::CompoundStmt>(of))
    return block->size() == 1 && is_jump(block->body_front());
  return llvm::isa_and_nonnull<clang::ReturnStmt, clang::ContinueStmt, clang::BreakStmt>(of);
}

class jump_finder : public syntax_visitor {
 public:
  explicit jump_finder(const clang::SourceManager& files) : files_(files) {}

  bool VisitIfStmt(clang::IfStmt* given) override {
    if (is_jump(given->getThen())) add(given->getCond(), jumps_);
    return true;
  }
  bool VisitForStmt(clang::ForStmt* given) override { return add(given->getCond(), loops_); }
  bool VisitWhileStmt(clang::WhileStmt* given) override { return add(given->getCond(), loops_); }
  bool VisitDoStmt(clang::DoStmt* given) override { return add(given->getCond(), loops_); }

  // Lines with the condition of a loop too say nothing.
  std::set<source_line> found() {
    for (const source_line& one : loops_) jumps_.erase(one);
    return std::move(jumps_);
  }

 private:
  bool add(const clang::Expr* condition, std::set<source_line>& to) {
    if (condition == nullptr) return true;
    const clang::PresumedLoc first = files_.getPresumedLoc(condition->getBeginLoc()),
                             last = files_.getPresumedLoc(condition->getEndLoc());
    if (first.isInvalid() || last.isInvalid()) return true;
    std::string name = first.getFilename();
    name.erase(0, name.rfind('/') + 1);
    for (unsigned line = first.getLine(); line <= last.getLine(); ++line)
      to.emplace(name, static_cast<int>(line));
    return true;
  }

  const clang::SourceManager& files_;
  std::set<source_line> jumps_, loops_;
};

}  // namespace

namespace {

class else_finder : public syntax_visitor {
 public:
  explicit else_finder(const clang::SourceManager& files) : files_(files) {}

  bool VisitIfStmt(clang::IfStmt* given) override {
    const clang::PresumedLoc first = files_.getPresumedLoc(given->getCond()->getBeginLoc()),
                             last = files_.getPresumedLoc(given->getCond()->getEndLoc());
    if (first.isInvalid() || last.isInvalid()) return true;
    std::string name = first.getFilename();
    name.erase(0, name.rfind('/') + 1);
    for (unsigned line = first.getLine(); line <= last.getLine(); ++line) {
      const source_line here(name, static_cast<int>(line));
      const place condition = place_of(given->getCond()->getBeginLoc());
      const auto [known, is_new] = conditions_.emplace(here, condition);
      // Instances of a template have it again.
      if (!is_new && !(known->second == condition))
        found_.erase(here);
      else if (is_new && given->getElse() != nullptr)
        found_[here] = {place_of(given->getElse()->getBeginLoc()),
                        place_of(given->getElse()->getEndLoc())};
    }
    return true;
  }

  std::map<source_line, std::pair<place, place>> found() { return std::move(found_); }

 private:
  place place_of(clang::SourceLocation location) const {
    const clang::PresumedLoc presumed = files_.getPresumedLoc(location);
    return presumed.isInvalid() ? place()
                                : place{-1, static_cast<int>(presumed.getLine()),
                                        static_cast<int>(presumed.getColumn())};
  }

  const clang::SourceManager& files_;
  std::map<source_line, place> conditions_;  // where the first one of a line begins
  std::map<source_line, std::pair<place, place>> found_;
};

}  // namespace

std::map<source_line, std::pair<place, place>> find_else_branches(
    clang::ASTContext& context, const std::vector<clang::Decl*>& declarations) {
  else_finder finder(context.getSourceManager());
  for (clang::Decl* const each : declarations)
    if (!context.getSourceManager().isInSystemHeader(each->getLocation())) finder.visit_all(each);
  return finder.found();
}

std::set<source_line> find_guarded_jumps(clang::ASTContext& context,
                                         const std::vector<clang::Decl*>& declarations) {
  jump_finder finder(context.getSourceManager());
  for (clang::Decl* const each : declarations)
    if (!context.getSourceManager().isInSystemHeader(each->getLocation())) finder.visit_all(each);
  return finder.found();
}

}  // namespace compiled
