// SPDX-License-Identifier: MIT
// Every access that an input stands for, counted by total() and thread by thread by the oracle.
#include "tests/count/generated.cpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tally all;
  // Small ones are fast.
  const auto how = size % 8 == 0 ? generated::size::full : generated::size::small;
  const auto c = generated::generator(byte_source{data, size}, how).make();
  compare(0, c, all);
  if (size % 4 == 0) (void)compare_worst(0, c, size % 8 == 0);
  return 0;
}
