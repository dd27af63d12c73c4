// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_RESIDUE_HISTOGRAM_HPP
#define BANKMODEL_COUNT_RESIDUE_HISTOGRAM_HPP

#include <bankmodel/core/arithmetic.hpp>
#include <bankmodel/count/request_class.hpp>

// How often the requests of one lane pattern have each residue of their base.
namespace bankmodel::detail {

// Residues are elements modulo a power of two of bytes. While only one residue occurs, no array is
// filled.
//
// Example: bases 0, 4, .. 16, modulo 8 bytes in elements of 4, have the residues 0, 1, 0, 1, 0:
//
//   detail::residue_histogram histogram(8, 4);
//   const progression bases{.step = 4, .trips = 5};
//   histogram.add(0, &bases, 1, 1);
//   assert(histogram.residues() == 2 && histogram.times()[0] == 3 && histogram.times()[1] == 2);
class residue_histogram {
 public:
  static constexpr int most_residues = 256;

  BANKMODEL_FN residue_histogram(int modulus_bytes, int element_bytes)
      : modulus_(modulus_bytes), element_bytes_(element_bytes) {
    residues_ = modulus_ > element_bytes ? modulus_ / element_bytes : 1;
  }

  BANKMODEL_FN int residues() const { return residues_; }
  BANKMODEL_FN int modulus() const { return modulus_; }  // bytes
  BANKMODEL_FN void clear() {
    times_at_one_ = 0;
    is_spread_ = false;
  }

  // Adds requests at base + k * step for k in [0, trips) of each progression, in all combinations,
  // each `times` times. The residues of a progression are a progression too, and the histograms
  // convolve, one progression at a time. Requires: residues() is at most most_residues.
  BANKMODEL_FN void add(long long base, const progression* loops, int depth, std::uint64_t times) {
    std::uint64_t requests = times, fixed = times;  // fixed: of the loops that do not move the base
    int moving = 0;
    for (int level = 0; level < depth; ++level) {
      const auto trips = static_cast<std::uint64_t>(loops[level].trips);
      requests = checked_count_product(requests, trips);
      if (residue_of(loops[level].step) == 0)
        fixed *= trips;
      else
        ++moving;
    }
    const int residue = residue_of(base);
    if (moving == 0 && !is_spread_ && (times_at_one_ == 0 || residue_ == residue)) {
      residue_ = residue;
      times_at_one_ = checked_count_sum(times_at_one_, requests);
      return;
    }
    fill();
    if (moving == 0) {
      times_[residue] = checked_count_sum(times_[residue], requests);
      return;
    }
    convolve(residue, loops, depth, fixed);
  }

  // True if more than one residue may occur; if not, all times_at_one() requests are at residue().
  BANKMODEL_FN bool has_many() const { return is_spread_; }
  BANKMODEL_FN int residue() const { return residue_; }
  BANKMODEL_FN std::uint64_t times_at_one() const { return times_at_one_; }

  // The requests at each residue. Requires: fill().
  BANKMODEL_FN const std::uint64_t* times() const { return times_; }
  BANKMODEL_FN void fill() {
    if (is_spread_) return;
    is_spread_ = true;
    for (int bin = 0; bin < residues_; ++bin) times_[bin] = 0;
    times_[residue_] = times_at_one_;
  }

 private:
  // The residue of a base or a step in bytes.
  BANKMODEL_FN int residue_of(long long bytes) const {
    return static_cast<int>(bytes & (modulus_ - 1)) / element_bytes_;
  }

  BANKMODEL_FN void convolve(int residue, const progression* loops, int depth,
                             std::uint64_t fixed) {
    std::uint64_t first[most_residues], second[most_residues];
    std::uint64_t *current = first, *next = second;
    for (int bin = 0; bin < residues_; ++bin) current[bin] = 0;
    current[residue] = fixed;
    std::uint64_t reached = 1;  // at least the number of residues that are not empty
    for (int level = 0; level < depth; ++level) {
      const int step = residue_of(loops[level].step);
      if (step == 0) continue;
      const auto trips = static_cast<std::uint64_t>(loops[level].trips);
      if (trips <= static_cast<std::uint64_t>(residues_) / reached) {
        spread(current, next, step, static_cast<int>(trips));
        reached *= trips;
      } else {
        slide(current, next, step, trips);
        reached = static_cast<std::uint64_t>(residues_);
      }
      std::uint64_t* const previous = current;
      current = next;
      next = previous;
    }
    for (int bin = 0; bin < residues_; ++bin)
      if (current[bin] != 0) times_[bin] = checked_count_sum(times_[bin], current[bin]);
  }

  // Sets output[r] to the sum of input[r - k * step] for k in [0, trips), modulo residues_. Each
  // residue is moved `trips` times, which is faster while few of them are reached (bench_page
  // totals: two loops of 8 on sm_35 take 20 % longer without it).
  BANKMODEL_FN void spread(const std::uint64_t* input, std::uint64_t* output, int step,
                           int trips) const {
    for (int bin = 0; bin < residues_; ++bin) output[bin] = 0;
    for (int bin = 0; bin < residues_; ++bin)
      if (input[bin] != 0)
        for (int trip = 0; trip < trips; ++trip)
          output[(bin + trip * step) & (residues_ - 1)] += input[bin];
  }
  // The same for any number of trips: a window slides along each of the cycles that the step makes.
  BANKMODEL_FN void slide(const std::uint64_t* input, std::uint64_t* output, int step,
                          std::uint64_t trips) const {
    const int cycles = step & -step, length = residues_ / cycles, mask = residues_ - 1;
    const std::uint64_t rounds = trips / static_cast<std::uint64_t>(length);
    const int rest = static_cast<int>(trips % static_cast<std::uint64_t>(length));
    for (int start = 0; start < cycles; ++start) {
      std::uint64_t cycle = 0, window = 0;
      for (int position = 0, residue = start; position < length;
           ++position, residue = (residue + step) & mask) {
        cycle += input[residue];
        if (position >= length - rest) window += input[residue];
      }
      for (int position = 0, residue = start; position < length;
           ++position, residue = (residue + step) & mask) {
        if (rest != 0) window += input[residue] - input[(residue - rest * step) & mask];
        output[residue] = rounds * cycle + window;
      }
    }
  }

  int modulus_, element_bytes_, residues_ = 1;
  bool is_spread_ = false;
  int residue_ = 0;
  std::uint64_t times_at_one_ = 0;
  std::uint64_t times_[most_residues];
};

}  // namespace bankmodel::detail

#endif
