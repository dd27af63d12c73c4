// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_STRIDED_PRICES_HPP
#define BANKMODEL_SEARCH_DETAIL_STRIDED_PRICES_HPP

#include <bankmodel/search/detail/collected_requests.hpp>
#include <bankmodel/search/detail/costs_by_base.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The costs of the requests to an array in any strided layout.
namespace bankmodel::detail {

// The patterns of one array in the collected requests.
class strided_prices {
 public:
  BANKMODEL_FN strided_prices() {}

  // Collects the requests to array number `array`, and sets the present cost of each of its
  // accesses to that as declared. Returns the number of the first access whose requests are too
  // many, or of all accesses if there is none: from that one on costs are not set, and the array
  // keeps its declared layout. `bases_matter`: to the cost of any of its accesses.
  BANKMODEL_FN int collect(const machine& m, const kernel_accesses& accesses, int array,
                           const array_description& declared, bool bases_matter,
                           collected_requests& requests, effort_left& effort) {
    const collected_requests::mark array_start = requests.current();
    begin(requests, declared.element_bytes);
    if (!spread_coordinates::fits(declared.layout)) return 0;
    requests.begin_array(declared.layout, bases_matter);
    array_description spread = declared;
    spread.layout = spread_coordinates(declared.layout).spread(declared.layout);
    int number = 0;
    for (bool complete = true; number < accesses.count; ++number) {
      const kernel_access& access = accesses.list[number];
      if (access.array != array || access.same_as >= 0) continue;
      // A base that no subscript is XORed with, see bank_permutation.hpp.
      spread.base_bytes = bases_matter || access.vector > 1 ? 0 : declared.element_bytes;
      requests.begin_access(m, number, access.bytes(), access.kind, declared.element_bytes,
                            accesses.weight_of(number));
      collector taker(m, requests, bases_matter, declared.element_bytes);
      const collected_requests::mark access_start = requests.current();
      const long long part = effort.steps() / 2;
      const walked outcome = give_requests(m, accesses.block, access, spread,
                                           part > least_steps ? part : least_steps, taker);
      effort.spend(outcome.steps - taker.promised());
      accesses.list[number].found_by = outcome.found_by;
      complete = outcome.is_complete && !requests.is_full();
      if (complete) continue;
      requests.rewind(access_start);
      break;
    }
    end(requests);
    // They are priced before the search and after it.
    if (declared.layout.is_strided())
      effort.spend(2 * price_accesses(m, requests, declared.layout, declared.base_bytes, accesses));
    if (number < accesses.count) requests.rewind(array_start);  // room for the other arrays
    return number;
  }
  // Takes the patterns that are added to the collected requests between these calls.
  BANKMODEL_FN void begin(const collected_requests& requests, int element_bytes) {
    begin_ = end_ = requests.patterns();
    first_share_ = end_share_ = requests.shares();
    element_bytes_ = element_bytes;
  }
  BANKMODEL_FN void end(const collected_requests& requests) {
    end_ = requests.patterns();
    end_share_ = requests.shares();
  }

  // Sets the machine, with which price_layout() is called.
  BANKMODEL_FN void set_machine(const machine& m, const collected_requests& requests, int bases) {
    steps_ = 300;
    in_words_ = 0;
    leaders_ = 0;
    minimum_ = 0;
    for (int index = begin_; index < end_; ++index) {
      const lanes_in_coordinates& pattern = requests.pattern(index);
      int classes = 0;
      for (int c = pattern.classes; c >= 0; c = requests.class_at(c).previous) ++classes;
      if (pattern.served_as == index) add_leader(m, pattern, index, bases);
      if (is_in_groups(pattern.served_as)) {
        minimum_ = checked_count_sum(
            minimum_,
            checked_count_product(pattern.requests, static_cast<std::uint64_t>(pattern.phases)));
      } else {
        steps_ += (bases == 1 ? 1 : countings_at_all_bases(m, pattern)) * steps_of(m, pattern) +
                  (bases > 1 ? 150ll : 130ll) * classes;
      }
    }
  }
  // Sets `totals` to the costs in a strided layout. If they exceed `limit` at base 0 and no other
  // base is asked for, the rest is left out, also of the ideal.
  // Requires: set_machine() with this machine, which serves all collected accesses.
  BANKMODEL_FN void price_layout(const machine& m, const collected_requests& requests,
                                 const element_strides& strides, int align, std::uint64_t limit,
                                 costs_by_base& totals, effort_left& effort) const {
    totals.clear();
    if (minimum_ > 0) add_words(m, requests, strides, limit, totals, effort);
    if (leaders_ == in_words_ || (totals.count == 1 && totals.wavefronts[0] > limit)) return;
    effort.spend(300);
    const element_strides pitch = strides.times(element_bytes_);
    for (int first = begin_; first < end_; ++first) {
      const lanes_in_coordinates& leader = requests.pattern(first);
      if (leader.served_as != first || is_in_groups(first)) continue;
      const geometry banks = m.banks(leader.bytes, leader.kind);
      if (totals.count == 1 || price::residues_of(banks, element_bytes_) == 0) {
        for (int base = 0; base < totals.count; ++base) {
          price costs(m, leader.bytes, leader.kind, element_bytes_);
          const long long clang_steps = give(requests, first, pitch, base * align, costs);
          totals.add_at(base, costs.sum());
          effort.spend(300 + clang_steps + costs.work);
        }
        if (totals.count == 1 && totals.wavefronts[0] > limit) return;
        continue;
      }
      std::uint64_t at_base[price::most_residues];
      price_at_all_bases costs(m, leader.bytes, leader.kind, element_bytes_, at_base);
      const long long clang_steps = give(requests, first, pitch, 0, costs.taker());
      const cost sum = costs.sum_and_all();
      effort.spend(400 + 15ll * (totals.count + costs.residues()) + clang_steps +
                   costs.taker().work);
      totals.add(at_base, costs.residues(), align / element_bytes_, sum.ideal);
    }
  }

  // Sets the present cost of each access to that in a strided layout of its array, which begins at
  // `base` bytes. Returns about the steps of clang that it took.
  BANKMODEL_FN long long price_accesses(const machine& m, const collected_requests& requests,
                                        const layout& array_layout, long long base_bytes,
                                        const kernel_accesses& accesses) const {
    for (int index = first_share_; index < end_share_; ++index) {
      kernel_access& access = accesses.list[requests.share(index).access];
      access.present = {};
      access.present.method = access.found_by;
    }
    const element_strides pitch = strides_of(array_layout).times(element_bytes_);
    long long steps = 0;
    for (int index = first_share_; index < end_share_;) {
      const int number = requests.share(index).access;  // its shares follow each other
      const lanes_in_coordinates& pattern =
          requests.pattern(requests.class_at(requests.share(index).number).lanes);
      price costs(m, pattern.bytes, pattern.kind, element_bytes_);
      for (; index < end_share_ && requests.share(index).access == number; ++index) {
        const share_of_class& share = requests.share(index);
        lane_pattern lanes;
        requests.read_lanes(requests.class_at(share.number).lanes, pitch, lanes);
        long long base = 0;
        progression loops[request_class::max_loops];
        const int depth = requests.read_class(share.number, pitch, base, loops);
        costs.add(lanes, base + base_bytes, loops, depth, share.times);
        const int active = requests.pattern(requests.class_at(share.number).lanes).lanes;
        steps += steps_to_read(lanes.in_line, active) + steps_of_share(lanes.in_line, active);
      }
      kernel_access& access = accesses.list[number];
      access.present = costs.sum();
      access.present.method = access.found_by;
      steps += 500 + costs.work;
    }
    return steps;
  }

  // About the steps of price_layout() on that machine.
  BANKMODEL_FN long long steps() const { return steps_; }

 private:
  // Enough for most accesses, whatever the effort is.
  static constexpr long long least_steps = 50'000;

  // Takes the requests of one access.
  class collector : public request_taker {
   public:
    BANKMODEL_FN collector(const machine& m, collected_requests& requests, bool bases_matter,
                           int element_bytes)
        : machine_(m), requests_(requests) {
      if (bases_matter) return;
      residues_ = 1;
      modulus_ = element_bytes;
    }
    BANKMODEL_FN void add(const lane_pattern& lanes, long long base, const progression* loops,
                          int depth, std::uint64_t times) override {
      const long long steps = requests_.steps();
      const int shares = requests_.shares(), patterns = requests_.patterns();
      requests_.add(lanes, base, loops, depth, times);
      full = requests_.is_full();
      work += requests_.steps() - steps;
      if (requests_.shares() == shares) return;
      const lanes_in_coordinates& added =
          requests_.pattern(requests_.class_at(requests_.share(shares).number).lanes);
      const long long price_steps =
          steps_to_read(added.in_line, added.lanes) + steps_of_share(added.in_line, added.lanes) +
          (requests_.patterns() == patterns ? 0 : steps_of(machine_, added));
      promised_ += 2 * price_steps;
      work += 2 * price_steps;
    }
    // The steps that are part of its work, but are spent later: to price the requests as declared
    // and as planned.
    BANKMODEL_FN long long promised() const { return promised_; }

   private:
    const machine& machine_;
    collected_requests& requests_;
    long long promised_ = 0;
  };

  // Patterns of one width and kind whose accesses are aligned and take whole words, at any base:
  // then only the banks of their elements matter, in groups of those of one access.
  struct group_of_words {
    int first, groups, shift;  // the first pattern; groups of banks; the elements of an access
  };
  // How often the passes of a pattern are counted for its costs at all bases.
  BANKMODEL_FN int countings_at_all_bases(const machine& m,
                                          const lanes_in_coordinates& pattern) const {
    const geometry banks = m.banks(pattern.bytes, pattern.kind);
    if (banks.W == banks.N || !m.served(pattern.bytes, pattern.kind).is_plain())
      return price::residues_of(banks, element_bytes_);
    return (banks.N > element_bytes_ ? banks.N / element_bytes_ : 1) * (banks.W / banks.N + 1);
  }
  BANKMODEL_FN static long long steps_of(const machine& m, const lanes_in_coordinates& pattern) {
    const service rules = m.served(pattern.bytes, pattern.kind);
    const bool is_closed = pattern.in_line && rules.is_plain() && rules.phases.bits() == 0;
    if (is_closed) return 200;
    return 400 +
           ((rules.phases.bits() == 0 ? 16 : 60) + (pattern.in_line ? 0 : 45)) * pattern.lanes;
  }
  BANKMODEL_FN void add_leader(const machine& m, const lanes_in_coordinates& pattern, int index,
                               int bases) {
    ++leaders_;
    steps_ += bases > 1 ? 600 + 20 * bases : 400;
    const geometry banks = m.banks(pattern.bytes, pattern.kind);
    const int row = banks.bank_num * banks.N;
    if (in_words_ == most_groups || bases > 1 ||
        !m.served(pattern.bytes, pattern.kind).is_plain() || banks.W != banks.N ||
        !is_power_of_two(pattern.bytes) || pattern.bytes < banks.N || pattern.bytes > row)
      return;
    group_[in_words_++] = {
        index, row / pattern.bytes,
        trailing_zeros(static_cast<std::uint64_t>(pattern.bytes / element_bytes_))};
  }
  BANKMODEL_FN bool is_in_groups(int first) const { return group_of(first) != nullptr; }
  // The group with this first pattern, or nullptr.
  BANKMODEL_FN const group_of_words* group_of(int first) const {
    for (int group = 0; group < in_words_; ++group)
      if (group_[group].first == first) return &group_[group];
    return nullptr;
  }

  BANKMODEL_FN void add_words(const machine& m, const collected_requests& requests,
                              const element_strides& strides, std::uint64_t limit,
                              costs_by_base& totals, effort_left& effort) const {
    std::uint64_t sum = minimum_;
    effort.spend(50);
    for (int index = begin_; index < end_ && sum <= limit; ++index) {
      const lanes_in_coordinates& pattern = requests.pattern(index);
      const group_of_words* const group = group_of(pattern.served_as);
      if (group == nullptr) continue;
      // Each pass more costs as many as there are requests.
      const std::uint64_t spare = (limit - sum) / pattern.requests;
      const int too_many = spare < 64 ? static_cast<int>(spare) + pattern.phases + 1 : 4096;
      const int passes =
          pattern.in_line ? passes_in_line(m, pattern, strides, *group)
                          : passes_in_groups(requests, pattern, strides, *group, too_many, effort);
      effort.spend(pattern.in_line && pattern.phases > 1 ? 100 + 10ll * pattern.lanes : 70);
      sum = checked_count_sum(
          sum, checked_count_product(pattern.requests,
                                     static_cast<std::uint64_t>(passes - pattern.phases)));
    }
    totals.wavefronts[0] = sum;
    totals.ideal = minimum_;
  }
  BANKMODEL_FN static int passes_in_line(const machine& m, const lanes_in_coordinates& pattern,
                                         const element_strides& strides,
                                         const group_of_words& group) {
    const long long stride = strides.distance(pattern.step) >> group.shift;
    if (stride == 0) return pattern.phases;
    const int bits = trailing_zeros(static_cast<std::uint64_t>(stride) |
                                    static_cast<std::uint64_t>(group.groups));
    const int different = group.groups >> bits;  // groups, after which they repeat
    const int low = trailing_zeros(pattern.active);
    const std::uint64_t run = pattern.active >> low;
    const lane_groups served = m.served(pattern.bytes, pattern.kind).phases,
                      phases = pattern.merged ? served.merged() : served;
    if (phases.bits() == 0 && (run & (run + 1)) == 0)
      return (pattern.lanes + different - 1) / different;
    int passes = 0;
    for (int phase = 0; phase < 1 << phases.bits(); ++phase) {
      unsigned char in_group[max_lanes] = {};  // by lane modulo that
      int highest = 0;
      for (std::uint64_t rest = run & phases.lanes_of(phase) >> low; rest != 0; rest &= rest - 1) {
        const int in_this = ++in_group[trailing_zeros(rest) & (different - 1) & (max_lanes - 1)];
        if (in_this > highest) highest = in_this;
      }
      passes += highest;
    }
    return passes;
  }
  // Stops at `too_many`.
  BANKMODEL_FN static int passes_in_groups(const collected_requests& requests,
                                           const lanes_in_coordinates& pattern,
                                           const element_strides& strides,
                                           const group_of_words& group, int too_many,
                                           effort_left& effort) {
    const coordinate_step* step = requests.distinct_distances(pattern);
    int passes = pattern.phases, looked_at = 0;
    for (int phase = 0; phase < pattern.phases && passes < too_many; ++phase) {
      unsigned char in_group[max_banks] = {};
      int highest = 0;
      const coordinate_step* const end = step + pattern.distinct[phase];
      for (; step != end; ++step, ++looked_at) {
        const int in_this = ++in_group[strides.distance(*step) >> group.shift & (group.groups - 1)];
        if (in_this <= highest) continue;
        highest = in_this;
        if (passes + highest > too_many) break;
      }
      step = end;
      passes += highest - 1;
    }
    const int of_rank =
        strides.rank > 2 ? 5 * (strides.rank - 2) : 0;  // distance() has a short form for 2
    effort.spend((8ll + of_rank) * looked_at + 30 * pattern.phases);
    return passes;
  }

  // Returns about the steps of clang that it took, without those that the price counts.
  BANKMODEL_FN long long give(const collected_requests& requests, int first,
                              const element_strides& pitch, long long base_bytes,
                              price& costs) const {
    long long steps = 0;
    for (int index = first; index < end_; ++index) {
      if (requests.pattern(index).served_as != first) continue;
      lane_pattern lanes;
      requests.read_lanes(index, pitch, lanes);
      for (int c = requests.pattern(index).classes; c >= 0; c = requests.class_at(c).previous) {
        long long base = 0;
        progression loops[request_class::max_loops];
        const int depth = requests.read_class(c, pitch, base, loops);
        costs.add(lanes, base + base_bytes, loops, depth, requests.class_at(c).requests);
        steps += steps_of_share(lanes.in_line, requests.pattern(index).lanes);
      }
      steps += steps_to_read(lanes.in_line, requests.pattern(index).lanes);
    }
    return steps;
  }
  BANKMODEL_FN static long long steps_to_read(bool in_line, int lanes) {
    return in_line ? 40 : 50 + 10 * lanes;
  }
  // Lanes are compared with those before them.
  BANKMODEL_FN static long long steps_of_share(bool in_line, int lanes) {
    return in_line ? 60 : 70 + 6 * lanes;
  }

  static constexpr int most_groups = 4;

  // Not set before begin() and set_machine(): most of a search's arrays and intervals are not used.
  int begin_, end_, first_share_, end_share_, element_bytes_;
  int leaders_, in_words_;
  group_of_words group_[most_groups];
  std::uint64_t minimum_;  // wavefronts of those groups
  long long steps_;
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
