// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_COMMAND_LINE_PTX_BODY_HPP
#define BANKMODEL_TESTS_COMMAND_LINE_PTX_BODY_HPP

#include <map>
#include <string>

#include "catch.hpp"
#include "examples/bankmodel/compiled/engine/run.hpp"
#include "examples/bankmodel/compiled/ptx/ptx_reader.hpp"

// Kernels of a few lines of PTX, read and run.
namespace ptx_body {

inline compiled::launch launched(const bankmodel::block_dim& block) {
  compiled::launch result;
  result.block = block;
  return result;
}

struct failure {
  std::string wrong, right;
  compiled::place position;
};
inline failure failed(const compiled::kernel_code& kernel, const compiled::launch& options) {
  try {
    (void)compiled::run(kernel, options);
  } catch (const compiled::cannot_run& error) {
    return {error.what(), error.right, error.location};
  }
  FAIL("it runs");
  return {};
}

// A kernel of this body, with 64 registers of each kind, a parameter of each kind, and arrays.
inline compiled::kernel_code kernel_of_body(const std::string& body) {
  const std::string text = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry test(.param .u64 pointer, .param .u32 number, .param .align 8 .b8 object[24])
{
  .reg .pred %p<64>;
  .reg .b16 %h<64>;
  .reg .b32 %r<64>;
  .reg .b64 %d<64>;
  .reg .f32 %f<64>;
  .shared .align 16 .b8 a[4096];
  .shared .align 16 .b8 b[4096];
  .local .align 16 .b8 depot[64];
)" + body + "\n}\n";
  const auto kernels = compiled::read_ptx(text);
  REQUIRE(kernels.size() == 1);
  return kernels[0];
}
inline compiled::recording run_body(const std::string& body,
                                    const compiled::launch& options = launched({32})) {
  return compiled::run(kernel_of_body(body), options);
}

// The addresses in shared memory that lanes store to: what the body left in %r1.
inline std::map<int, long long> addresses_of(const std::string& body, int threads = 32) {
  const compiled::recording recorded =
      run_body(body + "\n  st.shared.u8 [%r1], %r0;\n  ret;", launched({threads}));
  REQUIRE(!recorded.accesses.empty());
  const compiled::recorded_access& last = recorded.accesses.back();
  REQUIRE(!last.is_global);
  std::map<int, long long> result;
  for (const compiled::recorded_class& requests : last.classes)
    for (int lane = 0; lane < 32; ++lane)
      if ((requests.lanes.active >> lane & 1) != 0)
        result[lane] = requests.times.begin()->first + requests.lanes.address[lane];
  return result;
}

}  // namespace ptx_body

#endif
