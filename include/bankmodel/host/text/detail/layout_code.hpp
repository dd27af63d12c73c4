// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_TEXT_DETAIL_LAYOUT_CODE_HPP
#define BANKMODEL_HOST_TEXT_DETAIL_LAYOUT_CODE_HPP

#include <bankmodel/host/text/phrases.hpp>
#include <bankmodel/layout/families.hpp>

#include <string>

#include <bankmodel/core/hide_macros.hpp>

// Layouts as C++.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void a_layout_in_code_must_be_of_a_family_of_the_library(
    long long family) {
  detail::fail(__func__,
               "a layout of family % cannot be written as C++; use padding and the families of "
               "layout/families.hpp, neither tables nor families of your own",
               family);
}
}  // namespace rule

namespace detail {

// A call that returns a permutation, its value, and the header that declares it.
struct permutation_in_code {
  std::string call;
  permutation value;
  const char* header;
};

inline std::string list_of_code(const four& numbers, int count) {
  std::string result;
  for (int index = 0; index < count; ++index)
    result += line_of(index == 0 ? "" : ", ", std::to_string(numbers[index]));
  return result;
}

// Four columns of 16 bits in each number, the first in the lowest bits.
inline std::string code_of_columns(const four& columns) {
  std::string result;
  for (int column = 0; column < 4; ++column) {
    const auto bits = static_cast<std::uint64_t>(columns[column]);
    std::string digits;
    for (int digit = 15; digit >= 0; --digit) {
      digits += "0123456789abcdef"[bits >> (4 * digit) & 15];
      if (digit % 4 == 0 && digit != 0) digits += '\'';
    }
    const std::string number = bits == 0 ? "0" : line_of("0x", digits);
    result += line_of(column == 0 ? "" : ", ",
                      bits >> 63 == 0 ? number : line_of("static_cast<long long>(", number, ")"));
  }
  return result;
}

inline permutation_in_code code_of_permutation(const permutation& mapping) {
  const four& n = mapping.number;
  const bool form_is_even = mapping.form % 2 == 0;
  switch (mapping.family) {
    case layout_family::xor_swizzle:
      return {line_of("xor_swizzle(", list_of_code(n, 3), ")"),
              xor_swizzle(static_cast<int>(n[0]), static_cast<int>(n[1]), static_cast<int>(n[2])),
              "xor_swizzle"};
    case layout_family::rotation:
      return {line_of("rotation(", std::to_string(n[0]), ")"), rotation(n[0]), "rotation"};
    case layout_family::triangular: {
      const triangle kind = form_is_even ? triangle::of_columns : triangle::of_rows;
      return {line_of(mapping.form < 2 ? "triangular" : "inverse_triangular",
                      "(bankmodel::triangle::", form_is_even ? "of_columns" : "of_rows", ")"),
              mapping.form < 2 ? triangular(kind) : inverse_triangular(kind), "triangular"};
    }
    case layout_family::modular: {
      const matrix t{n[0], n[1], n[2], n[3]};
      return {line_of(mapping.form == 0 ? "modular" : "modular_in_a_box", "({", list_of_code(n, 4),
                      "})"),
              mapping.form == 0 ? modular(t) : modular_in_a_box(t), "modular"};
    }
    case layout_family::linear:
      return {line_of("linear({{", code_of_columns(n), "}})"), linear({n}), "linear"};
    default:
      rule::a_layout_in_code_must_be_of_a_family_of_the_library(
          static_cast<long long>(mapping.family));
  }
}

// A layout as an expression, and the header of its family; empty if analyze.hpp is enough.
struct layout_in_code {
  std::string expression, header;
};

inline layout_in_code code_of_layout(const layout& array_layout) {
  layout rebuilt = without_permutation(array_layout);
  rebuilt.interval = rebuilt.interval_padding = 0;
  if (array_layout.rank > 1) rebuilt = rebuilt.padded(0);
  layout_in_code result{
      line_of("bankmodel::row_major(", list_of_code(array_layout.extent, array_layout.rank), ")"),
      {}};
  for (int d = array_layout.rank - 2; d >= 0; --d) {
    const long long padding = array_layout.padding(d);
    if (padding == 0) continue;
    rebuilt = rebuilt.padded(padding, d);
    result.expression +=
        line_of(".padded(", std::to_string(padding),
                d == array_layout.rank - 2 ? "" : line_of(", ", std::to_string(d)), ")");
  }
  if (array_layout.interval != 0) {
    rebuilt = rebuilt.padded_every(array_layout.interval, array_layout.interval_padding);
    result.expression += line_of(".padded_every(", std::to_string(array_layout.interval), ", ",
                                 std::to_string(array_layout.interval_padding), ")");
  }
  if (array_layout.permutation.family != layout_family::rows) {
    permutation_in_code mapping = code_of_permutation(array_layout.permutation);
    if (array_layout.permutation.group != mapping.value.group) {
      mapping.value = mapping.value.in_groups_of(array_layout.permutation.group);
      mapping.call +=
          line_of(".in_groups_of(", std::to_string(array_layout.permutation.group), ")");
    }
    rebuilt = rebuilt.permuted(mapping.value);
    result.expression += line_of(".permuted(bankmodel::", mapping.call, ")");
    result.header = line_of("bankmodel/layout/families/", mapping.header, ".hpp");
  }
  if (rebuilt != array_layout)
    rule::a_layout_in_code_must_be_of_a_family_of_the_library(
        static_cast<long long>(array_layout.permutation.family));
  return result;
}

}  // namespace detail
}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
