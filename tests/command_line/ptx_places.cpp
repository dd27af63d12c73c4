// SPDX-License-Identifier: MIT
// The places of PTX's instructions: code of a library is at the line that calls it, and code that
// the compiler moved has no line of its own.
#include <string>
#include <vector>

#include "catch.hpp"
#include "examples/bankmodel/compiled/code/shown_places.hpp"
#include "examples/bankmodel/compiled/engine/run.hpp"
#include "examples/bankmodel/compiled/ptx/ptx_reader.hpp"

namespace cc = compiled;

namespace {

cc::kernel_code kernel_with(const std::string& code) {
  return cc::read_ptx(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k()
{
  .reg .b32 %r<9>;
  .loc 1 2 0
  .shared .align 16 .b8 s[128];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, s;
  add.s32 %r2, %r2, %r3;
)" + code + R"(
  ret;
}
  .file 1 "/home/me/project/kernel.cu"
  .file 2 "/opt/cuda/include/cuda_fp16.h"
  .file 3 "/opt/cuda/include/cuda_fp16.hpp"
  .file 4 "/home/me/project/part/tile.cuh"
  .file 5 "/home/me/other/main.cu"
)")
      .at(0);
}

// The places of the accesses, with that of the code itself where it is another one.
std::vector<std::string> places(cc::kernel_code kernel, const std::string& named = "") {
  cc::show_calls_of_libraries(kernel, named);
  std::vector<std::string> result;
  for (const cc::code_block& block : kernel.blocks)
    for (const cc::instruction& operation : block.instructions) {
      if (operation.operation != cc::opcode::access) continue;
      std::string location = cc::text(kernel, operation.location);
      const std::string inner = cc::text(kernel, cc::innermost(kernel, operation.location));
      if (inner != location) location += " of " + inner;
      result.push_back(location + (operation.location.is_moved ? ", moved" : ""));
    }
  return result;
}

using texts = std::vector<std::string>;
const std::string load = "ld.shared.u32 %r4, [%r2];\n";

}  // namespace

TEST_CASE("code of a library is at the line that calls it") {
  CHECK(places(kernel_with(".loc 1 4 3\n" + load)) == texts{"kernel.cu:4:3"});
  // As nvcc writes half2's assignment, and a function of a header that calls it.
  CHECK(places(kernel_with(".loc 1 4 3\n.loc 2 5122 1, function_name $L__info_string0, inlined_at "
                           "1 4 3\n" +
                           load)) == texts{"kernel.cu:4:3 of cuda_fp16.h:5122:1"});
  const std::string nested =
      ".loc 1 6 3\n.loc 2 50 1, function_name $L__info_string0, inlined_at 1 6 3\n"
      ".loc 3 264 1, function_name $L__info_string1+12, inlined_at 2 50 1\n" +
      load;
  CHECK(places(kernel_with(nested)) == texts{"kernel.cu:6:3 of cuda_fp16.hpp:264:1"});
  // A function of the project keeps its line, and a library's code in it is at the outermost call.
  const std::string part =
      ".loc 1 8 3\n.loc 4 20 5, function_name $L__info_string0, inlined_at 1 8 3\n" + load +
      ".loc 3 264 1, function_name $L__info_string1, inlined_at 4 20 5\n" + load;
  CHECK(places(kernel_with(part)) ==
        texts{"tile.cuh:20:5", "kernel.cu:8:3 of cuda_fp16.hpp:264:1"});
  // The same line of a library in two places.
  CHECK(places(kernel_with(nested +
                           ".loc 1 9 3\n.loc 2 50 1, function_name $L__info_string0, "
                           "inlined_at 1 9 3\n" +
                           load)) ==
        texts{"kernel.cu:6:3 of cuda_fp16.hpp:264:1", "kernel.cu:9:3 of cuda_fp16.h:50:1"});
}

TEST_CASE("a kernel of a header is shown by the file that was named") {
  const cc::kernel_code kernel = cc::read_ptx(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k()
{
  .reg .b32 %r<9>;
  .shared .align 16 .b8 s[128];
  .loc 2 40 0
  mov.u32 %r2, s;
  .loc 2 42 3
  .loc 1 7 5, function_name $L__info_string0, inlined_at 2 42 3
  .loc 3 264 1, function_name $L__info_string1, inlined_at 1 7 5
  ld.shared.u32 %r4, [%r2];
  ret;
}
  .file 1 "/home/me/project/kernel.cu"
  .file 2 "/opt/cutlass/include/device_kernel.h"
  .file 3 "/opt/cute/include/copy.hpp"
)")
                                     .at(0);
  CHECK(places(kernel, "/home/me/project/kernel.cu") == texts{"kernel.cu:7:5 of copy.hpp:264:1"});
  CHECK(places(kernel) == texts{"device_kernel.h:42:3 of copy.hpp:264:1"});
  CHECK(kernel.files.at(static_cast<std::size_t>(kernel.definition.file)) ==
        "/opt/cutlass/include/device_kernel.h");
  const auto is_of_a_library = [](const char* file) {
    return cc::is_of_a_library(file, "/home/me/project/kernel.cu");
  };
  CHECK(is_of_a_library("/opt/cutlass/include/device_kernel.h"));
  CHECK_FALSE(is_of_a_library("/home/me/project/detail/tile.cuh"));
  CHECK_FALSE(is_of_a_library(""));
}

TEST_CASE("code that the compiler moved is at the line before it, and said to be moved") {
  const cc::kernel_code moved =
      kernel_with(".loc 1 4 3\n" + load + ".loc 1 0 3\n" + load + ".loc 1 5 3\n" + load);
  CHECK(places(moved) == texts{"kernel.cu:4:3", "kernel.cu:4:3, moved", "kernel.cu:5:3"});
  const cc::recording recorded = cc::run(moved, {.block = {32}});
  REQUIRE(recorded.notes.size() == 1);
  CHECK(recorded.notes[0] ==
        "line 4 has accesses that the compiler moved, and whose own line it does not say");
  // Of a call it is known where that is.
  CHECK(places(kernel_with(".loc 1 4 3\n.loc 2 0 1, function_name $L__info_string0, inlined_at 1 4 "
                           "3\n" +
                           load)) == texts{"kernel.cu:4:3, moved"});
}
