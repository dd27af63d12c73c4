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
  BANKMODEL_FN class_maker(const access_view& counted_access, Visit& visit) : visit_(visit) {
    source = &source_;
    requests_.lanes.bytes = counted_access.bytes();
    requests_.lanes.kind = counted_access.kind;
  }
  class_maker(const class_maker&) = delete;  // `source` points into it
#if defined(__CUDACC__)
#pragma nv_exec_check_disable  // a visitor may be for the host alone
#endif
  BANKMODEL_FN void add(const lane_pattern& lanes, long long base, const progression* loops,
                        int depth, std::uint64_t times) override {
    const int low = trailing_zeros(lanes.active);
    const long long first = lanes.in_line ? 0 : lanes.offset[low];  // of the lowest active lane
    requests_.lanes.active = lanes.active;
    for (std::uint64_t rest = lanes.active; rest != 0; rest &= rest - 1) {
      const int lane = trailing_zeros(rest);
      requests_.lanes.address[lane] =
          lanes.in_line ? lanes.stride * (lane - low) : lanes.offset[lane] - first;
    }
    requests_.base = base + first;
    requests_.loops = depth;
    for (int loop = 0; loop < depth; ++loop) requests_.loop[loop] = loops[loop];
    requests_.times = times;
    requests_.first = source_.first;
    for (int loop = 0; loop < depth; ++loop) requests_.advance[loop] = source_.steps[loop];
    visit_(static_cast<const request_class&>(requests_));
  }

 private:
  request_source source_;
  request_class requests_;
  Visit& visit_;
};

template <class Visit>
BANKMODEL_FN void visit_request_classes(const machine& m, const block_dim& block,
                                        const access_view& access, const block_index& grid_index,
                                        Visit& visit) {
  class_maker<Visit> maker(access, visit);
  (void)splitter(m, block, access, grid_index, maker).run();
}

}  // namespace bankmodel::detail

#endif
