// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXPLAIN_EXPECT_PLANNED_HPP
#define BANKMODEL_EXPLAIN_EXPECT_PLANNED_HPP

#include <cstdint>

// The guard in a header that code() writes.
namespace bankmodel {

// Does not compile if accesses take another number of wavefronts than their plan says; the compiler
// prints both numbers. Only naming ::value performs the check; an alias of this type checks
// nothing.
//
//   constexpr auto tile = shared_array<float>("tile", 32, 33);
//   constexpr auto planned = for_loop(j, range(0, 32, 8), load(tile[tx][ty + j]));
//   constexpr block_dim block{32, 8};
//   static_assert(expect_planned<total(nvidia::sm_90, block, planned).wavefronts, 32>::value);
template <std::uint64_t Counted, std::uint64_t Planned>
struct expect_planned {
  static_assert(Counted == Planned,
                "bankmodel: these accesses do not take the wavefronts of their plan, see "
                "expect_planned<counted, planned>: the machine, a layout, an access or the library "
                "has changed since the header was written; write it again with bankmodel::code() "
                "or bankmodel --plan-header");
  static constexpr bool value = true;  // instantiating it requires the static_assert above
};

}  // namespace bankmodel

#endif
