// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_OPTIONS_HPP
#define BANKMODEL_SEARCH_OPTIONS_HPP

#include <bankmodel/kernel/array.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The options and limits of optimize().
namespace bankmodel {

// A set of layout families: layouts::padding, layouts::padding | layouts::xor_swizzle.
struct layout_families {
  unsigned bits = 0;
  // True if every family of `other` is in the set.
  BANKMODEL_FN bool contain(layout_families other) const {
    return (bits & other.bits) == other.bits;
  }
  // The union of both sets.
  BANKMODEL_FN layout_families operator|(layout_families other) const {
    return {bits | other.bits};
  }
  bool operator==(const layout_families&) const = default;
};

namespace layouts {
constexpr layout_families as_declared{0};  // only order, offsets and bank width are chosen
// Unused elements after each row, or in one dimension after intervals of a power of two.
constexpr layout_families padding{1};
// Every XOR swizzle whose bits are within the array, also of padded rows.
constexpr layout_families xor_swizzle{2};
// Every rotation, in groups of each power of two, also of padded rows.
constexpr layout_families rotation{4};
// Every triangular layout, in groups of each power of two.
constexpr layout_families triangular{8};
// Column c of row r at column a c + b r, a coprime to the columns.
constexpr layout_families modular{16};
// One bit matrix without a conflict, if one is found: a plan with conflicts is not proven.
constexpr layout_families linear{32};
constexpr layout_families permutations{2 + 4 + 8 + 16 + 32};
constexpr layout_families all{1 + 2 + 4 + 8 + 16 + 32};
}  // namespace layouts

// Returns the set of one family.
//
//   static_assert(families_of(layout_family::rows) == layouts::padding);
BANKMODEL_FN layout_families families_of(layout_family family) {
  return {1u << static_cast<int>(family)};
}

// The criterion that decides among plans with the fewest wavefronts; the others follow in this
// order.
enum class preference : unsigned char {
  resident_blocks,  // most blocks per multiprocessor; bytes that cost no block are free
  // Plain and padded rows (in one dimension those of the subscripts, row * length + column), then
  // padding after other intervals, XOR swizzles, rotations, triangular, modular, linear.
  simple_indices,
  // Fewest bytes of shared memory.
  few_bytes
};

namespace rule {
[[noreturn]] BANKMODEL_FN void at_most_8_arrays_can_be_kept(long long count) {
  detail::fail(__func__, ".keep names % arrays; name at most 8, or search layouts::as_declared",
               count);
}
}  // namespace rule

// Up to 8 arrays by name, made by arrays(tile, table).
struct array_names {
  array_name name[8];
  int count = 0;
  // True if the name is in the set.
  BANKMODEL_FN bool contain(const array_name& other) const {
    for (int index = 0; index < count; ++index)
      if (name[index] == other) return true;
    return false;
  }
};
// Returns the names of the given arrays.
// Error: more than 8 arrays.
template <class... Arrays>
BANKMODEL_FN array_names arrays(const Arrays&... array) {
  if (sizeof...(array) > 8) rule::at_most_8_arrays_can_be_kept(sizeof...(array));
  array_names result;
  ((result.name[result.count++] = array.name), ...);
  return result;
}

// The options of one search. search{} searches every family within the shared memory that a
// block gets without opting in; search{.layouts = layouts::padding, .shared_bytes = 4096} pads
// within 4096 bytes.
// Error (in optimize()): a number is negative; a limit is one that the machine cannot meet.
struct search {
  layout_families layouts = bankmodel::layouts::all;
  long long shared_bytes = 0;    // at most, per block; 0: the machine's limit without opting in
  int resident_blocks = 0;       // at least, per multiprocessor; 0: any number
  int registers_per_thread = 0;  // of the kernel, which limit these blocks too; 0: unknown
  // Rows and planes are a multiple of this apart, as a copy engine may require; 0: any.
  int row_stride_bytes = 0;
  // The copy engine (TMA) fills the arrays in its mode of 32, 64 or 128 bytes, see
  // copy_engine_swizzle(): rows of at most that many bytes, densely packed; the search then
  // chooses only base offsets and the bank width. 0: no such constraint.
  int copy_engine_bytes = 0;
  preference prefer = preference::resident_blocks;
  array_names keep = {};  // these keep their declared layout, whatever row_stride_bytes is
  // About the number of requests to evaluate at most. If it is spent, plan.is_complete() is false.
  // A plan with layouts::all never has more wavefronts than one with layouts::padding and the same
  // effort.
  // 0: 262 144, at most some ten milliseconds. In a constant expression 0 means 3 125, so that
  // compilers' default limits are enough; for more, raise these too (clang: -fconstexpr-steps, 256
  // steps for each request; g++: -fconstexpr-ops-limit and -fconstexpr-loop-limit; nvcc: -Xcudafe
  // --max_cost_constexpr_call).
  long long effort = 0;
};

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
