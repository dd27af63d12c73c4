// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REPORT_DETAIL_WORST_TRAFFIC_HPP
#define BANKMODEL_REPORT_DETAIL_WORST_TRAFFIC_HPP

#include <bankmodel/global/transactions.hpp>
#include <bankmodel/report/detail/worst_place.hpp>

// The transactions that a request to global memory makes beyond its ideal.
namespace bankmodel::detail {

class excess_number {
 public:
  static constexpr int unlimited = 1 << 30;
  long long work = 0;

  // Requires: the machine's global memory is described.
  BANKMODEL_FN excess_number(const machine& m, const access_view& access)
      : machine_(m),
        modulus_(m.global.line_bytes > 128 ? m.global.line_bytes : 128),
        element_bytes_(access.array.element_bytes) {
    request_.bytes = access.bytes();
    request_.kind = access.kind;
  }
  BANKMODEL_FN int residues() const { return modulus_ / element_bytes_; }
  BANKMODEL_FN int modulus() const { return modulus_; }

  BANKMODEL_FN bool set_lanes(const lane_pattern& lanes) {
    const int low = trailing_zeros(lanes.active);
    bool differ = request_.active != lanes.active;
    request_.active = lanes.active;
    for (std::uint64_t rest = lanes.active; rest != 0; rest &= rest - 1) {
      const int lane = trailing_zeros(rest);
      const long long offset = lanes.in_line ? lanes.stride * (lane - low) : lanes.offset[lane];
      differ = differ || offset_[lane] != offset;
      offset_[lane] = offset;
    }
    return differ;
  }
  BANKMODEL_FN int everywhere() const { return -1; }
  BANKMODEL_FN int at(long long base) {
    for (std::uint64_t rest = request_.active; rest != 0; rest &= rest - 1)
      request_.address[trailing_zeros(rest)] = base + offset_[trailing_zeros(rest)];
    work += 2000;
    const memory_traffic one = count_transactions(machine_, request_);
    return static_cast<int>(one.transactions - one.ideal);
  }

 private:
  const machine& machine_;
  int modulus_, element_bytes_;
  request request_;
  long long offset_[max_lanes] = {};
};

}  // namespace bankmodel::detail

#endif
