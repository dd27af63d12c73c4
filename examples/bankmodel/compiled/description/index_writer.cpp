// SPDX-License-Identifier: MIT
#include "index_writer.hpp"

#include <algorithm>

namespace compiled {

namespace {

using bm::operation;

bm::node constant_node(long long value) { return {operation::constant, value}; }
bm::node variable_node(bm::variable which) {
  return {operation::variable, static_cast<long long>(which)};
}

// tx - 16 >= 0 is tx >= 16, and tx <= 59 is tx < 60.
condition with_constant_bound(condition of) {
  const bool is_reversed = of.left.is_constant();
  form& bound = is_reversed ? of.left : of.right;
  form& other = is_reversed ? of.right : of.left;
  if (!bound.is_constant() || other.is_constant()) return of;
  bound.constant -= other.constant;
  other.constant = 0;
  if (std::all_of(other.factors.begin(), other.factors.end(),
                  [](const auto& each) { return each.second < 0; })) {
    bound = bound * -1;
    other = other * -1;
    std::swap(of.left, of.right);
    return with_constant_bound(of);
  }
  if (!is_reversed && of.does == operation::less_equal) {
    ++bound.constant;
    of.does = operation::less;
  } else if (is_reversed && of.does == operation::less) {
    ++bound.constant;
    of.does = operation::less_equal;
  }
  return of;
}

}  // namespace

bm::slice index_writer::pooled(const program& of) {
  if (used_ + static_cast<int>(of.size()) > command_line::most_nodes)
    throw inexpressible{"an expression of more than 256 numbers, names and operators"};
  std::copy(of.begin(), of.end(), made_.nodes + used_);
  const bm::slice result{used_, static_cast<int>(of.size())};
  used_ += result.size;
  return result;
}

void index_writer::add_wrapper(const bm::wrapper& one) {
  if (made_.depth == command_line::most_wrappers)
    throw inexpressible{"more than 12 nested loops and conditions"};
  made_.wrappers[made_.depth++] = one;
}

void index_writer::add_loop(bm::wrapper_kind kind, bm::variable variable, const form& first,
                            const form& last, long long step) {
  const bm::slice from = pooled(program_of(first)), to = pooled(program_of(last)),
                  by = pooled({constant_node(step)});
  add_wrapper({kind, variable, from, to, by});
}

void index_writer::add_filter(const condition_pointer& which) {
  // All of several conditions are filters of their own.
  if (which->is == condition::kind::both) {
    for (const condition_pointer& each : which->parts) add_filter(each);
    return;
  }
  if (which->is == condition::kind::constant && which->holds) return;
  add_wrapper({bm::wrapper_kind::filter, bm::variable::loop_0, pooled(program_of(which)), {}, {}});
}

void index_writer::add_subscript(const form& subscript) {
  made_.subscript[made_.subscripts++] = pooled(program_of(subscript));
}

index_writer::program index_writer::program_of_atom(int number) const {
  const atom& one = forms_[number];
  if (one.is == atom::kind::thread) return {variable_node(static_cast<bm::variable>(one.number))};
  if (one.is != atom::kind::operation)
    throw inexpressible{"a value of a loop that is not around it"};
  program result = program_of(one.left);
  const program right = program_of(one.right);
  result.insert(result.end(), right.begin(), right.end());
  result.push_back({one.does, 0});
  return result;
}

// Adds factor * atom to the program, or starts it with that.
void index_writer::add_term(program& to, const program& atom, long long factor) const {
  const bool is_first = to.empty();
  const long long size = is_first ? factor : std::abs(factor);
  if (size != 1) to.push_back(constant_node(size));
  to.insert(to.end(), atom.begin(), atom.end());
  if (size != 1) to.push_back({operation::multiply, 0});
  if (!is_first) to.push_back({factor < 0 ? operation::subtract : operation::add, 0});
}

// Positive terms first, in the order of the atoms: threads are before loops.
index_writer::program index_writer::program_of(const form& of) const {
  std::vector<std::pair<program, long long>> terms;
  long long of_thread[3] = {};
  for (const auto& [number, factor] : of.factors) {
    const atom& one = forms_[number];
    if (one.is == atom::kind::thread && one.number <= static_cast<int>(bm::variable::tz))
      of_thread[one.number] = factor;
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
    for (const int which : {2, 1, 0})
      if (of_thread[which] != 0)
        ordered.emplace_back(program{variable_node(static_cast<bm::variable>(which))},
                             of_thread[which]);
  }
  ordered.insert(ordered.end(), terms.begin(), terms.end());
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto& one, const auto& other) {
    return (one.second > 0) > (other.second > 0);
  });
  program result;
  if (ordered.empty()) return {constant_node(of.constant)};
  const bool constant_first = of.constant > 0 && ordered.back().second < 0;
  if (constant_first && ordered.front().second < 0) result = {constant_node(of.constant)};
  const bool is_done = !result.empty();
  for (const auto& [term, factor] : ordered) add_term(result, term, factor);
  if (of.constant == 0 || is_done) return result;
  result.push_back(constant_node(std::abs(of.constant)));
  result.push_back({of.constant < 0 ? operation::subtract : operation::add, 0});
  return result;
}

index_writer::program index_writer::program_of(const condition_pointer& of) const {
  if (of->is == condition::kind::constant) return {constant_node(of->holds)};
  if (of->is == condition::kind::comparison) {
    const condition plain = with_constant_bound(*of);
    program result = program_of(plain.left);
    const program right = program_of(plain.right);
    result.insert(result.end(), right.begin(), right.end());
    result.push_back({plain.does, 0});
    return result;
  }
  program result = program_of(of->parts[0]);
  const program second = program_of(of->parts[1]);
  result.push_back(
      {of->is == condition::kind::both ? operation::skip_if_false : operation::skip_if_true,
       static_cast<long long>(second.size())});
  result.insert(result.end(), second.begin(), second.end());
  return result;
}

}  // namespace compiled
