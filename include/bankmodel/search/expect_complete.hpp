// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_EXPECT_COMPLETE_HPP
#define BANKMODEL_SEARCH_EXPECT_COMPLETE_HPP

// The guard of a plan that is a constant.
namespace bankmodel {

// Does not compile if the search for a plan was not complete. Only naming ::value performs the
// check; an alias of this type checks nothing. Such a plan is right, and its costs are exact, but a
// search at run time has more effort and may find a better one.
//
//   constexpr auto tile = shared_array<float>("tile", 32, 32);
//   constexpr auto transpose = kernel(block_dim{32, 8}, store(tile[ty][tx]), load(tile[tx][ty]));
//   constexpr auto plan = optimize(nvidia::sm_90, transpose);
//   static_assert(expect_complete<plan.is_complete()>::value);
template <bool Complete>
struct expect_complete {
  static_assert(Complete,
                "bankmodel: the effort of a constant expression was spent before everything was "
                "tried, so the plan may be better at run time; search fewer families (.layouts), "
                "or give more search.effort and raise the compiler's limit "
                "(clang: -fconstexpr-steps, g++: -fconstexpr-ops-limit and -fconstexpr-loop-limit, "
                "nvcc: -Xcudafe --max_cost_constexpr_call and the host compiler's by -Xcompiler), "
                "or make the plan at run time, or write it as a header (code() of report.hpp, "
                "bankmodel --plan-header)");
  static constexpr bool value = true;  // instantiating it requires the static_assert above
};

}  // namespace bankmodel

#endif
