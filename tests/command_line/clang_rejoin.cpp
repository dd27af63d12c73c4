// SPDX-License-Identifier: MIT
// Where lanes that a branch has separated rejoin: kernels of source whose lines say how many
// requests they make, which are those of nvcc's machine code
// (reconvergence/compare_with_machine_code.py).
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>

#include "catch.hpp"
#include "examples/bankmodel/clang_reader/source_reader.hpp"
#include "examples/bankmodel/compiled/engine/run.hpp"

namespace c = compiled;

namespace {

using requests_by_line = std::map<int, std::uint64_t>;

// `// 4` at the end of a line.
requests_by_line noted(const std::string& path) {
  static const std::regex note("// ([0-9]+)(, machine code [0-9]+)?$");
  requests_by_line result;
  std::ifstream file(path);
  std::string text;
  for (int line = 1; std::getline(file, text); ++line)
    if (std::smatch match; std::regex_search(text, match, note))
      result[line] = std::stoull(match[1]);
  return result;
}

c::read_source read(const std::string& source) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("bankmodel_rejoin_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "kernel.cu").string();
  std::ofstream(path) << source;
  c::read_source result = c::read_cuda(path, {});
  std::filesystem::remove_all(folder);
  return result;
}

std::map<int, const c::recorded_access*> by_line(const c::recording& record, bool is_global) {
  std::map<int, const c::recorded_access*> result;
  for (const c::recorded_access& access : record.accesses)
    if (access.is_global == is_global) result[access.location.line] = &access;
  return result;
}

}  // namespace

TEST_CASE("Lanes rejoin where the machine code lets them", "[clang_rejoin]") {
  const c::read_source source = c::read_cuda(BANKMODEL_REJOIN_KERNELS, {});
  INFO(source.diagnostics);
  REQUIRE(source.kernels.size() >= 40);
  requests_by_line counts;
  for (const c::kernel_code& kernel : source.kernels) {
    INFO(kernel.name);
    c::launch options{.block = {32}};
    options.arguments["n"] = 3;
    for (const c::recorded_access& access : c::run(kernel, options).accesses) {
      CHECK_FALSE(access.is_partial);
      if (!access.is_global) counts[access.location.line] += access.requests;
    }
  }
  const requests_by_line right = noted(BANKMODEL_REJOIN_KERNELS);
  CHECK(right.size() > 100);
  CHECK(counts == right);
}

// Where a part of a warp passed a barrier before the rest had stored, stale values were loaded.
TEST_CASE("Barriers and warp functions wait for the lanes that are to come", "[clang_rejoin]") {
  const c::read_source source = read(R"(__global__ void k(int* out, int n) {
  __shared__ int s[64], at[64];
  int t = threadIdx.x;
  at[t] = 0;
  __syncthreads();
  if (t < 8 || t * n % 5 == 2)
    at[t] = t;
  __syncthreads();
  s[at[31 - t % 32]] = t;
  int other = __shfl_sync(0xffffffffu, t, t ^ 31);
  if (t & 1) {
    s[other + 16] = 1;
    other += __popc(__ballot_sync(0xaaaaaaaau, other > 3));
  } else if (t > 9) {
    __syncwarp(0x55555400);
  }
  s[other] = t;
}
)");
  INFO(source.diagnostics);
  REQUIRE(source.kernels.size() == 1);
  c::launch options{.block = {32}};
  options.arguments["n"] = 3;
  const c::recording record = c::run(source.kernels[0], options);
  CHECK(record.notes.empty());
  const auto accesses = by_line(record, false);
  for (const auto& [line, access] : accesses) {
    INFO(line);
    CHECK_FALSE(access->is_partial);
    CHECK(access->requests == 1);
  }
  CHECK(accesses.size() == 5);
}

TEST_CASE("A copy is as aligned as its type, not as the first element of an array",
          "[clang_rejoin]") {
  const c::read_source source = read(R"(struct three { float x[3]; };
struct __align__(16) four { float x[4]; };
__global__ void k(four* out) {
  __shared__ __align__(16) three s[64];
  __shared__ four v[64];
  int t = threadIdx.x;
  s[t] = s[0];
  v[t] = v[0];
  out[t] = v[t];
}
)");
  INFO(source.diagnostics);
  REQUIRE(source.kernels.size() == 1);
  std::map<int, std::uint64_t> requests;
  for (const c::recorded_access& access : c::run(source.kernels[0], {.block = {32}}).accesses)
    if (!access.is_global) requests[access.location.line] += access.requests;
  CHECK(requests[7] == 6);  // three words
  CHECK(requests[8] == 2);  // one of 16 bytes
}

TEST_CASE("Whether a result has more bits than its operands is computed", "[clang_rejoin]") {
  // s[32 * the condition]: the address says what it is.
  const auto times_true = [](const std::string& condition) {
    const c::read_source source = read(
        "__global__ void k(int n) {\n  __shared__ int s[64];\n  int t = threadIdx.x;\n"
        "  unsigned u = t;\n  if (" +
        condition + ")\n    s[t] = 1;\n}\n");
    INFO(source.diagnostics);
    REQUIRE(source.kernels.size() == 1);
    c::launch options{.block = {32}};
    options.arguments["n"] = 0x7ffffff0;
    int lanes = 0;
    for (const c::recorded_access& access : c::run(source.kernels[0], options).accesses)
      for (const c::recorded_class& group : access.classes)
        lanes += std::popcount(static_cast<std::uint64_t>(group.lanes.active));
    return lanes;
  };
  CHECK(times_true("__umulhi(u, u * 100000u) == 0") == 32);
  CHECK(times_true("__umulhi(u, u * 100000000u) == 0") == 7);
  CHECK(times_true("u + 0xfffffff0u < u") == 16);
  CHECK(times_true("(unsigned)n * 2u + u < u") == 0);
  CHECK(times_true("u < 5u ? true : u - 20u > u") == 20);
}
