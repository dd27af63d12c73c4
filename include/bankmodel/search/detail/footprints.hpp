// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_FOOTPRINTS_HPP
#define BANKMODEL_SEARCH_DETAIL_FOOTPRINTS_HPP

#include <bankmodel/count/class_maker.hpp>
#include <bankmodel/search/detail/served_shape.hpp>
#include <bankmodel/search/detail/strided_prices.hpp>

#include <bankmodel/core/hide_macros.hpp>

// Counts the requests to one array for any layout of it, from the elements that they touch.
namespace bankmodel::detail {

// Returns the padding from which on rotations of padded rows are not better than those of the rows
// as they are, or one above all if that is not known. Rows have whole layers of all banks, and
// begin at a word. Then the rotation by b of rows with a padding p puts column c of row r into the
// bank of c + (b + p) * r, as the rotation by b + p of the rows as they are does, which takes fewer
// bytes. Two elements of a row that share a word with the padding share one without it, and no
// service takes more passes if more lanes share words. Two of different rows share one with the
// padding only if it is so small that the last element of a row and the first of the next one are
// in one word.
// Example: 32 banks of 4 bytes: 1 for t[16][64] of half and for t[16][32] of float, 3 for
// t[16][128] of char, above all for t[16][48] of float.
constexpr int above_all_paddings = 1 << 30;
BANKMODEL_FN int padding_that_rotates(const geometry& banks, const layout& rows) {
  if (banks.bank_num == 0 || banks.W != banks.N || rows.rank != 2 ||
      rows.extent[1] * banks.M % (banks.bank_num * banks.N) != 0)
    return above_all_paddings;
  if (banks.M >= banks.N) return 1;
  const bool are_words = banks.N % banks.M == 0 && rows.stride[0] * banks.M % banks.N == 0;
  return are_words ? banks.N / banks.M - 1 : above_all_paddings;
}

class footprints {
 public:
  BANKMODEL_FN footprints() {}

  // Collects all accesses of array number `array`. Returns false if they touch too many
  // different sets of elements.
  BANKMODEL_FN bool collect(const machine& m, const kernel_accesses& accesses, int array,
                            const array_description& declared, effort_left& effort) {
    if (array == array_) return !touched_.full;  // the bank width makes no difference
    if (!touched_.begin(m, declared)) return false;
    array_ = array;
    steps_ = 0;
    for (int number = 0; number < accesses.count && !touched_.full; ++number) {
      const kernel_access& access = accesses.list[number];
      if (access.array != array || access.same_as >= 0) continue;
      touched_.times_each = accesses.weight_of(number);
      add_all_of(m, accesses.block, access, declared, effort);
    }
    steps_ += 350ll * count();
    if (!effort.allows(0)) touched_.full = true;
    return !touched_.full;
  }

  // The cost of one access if its array has this layout and begins at `base` bytes;
  // `declared_cost` is its cost as declared.
  // Requires: collect() returned true for the array.
  BANKMODEL_FN cost cost_of(const machine& m, const block_dim& block, const kernel_access& access,
                            const layout& array_layout, long long base, const cost& declared_cost) {
    array_ = -1;
    (void)touched_.begin(m, *access.declared);
    touched_.times_each = 1;
    effort_left unlimited(int64_max);
    add_all_of(m, block, access, *access.declared, unlimited);
    set_machine(m);
    prepared_layout prepared;
    prepared.set_rows(array_layout);
    prepared.set_permutation(array_layout.permutation);
    set_rows(prepared);
    const int alike = prepared.is_linear() ? alike_count_ : 0,
              rest = prepared.is_linear() ? not_alike_ : count();
    cost result = declared_cost;
    result.wavefronts = 0;
    result.degree = 0;
    for (int number = 0; number < alike + rest; ++number) {
      const footprint& requests = number < alike ? alike_[number] : touched_.list[number - alike];
      const cost request_cost = cost_of_one(m, prepared, base, requests, 1 << 30, unlimited);
      result.wavefronts = checked_count_sum(
          result.wavefronts, checked_count_product(request_cost.wavefronts, requests.times));
      if (request_cost.degree > result.degree) result.degree = request_cost.degree;
    }
    return result;
  }

  // About the steps of cost_of() for all accesses of the collected array.
  BANKMODEL_FN long long steps() const { return steps_; }
  // The number of different requests.
  BANKMODEL_FN int count() const { return touched_.count; }
  BANKMODEL_FN const touched_elements& touched() const { return touched_; }

  // Sets the rows of the permutations that follow.
  // Requires: set_machine().
  BANKMODEL_FN void set_rows(const prepared_layout& rows) {
    pairs_.set_rows(rows);
    if (rows.is_packed()) find_alike();
  }
  // Sets the machine, and with it `minimum_`: the wavefronts below which no layout gets.
  BANKMODEL_FN void set_machine(const machine& m) {
    minimum_ = 0;
    pairs_.clear();
    for (int number = 0; number < touched_.shapes; ++number) {
      const shape_of_lanes& shape = touched_.shape[number];
      served_[number].set(m, shape);
      // Else the lanes that share an element decide it.
      const service rules = m.served(shape.bytes, shape.kind);
      if (!rules.is_plain())
        served_[number].minimum = static_cast<int>(
            count_passes(m, rules, rules.banks(shape.bytes), request_of(shape, nullptr, 0, 0))
                .ideal);
    }
    for (int number = 0; number < count(); ++number) {
      const footprint& requests = touched_.list[number];
      minimum_ = checked_count_sum(
          minimum_, checked_count_product(requests.times, static_cast<std::uint64_t>(
                                                              served_[requests.shape].minimum)));
    }
  }

  // The geometry of all accesses; without banks if they differ.
  // Requires: set_machine().
  BANKMODEL_FN geometry banks() const {
    geometry common{served_[0].bank_num, served_[0].W, served_[0].N, touched_.element_bytes};
    for (int shape = 1; shape < touched_.shapes; ++shape)
      if (served_[shape].bank_num != common.bank_num || served_[shape].N != common.N ||
          served_[shape].W != common.W)
        common.bank_num = 0;
    return common;
  }

  // The bits of an element's number that select its bank, if all others only select its layer; else
  // (a layer of more than a word, elements that share a word) more than all.
  // Requires: set_machine().
  BANKMODEL_FN int bank_bits() const {
    const geometry common = banks();
    if (common.bank_num == 0 || common.W != common.N || common.M < common.N ||
        common.bank_num * common.N < common.M)
      return 30;
    return trailing_zeros(static_cast<std::uint64_t>(common.bank_num * common.N / common.M));
  }

  // The wavefronts of all requests with this layout if the array begins at `base` bytes, or
  // some number above `limit` if they exceed it.
  // Requires: set_machine().
  BANKMODEL_FN std::uint64_t wavefronts(const machine& m, const prepared_layout& candidate,
                                        std::uint64_t limit, effort_left& effort) {
    std::uint64_t sum = minimum_;
    effort.spend(60);
    const bool is_linear = candidate.is_linear();
    for (int number = 0; is_linear && number < alike_count_ && sum <= limit; ++number)
      add(m, candidate, alike_[number], limit, sum, effort);
    const int rest = is_linear ? not_alike_ : count();
    for (int number = 0; number < rest && sum <= limit; ++number) {
      const footprint requests = touched_.list[number];
      add(m, candidate, requests, limit, sum, effort);
      // If one layout conflicts in a request, the next layout often does too.
      for (int position = number; sum > limit && position > 0;
           position = position > 8 ? position / 2 : position - 1) {
        const int earlier = position > 8 ? position / 2 : position - 1;
        touched_.list[position] = touched_.list[earlier];
        touched_.list[earlier] = requests;
      }
    }
    return sum;
  }
  // Pairs that rule out layouts without counting: none if conflicts are allowed.
  // Requires: set_rows().
  BANKMODEL_FN colliding_pairs& pairs(bool without_conflict) {
    return without_conflict ? pairs_ : no_pairs_;
  }

 private:
  // Finds the requests that every linear layout serves in as many passes. If the numbers of a
  // request's elements are base ^ relative, a linear layout moves them to places that differ from
  // those of another base in the same bits: the request is in other banks, but again in as many
  // layers of each. The first of them represents all: colliding_pairs may keep two of its elements,
  // and compares them in other rows too.
  BANKMODEL_FN void find_alike() {
    alike_count_ = not_alike_ = 0;
    int alike_of_shape[touched_elements::most_shapes];
    for (int shape = 0; shape < touched_.shapes; ++shape) alike_of_shape[shape] = -1;
    for (int position = 0; position < count(); ++position) {
      const footprint requests = touched_.list[position];
      const shape_of_lanes& shape = touched_.shape[requests.shape];
      if (served_[requests.shape].in_groups &&
          ((requests.number + shape.lowest) & shape.bits_above_lowest) == 0) {
        int& number = alike_of_shape[requests.shape];
        if (number < 0) {
          number = alike_count_++;
          alike_[number] = {requests.shape, requests.number, 0};
        }
        alike_[number].times = checked_count_sum(alike_[number].times, requests.times);
        continue;
      }
      touched_.list[position] = touched_.list[not_alike_];
      touched_.list[not_alike_++] = requests;
    }
  }
  // Adds the passes of a request beyond the least; if the sum exceeds `limit`, some of them.
  BANKMODEL_FN void add(const machine& m, const prepared_layout& candidate,
                        const footprint& requests, std::uint64_t limit, std::uint64_t& sum,
                        effort_left& effort) {
    const served_shape& served = served_[requests.shape];
    if (served.never_conflicts) return;
    // each may take at most this many more passes
    const std::uint64_t allowance = (limit - sum) / requests.times;
    const int too_many = allowance < 64 ? served.minimum + static_cast<int>(allowance) + 1 : 4096;
    const cost request_cost = cost_of_one(m, candidate, 0, requests, too_many, effort);
    const auto extra = request_cost.wavefronts - static_cast<std::uint64_t>(served.minimum);
    sum = checked_count_sum(sum, checked_count_product(requests.times, extra));
    if (sum > limit && served.in_groups && allowance == 0) keep_pair(candidate, requests, effort);
  }

  BANKMODEL_FN void add_all_of(const machine& m, const block_dim& block,
                               const kernel_access& access, const array_description& declared,
                               effort_left& effort) {
    array_description plain = declared;
    plain.layout = packed(declared.layout);
    plain.base_bytes = 0;
    const access_view view = access.view(plain);
    class_maker<touched_elements> maker(view, touched_);
    const long long initial_steps = touched_.steps;
    const walked traversal = give_requests(m, block, access, plain, effort.steps() / 2, maker);
    effort.spend(traversal.steps + touched_.steps - initial_steps);
    steps_ += traversal.steps + touched_.steps - initial_steps;
    if (!traversal.is_complete) touched_.full = true;
  }

  // Counting stops at `too_many` passes; then there may be more.
  BANKMODEL_FN cost cost_of_one(const machine& m, const prepared_layout& candidate, long long base,
                                const footprint& requests, int too_many,
                                effort_left& effort) const {
    const served_shape& served = served_[requests.shape];
    const shape_of_lanes& shape = touched_.shape[requests.shape];
    const auto number = static_cast<int>(requests.number);
    if (!served.in_groups) {
      effort.spend(700 + (60 + candidate.more_steps()) * shape.lanes);
      return count_passes(m, m.served(shape.bytes, shape.kind),
                          {served.bank_num, served.W, served.N, touched_.element_bytes},
                          request_of(shape, &candidate, number, base));
    }
    const long long bytes = touched_.element_bytes;
    const int* next = touched_.phases_of_shape(shape);
    int passes = shape.phases, worst = 0, looked_at = 0;
    for (int phase = 0; phase < shape.phases && passes < too_many; ++phase) {
      const int different = *next++;
      const auto address = [&](int element) {
        return base + candidate.place_of(number + next[element]) * bytes;
      };
      const int phase_passes =
          served.passes_of_phase(different, too_many - passes + 1, looked_at, address);
      next += different;
      passes += phase_passes - 1;
      if (phase_passes > worst) worst = phase_passes;
    }
    effort.spend(90 * shape.phases +
                 ((served.never_meets ? 16 : 32) + candidate.more_steps()) * looked_at);
    return {.requests = 1,
            .wavefronts = static_cast<std::uint64_t>(passes),
            .ideal = static_cast<std::uint64_t>(shape.phases),
            .degree = worst,
            .method = method::each_request};
  }
  // Counts these lanes with their elements placed by a layout, or without one at their packed
  // coordinates.
  BANKMODEL_FN request request_of(const shape_of_lanes& shape, const prepared_layout* candidate,
                                  int number, long long base) const {
    request r;
    r.active = shape.active;
    r.bytes = shape.bytes;
    r.kind = shape.kind;
    const int* next = touched_.element + shape.relatives;
    for (int lane = 0; lane < touched_.lanes; ++lane) {
      if ((shape.active >> lane & 1) == 0) continue;
      const int coordinates = number + *next++;
      r.address[lane] =
          base + static_cast<long long>(candidate != nullptr ? candidate->place_of(coordinates)
                                                             : coordinates) *
                     touched_.element_bytes;
    }
    return r;
  }

  // Keeps a pair of the first phase with a conflict.
  BANKMODEL_FN void keep_pair(const prepared_layout& candidate, const footprint& requests,
                              effort_left& effort) {
    const shape_of_lanes& shape = touched_.shape[requests.shape];
    const int* next = touched_.phases_of_shape(shape);
    for (int phase = 0; phase < shape.phases; next += 1 + *next, ++phase)
      if (pairs_.keep(served_[requests.shape], candidate, touched_.element_bytes,
                      static_cast<int>(requests.number), next + 1, *next, effort))
        return;
  }

  touched_elements touched_;
  served_shape served_[touched_elements::most_shapes];
  std::uint64_t minimum_ = 0;
  int array_ = -1;
  long long steps_ = 0;
  colliding_pairs pairs_, no_pairs_;
  // Of linear layouts: one request for all that are alike. The others come first in the list of all
  // requests: not_alike_ of them.
  int alike_count_ = 0, not_alike_ = 0;
  footprint alike_[touched_elements::most_shapes];
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
