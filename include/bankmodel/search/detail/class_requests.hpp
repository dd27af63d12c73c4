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
  BANKMODEL_FN bool contains(const request_class& requests) const {
    return requests.lanes.active != 0 && requests.lanes.bytes == bytes_ &&
           requests.lanes.kind == kind_;
  }

  // Requires: the elements of all requests are within the array.
  // Error: an access is not aligned in this layout, or its elements are not in one row or group.
  BANKMODEL_FN walked give_requests(const array_description& array, long long steps,
                                    request_taker& taker) const override {
    long long count = 0;
    work_of_a_walk work{steps};
    if (__builtin_is_constant_evaluated() && steps > most_steps_in_a_constant_expression)
      work.most_steps = most_steps_in_a_constant_expression;
    bool complete = true;
    for (int number = 0; number < count_ && complete; ++number) {
      if (!contains(classes_[number])) continue;
      ++count;
      complete = class_in_layout(classes_[number], array, work, taker).run();
    }
    return {work.progressions > count ? method::each_request : method::distinct_requests, complete,
            work.steps};
  }

 private:
  const request_class* classes_ = nullptr;
  int count_ = 0, bytes_ = 0;
  access_kind kind_ = access_kind::load;
};

}  // namespace bankmodel::detail

#endif
