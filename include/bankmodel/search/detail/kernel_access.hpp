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
  method found_by;
  bool is_complete;
  long long steps;
};

// The requests of an access that no expression describes: request classes.
class given_requests {
 public:
  // Gives the requests to `taker`, for an array with this description, as far as about `steps`
  // steps allow.
  BANKMODEL_FN virtual walked give_requests(const array_description& description, long long steps,
                                            request_taker& taker) const = 0;

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
  const given_requests* classes = nullptr;  // its requests, if no expression describes them

  int array = 0;                                // its number among the kernel's arrays
  int same_as = -1;                             // the number of an equal earlier access, or -1
  method found_by = method::distinct_requests;  // its requests were found
  cost declared_cost = {};  // as declared, with the machine's initial bank width
  cost present = {};        // in a layout that is priced

  BANKMODEL_FN access_view view(const array_description& description) const {
    return {description, subscripts, subscript, vector, kind, wrappers, depth, nodes};
  }
  BANKMODEL_FN int bytes() const { return vector * declared->element_bytes; }

  BANKMODEL_FN bool is_equal_to(const kernel_access& other) const {
    if (classes != nullptr || other.classes != nullptr || array != other.array ||
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
    for (int offset = 0; offset < program.size; ++offset) {
      const node &a = nodes[program.first + offset], &b = other.nodes[theirs.first + offset];
      if (a.op != b.op || a.value != b.value) return false;
    }
    return true;
  }
};

// All accesses of a kernel.
struct kernel_accesses {
  block_dim block;
  kernel_access* list;
  int count;

  // Requires: each access has the number of its array.
  BANKMODEL_FN void find_equal_ones() {
    for (int access = 1; access < count; ++access)
      for (int previous = 0; previous < access && list[access].same_as < 0; ++previous)
        if (list[previous].same_as < 0 && list[access].is_equal_to(list[previous]))
          list[access].same_as = previous;
  }
  // How often an access is made, with all that are equal to it.
  BANKMODEL_FN std::uint64_t weight_of(int access) const {
    std::uint64_t weight = 1;
    for (int other = access + 1; other < count; ++other) weight += list[other].same_as == access;
    return weight;
  }
};

// Gives the requests of an access to `taker`, as far as about `steps` steps allow. `description`:
// its array with a strided layout (with any layout, if the requests are given).
BANKMODEL_FN walked give_requests(const machine& m, const block_dim& block,
                                  const kernel_access& access, const array_description& description,
                                  long long steps, request_taker& taker) {
  if (access.classes != nullptr) {
    walked traversal = access.classes->give_requests(description, steps, taker);
    traversal.steps += taker.work;
    return traversal;
  }
  const access_view view = access.view(description);
  const owned<splitter> request_splitter(m, block, view, block_index{}, taker);
  const method used_method = request_splitter->run_within(steps);
  return {used_method, !request_splitter->stopped(),
          1500 + 150 * access.depth + request_splitter->work() + taker.work};
}

BANKMODEL_FN walked give_all_requests(const machine& m, const block_dim& block,
                                      const access_view& access, request_taker& taker,
                                      long long work) {
  const owned<splitter> request_splitter(m, block, access, block_index{}, taker);
  const method used_method = request_splitter->run(work);
  return {used_method, true, request_splitter->work()};
}
// Gives all requests of an access of its array as described, which may have any layout. `work`: the
// steps that were taken before; they are part of the result.
// Error: the errors of total(), but that of subscripts outside their extents only for strided
// layouts; request classes have too many progressions.
BANKMODEL_FN walked give_all_requests(const machine& m, const block_dim& block,
                                      const kernel_access& access,
                                      const array_description& description, request_taker& taker,
                                      long long work = 0) {
  if (access.classes == nullptr) {
    const access_view view = access.view(description);
    if (description.layout.is_strided()) return give_all_requests(m, block, view, taker, work);
    const owned<access_as_laid_out> rows(view, description.layout);
    return give_all_requests(m, block, rows->view(), taker, work);
  }
  walked traversal = access.classes->give_requests(description, int64_max, taker);
  if (!traversal.is_complete)
    rule::request_classes_must_have_few_enough_progressions(most_progressions_of_classes);
  traversal.steps += work + taker.work;
  taker.work = 0;
  return traversal;
}
// Counts an access of its array as described, within the limits of total(). `work`: the steps that
// were taken before.
// Error: the errors of total(); request classes have too many progressions.
BANKMODEL_FN counted_total counted_in(const machine& m, const block_dim& block,
                                      const kernel_access& access,
                                      const array_description& description, long long work = 0) {
  if (access.classes == nullptr) {  // as counted(), which may not allocate
    const access_view view = access.view(description);
    const counted_total plain = counted_in_rows(m, block, view, {}, work);
    if (description.layout.is_strided()) return plain;
    const owned<access_as_laid_out> rows(view, description.layout);
    return counted_in_rows(m, block, rows->view(), {}, plain.work);
  }
  price costs(m, access.bytes(), access.kind, description.element_bytes);
  const walked traversal = give_all_requests(m, block, access, description, costs, work);
  cost sum = costs.sum();
  sum.method = traversal.found_by;
  return {sum, costs.evaluated(), traversal.steps};
}

}  // namespace detail
}  // namespace bankmodel

#endif
