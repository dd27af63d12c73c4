// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../engine/prepared_kernel.hpp"
#include "conditions.hpp"

// What registers have, as expressions, and what instructions make of them.
namespace compiled {

// The low `bits` bits of a register are those of the number. `unknown` has a reason.
struct symbolic_value {
  enum class kind : unsigned char { unknown, number, condition };
  kind is = kind::unknown;
  form number;
  int bits = 64;
  condition_pointer truth;  // of a condition: the register is 1 or 0
  std::string reason;
};
using value_pointer = std::shared_ptr<const symbolic_value>;

value_pointer unknown_value(const std::string& reason);
value_pointer number_value(const form& number, int bits);
value_pointer condition_value(const condition_pointer& truth);
bool are_equal(const value_pointer& left, const value_pointer& right);

// The registers at a place; null: never written.
using symbolic_state = std::vector<value_pointer>;

// An argument, or a part of one, that nobody gave.
struct argument_symbol {
  std::string name;   // "K", "size.x", "p2+8"
  int parameter = 0;  // in kernel_code::parameters; -1: a number of the grid
  int offset = 0;     // in the bytes of all arguments
  int bytes = 4;
  value_range range = {0, 0};
};
enum class missing_arguments : unsigned char { are_unknown, are_symbols };
constexpr long long most_of_symbol = 1ll << 30;

// Evaluates instructions for all threads of a launch at once.
class symbolic_evaluator {
 public:
  symbolic_evaluator(const kernel_analysis& analysis, const launch& settings,
                     missing_arguments missing);

  // Integers, from 0 to most_of_symbol or to the most that their type has; empty where missing
  // arguments are unknown.
  const std::vector<argument_symbol>& symbols() const { return symbols_; }

  form_table& forms() { return forms_; }
  const form_table& forms() const { return forms_; }
  const shared_layout& shared() const { return prepared_.shared(); }

  // Writes the results of an instruction into the state. Branches and accesses to memory other than
  // the arguments change nothing but their results, which are unknown.
  void execute(const instruction& code, symbolic_state& state);

  value_pointer value_of(const operand& source, const symbolic_state& state);
  // The number that an instruction of `bits` bits reads. Error (inexpressible): there is none.
  form number_of(const operand& source, const symbolic_state& state, int bits);
  // The same as a value of all bits, with this sign.
  form exact_number(const operand& source, const symbolic_state& state, int bits, bool is_signed);
  condition_pointer condition_of(const operand& source, const symbolic_state& state);
  // The condition of an instruction's guard; true without one.
  condition_pointer guard_of(const instruction& code, const symbolic_state& state);

 private:
  value_pointer result_of(const instruction& code, const symbolic_state& state);
  value_pointer computed(const instruction& code, const symbolic_state& state);
  value_pointer compared_values(const instruction& code, const symbolic_state& state);
  value_pointer selected(const instruction& code, const symbolic_state& state);
  value_pointer extended(const instruction& code, const symbolic_state& state);
  value_pointer loaded(const instruction& code, const symbolic_state& state);
  value_pointer special_value(special quantity);
  // The content of arguments that are not known: a symbol, or unknown. `bytes` is 0 if it is as
  // many as the argument at this place has.
  value_pointer missing_value(std::uint64_t offset, int bytes, int origin);
  form thread_form(bm::variable axis, int size);
  value_pointer symbol_value(const argument_symbol& symbol);
  value_pointer grid_number(special quantity, long long counted, const value_range& range);

  const kernel_code& kernel_;
  const std::vector<bool>& depends_on_block_;  // by register
  const launch& settings_;
  origin_table origins_;
  recorder recorder_;
  prepared_kernel prepared_;
  form_table forms_;
  missing_arguments missing_;
  std::vector<argument_symbol> symbols_;
};

}  // namespace compiled
