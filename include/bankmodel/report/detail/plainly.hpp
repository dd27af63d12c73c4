// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REPORT_DETAIL_PLAINLY_HPP
#define BANKMODEL_REPORT_DETAIL_PLAINLY_HPP

#include <bankmodel/count/detail/plain_requests.hpp>
#include <bankmodel/count/total.hpp>

// Which request, as they follow one another, is the one that is looked for.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void the_worst_request_must_come_early_where_lanes_run_in_lockstep(
    long long limit) {
  detail::fail(__func__,
               "explain() has run % iterations of a loop whose bounds or step depend on the "
               "thread, and what is inside it, before the worst "
               "request; explain it with a loop that begins later",
               limit);
}
}  // namespace rule

namespace detail {

constexpr long long most_plain_iterations = 1 << 20,
                    most_plain_iterations_in_a_constant_expression = 100;

// Waits for the first request with a phase of some degree.
class request_of_degree {
 public:
  BANKMODEL_FN request_of_degree(const machine& m, const access_view& access, int degree)
      : machine_(m), array_(access.array), degree_(degree) {
    request_.bytes = access.vector * access.array.element_bytes;
    request_.kind = access.kind;
    how_ = m.served(request_.bytes, request_.kind);
    banks_ = m.banks(request_.bytes, request_.kind);
    if (how_.phases_overlap) --degree_;  // of the slowest phase
    if (__builtin_is_constant_evaluated()) limit_ = most_plain_iterations_in_a_constant_expression;
  }

  BANKMODEL_FN void begin_iteration() {
    if (++iterations_ > limit_)
      rule::the_worst_request_must_come_early_where_lanes_run_in_lockstep(limit_);
  }

  // Whether this is the one.
  BANKMODEL_FN bool operator()(std::uint64_t active, const four* at) {
    request_.active = active;
    for (int lane = 0; lane < machine_.lanes; ++lane)
      if ((active >> lane & 1) != 0)
        request_.address[lane] = array_.base_bytes + array_.layout(at[lane]) * array_.element_bytes;
    const lane_groups phases = phases_of(machine_, how_, request_);
    const int piece = how_.bytes_at_a_time(request_.bytes);
    for (phase_ = 0; phase_ < 1 << phases.bits(); ++phase_)
      for (offset_ = 0; offset_ < request_.bytes; offset_ += piece) {
        long long address[max_lanes] = {};
        int in_bank[max_banks];
        const int count =
            gather(request_, active & phases.lanes_of(phase_), offset_, machine_.lanes, address);
        if (count > 0 &&
            count_passes_of_phase(how_.serves, banks_, address, count, piece, in_bank) == degree_)
          return true;
      }
    return false;
  }

  // The one, the first phase of that degree, and which piece of the accesses: so many bytes behind
  // their beginning.
  BANKMODEL_FN const request& found() const { return request_; }
  BANKMODEL_FN int phase() const { return phase_; }
  BANKMODEL_FN int offset() const { return offset_; }

 private:
  const machine& machine_;
  const array_description& array_;
  service how_;
  geometry banks_ = {};
  int degree_, phase_ = 0, offset_ = 0;
  long long iterations_ = 0, limit_ = most_plain_iterations;
  request request_;
};

}  // namespace detail
}  // namespace bankmodel

#endif
