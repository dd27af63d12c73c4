// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_SEARCH_DETAIL_TABLE_SEARCH_HPP
#define BANKMODEL_HOST_SEARCH_DETAIL_TABLE_SEARCH_HPP

#include <bankmodel/host/search/detail/edge_colouring.hpp>
#include <bankmodel/host/search/detail/table_requests.hpp>
#include <bankmodel/model/wavefronts.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// Finds a table from the phases of accesses. If they can be split into two sides so that no two
// phases of one side share an element, each element is an edge between a phase of each side,
// and colours are banks.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void accesses_through_a_table_must_touch_one_element_a_lane(
    long long elements, long long bytes) {
  detail::fail(__func__,
               "vectorized<%> of elements of % bytes does not work with a table, which may "
               "separate neighbours; make the vector the array's element type",
               elements, bytes);
}
[[noreturn]] BANKMODEL_FN void accesses_of_one_table_must_see_the_same_banks(long long bank_num,
                                                                             long long other) {
  detail::fail(__func__,
               "the machine serves one access of the array in % banks and another in %, or in "
               "words of another size; make a table for one of them",
               bank_num, other);
}
[[noreturn]] BANKMODEL_FN void accesses_of_a_table_must_be_served_by_layers(long long bytes,
                                                                            long long) {
  detail::fail(__func__,
               "a table cannot serve atomics, nor accesses of % bytes on a machine that does "
               "not serve them by layers (Fermi's 16 bytes, compute capability 1.x); use "
               "optimize()",
               bytes);
}
[[noreturn]] BANKMODEL_FN void arrays_with_a_table_must_begin_at_a_word(long long base,
                                                                        long long bytes) {
  detail::fail(__func__,
               "an array with a table is .at(%), but several of its elements share a word; use "
               "a multiple of %",
               base, bytes);
}
[[noreturn]] BANKMODEL_FN void phases_must_be_of_elements_of_the_array(long long element,
                                                                       long long elements) {
  detail::fail(__func__, "a phase touches element % of an array of %; use row-major numbers from 0",
               element, elements);
}
[[noreturn]] BANKMODEL_FN void phases_must_have_at_most_as_many_elements_as_banks(
    long long elements, long long banks) {
  detail::fail(__func__,
               "a phase touches % elements, but all banks together hold % side by side, so no "
               "table may serve it in one pass; use smaller phases",
               elements, banks);
}
[[noreturn]] BANKMODEL_FN void phases_must_split_into_two_sides_of_disjoint_ones(
    long long element, long long elements) {
  detail::fail(__func__,
               "the phases around element % (row-major) of % cannot be split into two sides "
               "without a common element in either, so a table may not exist; pass two accesses "
               "that touch each element once, or use optimize()",
               element, elements);
}
}  // namespace rule

namespace detail {

// The broken rule with its numbers: it can be the answer and not an error.
struct refusal {
  void (*rule)(long long, long long) = nullptr;
  long long first = 0, second = 0;
};

// Looks for a table of one array with which none of the added phases has a conflict.
class table_search {
 public:
  explicit table_search(const array_description& array)
      : array_(array), elements_(without_padding(array.layout).required_size()) {
    if (elements_ > most_table_elements) rule::tables_must_have_at_most_65536_elements(elements_);
  }

  // Adds every request of an access to the array.
  void add(const machine& m, const block_dim& block, const counted_access& counted) {
    const access_view& access = counted.view;
    if (access.vector != 1)
      return refuse(rule::accesses_through_a_table_must_touch_one_element_a_lane, access.vector,
                    array_.element_bytes);
    if (!see_banks(m, access.kind)) return;
    request r{.active = 0, .bytes = array_.element_bytes, .kind = access.kind};
    for_each_request(m, block, {}, access,
                     [&](std::uint64_t active, const int* element, std::uint64_t) {
                       // Which lanes are served together depends only on which of them share an
                       // address, so any layout gives the answer.
                       r.active = active;
                       for (int lane = 0; lane < m.lanes; ++lane)
                         r.address[lane] = static_cast<long long>(element[lane]) * r.bytes;
                       const lane_groups groups = phases_of(m, r);
                       for (int number = 0; number < 1 << groups.bits(); ++number) {
                         std::vector<int> phase;
                         for (std::uint64_t lanes = active & groups.lanes_of(number); lanes != 0;
                              lanes &= lanes - 1)
                           phase.push_back(element[trailing_zeros(lanes)]);
                         insert(std::move(phase));
                       }
                     });
  }

  void add(const machine& m, access_kind kind, const std::vector<int>& phase) {
    for (const int element : phase)
      if (element < 0 || element >= elements_)
        return refuse(rule::phases_must_be_of_elements_of_the_array, element, elements_);
    if (see_banks(m, kind)) insert(phase);
  }

  // Returns nothing if the theorem does not guarantee a table.
  std::optional<table_layout> run() {
    if (why_not_.rule != nullptr || !select() || !split()) return std::nullopt;
    return table();
  }
  table_layout required() {
    const auto result = run();
    if (result) return *result;
    why_not_.rule(why_not_.first, why_not_.second);
    __builtin_unreachable();
  }

 private:
  void refuse(void (*rule)(long long, long long), long long first, long long second) {
    if (why_not_.rule == nullptr) why_not_ = {rule, first, second};
  }

  // An element of several words covers that many banks; several elements in one word are
  // neighbours in one bank.
  bool see_banks(const machine& m, access_kind kind) {
    const geometry g = m.banks(array_.element_bytes, kind);
    if (!m.served(array_.element_bytes, kind).is_plain())
      refuse(rule::accesses_of_a_table_must_be_served_by_layers, array_.element_bytes, 0);
    const int unit = std::max(array_.element_bytes, g.N);
    if (array_.base_bytes % unit != 0)
      refuse(rule::arrays_with_a_table_must_begin_at_a_word, array_.base_bytes, unit);
    if (bank_num_ != 0 && (bank_num_ != g.bank_num || N_ != g.N))
      refuse(rule::accesses_of_one_table_must_see_the_same_banks, bank_num_, g.bank_num);
    bank_num_ = g.bank_num;
    N_ = g.N;
    banks_ = g.bank_num * g.N / unit;
    neighbours_ = unit / array_.element_bytes;
    if (banks_ == 0) refuse(rule::phases_must_have_at_most_as_many_elements_as_banks, 1, 0);
    return why_not_.rule == nullptr;
  }

  void insert(std::vector<int> phase) {
    std::sort(phase.begin(), phase.end());
    phase.erase(std::unique(phase.begin(), phase.end()), phase.end());
    if (static_cast<int>(phase.size()) > banks_)
      refuse(rule::phases_must_have_at_most_as_many_elements_as_banks,
             static_cast<long long>(phase.size()), banks_);
    if (!phase.empty()) phases_.insert(std::move(phase));
  }

  // Removes phases within others: they have no conflict if those have none. Returns false if an
  // element is then still in three phases.
  bool select() {
    of_element_.assign(static_cast<std::size_t>(elements_), {no_number, no_number});
    std::vector<const std::vector<int>*> largest_first;
    largest_first.reserve(phases_.size());
    for (const auto& phase : phases_) largest_first.push_back(&phase);
    std::sort(largest_first.begin(), largest_first.end(), [](const auto* a, const auto* b) {
      return a->size() != b->size() ? a->size() > b->size() : *a < *b;
    });
    for (const auto* phase : largest_first) {
      const auto holds_it = [&](int other) {
        return other != no_number &&
               std::includes(selected_[static_cast<std::size_t>(other)]->begin(),
                             selected_[static_cast<std::size_t>(other)]->end(), phase->begin(),
                             phase->end());
      };
      const edge_colouring::ends holders = of_element_[static_cast<std::size_t>(phase->front())];
      if (holds_it(holders[0]) || holds_it(holders[1])) continue;
      for (const int element : *phase) {
        edge_colouring::ends& edge = of_element_[static_cast<std::size_t>(element)];
        if (edge[1] != no_number)
          return refuse(rule::phases_must_split_into_two_sides_of_disjoint_ones, element,
                        elements_),
                 false;
        edge[edge[0] == no_number ? 0 : 1] = static_cast<int>(selected_.size());
      }
      selected_.push_back(phase);
    }
    return true;
  }

  // Returns true if the phases form two sides: phases that share an element are put into
  // different ones.
  bool split() {
    std::vector<int> side(selected_.size(), no_number), open;
    for (int first = 0; first < static_cast<int>(selected_.size()); ++first) {
      if (side[static_cast<std::size_t>(first)] != no_number) continue;
      side[static_cast<std::size_t>(first)] = 0;
      open.push_back(first);
      while (!open.empty()) {
        const int phase = open.back();
        open.pop_back();
        for (const int element : *selected_[static_cast<std::size_t>(phase)]) {
          const edge_colouring::ends& edge = of_element_[static_cast<std::size_t>(element)];
          const int neighbour = edge[edge[0] == phase ? 1 : 0];
          if (neighbour == no_number) continue;
          int& its_side = side[static_cast<std::size_t>(neighbour)];
          if (its_side == side[static_cast<std::size_t>(phase)])
            return refuse(rule::phases_must_split_into_two_sides_of_disjoint_ones, element,
                          elements_),
                   false;
          if (its_side != no_number) continue;
          its_side = 1 - side[static_cast<std::size_t>(phase)];
          open.push_back(neighbour);
        }
      }
    }
    return true;
  }

  table_layout table() const {
    const edge_colouring colouring(of_element_, static_cast<int>(selected_.size()), banks_);
    const int row = banks_ * neighbours_;
    std::vector<int> used(static_cast<std::size_t>(banks_), 0), places;
    for (const int bank : colouring.colour_of_each()) {
      const int number = used[static_cast<std::size_t>(bank)]++;
      places.push_back(number / neighbours_ * row + bank * neighbours_ + number % neighbours_);
    }
    return {array_.layout, std::move(places), (elements_ + row - 1) / row * row};
  }

  const array_description& array_;
  long long elements_;
  int bank_num_ = 0, N_ = 0;           // of the machine, for these accesses
  int banks_ = 0, neighbours_ = 0;     // elements side by side in all banks, and in one bank
  std::set<std::vector<int>> phases_;  // the elements of each, in ascending order
  std::vector<const std::vector<int>*> selected_;
  std::vector<edge_colouring::ends> of_element_;  // the selected phases that contain it
  refusal why_not_;
};

}  // namespace detail
}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
