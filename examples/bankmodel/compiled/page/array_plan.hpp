// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bankmodel/layout/layout.hpp>
#include <bankmodel/model/cost.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "../code/array_source.hpp"

// A better layout of an array in shared memory, and what it changes in the source.
namespace compiled {

struct text_edit {
  source_piece piece;
  std::string replacement;
  // The same on lines of its own. Requests are compared by their lines, which must stay for that.
  source_piece line_end = {};
  std::string lines = {};

  text_edit as_written() const { return lines.empty() ? *this : text_edit{line_end, lines}; }
};

// Longer rows of an array that is carved out of a dynamic one: what is behind them moves too. Or of
// a declared array of one dimension.
struct longer_rows {
  std::string name;
  int element_bytes = 0;
  long long first = 0, end = 0;  // the bytes of the array in the dynamic one
  long long row = 0, added = 0;  // bytes of a row, and how many it gets more
  std::string spelled = {};      // the elements of a row as subscripts have them: "BK"

  long long all_more() const { return (end - first + row - 1) / row * added; }
};

// Where a byte of the dynamic array is with these rows.
inline long long moved_byte(const std::vector<longer_rows>& rows, long long byte) {
  long long result = byte;
  for (const longer_rows& longer : rows)
    result += byte >= longer.end     ? longer.all_more()
              : byte >= longer.first ? (byte - longer.first) / longer.row * longer.added
                                     : 0;
  return result;
}

// How many bytes more each launch must have for a plan, whatever its sizes are: `fixed`, and, with
// `end` bytes now, (end - first) / row * added.
struct more_launch_bytes {
  bool is_known = false;
  size_form fixed;
  size_form first, row;
  long long added = 0;
};

struct array_plan {
  int array = 0;  // in kernel_code::shared
  bankmodel::layout declared, planned;
  // Of all accesses to the array as they are issued. After verify_plans() `planned_cost` is the
  // count of the changed source.
  bankmodel::cost declared_cost, planned_cost;
  bool is_as_issued = false;  // they are not issued as they are written, which texts say
  // The layout takes accesses apart that the compiler joins now, and `planned_cost` is an upper
  // bound: only the count of the changed source decides about it.
  bool takes_joins_apart = false;
  // True if the changed source was not counted, so that `planned_cost` still is one.
  bool has_upper_bound() const;
  int widest = 0;  // the bytes of the widest access
  // In ascending order: instead of `planned` these rows become longer.
  std::vector<longer_rows> rows = {};
  // Those of the array with the plan; `element_bytes` are those of its declaration.
  long long bytes(int element_bytes) const {
    return planned.required_size() * element_bytes + bytes_of_rows();
  }
  // The bytes that its rows get, of all of them.
  long long bytes_of_rows() const {
    long long result = 0;
    for (const longer_rows& longer : rows) result += longer.all_more();
    return result;
  }
  long long elements() const {
    return planned.required_size() +
           (rows.empty() ? 0 : bytes_of_rows() / rows.front().element_bytes);
  }
  // Rows that subscripts name, and that get at most a quarter longer: simpler than a formula.
  bool has_simple_rows() const {
    return !rows.empty() && std::ranges::all_of(rows, [](const longer_rows& longer) {
      return 4 * longer.added <= longer.row;
    });
  }
  bool is_complete = true;  // the search ended before its effort did
  int kernels = 1;          // that the changed declaration belongs to, all counted again
  // "tile declared as tile[32][33] takes 64 wavefronts instead of 1,056, in 4,224 bytes .."
  std::string text;

  // True if the array with another declaration has the planned layout: tile[32][33]. Other plans
  // change each subscript too.
  bool is_a_declaration = false;
  // The change of the declaration; empty if there is none.
  std::vector<text_edit> fix;
  // Why there are no edits: the plan is a change by hand. Empty if there are edits, or if the
  // reader does not know the source's text.
  std::string refusal;

  // If the plan is no declaration: the declaration to write, "tile[1055]", if it differs, and each
  // place that uses the array in another way then.
  std::string declaration;
  std::vector<text_edit> subscripts;
  bool is_flat = false;  // no declaration differs: `t` is used as (&t[0][0])[1055]
  // Of a dynamic array instead: the bytes that the launch must have; 0 if it has them.
  std::uint64_t dynamic_bytes = 0;
  more_launch_bytes launch_bytes = {};
  // The changes of the launches, and of what limits their bytes; empty if they are by hand.
  std::vector<text_edit> launches = {};
  // Each use of the dynamic array defines a pointer whose elements are read and assigned by
  // subscripts alone, so that the changes are right in code that is not executed too.
  bool has_subscripts_alone = false;
};

}  // namespace compiled
