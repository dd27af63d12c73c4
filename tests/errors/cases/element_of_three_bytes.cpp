// SPDX-License-Identifier: MIT
// expect: elements_must_have_1_2_4_8_or_16_bytes
#include <bankmodel/kernel/array.hpp>

struct pixel {
#ifdef BROKEN
  char red, green, blue;
#else
  char red, green, blue, alpha;
#endif
};
static_assert(bankmodel::shared_array<pixel>("a", 64).element_bytes == 4);
