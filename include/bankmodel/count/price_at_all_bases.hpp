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
//   std::uint64_t to[64];
//   detail::price_at_all_bases costs(nvidia::sm_35, 4, access_kind::load, 4, to);
//   detail::splitter(nvidia::sm_35, block_dim{32}, detail::view_of(read), {}, costs.taker()).run();
//   assert(costs.residues() == 64 && costs.sum_and_all().wavefronts == 1);
//   assert(to[0] == 1 && to[1] == 1 && to[2] == 2);
namespace bankmodel::detail {

class price_at_all_bases : public histogram_taker {
 public:
  // Requires: `to` has room for residues() numbers.
  BANKMODEL_FN price_at_all_bases(const machine& m, int bytes, access_kind kind, int element_bytes,
                                  std::uint64_t* to)
      : costs_(m, bytes, kind, element_bytes), to_(to) {
    costs_.give_histograms_to(*this);
    for (int at = 0; at < residues(); ++at) to_[at] = 0;
  }
  price_at_all_bases(const price_at_all_bases&) = delete;  // its price has a pointer to it

  BANKMODEL_FN int residues() const { return costs_.residues(); }
  BANKMODEL_FN std::uint64_t evaluated() const { return costs_.evaluated(); }

  // The object to give the requests to.
  BANKMODEL_FN price& taker() { return costs_; }

  // Returns the cost of all requests. Sets to[r] to their wavefronts if the array began r elements
  // later, for each r below residues().
  // Requires: residues() is not 0; this is called once.
  BANKMODEL_FN cost sum_and_all() {
    const cost all = costs_.sum();
    const std::uint64_t everywhere = all.wavefronts - by_base_;
    for (int at = 0; at < residues(); ++at) to_[at] = checked_count_sum(to_[at], everywhere);
    return all;
  }

  BANKMODEL_FN void add_histogram(price& of) override {
    of.histogram_.fill();
    int wavefronts[price::most_residues], degree[price::most_residues];
    const int ideal = of.evaluate_bases(false, wavefronts, degree);
    of.work += of.steps_of_bases(residues()) + 50ll * residues();
    const cost all = of.cost_of_histogram(wavefronts, degree, ideal);
    ++of.evaluated_;
    of.sum_ = of.sum_ + all;
    by_base_ += all.wavefronts;
    int most = 0;
    for (int at = 0; at < residues(); ++at)
      if (wavefronts[at] > most) most = wavefronts[at];
    const bool fits = all.requests < 1ull << 40 &&
                      highest_ < 1ull << 62;  // nothing can overflow: no request takes 2^20 passes
    highest_ =
        fits ? highest_ + all.requests * static_cast<std::uint64_t>(most) : ~std::uint64_t{0};
    for (int at = 0; at < residues(); ++at)
      if (of.histogram_.times()[at] != 0)
        add_moved(wavefronts, at, of.histogram_.times()[at], fits);
  }

 private:
  // Adds the requests at the residue `at` to each base.
  BANKMODEL_FN void add_moved(const int* wavefronts, int at, std::uint64_t times, bool fits) {
    costs_.work += 13ll * residues();
    for (int later = 0; later < residues(); ++later) {
      const auto passes = static_cast<std::uint64_t>(wavefronts[(at + later) & (residues() - 1)]);
      if (fits)
        to_[later] += passes * times;
      else
        to_[later] = checked_count_sum(to_[later], checked_count_product(times, passes));
    }
  }

  price costs_;
  std::uint64_t* to_;
  std::uint64_t by_base_ = 0, highest_ = 0;  // the latter: an upper bound of to_
};

}  // namespace bankmodel::detail

#endif
