// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_SOURCE_PLACES_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_SOURCE_PLACES_HPP

#include <algorithm>

#include "../compiled/code/array_source.hpp"

// Lists of what has a place in the source, as its member `where`.
namespace compiled {

// True if an element begins there.
template <class Places>
bool has_place(const Places& all, const source_piece& where) {
  return std::any_of(all.begin(), all.end(), [&](const auto& each) {
    return each.where.file == where.file && each.where.offset == where.offset;
  });
}

// Adds the elements of `from` that begin where none of `to` does.
template <class Places>
void add_missing(const Places& from, Places& to) {
  for (const auto& each : from)
    if (!has_place(to, each.where)) to.push_back(each);
}

}  // namespace compiled

#endif
