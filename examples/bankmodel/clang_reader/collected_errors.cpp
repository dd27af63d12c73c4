// SPDX-License-Identifier: MIT
#include "collected_errors.hpp"

#include <clang/AST/Decl.h>
#include <clang/Basic/DiagnosticAST.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/DiagnosticParse.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/TextDiagnostic.h>
#include <clang/Lex/LexDiagnostic.h>
#include <clang/Sema/Sema.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/raw_ostream.h>

#include <string_view>

namespace compiled {

namespace {

bool is_in_prelude(const clang::Diagnostic& diagnostic) {
  if (!diagnostic.hasSourceManager() || !diagnostic.getLocation().isValid()) return false;
  const clang::PresumedLoc location =
      diagnostic.getSourceManager().getPresumedLoc(diagnostic.getLocation());
  return location.isValid() && std::string_view(location.getFilename()).starts_with("/bankmodel/");
}

std::vector<const clang::FunctionDecl*> instances_made_by(const clang::Sema& sema) {
  std::vector<const clang::FunctionDecl*> result;
  for (const clang::Sema::CodeSynthesisContext& step : sema.CodeSynthesisContexts)
    if (step.Kind == clang::Sema::CodeSynthesisContext::TemplateInstantiation)
      if (const auto* const function = llvm::dyn_cast_or_null<clang::FunctionDecl>(step.Entity))
        result.push_back(function->getCanonicalDecl());
  return result;
}

}  // namespace

void collected_errors::BeginSourceFile(const clang::LangOptions& language,
                                       const clang::Preprocessor*) {
  language_ = language;
}

void collected_errors::HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                                        const clang::Diagnostic& diagnostic) {
  clang::DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
  const bool is_error = level >= clang::DiagnosticsEngine::Error;
  const bool is_note = level == clang::DiagnosticsEngine::Note && was_error_;
  if (!is_note) was_error_ = is_error;
  if (!is_error && !is_note) return;
  // Candidates among the prelude's declarations are none of the person's code.
  if (is_note && is_in_prelude(diagnostic)) return;
  // The language's own operators: for numbers there are two hundred, and none says more.
  if (diagnostic.getID() == clang::diag::note_ovl_builtin_candidate) return;
  const auto add_once = [&](std::vector<std::string>& names) {
    const std::string& name = diagnostic.getArgStdStr(0);
    if (!includes(names, name)) names.push_back(name);
  };
  // Clang reads a header that the folder of the file has which includes it.
  if (diagnostic.getID() == clang::diag::err_pp_file_not_found_angled_include_not_fatal) {
    add_once(headers_beside_);
    was_error_ = false;
    return;
  }
  if (diagnostic.getID() == clang::diag::err_pp_file_not_found) {
    add_once(missing_headers_);
    const bool is_own =
        diagnostic.hasSourceManager() && diagnostic.getLocation().isValid() &&
        *diagnostic.getSourceManager().getCharacterData(diagnostic.getLocation()) == '"';
    if (is_own) add_once(missing_own_headers_);
    was_error_ = false;
    return;
  }

  // C++20 needs no `typename` there (P0634). Clang before 16 asks for it, and then reads on as if
  // it stood there.
  if (language_.CPlusPlus20 && (diagnostic.getID() == clang::diag::err_typename_missing ||
                                diagnostic.getID() == clang::diag::err_typename_missing_template)) {
    was_error_ = false;
    return;
  }

  // `__device__ [[nodiscard]] int f()`: nvcc's __device__ is an attribute of the older kind, behind
  // which g++ takes it as one of what follows, and warns. Clang leaves it out and reads on.
  if (diagnostic.getID() == clang::diag::err_attribute_not_type_attr ||
      diagnostic.getID() == clang::diag::err_attributes_not_allowed) {
    was_error_ = false;
    return;
  }

  const bool is_in_system =
      diagnostic.hasSourceManager() && diagnostic.getLocation().isValid() &&
      diagnostic.getSourceManager().isInSystemHeader(diagnostic.getLocation());
  // The host library declares again, for the host, what the prelude has read for the device too.
  if (diagnostic.getID() == clang::diag::err_cuda_ovl_target && is_in_system) {
    was_error_ = false;
    return;
  }

  if (diagnostic.getID() == clang::diag::err_asm_invalid_escape) {
    has_single_percent_signs_ = true;
    was_error_ = false;
    return;
  }
  // nvcc looks at inline assembly where it makes code of it, so not in a template as written.
  if (diagnostic.getID() == clang::diag::err_asm_invalid_operand_number && sema_ != nullptr &&
      sema_->CurContext != nullptr && sema_->CurContext->isDependentContext()) {
    was_error_ = false;
    return;
  }

  if (is_error)
    if (const auto place = place_without_token(diagnostic)) missing_tokens_.insert(*place);

  llvm::SmallString<256> message;
  diagnostic.FormatDiagnostic(message);
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (diagnostic.hasSourceManager() && diagnostic.getLocation().isValid()) {
    llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options(new clang::DiagnosticOptions);
#if LLVM_VERSION_MAJOR >= 21
    clang::TextDiagnostic printer(stream, language_, *options);
#else
    clang::TextDiagnostic printer(stream, language_, options.get());
#endif
    printer.emitDiagnostic(
        clang::FullSourceLoc(diagnostic.getLocation(), diagnostic.getSourceManager()), level,
        message, diagnostic.getRanges(), diagnostic.getFixItHints());
  } else {
    stream << "error: " << message << '\n';
  }
  stream.flush();
  if (is_error) {
    errors_.push_back({diagnostic.getLocation(), text, {}, is_in_system});
    if (sema_ != nullptr) errors_.back().instances = instances_made_by(*sema_);
  } else if (!errors_.empty()) {
    errors_.back().text += text;
    errors_.back().notes.push_back(diagnostic.getLocation());
  }
}

std::string collected_errors::text() const {
  std::string result, of_system;
  for (const error& entry : errors_) (entry.is_in_system ? of_system : result) += entry.text;
  return result.empty() ? of_system : result;
}

}  // namespace compiled
