// SPDX-License-Identifier: MIT
#include "index_writer.hpp"

#include <algorithm>

#include "../../common_names.hpp"

namespace compiled {

namespace {

using bm::operation;

bm::node constant_node(long long value) { return {operation::constant, value}; }
bm::node variable_node(bm::variable number) {
  return {operation::variable, static_cast<long long>(number)};
}

// tx - 16 >= 0 is tx >= 16, and tx <= 59 is tx < 60.
condition with_constant_bound(condition comparison) {
  const bool is_reversed = comparison.left.is_constant();
  form& bound = is_reversed ? comparison.left : comparison.right;
  form& other = is_reversed ? comparison.right : comparison.left;
  if (!bound.is_constant() || other.is_constant()) return comparison;
  bound.constant -= other.constant;
  other.constant = 0;
  if (std::ranges::all_of(other.factors, [](const auto& term) { return term.second < 0; })) {
    bound = bound * -1;
    other = other * -1;
    std::swap(comparison.left, comparison.right);
    return with_constant_bound(comparison);
  }
  if (!is_reversed && comparison.relation == operation::less_equal) {
    ++bound.constant;
    comparison.relation = operation::less;
  } else if (is_reversed && comparison.relation == operation::less) {
    ++bound.constant;
    comparison.relation = operation::less_equal;
  }
  return comparison;
}

}  // namespace

bm::slice index_writer::pooled(const program& nodes) {
  if (used_ + static_cast<int>(nodes.size()) > command_line::most_nodes)
    throw inexpressible{"an expression of more than 256 numbers, names and operators"};
  std::ranges::copy(nodes, expression_.nodes + used_);
  const bm::slice result{used_, static_cast<int>(nodes.size())};
  used_ += result.size;
  return result;
}

void index_writer::add_wrapper(const bm::wrapper& level) {
  if (expression_.depth == command_line::most_wrappers)
    throw inexpressible{"more than 12 nested loops and conditions"};
  expression_.wrappers[expression_.depth++] = level;
}

void index_writer::add_loop(bm::wrapper_kind kind, bm::variable variable, const form& first,
                            const form& last, long long step) {
  const bm::slice begin = pooled(program_of(first)), end = pooled(program_of(last)),
                  increment = pooled({constant_node(step)});
  add_wrapper({kind, variable, begin, end, increment});
}

void index_writer::add_filter(const condition_pointer& filter) {
  // All of several conditions are filters of their own.
  if (filter->is == condition::kind::conjunction) {
    for (const condition_pointer& part : filter->parts) add_filter(part);
    return;
  }
  if (filter->is == condition::kind::constant && filter->holds) return;
  add_wrapper({bm::wrapper_kind::filter, bm::variable::loop_0, pooled(program_of(filter)), {}, {}});
}

void index_writer::add_subscript(const form& subscript) {
  expression_.subscript[expression_.subscripts++] = pooled(program_of(subscript));
}

index_writer::program index_writer::program_of_atom(int number) const {
  const atom& term = forms_[number];
  if (term.is == atom::kind::thread) return {variable_node(static_cast<bm::variable>(term.number))};
  if (term.is != atom::kind::operation)
    throw inexpressible{"a value of a loop that is not around it"};
  program result = program_of(term.left);
  const program right = program_of(term.right);
  append(result, right);
  result.push_back({term.operation, 0});
  return result;
}

// Adds factor * atom to the program, or starts it with that.
void index_writer::add_term(program& nodes, const program& atom, long long factor) const {
  const bool is_first = nodes.empty();
  const long long size = is_first ? factor : std::abs(factor);
  if (size != 1) nodes.push_back(constant_node(size));
  append(nodes, atom);
  if (size != 1) nodes.push_back({operation::multiply, 0});
  if (!is_first) nodes.push_back({factor < 0 ? operation::subtract : operation::add, 0});
}

// Positive terms first, in the order of the atoms: threads are before loops.
index_writer::program index_writer::program_of(const form& expression) const {
  std::vector<std::pair<program, long long>> terms;
  long long of_thread[3] = {};
  for (const auto& [number, factor] : expression.factors) {
    const atom& term = forms_[number];
    if (term.is == atom::kind::thread && term.number <= static_cast<int>(bm::variable::tz))
      of_thread[term.number] = factor;
    else
      terms.emplace_back(program_of_atom(number), factor);
  }
  const long long x = block_.x, y = block_.y;
  const bool is_number_of_thread = of_thread[0] != 0 && y > 1 && of_thread[1] == x * of_thread[0] &&
                                   (block_.z == 1 || of_thread[2] == x * y * of_thread[0]);
  std::vector<std::pair<program, long long>> ordered;
  if (is_number_of_thread) {
    ordered.emplace_back(program{variable_node(bm::variable::tid)}, of_thread[0]);
  } else {
    for (const int axis : {2, 1, 0})
      if (of_thread[axis] != 0)
        ordered.emplace_back(program{variable_node(static_cast<bm::variable>(axis))},
                             of_thread[axis]);
  }
  append(ordered, terms);
  std::ranges::stable_sort(ordered, [](const auto& first, const auto& other) {
    return (first.second > 0) > (other.second > 0);
  });
  program result;
  if (ordered.empty()) return {constant_node(expression.constant)};
  const bool constant_first = expression.constant > 0 && ordered.back().second < 0;
  if (constant_first && ordered.front().second < 0) result = {constant_node(expression.constant)};
  const bool is_done = !result.empty();
  for (const auto& [term, factor] : ordered) add_term(result, term, factor);
  if (expression.constant == 0 || is_done) return result;
  result.push_back(constant_node(std::abs(expression.constant)));
  result.push_back({expression.constant < 0 ? operation::subtract : operation::add, 0});
  return result;
}

index_writer::program index_writer::program_of(const condition_pointer& clause) const {
  if (clause->is == condition::kind::constant) return {constant_node(clause->holds)};
  if (clause->is == condition::kind::comparison) {
    const condition plain = with_constant_bound(*clause);
    program result = program_of(plain.left);
    const program right = program_of(plain.right);
    append(result, right);
    result.push_back({plain.relation, 0});
    return result;
  }
  program result = program_of(clause->parts[0]);
  const program second = program_of(clause->parts[1]);
  result.push_back({clause->is == condition::kind::conjunction ? operation::skip_if_false
                                                               : operation::skip_if_true,
                    static_cast<long long>(second.size())});
  append(result, second);
  return result;
}

}  // namespace compiled
