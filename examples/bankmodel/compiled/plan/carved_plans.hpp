// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_PLAN_CARVED_PLANS_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_PLAN_CARVED_PLANS_HPP

#include "../page/page.hpp"

namespace compiled {

// The plan in which arrays that the kernel carves out of dynamic array `number` have longer rows,
// with its edits: of subscripts, of the pointers behind, and the bytes of the launch. None if the
// source has no such arrays, or if no rows take fewer wavefronts within `byte_limit`. A plan that
// cannot be written has a refusal.
std::vector<array_plan> carved_plans(const page& of, std::size_t number, long long start,
                                     long long byte_limit);

}  // namespace compiled

#endif
