// SPDX-License-Identifier: MIT
#pragma once

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/LangOptions.h>
#include <clang/Basic/SourceLocation.h>

#include <set>
#include <string>
#include <vector>

#include "missing_tokens.hpp"

namespace clang {
class FunctionDecl;
class Sema;
}  // namespace clang

namespace compiled {

// Keeps Clang's errors with their places, so that those in host code can be ignored.
class collected_errors : public clang::DiagnosticConsumer {
 public:
  struct error {
    clang::SourceLocation location;
    std::string text;  // with its notes
    std::vector<clang::SourceLocation> notes = {};
    // Clang does not take all that gcc's library declares for the host beside our declarations for
    // the device; no kernel suffers from that.
    bool is_in_system = false;
    // The instances of function templates that Clang was making, in their canonical declarations;
    // empty for what is wrong in the text itself.
    std::vector<const clang::FunctionDecl*> instances = {};
  };

  void BeginSourceFile(const clang::LangOptions& language,
                       const clang::Preprocessor* preprocessor) override;
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& diagnostic) override;
  // The analysis that finds the errors, which knows the instances it makes; null when it ends.
  void set_sema(const clang::Sema* sema) { sema_ = sema; }

  const std::vector<error>& errors() const { return errors_; }
  const std::vector<std::string>& missing_headers() const { return missing_headers_; }
  // Those of them in quotes: a program's own.
  const std::vector<std::string>& missing_own_headers() const { return missing_own_headers_; }
  // Those of the system's headers only if there are no others.
  std::string text() const;
  // Those in angle brackets that only the folder of the file that includes them has: each name
  // once.
  const std::vector<std::string>& headers_beside() const { return headers_beside_; }
  // Where errors ask for a token, as missing_tokens.hpp says.
  const std::set<place_in_text>& missing_tokens() const { return missing_tokens_; }
  // Whether inline assembly has signs that double_percent_signs() doubles; that is no error.
  bool has_single_percent_signs() const { return has_single_percent_signs_; }

 private:
  std::vector<error> errors_;
  std::vector<std::string> missing_headers_, missing_own_headers_, headers_beside_;
  clang::LangOptions language_;
  const clang::Sema* sema_ = nullptr;
  std::set<place_in_text> missing_tokens_;
  bool has_single_percent_signs_ = false;
  bool was_error_ = false;  // the last one, which notes belong to
};

}  // namespace compiled
