// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_EXPRESSION_READER_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_EXPRESSION_READER_HPP

#include <bankmodel/global/grid.hpp>
#include <bankmodel/kernel/kernel.hpp>
#include <string>
#include <vector>

#include "program.hpp"
#include "token.hpp"

namespace command_line {

enum class name_kind : unsigned char {
  constant,  // from define
  index,     // int name = an expression, which replaces the name
  loop,      // the variable of a loop
  value      // a value from memory, unknown
};

struct known_name {
  std::string_view name;
  name_kind kind;
  program meaning;
};

// Reads expressions from the tokens: C's operators with C's precedence, min and max, thread
// variables, names.
class expression_reader {
 public:
  explicit expression_reader(const source& of) : source_(of), tokens_(tokens_of(of)) {}
  virtual ~expression_reader() = default;
  expression_reader(const expression_reader&) = delete;

 protected:
  // ---- tokens ----

  const token& here() const { return peek(0); }
  // also the end, if one line is read and it is over
  const token& peek(std::size_t further) const;
  token take();  // a copy: it stays valid
  bool take_if(std::string_view symbol);
  place expect(std::string_view symbol, std::string_view what_for);
  [[noreturn]] void unexpected(
      std::string_view instead) const;  // "expected `instead` in place of here()"
  place from(std::size_t first) const;  // from token number `first` to the last one taken
  // the same as written, on one line and without comments
  std::string words(std::size_t first) const;
  std::size_t now() const { return at_; }
  void read_one_line(bool wanted) { one_line_ = wanted; }

  // Input that nests deeper than this is an error, so that no input exhausts the stack.
  struct deeper {
    explicit deeper(expression_reader& of);
    ~deeper() { --reader.depth_; }
    deeper(const deeper&) = delete;
    expression_reader& reader;
  };

  // ---- expressions ----

  program read_number();   // an integer: a subscript, a bound
  program read_sum();      // the same, without operators of the precedence of comparisons or lower
  program read_product();  // also without + and -
  program read_condition();
  program read_value();  // a stored value: array elements, real numbers and calls too
  long long read_constant(std::string_view of_what);
  program read_unary();

  // An array element within a value; the reader of statements records that it is loaded.
  virtual program read_element() = 0;
  virtual bool is_array(std::string_view name) const = 0;
  virtual void offer_arrays(nearest_word& nearest) const = 0;

  // ---- names ----

  // Declares a name. Error: it is already used; it is a thread variable without a type before
  // it (`int tid = threadIdx.y` is allowed).
  void declare(const token& name, name_kind kind, const program& meaning, bool typed);
  void require_new_name(const token& name, bool typed) const;
  const known_name* find(std::string_view name) const;
  [[noreturn]] void unknown_name(const token& name, const token& behind) const;

  const source& source_;
  std::vector<known_name> names_;  // the innermost last
  bm::block_dim block_{0, 0, 0};
  bm::grid_dim grid_{0, 0, 0};  // 0: not stated
  bool reads_block_index_ = false;
  unsigned never_negative_loops_ = 0;  // the enclosing loop variables that are never negative

 private:
  program read_binary(int loosest);
  program read_primary();
  program read_member(const token& of);
  program read_call(const token& name);

  std::vector<token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool one_line_ = false, values_ = false;
};

}  // namespace command_line

#endif
