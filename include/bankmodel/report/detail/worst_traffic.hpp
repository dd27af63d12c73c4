// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REPORT_DETAIL_WORST_TRAFFIC_HPP
#define BANKMODEL_REPORT_DETAIL_WORST_TRAFFIC_HPP

#include <bankmodel/count/residue_histogram.hpp>
#include <bankmodel/global/transactions.hpp>
#include <bankmodel/report/detail/narrowed_access.hpp>

// The most transactions that a request to global memory makes beyond its ideal.
namespace bankmodel::detail {

class worst_traffic : public request_taker {
 public:
  // Once a request with `wanted` is found, the others are not priced.
  BANKMODEL_FN worst_traffic(const machine& m, const access_view& view, int wanted)
      : machine_(m),
        histogram_(m.global.line_bytes > 128 ? m.global.line_bytes : 128, view.array.element_bytes),
        element_bytes_(view.array.element_bytes),
        wanted_(wanted) {
    request_.bytes = view.bytes();
    request_.kind = view.kind;
    modulus_ = histogram_.modulus();
    residues_ = histogram_.residues() > 1 ? histogram_.residues() : 2;
  }

  BANKMODEL_FN void add(const lane_pattern& lanes, long long base, const progression* loops,
                        int depth, std::uint64_t) override {
    work += 20 * histogram_.residues() * depth;
    if (most_ >= wanted_) return;
    const int low = trailing_zeros(lanes.active);
    histogram_.clear();
    histogram_.add(base, loops, depth, 1);
    histogram_.fill();
    request_.active = lanes.active;
    for (int at = 0; at < histogram_.residues() && most_ < wanted_; ++at) {
      if (histogram_.times()[at] == 0) continue;
      for (std::uint64_t rest = lanes.active; rest != 0; rest &= rest - 1) {
        const int lane = trailing_zeros(rest);
        request_.address[lane] = at * element_bytes_ +
                                 (lanes.in_line ? lanes.stride * (lane - low) : lanes.offset[lane]);
      }
      work += 2000;
      const memory_traffic one = count_transactions(machine_, request_);
      const int more = static_cast<int>(one.transactions - one.ideal);
      if (more > most_) most_ = more;
    }
  }

  BANKMODEL_FN int most() const { return most_; }

 private:
  const machine& machine_;
  residue_histogram histogram_;
  int element_bytes_, wanted_;
  int most_ = -1;  // without a request
  request request_;
};

// Requires: the machine's global memory is described.
BANKMODEL_FN highest_number most_transactions_beyond_ideal(const machine& m, const block_dim& block,
                                                           const access_view& view,
                                                           const block_index& at, int wanted,
                                                           long long work) {
  const auto found = [&](const access_view& in_rows) -> highest_number {
    worst_traffic most(m, in_rows, wanted);
    splitter all(m, block, in_rows, at, most);
    (void)all.run(work);
    return {most.most(), all.work()};
  };
  if (view.array.layout.is_strided()) return found(view);
  return found(access_as_laid_out(view, view.array.layout).view());
}

}  // namespace bankmodel::detail

#endif
