// SPDX-License-Identifier: MIT
#include "thread_numbers.hpp"

#include <algorithm>

namespace compiled {

namespace {

long long threads_of(const launch& how) { return 1ll * how.block.x * how.block.y * how.block.z; }

}  // namespace

int warps_of(const kernel_code& kernel, const launch& how) {
  return static_cast<int>((threads_of(how) + kernel.lanes - 1) / kernel.lanes);
}

thread_numbers::thread_numbers(const kernel_code& kernel, const launch& how, int warp)
    : lanes_(static_cast<std::size_t>(kernel.lanes)) {
  const long long first = 1ll * warp * kernel.lanes;
  live_ = low_bits(static_cast<int>(std::min<long long>(kernel.lanes, threads_of(how) - first)));
  const bm::block_dim& block = how.block;
  const auto set = [&](bm::variable which, const auto& value) {
    lane_numbers& to = threads_[static_cast<int>(which)];
    for (int lane = 0; lane < kernel.lanes; ++lane)
      to[static_cast<std::size_t>(lane)] = value(lane);
  };
  set(bm::variable::tx, [&](int lane) { return (first + lane) % block.x; });
  set(bm::variable::ty, [&](int lane) { return (first + lane) / block.x % block.y; });
  set(bm::variable::tz, [&](int lane) { return (first + lane) / block.x / block.y; });
  set(bm::variable::lane, [&](int lane) { return static_cast<long long>(lane); });
  set(bm::variable::warp, [&](int) { return static_cast<long long>(warp); });
}

lane_numbers thread_numbers::of(const form_table& forms, const form& which,
                                const trip_numbers& trips) const {
  lane_numbers result = {};
  std::fill_n(result.begin(), lanes_, which.constant);
  for (const auto& [number, factor] : which.factors) {
    const lane_numbers one = of_atom(forms, number, trips);
    for (std::size_t lane = 0; lane < lanes_; ++lane)
      if ((live_ >> lane & 1) != 0)
        result[lane] = checked_sum(result[lane], checked_product(one[lane], factor));
  }
  return result;
}

lane_numbers thread_numbers::of_atom(const form_table& forms, int number,
                                     const trip_numbers& trips) const {
  const atom& one = forms[number];
  lane_numbers result = {};
  switch (one.is) {
    case atom::kind::thread: return threads_.at(one.number);
    case atom::kind::trip: {
      const auto found = trips.find(number);
      if (found == trips.end()) throw inexpressible{"a value of a loop that was left"};
      std::fill_n(result.begin(), lanes_, found->second);
      return result;
    }
    case atom::kind::operation: break;
    case atom::kind::argument: throw inexpressible{"a value that depends on an argument"};
    default: throw inexpressible{"a value that changes in a loop in another way than by steps"};
  }
  const lane_numbers left = of(forms, one.left, trips), right = of(forms, one.right, trips);
  for (std::size_t lane = 0; lane < lanes_; ++lane)
    if ((live_ >> lane & 1) != 0) result[lane] = evaluated(one.does, left[lane], right[lane]);
  return result;
}

}  // namespace compiled
