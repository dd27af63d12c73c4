// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "memory.hpp"
#include "run.hpp"

// The values that registers can have, whatever the data are: `in[t] & 31` is 0 to 31.
namespace compiled {

// A register of b bits has a value that is congruent, modulo 2^b, to `array`'s address, if there is
// one, and a number in low .. high.
struct register_range {
  enum class state : std::uint8_t { unwritten, known, unknown };
  state is = state::unknown;
  int array = -1;  // in kernel_code::shared; -1: the number alone
  std::int64_t low = 0, high = 0;
  bool operator==(const register_range&) const = default;
};

class known_ranges {
 public:
  known_ranges(const kernel_code& kernel, const launch& settings, const shared_layout& shared);

  // The bytes that this access to shared memory can touch if no address leaves its array; all of
  // shared memory if the array is not known.
  byte_range bytes_of(const instruction& access) const;

 private:
  register_range evaluate(const operand& source, int bits) const;
  // Of the argument at this offset in the bytes of all arguments.
  register_range argument(std::uint64_t offset, int bits) const;
  register_range result_of(const instruction& code) const;

  const kernel_code& kernel_;
  const launch& settings_;
  const shared_layout& shared_;
  std::vector<register_range> registers_;
};

}  // namespace compiled
