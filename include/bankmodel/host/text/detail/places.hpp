// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_TEXT_DETAIL_PLACES_HPP
#define BANKMODEL_HOST_TEXT_DETAIL_PLACES_HPP

#include <bankmodel/host/text/phrases.hpp>
#include <bankmodel/layout/families.hpp>
#include <string>
#include <vector>

// The place at which a layout stores an element, as formulas that a user can read and C can
// compute.
namespace bankmodel::detail {

// A number or an expression of coordinates.
class formula {
 public:
  formula(long long value) : words_{std::to_string(value), operation::constant, false} {}
  formula(const std::string& name) : words_{name, operation::variable, false} {}
  formula(operation op, const formula& a, const formula& b)
      : words_(joined_phrases(op, spelling_of(op).symbol, a.words_, b.words_)) {}

  const std::string& text() const { return words_.words; }
  bool operator==(const formula& other) const { return text() == other.text(); }

 private:
  phrase words_;
};

// The subscripts of an element, and those of the place at which it is stored: in the array as
// text() declares it, or a single one in storage.
struct formulas_of_place {
  std::vector<formula> element, place;
  std::vector<formula> number;  // the meaning of `e` if the place uses it, else empty

  bool is_as_written() const { return element == place; }
};

inline std::string in_brackets(const std::vector<formula>& subscripts) {
  std::string result;
  for (const formula& subscript : subscripts) result += line_of("[", subscript.text(), "]");
  return result;
}

class formulas_of_layout {
 public:
  // Requires: `names` are those of the coordinates, the last one first.
  formulas_of_layout(const layout& array_layout, const char* const (&names)[max_rank])
      : layout_(array_layout) {
    for (int d = 0; d < array_layout.rank; ++d)
      coordinates_.emplace_back(names[array_layout.rank - 1 - d]);
  }

  formulas_of_place place() const {
    if (layout_.permutation.family == layout_family::table)
      return {coordinates_, {std::string("table[e]")}, {number(coordinates_)}};
    layout read = layout_;
    // C has no operator for a triangular root, so the formula gives the element at a place instead.
    const bool backwards = layout_.permutation.family == layout_family::triangular &&
                           layout_.permutation.form == 2 && layout_.groups() > 1;
    if (backwards) read.permutation = triangular_family::inverse(layout_.permutation);
    index_program program;
    write_program(read, program, false);
    formulas_of_place result{coordinates_, {}, {}};
    for (int d = 0; d < program.results; ++d)
      result.place.push_back(formula_of(program, program.result[d]));
    for (int step = 0; step < program.steps; ++step)
      if (program.step[step].kind == step_kind::number) result.number = {number(coordinates_)};
    if (backwards) result.element.swap(result.place);
    return result;
  }

  // The storage index: the sum of the subscripts times the strides.
  formula number(const std::vector<formula>& subscripts) const {
    std::vector<formula> sum;
    for (int d = 0; d < layout_.rank; ++d) {
      const formula& subscript = subscripts[static_cast<std::size_t>(d)];
      const formula product = layout_.stride[d] == 1
                                  ? subscript
                                  : formula(operation::multiply, layout_.stride[d], subscript);
      sum = {sum.empty() ? product : formula(operation::add, sum[0], product)};
    }
    return sum[0];
  }

 private:
  formula formula_of(const index_program& program, int step) const {
    const program_step& s = program.step[step];
    if (s.kind == step_kind::coordinate) return coordinates_[static_cast<std::size_t>(s.value)];
    if (s.kind == step_kind::number) return std::string("e");
    if (s.kind == step_kind::constant) return s.value;
    const formula left = formula_of(program, s.left);
    switch (s.kind) {
      case step_kind::add: return {operation::add, left, formula_of(program, s.right)};
      case step_kind::bit_xor: return {operation::bit_xor, left, formula_of(program, s.right)};
      case step_kind::multiply:
        if (layout_.interval != 0 || program.step[s.left].kind == step_kind::triangle)
          return {operation::multiply, left, s.value};
        return {operation::multiply, s.value, left};
      case step_kind::divide: return {operation::divide, left, s.value};
      case step_kind::remainder: return {operation::remainder, left, s.value};
      case step_kind::bit_and: return {operation::bit_and, left, s.value};
      case step_kind::shift_left: return {operation::shift_left, left, s.value};
      case step_kind::shift_right: return {operation::shift_right, left, s.value};
      case step_kind::triangle:
        return {operation::divide, {operation::multiply, left, {operation::add, left, 1}}, 2};
      case step_kind::triangular_root: return {operation::triangular_root, left, s.value};
      default:  // in_group
        return {operation::add,
                {operation::multiply, left, s.value},
                {operation::remainder, formula_of(program, s.right), s.value}};
    }
  }

  const layout& layout_;
  std::vector<formula> coordinates_;
};

}  // namespace bankmodel::detail

#endif
