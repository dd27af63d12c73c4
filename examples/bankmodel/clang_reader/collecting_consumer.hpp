// SPDX-License-Identifier: MIT
#pragma once

#include <clang/AST/ASTConsumer.h>
#include <clang/Frontend/CompilerInstance.h>

#include <memory>

#include "collected_errors.hpp"
#include "front_end.hpp"

namespace compiled {

// Keeps all declarations until the file has been parsed; then excludes functions with errors and
// generates code from the others.
std::unique_ptr<clang::ASTConsumer> make_collecting_consumer(clang::CompilerInstance& compiler,
                                                             parsed_source& result,
                                                             collected_errors& errors);

}  // namespace compiled
