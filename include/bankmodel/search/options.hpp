// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_OPTIONS_HPP
#define BANKMODEL_SEARCH_OPTIONS_HPP

#include <bankmodel/kernel/array.hpp>

// What optimize() may choose among, and what limits it.
namespace bankmodel {

// Families of layouts, as a set: layouts::padding.
struct layout_families {
  unsigned bits = 0;
  BANKMODEL_FN bool contain(layout_families other) const {
    return (bits & other.bits) == other.bits;
  }
  BANKMODEL_FN layout_families operator|(layout_families other) const {
    return {bits | other.bits};
  }
  bool operator==(const layout_families&) const = default;
};

namespace layouts {
// order, offsets and bank width are chosen, layouts are not
constexpr layout_families as_declared{0};
// unused elements at the end of rows, and in one dimension at intervals of a power of two
constexpr layout_families padding{1};
// each swizzle by XOR whose bits lie within the array, and of padded rows
constexpr layout_families xor_swizzle{2};
// each rotation, of groups of each power of two, and of padded rows
constexpr layout_families rotation{4};
constexpr layout_families triangular{8};  // all of them, of groups of each power of two
constexpr layout_families modular{16};    // column c of row r to a c + b r, a prime to the columns
constexpr layout_families linear{32};     // one made for the accesses
constexpr layout_families permutations{2 + 4 + 8 + 16 + 32};
constexpr layout_families all{1 + 2 + 4 + 8 + 16 + 32};
}  // namespace layouts

// A family as a set of its own: families_of(layout_family::rows) is layouts::padding.
BANKMODEL_FN layout_families families_of(layout_family one) {
  return {1u << static_cast<int>(one)};
}

// What counts after the wavefronts; the others follow in this order.
enum class preference : unsigned char {
  resident_blocks,  // most blocks on a multiprocessor; bytes that cost none are free
  // rows, padded or not, before swizzles by XOR, rotations, triangular, modular and linear layouts
  simple_indices,
  few_bytes
};

namespace rule {
[[noreturn]] BANKMODEL_FN void at_most_8_arrays_can_be_kept(long long given) {
  detail::fail(__func__, ".keep with % arrays; name at most 8, or search layouts::as_declared",
               given);
}
}  // namespace rule

// Up to 8 arrays by name: arrays(tile, table).
struct array_names {
  array_name name[8];
  int count = 0;
  BANKMODEL_FN bool contain(const array_name& other) const {
    for (int at = 0; at < count; ++at)
      if (name[at] == other) return true;
    return false;
  }
};
template <class... Arrays>
BANKMODEL_FN array_names arrays(const Arrays&... each) {
  if (sizeof...(each) > 8) rule::at_most_8_arrays_can_be_kept(sizeof...(each));
  array_names result;
  ((result.name[result.count++] = each.name), ...);
  return result;
}

// search{.layouts = layouts::padding, .shared_bytes = 4096}; search{} is everything, in what a
// block gets.
struct search {
  layout_families layouts = bankmodel::layouts::all;
  // of a block, at most; 0: what the machine gives it without opting in
  long long shared_bytes = 0;
  int resident_blocks = 0;       // on a multiprocessor, at least; 0: any number
  int registers_per_thread = 0;  // that limit these blocks too; 0: not known
  // rows and planes lie a multiple of this apart, as a copy engine may demand; 0: anything
  int row_stride_bytes = 0;
  // Arrays lie as the copy engine (TMA) writes them in its mode of 32, 64 or 128 bytes, see
  // copy_engine_swizzle(): rows of at most that many bytes, one behind the other; only where they
  // begin is chosen, and the bank width. 0: nothing is asked.
  int copy_engine_bytes = 0;
  preference prefer = preference::resident_blocks;
  array_names keep = {};  // these arrays keep their layout, whatever their rows' pitch
  // About how many requests are evaluated at most, each array and bank width having an equal
  // share; in a constant expression also no more than compilers take. 0: 262 144, at most some ten
  // milliseconds. Orders and offsets of arrays are not counted: they are tried 4 194 304 times at
  // most for each bank width, in a constant expression 2 048 times.
  long long effort = 0;
};

}  // namespace bankmodel

#endif
