// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_PRICE_AT_ALL_BASES_HPP
#define BANKMODEL_COUNT_DETAIL_PRICE_AT_ALL_BASES_HPP

#include <bankmodel/count/detail/price.hpp>

// What requests would cost wherever their array began, for whoever searches for the best place.
namespace bankmodel::detail {

class price_at_all_bases : public price {
 public:
  // `to` has room for residues().
  BANKMODEL_FN price_at_all_bases(const machine& m, int bytes, access_kind kind, int element_bytes,
                                  std::uint64_t* to)
      : price(m, bytes, kind, element_bytes), to_(to) {
    everywhere_ = true;
    for (int at = 0; at < residues(); ++at) to_[at] = 0;
  }

  // What all requests cost; and in to[r] are their wavefronts if the array began r elements later,
  // for each r below residues(): elsewhere they come back. Required: residues() is not 0; this is
  // asked once.
  BANKMODEL_FN cost sum_and_all() {
    const cost all = sum();
    const std::uint64_t everywhere = all.wavefronts - by_base_;
    for (int at = 0; at < residues(); ++at) to_[at] = checked_count_sum(to_[at], everywhere);
    return all;
  }

 private:
  BANKMODEL_FN void add_histogram() override {
    int wavefronts[most_residues], degree[most_residues];
    const int ideal = evaluate_bases(false, wavefronts, degree);
    const cost all = cost_of_histogram(wavefronts, degree, ideal);
    ++evaluated_;
    sum_ = sum_ + all;
    by_base_ += all.wavefronts;
    int most = 0;
    for (int at = 0; at < residues(); ++at)
      if (wavefronts[at] > most) most = wavefronts[at];
    const bool fits = all.requests < 1ull << 40 &&
                      highest_ < 1ull << 62;  // nothing can overflow: no request takes 2^20 passes
    highest_ =
        fits ? highest_ + all.requests * static_cast<std::uint64_t>(most) : ~std::uint64_t{0};
    for (int at = 0; at < residues(); ++at) {
      if (times_[at] == 0) continue;
      for (int later = 0; later < residues(); ++later) {
        const auto passes = static_cast<std::uint64_t>(wavefronts[(at + later) & (residues() - 1)]);
        if (fits)
          to_[later] += passes * times_[at];
        else
          to_[later] = checked_count_sum(to_[later], checked_count_product(times_[at], passes));
      }
    }
  }

  std::uint64_t* to_;
  std::uint64_t by_base_ = 0, highest_ = 0;  // the latter: no sum at any base is above this
};

}  // namespace bankmodel::detail

#endif
