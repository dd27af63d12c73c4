// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "access_reader.hpp"
#include "kernel_heads.hpp"
#include "statement_scan.hpp"

namespace command_line {

// Reads the statements of a file. What cannot reach a declared array is skipped, and what it may
// change is forgotten.
class statement_reader : public access_reader {
 public:
  using access_reader::access_reader;
  kernel_file run();

 private:
  void read_statement();
  void read_block();
  bool read_outer_braces();
  bool read_type_definition();
  void read_body();

  // ---- the kernel and other functions: kernel_file.cpp ----

  bool read_function();
  bool is_other_kernel(std::size_t first, const function_head& head) const;
  void skip_function(const function_head& head);
  void hide_thread_variables(std::size_t first, std::size_t name, std::size_t end);

  // ---- the kernel's arguments: kernel_parameters.cpp ----
  void declare_parameters(const kernel_head& head);
  void declare_type(const kernel_parameter& parameter);
  void declare_number(const kernel_parameter& parameter);
  void declare_array(const kernel_parameter& parameter);
  void assume(const kernel_parameter& parameter, const std::string& value);
  type type_of(const kernel_parameter& parameter);

  // ---- loops, and what leaves them ----

  void read_loop();
  void require_counted(wrapping& loop, std::size_t first, std::size_t end);
  void read_uncounted();
  void read_jump();
  std::size_t begin_of_iteration() const;
  void leave_loop(std::size_t first, std::size_t end);
  void add_unknown_exit(std::size_t first, const token& keyword);

  // ---- conditions: branch_reader.cpp ----

  // A variable before and after one branch.
  struct change {
    std::size_t name;
    known_name old, current;
  };
  void read_if();
  std::vector<change> take_changes(std::size_t first);
  void join(const program& condition, const std::vector<change>& consequent,
            const std::vector<change>& otherwise);
  static bool choose(known_name& known, const program& condition, const program& otherwise);
  void make_unknown(known_name& known, const place& position);

  // ---- declarations of variables, and all other statements: variable_reader.cpp ----

  void read_other();
  void follow_references(std::size_t first, std::size_t accesses);
  void declare_unread(std::size_t first, std::size_t end, const refusal& reason);
  bool is_declarator(std::size_t position) const;
  std::optional<type> read_declared_type();
  void read_variables(const type& declared_type);
  bool read_pointer(const type& declared_type, const token& name);
  void read_variable(const type& declared_type, const token& name, bool is_number);
  static bool is_memory(const program& value);
  static program value_without_name(const token& name);
  void read_expression();
  [[noreturn]] void no_statement(const token& first) const;

  // ---- statements that are skipped ----

  bool touches_arrays(std::size_t first, std::size_t end) const;
  void skip(std::size_t first, std::size_t end);
  void forget_assigned(std::size_t first, std::size_t end, const std::string& because);

  bool has_kernel_ = false;
  std::size_t kernel_end_ = 0;  // the token after it
};

}  // namespace command_line
