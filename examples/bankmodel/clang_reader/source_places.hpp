// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <vector>

#include "../compiled/code/array_source.hpp"

// Lists of what has a place in the source, as its member `piece`.
namespace compiled {

// True if both pieces begin at the same byte of the same file.
inline bool begin_together(const source_piece& some, const source_piece& other) {
  return some.file == other.file && some.offset == other.offset;
}

// Returns the element that begins there, or the end.
template <class Places>
auto find_place(Places& places, const source_piece& piece) {
  return std::ranges::find_if(
      places, [&](const auto& entry) { return begin_together(entry.piece, piece); });
}

// True if an element begins there.
template <class Places>
bool has_place(const Places& places, const source_piece& piece) {
  return find_place(places, piece) != places.end();
}

// Adds the elements of `source` that begin where none of `target` does.
template <class Places>
void add_missing(const Places& source, Places& target) {
  for (const auto& entry : source)
    if (!has_place(target, entry.piece)) target.push_back(entry);
}

// Adds a use; where one begins there already, as two of one macro do or those of two instances,
// both are one, of which is said what is true of both.
inline void add_use(const other_use& use, std::vector<other_use>& uses) {
  const auto known = find_place(uses, use.piece);
  if (known == uses.end()) return uses.push_back(use);
  if (known->is_access && !use.is_access) known->description = use.description;
  known->is_access = known->is_access && use.is_access;
  known->has_extents = known->has_extents || use.has_extents;
  known->piece_bytes = std::max(known->piece_bytes, use.piece_bytes);
}

}  // namespace compiled
