// SPDX-License-Identifier: MIT
// Accesses as issued of kernels that Clang's libraries read: the same as from nvcc's PTX.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "catch.hpp"
#include "examples/bankmodel/clang_reader/source_reader.hpp"
#include "examples/bankmodel/compiled/ask.hpp"
#include "examples/bankmodel/compiled/code/shown_places.hpp"
#include "examples/bankmodel/compiled/counted_kernel.hpp"
#include "examples/bankmodel/compiled/html/as_html.hpp"
#include "examples/bankmodel/compiled/issued/issued.hpp"
#include "examples/bankmodel/compiled/issued/issued_recording.hpp"
#include "examples/bankmodel/compiled/page/array_plan.hpp"
#include "examples/bankmodel/compiled/page/call_chains.hpp"
#include "examples/bankmodel/compiled/page/formats.hpp"
#include "examples/bankmodel/compiled/ptx/ptx_reader.hpp"
#include "own_folder.hpp"

namespace cc = compiled;

namespace {

std::string file(const std::string& name) {
  return (std::filesystem::path(__FILE__).parent_path() / "issued" / name).string();
}

cc::issued_recording recorded_as_issued(const cc::optimized_code& optimized,
                                        const cc::kernel_code& kernel, const cc::launch& settings,
                                        const cc::recording& written) {
  return cc::record_as_issued(optimized, kernel, settings, written, [&](const cc::launch& same) {
    return cc::run(optimized.kernel, same);
  });
}

// What the loads and stores of each line request, as written, and the widths as issued.
struct of_line {
  std::uint64_t requests = 0;
  std::map<long long, std::uint64_t> bases;
  std::set<int> issued;
  bool operator==(const of_line&) const = default;
};
using by_line = std::map<std::string, of_line>;

by_line lines_of(const cc::kernel_code& kernel, const cc::launch& settings) {
  cc::recording recorded = cc::run(kernel, settings);
  cc::join_accesses(recorded);
  by_line result;
  for (const cc::recorded_access& access : recorded.accesses) {
    of_line& line =
        result[std::to_string(access.location.line) +
               (access.memory.operation == cc::access_does::load ? " load " : " store ") +
               (access.is_global ? "global " : "shared ") +
               std::to_string(cc::bytes_as_written(access.memory))];
    line.requests += access.requests;
    for (const cc::recorded_class& group : access.classes)
      for (const auto& [base, times] : group.times) line.bases[base] += times;
    if (access.issued_with < 0) line.issued.insert(cc::bytes_as_issued(access));
  }
  return result;
}

}  // namespace

// Loops whose ends are not constant are not unrolled.
TEST_CASE("the readers find the same as written, and the same as issued") {
  const cc::read_source source = cc::read_cuda(file("joined.cu"), {});
  INFO(source.diagnostics);
  REQUIRE_FALSE(source.failed);
  std::ifstream stream(file("joined.ptx"));
  const std::string ptx{std::istreambuf_iterator<char>(stream), {}};
  std::map<std::string, cc::kernel_code> by_nvcc;
  for (cc::kernel_code& kernel : cc::read_ptx(ptx)) by_nvcc.emplace(kernel.name, std::move(kernel));
  CHECK(source.kernels.size() == by_nvcc.size());
  for (const cc::kernel_code& kernel : source.kernels) {
    INFO(kernel.name);
    if (kernel.name == "loop_of_argument") continue;
    cc::launch settings{.block = {32}};
    if (kernel.parameters.size() > 1 && !kernel.parameters[1].is_pointer)
      settings.arguments["p1"] = 64;
    const by_line lines = lines_of(kernel, settings),
                  nvcc_lines = lines_of(by_nvcc.at(kernel.name), settings);
    // nvcc joins accesses to float4's members before PTX.
    if (kernel.name == "global_members") {
      for (const auto& [line, record] : lines)
        CHECK((record.issued.empty() || record.issued == std::set<int>{16}));
      continue;
    }
    REQUIRE(lines.size() == nvcc_lines.size());
    for (const auto& [line, record] : lines) {
      INFO(line);
      CHECK(record == nvcc_lines.at(line));
    }
  }
}

TEST_CASE("a matrix product: scalar loads as written, 16 bytes as issued") {
  const cc::read_source source = cc::read_cuda(file("sgemm.cu"), {});
  REQUIRE(source.kernels.size() == 1);
  cc::recording recorded = cc::run(
      source.kernels[0], {.block = {256}, .arguments = {{"p0", 128}, {"p1", 128}, {"p2", 64}}});
  cc::join_accesses(recorded);
  std::uint64_t written = 0, issued = 0;
  for (const cc::recorded_access& access : recorded.accesses) {
    if (access.is_global || access.memory.operation != cc::access_does::load) continue;
    CHECK(cc::bytes_as_issued(access) == 16);
    CHECK(cc::bytes_as_written(access.memory) == 4);
    written += access.requests;
    if (access.issued_with < 0) issued += access.requests;
  }
  CHECK(written == 8192);
  CHECK(issued == 2048);
  for (int array : {0, 1}) CHECK(cc::widest_issued_bytes(recorded, array) == 16);
}

// ---- accesses that a compiler removes ----

namespace {

// "3 load 1 x 16 B", of each line of the kernel's loads and stores as issued.
std::string issued_lines(const std::string& text, const cc::launch& settings = {.block = {32}},
                         const std::string& amd = {}) {
  cc::source_options options;
  options.contents = text;
  options.is_hip = !amd.empty();
  options.architecture = amd;
  const cc::read_source source = cc::read_cuda(file("contents.cu"), options);
  INFO(source.diagnostics);
  REQUIRE(source.kernels.size() == 1);
  const cc::recording written = cc::run(source.kernels[0], settings);
  const cc::issued_recording issued =
      recorded_as_issued(source.optimized(0), source.kernels[0], settings, written);
  CHECK(issued.why_not == "");
  CHECK(issued.source == (amd.empty() ? cc::issued_source::passes : cc::issued_source::back_end));
  std::map<std::string, std::uint64_t> requests;
  for (const cc::recorded_access& access : issued.recorded.accesses)
    if (access.issued_with < 0)
      requests[std::to_string(access.location.line) + (access.is_global ? " global" : " shared") +
               (access.memory.operation == cc::access_does::load ? " load " : " store ") +
               std::to_string(cc::bytes_as_issued(access))] += access.requests;
  std::string result;
  for (const auto& [place, count] : requests)
    result += (result.empty() ? "" : ", ") + place + " x " + std::to_string(count);
  return result;
}

// Of one warp, with `s` filled at line 2 and a barrier at line 3. The body begins at line 4. Where
// it loads nothing of `s`, nothing is stored there.
std::string issued_body(const std::string& body) {
  const std::string lines = issued_lines(
      "__global__ void k(const float* __restrict__ a, const float* b, float* o, int n) {\n"
      "__shared__ float s[128]; const int t = threadIdx.x; float x = 0; s[t] = a[t];\n"
      "__syncthreads();\n" +
          body + "o[t + 999] = x; }\n",
      {.block = {32}, .arguments = {{"n", 100}}});
  const std::string first = "2 global load 4 x 1, 2 shared store 4 x 1";
  const bool is_filled = lines.substr(0, first.size()) == first;
  if (!is_filled) REQUIRE(lines.find("shared") == std::string::npos);
  std::string result = is_filled ? lines.substr(first.size()) : ", " + lines;
  for (const std::string part : {" global store 4 x 1"})
    if (result.size() > part.size() && result.rfind(part) == result.size() - part.size())
      result.erase(result.rfind(", "));
  return result.empty() ? "none" : result.substr(2);
}

}  // namespace

// nvcc 13.0 for sm_90 issues these too.
TEST_CASE("an access that does not depend on a loop is issued once") {
  CHECK(issued_body("for (int j = 0; j < n; ++j) x = x * x + a[32 * t];\n") ==
        "4 global load 4 x 1");
  CHECK(issued_body("for (int j = 0; j < n; ++j) x = x * x + s[2 * t];\n") ==
        "4 shared load 4 x 1");
  CHECK(issued_body("for (int j = 0; j < 1000; ++j) x = x * x + a[32 * t];\n") ==
        "4 global load 4 x 1");
  // A store to global memory changes no shared array.
  CHECK(issued_body("for (int j = 0; j < n; ++j) o[32 * j + t] = x + s[2 * t];\n") ==
        "4 global store 4 x 100, 4 shared load 4 x 1");
  // The place of an access that is moved out of two loops is its own.
  CHECK(issued_body("for (int i = 0; i < n; ++i)\n for (int j = 0; j < n; ++j)\n"
                    "  x = x * x + s[2 * t];\n") == "6 shared load 4 x 1");
  // It may be changed: by a barrier's other threads, a store, or a pointer to the same place.
  CHECK(issued_body("for (int j = 0; j < n; ++j) { x += s[t ^ 1]; __syncthreads(); }\n") ==
        "4 shared load 4 x 100");
  CHECK(
      issued_body("for (int j = 0; j < n; ++j) { x += s[2 * t]; s[3 * t % 64 + j % 2] = x; }\n") ==
      "4 shared load 4 x 100, 4 shared store 4 x 100");
  CHECK(issued_body("for (int j = 0; j < n; ++j) o[32 * j + t] = x + b[2 * t];\n") ==
        "4 global load 4 x 100, 4 global store 4 x 100");
  CHECK(issued_body("volatile float* v = s; for (int j = 0; j < n; ++j) x += v[2 * t];\n") ==
        "4 shared load 4 x 100");
}

TEST_CASE("an access whose value is known, or that nobody sees, is not issued") {
  CHECK(issued_body("s[2 * t] = 7 * t; x = s[2 * t];\n") == "4 shared store 4 x 1");
  CHECK(issued_body("x = s[2 * t]; x += s[2 * t];\n") == "4 shared load 4 x 1");
  CHECK(issued_body("(void)s[2 * t];\n") == "none");
  CHECK(issued_body("s[2 * t] = 1;\ns[2 * t] = 2;\n__syncthreads(); x = s[t ^ 1];\n") ==
        "5 shared store 4 x 1, 6 shared load 4 x 1");
  // Another thread may have stored in between.
  CHECK(issued_body("s[2 * t] = 7 * t; __syncthreads(); x = s[2 * t];\n") ==
        "4 shared load 4 x 1, 4 shared store 4 x 1");
  CHECK(issued_body("x = s[2 * t]; __syncwarp(); x += s[2 * t];\n") == "4 shared load 4 x 2");
  CHECK(issued_body("volatile float* v = s; v[2 * t] = 1; x = v[2 * t];\n") ==
        "4 shared load 4 x 1, 4 shared store 4 x 1");
}

// nvcc 13.0 for sm_90 issues these loads: the functions have operands that they do not return.
TEST_CASE("a load whose value an atomic operation, a group or a matrix needs is issued") {
  CHECK(issued_body("atomicAdd(&o[t], s[t ^ 1]);\n") ==
        "4 global store 4 x 1, 4 shared load 4 x 1");
  CHECK(issued_body("atomicExch((double*)o + t, (double)s[t ^ 1]);\n") ==
        "4 global store 8 x 1, 4 shared load 4 x 1");
  CHECK(issued_body("atomicCAS((int*)&o[t], (int)s[t ^ 1], 5);\n") ==
        "4 global store 4 x 1, 4 shared load 4 x 1");
  CHECK(issued_body("atomicMax((int*)&s[t ^ 1], n);\n") == "4 shared store 4 x 1");
  CHECK(
      issued_lines("#include <cooperative_groups.h>\n"
                   "#include <cooperative_groups/reduce.h>\n"
                   "namespace cg = cooperative_groups;\n"
                   "__global__ void k(float* o, const int* label) {\n"
                   "__shared__ float s[32]; s[threadIdx.x] = threadIdx.x; __syncthreads();\n"
                   "auto g = cg::labeled_partition(cg::coalesced_threads(), label[threadIdx.x]);\n"
                   "float x = cg::reduce(g, s[threadIdx.x ^ 1], cg::plus<float>());\n"
                   "if (threadIdx.x == 0) o[0] = x; }\n") ==
      "5 shared store 4 x 1, 6 global load 4 x 1, 7 shared load 4 x 1, 8 global store 4 x 1");
  CHECK(issued_lines("#include <mma.h>\n"
                     "using namespace nvcuda::wmma;\n"
                     "__global__ void k(float* o) {\n"
                     "__shared__ float s[32]; s[threadIdx.x] = threadIdx.x; __syncthreads();\n"
                     "fragment<accumulator, 16, 16, 16, float> c;\n"
                     "fill_fragment(c, s[threadIdx.x ^ 1]);\n"
                     "store_matrix_sync(o, c, 16, mem_row_major); }\n") ==
        "4 shared store 4 x 1, 6 shared load 4 x 1, 7 global store 8 x 4");
}

// nvcc 13.0 for sm_75 to sm_121.
TEST_CASE("of a vector the words are loaded that are used") {
  const auto loads = [](const std::string& used) {
    return issued_body("float4 v = *(float4*)&s[4 * (t ^ 1)]; x = " + used + ";\n");
  };
  CHECK(loads("v.x") == "4 shared load 4 x 1");
  CHECK(loads("v.w") == "4 shared load 4 x 1");
  CHECK(loads("v.x * v.y") == "4 shared load 8 x 1");
  CHECK(loads("v.z * v.w") == "4 shared load 8 x 1");
  CHECK(loads("v.y * v.z") == "4 shared load 4 x 2");
  CHECK(loads("v.x * v.w") == "4 shared load 4 x 2");
  CHECK(loads("v.x * v.y * v.z") == "4 shared load 16 x 1");
  CHECK(loads("v.x * v.y * v.z * v.w") == "4 shared load 16 x 1");
  CHECK(issued_body("float2 v = *(float2*)&s[2 * (t ^ 1)]; x = v.y;\n") == "4 shared load 4 x 1");
  CHECK(issued_body("double2 v = *(double2*)&s[4 * (t & 15)]; x = v.y;\n") ==
        "4 shared load 8 x 1");
  CHECK(issued_body("float4 v = __ldg((const float4*)a + t); x = v.x * v.y;\n") ==
        "4 global load 8 x 1");
  // The bytes are those of the words: the second half of 16.
  cc::source_options options;
  options.contents =
      "__global__ void k(float* o) { __shared__ float4 s[32]; float4 v = s[threadIdx.x ^ 1];\n"
      "o[threadIdx.x] = v.z * v.w; }\n";
  const cc::read_source source = cc::read_cuda(file("contents.cu"), options);
  const cc::launch settings{.block = {32}};
  const cc::recording issued = recorded_as_issued(source.optimized(0), source.kernels.at(0),
                                                  settings, cc::run(source.kernels.at(0), settings))
                                   .recorded;
  REQUIRE(!issued.accesses.empty());
  REQUIRE(issued.accesses[0].classes.size() == 1);
  CHECK(issued.accesses[0].classes[0].times.begin()->first % 16 == 8);
}

// nvcc 13.0 for sm_90 and sm_100.
TEST_CASE("stores to an array that no code of the file loads are not issued") {
  const auto lines = [](const std::string& store, const std::string& prologue = "") {
    return issued_lines(prologue +
                        "__global__ void k(const float* a, float* o) {\n"
                        "const int t = threadIdx.x;\n" +
                        store + "o[t] = 1; }\n");
  };
  const std::string none = "4 global store 4 x 1";
  CHECK(lines("__shared__ float s[32]; s[t] = a[t];\n") == none);
  CHECK(lines("__shared__ float s[32]; s[t] = a[t]; float x = s[t ^ 1]; (void)x;\n") == none);
  CHECK(lines("__shared__ float s[32], r[32]; s[t] = a[t]; r[t] = s[t ^ 1];\n") == none);
  CHECK(lines("s[t] = a[t];\n", "__shared__ float s[32]; ") == none);
  CHECK(lines("put(t, a[t]);\n",
              "__device__ void put(int t, float v) { __shared__ float s[32]; s[t] = v; } ") ==
        none);
  // Forwarded later, of unknown size, volatile, or with an address that is used.
  const std::string kept = "3 global load 4 x 1, 3 shared store 4 x 1, 4 global store 4 x 1";
  CHECK(lines("__shared__ float s[32]; s[t] = a[t]; o[t + 32] = s[t];\n").find("shared store") !=
        std::string::npos);
  CHECK(lines("__shared__ float s[32]; volatile float* v = s; v[t] = a[t];\n") == kept);
  CHECK(lines("__shared__ int s[32]; s[t] = a[t]; atomicAdd(&s[t ^ 1], 1);\n") ==
        "3 global load 4 x 1, 3 shared store 4 x 2, 4 global store 4 x 1");
}

// nvcc 13.0 for sm_90 has the atomic operation and, of line 4, two loads instead of four.
TEST_CASE("requests that data decide about are issued, and their costs are a range") {
  cc::question asked;
  asked.file = "range.cu";
  asked.contents =
      "__global__ void k(unsigned* o, const unsigned* in) {\n"
      "__shared__ unsigned s[64]; s[threadIdx.x] = 0; __syncthreads();\n"
      "atomicAdd(&s[in[threadIdx.x]], 1); __syncthreads();\n"
      "o[threadIdx.x] = s[threadIdx.x ^ 1] * s[threadIdx.x ^ 1]; }\n"
      "void go(unsigned* p) { k<<<1, 64>>>(p, p); }\n";
  asked.machines = {"sm_90"};
  const auto counted = cc::counted(asked);
  const cc::priced& costs = counted->pages.at(0).costs;
  CHECK(costs.cost.wavefronts == 6);
  CHECK(costs.issued_cost.wavefronts == 4);
  for (const cc::bounded_cost& range :
       {static_cast<const cc::bounded_cost&>(costs), costs.issued_bounded}) {
    CHECK(range.minimum == 2);
    CHECK(range.maximum == 64);
    CHECK(range.bounded_requests == 2);
  }
}

// Passes join what both arms store, and leave code of one of them alone.
TEST_CASE("an assumed branch is the same one as issued") {
  const std::string long_arm = "other[2 * t] = t; __syncthreads(); h[t] = other[511 - t];";
  const auto has_long_arm = [&](bool is_taken, const char* condition, bool is_behind_else,
                                const std::string& short_arm) {
    cc::launch settings{.block = {32}, .arguments = {{"total", 100000}}};
    settings.assumed[3] = {is_taken, {}};
    return issued_lines(
               "__global__ void k(int* h, int total) {\n"
               "__shared__ int other[512]; const int t = threadIdx.x;\nif (h[t / 32] " +
                   std::string(condition) + " total) {\n" +
                   (is_behind_else ? short_arm : long_arm) + "\n} else {\n" +
                   (is_behind_else ? long_arm : short_arm) + "\n}\n}\n",
               settings)
               .find(" shared store") != std::string::npos;
  };
  for (const char* const condition : {"==", "!=", "<", ">="})
    for (const bool is_taken : {false, true})
      for (const bool is_behind_else : {false, true}) {
        INFO(condition << is_taken << is_behind_else);
        for (const char* const short_arm : {"h[t] = 1;", ""})
          CHECK(has_long_arm(is_taken, condition, is_behind_else, short_arm) ==
                (is_taken != is_behind_else));
      }
}

TEST_CASE("a piece of shared memory that a thread uses alone is in registers") {
  CHECK(issued_lines("__global__ void k(unsigned* out, const unsigned* in) {\n"
                     "__shared__ unsigned s[32 * 64];\n"
                     "unsigned* mine = &s[32 * threadIdx.x];\n"
                     "for (int i = 0; i < 32; ++i) mine[i] = in[64 * i + threadIdx.x];\n"
                     "for (int i = 0; i < 32; ++i) out[64 * i + threadIdx.x] = mine[31 - i];\n"
                     "}\n",
                     {.block = {64}}) ==
        "4 global load 4 x 64, 4 shared store 16 x 16, 5 global store 4 x 64");
}

TEST_CASE("arrays whose accesses are all removed stay where they are") {
  CHECK(issued_lines("__global__ void k(float* o) {\n"
                     "__shared__ float unused[32], s[32];\n"
                     "o[0] = unused[threadIdx.x];\n"
                     "s[threadIdx.x] = 1; o[0] = s[threadIdx.x ^ 1];\n"
                     "}\n") == "4 global store 4 x 1, 4 shared load 4 x 1, 4 shared store 4 x 1");
}

TEST_CASE("what cannot be run without the removed accesses is as written, with a reason") {
  const cc::read_source source = cc::read_cuda(file("sgemm.cu"), {});
  REQUIRE(source.kernels.size() == 1);
  cc::optimized_code stuck = source.optimized(0);
  stuck.kernel.parameters.clear();
  const cc::launch settings{.block = {256}, .arguments = {{"p0", 128}, {"p1", 128}, {"p2", 64}}};
  const cc::recording written = cc::run(source.kernels[0], settings);
  const cc::issued_recording issued =
      recorded_as_issued(stuck, source.kernels[0], settings, written);
  CHECK(issued.source == cc::issued_source::rules);
  CHECK(!issued.why_not.empty());
  CHECK(issued.recorded.accesses.size() == written.accesses.size());
}

// Clang 14 and 19 for gfx90a: one ds_write_b128, one ds_read_b128, one global_load_dwordx4.
TEST_CASE("for AMD the back end joins accesses") {
  CHECK(issued_lines("__global__ void k(const float* in, float* o) {\n"
                     "__shared__ float s[256];\n"
                     "const int t = threadIdx.x;\n"
                     "for (int i = 0; i < 4; ++i) s[4 * t + i] = in[4 * t + i];\n"
                     "__syncthreads();\n"
                     "float a = 0;\n"
                     "for (int i = 0; i < 4; ++i) a += s[4 * (63 - t) + i];\n"
                     "o[t] = a; }\n",
                     {.block = {64}}, "gfx90a") ==
        "4 global load 16 x 1, 4 shared store 16 x 1, 7 shared load 16 x 1, 8 global store 4 x 1");
  CHECK(issued_lines("__global__ void k(const float* in, float* o, int n) {\n"
                     "__shared__ float s[128];\n"
                     "const int t = threadIdx.x;\n"
                     "s[t] = in[t];\n"
                     "__syncthreads();\n"
                     "float x = 0;\n"
                     "for (int j = 0; j < n; ++j) x = x * x + s[2 * t];\n"
                     "o[t] = x; }\n",
                     {.block = {64}, .arguments = {{"n", 100}}}, "gfx90a") ==
        "4 global load 4 x 1, 4 shared store 4 x 1, 7 shared load 4 x 1, 8 global store 4 x 1");
  CHECK(issued_lines("__global__ void k(float* o) {\n"
                     "__shared__ double d[64];\n"
                     "__shared__ unsigned char b[64];\n"
                     "const int t = threadIdx.x;\n"
                     "d[t] = t; b[t] = t;\n"
                     "__syncthreads();\n"
                     "o[t] = d[t ^ 1] + b[t ^ 1]; }\n",
                     {.block = {64}}, "gfx90a") ==
        "5 shared store 1 x 1, 5 shared store 8 x 1, 7 global store 4 x 1, 7 shared load 1 x 1, 7 "
        "shared load 8 x 1");
}

TEST_CASE("an instruction that is made of two lines is in the row of the first") {
  const own_folder files("merged");
  cc::question asked;
  asked.text =
      "__global__ void k(const float* a, float* o, int n) {\n"
      "  __shared__ float s[16][17];\n"
      "  const int x = threadIdx.x, y = threadIdx.y;\n"
      "  float sum = 0;\n"
      "  for (int t = 0; t < n; t += 16) {\n"
      "    if (y < n && t + x < 40)\n"
      "      s[y][x] = a[y * n + t + x];\n"
      "    else\n"
      "      s[y][x] = 0;\n"
      "    __syncthreads();\n"
      "    for (int j = 0; j < 16; ++j) sum += s[y][j];\n"
      "    __syncthreads();\n"
      "  }\n"
      "  o[y * n + x] = sum;\n}\n"
      "void run(float* p) { k<<<1, dim3(16, 16)>>>(p, p, 64); }\n";
  asked.file = (files.path / "merged.cu").string();
  std::ofstream(asked.file) << asked.text;
  const auto counted = cc::counted(asked);
  const cc::page& page = counted->pages.at(0);
  CHECK(page.costs.has_merged_lines);
  CHECK(page.costs.without_row.cost.requests == 0);
  std::map<int, std::uint64_t> written, issued;
  for (const cc::priced_access& row : page.costs.shared) {
    written[row.first->location.line] += row.cost.requests;
    issued[row.first->location.line] += row.issued.cost.requests;
  }
  // Four trips of 8 warps; the third has both arms, the last one the second alone.
  CHECK(written == std::map<int, std::uint64_t>{{7, 24}, {9, 16}, {11, 512}});
  CHECK(issued[7] == 32);
  CHECK(issued[9] == 0);
  asked.kernels = {"k"};
  CHECK(cc::answer_to(asked).output.find("An instruction that is made") != std::string::npos);
}

// ---- libraries ----

// The numbers of inlined calls in the compiled code differ from those in the code as it is written,
// since the first call is not there.
TEST_CASE("as issued on AMD, code of a library has its line there") {
  const own_folder files("library_on_amd");
  std::filesystem::create_directories(files.path / "library");
  std::filesystem::create_directories(files.path / "project");
  std::ofstream(files.path / "library" / "less.h")
      << "__device__ inline bool less(const float* p) { return *p < 0; }\n";
  std::ofstream(files.path / "library" / "words.h")
      << "\ntypedef float four __attribute__((ext_vector_type(4)));\n"
         "__device__ inline four get(const float* p) { return *(const four*)p; }\n"
         "__device__ inline void put(float* p, four v) {\n  *(four*)p = v;\n}\n";
  cc::question asked;
  asked.file = (files.path / "project" / "k.hip").string();
  std::ofstream(asked.file) << "#include <less.h>\n#include <words.h>\n"
                               "__global__ void k(const float* in, float* o) {\n"
                               "  __shared__ float s[256];\n"
                               "  if (less(in + threadIdx.x)) __builtin_assume(true);\n"
                               "  put(s + 4 * threadIdx.x, get(in + 4 * threadIdx.x));\n"
                               "  __syncthreads();\n"
                               "  put(o + 4 * threadIdx.x, get(s + 4 * (63 - threadIdx.x)));\n"
                               "}\nvoid go(float* o) { k<<<1, 64>>>(o, o); }\n";
  asked.flags.include_folders = {(files.path / "library").string()};
  asked.plan = false;
  const auto kernel = cc::counted(asked);
  REQUIRE(kernel->issued != nullptr);
  CHECK(kernel->issued->source == cc::issued_source::back_end);
  std::map<std::string, std::uint64_t> requests;
  for (const cc::recorded_access& access : kernel->issued->recorded.accesses)
    if (access.requests > 0) {
      CHECK(access.label == cc::issued_label::confirmed);
      requests[cc::text(*kernel->kernel, cc::innermost(*kernel->kernel, access.location)) +
               (access.is_global ? " global " : " shared ") +
               std::to_string(cc::bytes_as_issued(access))] += access.requests;
    }
  std::string text;
  for (const auto& [place, count] : requests) text += place + " x " + std::to_string(count) + "\n";
  CHECK(text ==
        "words.h:3:53 global 16 x 1\nwords.h:3:53 shared 16 x 1\n"
        "words.h:5:13 global 16 x 1\nwords.h:5:13 shared 16 x 1\n");
}

TEST_CASE(
    "code of a library is counted at the line that calls it, and its kernels are not asked for") {
  const own_folder files("library");
  const std::filesystem::path& folder = files.path;
  std::filesystem::create_directories(folder / "project" / "part");
  std::filesystem::create_directories(folder / "library");
  const auto write = [&](const char* name, const char* text) {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  };
  write(
      "library/reduce.cuh",
      "template <class T> __global__ void empty_kernel() {}\n"
      "inline void query() { auto f = empty_kernel<void>; (void)f; }\n"
      "template <class T> __global__ void fill(T* o) { __shared__ T s[64]; s[threadIdx.x] = 0; }\n"
      "template <class T> __device__ T from(const T* s, int i) {\n  return s[2 * i % 64];\n}\n");
  write("project/part/own.cuh", "__device__ inline void put(float* s, int i) {\n  s[i] = i;\n}\n");
  cc::question asked;
  asked.file = write("project/k.cu",
                     "#include <reduce.cuh>\n#include \"part/own.cuh\"\n"
                     "__global__ void k(float* o) {\n"
                     "  __shared__ float s[64];\n"
                     "  put(s, threadIdx.x);\n"
                     "  __syncthreads();\n"
                     "  o[threadIdx.x] = from(s, threadIdx.x);\n"
                     "}\n"
                     "void go(float* o) { k<<<1, 64>>>(o); }\n");
  asked.flags.include_folders = {(folder / "library").string()};
  asked.plan = false;
  const auto kernel = cc::counted(asked);
  REQUIRE(kernel->kernel->name == "k");
  std::vector<std::string> places;
  for (const cc::recorded_access& access : kernel->recorded.accesses)
    if (!access.is_global) places.push_back(cc::text(*kernel->kernel, access.location));
  CHECK(places == std::vector<std::string>{"own.cuh:2:8", "k.cu:7:20"});
  for (const cc::recorded_access& access : kernel->recorded.accesses)
    if (!access.is_global && access.memory.operation == cc::access_does::load)
      CHECK(cc::text(*kernel->kernel, cc::innermost(*kernel->kernel, access.location)) ==
            "reduce.cuh:5:10");
  CHECK(cc::text(*kernel->kernel, kernel->kernel->definition) == "k.cu:3");
  // The chain of calls, in each format; code of the project's own has none.
  const cc::page& kernel_page = kernel->pages.at(0);
  cc::source_lines lines(asked.file);
  const std::string library = (folder / "library" / "reduce.cuh").string(), own = asked.file;
  CHECK(cc::as_text(kernel_page, lines)
            .find(own + ":7:20: note: in " + library + ":5:10, called at " + own + ":7:20\n") !=
        std::string::npos);
  const std::string json = cc::as_json({kernel_page}, asked.file);
  CHECK(json.find("\"calls\": [[{\"file\": \"" + library +
                  "\", \"line\": 5, \"column\": 10}, {\"file\": \"" + own +
                  "\", \"line\": 7, \"column\": 20}]]") != std::string::npos);
  CHECK(json.find("\"calls\"") == json.rfind("\"calls\""));
  const std::string sarif = cc::as_sarif({kernel_page}, lines, {asked.file});
  const std::size_t related = sarif.find("\"relatedLocations\": [");
  REQUIRE(related != std::string::npos);
  CHECK(sarif.find("The access itself.", related) < sarif.find("reduce.cuh", related));
  CHECK(sarif.find("Called here.", related) != std::string::npos);
  CHECK(cc::as_html({kernel_page}, lines, asked.file).find("reduce.cuh:5:10, called at ") !=
        std::string::npos);
  // Of long chains and of many the first and the last.
  cc::kernel_code longer = *kernel->kernel;
  for (cc::priced priced = kernel_page.costs; cc::priced_access & entry : priced.shared) {
    if (entry.calls.empty()) continue;
    std::vector<cc::place>& chain = longer.calls.at(static_cast<std::size_t>(*entry.calls.begin()));
    while (chain.size() < 9) chain.insert(chain.begin() + 1, chain.front());
    cc::page changed = kernel_page;
    changed.kernel = &longer;
    CHECK(cc::texts_of_calls(changed, entry, lines) ==
          std::vector<std::string>{"in " + library + ":5:10, called at " + library +
                                   ":5:10, through 3 more calls, " + library + ":5:10, " + library +
                                   ":5:10, " + library + ":5:10 and " + own + ":7:20"});
    const cc::place outermost = chain.back();
    for (int line = 1; line < 6; ++line) {
      entry.calls.insert(static_cast<int>(longer.calls.size()));
      longer.calls.push_back({{0, line, 1}, outermost});
    }
    const std::vector<std::string> texts = cc::texts_of_calls(changed, entry, lines);
    CHECK(texts.size() == 3);
    CHECK(texts.back() == "called in 4 more ways, which --json has");
  }
  // Its name in full finds a kernel of the library, and a launch makes it one that is meant.
  asked.kernels = {"empty_kernel<void>"};
  asked.block = "32";
  CHECK(cc::counted(asked)->kernel->name == "empty_kernel<void>");
  asked.kernels.clear();
  asked.block.clear();
  write("project/k.cu", "#include <reduce.cuh>\nvoid go(float* o) { fill<<<1, 64>>>(o); }\n");
  CHECK(cc::counted(asked)->kernel->name == "fill<float>");
}

// ---- plans ----

namespace {

const char* const rows_of_words =
    "__global__ void k(const float* in, float* o) {\n"
    "  __shared__ float s[32][PITCH];\n"
    "  const int t = threadIdx.x;\n"
    "  for (int i = 0; i < 32; ++i) s[i][t] = in[32 * i + t];\n"
    "  __syncthreads();\n"
    "  float a = 0;\n"
    "  for (int i = 0; i < 32; i += 4) {\n"
    "    READ\n"
    "  }\n"
    "  o[t] = a;\n"
    "}\n"
    "void go(float* p) { k<<<1, 32>>>(p, p); }\n";

cc::question question_of_rows(const std::string& pitch, const std::string& read,
                              const std::string& machine) {
  std::string text = rows_of_words;
  text.replace(text.find("PITCH"), 5, pitch);
  text.replace(text.find("READ"), 4, read);
  cc::question asked;
  static const own_folder own("rows");
  asked.file = (own.path / "rows.cu").string();
  asked.contents = text;
  std::ofstream(asked.file) << text;
  asked.machines = {machine};
  return asked;
}

}  // namespace

TEST_CASE("a plan keeps the alignment of instructions, or is counted without the joins") {
  const std::string wide =
      "const float4 v = *reinterpret_cast<float4*>(&s[t][i]); a = a * v.x + v.y; a = a * v.z + "
      "v.w;";
  const std::string words = "a = a * s[t][i] + s[t][i + 1]; a = a * s[t][i + 2] + s[t][i + 3];";
  for (const char* const machine : {"sm_90", "gfx90a"})
    for (const std::string& read : {wide, words}) {
      INFO(machine << " " << read);
      const auto planned = cc::counted(question_of_rows("32", read, machine));
      REQUIRE(planned->pages.size() == 1);
      REQUIRE(planned->pages[0].plans.size() == 1);
      const cc::array_plan& plan = planned->pages[0].plans[0];
      REQUIRE(plan.is_a_declaration);
      const auto pitch = static_cast<int>(plan.planned.stride[0]);
      CHECK(pitch > 32);
      // Loads of 16 bytes in the source are aligned in each row.
      if (read == wide) CHECK(pitch % 4 == 0);
      // The source with that row length is issued as the plan says.
      cc::question changed = question_of_rows(std::to_string(pitch), read, machine);
      changed.plan = false;
      const auto counted = cc::counted(changed);
      CHECK(counted->pages[0].costs.issued_cost.wavefronts == plan.planned_cost.wavefronts);
      CHECK(plan.planned_cost.wavefronts < plan.declared_cost.wavefronts);
    }
}
