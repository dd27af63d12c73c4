// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_KERNEL_ACCESS_HPP
#define BANKMODEL_SEARCH_DETAIL_KERNEL_ACCESS_HPP

#include <bankmodel/count/total.hpp>

// One access of a kernel during the search for its layout.
namespace bankmodel {

// At run time; in a constant expression it is some hundred, for the compilers' own limits.
constexpr long long most_progressions_of_classes = 1 << 20;

namespace rule {
[[noreturn]] BANKMODEL_FN void request_classes_must_have_few_enough_progressions(long long limit) {
  detail::fail(__func__,
               "the loops of request classes leave the rows of their array so often that they are "
               "more than % progressions there (some hundred in a constant expression); split the "
               "array or the classes",
               limit);
}
}  // namespace rule

namespace detail {

// How the requests of an access were found, the steps for the lanes of each (see splitter), and the
// effort of finding them, in requests to be evaluated: too_much_effort if not all were found.
struct walked {
  method how;
  long long steps_of_lanes;
  std::uint64_t effort;
};
constexpr std::uint64_t too_much_effort = std::uint64_t{1} << 62;

// The requests of an access that no expression describes: request classes.
class given_requests {
 public:
  // Gives all requests to `to`, for an array with the description `as`.
  BANKMODEL_FN virtual walked give_requests(const machine& m, const array_description& as,
                                            request_taker& to) const = 0;

 protected:
  ~given_requests() = default;
};

// One access of the kernel, at any base of its array. Accesses that differ only in constants
// added to their subscripts are equivalent: they cost the same, or as much as the first one at
// another base, so only the first of them is evaluated. Loads and stores are equivalent too if
// the machine serves both alike.
struct kernel_access {
  const array_description* declared;
  int subscripts;
  const slice* subscript;
  int vector;
  access_kind kind;
  const wrapper* wrappers;
  int depth;
  const node* nodes;
  int array;      // its number among the kernel's arrays
  bool is_twin;   // equivalent to an earlier access
  int same_as;    // the number of an earlier access that has equal constants too, or -1
  int next_twin;  // the number of the next access that is equivalent to this one, or -1
  long long constant[max_rank];  // the constant added to each subscript
  std::uint64_t evaluated;       // requests evaluated for the declared array
  bool is_counted;               // true if the following is known
  cost before;                   // the cost as declared, with the machine's initial bank width
  const given_requests* given = nullptr;  // its requests, if no expression describes them

  BANKMODEL_FN access_view view(const array_description& as) const {
    return {as, subscripts, subscript, vector, kind, wrappers, depth, nodes};
  }

  // The subscript without its constant.
  BANKMODEL_FN slice without_constant(int d) const {
    slice program = subscript[d];
    while (program.size > 2 && adds_constant(program)) program.size -= 2;
    return program;
  }
  BANKMODEL_FN void read_constants() {
    for (int d = 0; d < subscripts; ++d) {
      constant[d] = 0;
      for (slice program = subscript[d]; program.size > 2 && adds_constant(program);
           program.size -= 2) {
        const node* const last = nodes + program.first + program.size - 1;
        constant[d] = last->op == operation::add ? checked_add(constant[d], last[-1].value)
                                                 : checked_subtract(constant[d], last[-1].value);
      }
    }
  }

  BANKMODEL_FN bool is_twin_of(const kernel_access& other, const machine& m) const {
    if (given != nullptr || other.given != nullptr) return false;
    if (array != other.array || vector != other.vector || depth != other.depth) return false;
    for (int d = 0; d < subscripts; ++d)
      if (!same(without_constant(d), other, other.without_constant(d))) return false;
    for (int level = 0; level < depth; ++level) {
      const wrapper &w = wrappers[level], &o = other.wrappers[level];
      if (w.kind != o.kind || (w.kind != wrapper_kind::filter && w.variable != o.variable) ||
          !same(w.first, other, o.first) || !same(w.last, other, o.last) ||
          !same(w.step, other, o.step))
        return false;
    }
    return kind == other.kind || (kind <= access_kind::store && other.kind <= access_kind::store &&
                                  serves_alike(m, vector * declared->element_bytes));
  }
  // Requires: the two accesses are equivalent.
  BANKMODEL_FN bool has_the_constants_of(const kernel_access& other) const {
    for (int d = 0; d < subscripts; ++d)
      if (constant[d] != other.constant[d]) return false;
    return true;
  }

 private:
  BANKMODEL_FN bool adds_constant(const slice& program) const {
    const node* const last = nodes + program.first + program.size - 1;
    return (last->op == operation::add || last->op == operation::subtract) &&
           last[-1].op == operation::constant;
  }
  // True if loads and stores of this width cost the same, with each bank width.
  BANKMODEL_FN static bool serves_alike(const machine& m, int bytes) {
    const service load = m.loads.of(bytes), store = m.stores.of(bytes);
    if (load.phases.bits() > 0 && m.merges_loads != m.merges_stores) return false;
    if (m.other_bank_width == 0) return load.counts_as(store);
    const machine other = m.with_bank_width(m.other_bank_width);
    return load.counts_as(store) && other.loads.of(bytes).counts_as(other.stores.of(bytes));
  }
  BANKMODEL_FN bool same(const slice& program, const kernel_access& other,
                         const slice& theirs) const {
    if (program.size != theirs.size) return false;
    for (int at = 0; at < program.size; ++at) {
      const node &a = nodes[program.first + at], &b = other.nodes[theirs.first + at];
      if (a.op != b.op || a.value != b.value) return false;
    }
    return true;
  }
};

// Gives all requests of an access to `to`. `view`: the access with the array as it is laid out.
BANKMODEL_FN walked give_requests(const machine& m, const block_dim& block,
                                  const kernel_access& access, const access_view& view,
                                  request_taker& to) {
  if (access.given != nullptr) return access.given->give_requests(m, view.array, to);
  splitter all(m, block, view, {}, to);
  const method how = all.run();
  return {how, all.steps_of_lanes(), 0};
}

// Counts an access. `view`: as for give_requests(); its array has a layout with strides only, or
// the requests of the access are given. If `evaluated` of the result is too_much_effort or more,
// not all are counted.
BANKMODEL_FN counted_total counted_in_rows(const machine& m, const block_dim& block,
                                           const kernel_access& access, const access_view& view) {
  if (access.given == nullptr) return counted_in_rows(m, block, view, {});
  price costs(m, view.bytes(), view.kind, view.array.element_bytes);
  const walked all = access.given->give_requests(m, view.array, costs);
  cost sum = costs.sum();
  sum.method = all.how;
  return {sum, costs.evaluated() + all.effort, all.steps_of_lanes};
}
// Counts an access to the array with the description `as`, which may have any layout.
// Error: request classes have too many progressions.
BANKMODEL_FN counted_total counted(const machine& m, const block_dim& block,
                                   const kernel_access& access, const array_description& as) {
  if (access.given == nullptr) return counted(m, block, access.view(as), {});
  const counted_total result = counted_in_rows(m, block, access, access.view(as));
  if (result.evaluated >= too_much_effort)
    rule::request_classes_must_have_few_enough_progressions(most_progressions_of_classes);
  return result;
}

}  // namespace detail
}  // namespace bankmodel

#endif
