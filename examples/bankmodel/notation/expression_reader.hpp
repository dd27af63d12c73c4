// SPDX-License-Identifier: MIT
#pragma once

#include <bankmodel/global/grid.hpp>
#include <bankmodel/kernel/kernel.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../element_types.hpp"
#include "changed_names.hpp"
#include "program.hpp"
#include "token_reader.hpp"

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
  bool is_pointer = false;                                     // to memory that is not described
  bool is_memory = false;                                      // in it itself
  number_type type = int_type;
};

// Reads expressions from the tokens: C's operators with C's precedence, min and max, thread
// variables, names.
class expression_reader : public token_reader {
 public:
  expression_reader(const source& input, int lanes);

 protected:
  // ---- expressions ----

  // An expression as C has it. Its array elements are loaded in their order. It may be unknown.
  program read_value();
  program read_number();   // an integer: a subscript, a bound. Error: it is unknown
  program read_sum();      // the same, without operators of the precedence of comparisons or lower
  program read_product();  // also without + and -
  long long read_constant(std::string_view of_what);
  program read_unary();

  // An array element within a value; the reader of statements records that it is loaded.
  virtual program read_element() = 0;
  virtual bool is_atomic_here() const = 0;  // an atomic function of a declared array
  // `a[tx] = 1`, `a[tx]++` and the same of a variable. Returns the value.
  virtual program read_assignment() = 0;
  // What is read until leave() is executed only where the condition holds, or only where it does
  // not. `text`: the condition as written.
  virtual void enter(const program& condition, const std::string& text, bool holds) = 0;
  virtual void leave() = 0;
  // The same while it exists, so that an error leaves too: the statement may be skipped.
  struct condition_scope {
    condition_scope(expression_reader& owner, const program& condition, const std::string& text,
                    bool holds)
        : reader(owner) {
      reader.enter(condition, text, holds);
    }
    ~condition_scope() { reader.leave(); }
    condition_scope(const condition_scope&) = delete;
    expression_reader& reader;
  };
  // Bytes of the array's elements, or of the array after 0 subscripts.
  virtual long long bytes_of(std::string_view array, int subscripts) const = 0;
  virtual bool is_array(std::string_view name) const = 0;
  virtual void offer_arrays(nearest_word& nearest) const = 0;

  // A type in C's notation; nothing if there is none here.
  struct type {
    std::string name;
    int bytes;
    bool counts;  // an integer
    place location;
    bool is_unsigned = false;
    bool is_bool = false, is_auto = false, is_const = false, is_static = false;
    number_type number() const { return {8 * bytes, is_unsigned}; }
  };
  bool is_type_here() const;
  const element_type* type_named(std::string_view name) const;
  std::optional<type> read_type();
  program read_as(const type& target, const program& value) const;  // C's conversion to this type

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
  bounds range_of_variable(bm::variable variable) const;
  // A variable may be changed here: `because` says what happens to it. Its value can no longer be
  // followed. Error: it is a loop's variable, or no variable.
  virtual void may_change(const possible_change& change, const std::string& because) = 0;
  static bool is_thread_variable(std::string_view name);
  // A name that is not declared was read: a variable, a function, or memory with subscripts.
  virtual void note_unknown(const token& name, bool is_memory) = 0;
  program unknown_name(const token& name) const;

  std::vector<known_name> names_;  // the innermost last
  bm::block_dim block_{0, 0, 0};
  bm::grid_dim grid_{0, 0, 0};  // 0: not stated
  bool reads_block_index_ = false;
  bool reads_warp_size_ = false;
  // Of a kernel in C++ without a `grid`: gridDim is 1, as in the block that is counted.
  bool is_in_kernel_ = false, is_grid_assumed_ = false;
  int lanes_ = 32;  // of the machine's warps

  bool is_final_ = false;  // an error that does not only say that a statement cannot be read
  std::vector<std::string_view> own_functions_;                        // of the text
  std::vector<std::string_view> macros_;                               // that are not read
  std::vector<std::pair<std::string_view, element_type>> type_names_;  // typename T

 private:
  program read_binary(int loosest);
  program read_right_side(const token& symbol, int binding, const program& left,
                          const std::string& text);
  program read_choice(const program& condition, std::size_t first);
  program read_primary();
  bool is_assigned_here() const;
  program read_pointed();
  program read_assigned_value(const program& place);
  program read_postfix(program value);
  program read_braces();
  program read_cast(const token& first);
  program read_literal();
  program read_parenthesis();
  bool drop_parentheses();
  std::optional<program> read_named_cast();
  program read_sizeof();
  program read_name();
  program read_member(const token& object);
  program read_call(const token& name);
  program read_arguments(const token& name);
  bool takes_values(const token& function) const;
  void read_argument(const token& function);
  program read_address();
  void note_reference(std::size_t operand);
  void require_no_element(std::size_t position, const type& target) const;
  [[noreturn]] void address_is_used(const token& array) const;
  std::size_t end_of_template(std::size_t position) const;

  std::size_t scope_ = 0;  // the first of names_ in the innermost braces
  bool has_grid_ = false;
};

}  // namespace command_line
