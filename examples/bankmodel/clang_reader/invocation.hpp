// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_INVOCATION_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_INVOCATION_HPP

#include <clang/Basic/Diagnostic.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/Utils.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <memory>
#include <string>
#include <vector>

// How Clang's interfaces are called, which differs between LLVM's versions.
namespace compiled {

using file_system_pointer = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;

// What Clang's driver makes of `arguments`, of which the first is the program and the last the
// file. Null: there are errors, which `diagnostics` has.
inline std::shared_ptr<clang::CompilerInvocation> invocation(
    const std::vector<std::string>& arguments, clang::DiagnosticsEngine& diagnostics,
    const file_system_pointer& files) {
  std::vector<const char*> words;
  for (const std::string& each : arguments) words.push_back(each.c_str());
#if LLVM_VERSION_MAJOR >= 15
  clang::CreateInvocationOptions how;
  how.Diags = &diagnostics;
  how.VFS = files;
  return clang::createInvocation(words, how);
#else
  return clang::createInvocationFromCommandLine(words, &diagnostics, files);
#endif
}

// Sets what runs an action. `consumer` gets the diagnostics and outlives it.
inline void set_up_compiler(clang::CompilerInstance& compiler,
                            const std::shared_ptr<clang::CompilerInvocation>& how,
                            const file_system_pointer& files, clang::DiagnosticConsumer& consumer) {
  compiler.setInvocation(how);
  compiler.createFileManager(files);
#if LLVM_VERSION_MAJOR >= 20
  compiler.createDiagnostics(*files, &consumer, false);
#else
  compiler.createDiagnostics(&consumer, false);
#endif
  compiler.getDiagnosticOpts().ShowCarets = false;  // else it prints how many errors there were
}

}  // namespace compiled

#endif
