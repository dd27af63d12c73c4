// SPDX-License-Identifier: MIT
// expect: array_base_must_be_aligned_to_its_element
#include <bankmodel/kernel/array.hpp>

#ifdef BROKEN
constexpr int base = 6;
#else
constexpr int base = 8;
#endif
static_assert(bankmodel::shared_array<float>("a", 64).at(base).base_bytes == 8);
