// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_CLASS_REQUESTS_HPP
#define BANKMODEL_SEARCH_DETAIL_CLASS_REQUESTS_HPP

#include <bankmodel/search/detail/class_in_layout.hpp>

// Request classes as an access of a kernel.
namespace bankmodel::detail {

class class_requests final : public given_requests {
 public:
  BANKMODEL_FN class_requests() {}

  // Sets the classes: those among `count` with this width and kind that have an active lane.
  BANKMODEL_FN void set(const request_class* classes, int count, int bytes, access_kind kind) {
    classes_ = classes;
    count_ = count;
    bytes_ = bytes;
    kind_ = kind;
  }
  BANKMODEL_FN bool contains(const request_class& one) const {
    return one.lanes.active != 0 && one.lanes.bytes == bytes_ && one.lanes.kind == kind_;
  }

  // Requires: the elements of all requests are within the array.
  // Error: an access is not aligned in this layout, or its elements are not in one row or group.
  BANKMODEL_FN walked give_requests(const array_description& as, long long steps,
                                    request_taker& to) const override {
    long long given = 0;
    work_of_a_walk work{steps};
    if (__builtin_is_constant_evaluated() && steps > most_steps_in_a_constant_expression)
      work.most_steps = most_steps_in_a_constant_expression;
    bool all = true;
    for (int at = 0; at < count_ && all; ++at) {
      if (!contains(classes_[at])) continue;
      ++given;
      all = class_in_layout(classes_[at], as, work, to).run();
    }
    return {work.progressions > given ? method::each_request : method::distinct_requests, all,
            work.steps};
  }

 private:
  const request_class* classes_ = nullptr;
  int count_ = 0, bytes_ = 0;
  access_kind kind_ = access_kind::load;
};

}  // namespace bankmodel::detail

#endif
