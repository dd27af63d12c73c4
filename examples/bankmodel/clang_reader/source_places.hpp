// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <vector>

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

// Adds a use; where one begins there already, as two of one macro do or those of two instances,
// both are one, of which is said what is true of both.
inline void add_use(const other_use& use, std::vector<other_use>& uses) {
  const auto known = std::ranges::find_if(uses, [&](const other_use& other) {
    return other.piece.file == use.piece.file && other.piece.offset == use.piece.offset;
  });
  if (known == uses.end()) return uses.push_back(use);
  if (known->is_access && !use.is_access) known->description = use.description;
  known->is_access = known->is_access && use.is_access;
  known->has_extents = known->has_extents || use.has_extents;
  known->piece_bytes = std::max(known->piece_bytes, use.piece_bytes);
}

}  // namespace compiled
