// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_EXPRESSION_READER_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_EXPRESSION_READER_HPP

#include <bankmodel/global/grid.hpp>
#include <bankmodel/kernel/kernel.hpp>
#include <optional>
#include <string>
#include <vector>

#include "program.hpp"
#include "token.hpp"

namespace command_line {

enum class name_kind : unsigned char {
  constant,  // from define
  index,     // int name = an expression, which replaces the name
  loop,      // the variable of a loop
  value      // a value that is not known: from memory, or changed where it cannot be followed
};

struct known_name {
  std::string_view name;
  name_kind kind;
  program meaning;
  bool is_const = false, is_integer = false, is_bool = false;  // of a variable
  number_type type = int_type;
};

// Reads expressions from the tokens: C's operators with C's precedence, min and max, thread
// variables, names.
class expression_reader {
 public:
  expression_reader(const source& of, int lanes)
      : source_(of), lanes_(lanes), tokens_(tokens_of(of)) {}
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

  // An expression as C has it. Its array elements are loaded in their order. It may be unknown.
  program read_value();
  program read_number();   // an integer: a subscript, a bound. Error: it is unknown
  program read_sum();      // the same, without operators of the precedence of comparisons or lower
  program read_product();  // also without + and -
  long long read_constant(std::string_view of_what);
  program read_unary();
  bool is_assignment(const token& symbol) const;

  // An array element within a value; the reader of statements records that it is loaded.
  virtual program read_element() = 0;
  virtual bool is_atomic_here() const = 0;  // an atomic function of a declared array
  // `a[tx] = 1`, `a[tx]++` and the same of a variable. Returns the value.
  virtual program read_assignment() = 0;
  // What is read until leave() is executed only where the condition holds, or only where it does
  // not. `text`: the condition as written.
  virtual void enter(const program& condition, const std::string& text, bool holds) = 0;
  virtual void leave() = 0;
  // Bytes of the array's elements, or of the array after 0 subscripts.
  virtual long long bytes_of(std::string_view array, int subscripts) const = 0;
  virtual bool is_array(std::string_view name) const = 0;
  virtual void offer_arrays(nearest_word& nearest) const = 0;

  // A type in C's notation; nothing if there is none here.
  struct type {
    std::string name;
    int bytes;
    bool counts;  // an integer
    place where;
    bool is_unsigned = false;
    bool is_bool = false, is_auto = false, is_const = false;
    number_type number() const { return {8 * bytes, is_unsigned}; }
  };
  bool is_type_here() const;
  std::optional<type> read_type();
  program read_as(const type& of, const program& value) const;  // C's conversion to this type

  // ---- names ----

  // Declares a name. Error: it is already used in the same braces; it is a thread variable without
  // a type before it (`int tid = threadIdx.y` is allowed).
  void declare(const token& name, name_kind kind, const program& meaning, bool typed);
  void require_new_name(const token& name, bool typed) const;
  const known_name* find(std::string_view name) const;
  known_name* find(std::string_view name);
  // Names that are declared until the next call end with the braces that begin here.
  std::size_t begin_names();
  void end_names(std::size_t begin);
  // The values of thread and block variables, as far as `block` and `grid` are known.
  bounds range_of_variable(bm::variable which) const;
  // The value of a variable can no longer be followed: `because` says what happened in its line.
  virtual void forget_value(const token& name, const std::string& because);
  // A name that is not declared was read: a variable, a function, or memory with subscripts.
  virtual void note_unknown(const token& name, bool is_memory) = 0;
  program unknown_name(const token& name) const;

  const source& source_;
  std::vector<known_name> names_;  // the innermost last
  bm::block_dim block_{0, 0, 0};
  bm::grid_dim grid_{0, 0, 0};  // 0: not stated
  bool reads_block_index_ = false;
  bool reads_warp_size_ = false;
  int lanes_ = 32;  // of the machine's warps

  std::vector<token> tokens_;
  std::size_t at_ = 0;

 private:
  program read_binary(int loosest);
  program read_right_side(const token& symbol, int binding, const program& left,
                          const std::string& text);
  program read_choice(const program& condition, std::size_t first);
  program read_primary();
  bool is_assigned_here() const;
  program read_pointed();
  program read_assigned_value(const program& place);
  program read_postfix(program of);
  program read_braces();
  program read_cast(const token& first);
  program read_literal();
  program read_parenthesis();
  std::optional<program> read_named_cast();
  program read_sizeof();
  program read_name();
  program read_member(const token& of);
  program read_call(const token& name);
  program read_arguments(const token& name);
  std::size_t end_of_template(std::size_t at) const;

  std::size_t scope_ = 0;  // the first of names_ in the innermost braces
  int depth_ = 0;
  bool one_line_ = false;
};

}  // namespace command_line

#endif
