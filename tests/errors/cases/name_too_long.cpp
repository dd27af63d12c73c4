// SPDX-License-Identifier: MIT
// expect: array_names_must_have_at_most_32_characters
#include <bankmodel/kernel/array.hpp>

#ifdef BROKEN
constexpr auto a = bankmodel::shared_array<float>("a_name_of_thirty_three_characters", 64);
#else
constexpr auto a = bankmodel::shared_array<float>("a_name_of_thirty_two_characters_", 64);
#endif
static_assert(a.name[0] == 'a');
