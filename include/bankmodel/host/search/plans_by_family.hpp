// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_SEARCH_PLANS_BY_FAMILY_HPP
#define BANKMODEL_HOST_SEARCH_PLANS_BY_FAMILY_HPP

#include <bankmodel/search/optimizer.hpp>

#include <vector>

namespace bankmodel {

// The best plan that uses one layout family only.
template <int Accesses>
struct plan_of_family {
  layout_family family;
  layout_plan<Accesses> plan;
};

// Returns the best plan of each layout family alone, the simplest family first (host only), so
// that a tuner sees the bytes and resident blocks of each. layout_family::rows stands for
// padding. Left out are families that `options` excludes, and those whose best plan leaves every
// array as declared.
// Error: the errors of optimize().
// Example: the transpose of float tile[64][64]. Padding leaves 2 blocks resident, an XOR swizzle 3:
//
//   constexpr auto tile = shared_array<float>("tile", 64, 64);
//   const auto plans = plans_by_family(
//       nvidia::sm_32,
//       kernel(block_dim{32, 8},
//              store(for_loop(j, range(0, 64, 8), tile[ty + j][tx], tile[ty + j][tx + 32])),
//              load(for_loop(j, range(0, 64, 8), tile[tx][ty + j], tile[tx + 32][ty + j]))));
//   assert(plans[0].family == layout_family::rows && plans[0].plan.bytes() == 16640);
//   assert(plans[0].plan.resident_blocks() == 2);
//   assert(plans[1].family == layout_family::xor_swizzle && plans[1].plan.bytes() == 16384);
//   assert(plans[1].plan.resident_blocks() == 3);
template <class... Accesses>
auto plans_by_family(const machine& m, const kernel_description<Accesses...>& kernel,
                     const search& options = {}) {
  std::vector<plan_of_family<detail::accesses_in<access_list<Accesses...>>>> result;
  for (int family = 0; family <= static_cast<int>(layout_family::linear); ++family) {
    const auto candidate = static_cast<layout_family>(family);
    if (!options.layouts.contain(families_of(candidate))) continue;
    search alone = options;
    alone.layouts = families_of(candidate);
    auto plan = optimize(m, kernel, alone);
    bool differs = false;
    for (int array = 0; array < plan.arrays(); ++array)
      differs = differs || plan.layout(array) != plan.array(array).declared.layout;
    if (differs) result.push_back({candidate, plan});
  }
  return result;
}

}  // namespace bankmodel

#endif
