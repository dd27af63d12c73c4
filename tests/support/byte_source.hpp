// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_BYTE_SOURCE_HPP
#define BANKMODEL_TESTS_BYTE_SOURCE_HPP

#include <cstddef>

// The bytes of an input of libFuzzer as draws of a generator, so that a part of an input is a part
// of the generated case.
struct byte_source {
  const unsigned char* bytes = nullptr;
  std::size_t left = 0;

  // Sets `drawn` to a number below `limit`; false if no byte is left.
  constexpr bool draw(int limit, int& drawn) {
    if (left == 0) return false;
    unsigned number = 0;
    for (unsigned rest = static_cast<unsigned>(limit) - 1; left > 0; rest >>= 8) {
      number = number << 8 | *bytes++;
      --left;
      if (rest < 256) break;
    }
    drawn = static_cast<int>(number % static_cast<unsigned>(limit));
    return true;
  }
};

#endif
