// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_KERNEL_VARIABLES_HPP
#define BANKMODEL_KERNEL_VARIABLES_HPP

#include <bankmodel/kernel/index.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The variables that subscripts are written with: `tx`, `ty`, `i`, `j` and so on.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void loop_variable_must_be_one_of_six(long long number) {
  detail::fail(__func__,
               "loop_variable(%) does not exist; use loop_variable(0) to loop_variable(5)", number);
}
}  // namespace rule

namespace detail {
BANKMODEL_FN index_expression<1> variable_index(variable symbol) {
  return {{{operation::variable, static_cast<long long>(symbol)}}};
}
}  // namespace detail

// Returns the loop variable with this number, to give it a name of your own:
// `constexpr auto row = bm::loop_variable(0)`. `i j k l m n` are loop_variable(0) to
// loop_variable(5).
// Error: `number` is not 0 to 5.
BANKMODEL_FN index_expression<1> loop_variable(int number) {
  if (number < 0 || number >= loop_variables) rule::loop_variable_must_be_one_of_six(number);
  return detail::variable_index(static_cast<variable>(static_cast<int>(variable::loop_0) + number));
}

// The variables of the index language, for `using namespace bankmodel::index;`. In a scope that has
// its own i, j, k, l, m or n: `using namespace bankmodel::index::threads;`, and loop variables with
// names of your own.
namespace index {
inline namespace threads {
inline constexpr auto tx = detail::variable_index(variable::tx);  // threadIdx.x
inline constexpr auto ty = detail::variable_index(variable::ty);  // threadIdx.y
inline constexpr auto tz = detail::variable_index(variable::tz);  // threadIdx.z
inline constexpr auto bx = detail::variable_index(variable::bx);  // blockIdx.x (0 by default)
inline constexpr auto by = detail::variable_index(variable::by);  // blockIdx.y
inline constexpr auto bz = detail::variable_index(variable::bz);  // blockIdx.z
// tx + blockDim.x * (ty + blockDim.y * tz)
inline constexpr auto tid = detail::variable_index(variable::tid);
inline constexpr auto lane = detail::variable_index(variable::lane);  // tid % (lanes of a warp)
inline constexpr auto warp = detail::variable_index(variable::warp);  // tid / (lanes of a warp)
}  // namespace threads
inline namespace loops {
inline constexpr auto i = loop_variable(0);
inline constexpr auto j = loop_variable(1);
inline constexpr auto k = loop_variable(2);
inline constexpr auto l = loop_variable(3);
inline constexpr auto m = loop_variable(4);
inline constexpr auto n = loop_variable(5);
}  // namespace loops
}  // namespace index

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
