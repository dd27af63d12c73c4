// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_INTEROP_HPP
#define BANKMODEL_INTEROP_HPP

// Converts layouts to and from the notations of other libraries: CuTe, Triton, TVM and
// cuda-oxide.
//
// Example: the XOR swizzle of float tile[32][32] that stores element [r][c] at [r][c ^ r]:
//
//   constexpr layout rows = row_major(32, 32);
//   constexpr layout swizzled = rows.permuted(xor_swizzle(5, 0, 5));
//   constexpr auto numbers = to_cute(swizzled);        // CuTe's Swizzle<5, 0, 5>
//   static_assert(from_cute(numbers, rows) == swizzled);
//
// to_NAME(layout) returns a library's numbers. Error: the library cannot express the layout;
// the message gives an element that shows it: to_cute(rows.padded(1)) is an error, because a
// swizzle does not pad (element 1023 would have to be stored at 1054). from_NAME(numbers, rows)
// returns the layout. A conversion in both directions gives a layout that stores every element
// at its old place.
//
// Why conversions and not adapters? A layout is a small value here and a few numbers in each of
// these libraries, so nothing needs to be wrapped. What it does not cover: thread layouts, and
// layouts that are not permutations or paddings of rows.
#include <bankmodel/interop/cuda_oxide.hpp>
#include <bankmodel/interop/cute.hpp>
#include <bankmodel/interop/triton.hpp>
#include <bankmodel/interop/tvm.hpp>

#endif
