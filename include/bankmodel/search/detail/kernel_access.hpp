// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_KERNEL_ACCESS_HPP
#define BANKMODEL_SEARCH_DETAIL_KERNEL_ACCESS_HPP

#include <bankmodel/core/owned.hpp>
#include <bankmodel/count/total.hpp>
#include <bankmodel/search/detail/effort.hpp>

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

// How the requests of an access were found, whether all were, and the steps that it took.
struct walked {
  method how;
  bool all;
  long long steps;
};

// The requests of an access that no expression describes: request classes.
class given_requests {
 public:
  // Gives the requests to `to`, for an array with the description `as`, as far as about `steps`
  // steps allow.
  BANKMODEL_FN virtual walked give_requests(const array_description& as, long long steps,
                                            request_taker& to) const = 0;

 protected:
  ~given_requests() = default;
};

struct kernel_access {
  const array_description* declared;
  int subscripts;
  const slice* subscript;
  int vector;
  access_kind kind;
  const wrapper* wrappers;
  int depth;
  const node* nodes;
  const given_requests* given = nullptr;  // its requests, if no expression describes them

  int array = 0;                           // its number among the kernel's arrays
  int same_as = -1;                        // the number of an equal earlier access, or -1
  method how = method::distinct_requests;  // its requests were found
  cost before = {};                        // as declared, with the machine's initial bank width
  cost present = {};                       // in a layout that is priced

  BANKMODEL_FN access_view view(const array_description& as) const {
    return {as, subscripts, subscript, vector, kind, wrappers, depth, nodes};
  }
  BANKMODEL_FN int bytes() const { return vector * declared->element_bytes; }

  BANKMODEL_FN bool is_equal_to(const kernel_access& other) const {
    if (given != nullptr || other.given != nullptr || array != other.array ||
        vector != other.vector || kind != other.kind || depth != other.depth)
      return false;
    for (int d = 0; d < subscripts; ++d)
      if (!same(subscript[d], other, other.subscript[d])) return false;
    for (int level = 0; level < depth; ++level) {
      const wrapper &w = wrappers[level], &o = other.wrappers[level];
      if (w.kind != o.kind || (w.kind != wrapper_kind::filter && w.variable != o.variable) ||
          !same(w.first, other, o.first) || !same(w.last, other, o.last) ||
          !same(w.step, other, o.step))
        return false;
    }
    return true;
  }

 private:
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

// All accesses of a kernel.
struct kernel_accesses {
  block_dim block;
  kernel_access* each;
  int count;

  // Requires: each access has the number of its array.
  BANKMODEL_FN void find_equal_ones() {
    for (int at = 1; at < count; ++at)
      for (int before = 0; before < at && each[at].same_as < 0; ++before)
        if (each[before].same_as < 0 && each[at].is_equal_to(each[before]))
          each[at].same_as = before;
  }
  // How often an access is made, with all that are equal to it.
  BANKMODEL_FN std::uint64_t weight_of(int access) const {
    std::uint64_t weight = 1;
    for (int at = access + 1; at < count; ++at) weight += each[at].same_as == access;
    return weight;
  }
};

// Gives the requests of an access to `to`, as far as about `steps` steps allow. `as`: its array
// with a strided layout (with any layout, if the requests are given).
BANKMODEL_FN walked give_requests(const machine& m, const block_dim& block,
                                  const kernel_access& access, const array_description& as,
                                  long long steps, request_taker& to) {
  if (access.given != nullptr) {
    walked given = access.given->give_requests(as, steps, to);
    given.steps += to.work;
    return given;
  }
  const access_view view = access.view(as);
  const owned<splitter> all(m, block, view, block_index{}, to);
  const method how = all->run_within(steps);
  return {how, !all->stopped(), 1500 + 150 * access.depth + all->work() + to.work};
}

BANKMODEL_FN walked give_all_requests(const machine& m, const block_dim& block,
                                      const access_view& access, request_taker& to,
                                      long long work) {
  const owned<splitter> all(m, block, access, block_index{}, to);
  const method how = all->run(work);
  return {how, true, all->work()};
}
// Gives all requests of an access of its array as described, which may have any layout. `work`: the
// steps that were taken before; they are part of the result.
// Error: the errors of total(), but that of subscripts outside their extents only for strided
// layouts; request classes have too many progressions.
BANKMODEL_FN walked give_all_requests(const machine& m, const block_dim& block,
                                      const kernel_access& access, const array_description& as,
                                      request_taker& to, long long work = 0) {
  if (access.given == nullptr) {
    const access_view view = access.view(as);
    if (as.layout.is_strided()) return give_all_requests(m, block, view, to, work);
    const owned<access_as_laid_out> rows(view, as.layout);
    return give_all_requests(m, block, rows->view(), to, work);
  }
  walked all = access.given->give_requests(as, int64_max, to);
  if (!all.all)
    rule::request_classes_must_have_few_enough_progressions(most_progressions_of_classes);
  all.steps += work + to.work;
  to.work = 0;
  return all;
}
// Counts an access of its array as described, within the limits of total(). `work`: the steps that
// were taken before.
// Error: the errors of total(); request classes have too many progressions.
BANKMODEL_FN counted_total counted_in(const machine& m, const block_dim& block,
                                      const kernel_access& access, const array_description& as,
                                      long long work = 0) {
  if (access.given == nullptr) {  // as counted(), which may not allocate
    const access_view view = access.view(as);
    const counted_total plain = counted_in_rows(m, block, view, {}, work);
    if (as.layout.is_strided()) return plain;
    const owned<access_as_laid_out> rows(view, as.layout);
    return counted_in_rows(m, block, rows->view(), {}, plain.work);
  }
  price costs(m, access.bytes(), access.kind, as.element_bytes);
  const walked all = give_all_requests(m, block, access, as, costs, work);
  cost sum = costs.sum();
  sum.method = all.how;
  return {sum, costs.evaluated(), all.steps};
}

}  // namespace detail
}  // namespace bankmodel

#endif
