// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_INTERVAL_PRICES_HPP
#define BANKMODEL_SEARCH_DETAIL_INTERVAL_PRICES_HPP

#include <bankmodel/search/detail/lanes_in_line.hpp>
#include <bankmodel/search/detail/strided_prices.hpp>
#include <bankmodel/search/detail/touched_elements.hpp>

// The costs of an array of one dimension with padding after intervals: it is an array of rows, each
// of one interval, and padding after intervals is padding of these rows.
namespace bankmodel::detail {

class interval_prices {
 public:
  BANKMODEL_FN interval_prices() {}

  BANKMODEL_FN void begin() { begun_ = usable_ = 0; }

  // The requests to the array as rows of 2^bits elements. Returns nullptr if they are too many.
  // `touched`: all requests to the array, which has `size` elements.
  BANKMODEL_FN const strided_prices* prices(int bits, const machine& m,
                                            const touched_elements& touched, long long size,
                                            bool bases_matter, int bases,
                                            collected_requests& collected, effort_left& effort) {
    const unsigned bit = 1u << bits;
    if ((begun_ & bit) == 0) {
      begun_ |= bit;
      if (collect(m, bits, touched, size, bases_matter, collected, effort)) usable_ |= bit;
      prices_[bits].set_machine(m, collected, bases);
    }
    return (usable_ & bit) != 0 ? &prices_[bits] : nullptr;
  }

 private:
  // A request that is made `times` times.
  struct one_request {
    int shape;
    long long number;  // of its lowest lane's element
    std::uint64_t times;
  };

  // If bases do not matter, requests are alike if they begin at the same element of an interval.
  BANKMODEL_FN static int different_ones(int bits, const touched_elements& touched,
                                         bool bases_matter, one_request* list,
                                         effort_left& effort) {
    int count = 0;
    for (int position = 0; position < touched.count; ++position) {
      const footprint& requests = touched.list[position];
      const long long number =
          bases_matter ? requests.number : requests.number & ((1ll << bits) - 1);
      int seen = 0;
      while (seen < count && (list[seen].shape != requests.shape || list[seen].number != number))
        ++seen;
      effort.spend(20 + 4 * seen);
      if (seen == most_requests) return most_requests + 1;
      if (seen == count) list[count++] = {requests.shape, number, 0};
      list[seen].times = checked_count_sum(list[seen].times, requests.times);
    }
    return count;
  }

  BANKMODEL_FN bool collect(const machine& m, int bits, const touched_elements& touched,
                            long long size, bool bases_matter, collected_requests& collected,
                            effort_left& effort) {
    one_request list[most_requests];
    const int count = different_ones(bits, touched, bases_matter, list, effort);
    const layout rows = row_major(((size - 1) >> bits) + 1, 1ll << bits);
    const long long row_stride = spread_coordinates(rows).spread(rows).stride[0],
                    column_mask = (1ll << bits) - 1;
    strided_prices& prices = prices_[bits];
    prices.begin(collected, touched.element_bytes);
    collected.begin_array(rows, bases_matter);
    for (int position = 0; position < count && count <= most_requests; ++position) {
      const shape_of_lanes& shape = touched.shape[list[position].shape];
      collected.begin_access(m, -1, shape.bytes, shape.kind, touched.element_bytes, 1);
      lane_pattern lanes;
      lanes.active = shape.active;
      const int* next = touched.element + shape.relatives;
      long long base = 0;
      for (std::uint64_t rest = shape.active; rest != 0; rest &= rest - 1) {
        const long long number = list[position].number + *next++,
                        spread = (number >> bits) * row_stride + (number & column_mask);
        if (rest == shape.active) base = spread * touched.element_bytes;
        lanes.offset[trailing_zeros(rest)] = spread * touched.element_bytes - base;
      }
      set_line(lanes);
      const long long steps = collected.steps();
      collected.add(lanes, base, nullptr, 0, list[position].times);
      effort.spend(600 + 16 * shape.lanes + collected.steps() - steps);
    }
    prices.end(collected);
    return count <= most_requests && !collected.is_full();
  }

  static constexpr int most_requests = 256;

  unsigned begun_ = 0, usable_ = 0;  // the intervals, as bits
  strided_prices prices_[30];
};

}  // namespace bankmodel::detail

#endif
