// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "../../notation/kernel_file.hpp"
#include "conditions.hpp"

// Writes forms and conditions as programs of the library's index language.
namespace compiled {

class index_writer {
 public:
  index_writer(const form_table& forms, const bm::block_dim& block) : forms_(forms), block_(block) {
    expression_.depth = 0;
  }

  // From the outermost inwards; the subscripts follow. Error (inexpressible): the expression is too
  // long.
  void add_loop(bm::wrapper_kind kind, bm::variable variable, const form& first, const form& last,
                long long step);
  void add_filter(const condition_pointer& filter);
  void add_subscript(const form& subscript);

  // An access without an array.
  command_line::access_expression result() const { return expression_; }

 private:
  using program = std::vector<bm::node>;
  bm::slice pooled(const program& nodes);
  void add_wrapper(const bm::wrapper& level);
  program program_of(const form& expression) const;
  program program_of(const condition_pointer& clause) const;
  void add_term(program& nodes, const program& atom, long long factor) const;
  program program_of_atom(int number) const;

  const form_table& forms_;
  bm::block_dim block_;
  command_line::access_expression expression_ = {};
  int used_ = 0;
};

}  // namespace compiled
