// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_TEXT_DETAIL_INDEX_CODE_HPP
#define BANKMODEL_HOST_TEXT_DETAIL_INDEX_CODE_HPP

#include <bankmodel/count/total.hpp>
#include <bankmodel/host/text/text.hpp>

#include <string>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// Subscripts, conditions and accesses as C++ in the index language. Compiling the text gives the
// program that it was written from.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void expressions_in_code_must_be_of_the_index_language(
    long long operation) {
  detail::fail(__func__,
               "operation % is used where the index language has none; make subscripts and "
               "conditions with its operators",
               operation);
}
}  // namespace rule

namespace detail {

struct index_phrase {
  phrase text;
  bool is_number = false, is_condition = false;

  // C++ would compute an operation on two numbers itself, in fewer bits.
  phrase as_index() const {
    if (!is_number) return text;
    return {line_of("bankmodel::index_expression<1>{{{bankmodel::operation::constant, ", text.words,
                    "}}}"),
            operation::constant, false};
  }
  phrase as_condition() const {
    return is_condition ? text
                        : joined_phrases(operation::not_equal, " != ", as_index(),
                                         {"0", operation::constant, false});
  }
};

inline index_phrase code_of_number(long long value) {
  if (value == -0x7fffffffffffffff - 1)
    return {{"(-9223372036854775807 - 1)", operation::constant, false}, true, false};
  return {{std::to_string(value), value < 0 ? operation::negate : operation::constant, false},
          true,
          false};
}

// Writes the programs of one access, and remembers the variables that they read.
class index_code {
 public:
  explicit index_code(const node* nodes) : nodes_(nodes) {}

  std::string index(const slice& program) { return number_of(program).text.words; }
  std::string condition(const slice& program) {
    return phrase_of(nodes_ + program.first, program.size).as_condition().words;
  }
  std::string variable(bankmodel::variable index_variable) {
    used_ |= 1u << static_cast<int>(index_variable);
    return variable_name(index_variable);
  }
  unsigned used() const { return used_; }

 private:
  index_phrase number_of(const slice& program) {
    return as_number(phrase_of(nodes_ + program.first, program.size));
  }
  static const index_phrase& as_number(const index_phrase& expression) {
    if (expression.is_condition)
      rule::expressions_in_code_must_be_of_the_index_language(
          static_cast<long long>(expression.text.outermost));
    return expression;
  }

  index_phrase phrase_of(const node* program, int size) {
    std::vector<index_phrase> stack;
    for (int position = 0; position < size; ++position) {
      const auto [op, value] = program[position];
      if (op == operation::constant) {
        stack.push_back(code_of_number(value));
      } else if (op == operation::variable) {
        stack.push_back({{variable(static_cast<bankmodel::variable>(value)), op, false}});
      } else if (op == operation::negate || op == operation::logical_not) {
        stack.back() = of_one(op, stack.back());
      } else if (op == operation::skip_if_false || op == operation::skip_if_true) {
        const phrase right =
            phrase_of(program + position + 1, static_cast<int>(value)).as_condition();
        position += static_cast<int>(value);
        stack.back() = {
            joined_phrases(op, spelling_of(op).symbol, stack.back().as_condition(), right), false,
            true};
      } else {
        const index_phrase right = stack.back();
        stack.pop_back();
        stack.back() = of_two(op, as_number(stack.back()), as_number(right));
      }
    }
    return stack.back();
  }

  static index_phrase of_one(operation op, const index_phrase& operand) {
    const bool is_negated = op == operation::negate;
    const phrase inner = is_negated ? as_number(operand).as_index() : operand.as_condition();
    const bool is_enclosed = binding(inner.outermost) < 11 || inner.outermost == operation::negate;
    return {{line_of(spelling_of(op).symbol, inner.in_parentheses_if(is_enclosed)), op, false},
            false,
            !is_negated};
  }
  static index_phrase of_two(operation op, const index_phrase& left, const index_phrase& right) {
    if (op == operation::triangular_root)
      rule::expressions_in_code_must_be_of_the_index_language(static_cast<long long>(op));
    const bool compares = op >= operation::less && op <= operation::not_equal;
    const phrase first = operand_of(compares, right.is_number ? left.as_index() : left.text),
                 second = operand_of(compares, right.text);
    // tx > 3 is kept as 3 < tx
    if (left.is_number && !right.is_number &&
        (op == operation::less || op == operation::less_equal))
      return {joined_phrases(op, op == operation::less ? " > " : " >= ", second, first), false,
              true};
    const std::string symbol =
        binding(op) == 12 ? line_of("bankmodel::", spelling_of(op).symbol) : spelling_of(op).symbol;
    return {joined_phrases(op, symbol.c_str(), first, second), false, compares};
  }
  // clang warns of shifts in comparisons without parentheses.
  static phrase operand_of(bool compares, const phrase& expression) {
    if (!compares || binding(expression.outermost) != binding(operation::shift_left))
      return expression;
    return {expression.in_parentheses_if(true), operation::constant, false};
  }

  const node* nodes_;
  unsigned used_ = 0;
};

// Writes one access as its loops, filters and subscripts.
class access_code {
 public:
  access_code(const access_view& access, const std::string& array)
      : access_(access), array_(array), index_(access.nodes) {}

  // Of ds_read2() this is one of the two arguments.
  std::string text() {
    std::string prefix;
    bool marked = access_.kind == access_kind::load_pair;
    for (int level = 0; level < access_.depth; ++level) {
      const wrapper& w = access_.wrappers[level];
      const int matrices = marked ? 0 : matrices_of(w);
      if (matrices != 0)
        marked = true, prefix += line_of(matrix_function(), "<", std::to_string(matrices), ">(");
      else if (w.kind == wrapper_kind::filter)
        prefix += line_of("bankmodel::if_threads(", index_.condition(w.first), ", ");
      else
        prefix +=
            line_of("bankmodel::for_loop(", index_.variable(w.variable), ", ", values_of(w), ", ");
    }
    return line_of(prefix, marked ? element() : instruction(),
                   std::string(as_size(access_.depth), ')'));
  }
  unsigned used() const { return index_.used(); }

 private:
  static std::size_t as_size(int number) { return static_cast<std::size_t>(number); }

  const char* matrix_function() const {
    return access_.kind == access_kind::load_matrix ? "bankmodel::ldmatrix" : "bankmodel::stmatrix";
  }
  // ldmatrix<1> and <2> are filters around the rows of four matrices. 0 for any other wrapper.
  int matrices_of(const wrapper& w) const {
    if (access_.kind != access_kind::load_matrix && access_.kind != access_kind::store_matrix)
      return 0;
    const node* const program = access_.nodes + w.first.first;
    const bool reads_lane = w.kind == wrapper_kind::filter && w.first.size == 3 &&
                            program[0].op == operation::variable &&
                            program[0].value == static_cast<long long>(variable::lane) &&
                            program[1].op == operation::constant &&
                            program[2].op == operation::less;
    return !reads_lane ? 0 : program[1].value == 8 ? 1 : program[1].value == 16 ? 2 : 0;
  }

  std::string values_of(const wrapper& w) {
    if (w.kind == wrapper_kind::values) {
      std::string list;
      for (int number = 0; number < w.first.size; ++number)
        list += line_of(number == 0 ? "" : ", ", index_.index({w.first.first + number, 1}));
      return line_of("bankmodel::values(", list, ")");
    }
    const char* const name = w.kind == wrapper_kind::range       ? "range("
                             : w.kind == wrapper_kind::powers    ? "powers("
                             : w.kind == wrapper_kind::powers_up ? "powers_up("
                                                                 : "powers_down(";
    const std::string step = index_.index(w.step);
    return line_of("bankmodel::", name, index_.index(w.first), ", ", index_.index(w.last),
                   w.kind == wrapper_kind::range && step == "1" ? "" : ", ",
                   w.kind == wrapper_kind::range && step == "1" ? "" : step, ")");
  }

  std::string element() {
    std::string result = array_;
    for (int dimension = 0; dimension < access_.subscripts; ++dimension)
      result += line_of("[", index_.index(access_.subscript[dimension]), "]");
    const bool is_widened =
        access_.kind != access_kind::load_matrix && access_.kind != access_kind::store_matrix &&
        access_.kind != access_kind::load_transposed && access_.kind != access_kind::copy &&
        access_.kind != access_kind::copy_uncached && access_.vector != 1;
    return is_widened ? line_of("bankmodel::vectorized<", std::to_string(access_.vector), ">(",
                                result, ")")
                      : result;
  }
  std::string instruction() {
    const std::string function =
        access_.kind == access_kind::load_matrix || access_.kind == access_kind::store_matrix
            ? line_of(matrix_function(), "<4>")
        : access_.kind == access_kind::copy
            ? line_of("bankmodel::cp_async<",
                      std::to_string(access_.vector * access_.array.element_bytes), ">")
            : line_of("bankmodel::", instruction_of(access_.kind));
    return line_of(function, "(", element(), ")");
  }

  const access_view& access_;
  const std::string& array_;
  index_code index_;
};

}  // namespace detail
}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
