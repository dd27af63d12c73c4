// SPDX-License-Identifier: MIT
// Kernels read from CUDA and HIP source: their accesses with places, widths and memories, their
// arrays, parameters and launches.
#include "examples/bankmodel/clang_reader/source_reader.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "catch.hpp"
#include "examples/bankmodel/clang_reader/crash_guard.hpp"
#include "examples/bankmodel/compiled/engine/run.hpp"
#include "examples/bankmodel/compiled/ptx/ptx_reader.hpp"

namespace bm = bankmodel;
namespace c = compiled;

namespace {

// A file that is there as long as this is.
struct written_file {
  std::string path;
  written_file(const std::string& name, const std::string& text) {
    const auto folder =
        std::filesystem::temp_directory_path() / ("bankmodel_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    path = (folder / name).string();
    std::ofstream(path) << text;
  }
  written_file(const written_file&) = delete;
  ~written_file() { std::filesystem::remove_all(std::filesystem::path(path).parent_path()); }
};

c::read_source read(const std::string& text, const c::source_options& options = {}) {
  const written_file file(options.is_hip ? "kernels.hip" : "kernels.cu", text);
  return c::read_cuda(file.path, options);
}

c::kernel_code kernel_of(const std::string& text, const c::source_options& options = {}) {
  c::read_source result = read(text, options);
  INFO(result.diagnostics);
  REQUIRE_FALSE(result.failed);
  REQUIRE(result.kernels.size() == 1);
  return result.kernels.front();
}

std::string name_of(c::memory_kind memory) {
  constexpr const char* names[] = {"generic", "shared", "global", "local", "constant", "arguments"};
  return names[static_cast<int>(memory)];
}

// "9:13 store shared 4x1" of each access to shared, global or generic memory, in order of places.
std::vector<std::string> accesses(const c::kernel_code& kernel) {
  constexpr const char* verbs[] = {"load",        "store",        "atomic",
                                   "load_matrix", "store_matrix", "copy"};
  std::vector<std::pair<std::pair<int, int>, std::string>> entries;
  for (const c::code_block& block : kernel.blocks)
    for (const c::instruction& item : block.instructions) {
      if (item.operation != c::opcode::access || item.memory.memory == c::memory_kind::local ||
          item.memory.memory == c::memory_kind::arguments)
        continue;
      CHECK(kernel.files.at(static_cast<std::size_t>(item.location.file)).find("kernels.") !=
            std::string::npos);
      entries.push_back({{item.location.line, item.location.column},
                         std::to_string(item.location.line) + ":" +
                             std::to_string(item.location.column) + " " +
                             verbs[static_cast<int>(item.memory.operation)] + " " +
                             name_of(item.memory.memory) + " " + std::to_string(item.memory.bytes) +
                             "x" + std::to_string(item.memory.elements)});
    }
  // Copies of an unrolled loop's accesses are one.
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  std::vector<std::string> result;
  for (const auto& [location, text] : entries) result.push_back(text);
  return result;
}

// But for products and sums that may be fused, which are known where that makes no difference.
std::vector<std::string> unknowns(const c::kernel_code& kernel) {
  std::vector<std::string> result;
  for (const c::code_block& block : kernel.blocks)
    for (const c::instruction& item : block.instructions)
      if (item.operation == c::opcode::unknown &&
          item.description.find("may fuse") == std::string::npos)
        result.push_back(item.description);
  return result;
}

int count(const c::kernel_code& kernel, c::opcode kind) {
  int result = 0;
  for (const c::code_block& block : kernel.blocks)
    for (const c::instruction& item : block.instructions) result += item.operation == kind;
  return result;
}

// Each block ends with one branch or end, which are nowhere else; registers are in range.
void is_well_formed(const c::kernel_code& kernel) {
  REQUIRE_FALSE(kernel.blocks.empty());
  for (const c::code_block& block : kernel.blocks) {
    REQUIRE_FALSE(block.instructions.empty());
    for (std::size_t index = 0; index < block.instructions.size(); ++index) {
      const c::instruction& item = block.instructions[index];
      const bool ends = item.operation == c::opcode::branch || item.operation == c::opcode::leave;
      CHECK(ends == (index + 1 == block.instructions.size()));
      for (const int target : item.results) CHECK((target >= 0 && target < kernel.registers));
      for (const int successor : item.blocks)
        CHECK((successor >= 0 && successor < static_cast<int>(kernel.blocks.size())));
      for (const c::operand& source : item.operands) {
        CHECK(source.is != c::operand::kind::none);
        if (source.is == c::operand::kind::reg)
          CHECK(source.value < static_cast<std::uint64_t>(kernel.registers));
      }
    }
  }
}

using texts = std::vector<std::string>;

// The requests to shared memory of a block: how often lanes with these addresses make an access of
// this kind and width.
using request_key = std::tuple<int, int, std::vector<long long>, long long>;
std::map<request_key, std::uint64_t> shared_requests(const c::kernel_code& kernel,
                                                     c::launch options, std::uint64_t argument) {
  for (const c::code_parameter& parameter : kernel.parameters)
    if (!parameter.is_pointer && parameter.bytes == 4) options.arguments[parameter.name] = argument;
  std::map<request_key, std::uint64_t> result;
  for (const c::recorded_access& access : c::run(kernel, options).accesses) {
    if (access.is_global) continue;
    for (const c::recorded_class& group : access.classes) {
      std::vector<long long> addresses;
      for (std::size_t lane = 0; lane < 32; ++lane)
        addresses.push_back((group.lanes.active >> lane & 1) != 0
                                ? static_cast<long long>(group.lanes.address[lane])
                                : -1);
      for (const auto& [base, times] : group.times)
        result[{static_cast<int>(access.memory.operation),
                access.memory.bytes * access.memory.elements, addresses, base}] += times;
    }
  }
  return result;
}

}  // namespace

TEST_CASE("A transpose: accesses, arrays, parameters and its launch", "[clang_reader]") {
  const c::read_source result = read(R"(#include <cuda_runtime.h>
__global__ void transpose(float* out, const float* in, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  for (int j = 0; j < 32; j += 8)
    out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
int main() {
  const int n = 128;
  dim3 block(32, 8), grid(n / 32, n / 32);
  transpose<<<grid, block>>>(nullptr, nullptr, n);
}
)");
  REQUIRE_FALSE(result.failed);
  CHECK(result.diagnostics.empty());
  CHECK(result.missing_headers.empty());
  REQUIRE(result.kernels.size() == 1);
  const c::kernel_code& kernel = result.kernels.front();
  is_well_formed(kernel);
  CHECK(kernel.name == "transpose");
  CHECK(kernel.linkage == "_Z9transposePfPKfi");
  CHECK(kernel.lanes == 32);
  CHECK(accesses(kernel) == texts{"6:40 store shared 4x1", "6:42 load global 4x1",
                                  "9:26 store global 4x1", "9:28 load shared 4x1"});
  CHECK(count(kernel, c::opcode::barrier) == 1);

  REQUIRE(kernel.shared.size() == 1);
  const c::code_array& tile = kernel.shared.front();
  CHECK(tile.name == "tile");
  CHECK(tile.element_type == "float");
  CHECK(tile.element_bytes == 4);
  CHECK(tile.bytes == 32 * 33 * 4);
  CHECK(tile.extents == std::vector<long long>{32, 33});
  CHECK(tile.location.line == 3);
  CHECK(tile.location.column == 20);

  REQUIRE(kernel.parameters.size() == 3);
  CHECK(kernel.parameters[0].name == "out");
  CHECK(kernel.parameters[0].type == "float *");
  CHECK(kernel.parameters[0].is_pointer);
  CHECK(kernel.parameters[1].offset == 8);
  CHECK(kernel.parameters[2].name == "n");
  CHECK(kernel.parameters[2].offset == 16);
  CHECK(kernel.parameters[2].bytes == 4);
  CHECK_FALSE(kernel.parameters[2].is_pointer);

  REQUIRE(result.launches.size() == 1);
  const c::found_launch& launch = result.launches.front();
  CHECK(launch.kernel == "transpose");
  CHECK(launch.linkage == kernel.linkage);
  CHECK(launch.grid == std::array<unsigned, 3>{4, 4, 1});
  CHECK(launch.block == std::array<unsigned, 3>{32, 8, 1});
  CHECK(launch.dynamic_shared_bytes == 0);
  CHECK(launch.line == 14);
}

TEST_CASE("A template with a dynamic array is instantiated by its launch", "[clang_reader]") {
  const c::read_source result = read(R"(
template <class T, int B> __global__ void reduce(const T* in, T* out) {
  extern __shared__ T mem[];
  mem[threadIdx.x] = in[blockIdx.x * B + threadIdx.x];
  __syncthreads();
  for (unsigned s = B / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) mem[threadIdx.x] += mem[threadIdx.x + s];
    __syncthreads();
  }
  T v = mem[threadIdx.x];
  v += __shfl_down_sync(0xffffffffu, v, 16);
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}
void host(int many, float* p) {
  constexpr int threads = 128;
  reduce<float, threads><<<many, threads, threads * sizeof(float)>>>(p, p);
}
)");
  REQUIRE_FALSE(result.failed);
  REQUIRE(result.kernels.size() == 1);
  const c::kernel_code& kernel = result.kernels.front();
  is_well_formed(kernel);
  CHECK(kernel.name == "reduce<float, 128>");
  CHECK(accesses(kernel) == texts{"4:20 store shared 4x1", "4:22 load global 4x1",
                                  "7:43 load shared 4x1", "7:43 store shared 4x1",
                                  "7:46 load shared 4x1", "10:9 load shared 4x1",
                                  "12:41 store global 4x1"});
  REQUIRE(kernel.shared.size() == 1);
  CHECK(kernel.shared.front().name == "mem");
  CHECK(kernel.shared.front().bytes == 0);
  CHECK(count(kernel, c::opcode::shuffle) == 1);
  REQUIRE(result.launches.size() == 1);
  CHECK_FALSE(result.launches.front().grid.has_value());
  CHECK(result.launches.front().block == std::array<unsigned, 3>{128, 1, 1});
  CHECK(result.launches.front().dynamic_shared_bytes == 512);
}

TEST_CASE("Vectors are accessed as wide as they are", "[clang_reader]") {
  const c::kernel_code kernel = kernel_of(R"(
__global__ void product(const float* a, float* out, int k) {
  __shared__ float as[8 * 64];
  __shared__ double2 both[32];
  float sum[4] = {0.f};
  float4 v = reinterpret_cast<const float4*>(&a[threadIdx.x * 4])[0];
  as[threadIdx.x] = v.x;
  as[threadIdx.x + 64] = v.y;
  both[threadIdx.x] = make_double2(v.z, v.w);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    float4 w = reinterpret_cast<float4*>(as)[i * 16 + threadIdx.x];
    sum[i] += w.x * w.y + w.z * w.w;
  }
  *reinterpret_cast<float4*>(&out[threadIdx.x * 4]) =
      make_float4(sum[0], sum[1], sum[2], sum[3]);
  double2 d = both[threadIdx.x ^ 1];
  out[k] = d.x + d.y;
}
)");
  is_well_formed(kernel);
  const texts list = accesses(kernel);
  CHECK(std::count(list.begin(), list.end(), "6:14 load global 4x4") == 1);
  CHECK(std::count(list.begin(), list.end(), "7:19 store shared 4x1") == 1);
  CHECK(std::count(list.begin(), list.end(), "9:21 store shared 4x4") == 1);
  CHECK(std::count(list.begin(), list.end(), "13:16 load shared 4x4") >= 1);
  CHECK(std::count(list.begin(), list.end(), "16:53 store global 4x4") == 1);
  CHECK(std::count(list.begin(), list.end(), "18:15 load shared 4x4") == 1);
  CHECK(unknowns(kernel).empty());
}

TEST_CASE("Structures, pointers into shared memory, switch and helpers", "[clang_reader]") {
  const c::kernel_code kernel = kernel_of(R"(
struct cell { float value[4]; int next; };
struct options { float* data; int first, last; };
__device__ float add_up(const float* from, int step) {
  float sum = 0;
  for (int i = 0; i < 4; ++i) sum += from[i * step];
  return sum;
}
__device__ void swap_in(float& a, float& b) { float t = a; a = b; b = t; }
__global__ void mixed(options o, int which) {
  __shared__ cell cells[32];
  __shared__ int histogram[64];
  cell& mine = cells[threadIdx.x];
  mine.value[which] = o.data[o.first];
  mine.next = o.last;
  float* into = cells[0].value;
  into[threadIdx.x] = 1.f;
  atomicAdd(&histogram[threadIdx.x & 63], 1);
  __syncthreads();
  float r = 0, s = 1;
  switch (which) {
    case 0: r = mine.value[1]; break;
    case 1: r = into[threadIdx.x]; break;
    case 5: r = expf(into[0]); break;
    default: r = add_up(into, 2);
  }
  swap_in(r, s);
  o.data[threadIdx.x] = r + s;
}
)");
  is_well_formed(kernel);
  CHECK(accesses(kernel) == texts{"6:38 load shared 4x1", "14:21 store shared 4x1",
                                  "14:23 load global 4x1", "15:13 store shared 4x1",
                                  "17:21 store shared 4x1", "18:3 atomic shared 4x1",
                                  "22:17 load shared 4x1", "23:17 load shared 4x1",
                                  "24:22 load shared 4x1", "28:23 store global 4x1"});
  CHECK(unknowns(kernel) == texts{"exp()"});
  REQUIRE(kernel.shared.size() == 2);
  CHECK(kernel.shared[0].name == "cells");
  CHECK(kernel.shared[0].element_bytes == 20);
  CHECK(kernel.shared[0].extents == std::vector<long long>{32});
  CHECK(kernel.parameters[0].name == "o");
  CHECK(kernel.parameters[0].bytes == 16);
  CHECK_FALSE(kernel.parameters[0].is_pointer);
  CHECK(kernel.parameters[1].offset == 16);
}

TEST_CASE("Arrays in shared memory are in the order of their declarations", "[clang_reader]") {
  const c::kernel_code kernel = kernel_of(R"(
__shared__ int of_file[3];
__global__ void several() {
  __shared__ float first[32], second[32], unused[32], third[32];
  third[threadIdx.x] = 1;
  if (threadIdx.x < 16) second[threadIdx.x] = 1; else first[5] = 1;
  of_file[0] = 2;
}
)");
  std::vector<std::string> names;
  for (const c::code_array& array : kernel.shared) names.push_back(array.name);
  CHECK(names == texts{"of_file", "first", "second", "third"});
}

TEST_CASE("Accesses whose values nobody uses remain", "[clang_reader]") {
  const c::kernel_code kernel = kernel_of(R"(
__global__ void twice(float* out) {
  __shared__ float a[64];
  a[threadIdx.x] = 1;
  a[threadIdx.x] = 2;
  float unused = a[threadIdx.x + 1];
  float x = a[threadIdx.x], y = a[threadIdx.x];
  if (threadIdx.x < 16) x += a[3]; else x += a[3];
  out[0] = x + y;
}
)");
  CHECK(accesses(kernel) == texts{"4:18 store shared 4x1", "5:18 store shared 4x1",
                                  "6:18 load shared 4x1", "7:13 load shared 4x1",
                                  "7:33 load shared 4x1", "8:30 load shared 4x1",
                                  "8:46 load shared 4x1", "9:10 store global 4x1"});
}

TEST_CASE("Errors in host code and missing headers do not stop the reading", "[clang_reader]") {
  const std::string text = R"(#include <helper_of_nobody.h>
#include <vector>
#include <algorithm>
#include <cstdio>
__global__ void copies(int* to, const int* from) {
  to[threadIdx.x] = max(from[threadIdx.x], 0);
  if (threadIdx.x == 0) printf("%d\n", to[0]);
}
static void host() {
  checkCudaErrors(cudaMalloc(1, 2, 3, 4));
  unknown_type<int> all;
  std::vector<int> v;
  copies<<<1, 32>>>(all, v.data());
  copies<<<2, 64>>>(v.data(), v.data());
}
)";
  const c::read_source result = read(text);
  INFO(result.diagnostics);
  CHECK_FALSE(result.failed);
  REQUIRE(result.kernels.size() == 1);
  CHECK(accesses(result.kernels.front()).size() == 3);
  CHECK(result.missing_headers == texts{"helper_of_nobody.h"});
  REQUIRE_FALSE(result.launches.empty());
  CHECK(result.launches.back().block == std::array<unsigned, 3>{64, 1, 1});
}

// A static_assert and templates of ours that have one, as shuffles.
TEST_CASE("An error in host code does not refuse a kernel with a static_assert", "[clang_reader]") {
  const std::string text = R"(#include <library_of_nobody.h>
#include <cooperative_groups/reduce.h>
#include "library_of_nobody.h"
namespace cg = cooperative_groups;
void check(libraryStatus_t status) {}
template <int N> __device__ float times(float a) {
  static_assert(N > 0, "a positive number");
  return N * a;
}
__global__ void sums(float* to) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  float sum = __shfl_down_sync(0xffffffff, times<2>(to[threadIdx.x]), 16);
  static_assert(sizeof(sum) == 4, "a float");
  to[threadIdx.x] = cg::reduce(warp, sum, cg::plus<float>());
}
int main() { sums<<<1, 64>>>(nullptr); }
)";
  c::read_source result = read(text);
  INFO(result.diagnostics);
  CHECK_FALSE(result.failed);
  REQUIRE(result.kernels.size() == 1);
  CHECK(accesses(result.kernels.front()) ==
        texts{"12:53 load global 4x1", "14:19 store global 4x1"});
  CHECK(result.missing_headers == texts{"library_of_nobody.h"});
  REQUIRE(result.launches.size() == 1);
  CHECK(result.launches.front().block == std::array<unsigned, 3>{64, 1, 1});

  std::string wrong = text;
  wrong.replace(wrong.find("times<2>"), 8, "times<0>");
  result = read(wrong);
  CHECK(result.kernels.empty());
  REQUIRE(result.unread.size() == 1);
  CHECK(result.unread.front().reason.find("a positive number") != std::string::npos);
}

// A toolkit's headers and our declarations of the same names do not compile together.
TEST_CASE("Headers of a toolkit in a folder of -I", "[clang_reader]") {
  const std::string notice = "// Copyright NVIDIA Corporation\n";
  for (const bool is_named : {true, false}) {
    const written_file half(
        "cuda_fp16.h", notice + "__device__ float __shfl_down_sync(unsigned, float, unsigned);\n"),
        library("cublas_v2.h", notice + "#include \"cuda_fp16.h\"\ntypedef int cublasStatus_t;\n"),
        own("math_functions.h", "#define WIDTH 3\n");
    c::source_options options;  // without -I, headers beside the file
    if (is_named)
      options.flags.include_folders = {std::filesystem::path(half.path).parent_path().string()};
    const c::read_source result = read(R"(#include "cublas_v2.h"
#include "math_functions.h"
void check(cublasStatus_t status) {}
__global__ void k(float* to, float from) {
  to[threadIdx.x * WIDTH] = __shfl_down_sync(0xffffffff, from, 16);
}
)",
                                       options);
    INFO(is_named << result.diagnostics);
    CHECK(result.diagnostics.empty());
    REQUIRE(result.kernels.size() == 1);
    CHECK(accesses(result.kernels.front()) == texts{"5:27 store global 4x1"});
  }
}

TEST_CASE("A file in the current folder", "[clang_reader]") {
  const written_file file("kernels.cu", "__global__ void k(int* to) { *to = 1; }\n");
  const auto previous = std::filesystem::current_path();
  std::filesystem::current_path(std::filesystem::path(file.path).parent_path());
  const c::read_source result = c::read_cuda("kernels.cu", {});
  std::filesystem::current_path(previous);
  CHECK(result.diagnostics.empty());
  CHECK(result.kernels.size() == 1);
}

TEST_CASE("Functions of C++'s math.h have no std:: without it too", "[clang_reader]") {
  for (const std::string header : {"stdio.h", "math.h", "cmath"})
    for (const std::string standard : {"c++14", "c++17", "c++20"}) {
      c::source_options options;
      options.standard = standard;
      const c::read_source result = read("#include <" + header + R"(>
__host__ __device__ int kind(float a, double b) {
  return isnan(a) + isinf(b) + isfinite(a) + signbit(b) + isnormal(a) + isgreater(a, 2.0f);
}
__global__ void k(int* to, float a, double b) {
  to[0] = kind(a, b) + isunordered(b, 1.0) + std::isnan(b) + (abs(a) < 1);
}
)",
                                         options);
      INFO(header << standard << result.diagnostics);
      CHECK(result.diagnostics.empty());
      CHECK(result.kernels.size() == 1);
    }
}

TEST_CASE("An error in a kernel is Clang's error, and other kernels are read", "[clang_reader]") {
  const c::read_source result = read(R"(
__device__ int helper(int a) { return a + missing_thing; }
__global__ void good(int* a) { a[threadIdx.x] = 1; }
__global__ void bad(int* a) { a[threadIdx.x] = helper(2); }
)");
  CHECK(result.failed);
  REQUIRE(result.kernels.size() == 1);
  CHECK(result.kernels.front().name == "good");
  REQUIRE(result.unread.size() == 1);
  CHECK(result.unread.front().name == "bad");
  CHECK(result.diagnostics.find("kernels.cu:2:43: error: use of undeclared identifier "
                                "'missing_thing'") != std::string::npos);
}

TEST_CASE("An error in one instantiation of a template is its kernel's", "[clang_reader]") {
  const c::read_source result = read(R"(
struct empty {};
template <class T> __device__ int value_of(T t) { return t.value; }
__global__ void good(int* a) { a[threadIdx.x] = 1; }
__global__ void bad(int* a) { a[threadIdx.x] = value_of(empty{}); }
)");
  REQUIRE(result.unread.size() == 1);
  CHECK(result.unread.front().name == "bad");
  CHECK(result.diagnostics.find("kernels.cu:3:60: error: no member named 'value' in 'empty'") !=
        std::string::npos);
}

TEST_CASE("Branches on one variable meet where the source says", "[clang_reader]") {
  const c::kernel_code code = kernel_of(
      "__global__ void k(int* out) {\n"
      "  __shared__ int s[64];\n"
      "  if (threadIdx.y != 0) s[threadIdx.x] = 1;\n"
      "  if (threadIdx.y != 2) s[threadIdx.x + 16] = 2;\n"
      "  __syncthreads();\n"
      "  out[0] = s[threadIdx.x];\n"
      "}\n");
  // Warp 0 has the rows 0 and 1, warp 1 the rows 2 and 3: each stores once at each line.
  std::map<int, std::uint64_t> requests;
  for (const c::recorded_access& access : c::run(code, {.block = {16, 4}}).accesses)
    if (!access.is_global) requests[access.location.line] += access.requests;
  CHECK(requests[3] == 2);
  CHECK(requests[4] == 2);
  CHECK(requests[6] == 2);
}

TEST_CASE("Files without kernels, and no file", "[clang_reader]") {
  const c::read_source nothing = read("int main() { return 0; }\n");
  CHECK(nothing.failed);
  CHECK(nothing.diagnostics.empty());
  const c::read_source unknown_type = read("__global__ void k(nothing* p) { p[0] = 1; }\n");
  CHECK(unknown_type.failed);
  REQUIRE(unknown_type.unread.size() == 1);
  CHECK(unknown_type.unread.front().name == "k");
  CHECK(unknown_type.diagnostics.find("unknown type name 'nothing'") != std::string::npos);
  const c::read_source broken = read("__global__ void k( {\n");
  CHECK(broken.failed);
  CHECK_FALSE(broken.diagnostics.empty());
  const c::read_source no_file = c::read_cuda("/nowhere/at/all.cu", {});
  CHECK(no_file.failed);
  CHECK_FALSE(no_file.diagnostics.empty());
}

TEST_CASE("Cooperative groups, numbers of 16 bits, bits and votes", "[clang_reader]") {
  const c::kernel_code kernel = kernel_of(R"(#include <cooperative_groups.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;
__constant__ float weights[9];
__global__ void groups(__half* h, int* out) {
  __shared__ __half2 pairs[64];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  pairs[tile.thread_rank()] = __halves2half2(h[threadIdx.x], __float2half(weights[2]));
  cg::sync(block);
  int v = __popc(__ballot_sync(0xffffffffu, threadIdx.x > 3)) + __clz(out[1]) + __ffs(out[2]);
  v += tile.shfl_xor(v, 4);
  tile.sync();
  h[0] = pairs[threadIdx.x].x;
  out[threadIdx.x] = __ldg(&out[v]) + sqrtf(2.f);
}
)");
  is_well_formed(kernel);
  const texts list = accesses(kernel);
  CHECK(std::count(list.begin(), list.end(), "9:29 store shared 4x1") == 1);
  CHECK(std::count(list.begin(), list.end(), "15:22 load global 4x1") == 1);
  CHECK(count(kernel, c::opcode::barrier) == 1);
  // The lanes of the tile meet, before the shuffle too, and no access is moved past sync().
  CHECK(count(kernel, c::opcode::warp_sync) == 3);
  CHECK(count(kernel, c::opcode::shuffle) == 1);
  CHECK(count(kernel, c::opcode::vote) == 1);
  CHECK(count(kernel, c::opcode::count_leading_zeros) == 2);
}

TEST_CASE("Inline assembly", "[clang_reader]") {
  const c::kernel_code kernel = kernel_of(R"(
__global__ void matrices(const float4* from, unsigned* out) {
  __shared__ __align__(16) unsigned short tile[16][72];
  unsigned a, b, c, d, lane;
  unsigned at = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x % 16][0]);
  asm volatile("cp.async.cg.shared.global [%0], [%1], %2;\n" ::"r"(at), "l"(from), "n"(16));
  asm volatile("cp.async.commit_group;\n" ::);
  asm volatile("cp.async.wait_group %0;\n" ::"n"(0));
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at));
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(lane));
  asm volatile("fma.rn.f32 %0, %1, %1, %1;" : "=r"(b) : "r"(c));
  asm volatile("{ .reg .u32 t; ld.shared.u32 t, [%0]; }" ::"r"(at));
  out[lane] = a + b + c + d;
}
)");
  is_well_formed(kernel);
  CHECK(accesses(kernel) == texts{"6:3 copy shared 16x1", "10:3 load_matrix shared 16x1",
                                  "12:3 store shared 4x1", "14:3 load shared 4x1",
                                  "15:13 store global 4x1"});
  for (const c::code_block& block : kernel.blocks)
    for (const c::instruction& item : block.instructions) {
      CHECK(item.operation != c::opcode::unknown);
      if (item.memory.operation == c::access_does::copy) CHECK(item.memory.uncached);  // .cg
      if (item.memory.operation != c::access_does::load_matrix) continue;
      CHECK(item.memory.matrices == 4);
      CHECK(item.results.size() == 4);
    }
}

TEST_CASE("A function that is given as an argument", "[clang_reader]") {
  const c::kernel_code kernel = kernel_of(R"(
__device__ float plus(float a, float b) { return a + b; }
template <class Function> __device__ float fold(const float* a, Function f) {
  return f(a[0], f(a[1], a[2]));
}
__global__ void folds(float* out) {
  __shared__ float s[64];
  const float scale = 2;
  const auto scaled = [&](int i) { return s[i] * scale; };
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = fold(&s[threadIdx.x], plus) + scaled(threadIdx.x);
}
)");
  is_well_formed(kernel);
  CHECK(unknowns(kernel).empty());
  CHECK(accesses(kernel).size() == 6);
}

// Kernels in which nvcc neither removes nor joins an access.
TEST_CASE("The source and nvcc's PTX of it make the same requests", "[clang_reader]") {
  struct tried {
    const char* file;
    const char* kernel;
    bm::block_dim block;
  };
  const tried cases[] = {{"blocks", "sum", {256}},
                         {"blocks", "scan", {256}},
                         {"blocks", "counted", {256}},
                         {"blocks", "rows", {32}},
                         {"blocks", "divergent", {64}},
                         {"blocks", "told", {32}},
                         {"tiles", "transpose<32>", {32, 8}},
                         {"tiles", "transpose<33>", {32, 8}},
                         {"tiles", "product", {8, 32}}};
  for (const std::string file : {"blocks", "tiles"}) {
    const std::string path =
        (std::filesystem::path(__FILE__).parent_path() / "ptx" / file).string();
    std::ifstream text(path + ".ptx");
    REQUIRE(text);
    const auto of_nvcc = c::read_ptx({std::istreambuf_iterator<char>(text), {}});
    const c::read_source source = c::read_cuda(path + ".cu", {});
    INFO(source.diagnostics);
    REQUIRE_FALSE(source.failed);
    for (const tried& item : cases) {
      if (item.file != file) continue;
      INFO(item.kernel);
      const auto written =
          std::find_if(source.kernels.begin(), source.kernels.end(),
                       [&](const auto& entry) { return entry.name == item.kernel; });
      REQUIRE(written != source.kernels.end());
      const auto match = std::find_if(of_nvcc.begin(), of_nvcc.end(), [&](const auto& candidate) {
        return candidate.linkage == written->linkage;
      });
      REQUIRE(match != of_nvcc.end());
      c::launch options;
      options.block = item.block;
      options.grid = {4, 4, 1};
      options.dynamic_shared_bytes = 1024;
      const auto requests = shared_requests(*written, options, 3);
      CHECK_FALSE(requests.empty());
      CHECK(requests == shared_requests(*match, options, 3));
    }
  }
}

TEST_CASE("HIP", "[clang_reader]") {
  c::source_options options;
  options.is_hip = true;
  const c::read_source result = read(R"(#include <hip/hip_runtime.h>
struct sizes { int rows, columns; };
__global__ void turn(float* out, const float* in, sizes n) {
  __shared__ float tile[64][65];
  tile[threadIdx.y][threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  float v = tile[threadIdx.x][threadIdx.y];
  v += __shfl_down(v, 32);
  out[threadIdx.x * n.columns] = v;
}
int main() {
  hipLaunchKernelGGL(turn, dim3(4), dim3(64, 4), 0, 0, nullptr, nullptr, sizes{1, 2});
}
)",
                                     options);
  INFO(result.diagnostics);
  REQUIRE_FALSE(result.failed);
  REQUIRE(result.kernels.size() == 1);
  const c::kernel_code& kernel = result.kernels.front();
  is_well_formed(kernel);
  CHECK(kernel.lanes == 64);
  CHECK(accesses(kernel) == texts{"5:34 store shared 4x1", "5:36 load global 4x1",
                                  "7:13 load shared 4x1", "9:32 store global 4x1"});
  REQUIRE(kernel.shared.size() == 1);
  CHECK(kernel.shared.front().extents == std::vector<long long>{64, 65});
  REQUIRE(kernel.parameters.size() == 5);  // and the members of the structure
  CHECK(kernel.parameters[2].name == "n");
  CHECK(kernel.parameters[2].bytes == 8);
  CHECK(kernel.parameters[4].name == "n.columns");
  CHECK(kernel.parameters[4].offset == kernel.parameters[2].offset + 4);
  REQUIRE(result.launches.size() == 1);
  CHECK(result.launches.front().block == std::array<unsigned, 3>{64, 4, 1});
}

TEST_CASE("The source asks for the machine that is counted for", "[clang_reader]") {
  const std::string text = R"(
__global__ void two_ways(float* out) {
  __shared__ float tile[64];
#if __CUDA_ARCH__ >= 800
  tile[2 * threadIdx.x] = out[threadIdx.x];
#else
  tile[threadIdx.x] = out[threadIdx.x];
#endif
}
)";
  const auto line_of_store = [&](const c::source_options& options) {
    const texts list = accesses(kernel_of(text, options));
    return std::any_of(list.begin(), list.end(),
                       [](const std::string& entry) { return entry.rfind("5:", 0) == 0; });
  };
  c::source_options options;
  CHECK(line_of_store(options));  // sm_90
  options.cuda_arch = 750;
  CHECK_FALSE(line_of_store(options));
}

TEST_CASE("HIP's vectors have operators", "[clang_reader]") {
  c::source_options options;
  options.is_hip = true;
  const c::kernel_code kernel = kernel_of(R"(#include <hip/hip_runtime.h>
__global__ void blend(float4* out, const float4* in, int first) {
  __shared__ float4 tile[64];
  const int2 to = 2 * make_int2(first, 5) - make_int2(0, 1);
  tile[(threadIdx.x + to.x + to.y) % 64] = 2 * in[to.x] - in[to.y] / 4.0f;
  tile[threadIdx.x] += in[0] * -in[1];
  out[0] = tile[63 - threadIdx.x];
}
)",
                                          options);
  c::launch settings;
  settings.block = {64};
  settings.arguments = {{"first", 1}};
  for (const c::recorded_access& access : c::run(kernel, settings).accesses)
    CHECK_FALSE(access.is_partial);
  settings.arguments = {};
  CHECK_THROWS_AS(c::run(kernel, settings), c::cannot_run);
}

TEST_CASE("Functions that are not modelled have their names as written", "[clang_reader]") {
  const c::kernel_code kernel = kernel_of(R"(
__global__ void look(unsigned* out, cudaTextureObject_t from) {
  out[0] = tex1Dfetch<unsigned>(from, 3);
}
)");
  CHECK(unknowns(kernel) == texts{"tex1Dfetch<unsigned int>()"});
}

TEST_CASE("Conversions to and from numbers of 16 bits", "[clang_reader]") {
  const c::kernel_code kernel = kernel_of(R"(
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__global__ void convert(half* out, float2 pair, int n) {
  __shared__ half2 tile[32];
  tile[threadIdx.x] = __float22half2_rn(pair);
  out[0] = __int2half_rn(n);
  out[1] = __half2int_rz(tile[31 - threadIdx.x].x) + (float)__float22bfloat162_rn(pair).x;
}
)");
  c::launch options;
  options.block = {32};
  for (const c::recorded_access& access : c::run(kernel, options).accesses)
    if (!access.is_global) CHECK_FALSE(access.is_partial);
}

// A name of the compiler's own is a reason to read the prelude as text.
TEST_CASE("the precompiled prelude changes nothing", "[clang_reader]") {
  c::source_options as_text;
  as_text.flags.defines = {"_unused=1"};
  std::size_t kernels = 0;
  for (const auto& file : std::filesystem::directory_iterator(BANKMODEL_CUDA_KERNELS)) {
    if (file.path().extension() != ".cu") continue;
    INFO(file.path());
    std::ifstream stream(file.path());
    const std::string source(std::istreambuf_iterator<char>(stream), {});
    const c::read_source precompiled = read(source), text = read(source, as_text);
    CHECK(precompiled.diagnostics == text.diagnostics);
    REQUIRE(precompiled.kernels.size() == text.kernels.size());
    CHECK(precompiled.launches.size() == text.launches.size());
    for (std::size_t number = 0; number < text.kernels.size(); ++number) {
      const c::kernel_code &left = precompiled.kernels[number], &right = text.kernels[number];
      ++kernels;
      CHECK(left.linkage == right.linkage);
      CHECK(accesses(left) == accesses(right));
      REQUIRE(left.blocks.size() == right.blocks.size());
      for (std::size_t block = 0; block < left.blocks.size(); ++block)
        CHECK(left.blocks[block].instructions.size() == right.blocks[block].instructions.size());
    }
  }
  CHECK(kernels >= 25);
  // Functions of the C library that have a body in its headers, and code that Clang makes for them.
  const std::string calls = R"(
#include <cassert>
#include <cstdio>
#include <cstdlib>
__global__ void k(int n, float x) {
  __shared__ float s[32];
  if (n % 3) { if (threadIdx.x == 0) printf("x"); __trap(); }
  if (n > 7) printf("%d %f", n, x);
  assert(n < 9);
  s[threadIdx.x] = fabsf(sqrtf(x)) + abs(n);
}
)";
  const c::read_source precompiled = read(calls), text = read(calls, as_text);
  REQUIRE(precompiled.kernels.size() == 1);
  CHECK(accesses(precompiled.kernels[0]) == accesses(text.kernels[0]));
  CHECK(accesses(precompiled.kernels[0]).size() == 1);
  c::source_options hip, hip_as_text = as_text;
  hip.is_hip = hip_as_text.is_hip = true;
  const std::string kernel = R"(
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>
__global__ void k(const __half* in, float* out) {
  __shared__ float s[256];
  s[hipThreadIdx_x] = __shfl_xor(__half2float(in[threadIdx.x]), 1);
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x ^ 3] + atomicAdd(&s[0], 1.0f);
}
)";
  const c::kernel_code by_precompiled = kernel_of(kernel, hip),
                       by_text = kernel_of(kernel, hip_as_text);
  CHECK(accesses(by_precompiled) == accesses(by_text));
  CHECK(accesses(by_precompiled).size() == 5);
}

namespace {

// Fills the stack, as Clang does where a type is part of itself after an error.
int endless_sum(volatile int* pointer, int depth) {
  if (depth < 0) return 0;
  volatile int local[1024] = {depth};
  return endless_sum(depth == 0 ? pointer : local, depth + 1) + pointer[0];
}

}  // namespace

TEST_CASE("a crash of Clang's libraries is not the end of the program", "[clang_reader]") {
  int calls = 0;
  for (int time = 0; time < 2; ++time) {
    CHECK(c::ends_without_crash([&] { ++calls; }));
    CHECK_FALSE(c::ends_without_crash([] {
      volatile int start = 1;
      (void)endless_sum(&start, start);
    }));
    CHECK_FALSE(c::ends_without_crash([] { (void)raise(SIGSEGV); }));
  }
  CHECK(calls == 2);
  // And from another thread.
  std::thread([&] {
    CHECK_FALSE(c::ends_without_crash([] {
      volatile int start = 1;
      (void)endless_sum(&start, start);
    }));
  }).join();
}
