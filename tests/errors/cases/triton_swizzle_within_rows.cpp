// SPDX-License-Identifier: MIT
// expect: triton_must_swizzle_columns_by_rows
#include <bankmodel/interop/triton.hpp>

#ifdef BROKEN
constexpr int shift = 3;
#else
constexpr int shift = 5;
#endif
static_assert(bankmodel::to_triton_swizzled(
                  bankmodel::row_major(32, 32).permuted(bankmodel::xor_swizzle(2, 0, shift)))
                  .maxPhase == 4);
