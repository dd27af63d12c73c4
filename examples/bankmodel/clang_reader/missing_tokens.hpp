// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <set>

#include "source_reader.hpp"

namespace clang {
class Diagnostic;
class Preprocessor;
class Token;
}  // namespace clang

// nvcc takes `tile.load<N>(p)` of a tile whose type depends on a template's arguments for what the
// language calls `tile.template load<N>(p)`; for Clang it compares `tile.load` with N, and each
// instance has an error. So it is with `reduce(p, block<T>::plus())`, which lacks `typename`, and
// with a comma that nvcc does not ask for between the operands of inline assembly, `"r"(a) "r"(b)`.
// A file with such errors is read again with what is missing. It has no place in the text, so that
// lines and columns stay.
namespace compiled {

// Returns the place of the token that needs another one behind it: `template` behind a `.`, `->` or
// `::`, `typename` behind what is before a type, a comma behind a `)`; if the error is one that
// such code causes.
std::optional<place_in_text> place_without_token(const clang::Diagnostic& diagnostic);

// Lets the parser read what is missing next, if the token that it has read last is at one of the
// places.
void add_missing_token(clang::Preprocessor& preprocessor, const clang::Token& token,
                       const std::set<place_in_text>& places);

}  // namespace compiled
