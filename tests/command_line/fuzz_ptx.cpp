// SPDX-License-Identifier: MIT
// Properties of every text: it is read as PTX whose kernels run, or gives an error message with
// what to do. With libFuzzer this is a program of its own (clang, -fsanitize=fuzzer).
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "examples/bankmodel/compiled/engine/run.hpp"
#include "examples/bankmodel/compiled/ptx/ptx_reader.hpp"

namespace cc = compiled;

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz_ptx: not so: %s\n", what);
  std::abort();
}

void run_one(const cc::kernel_code& kernel, bool with_bounds) {
  cc::launch how;
  how.block = {40};
  if (kernel.required_block) {
    const auto& [x, y, z] = *kernel.required_block;
    how.block = {x, y, z};
  }
  how.dynamic_shared_bytes = 4096;
  how.most_steps = 1 << 18;
  how.bounds = with_bounds;
  try {
    const cc::recording all = cc::run(kernel, how);
    for (const cc::recorded_access& one : all.accesses) {
      require(one.is_partial || one.bounded.empty(), "bounded requests are a part of a count");
      require(!one.is_partial || !one.reason.empty(), "a reason why a count is partial");
    }
  } catch (const cc::cannot_run& why) {
    require(why.what()[0] != '\0' && !why.right.empty(), "what is wrong and what would be right");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  try {
    for (const cc::kernel_code& one : cc::read_ptx(text)) {
      run_one(one, false);
      run_one(one, true);
    }
  } catch (const cc::ptx_error& why) {
    require(why.line >= 0 && why.what()[0] != '\0' && !why.right.empty(),
            "a line, what is wrong and what would be right");
  }
  return 0;
}
