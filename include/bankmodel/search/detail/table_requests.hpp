// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_TABLE_REQUESTS_HPP
#define BANKMODEL_SEARCH_DETAIL_TABLE_REQUESTS_HPP

#include <bankmodel/count/detail/plain_requests.hpp>
#include <bankmodel/count/total.hpp>
#include <bankmodel/search/table_layout.hpp>

#include <cstdint>
#include <vector>

// The requests of accesses to an array whose layout is still to be found: which elements they
// touch, wherever these lie.
namespace bankmodel {

constexpr long long most_table_iterations = 1 << 20;  // of all loops of an access, in all warps

namespace rule {
[[noreturn]] BANKMODEL_FN void accesses_through_a_table_must_end_after_1048576_iterations(
    long long limit) {
  detail::fail(__func__,
               "an access runs more than % iterations in all warps, and each would be run by "
               "itself; leave out loops that repeat the same accesses",
               limit);
}
}  // namespace rule

namespace detail {

// Calls visit(active, element) for each request: its lanes, and the row-major number of the
// element that each of them touches.
template <class Visit>
class element_requests {
 public:
  element_requests(const machine& m, const array_description& array, const Visit& visit)
      : lanes_(m.lanes), rows_(without_padding(array.layout)), visit_(visit) {}

  void begin_iteration() {
    if (++iterations_ > most_table_iterations)
      rule::accesses_through_a_table_must_end_after_1048576_iterations(most_table_iterations);
  }
  bool operator()(std::uint64_t active, const four* at) {
    int element[max_lanes] = {};
    for (int lane = 0; lane < lanes_; ++lane)
      if ((active >> lane & 1) != 0) element[lane] = static_cast<int>(rows_(at[lane]));
    visit_(active, element);
    return false;
  }

 private:
  int lanes_;
  layout rows_;
  const Visit& visit_;
  long long iterations_ = 0;
};

// Required: `known` is what total() says of the access.
template <class Visit>
void for_each_request(const machine& m, const block_dim& block, const block_index& at,
                      const access_view& access, const cost& known, const Visit& visit) {
  if (known.requests > static_cast<std::uint64_t>(most_table_iterations))
    rule::accesses_through_a_table_must_end_after_1048576_iterations(most_table_iterations);
  element_requests<Visit> each(m, access.array, visit);
  (void)plain_requests<element_requests<Visit>>(m, block, at, access, each).run();
}

// An access, and what it costs as its array is declared.
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
