// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_SEARCH_DETAIL_TABLE_REQUESTS_HPP
#define BANKMODEL_HOST_SEARCH_DETAIL_TABLE_REQUESTS_HPP

#include <bankmodel/count/class_maker.hpp>
#include <bankmodel/count/for_each_base.hpp>
#include <bankmodel/host/search/table_layout.hpp>

#include <cstdint>
#include <vector>

// The requests of accesses to an array whose layout is not yet known: the elements that each of
// them touches. They come from the request classes of the accesses.
namespace bankmodel {

// The most requests of an access, in all warps and iterations. Repetitions of a request by a loop
// that does not change its elements are counted once.
constexpr long long most_table_requests = 1 << 20;

namespace rule {
[[noreturn]] BANKMODEL_FN void accesses_through_a_table_must_have_at_most_1048576_requests(
    long long limit) {
  detail::fail(__func__,
               "an access makes more than % requests, not counting the repetitions of a loop that "
               "does not change their elements, and a table takes them one by one; describe fewer "
               "iterations",
               limit);
}
}  // namespace rule

namespace detail {

// Expands request classes of packed rows. Calls visit(active, element, times) for each request: its
// lanes, the row-major number of the element that each of them touches, and how often the request
// is made.
template <class Visit>
class element_requests {
 public:
  element_requests(int element_bytes, const Visit& visit)
      : element_bytes_(element_bytes), visit_(visit) {}

  // Error: more than most_table_requests requests.
  void operator()(const request_class& requests) {
    for_each_base(requests, [&](long long base, std::uint64_t times) {
      if (++requests_ > most_table_requests)
        rule::accesses_through_a_table_must_have_at_most_1048576_requests(most_table_requests);
      int element[max_lanes] = {};
      for (std::uint64_t rest = requests.lanes.active; rest != 0; rest &= rest - 1) {
        const int lane = trailing_zeros(rest);
        element[lane] = static_cast<int>((base + requests.lanes.address[lane]) / element_bytes_);
      }
      visit_(requests.lanes.active, element, times);
      return true;
    });
  }

 private:
  int element_bytes_;
  const Visit& visit_;
  long long requests_ = 0;
};

// Calls visit(active, element, times) for each request of an access, in no order.
// Requires: total() accepts the access.
template <class Visit>
void for_each_request(const machine& m, const block_dim& block, const block_index& grid_index,
                      const access_view& access, const Visit& visit) {
  array_description rows = access.array;
  rows.layout = without_padding(access.array.layout);
  rows.base_bytes = 0;
  element_requests<Visit> taker(rows.element_bytes, visit);
  visit_request_classes(m, block,
                        access_view{rows, access.subscripts, access.subscript, access.vector,
                                    access.kind, access.wrappers, access.depth, access.nodes},
                        grid_index, taker);
}

// An access, and its cost with the declared layout of its array.
struct counted_access {
  access_view view;
  cost declared;
};

template <class Accesses>
std::vector<counted_access> counted_accesses(const machine& m, const block_dim& block,
                                             const Accesses& accesses) {
  std::vector<counted_access> result;
  for_each_access(accesses, [&](const auto& access) {
    result.push_back({view_of(access), total(m, block, access)});
  });
  return result;
}

}  // namespace detail
}  // namespace bankmodel

#endif
