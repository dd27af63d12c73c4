// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_EFFORT_HPP
#define BANKMODEL_SEARCH_DETAIL_EFFORT_HPP

#include <bankmodel/core/config.hpp>

// The work that a search may do.
namespace bankmodel::detail {

// One step is about one statement, as clang counts them in constant expressions, where it allows
// 1 048 576 of them. For search.effort, a request is this many.
constexpr long long steps_of_a_request = 256;
// In requests. In a constant expression they are 800 000 steps; the rest of clang's is for a
// mistake in the numbers of steps below, and for what else is in the same expression.
constexpr long long default_effort = 1 << 18, default_effort_of_constants = 3125;

// The remaining work. It is divided into tasks; a task gets most of it, and leaves the rest to the
// next ones. A search is the same in a constant expression and at run time until the effort is
// spent.
class effort_left {
 public:
  BANKMODEL_FN effort_left() {}
  BANKMODEL_FN explicit effort_left(long long requests) {
    if (requests == 0)
      requests = __builtin_is_constant_evaluated() ? default_effort_of_constants : default_effort;
    left_ = (requests < maximum ? requests : maximum) * steps_of_a_request;
  }

  // The steps that the present task has left.
  BANKMODEL_FN long long steps() const { return left_ - end_; }
  BANKMODEL_FN bool allows(long long steps) const { return left_ - end_ >= steps; }
  BANKMODEL_FN void spend(long long steps) { left_ -= steps; }

  // Starts the next task, which gets all that is left but an eighth, or all of it if it is the
  // last.
  BANKMODEL_FN void begin_task(bool is_last) { end_ = is_last || left_ < 0 ? 0 : left_ / 8; }

 private:
  static constexpr long long maximum = 1ll << 50;  // requests: no step overflows

  long long left_ = 0, end_ = 0;
};

}  // namespace bankmodel::detail

#endif
