// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "declaration_reader.hpp"

namespace command_line {

// Reads accesses and assignments, and records them with the loops and conditions around them.
class access_reader : public declaration_reader {
 public:
  using declaration_reader::declaration_reader;

 protected:
  // An array element as it is written, with its subscripts' programs.
  struct element {
    int array = 0, vector = 1;
    program subscript[bm::max_rank];
    place location;
    std::string text;
  };

  void read_accesses();  // load a[tx], a[ty]
  std::optional<array_pointer> read_pointer_value();
  element read_atomic();
  bool is_atomic_here() const override;
  program read_element() override;
  program read_assignment() override;
  void enter(const program& condition, const std::string& text, bool holds) override;
  void leave() override;
  static wrapping filter_of(const program& condition, const std::string& text, bool holds);

  // The lanes that come here skip the rest, as far as the conditions of wrappers_[first] and
  // further hold.
  void skip_rest(std::size_t first, const token& keyword);
  void add_exit(std::size_t first, const wrapping& remaining);
  std::size_t loops_around() const;

  // Gives a variable a value. `journal_` remembers the one before.
  void set_value(const token& name, const program& value);
  void forget_value(const possible_change& change, const std::string& because);
  void may_change(const possible_change& change, const std::string& because) override;
  void note_unknown(const token& name, bool is_memory) override;

  std::vector<wrapping> wrappers_;
  std::vector<std::pair<std::size_t, known_name>> journal_;  // names_[first] was second
  std::size_t unknown_names_ = 0;                            // that were read

 private:
  element read_place();
  void read_pointed_element(element& target);
  type read_wide_type();
  void widen(element& target, const type& wide) const;
  void read_subscripts(element& target);
  program moved(const program& subscript, const token& name) const;
  bool ends_value() const;
  bool is_line(int array) const;
  static void add_offset(program& offset, std::string_view sign, const program& elements);
  static program zero_offset(const place& position);
  bool read_moved_pointer(const token& prefix, const token& name);
  void add_access(bm::access_kind kind, const element& target);
  void require_known_execution(const element& target) const;
  void add_programs(kernel_access& result, const element& target) const;
  [[noreturn]] void unknown_array(const token& name) const;
  program read_assigned(const element& target, const token& symbol);
  program read_variable_assignment(const token& prefix);
  program read_part_assignment(const token& name, const token& prefix);
  void require_order(std::size_t first, std::size_t middle, std::size_t changes,
                     std::size_t changes_between) const;
  void require_variable(const possible_change& change, const std::string& because);
  program new_value(const token& name, const token& symbol, const program& previous);

  int lazy_ = 0;  // the right sides of && and || and the values of ?: around this
};

}  // namespace command_line
