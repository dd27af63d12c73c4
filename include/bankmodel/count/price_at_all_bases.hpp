// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_PRICE_AT_ALL_BASES_HPP
#define BANKMODEL_COUNT_PRICE_AT_ALL_BASES_HPP

#include <bankmodel/count/detail/price.hpp>

// The cost of requests at each base of their array, for a search that places arrays.
//
// If a layer is larger than a word (W > N), or an element is narrower than a word, the cost of a
// request depends on its base. Then it has the same cost again after residues() elements. Instead
// of counting the requests once for each base, their bases are counted by residue once, and that
// histogram is moved.
//
// Example: one request of 32 lanes, each 8 bytes after the one before. It takes one wavefront if
// the array begins at the start of a layer:
//
//   constexpr auto a = shared_array<float>("a", 64);
//   const auto read = load(a[2 * tx]);
//   std::uint64_t wavefronts[64];
//   detail::price_at_all_bases costs(nvidia::sm_35, 4, access_kind::load, 4, wavefronts);
//   detail::splitter(nvidia::sm_35, block_dim{32}, detail::view_of(read), {}, costs.taker()).run();
//   assert(costs.residues() == 64 && costs.sum_and_all().wavefronts == 1);
//   assert(wavefronts[0] == 1 && wavefronts[1] == 1 && wavefronts[2] == 2);
namespace bankmodel::detail {

class price_at_all_bases : public histogram_taker {
 public:
  // Requires: `wavefronts` has room for residues() numbers.
  BANKMODEL_FN price_at_all_bases(const machine& m, int bytes, access_kind kind, int element_bytes,
                                  std::uint64_t* wavefronts)
      : costs_(m, bytes, kind, element_bytes), wavefronts_(wavefronts) {
    costs_.give_histograms_to(*this);
    for (int residue = 0; residue < residues(); ++residue) wavefronts_[residue] = 0;
  }
  price_at_all_bases(const price_at_all_bases&) = delete;  // its price has a pointer to it

  BANKMODEL_FN int residues() const { return costs_.residues(); }
  BANKMODEL_FN std::uint64_t evaluated() const { return costs_.evaluated(); }

  // The object to give the requests to.
  BANKMODEL_FN price& taker() { return costs_; }

  // Returns the cost of all requests. Sets wavefronts[r] to their wavefronts if the array began r
  // elements later, for each r below residues().
  // Requires: residues() is not 0; this is called once.
  BANKMODEL_FN cost sum_and_all() {
    const cost sum = costs_.sum();
    const std::uint64_t everywhere = sum.wavefronts - by_base_;
    for (int residue = 0; residue < residues(); ++residue)
      wavefronts_[residue] = checked_count_sum(wavefronts_[residue], everywhere);
    return sum;
  }

  BANKMODEL_FN void add_histogram(price& costs) override {
    costs.histogram_.fill();
    int wavefronts[price::most_residues], degree[price::most_residues];
    const int ideal = costs.evaluate_bases(nullptr, residues(), wavefronts, degree);
    costs.work += costs.steps_of_bases(residues()) + 50ll * residues();
    const cost sum = costs.cost_of_histogram(wavefronts, degree, ideal);
    ++costs.evaluated_;
    costs.sum_ = costs.sum_ + sum;
    int minimum = wavefronts[0], maximum = minimum;
    for (int residue = 1; residue < residues(); ++residue) {
      if (wavefronts[residue] > maximum) maximum = wavefronts[residue];
      if (wavefronts[residue] < minimum) minimum = wavefronts[residue];
    }
    const bool is_same = minimum == maximum;  // at all bases
    if (!is_same) by_base_ += sum.wavefronts;
    const bool fits = sum.requests < 1ull << 40 &&
                      highest_ < 1ull << 62;  // nothing can overflow: no request takes 2^20 passes
    highest_ =
        fits ? highest_ + sum.requests * static_cast<std::uint64_t>(maximum) : ~std::uint64_t{0};
    for (int residue = 0; residue < residues(); ++residue) {
      const std::uint64_t times = costs.histogram_.times()[residue];
      if (times == 0) continue;
      costs.work += 13ll * residues();  // charged in any case: effort is one constant a base
      if (!is_same) add_moved(wavefronts, residue, times, fits);
    }
  }

 private:
  // Adds the requests at `residue` to each base.
  BANKMODEL_FN void add_moved(const int* wavefronts, int residue, std::uint64_t times, bool fits) {
    for (int later = 0; later < residues(); ++later) {
      const auto passes =
          static_cast<std::uint64_t>(wavefronts[(residue + later) & (residues() - 1)]);
      if (fits)
        wavefronts_[later] += passes * times;
      else
        wavefronts_[later] =
            checked_count_sum(wavefronts_[later], checked_count_product(times, passes));
    }
  }

  price costs_;
  std::uint64_t* wavefronts_;
  std::uint64_t by_base_ = 0, highest_ = 0;  // the latter: an upper bound of wavefronts_
};

}  // namespace bankmodel::detail

#endif
