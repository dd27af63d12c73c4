// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DEGREES_BY_BASE_HPP
#define BANKMODEL_COUNT_DEGREES_BY_BASE_HPP

#include <bankmodel/count/detail/price.hpp>

#include <bankmodel/core/hide_macros.hpp>

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
  BANKMODEL_FN int residue(int base_residue) {
    require(base_residue);
    return degree_[base_residue];
  }
  // No residue has a higher degree.
  BANKMODEL_FN int highest() const { return is_complete_ ? highest_ : 1 << 30; }
  // The degree at a base.
  BANKMODEL_FN int base(long long bytes) const { return costs_.cost_at(bytes).degree; }

  BANKMODEL_FN void add_histogram(price& source) override {
    const residue_histogram& histogram = source.histogram_;
    if (!histogram.has_many()) {
      if (histogram.times_at_one() != 0)
        add_one(source, histogram.residue(), histogram.times_at_one());
    } else {
      for (int base_residue = 0; base_residue < source.residues() && !is_complete_; ++base_residue)
        if (histogram.times()[base_residue] != 0) require(base_residue);
      source.sum_ = source.sum_ + source.cost_of_histogram(wavefronts_, degree_, ideal_);
    }
    is_complete_ = false;
    evaluated_ = 0;
  }

 private:
  BANKMODEL_FN void add_one(price& source, int base_residue, std::uint64_t times) {
    require(base_residue);
    const cost request_cost{1, static_cast<std::uint64_t>(wavefronts_[base_residue]),
                            static_cast<std::uint64_t>(ideal_), degree_[base_residue],
                            method::each_request};
    source.sum_ = source.sum_ + request_cost * times;
  }
  BANKMODEL_FN void require(int base_residue) {
    if (is_complete_) return;
    if (evaluated_ == 0)
      for (int index = 0; index < costs_.residues(); ++index) degree_[index] = 0;
    if (degree_[base_residue] != 0) return;
    if (costs_.is_counted_by_rows(++evaluated_)) return evaluate_all();
    const cost base_cost =
        costs_.cost_at(static_cast<long long>(base_residue) * costs_.element_bytes_);
    wavefronts_[base_residue] = static_cast<int>(base_cost.wavefronts);
    degree_[base_residue] = base_cost.degree;
    ideal_ = static_cast<int>(base_cost.ideal);
    costs_.work += costs_.steps_of_counting();
  }
  BANKMODEL_FN void evaluate_all() {
    ideal_ = costs_.evaluate_bases(nullptr, costs_.residues(), wavefronts_, degree_);
    costs_.work += costs_.steps_of_bases(costs_.residues()) + 10 * costs_.residues();
    is_complete_ = true;
    highest_ = 0;
    for (int base_residue = 0; base_residue < costs_.residues(); ++base_residue)
      if (degree_[base_residue] > highest_) highest_ = degree_[base_residue];
  }

  price costs_;
  // Of the present lanes at each residue; a degree of 0 is not known.
  bool is_complete_ = false;
  int evaluated_ = 0, ideal_ = 1, highest_ = 0;
  int wavefronts_[price::most_residues], degree_[price::most_residues];
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
