// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_LOOP_READER_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_LOOP_READER_HPP

#include <bankmodel/kernel/loop.hpp>
#include <string>

#include "expression_reader.hpp"

namespace command_line {

// A loop or a condition around accesses.
struct wrapping {
  bm::wrapper_kind kind;
  bm::variable variable;
  program first, last, step;
  std::string text;
  std::string name;  // the loop variable's
};

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
  enum class change { add, multiply, divide };
  struct advance {
    change how;
    program by;
    place where;
  };
  struct comparison {
    std::string_view symbol;  // with the variable on its left: < <= > >= !=
    program last;
    place where;
  };

  comparison read_comparison(const token& name, bm::variable variable);
  advance read_advance(const token& name, bm::variable variable);
  advance changed(const token& symbol, const token& name, const program& by,
                  const place& where) const;
  // The loop's last value and its step; `is_met`: true if the variable reaches the value that
  // `!=` compares with.
  void set_end(wrapping& loop, const comparison& until, const advance& each, const token& name,
               bool up, bool is_met) const;
  void sum_loop(wrapping& loop, const comparison& until, const advance& each, const token& name);
  void power_loop(wrapping& loop, const comparison& until, const advance& each, const token& name);
  // true for the negative of a value that is never negative
  bool is_negative_of_such(const program& step) const;
  void note_never_negative(bm::variable loop);

  bool is_unsigned_ = false;  // the variable of the loop being read
};

}  // namespace command_line

#endif
