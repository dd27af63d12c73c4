// SPDX-License-Identifier: MIT
// Accesses that passes and the forms of inline assembly must not lose or change, votes of parts of
// a warp, and the declarations that are read before each file.
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "examples/bankmodel/clang_reader/source_reader.hpp"
#include "examples/bankmodel/compiled/engine/run.hpp"

namespace c = compiled;

namespace {

c::read_source read(const std::string& text, const c::source_options& options = {}) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("bankmodel_accesses_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string path = (folder / (options.is_hip ? "kernels.hip" : "kernels.cu")).string();
  std::ofstream(path) << text;
  c::read_source result = c::read_cuda(path, options);
  std::filesystem::remove_all(folder);
  return result;
}

// The text of the shared accesses that a warp makes, by line: "load 4 bytes at 0 4 8 12: 1".
std::map<int, std::vector<std::string>> shared_accesses(const c::kernel_code& kernel,
                                                        const c::launch& launch) {
  constexpr const char* operations[] = {"load",        "store",        "atomic",
                                        "load_matrix", "store_matrix", "copy"};
  std::map<int, std::vector<std::string>> result;
  for (const c::recorded_access& access : c::run(kernel, launch).accesses) {
    if (access.is_global) continue;
    std::string text = std::string(operations[static_cast<int>(access.memory.operation)]) + " " +
                       std::to_string(access.memory.bytes * access.memory.elements) + " bytes";
    if (access.is_partial) text += " in part";
    for (const c::recorded_class& requests : access.classes)
      for (const auto& [base, times] : requests.times) {
        text += " at";
        for (int lane = 0; lane < 64; ++lane)
          if ((requests.lanes.active >> lane & 1) != 0)
            text += " " + std::to_string(base + requests.lanes.address[lane]);
        text += ": " + std::to_string(times);
      }
    result[access.location.line].push_back(text);
  }
  return result;
}

std::map<int, std::vector<std::string>> shared_accesses(const std::string& text, int threads,
                                                        const c::source_options& options = {}) {
  const c::read_source source = read(text, options);
  INFO(source.diagnostics);
  REQUIRE(source.kernels.size() == 1);
  c::launch launch;
  launch.block = {threads};
  return shared_accesses(source.kernels.front(), launch);
}

// Of a block of 64 threads: how often each request is made at each line.
std::map<std::string, std::uint64_t> requests_by_line(const std::string& text,
                                                      const c::source_options& options) {
  const c::read_source source = read(text, options);
  INFO(source.diagnostics);
  REQUIRE(source.kernels.size() == 1);
  c::launch launch;
  launch.block = {64};
  std::map<std::string, std::uint64_t> result;
  for (const c::recorded_access& access : c::run(source.kernels.front(), launch).accesses)
    for (const c::recorded_class& requests : access.classes)
      for (const auto& [base, times] : requests.times) {
        std::string request = std::to_string(access.location.line) + ":" +
                              std::to_string(access.location.column) + " " +
                              std::to_string(static_cast<int>(access.memory.operation));
        for (int lane = 0; lane < 32; ++lane)
          request += (requests.lanes.active >> lane & 1) == 0
                         ? " -"
                         : " " + std::to_string(base + requests.lanes.address[lane]);
        result[request] += times;
      }
  CHECK_FALSE(result.empty());
  return result;
}

using texts = std::vector<std::string>;

}  // namespace

TEST_CASE(
    "Accesses through pointers that are in an array remain, and are to no memory that is "
    "guessed",
    "[clang_reader]") {
  // The array is one of constants, or one of the thread.
  for (const std::string array :
       {"float* p[2] = {a, b};", "float* p[2]; p[i] = a; p[1 - i] = b;"}) {
    const c::read_source source = read(
        "__global__ void k(float* out, int i) {\n"
        "  __shared__ float a[64], b[64];\n  " +
        array +
        "\n  float unused = p[threadIdx.x & 1][0];\n"
        "  float x = p[i][threadIdx.x], y = p[i][threadIdx.x];\n"
        "  out[0] = x + y;\n}\n");
    REQUIRE(source.kernels.size() == 1);
    std::map<int, int> through_pointers;
    for (const c::code_block& block : source.kernels.front().blocks)
      for (const c::instruction& instruction : block.instructions)
        if (instruction.operation == c::opcode::access &&
            instruction.memory.operation == c::access_does::load && instruction.memory.bytes == 4)
          through_pointers[instruction.location.line] +=
              instruction.memory.memory == c::memory_kind::generic;
    CHECK(through_pointers[4] == 1);
    CHECK(through_pointers[5] == 2);
  }
  // Pointers to pointers: each load remains, used or not.
  const c::read_source deep = read(
      "__global__ void k(float***** in, float* out) {\n"
      "  float unused = *****in;\n"
      "  out[0] = *****in + *****in;\n}\n");
  REQUIRE(deep.kernels.size() == 1);
  std::map<int, int> loads;
  for (const c::code_block& block : deep.kernels.front().blocks)
    for (const c::instruction& instruction : block.instructions)
      loads[instruction.location.line] += instruction.operation == c::opcode::access &&
                                          instruction.memory.memory == c::memory_kind::global &&
                                          instruction.memory.operation == c::access_does::load;
  CHECK(loads[2] == 5);
  CHECK(loads[3] == 10);
}

TEST_CASE("An assignment is as wide as its type, memcpy() as its arguments are aligned",
          "[clang_reader]") {
  const auto lines = shared_accesses(
      "__global__ void k(float* out) {\n"
      "  __shared__ float a[256];\n"
      "  float4 v, w, x;\n"
      "  v = *(float4*)&a[4];\n"
      "  memcpy(&w, &a[4], 16);\n"
      "  x = ((float4*)a)[threadIdx.x];\n"
      "  out[0] = v.x + w.x + x.x;\n}\n",
      2);
  CHECK(lines.at(4) == texts{"load 16 bytes at 16 16: 1"});
  CHECK(lines.at(5).size() == 4);
  CHECK(lines.at(6) == texts{"load 16 bytes at 0 16: 1"});
}

TEST_CASE("A cast to a wider type accesses what nvcc accesses, in and out of a thread's array",
          "[clang_reader]") {
  const auto lines = shared_accesses(
      "#define WIDE(p) (reinterpret_cast<float4*>(&(p))[0])\n"
      "template <int N> __global__ void k(const float* in) {\n"
      "  __shared__ float a[256], b[8][N];\n"
      "  float r[4];\n"
      "  WIDE(r[0]) = WIDE(a[4]);\n"
      "  WIDE(b[1][4]) = WIDE(r[0]);\n"
      "  reinterpret_cast<float4&>(r) = reinterpret_cast<float4&>(a[8]);\n"
      "  *(float4*)(void*)&b[2][4 * threadIdx.x] = *(float4*)(void*)r;\n"
      "  reinterpret_cast<double&>(b[3][0]) = *(double*)&a[2];\n"
      "  reinterpret_cast<float3&>(b[4][0]) = reinterpret_cast<float3&>(r);\n"
      "  *(float*)&a[0] = r[1];\n}\n"
      "template __global__ void k<32>(const float*);\n",
      2);
  CHECK(lines.at(5) == texts{"load 16 bytes at 16 16: 1"});
  CHECK(lines.at(6) == texts{"store 16 bytes at 1168 1168: 1"});
  CHECK(lines.at(7) == texts{"load 16 bytes at 32 32: 1"});
  CHECK(lines.at(8) == texts{"store 16 bytes at 1280 1296: 1"});
  CHECK(lines.at(9) == texts{"load 8 bytes at 8 8: 1", "store 8 bytes at 1408 1408: 1"});
  CHECK(lines.at(10).size() == 3);  // a float3 is aligned as a float
  CHECK(lines.at(11) == texts{"store 4 bytes at 0 0: 1"});
}

TEST_CASE("A variable without a value is unknown, not 0", "[clang_reader]") {
  const auto is_known = [](const std::string& code) {
    const c::read_source source =
        read("__global__ void k(float* to, int n, int m) {\n" + code + "  to[v] = 1;\n}\n");
    REQUIRE(source.kernels.size() == 1);
    for (const c::code_block& block : source.kernels[0].blocks)
      for (const c::instruction& instruction : block.instructions)
        if (instruction.operation == c::opcode::unknown &&
            instruction.description == "a variable without a value")
          return false;
    return true;
  };
  CHECK_FALSE(is_known("int v = 8 * n + v;"));
  CHECK_FALSE(is_known("int v; v &= 511;"));
  CHECK_FALSE(is_known("int w; const int v = (w + n) & 31;"));
  CHECK_FALSE(is_known("int w; const bool v = w < n;"));
  CHECK(is_known("int v = 8 * n + m;"));
  // On the path where it is used it has one.
  CHECK(is_known("int v; if (n > 2) v = m; v *= 4;"));
  CHECK(is_known("int v; v = n; v += m;"));
}

TEST_CASE("Addresses in inline assembly", "[clang_reader]") {
  const auto lines = shared_accesses(
      "__global__ void k(unsigned* out) {\n"
      "  __shared__ unsigned s[64];\n"
      "  unsigned at = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x + 16]), v;\n"
      "  asm volatile(\"ld.shared.u32 %0, [%1];\" : \"=r\"(v) : \"r\"(at));\n"
      "  asm volatile(\"ld.shared.u32 %0, [%1+8];\" : \"=r\"(v) : \"r\"(at));\n"
      "  asm volatile(\"ld.shared.u32 %0, [%1 + -16];\" : \"=r\"(v) : \"r\"(at));\n"
      "  asm volatile(\"ld.shared.u32 %0, [%1-0x20];\" : \"=r\"(v) : \"r\"(at));\n"
      "  asm volatile(\"ld.shared.u8 %0, [%1];\" : \"=r\"(v) : \"r\"(at));\n"
      "  out[0] = v;\n}\n",
      2);
  CHECK(lines.at(4) == texts{"load 4 bytes at 64 68: 1"});
  CHECK(lines.at(5) == texts{"load 4 bytes at 72 76: 1"});
  CHECK(lines.at(6) == texts{"load 4 bytes at 48 52: 1"});
  CHECK(lines.at(7) == texts{"load 4 bytes at 32 36: 1"});
  CHECK(lines.at(8) == texts{"load 1 bytes at 64 68: 1"});
  // Other forms are not modelled, and may access it.
  for (const std::string text :
       {"ld.shared.u32 %0, [%1+%1];", "ld.shared.u32 %0, [%1*2];",
        "{ .reg .u32 t; ld.u32 %0, [%1]; }", "mov.u32 %0, %1; ldmatrix.sync %0, [%1];"}) {
    INFO(text);
    const c::read_source source = read(
        "__global__ void k(unsigned* out) {\n  __shared__ unsigned s[64];\n"
        "  unsigned at = (unsigned)__cvta_generic_to_shared(s), v;\n"
        "  asm volatile(\"" +
        text + "\" : \"=r\"(v) : \"r\"(at));\n  out[0] = v;\n}\n");
    REQUIRE(source.kernels.size() == 1);
    c::launch launch;
    launch.block = {32};
    CHECK(c::run(source.kernels.front(), launch).leaves_out_shared);
  }
  for (const std::string text : {"fma.rn.f32 %0, %1, %1, %1;",
                                 "{ .reg .pred p; setp.eq.u32 p, %1, 0; selp.u32 %0, 1, 2, p; }",
                                 "ld.global.u32 %0, [%1];"}) {
    INFO(text);
    CHECK(shared_accesses("__global__ void k(unsigned* out) {\n  __shared__ unsigned s[64];\n"
                          "  unsigned v;\n  asm volatile(\"" +
                              text +
                              "\" : \"=r\"(v) : \"r\"(threadIdx.x));\n"
                              "  s[0] = v;\n}\n",
                          2)
              .size() == 1);
  }
}

TEST_CASE("Branches in inline assembly", "[clang_reader]") {
  // A part of the lanes stores; a loop stores as often as it goes on; what follows is executed.
  const auto lines = shared_accesses(
      "__global__ void k(unsigned* out) {\n  __shared__ unsigned s[64];\n"
      "  unsigned at = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x]), left = 3;\n"
      "  for (int i = 0; i < 2; ++i) {\n"
      "    asm volatile(\"{ .reg .pred p; setp.lt.u32 p, %0, 16; @!p bra over_%=;"
      " st.shared.u32 [%1], %0; over_%=: }\" :: \"r\"(threadIdx.x), \"r\"(at));\n  }\n"
      "  asm volatile(\"{ .reg .pred p; again: st.shared.u32 [%1], %0; sub.u32 %0, %0, 1;"
      " setp.ne.u32 p, %0, 0; @p bra again; }\" : \"+r\"(left) : \"r\"(at));\n"
      "  if (left == 7) asm volatile(\"trap;\");\n"
      "  s[32 + left] = 1;\n}\n",
      32);
  std::string lanes16, lanes32;
  for (int lane = 0; lane < 32; ++lane) {
    const std::string address = " " + std::to_string(4 * lane);
    if (lane < 16) lanes16 += address;
    lanes32 += address;
  }
  const std::string stored = "store 4 bytes at" + lanes16 + ": 1";
  CHECK(lines.at(5) == texts{stored, stored});
  CHECK(lines.at(7) == texts{"store 4 bytes at" + lanes32 + ": 3"});
  CHECK(lines.count(9) == 1);
  // What another unit does is no access of the warp.
  const c::read_source source = read(
      "__global__ void k(unsigned* out) {\n  __shared__ unsigned long long s[8];\n"
      "  unsigned at = (unsigned)__cvta_generic_to_shared(s), v;\n"
      "  asm volatile(\"{ .reg .pred p; again_%=: mbarrier.try_wait.parity.shared.b64 p, [%1], 0;"
      " @!p bra again_%=; selp.u32 %0, 1, 0, p; }\" : \"=r\"(v) : \"r\"(at));\n"
      "  out[v] = v;\n}\n");
  REQUIRE(source.kernels.size() == 1);
  c::launch launch;
  launch.block = {32};
  const c::recording recorded = c::run(source.kernels.front(), launch);
  CHECK_FALSE(recorded.leaves_out);
  CHECK(recorded.arrays_of_units == std::set<int>{0});
  REQUIRE(recorded.accesses.size() == 1);
  CHECK_FALSE(recorded.accesses[0].is_partial);
}

TEST_CASE("Inline assembly accesses shared memory of the block, and of others of its cluster",
          "[clang_reader]") {
  const auto access = [](const std::string& address) {
    const c::read_source source = read(
        "__global__ void k(unsigned* out) {\n  __shared__ unsigned s[64];\n"
        "  unsigned at = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x]), v;\n" +
        address +
        "  asm volatile(\"ld.shared::cluster.u32 %0, [%1+8];\" : \"=r\"(v) : \"r\"(at));\n"
        "  out[0] = v;\n}\n");
    REQUIRE(source.kernels.size() == 1);
    c::launch launch;
    launch.block = {32};
    const c::recording recorded = c::run(source.kernels.front(), launch);
    CHECK_FALSE(recorded.leaves_out_shared);
    for (const c::recorded_access& entry : recorded.accesses)
      if (!entry.is_global) return entry;
    FAIL("no access");
    return c::recorded_access{};
  };
  CHECK(access("").classes.size() == 1);
  const c::recorded_access other =
      access("  asm volatile(\"mapa.shared::cluster.u32 %0, %0, %1;\" : \"+r\"(at) : \"r\"(1));\n");
  CHECK(other.classes.empty());
  CHECK(other.reason.find("a load in the shared memory of a block of the cluster") == 0);
}

TEST_CASE("Barriers in inline assembly are barriers", "[clang_reader]") {
  const auto lines = shared_accesses(
      "__global__ void k(unsigned* out) {\n"
      "  __shared__ unsigned s[256], step;\n"
      "  s[threadIdx.x] = 0;\n"
      "  if (threadIdx.x == 32) step = 2;\n"
      "  asm volatile(\"bar.sync 0;\");\n"
      "  out[0] = s[threadIdx.x * step];\n}\n",
      64);
  CHECK(lines.at(6).size() == 2);
  for (const std::string& text : lines.at(6)) CHECK(text.find("in part") == std::string::npos);
}

TEST_CASE("Votes of a part of a warp", "[clang_reader]") {
  // Lanes 0 to 15 and 16 to 31 are two groups; lane 3 votes yes.
  const std::string begin =
      "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
      "__global__ void k(unsigned* out) {\n  __shared__ unsigned s[256];\n"
      "  unsigned half = threadIdx.x < 16 ? 0xffffu : 0xffff0000u;\n"
      "  auto tile = cg::tiled_partition<16>(cg::this_thread_block());\n";
  const auto first_lanes = [](const std::map<int, texts>& lines) {
    const std::string& text = lines.at(7).front();
    return text.find(" 60: 1") != std::string::npos && text.find(" 0 4 8") != std::string::npos;
  };
  CHECK(first_lanes(shared_accesses(
      begin + "  if (__any_sync(half, threadIdx.x == 3)) s[threadIdx.x] = 1;\n}\n", 32)));
  CHECK(first_lanes(shared_accesses(
      begin + "  if (!__all_sync(half, threadIdx.x != 3)) s[threadIdx.x] = 1;\n}\n", 32)));
  CHECK(first_lanes(
      shared_accesses(begin + "  if (tile.any(threadIdx.x == 3)) s[threadIdx.x] = 1;\n}\n", 32)));
  CHECK(first_lanes(
      shared_accesses(begin + "  if (!tile.all(threadIdx.x != 3)) s[threadIdx.x] = 1;\n}\n", 32)));
  const texts one_place = {"store 4 bytes at" + [] {
    std::string addresses;
    for (int lane = 0; lane < 32; ++lane) addresses += lane < 16 ? " 32" : " 64";
    return addresses;
  }() + ": 1"};
  CHECK(shared_accesses(begin + "  s[tile.ballot(threadIdx.x % 16 == (threadIdx.x < 16 ? 3 : 4))]"
                                " = 1;\n}\n",
                        32)
            .at(7) == one_place);
  CHECK(shared_accesses(begin + "  s[__popc(__ballot_sync(half, threadIdx.x < 24)) == 16 ? 8 : 16]"
                                " = 1;\n}\n",
                        32)
            .at(7) == one_place);
  c::source_options hip;
  hip.is_hip = true;
  CHECK(shared_accesses("__global__ void k() {\n  __shared__ int s[64];\n"
                        "  s[__popcll(__ballot_sync(~0ull, 1)) - 1] = 1;\n}\n",
                        64, hip)
            .at(3)
            .front()
            .find("at 252 252") != std::string::npos);
  // The lanes below this one, of the lower half: 32 of them for each lane of the upper half.
  std::string expected = "store 4 bytes at";
  for (int lane = 0; lane < 64; ++lane) expected += " " + std::to_string(4 * std::min(lane, 32));
  CHECK(shared_accesses("__global__ void k() {\n  __shared__ int s[64];\n"
                        "  s[__builtin_amdgcn_mbcnt_lo(~0u, 0)] = 1;\n}\n",
                        64, hip)
            .at(3) == texts{expected + ": 1"});
  // Lanes 40 to 63 execute this: the value of the first of them, and that of lane 41.
  std::string first_lane = "store 4 bytes at", lane_41 = first_lane;
  for (int lane = 40; lane < 64; ++lane) first_lane += " 40", lane_41 += " 164";
  const auto upper_lanes = [&](const std::string& element) {
    return shared_accesses(
               "__global__ void k() {\n  __shared__ int s[64];\n"
               "  if (threadIdx.x > 39) s[" +
                   element + "] = 1;\n}\n",
               64, hip)
        .at(3);
  };
  CHECK(upper_lanes("__builtin_amdgcn_readfirstlane(threadIdx.x) - 30") ==
        texts{first_lane + ": 1"});
  CHECK(upper_lanes("__builtin_amdgcn_readlane(threadIdx.x, 41)") == texts{lane_41 + ": 1"});
}

TEST_CASE("Builtins of AMD", "[clang_reader]") {
  c::source_options hip;
  hip.is_hip = true;
  const auto accesses = [&](const std::string& statement) {
    const auto lines = shared_accesses(
        "typedef __attribute__((__vector_size__(16))) _Float16 halves;\n"
        "typedef __attribute__((__vector_size__(16))) float floats;\n"
        "#define SHARED(p) (__attribute__((address_space(3))) decltype(*(p) + 0)*)(p)\n"
        "__global__ void k(float* o, halves h, floats f) {\n  __shared__ float s[64];\n" +
            statement + "\n}\n",
        2, hip);
    return lines.count(6) == 0 ? texts() : lines.at(6);
  };
  CHECK(accesses("__builtin_amdgcn_ds_faddf(SHARED(&s[threadIdx.x]), 1.0f, 0, 0, false);") ==
        texts{"atomic 4 bytes at 0 4: 1"});
  CHECK(accesses("__builtin_amdgcn_ds_fmaxf(SHARED(&s[2 * threadIdx.x]), 1.0f, 0, 0, false);") ==
        texts{"atomic 4 bytes at 0 8: 1"});
  // What is of no machine that this version of Clang knows; a product needs what it is made of.
  CHECK(accesses("__builtin_amdgcn_sched_barrier(0); __builtin_amdgcn_iglp_opt(1); "
                 "__builtin_amdgcn_sched_group_barrier(8, 1, 0); s[threadIdx.x] = 1;") ==
        texts{"store 4 bytes at 0 4: 1"});
  CHECK(accesses("s[__builtin_amdgcn_wmma_f32_16x16x16_f16_w32(h, h, f)[0] > 1 ? 3 : 3] = 1;") ==
        texts{"store 4 bytes at 12 12: 1"});
}

TEST_CASE("Unrolled loops make the requests of loops", "[clang_reader]") {
  for (const std::string loop : {
           "for (int i = 0; i < 8; ++i) if (threadIdx.x < 4 * i) s[threadIdx.x + i] = 1;",
           "for (int i = 0; i < 8; ++i) { if (threadIdx.x % 2 == i % 2) continue; s[i] = s[2 * i]; "
           "}",
           "for (int i = 0; i < 8; ++i) { if (i > threadIdx.x) break; s[i * threadIdx.x] = 1; }",
           "for (int i = 0; i < 6; ++i) for (int j = i; j < 6; ++j) s[i * threadIdx.x + j] = 1;",
           "\n#pragma unroll 3\n  for (int i = 0; i < 7; ++i) s[i * threadIdx.x] = s[i];",
           "\n#pragma unroll 4\n  for (int i = 0; i < 512; ++i) s[(i * threadIdx.x) & 255] += 1;",
           "int i = 0; do { s[i * threadIdx.x] = 1; } while (++i < 5);",
           "for (int i = 0; s[i] >= 0 && i < 0; ++i) s[i] = 1;",
           "for (int i = 16; i > 0; i >>= 1) { if (threadIdx.x < i) s[threadIdx.x] += "
           "s[threadIdx.x + i]; __syncthreads(); }",
           "for (int i = 0; i < 5000; ++i) s[i & 255] = 1;",
       }) {
    INFO(loop);
    const std::string text = "__global__ void k() {\n  __shared__ int s[512];\n  " + loop + "\n}\n";
    c::source_options loops;
    loops.unrolls = false;
    CHECK(requests_by_line(text, {}) == requests_by_line(text, loops));
  }
}

TEST_CASE("Absolute values are known", "[clang_reader]") {
  for (const std::string header : {"", "#include <cstdlib>", "#include <stdlib.h>"})
    for (const std::string call : {"abs((int)threadIdx.x - 20)", "labs((long)threadIdx.x - 20)",
                                   "llabs((long long)threadIdx.x - 20)"})
      CHECK(shared_accesses(header + "\n__global__ void k() {\n  __shared__ char s[64];\n  s[" +
                                call + "] = 1;\n}\n",
                            32)
                .at(4) == std::vector<std::string>{
                              "store 1 bytes at 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 "
                              "1 0 1 2 3 4 5 6 7 8 9 10 11: 1"});
}

TEST_CASE("Source asks for AMD's machines that Clang is too old to know", "[clang_reader]") {
  for (const auto& [name, lanes] : {std::pair("gfx90a", 64),
                                    {"gfx942", 64},
                                    {"gfx950", 64},
                                    {"gfx1030", 32},
                                    {"gfx1100", 32},
                                    {"gfx1201", 32}}) {
    INFO(name);
    c::source_options options;
    options.is_hip = true;
    options.architecture = name;
    const c::read_source source =
        read("__global__ void k(int* out) {\n  __shared__ int s[64];\n#if defined(__" +
                 std::string(name) +
                 "__) && (!defined(__gfx1030__) || !defined(__gfx1100__))\n"
                 "  s[threadIdx.x] = 1;\n#endif\n  out[0] = 1;\n}\n",
             options);
    INFO(source.diagnostics);
    REQUIRE(source.kernels.size() == 1);
    CHECK(source.kernels[0].lanes == lanes);
    CHECK(shared_accesses(source.kernels[0], {.block = {32}}).size() == 1);
  }
}

TEST_CASE("Members of structures among the arguments", "[clang_reader]") {
  const std::string text = R"(
struct step { char c; int by[2]; unsigned flags : 3; };
struct base { short low; };
struct view : base { float* to; const step s; union { int u; float v; }; double scale; };
__global__ void k(int first, view v, step t, uint2 size, float* out) {
  __shared__ float a[256];
  a[v.s.by[1] * threadIdx.x + t.by[0] + size.y] = v.low + v.scale;
  if (v.scale > 2) a[first] = v.u;
  v.to[threadIdx.x] = a[255 - t.c];
}
)";
  for (const bool is_hip : {false, true}) {
    c::source_options options;
    options.is_hip = is_hip;
    const c::read_source source = read(text, options);
    INFO(source.diagnostics);
    REQUIRE(source.kernels.size() == 1);
    const c::kernel_code& kernel = source.kernels[0];
    std::vector<std::string> names;
    for (const c::code_parameter& parameter : kernel.parameters) names.push_back(parameter.name);
    CHECK(names == std::vector<std::string>{"first", "v", "t", "size", "out", "v.low", "v.to",
                                            "v.s.c", "v.s.by[0]", "v.s.by[1]", "v.scale", "t.c",
                                            "t.by[0]", "t.by[1]", "size.x", "size.y"});
    c::launch launch{.block = {8}};
    launch.arguments = {{"first", 7},    {"v.s.by[1]", 3},
                        {"t.by[0]", 10}, {"t.c", 2},
                        {"size.y", 100}, {"v.low", 1},
                        {"size.x", 5},   {"v.scale", 0x4008000000000000}};  // 3.0
    const auto lines = shared_accesses(kernel, launch);
    CHECK(lines.at(7) ==
          std::vector<std::string>{"store 4 bytes at 440 452 464 476 488 500 512 524: 1"});
    CHECK(lines.at(8) == std::vector<std::string>{"store 4 bytes at 28 28 28 28 28 28 28 28: 1"});
    CHECK(lines.at(9) ==
          std::vector<std::string>{"load 4 bytes at 1012 1012 1012 1012 1012 1012 1012 1012: 1"});
    const auto accesses = c::run(kernel, launch).accesses;
    CHECK(std::any_of(accesses.begin(), accesses.end(), [&](const c::recorded_access& access) {
      return access.is_global && !access.is_partial && access.array >= 0 &&
             names[static_cast<std::size_t>(access.array)] == "v.to" && access.requests == 1;
    }));
    launch.arguments.erase("t.by[0]");
    try {
      c::run(kernel, launch);
      CHECK(false);
    } catch (const c::cannot_run& error) {
      CHECK(error.right == "give --arg t.by[0]=..");
    }
    // Eight bytes that are given at once.
    launch.arguments.erase("size.x");
    launch.arguments.erase("size.y");
    launch.arguments["size"] = (100ull << 32) + 5;
    launch.arguments["t.by[0]"] = 10;
    CHECK(shared_accesses(kernel, launch).at(7) == lines.at(7));
  }
}

TEST_CASE("A product and a sum are known where fusing them makes no difference", "[clang_reader]") {
  const auto stores = [](const std::string& sum, float a, float b, float c) -> std::string {
    const c::read_source source = read(
        "__global__ void k(float a, float b, float c) {\n  __shared__ float s[64];\n  float x = " +
            sum + ";\n  if (x > 0) s[1] = 1; else s[2] = 1;\n}\n",
        {});
    REQUIRE(source.kernels.size() == 1);
    c::launch launch{.block = {1}};
    launch.arguments = {{"a", std::bit_cast<std::uint32_t>(a)},
                        {"b", std::bit_cast<std::uint32_t>(b)},
                        {"c", std::bit_cast<std::uint32_t>(c)}};
    try {
      return shared_accesses(source.kernels[0], launch).at(4).at(0);
    } catch (const c::cannot_run& error) {
      return error.what();
    }
  };
  const std::string first = "store 4 bytes at 4: 1", second = "store 4 bytes at 8: 1";
  const std::string unknown =
      "a branch that decides about shared memory depends on a product and "
      "a sum, which the compiler may fuse at kernels.cu:";
  // (1 + e)^2 = 1 + 2 e + e^2, of which the last part is lost without fusing.
  const float e = 1.f / 4096 / 1024, root = 1 + e, square = root * root;
  for (const std::string sum : {"a * b + c", "c + a * b", "a * b - (-c)"}) {
    CHECK(stores(sum, 3, 4, -11.5f) == first);
    CHECK(stores(sum, 3, 4, -12) == second);
    CHECK(stores(sum, root, root, -square).substr(0, unknown.size()) == unknown);
  }
  CHECK(stores("c - a * b", 3, 4, 13) == first);
  CHECK(stores("c - a * b", 3, 4, 12) == second);
  // A square that is rounded up.
  const float factor = 1 + 9 / 32768.f, rounded = factor * factor;
  REQUIRE(rounded > static_cast<double>(factor) * factor);
  CHECK(stores("c - a * b", factor, factor, rounded).substr(0, unknown.size()) == unknown);
  CHECK(stores("a * b + a * c", root, root, -root).substr(0, unknown.size()) == unknown);
  CHECK(stores("a * b + a * c", 2, 3, -2.5f) == first);
  CHECK(stores("a + b + c", root, e, -root) == first);
}

TEST_CASE("Expressions have the values that they have in C++", "[clang_reader]") {
  // Of lane t, with these arguments: the subscript of a store.
  const std::string begin =
      "typedef unsigned short two __attribute__((vector_size(4)));\n"
      "__device__ const short table[4] = {5, 300, 9, 1};\n"
      "__global__ void k(unsigned three, unsigned ten, unsigned high, unsigned byte, float nan,\n"
      "                  float large, two pair) {\n"
      "  __shared__ char s[1024];\n  unsigned t = threadIdx.x;\n  two both = {(unsigned short)t, "
      "3};\n"
      "  unsigned p = 1, q = 2 + t;\n"
      "  for (unsigned i = 0; i < three; ++i) { unsigned old = p; p = q; q = old; }\n";
  struct expression {
    std::string text;
    unsigned (*value)(unsigned t);
  };
  const expression expressions[] = {
      {"(t >= ten) + 5", [](unsigned t) { return t >= 10 ? 6u : 5u; }},
      {"(int)(t >= ten) - (int)(t >= three) + 8",
       [](unsigned t) { return t >= 10  ? 8u
                               : t >= 3 ? 7u
                                        : 8u; }},
      {"((t >= ten) | (t >= three)) + 8", [](unsigned t) { return t >= 3 ? 9u : 8u; }},
      {"!(nan > large) + 2 * !(large > t)", [](unsigned) { return 1u; }},
      {"(unsigned)large >> 26", [](unsigned) { return 3000000000u >> 26; }},
      {"*(unsigned*)&both >> 13", [](unsigned t) { return (t + (3u << 16)) >> 13; }},
      {"pair[t & 1]", [](unsigned t) { return t % 2 == 0 ? 40u : 50u; }},
      {"__builtin_ctz(t | 32)",
       [](unsigned t) { return static_cast<unsigned>(std::countr_zero(t | 32)); }},
      {"__builtin_bswap32(t * byte) >> 16", [](unsigned t) { return t; }},
      {"(t << 3) | (high >> 29)", [](unsigned t) { return 8 * t + 5; }},
      {"t > ten ? t - ten : 0", [](unsigned t) { return t > 10 ? t - 10 : 0; }},
      {"__umul24(t | high >> 1, three)", [](unsigned t) { return 3 * t; }},
      {"__ffs(t)",
       [](unsigned t) { return t == 0 ? 0u : static_cast<unsigned>(std::countr_zero(t)) + 1; }},
      {"table[t & 3]", [](unsigned t) { return std::vector<unsigned>{5, 300, 9, 1}[t % 4]; }},
      {"p + 64 * q", [](unsigned t) { return 2 + t + 64; }},
      {"__shfl_up_sync(~0u, 2 * t, 3)", [](unsigned t) { return 2 * (t < 3 ? t : t - 3); }},
      {"__shfl_sync(~0u, 2 * t, 1, 8)", [](unsigned t) { return 2 * (t / 8 * 8 + 1); }},
      {"__shfl_down_sync(~0u, 2 * t, 3, 8)",
       [](unsigned t) { return 2 * (t % 8 < 5 ? t + 3 : t); }},
  };
  c::launch launch{.block = {32}};
  launch.arguments = {{"three", 3},
                      {"ten", 10},
                      {"high", 5u << 29},
                      {"byte", 256},
                      {"nan", 0x7fc00000},
                      {"large", std::bit_cast<std::uint32_t>(3e9f)},
                      {"pair", (50u << 16) + 40}};
  for (const expression& entry : expressions) {
    INFO(entry.text);
    const c::read_source source = read(begin + "  s[" + entry.text + "] = 1;\n}\n");
    INFO(source.diagnostics);
    REQUIRE(source.kernels.size() == 1);
    std::string addresses;
    for (unsigned t = 0; t < 32; ++t) addresses += " " + std::to_string(entry.value(t));
    CHECK(shared_accesses(source.kernels[0], launch).at(10) ==
          texts{"store 1 bytes at" + addresses + ": 1"});
  }
}

TEST_CASE("A loop that the source does not unroll stays one", "[clang_reader]") {
  for (const auto& [pragma, loads] :
       {std::pair("#pragma unroll 1", 1), {"#pragma nounroll", 1}, {"#pragma unroll", 4}}) {
    const c::read_source source = read(
        std::string("__global__ void k(int* out) {\n  __shared__ int s[128];\n  int sum = 0;\n") +
        pragma +
        "\n  for (int i = 0; i < 4; ++i) sum += s[4 * threadIdx.x + i];\n  out[0] = sum;\n}\n");
    REQUIRE(source.kernels.size() == 1);
    int count = 0;
    for (const c::code_block& block : source.kernels[0].blocks)
      for (const c::instruction& instruction : block.instructions)
        count += instruction.operation == c::opcode::access &&
                 instruction.memory.operation == c::access_does::load;
    CHECK(count == loads);
  }
}

TEST_CASE("Accesses are as aligned as their types", "[clang_reader]") {
  const c::read_source source = read(
      "struct pair { int a, b; };\n"
      "__global__ void k(float4* to, const pair* from) {\n"
      "  to[threadIdx.x] = make_float4(1, 2, 3, from[1].b);\n"
      "  *(int2*)to = make_int2(from[2].a, 4);\n}\n");
  REQUIRE(source.kernels.size() == 1);
  std::map<std::pair<int, bool>, std::vector<int>> alignments;
  for (const c::code_block& block : source.kernels[0].blocks)
    for (const c::instruction& instruction : block.instructions)
      if (instruction.operation == c::opcode::access &&
          instruction.memory.memory == c::memory_kind::global)
        alignments[{instruction.location.line,
                    instruction.memory.operation == c::access_does::load}]
            .push_back(instruction.memory.alignment);
  CHECK(alignments ==
        std::map<std::pair<int, bool>, std::vector<int>>{
            {{3, true}, {4}}, {{3, false}, {16}}, {{4, true}, {4}}, {{4, false}, {8}}});
}

TEST_CASE("The declarations before each file have no error in any standard", "[clang_reader]") {
  for (const bool is_hip : {false, true})
    for (const std::string standard : {"c++14", "c++17", "c++20"}) {
      INFO(standard << (is_hip ? ", HIP" : ", CUDA"));
      c::source_options options;
      options.is_hip = is_hip;
      options.standard = standard;
      // A file without a kernel has all errors in its diagnostics.
      const c::read_source nothing = read(
          "#include <cmath>\n#include <vector>\n#include <cooperative_groups.h>\n"
          "#include <cuda_fp16.h>\n#include <hip/hip_runtime.h>\nint nothing;\n",
          options);
      CHECK(nothing.diagnostics == "");
      // Templates of the declarations are checked when they are used.
      const c::read_source used = read(
          "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
          "__global__ void k(float* p, double* q, int* i, __half* h) {\n"
          "  auto tile = cg::tiled_partition<16>(cg::this_thread_block());\n"
          "  p[0] = tile.shfl(p[1], 2) + tile.shfl_up(p[1], 2) + tile.shfl_down(q[1], 2);\n"
          "  i[0] = tile.any(i[1]) + tile.all(i[2]) + tile.ballot(i[3]) + max(i[4], 3);\n"
          "  q[0] = cg::reduce(tile, q[1], cg::plus<double>()) + __shfl_xor(q[2], 4);\n"
          "  atomicAdd(&p[3], 1.f); atomicCAS(&i[5], 1, 2); atomicMax(&i[6], 3);\n"
          "  h[0] = __hadd(h[1], h[2]); tile.sync(); __syncthreads(); __syncwarp();\n"
          "  dim3 block = blockDim; i[7] = block.x + __popc(i[8]) + __clz(i[9]);\n"
          "}\n",
          options);
      INFO(used.diagnostics);
      CHECK_FALSE(used.failed);
    }
}
