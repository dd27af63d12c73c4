// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_PRICE_HPP
#define BANKMODEL_COUNT_DETAIL_PRICE_HPP

#include <bankmodel/count/detail/iteration_limit.hpp>
#include <bankmodel/count/detail/lane_line.hpp>
#include <bankmodel/count/detail/passes_by_base.hpp>
#include <bankmodel/count/request_taker.hpp>
#include <bankmodel/count/residue_histogram.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The last step of counting: the cost of requests, each lane pattern with a histogram of its bases.
//
// The passes of a lane pattern do not change if its base moves by a layer of all banks. If W = N,
// they do not change either if it moves by a word, because that only rotates the banks. So requests
// are counted by the residue of their base, and each residue is evaluated once.
namespace bankmodel::detail {

class price;

// Prices the histogram of each lane pattern instead of `price`.
// (Not a class derived from `price`: in nvcc's constant expressions derived classes lose members.)
class histogram_taker {
 public:
  BANKMODEL_FN virtual void add_histogram(price& source) = 0;

 protected:
  ~histogram_taker() = default;
};

class price : public request_taker {
 public:
  static constexpr int most_residues = residue_histogram::most_residues;

  BANKMODEL_FN price(const machine& m, int bytes, access_kind kind, int element_bytes)
      : machine_(m),
        rules_(m.served(bytes, kind)),
        banks_(rules_.banks(bytes)),
        element_bytes_(element_bytes),
        bytes_(bytes),
        kind_(kind),
        line_(rules_, banks_, bytes),
        histogram_(modulus_of(banks_), element_bytes) {
    residues_ = residues_of(banks_, element_bytes);
    modulus_ = modulus_of(banks_);
  }

  // The number of different bases, in elements, that may differ in cost in these banks; 0 if they
  // are too many for a histogram.
  BANKMODEL_FN static int residues_of(const geometry& banks, int element_bytes) {
    const int residues = modulus_of(banks) / element_bytes;
    if (residues > most_residues || banks.W / banks.N > most_rows_of_a_layer) return 0;
    return residues > 1 ? residues : 1;
  }

  BANKMODEL_FN void add(const lane_pattern& lanes, long long base, const progression* loops,
                        int depth, std::uint64_t times) override {
    if (!is_present(lanes)) begin(lanes);
    if (known_.degree == 0 && residues_ > 1) {
      work += 20 * residues_ * depth;
      return histogram_.add(base, loops, depth, times);
    }
    if (residues_ == 0 && depth > 0) return add_each_base(lanes, base, loops, depth, times);
    for (int loop = 0; loop < depth; ++loop)
      times = checked_count_product(times, static_cast<std::uint64_t>(loops[loop].trips));
    if (known_.degree == 0 || residues_ == 0) {
      known_ = cost_at(base);
      ++evaluated_;
      work += steps_of_counting();
    }
    add_known(times);
  }

  BANKMODEL_FN bool ignores_base(const lane_pattern& lanes) override {
    if (!is_present(lanes)) begin(lanes);
    return known_.degree != 0;
  }

  // The degree of the present lanes, those of the last call; 0 if it may differ between bases.
  BANKMODEL_FN int present_degree() const { return residues_ != 0 ? known_.degree : 0; }

  // Returns the cost of all requests added.
  BANKMODEL_FN const cost& sum() {
    finish();
    return sum_;
  }
  // The number of requests evaluated, for tests: many bases of one request count once.
  BANKMODEL_FN std::uint64_t evaluated() const { return evaluated_; }

  // Sets the taker of all histograms. It gets no histogram of a pattern that costs the same at all
  // bases.
  BANKMODEL_FN void give_histograms_to(histogram_taker& taker) { taker_ = &taker; }

 private:
  friend class price_at_all_bases;
  friend class degrees_by_base;

  BANKMODEL_FN static int modulus_of(const geometry& banks) {
    return banks.W == banks.N ? banks.N : banks.bank_num * banks.W;
  }
  BANKMODEL_FN static cost cost_of_line(int passes) {
    return {1, static_cast<std::uint64_t>(passes), 1, passes, method::each_request};
  }
  // The number of active lanes if they are neighbours, else 0.
  BANKMODEL_FN static int neighbours(std::uint64_t active) {
    const std::uint64_t run = active >> trailing_zeros(active);
    return (run & (run + 1)) != 0 ? 0 : highest_bit(run) + 1;
  }

  // Adds requests whose bases have too many residues for a histogram: each residue of each loop.
  // Error: there are more than most_iterations (200 in a constant expression), or too much work.
  BANKMODEL_FN void add_each_base(const lane_pattern& lanes, long long base,
                                  const progression* loops, int depth, std::uint64_t times) {
    long long limit = most_iterations;
    if (__builtin_is_constant_evaluated()) limit = 200;
    const progression& outer = loops[0];
    const long long cycle =
        histogram_.modulus() / greatest_common_divisor(histogram_.modulus(), outer.step);
    for (long long position = 0; position < cycle && position < outer.trips; ++position) {
      if (++bases_ > limit || work > most_work())
        rule::iterations_must_be_few_enough_to_count(limit);
      const long long repeats = (outer.trips - position - 1) / cycle + 1;
      add(lanes, base + outer.step * position, loops + 1, depth - 1,
          checked_count_product(times, static_cast<std::uint64_t>(repeats)));
    }
  }

  // ---- the present lane pattern ----

  BANKMODEL_FN bool is_present(const lane_pattern& lanes) const {
    if (lanes.active != active_ || lanes.in_line != in_line_) return false;
    if (in_line_) return lanes.stride == stride_;
    for (std::uint64_t rest = lanes.active; rest != 0; rest &= rest - 1) {
      const int lane = trailing_zeros(rest);
      if (lanes.offset[lane] != address_[lane]) return false;
    }
    return true;
  }
  BANKMODEL_FN void begin(const lane_pattern& lanes) {
    if (active_ != 0) finish();
    known_.degree = 0;
    active_ = lanes.active;
    in_line_ = lanes.in_line;
    lanes_in_line_ = in_line_ && line_.usable() ? neighbours(lanes.active) : 0;
    if (in_line_ && (lanes.stride != stride_ || lines_seen_ == 0)) {
      stride_ = lanes.stride;
      line_.set_stride(stride_);
      lines_seen_ = 0;
    }
    if (lanes_in_line_ > 0) {
      const int passes = line_.passes_everywhere(lanes_in_line_);
      if (passes > 0) {
        known_ = cost_of_line(passes);
        const std::uint64_t bit = std::uint64_t{1} << (lanes_in_line_ - 1);
        if ((lines_seen_ & bit) == 0) ++evaluated_;
        lines_seen_ |= bit;
        return;
      }
      if (residues_ == 1) lanes_in_line_ = 0;
    }
    if (lanes_in_line_ == 0) set_addresses(lanes);
    histogram_.clear();
  }
  BANKMODEL_FN void set_addresses(const lane_pattern& lanes) {
    const int low = trailing_zeros(lanes.active), high = highest_bit(lanes.active);
    for (int lane = low; lane <= high && in_line_; ++lane) address_[lane] = stride_ * (lane - low);
    for (int lane = low; lane <= high && !in_line_; ++lane)
      if ((lanes.active >> lane & 1) != 0) address_[lane] = lanes.offset[lane];
  }

  // About the steps of clang to count the passes of a request once.
  BANKMODEL_FN long long steps_of_counting() const {
    if (lanes_in_line_ > 0) return 60;
    const int words = words_of_request();
    return 200 + words * (15ll + (words >> rules_.phases.bits()) / 4);
  }
  BANKMODEL_FN int words_of_request() const {
    const int lanes = highest_bit(active_) - trailing_zeros(active_) + 1;
    return lanes * (bytes_ > banks_.N ? bytes_ / banks_.N : 1);
  }
  // The same at `used` of its bases.
  BANKMODEL_FN long long steps_of_bases(int used) const {
    if (!is_counted_by_rows(used)) return used * steps_of_counting();
    const int in_a_word = banks_.N > element_bytes_ ? banks_.N / element_bytes_ : 1,
              phases = 1 << rules_.phases.bits();
    return in_a_word * (banks_.W / banks_.N + 1) *
               (200 + 12ll * words_of_request() + 4ll * phases * banks_.bank_num) +
           8ll * phases * residues_;
  }
  // True if its passes at this number of bases are counted together; two or less are cheaper one by
  // one.
  BANKMODEL_FN bool is_counted_by_rows(int used) const {
    return used > 2 && lanes_in_line_ == 0 && banks_.W != banks_.N && rules_.is_plain();
  }
  // Adds the present pattern's histogram to the sum.
  BANKMODEL_FN void finish() {
    if (active_ != 0 && known_.degree == 0 && residues_ > 1) {
      if (taker_ != nullptr) {
        taker_->add_histogram(*this);
      } else if (histogram_.has_many()) {
        add_histogram();
      } else if (histogram_.times_at_one() != 0) {
        sum_ = sum_ + cost_at(static_cast<long long>(histogram_.residue()) * element_bytes_) *
                          histogram_.times_at_one();
        ++evaluated_;
        work += steps_of_counting();
      }
    }
    active_ = 0;
    known_.degree = 0;
  }
  BANKMODEL_FN void add_histogram() {
    int used = 0;
    for (int residue = 0; residue < residues_ && used < 3; ++residue)
      used += histogram_.times()[residue] != 0;
    work += steps_of_bases(used < 3 ? used : residues_) + 10 * residues_;
    int wavefronts[most_residues], degree[most_residues];
    const int ideal = evaluate_bases(histogram_.times(), used, wavefronts, degree);
    sum_ = sum_ + cost_of_histogram(wavefronts, degree, ideal);
    evaluated_ += static_cast<std::uint64_t>(used > 2 && banks_.W > banks_.N ? 1 : used);
  }
  BANKMODEL_FN void add_known(std::uint64_t times) {
    if (known_.degree > sum_.degree) sum_.degree = known_.degree;
    if (times >= 1ull << 40 || sum_.wavefronts >= 1ull << 62) {
      sum_ = sum_ + known_ * times;
      return;
    }
    sum_.requests += times;  // nothing can overflow: no request takes 2^20 passes
    sum_.wavefronts += times * known_.wavefronts;
    sum_.ideal += times * known_.ideal;
  }

  // ---- the costs at its bases ----

  BANKMODEL_FN cost cost_of_histogram(const int* wavefronts, const int* degree, int ideal) const {
    cost result{};
    for (int residue = 0; residue < residues_; ++residue) {
      const std::uint64_t times = histogram_.times()[residue];
      if (times == 0) continue;
      const auto passes = static_cast<std::uint64_t>(wavefronts[residue]);
      if (degree[residue] > result.degree) result.degree = degree[residue];
      result.requests = checked_count_sum(result.requests, times);
      result.wavefronts =
          checked_count_sum(result.wavefronts, checked_count_product(passes, times));
    }
    result.ideal = checked_count_product(result.requests, static_cast<std::uint64_t>(ideal));
    return result;
  }

  // Writes the passes and the degree at each base; if `times` is not null, only at those with times
  // that are not 0. Returns the ideal passes. `used`: the number of these bases, or 3 for more.
  BANKMODEL_FN int evaluate_bases(const std::uint64_t* times, int used, int* wavefronts,
                                  int* degree) const {
    if (is_counted_by_rows(used))
      return passes_by_base(machine_, rules_, banks_, request_at(0), element_bytes_, residues_,
                            times, wavefronts, degree);
    int ideal = 1;
    for (int residue = 0; residue < residues_; ++residue) {
      if (times != nullptr && times[residue] == 0) continue;
      const long long base = static_cast<long long>(residue) * element_bytes_;
      if (lanes_in_line_ > 0) {
        wavefronts[residue] = degree[residue] = line_.passes(base, lanes_in_line_);
        continue;
      }
      const cost base_cost = cost_at(base);
      wavefronts[residue] = static_cast<int>(base_cost.wavefronts);
      degree[residue] = base_cost.degree;
      ideal = static_cast<int>(base_cost.ideal);
    }
    return ideal;
  }
  BANKMODEL_FN cost cost_at(long long base) const {
    if (lanes_in_line_ > 0) return cost_of_line(line_.passes(base, lanes_in_line_));
    return count_passes(machine_, rules_, banks_, request_at(base));
  }
  // The present pattern at a base. Requires: set_addresses().
  BANKMODEL_FN request request_at(long long base) const {
    request result;
    result.active = active_;
    result.bytes = bytes_;
    result.kind = kind_;
    for (std::uint64_t rest = active_; rest != 0; rest &= rest - 1) {
      const int lane = trailing_zeros(rest);
      result.address[lane] = address_[lane] + base;
    }
    return result;
  }

  const machine& machine_;
  service rules_;
  geometry banks_;
  int element_bytes_, bytes_;
  access_kind kind_;
  lane_line line_;
  std::uint64_t active_ = 0;      // of the present pattern, at base 0;
  long long address_[max_lanes];  // set unless lanes_in_line_ > 0
  bool in_line_ = false;
  int lanes_in_line_ = 0;         // their number if their cost has a closed form, else 0
  long long stride_ = 0;          // of lanes in a line
  std::uint64_t lines_seen_ = 0;  // the numbers of lanes seen with that stride, as bits
  cost known_;                    // of the pattern at all bases; unknown if its degree is 0
  histogram_taker* taker_ = nullptr;
  residue_histogram histogram_;
  cost sum_;
  std::uint64_t evaluated_ = 0;
  long long bases_ = 0;  // enumerated
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
