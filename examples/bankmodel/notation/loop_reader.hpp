// SPDX-License-Identifier: MIT
#pragma once

#include <bankmodel/kernel/loop.hpp>
#include <string>

#include "expression_reader.hpp"

namespace command_line {

// A loop or a condition around accesses. If a program is unknown, so is whether they are executed.
struct wrapping {
  bm::wrapper_kind kind;
  bm::variable variable;
  program first, last, step;
  std::string text;
  std::string name;  // the loop variable's
  place location = {};
  bool is_exit = false;  // a condition that `return` or `continue` leaves
};

// The change of a loop's variable after each iteration.
struct loop_advance {
  enum class change : unsigned char { add, multiply, divide, shift_right } kind;
  program amount;
  place location;
  bool is_sum() const { return kind == change::add; }
};
// The condition of a loop, with the variable on its left: < <= > >= !=
struct loop_comparison {
  std::string_view symbol;
  program last;
  place location;
};

// Runs a loop of constants as C does, for at most some hundred iterations.
struct counted_loop {
  bool ends = false;     // within that number, and without an overflow of a signed variable
  bool is_line = false;  // its values are first, first + step, .. or its powers, without a gap
  long long trips = 0, last = 0;  // the value that ends the library's loop
};
counted_loop run_in_c(long long first, const loop_comparison& bound, const loop_advance& advance,
                      const number_type& type);

// Reads the heads of loops: the library's ranges and powers, if C's loop is the same, and no
// other loop.
class loop_reader : public expression_reader {
 public:
  using expression_reader::expression_reader;

 protected:
  // Reads `for (i = 0; i < 32; i += 8)` and declares its variable. `depth`: the number of
  // enclosing loops.
  wrapping read_loop_head(int depth);

 private:
  struct variable_of_loop {
    token name;
    number_type type;
    bool is_typed;
  };
  variable_of_loop read_loop_variable();
  loop_comparison read_comparison(const token& name, bm::variable variable);
  loop_advance read_advance(const token& name, bm::variable variable);
  loop_advance changed(const token& symbol, const token& name, const program& amount,
                       const place& position) const;
  void require_no_change(std::size_t first) const;
  void read_rest(wrapping& loop, const variable_of_loop& counter);

  // ---- bounds: loop_bounds.cpp ----

  [[noreturn]] static void never_ends(const place& position, std::string_view reason,
                                      std::string_view instead);
  // Returns the type of the variable.
  number_type set_bounds(wrapping& loop, const loop_comparison& bound, const loop_advance& advance,
                         const variable_of_loop& counter) const;
  void set_end(wrapping& loop, const loop_comparison& bound, const loop_advance& advance,
               const token& name, bool is_upward, bool is_met) const;
  void sum_loop(wrapping& loop, const loop_comparison& bound, const loop_advance& advance,
                const variable_of_loop& counter) const;
  bool ends_below_zero(wrapping& loop, const loop_comparison& bound,
                       const loop_advance& advance) const;
  void power_loop(wrapping& loop, const loop_comparison& bound, const loop_advance& advance,
                  const variable_of_loop& counter) const;
  void set_range(const wrapping& loop, const number_type& type);
};

}  // namespace command_line
