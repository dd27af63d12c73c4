// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_CLASS_MAKER_HPP
#define BANKMODEL_COUNT_CLASS_MAKER_HPP

#include <bankmodel/count/total.hpp>

// Makes request classes of the requests that counting finds.
namespace bankmodel::detail {

// Hands requests on as request classes, each base as another request.
template <class Visit>
class class_maker : public request_taker {
 public:
  BANKMODEL_FN class_maker(const access_view& access, Visit& visit) : visit_(visit) {
    source = &from_;
    made_.lanes.bytes = access.bytes();
    made_.lanes.kind = access.kind;
  }
  class_maker(const class_maker&) = delete;  // `source` points into it
#if defined(__CUDACC__)
#pragma nv_exec_check_disable  // a visitor may be for the host alone
#endif
  BANKMODEL_FN void add(const lane_pattern& lanes, long long base, const progression* loops,
                        int depth, std::uint64_t times) override {
    const int low = trailing_zeros(lanes.active);
    const long long first = lanes.in_line ? 0 : lanes.offset[low];  // of the lowest active lane
    made_.lanes.active = lanes.active;
    for (std::uint64_t rest = lanes.active; rest != 0; rest &= rest - 1) {
      const int lane = trailing_zeros(rest);
      made_.lanes.address[lane] =
          lanes.in_line ? lanes.stride * (lane - low) : lanes.offset[lane] - first;
    }
    made_.base = base + first;
    made_.loops = depth;
    for (int at = 0; at < depth; ++at) made_.loop[at] = loops[at];
    made_.times = times;
    made_.first = from_.first;
    for (int at = 0; at < depth; ++at) made_.advance[at] = from_.of[at];
    visit_(static_cast<const request_class&>(made_));
  }

 private:
  request_source from_;
  request_class made_;
  Visit& visit_;
};

template <class Visit>
BANKMODEL_FN void visit_request_classes(const machine& m, const block_dim& block,
                                        const access_view& access, const block_index& at,
                                        Visit& visit) {
  class_maker<Visit> maker(access, visit);
  (void)splitter(m, block, access, at, maker).run();
}

}  // namespace bankmodel::detail

#endif
