// SPDX-License-Identifier: MIT
#include "thread_numbers.hpp"

#include <algorithm>

namespace compiled {

namespace {

long long threads_of(const launch& options) {
  return 1ll * options.block.x * options.block.y * options.block.z;
}

}  // namespace

int warps_of(const kernel_code& kernel, const launch& options) {
  return static_cast<int>((threads_of(options) + kernel.lanes - 1) / kernel.lanes);
}

thread_numbers::thread_numbers(const kernel_code& kernel, const launch& options, int warp)
    : lanes_(static_cast<std::size_t>(kernel.lanes)) {
  const long long first = 1ll * warp * kernel.lanes;
  live_ =
      low_bits(static_cast<int>(std::min<long long>(kernel.lanes, threads_of(options) - first)));
  const bm::block_dim& block = options.block;
  const auto set = [&](bm::variable symbol, const auto& value) {
    lane_numbers& numbers = threads_[static_cast<int>(symbol)];
    for (int lane = 0; lane < kernel.lanes; ++lane) numbers[slot(lane)] = value(lane);
  };
  set(bm::variable::tx, [&](int lane) { return (first + lane) % block.x; });
  set(bm::variable::ty, [&](int lane) { return (first + lane) / block.x % block.y; });
  set(bm::variable::tz, [&](int lane) { return (first + lane) / block.x / block.y; });
  set(bm::variable::lane, [&](int lane) { return static_cast<long long>(lane); });
  set(bm::variable::warp, [&](int) { return static_cast<long long>(warp); });
}

lane_numbers thread_numbers::evaluate(const form_table& forms, const form& value,
                                      const trip_numbers& trips) const {
  lane_numbers result = {};
  std::fill_n(result.begin(), lanes_, value.constant);
  for (const auto& [number, factor] : value.factors) {
    const lane_numbers term = of_atom(forms, number, trips);
    for (std::size_t lane = 0; lane < lanes_; ++lane)
      if ((live_ >> lane & 1) != 0)
        result[lane] = checked_sum(result[lane], checked_product(term[lane], factor));
  }
  return result;
}

lane_numbers thread_numbers::of_atom(const form_table& forms, int number,
                                     const trip_numbers& trips) const {
  const atom& term = forms[number];
  lane_numbers result = {};
  switch (term.is) {
    case atom::kind::thread: return threads_.at(term.number);
    case atom::kind::trip: {
      const auto entry = trips.find(number);
      if (entry == trips.end()) throw inexpressible{"a value of a loop that was left"};
      std::fill_n(result.begin(), lanes_, entry->second);
      return result;
    }
    case atom::kind::operation: break;
    case atom::kind::argument: throw inexpressible{"a value that depends on an argument"};
    default: throw inexpressible{"a value that changes in a loop in another way than by steps"};
  }
  const lane_numbers left = evaluate(forms, term.left, trips),
                     right = evaluate(forms, term.right, trips);
  for (std::size_t lane = 0; lane < lanes_; ++lane)
    if ((live_ >> lane & 1) != 0) result[lane] = evaluated(term.operation, left[lane], right[lane]);
  return result;
}

}  // namespace compiled
