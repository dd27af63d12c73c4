// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_FOOTPRINTS_HPP
#define BANKMODEL_SEARCH_DETAIL_FOOTPRINTS_HPP

#include <bankmodel/count/request_classes.hpp>
#include <bankmodel/search/detail/accesses.hpp>
#include <bankmodel/search/detail/prepared.hpp>

// The elements of one array that the kernel's requests touch. With them any layout of the array
// can be counted without another walk.
namespace bankmodel::detail {

class footprints {
 public:
  BANKMODEL_FN footprints() {}

  // Collects all accesses of array number `array`. Returns false if they touch too many
  // different sets of elements.
  BANKMODEL_FN bool collect(const machine& m, const kernel_accesses& accesses, int array,
                            const array_description& declared, effort_left& effort) {
    if (array == array_) return !full_;  // the bank width makes no difference
    if (!begin(m, declared)) return false;
    array_ = array;
    for (int at = 0; at < accesses.count && !full_; ++at) {
      const kernel_access& one = accesses.each[at];
      if (one.array != array || one.same_as >= 0) continue;
      times_each_ = 1;
      for (int other = at + 1; other < accesses.count; ++other)
        if (accesses.each[other].same_as == at) ++times_each_;
      const int before = count_;
      add_all_of(m, accesses.block, one, declared);
      effort.spend({{}, static_cast<std::uint64_t>(count_ - before), 0}, 1, 0);
    }
    return !full_;
  }

  // The approximate number of compiler steps to count them all for one layout.
  // Requires: set_machine().
  BANKMODEL_FN long long steps() const { return steps_; }

  // The cost of one access if its array has this layout and begins at a whole period;
  // `as_declared` is its cost as declared.
  // Requires: collect() returned true for the array.
  BANKMODEL_FN cost cost_of(const machine& m, const block_dim& block, const kernel_access& access,
                            const layout& as, const cost& as_declared) {
    array_ = -1;
    (void)begin(m, *access.declared);
    times_each_ = 1;
    add_all_of(m, block, access, *access.declared);
    set_machine(m);
    const prepared_layout prepared(as);
    cost result = as_declared;
    result.wavefronts = 0;
    result.degree = 0;
    for (int at = 0; at < count_; ++at) {
      const cost one = cost_of_one(m, prepared, all_[at]);
      result.wavefronts = checked_count_sum(result.wavefronts,
                                            checked_count_product(one.wavefronts, all_[at].times));
      if (one.degree > result.degree) result.degree = one.degree;
    }
    return result;
  }

  // Takes the elements of one class of requests. Required: begin().
  BANKMODEL_FN void operator()(const request_class& one) {
    if (full_) return;
    int number = seen_shape(one.lanes);
    if (number < 0) number = new_shape(one.lanes);
    if (full_) return;
    add_all(number, one.base / element_bytes_, one.loop, one.loops, one.times);
  }

  BANKMODEL_FN int count() const { return count_; }

  // Sets the machine, and with it `least_`: the wavefronts below which no layout gets, one for
  // each phase if none merges.
  BANKMODEL_FN void set_machine(const machine& m) {
    least_ = 0;
    pairs_ = 0;
    for (int at = 0; at < shapes_; ++at) {
      shape_of_lanes& shape = shape_[at];
      const geometry banks = m.banks(shape.bytes, shape.kind);
      shape.bank_num = banks.bank_num;
      shape.W = banks.W;
      shape.N = banks.N;
      const service& how = m.served(shape.bytes, shape.kind);
      const lane_groups phases = how.phases;
      const bool merges = m.merges(shape.kind) != merging::none;
      shape.never_conflicts = shape.a_word_each = false;
      shape.least = 0;
      if (!how.is_plain()) {  // the lanes that share an element decide it
        shape.least = static_cast<int>(count_passes(m, banks, request_of(shape, nullptr, 0)).ideal);
        continue;
      }
      for (int phase = 0; phase < 1 << phases.bits(); ++phase)
        if ((shape.active & phases.lanes_of(phase)) != 0) ++shape.least;
      if (phases.bits() > 0 && merges && shape.least > 1) shape.least = (shape.least + 1) / 2;
      const bool one_place = shape.lanes == 1 || (phases.bits() == 0 && shape.different == 1);
      shape.never_conflicts = one_place && shape.bytes <= shape.bank_num * shape.N;
      shape.a_word_each = phases.bits() == 0 && shape.W == shape.N && shape.bytes == shape.N &&
                          shape.bytes == element_bytes_;
    }
    steps_ = 0;
    for (int at = 0; at < count_; ++at) steps_ += 100 + steps_of(shape_[all_[at].shape]);
    for (int at = 0; at < count_; ++at)
      least_ = checked_count_sum(
          least_, checked_count_product(all_[at].times,
                                        static_cast<std::uint64_t>(shape_[all_[at].shape].least)));
  }

  // True if all accesses are served by layers: then a layout without a conflict only needs
  // elements in different banks.
  BANKMODEL_FN bool plainly_served(const machine& m) const {
    for (int at = 0; at < shapes_; ++at)
      if (!m.served(shape_[at].bytes, shape_[at].kind).is_plain()) return false;
    return true;
  }

  // The geometry of all accesses; without banks if they differ.
  // Requires: set_machine().
  BANKMODEL_FN geometry banks() const {
    geometry all{shape_[0].bank_num, shape_[0].W, shape_[0].N, element_bytes_};
    for (int at = 1; at < shapes_; ++at)
      if (shape_[at].bank_num != all.bank_num || shape_[at].N != all.N) all.bank_num = 0;
    return all;
  }

  // The wavefronts of all requests with this layout if the array begins at `base` bytes, or
  // some number above `most` if they exceed it.
  // Requires: set_machine().
  BANKMODEL_FN std::uint64_t wavefronts(const machine& m, const prepared_layout& as,
                                        std::uint64_t most, effort_left& effort) {
    std::uint64_t sum = least_;
    effort.steps -= 230;
    if (most <= least_ && has_a_pair_in_one_bank(as, effort)) return most + 1;
    for (int at = 0; at < count_ && sum <= most; ++at) {
      const footprint one = all_[at];
      const shape_of_lanes& shape = shape_[one.shape];
      if (shape.never_conflicts) continue;
      --effort.requests;
      effort.steps -= shape.a_word_each ? 250 : 350 + (34 + as.more_steps()) * shape.lanes;
      // each may take at most this many more passes
      const std::uint64_t still = (most - sum) / one.times;
      const int too_many = still < 64 ? shape.least + static_cast<int>(still) + 1 : 256;
      const auto more =
          static_cast<std::uint64_t>(passes(m, as, one, too_many, effort) - shape.least);
      sum = checked_count_sum(sum, checked_count_product(one.times, more));
      if (sum > most && shape.a_word_each && too_many == 2) keep_pair(as, one);
      // If one layout conflicts in a request, the next layout often does too.
      for (int before = at; sum > most && before > 0;
           before = before > 8 ? before / 2 : before - 1) {
        all_[before] = all_[before > 8 ? before / 2 : before - 1];
        all_[before > 8 ? before / 2 : before - 1] = one;
      }
    }
    return sum;
  }

  // Calls visit(numbers, count, bytes) with the packed coordinates of the elements that each
  // phase of each request touches.
  template <class Visit>
  BANKMODEL_FN void each_phase(const machine& m, Visit& visit) const {
    for (int at = 0; at < count_; ++at) {
      const shape_of_lanes& shape = shape_[all_[at].shape];
      const lane_groups phases = m.served(shape.bytes, shape.kind).phases;
      for (int phase = 0; phase < 1 << phases.bits(); ++phase) {
        long long number[max_lanes];
        int lanes = 0, place = shape.relatives;
        for (int lane = 0; lane < lanes_; ++lane) {
          if ((shape.active >> lane & 1) == 0) continue;
          if ((phases.lanes_of(phase) >> lane & 1) != 0)
            number[lanes++] = all_[at].number + relative_[place];
          ++place;
        }
        if (lanes > 1 && !visit(number, lanes, shape.bytes)) return;
      }
    }
  }

 private:
  // All are trivial types: members that are not set cost nothing in a constant expression.
  struct shape_of_lanes {
    std::uint64_t active;
    int bytes;
    access_kind kind;
    int lanes, relatives;  // their number, and the index of their first element in relative_
    int least;
    bool never_conflicts;  // all lanes touch one element, whose words are in different banks
    bool a_word_each;      // only the banks of the elements matter
    int different;         // different elements; their numbers start at relatives + lanes
    int bank_num, W, N;
  };
  struct footprint {
    int shape;
    long long number;  // the packed coordinates of the element that its first lane touches
    std::uint64_t times;
  };

  // The steps as clang counts them, for rows and XOR.
  BANKMODEL_FN static long long steps_of(const shape_of_lanes& shape) {
    return shape.a_word_each ? 150 + 18 * shape.different : 250 + 32 * shape.lanes;
  }

  // Starts collecting the accesses of another array. Returns false if the array is too large.
  BANKMODEL_FN bool begin(const machine& m, const array_description& declared) {
    full_ = packed(declared.layout).required_size() > 1 << 30;
    shapes_ = count_ = relatives_ = 0;
    buckets_ = __builtin_is_constant_evaluated() ? 64 : most_buckets;
    for (int at = 0; at < buckets_ && !full_; ++at) first_[at] = -1;
    element_bytes_ = declared.element_bytes;
    lanes_ = m.lanes;
    return !full_;
  }
  BANKMODEL_FN void add_all_of(const machine& m, const block_dim& block,
                               const kernel_access& access, const array_description& declared) {
    array_description plain = declared;
    plain.layout = packed(declared.layout);
    plain.base_bytes = 0;
    visit_request_classes(m, block, access.view(plain), {}, *this);
  }

  BANKMODEL_FN int seen_shape(const request& of) const {
    for (int at = shapes_ - 1; at >= 0; --at) {
      const shape_of_lanes& shape = shape_[at];
      if (shape.active != of.active || shape.bytes != of.bytes || shape.kind != of.kind) continue;
      int place = shape.relatives;
      bool same = true;
      for (int lane = 0; lane < lanes_ && same; ++lane)
        if ((of.active >> lane & 1) != 0)
          same = of.address[lane] == static_cast<long long>(relative_[place++]) * element_bytes_;
      if (same) return at;
    }
    return -1;
  }
  BANKMODEL_FN int new_shape(const request& of) {
    full_ = full_ || shapes_ == most_shapes || relatives_ + 2 * lanes_ > most_relatives;
    if (full_) return 0;
    shape_of_lanes& shape = shape_[shapes_];
    shape.active = of.active;
    shape.bytes = of.bytes;
    shape.kind = of.kind;
    shape.relatives = relatives_;
    for (int lane = 0; lane < lanes_; ++lane)
      if ((of.active >> lane & 1) != 0)
        relative_[relatives_++] = static_cast<int>(of.address[lane] / element_bytes_);
    shape.lanes = relatives_ - shape.relatives;
    for (int lane = 0; lane < shape.lanes; ++lane) {
      const int here = relative_[shape.relatives + lane];
      bool again = lane > 0 && here == relative_[relatives_ - 1];
      for (int before = shape.relatives + shape.lanes; before < relatives_ && !again; ++before)
        again = relative_[before] == here;
      if (!again) relative_[relatives_++] = here;
    }
    shape.different = relatives_ - shape.relatives - shape.lanes;
    return shapes_++;
  }

  BANKMODEL_FN void add_all(int shape, long long number, const progression* nest, int depth,
                            std::uint64_t times) {
    if (depth == 0) {
      insert(shape, number, checked_count_product(times, times_each_));
      return;
    }
    const progression& outer = nest[0];
    if (outer.step == 0) {
      add_all(shape, number, nest + 1, depth - 1,
              checked_count_product(times, static_cast<std::uint64_t>(outer.trips)));
      return;
    }
    for (long long trip = 0; trip < outer.trips && !full_;
         ++trip, number += outer.step / element_bytes_)
      add_all(shape, number, nest + 1, depth - 1, times);
  }

  BANKMODEL_FN void insert(int shape, long long number, std::uint64_t times) {
    const auto key = (static_cast<std::uint64_t>(number) * 64 + static_cast<std::uint64_t>(shape)) *
                     0x9e3779b97f4a7c15u;
    int& first = first_[static_cast<int>(key >> 40) & (buckets_ - 1)];
    for (int at = first; at >= 0; at = next_[at])
      if (all_[at].number == number && all_[at].shape == shape) {
        all_[at].times = checked_count_sum(all_[at].times, times);
        return;
      }
    if (count_ == most_footprints) {
      full_ = true;
      return;
    }
    all_[count_] = {shape, number, times};
    next_[count_] = first;
    first = count_++;
  }

  // Counting stops at `too_many`, which may then be the result.
  BANKMODEL_FN int passes(const machine& m, const prepared_layout& as, const footprint& one,
                          int too_many, effort_left& effort) const {
    if (shape_[one.shape].a_word_each) return most_in_a_bank(as, one, too_many, effort);
    return static_cast<int>(cost_of_one(m, as, one).wavefronts);
  }
  BANKMODEL_FN cost cost_of_one(const machine& m, const prepared_layout& as,
                                const footprint& one) const {
    const shape_of_lanes& shape = shape_[one.shape];
    if (shape.a_word_each) {
      effort_left none;
      const int most = most_in_a_bank(as, one, max_lanes + 1, none);
      return {.requests = 1,
              .wavefronts = static_cast<std::uint64_t>(most),
              .ideal = 1,
              .degree = most,
              .method = method::each_request};
    }
    return count_passes(m, {shape.bank_num, shape.W, shape.N, element_bytes_},
                        request_of(shape, &as, static_cast<int>(one.number)));
  }
  // Counts these lanes with their elements placed by a layout, or without one at their packed
  // coordinates.
  BANKMODEL_FN request request_of(const shape_of_lanes& shape, const prepared_layout* as,
                                  int number) const {
    request r;
    r.active = shape.active;
    r.bytes = shape.bytes;
    r.kind = shape.kind;
    int place = shape.relatives;
    for (int lane = 0; lane < lanes_; ++lane) {
      if ((shape.active >> lane & 1) == 0) continue;
      const int coordinates = number + relative_[place++];
      r.address[lane] =
          static_cast<long long>(as != nullptr ? as->place_of(coordinates) : coordinates) *
          element_bytes_;
    }
    return r;
  }

  BANKMODEL_FN int most_in_a_bank(const prepared_layout& as, const footprint& one, int too_many,
                                  effort_left& effort) const {
    const shape_of_lanes& shape = shape_[one.shape];
    unsigned char in_bank[256];
    for (int bank = 0; bank < shape.bank_num; ++bank) in_bank[bank] = 0;
    int most = 0;
    const int* const first = relative_ + shape.relatives + shape.lanes;
    const int* at = first;
    for (; at < first + shape.different && most < too_many; ++at) {
      const int in_this =
          ++in_bank[as.place_of(static_cast<int>(one.number) + *at) & (shape.bank_num - 1)];
      if (in_this > most) most = in_this;
    }
    effort.steps -= (17 + as.more_steps()) * (at - first);
    return most;
  }

  // ---- two colliding elements of one request, which often rule out further layouts ----

  struct pair {
    int one, other, bank_mask;
  };
  BANKMODEL_FN bool has_a_pair_in_one_bank(const prepared_layout& as, effort_left& effort) {
    for (int at = 0; at < pairs_; ++at) {
      effort.steps -= 36 + 2 * as.more_steps();
      const pair both = pair_[at];
      if (((as.place_of(both.one) ^ as.place_of(both.other)) & both.bank_mask) != 0) continue;
      if (at > 0) {
        pair_[at] = pair_[at / 2];
        pair_[at / 2] = both;
      }
      return true;
    }
    return false;
  }
  // Requires: two of them are in one bank.
  BANKMODEL_FN void keep_pair(const prepared_layout& as, const footprint& of) {
    const shape_of_lanes& shape = shape_[of.shape];
    int who[256];
    for (int bank = 0; bank < shape.bank_num; ++bank) who[bank] = -1;
    for (int at = 0; at < shape.different; ++at) {
      const int element =
          static_cast<int>(of.number) + relative_[shape.relatives + shape.lanes + at];
      int& here = who[as.place_of(element) & (shape.bank_num - 1)];
      if (here >= 0) {
        if (pairs_ < most_pairs) ++pairs_;
        pair_[pairs_ - 1] = {here, element, shape.bank_num - 1};
        return;
      }
      here = element;
    }
  }

  static constexpr int most_pairs = 16;
  static constexpr int most_shapes = 256, most_relatives = 16384, most_footprints = 4096,
                       most_buckets = 4096;

  int shapes_ = 0, relatives_ = 0, count_ = 0, buckets_ = 0, element_bytes_ = 1, lanes_ = 0;
  std::uint64_t times_each_ = 1, least_ = 0;
  long long steps_ = 0;
  int array_ = -1, pairs_ = 0;
  pair pair_[most_pairs];
  bool full_ = false;
  shape_of_lanes shape_[most_shapes];
  int relative_[most_relatives];
  footprint all_[most_footprints];
  int first_[most_buckets], next_[most_footprints];
};

}  // namespace bankmodel::detail

#endif
