// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DEGREES_BY_BASE_HPP
#define BANKMODEL_COUNT_DEGREES_BY_BASE_HPP

#include <bankmodel/count/detail/price.hpp>

// The cost of requests to shared memory, as of `price`, and the degree of each of them.
namespace bankmodel::detail {

// Each residue of a lane pattern is evaluated once: for the sum and for those who ask.
//
// Example: 32 lanes, each 8 bytes after the one before. The request takes one wavefront if it
// begins at the start of a layer, and two after two elements:
//
//   constexpr auto a = shared_array<float>("a", 64);
//   const auto read = load(a[2 * tx]);
//   detail::degrees_by_base degrees(nvidia::sm_35, 4, access_kind::load, 4);
//   detail::splitter(nvidia::sm_35, block_dim{32}, detail::view_of(read), {}, degrees.costs())
//       .run();
//   assert(degrees.everywhere() < 0 && degrees.residue(0) == 1 && degrees.residue(2) == 2);
//   assert(degrees.sum().wavefronts == 1);
class degrees_by_base : public histogram_taker {
 public:
  BANKMODEL_FN degrees_by_base(const machine& m, int bytes, access_kind kind, int element_bytes)
      : costs_(m, bytes, kind, element_bytes) {
    costs_.give_histograms_to(*this);
  }
  degrees_by_base(const degrees_by_base&) = delete;  // its price has a pointer to it

  BANKMODEL_FN price& costs() { return costs_; }
  BANKMODEL_FN const cost& sum() { return costs_.sum(); }

  // ---- of the lanes that the price took last ----

  // The degree at all bases, or -1 if it may differ between them.
  BANKMODEL_FN int everywhere() const {
    const int degree = costs_.present_degree();
    return degree == 0 ? -1 : degree;
  }
  // The degree at a residue of the base. Requires: it may differ between them.
  BANKMODEL_FN int residue(int which) {
    require(which);
    return degree_[which];
  }
  // No residue has a higher degree.
  BANKMODEL_FN int most() const { return is_complete_ ? most_ : 1 << 30; }
  // The degree at a base.
  BANKMODEL_FN int base(long long bytes) const { return costs_.cost_at(bytes).degree; }

  BANKMODEL_FN void add_histogram(price& of) override {
    const residue_histogram& histogram = of.histogram_;
    if (!histogram.has_many()) {
      if (histogram.times_at_one() != 0) add_one(of, histogram.one(), histogram.times_at_one());
    } else {
      for (int at = 0; at < of.residues() && !is_complete_; ++at)
        if (histogram.times()[at] != 0) require(at);
      of.sum_ = of.sum_ + of.cost_of_histogram(wavefronts_, degree_, ideal_);
    }
    is_complete_ = false;
    evaluated_ = 0;
  }

 private:
  BANKMODEL_FN void add_one(price& of, int which, std::uint64_t times) {
    require(which);
    const cost one{1, static_cast<std::uint64_t>(wavefronts_[which]),
                   static_cast<std::uint64_t>(ideal_), degree_[which], method::each_request};
    of.sum_ = of.sum_ + one * times;
  }
  BANKMODEL_FN void require(int which) {
    if (is_complete_) return;
    if (evaluated_ == 0)
      for (int at = 0; at < costs_.residues(); ++at) degree_[at] = 0;
    if (degree_[which] != 0) return;
    if (costs_.is_counted_by_rows(++evaluated_)) return evaluate_all();
    const cost one = costs_.cost_at(static_cast<long long>(which) * costs_.element_bytes_);
    wavefronts_[which] = static_cast<int>(one.wavefronts);
    degree_[which] = one.degree;
    ideal_ = static_cast<int>(one.ideal);
    costs_.work += costs_.steps_of_counting();
  }
  BANKMODEL_FN void evaluate_all() {
    ideal_ = costs_.evaluate_bases(false, wavefronts_, degree_);
    costs_.work += costs_.steps_of_bases(costs_.residues()) + 10 * costs_.residues();
    is_complete_ = true;
    most_ = 0;
    for (int at = 0; at < costs_.residues(); ++at)
      if (degree_[at] > most_) most_ = degree_[at];
  }

  price costs_;
  // Of the present lanes at each residue; a degree of 0 is not known.
  bool is_complete_ = false;
  int evaluated_ = 0, ideal_ = 1, most_ = 0;
  int wavefronts_[price::most_residues], degree_[price::most_residues];
};

}  // namespace bankmodel::detail

#endif
