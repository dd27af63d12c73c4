// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_WRITTEN_HPP
#define BANKMODEL_COUNT_DETAIL_WRITTEN_HPP

#include <bankmodel/count/detail/addresses.hpp>

// Programs that are put together while an access is counted.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void subscripts_of_this_layout_must_be_shorter(long long limit) {
  detail::fail(__func__,
               "an access of an array with padded_every() or a permutation needs more than % "
               "numbers and operators; shorten its subscripts or conditions",
               limit);
}
[[noreturn]] BANKMODEL_FN void permuted_groups_must_hold_whole_wide_accesses(long long elements,
                                                                             long long group) {
  detail::fail(__func__,
               "a wide access of % elements of an array whose permutation keeps % together; "
               "permute groups of that many (a swizzle by XOR: a larger "
               "base), in rows that are a multiple of it apart",
               elements, group);
}
}  // namespace rule

namespace detail {

// The nodes of an access, and more behind them.
class written_programs {
 public:
  BANKMODEL_FN explicit written_programs(const access_view& access) {
    for (int d = 0; d < access.subscripts; ++d) reach(access.subscript[d]);
    for (int level = 0; level < access.depth; ++level) {
      const wrapper& w = access.wrappers[level];
      reach(w.first), reach(w.last), reach(w.step);
    }
    require_room(size_);
    copy_nodes(nodes_, access.nodes, size_);
    own_ = size_;
  }

  BANKMODEL_FN const node* nodes() const { return nodes_; }

  // The same program at the end, where it may grow.
  BANKMODEL_FN slice at_end(const slice& program) {
    if (program.first >= own_ && program.first + program.size == size_) return program;
    return copied(program);
  }
  BANKMODEL_FN slice copied(const slice& program) {
    const slice result{size_, program.size};
    require_room(size_ + program.size);
    for (int at = 0; at < program.size; ++at) nodes_[size_++] = nodes_[program.first + at];
    return result;
  }
  BANKMODEL_FN slice with(const slice& program, const node& last) {
    const slice result = at_end(program);
    require_room(size_ + 1);
    nodes_[size_++] = last;
    return {result.first, result.size + 1};
  }
  BANKMODEL_FN slice joined(operation op, const slice& left, const slice& right) {
    const bool adjacent = left.first >= own_ && left.first + left.size == right.first &&
                          right.first + right.size == size_;
    const slice begin = adjacent ? left : copied(left);
    const slice end = adjacent ? right : copied(right);
    return with({begin.first, begin.size + end.size}, {op, 0});
  }

 private:
  BANKMODEL_FN void reach(const slice& program) {
    if (program.first + program.size > size_) size_ = program.first + program.size;
  }
  BANKMODEL_FN static void require_room(int size) {
    if (size > most_nodes) rule::subscripts_of_this_layout_must_be_shorter(most_nodes);
  }

  static constexpr int most_nodes = 2048;

  int size_ = 0, own_ = 0;  // own: of the access itself
  node nodes_[most_nodes];
};

// A value as the program that computes it: what is done to it is written down. So a function
// template over numbers writes programs too.
class written {
 public:
  BANKMODEL_FN written(written_programs& in, const slice& program) : in_(&in), program_(program) {}
  BANKMODEL_FN const slice& program() const { return program_; }

  BANKMODEL_FN friend written operator+(const written& a, const written& b) {
    return {*a.in_, a.in_->joined(operation::add, a.program_, b.program_)};
  }
  BANKMODEL_FN friend written operator*(const written& a, const written& b) {
    return {*a.in_, a.in_->joined(operation::multiply, a.program_, b.program_)};
  }
  BANKMODEL_FN friend written operator^(const written& a, const written& b) {
    return {*a.in_, a.in_->joined(operation::bit_xor, a.program_, b.program_)};
  }
  BANKMODEL_FN friend written operator+(const written& a, long long b) {
    return a.with(operation::add, b);
  }
  BANKMODEL_FN friend written operator*(const written& a, long long b) {
    return b == 1 ? a : a.with(operation::multiply, b);
  }
  BANKMODEL_FN friend written operator*(long long a, const written& b) { return b * a; }
  BANKMODEL_FN friend written operator/(const written& a, long long b) {
    return b == 1 ? a : a.with(operation::divide, b);
  }
  BANKMODEL_FN friend written operator%(const written& a, long long b) {
    return a.with(operation::remainder, b);
  }
  BANKMODEL_FN friend written operator&(const written& a, long long b) {
    return a.with(operation::bit_and, b);
  }
  BANKMODEL_FN friend written operator>>(const written& a, long long b) {
    return b == 0 ? a : a.with(operation::shift_right, b);
  }
  BANKMODEL_FN friend written operator<<(const written& a, long long b) {
    return b == 0 ? a : a.with(operation::shift_left, b);
  }
  BANKMODEL_FN written shifted(int left) const { return left < 0 ? *this >> -left : *this << left; }
  // See layouts/triangular.hpp; of this value modulo the width.
  BANKMODEL_FN written triangular_root(long long width) const {
    return with(operation::triangular_root, width);
  }

 private:
  BANKMODEL_FN written with(operation op, long long constant) const {
    const slice program = in_->with(program_, {operation::constant, constant});
    return {*in_, in_->with(program, {op, 0})};
  }

  written_programs* in_;
  slice program_;
};

}  // namespace detail
}  // namespace bankmodel

#endif
