// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_SOURCE_PLACES_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_SOURCE_PLACES_HPP

#include <algorithm>

#include "../compiled/code/array_source.hpp"

// Lists of what has a place in the source, as its member `piece`.
namespace compiled {

// True if an element begins there.
template <class Places>
bool has_place(const Places& places, const source_piece& piece) {
  return std::any_of(places.begin(), places.end(), [&](const auto& entry) {
    return entry.piece.file == piece.file && entry.piece.offset == piece.offset;
  });
}

// Adds the elements of `source` that begin where none of `target` does.
template <class Places>
void add_missing(const Places& source, Places& target) {
  for (const auto& entry : source)
    if (!has_place(target, entry.piece)) target.push_back(entry);
}

}  // namespace compiled

#endif
