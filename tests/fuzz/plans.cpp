// SPDX-License-Identifier: MIT
// Every kernel that an input stands for: optimize()'s plans against all plans.
#include "tests/search/plans.cpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  most_work = 30'000;
  tally sum;
  const std::string problems = compare(generator(byte_source{data, size}), "the input", sum);
  if (!problems.empty()) FAIL(problems);
  return 0;
}
