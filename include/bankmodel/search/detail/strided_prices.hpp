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
                           collected_requests& to, effort_left& effort) {
    const collected_requests::mark before = to.now();
    begin(to, declared.element_bytes);
    if (!spread_coordinates::fits(declared.layout)) return 0;
    to.begin_array(declared.layout, bases_matter);
    array_description spread = declared;
    spread.layout = spread_coordinates(declared.layout).in(declared.layout);
    int at = 0;
    for (bool all = true; at < accesses.count; ++at) {
      const kernel_access& one = accesses.each[at];
      if (one.array != array || one.same_as >= 0) continue;
      // A base that no subscript is XORed with, see bank_permutation.hpp.
      spread.base_bytes = bases_matter || one.vector > 1 ? 0 : declared.element_bytes;
      to.begin_access(m, at, one.bytes(), one.kind, declared.element_bytes, accesses.weight_of(at));
      collector each(m, to, bases_matter, declared.element_bytes);
      const collected_requests::mark without = to.now();
      const long long part = effort.steps() / 2;
      const walked found = give_requests(m, accesses.block, one, spread,
                                         part > least_steps ? part : least_steps, each);
      effort.spend(found.steps - each.promised());
      accesses.each[at].how = found.how;
      all = found.all && !to.is_full();
      if (all) continue;
      to.rewind(without);
      break;
    }
    end(to);
    // They are priced before the search and after it.
    if (declared.layout.is_strided())
      effort.spend(2 * price_accesses(m, to, declared.layout, declared.base_bytes, accesses));
    if (at < accesses.count) to.rewind(before);  // room for the other arrays
    return at;
  }
  // Takes the patterns that are added to the collected requests between these calls.
  BANKMODEL_FN void begin(const collected_requests& to, int element_bytes) {
    begin_ = end_ = to.patterns();
    first_share_ = end_share_ = to.shares();
    element_bytes_ = element_bytes;
  }
  BANKMODEL_FN void end(const collected_requests& to) {
    end_ = to.patterns();
    end_share_ = to.shares();
  }

  // Sets the machine, with which price_layout() is called.
  BANKMODEL_FN void set_machine(const machine& m, const collected_requests& of, int bases) {
    steps_ = 300;
    in_words_ = 0;
    leaders_ = 0;
    least_ = 0;
    for (int at = begin_; at < end_; ++at) {
      const lanes_in_coordinates& one = of.pattern(at);
      int classes = 0;
      for (int c = one.classes; c >= 0; c = of.class_at(c).before) ++classes;
      if (one.served_as == at) add_leader(m, one, at, bases);
      if (is_in_groups(one.served_as)) {
        least_ = checked_count_sum(
            least_, checked_count_product(one.requests, static_cast<std::uint64_t>(one.phases)));
      } else {
        steps_ += (bases == 1 ? 1 : countings_at_all_bases(m, one)) * steps_of(m, one) +
                  (bases > 1 ? 150ll : 130ll) * classes;
      }
    }
  }
  // Sets `to` to the costs in a strided layout. If they exceed `most` at base 0 and no other base
  // is asked for, the rest is left out, also of the ideal.
  // Requires: set_machine() with this machine, which serves all collected accesses.
  BANKMODEL_FN void price_layout(const machine& m, const collected_requests& of,
                                 const element_strides& as, int align, std::uint64_t most,
                                 costs_by_base& to, effort_left& effort) const {
    to.clear();
    if (least_ > 0) add_words(m, of, as, most, to, effort);
    if (leaders_ == in_words_ || (to.count == 1 && to.wavefronts[0] > most)) return;
    effort.spend(300);
    const element_strides pitch = as.times(element_bytes_);
    for (int first = begin_; first < end_; ++first) {
      const lanes_in_coordinates& leader = of.pattern(first);
      if (leader.served_as != first || is_in_groups(first)) continue;
      const geometry banks = m.banks(leader.bytes, leader.kind);
      if (to.count == 1 || price::residues_of(banks, element_bytes_) == 0) {
        for (int at = 0; at < to.count; ++at) {
          price costs(m, leader.bytes, leader.kind, element_bytes_);
          const long long given = give(of, first, pitch, at * align, costs);
          to.add_at(at, costs.sum());
          effort.spend(300 + given + costs.work);
        }
        if (to.count == 1 && to.wavefronts[0] > most) return;
        continue;
      }
      std::uint64_t at_base[price::most_residues];
      price_at_all_bases costs(m, leader.bytes, leader.kind, element_bytes_, at_base);
      const long long given = give(of, first, pitch, 0, costs.taker());
      const cost all = costs.sum_and_all();
      effort.spend(400 + 15ll * (to.count + costs.residues()) + given + costs.taker().work);
      to.add(at_base, costs.residues(), align / element_bytes_, all.ideal);
    }
  }

  // Sets the present cost of each access to that in a strided layout of its array, which begins at
  // `base` bytes. Returns about the steps of clang that it took.
  BANKMODEL_FN long long price_accesses(const machine& m, const collected_requests& of,
                                        const layout& as, long long base_bytes,
                                        const kernel_accesses& accesses) const {
    for (int at = first_share_; at < end_share_; ++at) {
      kernel_access& access = accesses.each[of.share(at).access];
      access.present = {};
      access.present.method = access.how;
    }
    const element_strides pitch = strides_of(as).times(element_bytes_);
    long long steps = 0;
    for (int at = first_share_; at < end_share_;) {
      const int number = of.share(at).access;  // its shares follow each other
      const lanes_in_coordinates& any = of.pattern(of.class_at(of.share(at).which).lanes);
      price costs(m, any.bytes, any.kind, element_bytes_);
      for (; at < end_share_ && of.share(at).access == number; ++at) {
        const share_of_class& share = of.share(at);
        lane_pattern lanes;
        of.read_lanes(of.class_at(share.which).lanes, pitch, lanes);
        long long base = 0;
        progression loops[request_class::max_loops];
        const int depth = of.read_class(share.which, pitch, base, loops);
        costs.add(lanes, base + base_bytes, loops, depth, share.times);
        const int active = of.pattern(of.class_at(share.which).lanes).lanes;
        steps += steps_to_read(lanes.in_line, active) + steps_of_share(lanes.in_line, active);
      }
      kernel_access& access = accesses.each[number];
      access.present = costs.sum();
      access.present.method = access.how;
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
    BANKMODEL_FN collector(const machine& m, collected_requests& to, bool bases_matter,
                           int element_bytes)
        : machine_(m), to_(to) {
      if (bases_matter) return;
      residues_ = 1;
      modulus_ = element_bytes;
    }
    BANKMODEL_FN void add(const lane_pattern& lanes, long long base, const progression* loops,
                          int depth, std::uint64_t times) override {
      const long long steps = to_.steps();
      const int shares = to_.shares(), patterns = to_.patterns();
      to_.add(lanes, base, loops, depth, times);
      full = to_.is_full();
      work += to_.steps() - steps;
      if (to_.shares() == shares) return;
      const lanes_in_coordinates& added = to_.pattern(to_.class_at(to_.share(shares).which).lanes);
      const long long each = steps_to_read(added.in_line, added.lanes) +
                             steps_of_share(added.in_line, added.lanes) +
                             (to_.patterns() == patterns ? 0 : steps_of(machine_, added));
      promised_ += 2 * each;
      work += 2 * each;
    }
    // The steps that are part of its work, but are spent later: to price the requests as declared
    // and as planned.
    BANKMODEL_FN long long promised() const { return promised_; }

   private:
    const machine& machine_;
    collected_requests& to_;
    long long promised_ = 0;
  };

  // Patterns of one width and kind whose accesses are aligned and take whole words, at any base:
  // then only the banks of their elements matter, in groups of those of one access.
  struct group_of_words {
    int first, groups, shift;  // the first pattern; groups of banks; the elements of an access
  };
  // How often the passes of a pattern are counted for its costs at all bases.
  BANKMODEL_FN int countings_at_all_bases(const machine& m, const lanes_in_coordinates& one) const {
    const geometry banks = m.banks(one.bytes, one.kind);
    if (banks.W == banks.N || !m.served(one.bytes, one.kind).is_plain())
      return price::residues_of(banks, element_bytes_);
    return (banks.N > element_bytes_ ? banks.N / element_bytes_ : 1) * (banks.W / banks.N + 1);
  }
  BANKMODEL_FN static long long steps_of(const machine& m, const lanes_in_coordinates& one) {
    const service how = m.served(one.bytes, one.kind);
    const bool is_closed = one.in_line && how.is_plain() && how.phases.bits() == 0;
    if (is_closed) return 200;
    return 400 + ((how.phases.bits() == 0 ? 16 : 60) + (one.in_line ? 0 : 45)) * one.lanes;
  }
  BANKMODEL_FN void add_leader(const machine& m, const lanes_in_coordinates& one, int at,
                               int bases) {
    ++leaders_;
    steps_ += bases > 1 ? 600 + 20 * bases : 400;
    const geometry banks = m.banks(one.bytes, one.kind);
    const int row = banks.bank_num * banks.N;
    if (in_words_ == most_groups || bases > 1 || !m.served(one.bytes, one.kind).is_plain() ||
        banks.W != banks.N || !is_power_of_two(one.bytes) || one.bytes < banks.N || one.bytes > row)
      return;
    group_[in_words_++] = {at, row / one.bytes,
                           trailing_zeros(static_cast<std::uint64_t>(one.bytes / element_bytes_))};
  }
  BANKMODEL_FN bool is_in_groups(int first) const { return group_of(first) != nullptr; }
  // The group with this first pattern, or nullptr.
  BANKMODEL_FN const group_of_words* group_of(int first) const {
    for (int at = 0; at < in_words_; ++at)
      if (group_[at].first == first) return &group_[at];
    return nullptr;
  }

  BANKMODEL_FN void add_words(const machine& m, const collected_requests& of,
                              const element_strides& as, std::uint64_t most, costs_by_base& to,
                              effort_left& effort) const {
    std::uint64_t sum = least_;
    effort.spend(50);
    for (int at = begin_; at < end_ && sum <= most; ++at) {
      const lanes_in_coordinates& one = of.pattern(at);
      const group_of_words* const group = group_of(one.served_as);
      if (group == nullptr) continue;
      // Each pass more costs as many as there are requests.
      const std::uint64_t still = (most - sum) / one.requests;
      const int too_many = still < 64 ? static_cast<int>(still) + one.phases + 1 : 4096;
      const int passes = one.in_line ? passes_in_line(m, one, as, *group)
                                     : passes_in_groups(of, one, as, *group, too_many, effort);
      effort.spend(one.in_line && one.phases > 1 ? 100 + 10ll * one.lanes : 70);
      sum = checked_count_sum(
          sum,
          checked_count_product(one.requests, static_cast<std::uint64_t>(passes - one.phases)));
    }
    to.wavefronts[0] = sum;
    to.ideal = least_;
  }
  BANKMODEL_FN static int passes_in_line(const machine& m, const lanes_in_coordinates& one,
                                         const element_strides& as, const group_of_words& group) {
    const long long stride = as.distance(one.step) >> group.shift;
    if (stride == 0) return one.phases;
    const int bits = trailing_zeros(static_cast<std::uint64_t>(stride) |
                                    static_cast<std::uint64_t>(group.groups));
    const int different = group.groups >> bits;  // groups, after which they repeat
    const int low = trailing_zeros(one.active);
    const std::uint64_t run = one.active >> low;
    const lane_groups served = m.served(one.bytes, one.kind).phases,
                      phases = one.merged ? served.merged() : served;
    if (phases.bits() == 0 && (run & (run + 1)) == 0)
      return (one.lanes + different - 1) / different;
    int passes = 0;
    for (int phase = 0; phase < 1 << phases.bits(); ++phase) {
      unsigned char in_group[max_lanes] = {};  // by lane modulo that
      int most = 0;
      for (std::uint64_t rest = run & phases.lanes_of(phase) >> low; rest != 0; rest &= rest - 1) {
        const int in_this = ++in_group[trailing_zeros(rest) & (different - 1) & (max_lanes - 1)];
        if (in_this > most) most = in_this;
      }
      passes += most;
    }
    return passes;
  }
  // Stops at `too_many`.
  BANKMODEL_FN static int passes_in_groups(const collected_requests& of,
                                           const lanes_in_coordinates& one,
                                           const element_strides& as, const group_of_words& group,
                                           int too_many, effort_left& effort) {
    const coordinate_step* each = of.distinct_distances(one);
    int passes = one.phases, looked_at = 0;
    for (int phase = 0; phase < one.phases && passes < too_many; ++phase) {
      unsigned char in_group[max_banks] = {};
      int most = 0;
      const coordinate_step* const end = each + one.distinct[phase];
      for (; each != end; ++each, ++looked_at) {
        const int in_this = ++in_group[as.distance(*each) >> group.shift & (group.groups - 1)];
        if (in_this <= most) continue;
        most = in_this;
        if (passes + most > too_many) break;
      }
      each = end;
      passes += most - 1;
    }
    const int of_rank = as.rank > 2 ? 5 * (as.rank - 2) : 0;  // distance() has a short form for 2
    effort.spend((8ll + of_rank) * looked_at + 30 * one.phases);
    return passes;
  }

  // Returns about the steps of clang that it took, without those that the price counts.
  BANKMODEL_FN long long give(const collected_requests& of, int first, const element_strides& pitch,
                              long long base_bytes, price& to) const {
    long long steps = 0;
    for (int at = first; at < end_; ++at) {
      if (of.pattern(at).served_as != first) continue;
      lane_pattern lanes;
      of.read_lanes(at, pitch, lanes);
      for (int c = of.pattern(at).classes; c >= 0; c = of.class_at(c).before) {
        long long base = 0;
        progression loops[request_class::max_loops];
        const int depth = of.read_class(c, pitch, base, loops);
        to.add(lanes, base + base_bytes, loops, depth, of.class_at(c).requests);
        steps += steps_of_share(lanes.in_line, of.pattern(at).lanes);
      }
      steps += steps_to_read(lanes.in_line, of.pattern(at).lanes);
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

  int begin_ = 0, end_ = 0, first_share_ = 0, end_share_ = 0, element_bytes_ = 1;
  int leaders_ = 0, in_words_ = 0;
  group_of_words group_[most_groups];
  std::uint64_t least_ = 0;  // wavefronts of those groups
  long long steps_ = 0;
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
