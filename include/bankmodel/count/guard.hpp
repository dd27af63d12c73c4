// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_GUARD_HPP
#define BANKMODEL_COUNT_GUARD_HPP

#include <bankmodel/count/total.hpp>

// Guards: compile-time checks of the number of bank conflicts.
namespace bankmodel {

// The class that guard uses; it does not compile if there are more conflicts than allowed. Only
// naming ::value performs the check; an alias of this type checks nothing.
//
//   constexpr auto tile = shared_array<float>("tile", 32, 33);
//   constexpr auto read = load(tile[tx][ty]);
//   constexpr block_dim block{32, 32};
//   static_assert(expect_conflicts<total(nvidia::sm_90, block, read).conflicts(), 0>::value);
template <std::uint64_t Actual, std::uint64_t Allowed>
struct expect_conflicts {
  static_assert(Actual <= Allowed,
                "bankmodel: more bank conflicts than allowed, see expect_conflicts<actual, "
                "allowed>; pad the array's rows, "
                "permute its columns, or allow more conflicts");
  static constexpr bool value = true;  // instantiating it requires the static_assert above
};

// A guard: a constant that is true, and that does not compile if `Cost` has more bank conflicts
// than allowed; every compiler prints both numbers and the whole cost. Every use of it performs the
// check. It may be used anywhere in a file:
//
//   constexpr auto tile = shared_array<float>("tile", 32, 33);
//   constexpr auto row = load(tile[ty][tx]);
//   constexpr auto even = load(tile[ty][2 * tx % 32]);
//   constexpr block_dim block{32, 32};
//   static_assert(guard<total(nvidia::sm_90, block, row)>);        // no conflict
//   static_assert(guard<total(nvidia::sm_90, block, even), 35>);  // at most 35 conflicts
template <cost Cost, std::uint64_t AllowedConflicts = 0>
inline constexpr bool guard = expect_conflicts<Cost.conflicts(), AllowedConflicts>::value;

namespace detail {
template <class T>
T without_const(const T&);  // only its type is asked for
// False if a call has no machine, or accesses without a block.
template <class... Arguments>
inline constexpr bool has_machine_and_block = true;
template <not_a_machine First, class... Rest>
inline constexpr bool has_machine_and_block<First, Rest...> = false;
template <accesses Second, class... Rest>
inline constexpr bool has_machine_and_block<machine, Second, Rest...> = false;
}  // namespace detail

// True if an access or a kernel has no bank conflict: conflict_free<machine, block, access> or
// conflict_free<machine, kernel>; false for other arguments. Used as a constraint it disables a
// template, but prints no numbers.
template <auto... Arguments>
concept conflict_free =
    detail::has_machine_and_block<decltype(detail::without_const(Arguments))...> &&
    total(Arguments...).conflicts() == 0;

}  // namespace bankmodel

#endif
