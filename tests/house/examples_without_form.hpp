// SPDX-License-Identifier: MIT

// Example: a comment that has no code, so that examples.awk must name it.
struct a;

// Example:
//
//   constexpr int rows = 32;  // 33 rows
//   static_assert(rows == 32);
struct b;

//   constexpr int rows = 32;
struct c;
// Returns the rows: rows(32) is 33.
struct d;

//   rows   a table, no code
// Example: the last comment of a file, without code.
