// SPDX-License-Identifier: MIT
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

// The values of host code that is followed to a launch.
namespace compiled {

// A variable, or a part of one: the numbers of members and elements that lead to it.
struct host_cell {
  const clang::VarDecl* variable = nullptr;  // null: a temporary object
  std::vector<long long> path;               // of a temporary object: its number first
  auto operator<=>(const host_cell&) const = default;
  // Of the bases of a structure, beside its members.
  static long long number_of_base(unsigned base) { return -1 - static_cast<long long>(base); }
  host_cell part(long long number) const {
    host_cell result = *this;
    result.path.push_back(number);
    return result;
  }
};

struct host_value {
  enum class kind : std::uint8_t { unknown, integer, real, place, text, heap };
  kind is = kind::unknown;
  long long integer = 0;  // the bits, sign- or zero-extended as its type says
  double real = 0;
  host_cell place = {};   // what a pointer points to
  std::string text = {};  // what a pointer to characters points to

  static host_value of_integer(long long value) { return {kind::integer, value, 0, {}, {}}; }
  static host_value of_real(double value) { return {kind::real, 0, value, {}, {}}; }
  static host_value of_place(host_cell cell) { return {kind::place, 0, 0, std::move(cell), {}}; }
  // A pointer to memory that no variable is in, whose values are unknown.
  static host_value of_heap() { return {kind::heap, 0, 0, {}, {}}; }
  static host_value of_text(std::string text) { return {kind::text, 0, 0, {}, std::move(text)}; }
  bool is_known() const { return is != kind::unknown; }
  bool is_number() const { return is == kind::integer || is == kind::real; }
  bool is_true() const {
    return is == kind::place || is == kind::text || is == kind::heap ||
           (is == kind::real ? real != 0 : integer != 0);
  }
};

// An integer of this type as a real number; others are unchanged.
host_value as_real(const host_value& value, clang::QualType type);
// As a value of this type: integers wrap, a float has 24 bits of precision. Pointers are unchanged.
host_value converted(const host_value& value, clang::QualType type,
                     const clang::ASTContext& context);
// The result of an operator on two operands of this type.
host_value combined(clang::BinaryOperatorKind operation, const host_value& left,
                    const host_value& right, clang::QualType type,
                    const clang::ASTContext& context);
// ceil, sqrt, pow, std::min, atoi and the like; unknown for other names.
host_value called(llvm::StringRef name, const std::vector<host_value>& arguments);

}  // namespace compiled
