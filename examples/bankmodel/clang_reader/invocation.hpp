// SPDX-License-Identifier: MIT
#pragma once

#include <clang/Basic/Diagnostic.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/Utils.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <memory>
#include <string>
#include <vector>

// Calls of Clang's interfaces that differ between LLVM's versions.
namespace compiled {

using file_system_pointer = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;

// The call of the compiler that Clang's driver makes of `arguments`: the program, the options and
// the file. Null: the arguments have an error, which `diagnostics` has.
inline std::shared_ptr<clang::CompilerInvocation> invocation(
    const std::vector<std::string>& arguments, clang::DiagnosticsEngine& diagnostics,
    const file_system_pointer& files) {
  std::vector<const char*> words;
  for (const std::string& argument : arguments) words.push_back(argument.c_str());
#if LLVM_VERSION_MAJOR >= 15
  clang::CreateInvocationOptions options;
  options.Diags = &diagnostics;
  options.VFS = files;
  return clang::createInvocation(words, options);
#else
  return clang::createInvocationFromCommandLine(words, &diagnostics, files);
#endif
}

// Prepares a compiler to run an action. `consumer` receives the diagnostics and outlives it.
inline void set_up_compiler(clang::CompilerInstance& compiler,
                            const std::shared_ptr<clang::CompilerInvocation>& call,
                            const file_system_pointer& files, clang::DiagnosticConsumer& consumer) {
  compiler.setInvocation(call);
  compiler.createFileManager(files);
#if LLVM_VERSION_MAJOR >= 20
  compiler.createDiagnostics(*files, &consumer, false);
#else
  compiler.createDiagnostics(&consumer, false);
#endif
  compiler.getDiagnosticOpts().ShowCarets = false;  // else it prints how many errors there were
}

}  // namespace compiled
