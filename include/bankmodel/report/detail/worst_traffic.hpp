// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REPORT_DETAIL_WORST_TRAFFIC_HPP
#define BANKMODEL_REPORT_DETAIL_WORST_TRAFFIC_HPP

#include <bankmodel/global/detail/traffic_price.hpp>

// The traffic of requests to global memory, and the transactions that each of them makes beyond its
// ideal.
namespace bankmodel::detail {

class excess_by_base {
 public:
  // Requires: the machine's global memory is described.
  BANKMODEL_FN excess_by_base(const machine& m, int bytes, access_kind kind, int element_bytes)
      : costs_(m, bytes, kind, element_bytes), element_bytes_(element_bytes) {}

  BANKMODEL_FN traffic_price& costs() { return costs_; }
  BANKMODEL_FN const memory_traffic& sum() { return costs_.sum(); }

  // ---- of the lanes that the price took last ----

  BANKMODEL_FN int everywhere() {
    if (pattern_ != costs_.patterns())
      for (int at = 0; at < costs_.residues(); ++at) excess_[at] = -1;
    pattern_ = costs_.patterns();
    return -1;
  }
  BANKMODEL_FN int residue(int which) {
    if (excess_[which] < 0) {
      const memory_traffic one = costs_.at_residue(which * element_bytes_);
      excess_[which] = static_cast<int>(one.transactions - one.ideal);
    }
    return excess_[which];
  }
  BANKMODEL_FN int most() const { return 1 << 30; }  // not known
  BANKMODEL_FN int base(long long) { return 0; }  // there are never too many residues for a table

 private:
  traffic_price costs_;
  int element_bytes_;
  int pattern_ = 0;  // the one that excess_ is of; an excess below 0 is not known
  int excess_[residue_histogram::most_residues];
};

}  // namespace bankmodel::detail

#endif
