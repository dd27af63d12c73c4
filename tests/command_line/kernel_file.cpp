// SPDX-License-Identifier: MIT
// The command line of examples/bankmodel: its notation compared with the same in C++ and with
// loops that run; and its errors.
#include <algorithm>
#include <array>
#include <bankmodel/count/total.hpp>
#include <bankmodel/global.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>
#include <bankmodel/report.hpp>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "answer_about.hpp"
#include "catch.hpp"
#include "drawn.hpp"
#include "examples/bankmodel/known_machines.hpp"
#include "examples/bankmodel/notation/counts.hpp"
#include "examples/kernels.hpp"
#include "examples/kernels/in_both_memories.hpp"
#include "found_text.hpp"

namespace bm = bankmodel;
namespace cc = compiled;
namespace cl = command_line;
using namespace bm::index;
using bm::nvidia::sm_35;
using bm::nvidia::sm_90;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

const bm::machine machines[] = {sm_90, sm_35, sm_35.with_bank_width(8)};

std::string text_of_file(const std::string& name) {
  std::ifstream file(std::string(BANKMODEL_KERNEL_FILES) + "/" + name + ".kernel");
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

cl::kernel_file read(const std::string& text) {
  const cl::source input{"test", text};
  try {
    return cl::read_kernel_file(input);
  } catch (const cl::refusal& reason) {
    FAIL(cl::text(input, reason));
    throw;
  }
}

// Each access has the cost of its description in C++, of one block and of the grid.
template <class Kernel>
void same_costs(const cl::kernel_file& kernel, const Kernel& described) {
  CHECK(kernel.block == described.block);
  for (const bm::machine& m : machines) {
    std::vector<bm::cost> costs;
    std::vector<bm::memory_traffic> traffic, of_grid;
    bm::for_each_access(described, [&](const auto& access) {
      costs.push_back(bm::total(m, described.block, access));
      traffic.push_back(bm::traffic(m, described.block, access));
      if (kernel.grid) of_grid.push_back(bm::traffic(m, described.block, access, *kernel.grid));
    });
    const cl::kernel_cost counted = cl::count(kernel, m);
    REQUIRE(counted.costs.size() == costs.size());
    REQUIRE(counted.traffic.size() == costs.size());
    REQUIRE(counted.of_grid.has_value() == kernel.grid.has_value());
    for (std::size_t access = 0; access < costs.size(); ++access) {
      INFO(kernel.accesses[access].text << " on " << m.model << ", banks of " << m.bank_width);
      CHECK(counted.costs[access] == costs[access]);
      CHECK(counted.traffic[access] == traffic[access]);
      if (kernel.grid) CHECK(counted.of_grid->traffic[access] == of_grid[access]);
    }
    CHECK(counted.sum == bm::total(m, described));
    CHECK(counted.traffic_sum == bm::traffic(m, described));
    if (!kernel.grid) continue;
    CHECK(counted.of_grid->traffic_sum == bm::traffic(m, described, *kernel.grid));
    // No kernel here accesses shared memory by blocks.
    CHECK(counted.of_grid->sum == bm::total(m, described) * kernel.grid->blocks());
  }
}

// The file without its accesses to global memory and its grid.
cl::kernel_file shared_part_of(cl::kernel_file kernel) {
  auto& accesses = kernel.accesses;
  accesses.erase(std::remove_if(accesses.begin(), accesses.end(),
                                [](const auto& access) { return access.is_global(); }),
                 accesses.end());
  kernel.grid.reset();
  return kernel;
}

template <class... Accesses>
void means(const std::string& text, const bm::block_dim& block, const Accesses&... accesses) {
  INFO(text);
  same_costs(read(text), bm::kernel(block, accesses...));
}

cl::answer ask(const std::string& text, const cc::question& asked = {}) {
  return answer_about("test", text, asked);
}

// An error with exit code 2 and one message at this line and column that contains all of these
// words.
void refused(const std::string& text, int line, int column, const std::vector<std::string>& words,
             const cc::question& asked = {}) {
  INFO(text);
  const cl::answer answer = ask(text, asked);
  CHECK(answer.code == cl::bad_input);
  CHECK(answer.output.empty());
  INFO(answer.error);
  const std::string place =
      "test:" + std::to_string(line) + ":" + std::to_string(column) + ": error: ";
  CHECK(answer.error.rfind(place, 0) == 0);
  CHECK(answer.error.find("error: ", place.size()) == std::string::npos);
  CHECK(answer.error.find("; ") != std::string::npos);
  for (const std::string& word : words) {
    INFO("must contain: " << word);
    CHECK(answer.error.find(word) != std::string::npos);
  }
}

// The same after the lines that every kernel needs; the statement is line 4.
const std::string head = "machine sm_90\nblock 32\nshared float a[64], t[32][33]\n";
void refused_statement(const std::string& statement, int column,
                       const std::vector<std::string>& words) {
  refused(head + statement + "\n", 4, column, words);
}

const auto a = bm::shared_array<float>("a", 64);
const auto t = bm::shared_array<float>("t", 32, 33);
template <class... Accesses>
void statement_means(const std::string& statement, const Accesses&... accesses) {
  means(head + statement, bm::block_dim{32}, accesses...);
}

}  // namespace

TEST_CASE("the demo's kernel files have the costs and plans of their descriptions in C++") {
  kernels::for_each_kernel([](const char* name, const auto& kernel) {
    INFO(name);
    const cl::kernel_file file = read(text_of_file(name));
    same_costs(shared_part_of(file), kernel);
    for (const bm::machine& target : {sm_35, sm_90}) {
      const auto expected = bm::optimize(target, kernel);
      const cl::planned result = cl::plan_of(file, target, {});
      REQUIRE(result.plan != nullptr);
      CHECK(result.plan->after() == expected.after());
      CHECK(result.plan->before() == expected.before());
      CHECK(result.plan->bytes() == expected.bytes());
      CHECK(result.plan->bank_width() == expected.bank_width());
      CHECK(result.plan->is_optimal() == expected.is_optimal());
      REQUIRE(result.plan->arrays() == expected.arrays());
      for (int array = 0; array < expected.arrays(); ++array) {
        CHECK(result.plan->layout(array) == expected.layout(array));
        CHECK(result.plan->offset_bytes(array) == expected.offset_bytes(array));
      }
    }
  });
}

TEST_CASE("kernel files with global memory have the costs of their descriptions in C++") {
  int files = 0;
  kernels::for_each_kernel_in_both_memories(
      [&](const char* name, const auto& kernel, const bm::grid_dim& grid) {
        INFO(name);
        const cl::kernel_file file = read(text_of_file(name));
        CHECK(file.grid == grid);
        same_costs(file, kernel);
        ++files;
      });
  CHECK(files == 8);
}

TEST_CASE("each operator has its C meaning") {
  statement_means(
      "for (i = 0; i < 8; ++i) load t[(tx * 3 + i) % 32][(tx / 4 << 1) + (tx & 5) + 4 - (i >> 1) - "
      "(tx | 2) / 8]",
      bm::load(bm::for_loop(
          i, bm::range(0, 8),
          t[(tx * 3 + i) % 32][(tx / 4 << 1) + (tx & 5) + 4 - (i >> 1) - (tx | 2) / 8])));
  statement_means(
      "load a[1 + 2 * 3 - 8 / 3 % 2 + (1 << 2 ^ 5 & 3 | 8) - min(3, 4) + max(1, 2) + (-7 & 12) + "
      "~2 + (24 >> 2)]",
      bm::load(a[1 + 2 * 3 - 8 / 3 % 2 + (((1 << 2) ^ (5 & 3)) | 8) - 3 + 2 + (-7 & 12) + ~2 +
                 (24 >> 2)]));
}

TEST_CASE("statements have their C++ meaning") {
  statement_means("load a[tx]", bm::load(a[tx]));
  statement_means("store t[tx][0], t[0][tx];", bm::store(t[tx][0]), bm::store(t[0][tx]));
  statement_means("load a[threadIdx.x ^ 3 | 4]", bm::load(a[(tx ^ 3) | 4]));
  statement_means("load a[min(2 * tx, 17) + max(tx, 3)]",
                  bm::load(a[bm::min(2 * tx, 17) + bm::max(tx, 3)]));
  statement_means("load a[tid % warpSize + blockDim.x - blockDim.y * 32]", bm::load(a[tid % 32]));
  statement_means("load a[lane + 32 * warp + blockIdx.x + by]", bm::load(a[lane + 32 * warp]));
  statement_means("load a[0x1f - tx], a[037 - tx], a[0b11111u - tx], a[31UL - tx]",
                  bm::load(a[31 - tx]), bm::load(a[31 - tx]), bm::load(a[31 - tx]),
                  bm::load(a[31 - tx]));
  statement_means("load a[-(-tx)], a[~(~tx)], a[+tx]", bm::load(a[tx]), bm::load(a[tx]),
                  bm::load(a[tx]));
  statement_means("if (tx < 16 && !(tx == 3 || tx >= 12)) { load a[2 * tx]; } else store a[tx]",
                  bm::load(bm::if_threads(tx < 16 && !(tx == 3 || tx >= 12), a[2 * tx])),
                  bm::store(bm::if_threads(!(tx < 16 && !(tx == 3 || tx >= 12)), a[tx])));
  statement_means("if (tx % 2) load a[tx]; else if (tx > 8) load a[2 * tx]",
                  bm::load(bm::if_threads(tx % 2 != 0, a[tx])),
                  bm::load(bm::if_threads(tx % 2 == 0 && tx > 8, a[2 * tx])));
  statement_means("if (0) load a[99]; if (1) load a[tx]", bm::load(bm::if_threads(tx < 0, a[tx])),
                  bm::load(a[tx]));
  statement_means("for (int r = 0; r <= 3; r++) for (c = 7; c > 0; c -= 2) load t[8 * r + c][tx]",
                  bm::load(bm::for_loop(i, bm::range(0, 4),
                                        bm::for_loop(j, bm::range(7, 0, -2), t[8 * i + j][tx]))));
  statement_means(
      "for (s = 16; s > 0; s >>= 1) if (tx < s) a[tx] += a[tx + s];",
      bm::load(bm::for_loop(i, bm::powers(16, 0, 2), bm::if_threads(tx < i, a[tx]))),
      bm::load(bm::for_loop(i, bm::powers(16, 0, 2), bm::if_threads(tx < i, a[tx + i]))),
      bm::store(bm::for_loop(i, bm::powers(16, 0, 2), bm::if_threads(tx < i, a[tx]))));
  statement_means("for (j = tx; j < 64; j += 32) load a[j]",
                  bm::load(bm::for_loop(j, bm::range(tx, 64, 32), a[j])));
  statement_means("for (j = 0; j < 31; j += tx + 1) load a[j]",
                  bm::load(bm::for_loop(j, bm::range(0, 31, tx + 1), a[j])));
  statement_means("for (j = 63; j >= 0; j -= tx + 1) load a[j]",
                  bm::load(bm::for_loop(j, bm::range(63, -1, -(tx + 1)), a[j])));
}

TEST_CASE("atomic operations") {
  statement_means("atomic a[tx / 8]", bm::atomic(a[tx / 8]));
  statement_means("atomicAdd(&a[2 * tx], 1.0f);", bm::atomic(a[2 * tx]));
  statement_means("atomicCAS(&a[0], a[tx], t[tx][0])", bm::load(a[tx]), bm::load(t[tx][0]),
                  bm::atomic(a[0 * tx]));
  statement_means("int old = atomicAdd(&a[tx / 8], 1); a[tx] = atomicExch(&a[2 * tx], old) + 1;",
                  bm::atomic(a[tx / 8]), bm::atomic(a[2 * tx]), bm::store(a[tx]));
}

TEST_CASE("C++ as written in kernels") {
  const auto wide = bm::load(bm::if_threads(tx < 16, bm::vectorized<4>(a[4 * tx])));
  for (const char* spelling :
       {"(float4) a[4 * tx]", "*(float4*)&a[4 * tx]", "*(const float4*)(&a[4 * tx])",
        "*reinterpret_cast<float4*>(&a[4 * tx])", "(int4)a[4 * tx]"})
    statement_means(std::string("if (tx < 16) load ") + spelling, wide);
  statement_means("if (tx < 16) *(float4*)&a[4 * tx] = 0;",
                  bm::store(bm::if_threads(tx < 16, bm::vectorized<4>(a[4 * tx]))));
  statement_means("a[tx] = t[tx][0] * (2.5f + t[0][tx]) - sqrtf(a[tx + 1]);\n__syncthreads();",
                  bm::load(t[tx][0]), bm::load(t[0][tx]), bm::load(a[tx + 1]), bm::store(a[tx]));
  statement_means("float sum = a[tx]; sum += a[tx + 32];\nfloat other;\na[tx] = sum + other;",
                  bm::load(a[tx]), bm::load(a[tx + 32]), bm::store(a[tx]));
  statement_means("const int tx = threadIdx.x, row = 31 - tx; a[row] = 1", bm::store(a[31 - tx]));
  statement_means(
      "for (k = 0; k < 2; ++k) { int at = tx + 32 * k; load a[at]; } for (k = 0; k < 2; ++k) { int "
      "at = tx; load a[at] }",
      bm::load(bm::for_loop(k, bm::range(0, 2), a[tx + 32 * k])),
      bm::load(bm::for_loop(k, bm::range(0, 2), a[tx])));
  means(
      "block 8, 4;\n__shared__ __align__(16) unsigned int u[4][8]; /* a\ncomment */ #define H (2 * "
      "2)\nu[threadIdx.y][threadIdx.x] = H // "
      "one more\n",
      bm::block_dim{8, 4}, bm::store(bm::shared_array<unsigned>("u", 4, 8)[ty][tx]));
  means("#define N 8\nblock N N / 2\nshared half h[N * N] at 2, h2[N]\nload h[tx + N * ty], h2[tx]",
        bm::block_dim{8, 4}, bm::load(bm::shared_array<short>("h", 64).at(2)[tx + 8 * ty]),
        bm::load(bm::shared_array<short>("h2", 8)[tx]));
  means(
      "# a comment with #if in it\nblock 32\nshared float a[64]  #if so\n#pragma unroll\nload "
      "a[tx]",
      bm::block_dim{32}, bm::load(a[tx]));
  means("block 16 2 2\nshared double block[64]\nblock[tx + 16 * (ty + 2 * tz)] = 1",
        bm::block_dim{16, 2, 2},
        bm::store(bm::shared_array<double>("block", 64)[tx + 16 * (ty + 2 * tz)]));
}

// Every loop of C with small numbers: it runs as often as in C, or it is an error and does not
// end in C, or never starts.
TEST_CASE("loops run as in C") {
  struct step {
    const char* text;
    std::function<long long(long long)> next;
  };
  const step steps[] = {{"++v", [](long long v) { return v + 1; }},
                        {"v--", [](long long v) { return v - 1; }},
                        {"v += 3", [](long long v) { return v + 3; }},
                        {"v -= 2", [](long long v) { return v - 2; }},
                        {"v = v + 2", [](long long v) { return v + 2; }},
                        {"v = v - 1", [](long long v) { return v - 1; }},
                        {"v *= 2", [](long long v) { return v * 2; }},
                        {"v <<= 2", [](long long v) { return v * 4; }},
                        {"v = v * 3", [](long long v) { return v * 3; }},
                        {"v /= 2", [](long long v) { return v / 2; }},
                        {"v >>= 2", [](long long v) { return v >> 2; }},
                        {"v = v / 3", [](long long v) { return v / 3; }}};
  struct relation {
    const char *text, *exchanged;
    std::function<bool(long long, long long)> holds;
  };
  const relation relations[] = {{"<", ">", [](long long v, long long w) { return v < w; }},
                                {"<=", ">=", [](long long v, long long w) { return v <= w; }},
                                {">", "<", [](long long v, long long w) { return v > w; }},
                                {">=", "<=", [](long long v, long long w) { return v >= w; }},
                                {"!=", "!=", [](long long v, long long w) { return v != w; }}};
  int ran = 0, refusals = 0, number = 0;
  for (const step& increment : steps)
    for (const relation& test : relations)
      for (long long first = -3; first <= 12; ++first)
        for (long long last = -3; last <= 12; ++last) {
          if (number++ % drawn_step() != 0) continue;
          constexpr int forever = 200;
          std::uint64_t trips = 0;
          long long v = first;
          for (; test.holds(v, last) && trips < forever && v < 1'000'000 && v > -1'000'000;
               v = increment.next(v))
            ++trips;
          const bool ends = !test.holds(v, last);
          const std::string bound = (first + last) % 2 == 0
                                        ? std::string("v ") + test.text + " " + std::to_string(last)
                                        : std::to_string(last) + " " + test.exchanged + " v";
          const std::string loop =
              "block 1\nshared char a[4096]\nfor (v = " + std::to_string(first) + "; " + bound +
              "; " + increment.text + ") load a[v + 100]";
          INFO(loop);
          cl::kernel_file kernel;
          try {
            kernel = cl::read_kernel_file({"test", loop});
          } catch (const cl::refusal&) {
            ++refusals;
            // Negative numbers are neither multiplied nor divided.
            const bool odd = test.text == std::string("!=") || (increment.next(5) > 9) ||
                             (increment.next(8) < 5);
            if (ends && (trips < 2 || !odd)) CHECK(loop == "not refused");
            continue;
          }
          ++ran;
          if (!ends) {
            CHECK_THROWS_AS(cl::count(kernel, sm_90), cl::refusal);
          } else {
            try {
              if (cl::count(kernel, sm_90).sum.requests != trips)
                CHECK(cl::count(kernel, sm_90).sum.requests == trips);
            } catch (const cl::refusal& reason) {
              if (first >= 1) CHECK(reason.wrong == "not refused");
            }
          }
        }
  CHECK(ran > drawn(4000));
  CHECK(refusals > drawn(2000));
}

// ---- global memory ----

TEST_CASE("arrays in global memory have their C++ meaning") {
  const auto input = bm::global_array<float>("in", 64, 32);
  const auto p = bm::global_array<float>("p", bm::unknown_extent);
  const auto pitched = bm::with_row_stride(bm::global_array<float>("q", 64, 33), 256);
  const std::string arrays =
      "global float in[64][32], *p\n__device__ float q[64][33] stride 256 at 128\n";
  statement_means(arrays + "load in[tx][3]", bm::load(input[tx][3]));
  statement_means(arrays + "p[2 * tx] = in[0][tx]", bm::load(input[0][tx]), bm::store(p[2 * tx]));
  statement_means(arrays + "load q[3][tx], q[tx][1]", bm::load(pitched.at(128)[3][tx]),
                  bm::load(pitched.at(128)[tx][1]));
  statement_means("global float q[64][33] at 4 stride 256\nload q[tx][1]",
                  bm::load(pitched.at(4)[tx][1]));
  statement_means("global float p[] at 64; load p[tx]", bm::load(p.at(64)[tx]));
  statement_means("global const float *const __restrict__ p, *restrict r; load p[tx], r[tx]",
                  bm::load(p[tx]), bm::load(p[tx]));
  statement_means("global float b[][4][8]; load b[tx][1][2]",
                  bm::load(bm::global_array<float>("b", bm::unknown_extent, 4, 8)[tx][1][2]));
  statement_means(arrays + "a[tx] = *(float4*)&p[4 * tx]; atomicAdd(&in[0][tx], a[tx])",
                  bm::load(bm::vectorized<4>(p[4 * tx])), bm::store(a[tx]), bm::load(a[tx]),
                  bm::atomic(input[0][tx]));
  statement_means(
      arrays + "for (j = 0; j < 32; j += 8) if (tx < 16) load p[33 * bx + tx + j]",
      bm::load(bm::for_loop(j, bm::range(0, 32, 8), bm::if_threads(tx < 16, p[33 * bx + tx + j]))));
  for (const char* grid : {"grid 8 3", "grid 8, 3", "grid 8 x 3", "grid 8 x 3 x 1;", "grid 8 3 1"})
    statement_means(
        arrays + grid + "\nload p[33 * blockIdx.x + 7 * by + tx], p[gridDim.x * tx + gridDim.y]",
        bm::load(p[33 * bx + 7 * by + tx]), bm::load(p[8 * tx + 3]));
  means("define x 3\nblock 4\ngrid 8 x\nglobal int c[]\nload c[5 * by + tx]", bm::block_dim{4},
        bm::load(bm::global_array<int>("c", bm::unknown_extent)[5 * by + tx]));
}

TEST_CASE("errors of arrays in global memory and of grids") {
  refused_statement("global float x", 14, {"no extents", "*x for a pointer"});
  refused_statement("global float x[4][]", 19, {"extent is missing", "only the first"});
  refused_statement("global float x[0]", 16, {"an extent of 0"});
  refused_statement("global float *x[4]", 16, {"extents after the pointer x"});
  refused_statement("shared float *x", 14, {"`*`"});
  refused_statement("global float x[4] stride 16", 26, {"one dimension", "`stride`"});
  refused_statement("global float *x stride 16", 24, {"one dimension"});
  refused_statement("global float x[4][4] stride 12", 29,
                    {"rows of 16 bytes", "every 12 bytes", "multiple of 4 of at least 16"});
  refused_statement("global float x[4][4] stride 18", 29, {"every 18 bytes"});
  refused_statement("global float x[4][4] stride 0", 29, {"a stride of 0 bytes"});
  refused_statement("global float x[4][4] stride 16 stride 16", 32, {"`stride` is not expected"});
  refused_statement("global float x[4] at 4 at 4", 24, {"`at` is not expected"});
  refused_statement("shared float x[4][4] stride 16", 22, {"`stride` is not expected"});
  refused_statement("global float x[4] at 2", 22, {"cannot begin at byte 2", "multiple of 4"});
  refused_statement("global float x[4] at -4", 22, {"cannot begin at byte -4"});
  refused_statement("global float x[4000000000][4000000000]", 14, {"larger than the memory"});
  refused_statement("global float x[][10000][10000]", 14, {"write its first extent too"});
  refused_statement("global float x[8][1000] stride 1152921504606846976", 14, {"larger than"});
  refused_statement("global float3 x[4]", 8, {"12 bytes"});
  refused_statement("global foat x[4]", 8, {"did you mean float?"});
  refused_statement("global float a[4]", 14, {"a is already used"});
  refused_statement("for (j = 0; j < 2; ++j) { global float x[4] }", 27, {"within a loop"});
  refused_statement("load out[tx]", 6, {"global float out[]"});
  refused(head + "global float x[4]\nload x[tx]", 5, 6, {"reaches 31", "extent is 4"});
  refused(head + "global float *x\nload x[tx - 1]", 5, 6, {"reaches -1"});
  refused(head + "global float x[64] at 4\nload (float2) x[2 * tx]", 5, 6, {"not aligned"});
  refused(head + "grid 3\nglobal float x[64]\nload x[32 * bx + tx]", 6, 6,
          {"reaches 95", "extent is 64"});
  refused(head + "grid 2 2 2\nglobal float *x\n" +
              "for (b = 0; b < 2; ++b) for (c = 0; c < 2; ++c) for (d = 0; d < 2; ++d) "
              "for (e = 0; e < 2; ++e) load x[bx + by + bz + b + c + d + e]",
          6, 102, {"needs one of the six", "leave out `grid`"});
  refused_statement("grid", 5, {"line ends too early"});
  refused_statement("grid 0", 6, {"a grid of 0 blocks along x", "1 to 2147483647"});
  refused_statement("grid 1 65536", 8, {"65536 blocks along y", "1 to 65535"});
  refused_statement("grid tx", 6, {"must be constants"});
  refused_statement("grid 1 1 1 1", 12, {"`1` is not expected"});
  refused_statement("if (tx < 3) grid 4", 13, {"within a loop or a condition"});
  refused(head + "grid 4\ngrid 4", 5, 1, {"a second `grid`"});
  refused_statement("load a[gridDim.x]", 8, {"gridDim is not known", "`grid X Y Z`"});
  refused(head + "grid 4\nload a[gridDim.w]", 5, 16, {"no member w"});
}

TEST_CASE("printed output of both memories") {
  const std::string kernel =
      "block 32 8\ngrid 2 3\nshared float t[32][33]\nglobal float in[96][64], *out, unused[4]\n"
      "for (j = 0; j < 32; j += 8) t[ty + j][tx] = in[32 * by + ty + j][32 * bx + tx]\n"
      "if (bx < 1) load in[tx][32 * bx + 1]\n";
  cc::question asked;
  asked.machines = {"sm_90"};
  asked.plan = false;
  const auto says = [&](const std::string& text) {
    const std::string output = ask(kernel, asked).output;
    INFO(output);
    INFO("must contain: " << text);
    CHECK(output.find(text) != std::string::npos);
  };
  says(
      "sm_90: test, one block of 32 x 8 threads\n\n"
      " line  shared memory                          requests  wavefronts  ideal  conflicts  "
      "worst\n"
      "    5  store t  for (j = 0; j < 32; j += 8..        32          32     32          0      "
      "-\n"
      "       the whole kernel                             32          32     32          0      "
      "-\n"
      "       all 6 blocks                                192         192    192          0      "
      "-\n"
      "\n"
      " line  global memory                 requests  transactions  ideal  bytes used  bytes "
      "moved\n"
      "    5  load in  for (j = 0; j < 3..        32           128    128       4,096        "
      "4,096\n"
      "    6  load in  if (bx < 1) load ..         8           256     32       1,024        "
      "8,192\n"
      "       the whole kernel                    40           384    160       5,120       "
      "12,288\n"
      "       all 6 blocks                       216         1,536    864      27,648       "
      "49,152\n");
  says(
      "\ntest:6:18: warning: uncoalesced access: 8 requests take 256 transactions, ideal 32 "
      "[uncoalesced]\n    6 | if (bx < 1) load in[tx][32 * bx + 1]\n");
  says(
      "\ntest:6:18: note: neighbouring lanes are 256 bytes apart: the worst request moves 32 "
      "segments of 32 bytes: lane 0 at byte 0, 1 at 256, 2 at 512, .. 31 at 7936, instead of 4\n");
  says(
      "\nnote: no access reads or writes out\nnote: no access reads or writes unused\n"
      "note: the numbers of a block are those of the first, where blockIdx is 0\n");
  asked.plan = true;
  asked.shape.width = 200;
  says(
      "\nLine 6, in, this access alone: with tx and ty exchanged, in blocks of 8 x 32 threads: 32 "
      "transactions in global memory instead of 256.\n");
  says(
      "\nLine 6, in, this access alone: stored as in[64][96] with the last two subscripts "
      "exchanged: 32 ");
  says(
      "\nLine 6, in, this access alone: copied by rows through a tile of 32 x 1 elements in shared "
      "memory: 32 transactions in global memory instead of 256.\n");
  asked.plan = false;
  asked.format = cl::format::source;
  says(
      "!     32 / 32     384 / 160        the whole kernel\n"
      "!   192 / 192   1,536 / 864        all 6 blocks\n");
  asked.format = cl::format::csv;
  says(
      "sm_90,\"test\",\"test\",5,29,shared,\"t\",store,4,32,32,32,0,1,,,,,0,,,,,,,,,\n"
      "sm_90,\"test\",\"test\",5,45,global,\"in\",load,4,32,,128,,,128,32,4096,4096,0,,,,,,,,,\n"
      "sm_90,\"test\",\"test\",6,18,global,\"in\",load,4,8,,32,,,256,256,1024,8192,0,,,,,,,,,\n");
  asked.format = cl::format::json;
  says(
      "\"grid\": {\"blocks\": 6, \"requests\": 192, \"wavefronts\": 192, \"ideal\": 192, "
      "\"conflicts\": 0, \"degree\": 1, \"global\": {\"requests\": 216, \"transactions\": 1536, "
      "\"ideal\": 864, \"lines\": 960, \"bytes_used\": 27648, \"bytes_moved\": 49152}},\n");
  says(
      "\"bytes_moved\": 8192, \"grid\": {\"requests\": 24, \"transactions\": 768, \"ideal\": 96, "
      "\"lines\": 768, \"bytes_used\": 3072, \"bytes_moved\": 24576},\n          \"access\": "
      "\"if (bx < 1) load in[tx][32 * bx + 1]\",\n          \"why\": "
      "\"neighbouring lanes are 256 bytes apart: ");
  says("\"worst\": {\"warp\": 0, \"loops\": {}, \"transactions\": 32, \"ideal\": 4,\n");
  says("{\"begin\": 256, \"bytes\": 32, \"used\": 4, \"lanes\": [1]},\n");
  says("\"plans\": [\n      ],\n      \"joint_plan\": null,\n");
}

TEST_CASE(
    "a kernel with global memory alone has no plan, and one with both that of its shared part") {
  const std::string global = "machine sm_35\nblock 32\nglobal float in[64]\nload in[tx]\n";
  cc::question asked;
  CHECK(ask(global, asked).output ==
        "sm_35: test, one block of 32 threads\n\nIt does not access shared memory.\n\n"
        " line  global memory         requests  transactions  ideal  bytes used  bytes moved\n"
        "    4  load in  load in[tx]         1             4      4         128          128\n"
        "       the whole kernel             1             4      4         128          128\n");
  asked.allowed.of_all.conflicts = {0, "--max-conflicts"};
  CHECK(ask(global, asked).code == cl::fine);
  asked = {};
  asked.format = cl::format::json;
  CHECK(ask(global, asked).output.find("\"joint_plan\": null") != std::string::npos);
  asked = {};
  asked.picture = true;
  CHECK(ask(global, asked).picture.find("<title id=\"t\">Transactions of in[") !=
        std::string::npos);
  asked = {};
  asked.header = "plan";
  CHECK(ask(global, asked).error ==
        "bankmodel: error: there is no access to shared memory; leave out --plan-header\n");

  // Bank conflicts are drawn first, then transactions beyond the ideal, then shared memory.
  const auto title = [](const std::string& accesses) {
    cc::question picture;
    picture.picture = true;
    const std::string drawn =
        ask("machine sm_90\nblock 32\nglobal float p[64][3]\nshared float t[64][32]\n" + accesses,
            picture)
            .picture;
    const std::size_t begin = drawn.find("<title id=\"t\">") + 14;
    return drawn.substr(begin, drawn.find("</title>") - begin);
  };
  CHECK(title("load p[tx][0], t[tx][0], t[2 * tx][0]\n") == "Bank map of t[64][32] on sm_90");
  CHECK(title("load t[0][tx], p[0][0], p[tx][0]\n") == "Transactions of p[64][3] on sm_90");
  CHECK(title("load p[0][0], t[0][tx]\n") == "Bank map of t[64][32] on sm_90");

  // The same plan, header and picture with other accesses in between.
  const std::string shared =
      "machine sm_90\nblock 32 8\nshared float t[32][32], u[32]\n"
      "store t[ty][tx]\nload t[tx][ty], u[tx]\n";
  const std::string mixed =
      "machine sm_90\nblock 32 8\nshared float t[32][32], u[32]; global float *p; load p[tx]\n"
      "store t[ty][tx]; store p[32 * tx]\nload t[tx][ty], p[tx], u[tx]\n";
  asked.picture = true;
  const cl::answer plain = ask(shared, asked), combined = ask(mixed, asked);
  CHECK(plain.header == combined.header);
  CHECK(plain.picture == combined.picture);
  const auto plan_of = [](const std::string& text) {
    const std::size_t begin = text.find("\nplan: ");
    return text.substr(begin, text.find("resident blocks   ", begin) - begin);
  };
  CHECK(plan_of(plain.output) == plan_of(combined.output));
}

TEST_CASE("profiles of both memories") {
  cc::question asked;
  asked.plan = false;
  asked.measured = {"export.csv",
                    "Kernel,Metric Name,Min,Max,Avg\nk,gld_transactions,39,39,39\n"
                    "k,shared_load_transactions,8,8,8\n",
                    0, "", 0};
  const std::string kernel =
      "machine sm_70\nblock 32\nshared float a[32]\nglobal float *row\n"
      "a[tx] = row[33 * bx + tx]\nload a[tx]\n";
  const cl::answer of_grid = ask("grid 8\n" + kernel, asked);
  INFO(of_grid.output << of_grid.error);
  CHECK(of_grid.output.find("\nexport.csv, of 8 blocks, as written:\nk\n"
                            "  gld_transactions          measured 39  expected 39  agrees\n"
                            "  shared_load_transactions  measured  8  expected  8  agrees\n") !=
        std::string::npos);
  CHECK(ask(kernel, asked).error ==
        "bankmodel: error: --profile is given without the number of blocks; give --blocks, or "
        "--grid\n");
  // Blocks may differ: without the grid each is as the first one.
  asked.measured->blocks = 8;
  CHECK(ask(kernel, asked)
            .output.find("of 8 blocks, each as block 0, 0, 0, as written:\nk\n  "
                         "gld_transactions          measured 39  expected 32  ") !=
        std::string::npos);
  // Of several launches one is meant.
  asked.measured->csv += "l,gld_transactions,7,7,7\nk2,gld_transactions,32,32,32\n";
  CHECK(ask(kernel, asked)
            .error.find("has 3 launches of test; give --launch 1 to 3, or --kernel "
                        "with a part of its name\n") != std::string::npos);
  // A kernel of the notation has no name there: --kernel says the launch's.
  asked.measured->kernel = "2";
  asked.kernels = {"2"};
  CHECK(ask(kernel, asked).output.find("measured 32  expected 32  agrees\n") != std::string::npos);
}

TEST_CASE("syntax errors") {
  refused("", 1, 1, {"threads of a block is missing", "block 32 8"});
  refused("block 32\n", 2, 1, {"no access"});
  refused_statement("load a[tx", 10, {"ends too early", "`]`"});
  refused_statement("load a[tx)", 10, {"`)` is not expected", "`]` after the subscript"});
  refused_statement("load a[tx +]", 12, {"`]` is not expected", "a number"});
  refused_statement("load a[2 tx]", 10, {"`tx` is not expected"});
  refused_statement("lod a[tx]", 1, {"`lod` does not begin a statement", "did you mean load?"});
  refused_statement("load a[tx] store a[tx]", 12, {"`store` is not expected", "semicolon"});
  refused_statement("load a[tx] ++", 12, {"`++`"});
  refused_statement("{ load a[tx]", 1, {"brace"});
  refused_statement("load a[tx] }", 12, {"`}`"});
  refused_statement("load a[tx] /* never closed", 12, {"comment that is not closed", "*/"});
  refused_statement("load a[tx] @", 12, {"unexpected character", "@"});
  refused_statement("load a[\xc3\xa9]", 8, {"unexpected character"});
  refused_statement("load a[08]", 8, {"08 is not a number"});
  refused_statement("load a[0x]", 8, {"0x is not a number"});
  refused_statement("load a[12abc]", 8, {"12abc is not a number"});
  refused_statement("load a[9223372036854775808]", 8, {"63 bits"});
  refused_statement("load a[9223372036854775807 + 1]", 28, {"64 bits"});
  refused_statement("load a[1.5]", 8, {"real number"});
  refused_statement("load a[tx ? 1 ; 2]", 15, {"`:` between the two values"});
  refused_statement("load a[(int tx]", 13, {"`)` after the type"});
  refused_statement("load a[5 / 0]", 10, {"5 is divided by 0"});
  refused_statement("load a[(0 - 5) / 2]", 16, {"-5 is divided by 2"});
  refused_statement("load a[1 << 63]", 10, {"a shift by 63"});
  refused_statement("load a[min(tx)]", 8, {"min of 1 value"});
  refused_statement("load a[f(tx)]", 8, {"function f"});
  refused_statement("if tx < 3 load a[tx]", 4, {"`(` after `if`"});
  refused_statement("else load a[tx]", 1, {"`else`"});
  refused_statement("while (1) load a[tx]", 1, {"`while` does not begin a statement"});
  refused_statement("#if 0", 1, {"preprocessor"});
}

TEST_CASE("names") {
  refused_statement("load b[tx]", 6,
                    {"no array b", "declare it, shared float b[32] or global float b[]"});
  refused_statement("load tile[tx]", 6,
                    {"no array tile", "declare it, shared float tile[32] or global"});
  refused_statement("load a[txx]", 8, {"txx is not known", "did you mean tx?"});
  refused_statement("load a[threadIdx.w]", 18, {"no member w"});
  refused_statement("load a[threadidx.x]", 8, {"did you mean threadIdx?"});
  refused_statement("load a[gridDim.x]", 8, {"gridDim is not known"});
  refused_statement("load a[a[tx]]", 8, {"reads the array a"});
  refused_statement("float v = a[tx]; load a[v]", 25, {"v is a value from memory"});
  refused_statement("int i = n; load a[i]", 19, {"the value of i is not known", "n is not known"});
  refused_statement("if (tx < n) load a[tx]", 10,
                    {"n is not known, and decides whether line 4 accesses a", "define n 1024"});
  refused_statement("for (int j = 0; j < n; ++j) load a[j]", 21, {"n is not known"});
  refused_statement("if (tx < n) return; load a[tx]", 10, {"`return` in line 4", "n is not known"});
  refused_statement("float* p = +a; load a[tx]", 13, {"the address of a", "a[..]"});
  refused_statement("foo(a, 3);", 5, {"the address of a"});
  refused_statement("foo(&a[tx]);", 6, {"the address of a"});
  refused_statement("for (tx = 0; tx < 4; ++tx) load a[0]", 6, {"tx is a reserved word", "int tx"});
  refused_statement("for (a = 0; a < 4; ++a) load a[0]", 6, {"the name a is already used"});
  refused_statement("for (j = 0; j < 4; ++j) for (j = 0; j < 4; ++j) load a[0]", 30,
                    {"the name j is already used"});
  refused_statement("for (j = 0; j < 4; ++j) load a[j]; load a[j]", 43, {"j is not known"});
  refused_statement("for (j = 0; j < 4; ++j) j += 2;", 25, {"j is the variable of a loop"});
  refused(head + "define r 3\nr = 4", 5, 1, {"r is a name for one value"});
  refused_statement("int r = 0; for (j = 0; j < 4; ++j) { load a[r]; r += 8; }", 45,
                    {"the value of r is not known here: in line 4 it is changed in a loop"});
  refused_statement("int r = 0; if (a[tx] > 3) r = 4; load a[r]", 41,
                    {"r is not known: it is changed under the condition in line 4"});
  refused_statement("int r = 0; foo(r); load a[r]", 27, {"in line 4 it is given to foo"});
  refused_statement("for (j = 0; j < 4; ++j) { load a[j]; if (a[j] > 3) break; }", 52,
                    {"`break` ends the loop at an iteration that is not known"});
  refused_statement("for (j = 0; j < 4; ++j) { load a[j]; if (tx > j) return; }", 50, {"`return`"});
  refused_statement("while (n) load a[tx];", 1, {"`while`", "write a `for` loop"});
  refused_statement("for (j = 0; j < 4; ++j) { load a[j]; foo(in[3] + (j += 3)); }", 51,
                    {"j is the variable"});
  refused_statement("atomicPlus(&a[tx], 1.0f)", 1,
                    {"`atomicPlus` is not a known atomic function", "atomicAdd"});
  refused_statement("atomicAdd(a[tx], 1.0f)", 11, {"without `&`", "atomicAdd(&a[tx], 1)"});
  refused_statement("atomicAdd(&a[tx], 1.0f", 23, {")"});
  refused_statement("atomic 3", 8, {});
  refused_statement("define a 4", 8, {"a is already used"});
  refused_statement("define for 4", 8, {"for is a reserved word"});
  refused_statement("define n tx", 10, {"must be a constant"});
  refused_statement("define n", 9, {"line ends too early", "the value of n"});
  refused_statement("define n 4 5", 12, {"`5` is not expected"});
  refused_statement("shared float a[4]", 14, {"a is already used"});
  refused_statement("shared foat x[4]", 8,
                    {"`foat` is not a known element type", "did you mean float?"});
}

// Whatever may change a variable by another way than an assignment that is read.
TEST_CASE("a subscript that something else may have changed is an error") {
  const auto error_of = [](const std::string& statement) {
    return ask("machine sm_90\nblock 32\nshared float a[4096], v[64]\nshared float2 p[64]\n" +
               statement)
        .error;
  };
  const auto refused = [&](const std::string& statement, const std::string& because) {
    const std::string error = error_of(statement);
    INFO(statement << "\n" << error);
    CHECK(error.find(because) != std::string::npos);
  };
  // Each changes x, or may.
  for (const char* change : {"int* q = &x; *q = 3;",
                             "foo(&x);",
                             "foo(&(x));",
                             "foo((char*)&x);",
                             "frexpf(1.0f, &x);",
                             "int& r = x; r = 3;",
                             "auto& r = x; r = 3;",
                             "auto&& r = x; r = 3;",
                             "T& r = x; r = 3;",
                             "my::T<3>& r = x; r = 3;",
                             "int& r = n ? x : y; r = 3;",
                             "(int&)x = 3;",
                             "reinterpret_cast<unsigned&>(x) = 3;",
                             "foo((x));",
                             "foo(n ? x : y);",
                             "foo(++x);",
                             "foo<3>(x);",
                             "s.foo<3>(x);",
                             "s.foo(x);",
                             "s->foo(3, x);",
                             "std::swap(x, y);",
                             "(x) = 3;",
                             "((x)) += 3;",
                             "(x)++;",
                             "++(x);",
                             "*&x = 3;",
                             "(n ? x : y) = 3;",
                             "int j = (n, x = 3);",
                             "n, x = 3;",
                             "int j = ({ x = 3; });",
                             "asm(\"mov.u32 %0, 3;\" : \"=r\"(x));",
                             "Foo f{x}; f.set(3);",
                             "auto set = [&](int q) { x = q; }; set(3);",
                             "auto set = [&x] { }; set();",
                             "while (n) { (x) = 3; }",
                             "while (n) { int& r = x; r = 3; }",
                             "while (n) { foo<3>(x); }",
                             "while (n) { foo((x)); }",
                             "while (n) { foo((char*)&x); }",
                             "while (n) { foo(3, y, x); }",
                             "while (n) { (*f)(x); }",
                             "while (n) { fs[0](x); }",
                             "while (n) { reinterpret_cast<unsigned&>(x) = 3; }",
                             "while (n) { (n ? x : y) = 3; }",
                             "switch (n) { case 1: x = 3; }",
                             "do ++x; while (n);"}) {
    refused(std::string("int x = 0, y = 0; ") + change + " load a[x * tx]", "x is ");
    refused(std::string("for (int x = 0; x < 4; ++x) { ") + change + " load a[x * tx]; }", "x ");
  }
  refused("void round(int& q) { q = 3; } int x = 0; round(x); load a[x * tx]", "given to round");
  // A pointer or a reference changes it later too.
  for (const char* change :
       {"int* q = &x; x = 0; *q = 3;", "int& r = x; x = 0; r = 3;",
        "auto set = [&] { x = 3; }; x = 0; set();", "if (tx < 3) q = &x; x = 0; *q = 3;",
        "if (tx < 3) ++y; else q = &x; x = 0; *q = 3;", "while (n) { q = &x; } x = 0; *q = 3;"})
    refused(std::string("int x = 0, y = 0; ") + change + " load a[x * tx]", "x is not known");
  // What only reads x.
  for (const char* statement :
       {"foo(+x);", "foo(x + 1, a[tx] * 2);", "sqrtf(x);", "fmaxf(x, y);", "__ldg(in + x);",
        "out[x] = x;", "float f = (float)(x) + float(x) + static_cast<float>(x);",
        "while (n) { out[x] = (float)(x) + fabsf(x) + (n & x); }", "while (n > (x)) { n = x; }",
        "if (n & x) n = 3;", "switch (x) { case 1: n = 3; }", "const int& r = x;",
        "const int c = x; foo(c);", "int c[2] = {x, y};", "float2 f{x, y};", "return x;"})
    CHECK(error_of(std::string("int x = 0, y = 0; load a[x * tx]; ") + statement +
                   " if (x < 1) load a[x * tx]") == "");

  refused("int x = 0; a[x] = ++x;", "one side of `=` changes x");
  refused("int x = 0; a[x] = x += 2;", "one side of `=` changes x");
  refused("int x = 0; a[x++] = v[x];", "one side of `=` changes x");
  refused("int n2 = 8; for (int j = 0; j < n2--; ++j) load a[j]", "before each iteration");
  refused("int n2 = 1; for (int j = 0; j < 8; j += n2++) load a[j]", "before each iteration");
  refused("int x = 0;\ndefine SET (x = 3)\nload a[x]", "must be a constant");
  refused("static int x = 0; load a[x]", "x is static");
  refused("long long z = 1 ? n : 2, w = ({ 3; }); w = 5; load a[w]", "w");

  // Threads' numbers are no variables.
  refused("tx = 3; load a[tx]", "tx is a thread variable");
  refused("++lane; load a[lane]", "lane is a thread variable");
  refused("while (n) { tid = n; } load a[tid]", "tid is a thread variable");
  refused("my::vec<int> lane = foo(); load a[lane]", "lane is a thread variable");
  refused("auto [tx, ty] = pos; load a[ty]", "load a[ty]");
  refused("auto& [tx, ty] = pos; load a[tx]", "load a[tx]");
  refused("int j = ({ 3; }), warp = 2; load a[warp]", "load a[warp]");
  refused("__global__ void f(float* o, float tx) { a[tx] = 1; }", "tx is an argument");
  refused("__global__ void f(float* o, box2 ty) { a[ty] = 1; }", "ty is an argument");
}

TEST_CASE("accesses by another way than the element's name are errors") {
  const auto refused = [](const std::string& statement, const std::string& because) {
    const std::string error =
        ask("machine sm_90\nblock 32\nshared float a[4096]\nshared float2 p[64]\n" + statement)
            .error;
    INFO(statement << "\n" << error);
    CHECK(error.find(because) != std::string::npos);
  };
  for (const char* reference : {"float& r = a[tx];", "const float& r = a[tx];", "auto& r = a[tx];",
                                "auto&& r = a[tx];", "T& r = a[tx];", "my::T<3>& r = a[tx];"})
    refused(reference, "a reference to an element");
  for (const char* call : {"swap(a[tx], a[tx + 32]);", "foo((a[tx]));", "s.foo(3, a[tx]);",
                           "foo<3>(a[tx]);", "foo(tx < 3 ? a[0] : a[1]);"})
    refused(call, "may read or write this element of a; write +a[..]");
  for (const char* cast :
       {"reinterpret_cast<float4&>(a[4 * tx]) = n;", "(float4&)a[4 * tx] = n;",
        "float4 f = reinterpret_cast<float4&>(a[4 * tx]);", "float4 f = (float4&)(a[4 * tx]);"})
    refused(cast, "an element that is used as float4; write *(float4*)&a[..]");
  refused("float f = p[tx] .x;", "a member of an element");
  refused("shared char c[64]; int k = c[0] = 300; load a[k]", "k");
  statement_means("foo(+a[tx], a[tx] + 1, sqrtf(a[tx]));", bm::load(a[tx]), bm::load(a[tx]),
                  bm::load(a[tx]));
}

TEST_CASE("statements that are left early, and functions beside the kernel") {
  refused_statement("if (tx > 3) goto end; load a[tx]; end: ;", 13, {"`goto`"});
  refused_statement("for (j = 0; j < 4; ++j) { switch (n) { case 1: continue; } load a[j]; }", 48,
                    {"`continue` here leaves open which threads continue"});
  statement_means(
      "for (j = 0; j < 4; ++j) { switch (n) { case 1: continue; } }\n"
      "for (j = 0; j < 4; ++j) { while (n) { if (m) continue; } load a[j]; } load a[tx]",
      bm::load(bm::for_loop(j, bm::range(0, 4), a[j])), bm::load(a[tx]));
  const std::string early = "for (j = 0; j < 4; ++j) { while (n) { if (m) return; } }";
  refused(head + "if (tx < 8) { " + early + " }\nload a[tx]", 4, 60, {"`return` here leaves open"});
  refused(head + "for (k = 0; k < 4; ++k) { if (tx < 8) { " + early + " }\nload a[tx] }", 4, 86,
          {"`return` here leaves open"});

  const std::string kernel = "__global__ void f(float* o) { a[tx] = 1; }\n";
  for (const char* function : {"template <class T> __device__ T foo(T x) { return x; }\n",
                               "__device__ int foo(int x) { return x; }\n",
                               "__device__ int foo(int x);\n", "int foo(int x) { return x; }\n",
                               "static inline int foo(int x) { while (x) --x; return x; }\n",
                               "__global__ void f(float* o);\n", "struct S { int x; };\n",
                               "template <class T> void g();\n"}) {
    statement_means(function + kernel, bm::store(a[tx]));
    statement_means(function + ("extern \"C\" " + kernel), bm::store(a[tx]));
  }
  statement_means(
      "template <int N> __global__ void __launch_bounds__(32, 2) f(float* o) {\n"
      "a[tx] = 1; }\nint main() { f<<<1, 32>>>(p); return 0; }",
      bm::store(a[tx]));
  for (const char* array : {"global float *o\n", "__device__ float *o\n", "shared float o[8]\n"})
    statement_means(array + kernel, bm::store(a[tx]));
  refused(head + kernel + kernel, 5, 17, {"a second kernel, f", "leave one of those"});
  refused_statement("__device__ void foo() { a[3] = 1; }", 25,
                    {"foo uses a", "where it is called"});
}

TEST_CASE("subscripts, arrays and blocks") {
  refused_statement("load t[tx]", 7, {"1 subscript on t, which has 2 dimensions", "write 2"});
  refused_statement("load a[tx][0]", 7, {"2 subscripts on a, which has 1 dimension"});
  refused_statement("load a", 6, {"0 subscripts"});
  refused_statement("store a[tx + 33]", 7,
                    {"subscript 0 (counted from 0) reaches 64", "extent is 64", "`if`"});
  refused_statement("load a[tx]; load t[0][tx + 2]", 18, {"reaches 33"});
  refused_statement("for (j = 0; j < 9; ++j) load a[tx + 8 * j - 8]", 30, {"subscript 0"});
  refused_statement("load (float4) a[tx]", 6,
                    {"an access of 16 bytes at byte 4", "multiple of the width"});
  refused_statement("load (half) a[tx]", 7, {"half has 2 bytes"});
  refused_statement("load (float3) a[3 * min(tx, 4)]", 6, {"12 bytes"});
  refused_statement("load a[tx / (tx - 1)]", 6, {"divided"});
  refused_statement("load a[tx].x", 11, {"a member of an element"});
  refused_statement("shared float x", 14, {"no extents"});
  refused_statement("shared float x[]", 16, {"extent is missing", "--dynamic-bytes"});
  refused_statement("extern __shared__ float x[];", 25,
                    {"x are those of a launch", "--dynamic-bytes"});
  refused_statement("shared float x[0]", 16, {"an extent of 0"});
  refused_statement("shared float x[tx]", 16, {"must be a constant"});
  refused_statement("shared float x[1][1][1][1][1]", 27, {"more than 4 extents"});
  refused_statement("shared float x[1000000000][1000000000]", 14,
                    {"larger than the shared memory"});
  refused_statement("shared float x[4] at 2", 22, {"cannot begin at byte 2", "multiple of 4"});
  refused_statement("shared long x[4]", 8, {"`long`"});
  refused_statement("shared float3 x[4]", 8, {"12 bytes"});
  refused_statement("for (j = 0; j < 2; ++j) { shared float x[4] }", 27, {"within a loop"});
  refused("block 32 64\nshared float a[9]\nload a[0]", 1, 7, {"2048 threads", "at most 1024"});
  refused("block 0\n", 1, 7, {"0 threads along x"});
  refused("block 8 8 65\n", 1, 11, {"65 threads along z", "1 to 64"});
  refused("block 8\nblock 8\n", 2, 1, {"a second `block`"});
  refused("block\n", 1, 6, {"line ends too early"});
  refused("block 8 -1 8\n", 1, 9, {"-1 threads along y"});
  refused("block 8 8 8 8\n", 1, 13, {"`8` is not expected"});
  refused("shared int a[8]\nload a[blockDim.x]", 2, 8, {"blockDim before"});
}

TEST_CASE("loops without end") {
  refused_statement("for (j = 0; j < 8; --j) load a[j]", 13, {"without end", "j goes down"});
  refused_statement("for (j = 8; j > 0; ++j) load a[j]", 13, {"without end", "j goes up"});
  refused_statement("for (j = 0; j < 8; j += 0) load a[j]", 20, {"without end", "step of j is 0"});
  refused_statement("for (j = 0; j < 8; j *= 2) load a[j]", 10, {"without end", "begins at 0"});
  refused_statement("for (j = 1; j < 8; j *= 1) load a[j]", 20, {"multiplied by 1"});
  refused_statement("for (j = 8; j >= 0; j /= 2) load a[j]", 13, {"stays at 0"});
  refused_statement("for (j = 0; j != 7; j += 2) load a[j]", 13, {"step over"});
  refused_statement("for (unsigned j = 7; j >= 0; --j) load a[j]", 22, {"unsigned", "int j"});
  refused_statement("for (j = 0; j < 8; ) load a[j]", 20, {"must change j"});
  refused_statement("for (j = 0; ; ++j) load a[j]", 13, {"`;` is not expected"});
  refused_statement("for (j = 0; j < 8 && j < 9; ++j) load a[j]", 19, {"one comparison"});
  refused_statement("for (j = 0; j < 2 * j; ++j) load a[j]", 17, {"reads j itself"});
  refused_statement("for (j = 0; tx < 8; ++j) load a[j]", 13, {"bounds j"});
  refused_statement("for (j = 0; j < 8; ++k) load a[j]", 22, {"must change j"});
  refused_statement("for (j = 0; j < 8; j += tx) load a[j]", 34, {"step"});
  refused_statement("for (j = 0; j < 8; j += tx - 1) load a[j]", 25, {"sign is not known"});
  refused_statement("for (j = 1; j < 8; j *= tx) load a[j]", 25, {"factor"});
  refused_statement("for (j = 0; j < 4000000000; ++j) if (j * j < tx) load a[tx]", 55,
                    {"iterations", "more than 4194304 iterations"});
}

TEST_CASE("limits are stated") {
  std::string loops;
  for (const char* v : {"b", "c", "d", "e", "f", "g", "h"})
    loops += std::string("for (") + v + " = 0; " + v + " < 2; ++" + v + ") ";
  refused_statement(loops + "load a[0]", 1 + 6 * 24, {"more than 6 nested loops"});
  std::string conditions, parentheses, braces, sum = "tx", accesses = "load a[0]";
  for (int count = 0; count < 13; ++count) conditions += "if (tx < 3) ";
  for (int count = 0; count < 5000; ++count) parentheses += "(", braces += "{", sum += "+tx";
  for (int count = 0; count < 128; ++count) accesses += ",a[0]";
  refused_statement(conditions + "load a[0]", 1 + 12 * 12,
                    {"more than 12 nested loops and conditions"});
  for (const std::string& text : {"load a[" + parentheses, braces, "load a[" + sum + "]", accesses})
    CHECK(ask(head + text).code == cl::bad_input);
  CHECK(ask(head + "load a[" + parentheses).error.find("more than 200 deep") != std::string::npos);
  CHECK(ask(head + "load a[" + sum + "]").error.find("more than 256") != std::string::npos);
  CHECK(ask(head + accesses).error.find("more than 128 accesses") != std::string::npos);
  CHECK(ask(head + braces).error.find("more than 200 deep") != std::string::npos);
  CHECK(ask(std::string(2'000'000, ' ')).error.find("at most 1048576") != std::string::npos);
  std::string names, ones = "1";
  for (int count = 0; count < 10'000; ++count) ones += "+1";
  for (int count = 0; count < 2000; ++count) names += "define n" + std::to_string(count) + " 1\n";
  CHECK(ask(head + names).error.find("more than 1000 names") != std::string::npos);
  CHECK(ask(head + "for (i = 0; i < " + ones + "; ++i) load a[0]")
            .error.find("more than 4096 letters") != std::string::npos);
  std::string deep = "tx";
  for (int count = 0; count < 40; ++count) deep = "(tx + " + deep + ")";
  CHECK(ask(head + "load a[" + deep + "]").error.find("intermediate values") != std::string::npos);
}

TEST_CASE("machines") {
  refused("machine sm_91\nblock 1\n", 1, 9,
          {"no machine sm_91; did you mean sm_90? known are", "sm_30, sm_32", "sm_121"});
  refused("machine h1000\nblock 1\n", 1, 9, {"no machine h1000; did you mean h100?"});
  refused("machine\nblock 1\n", 1, 8, {"such as sm_90"});
  const std::string kernel = "block 32\nshared float a[64]\nload a[2 * tx]\n";
  cc::question asked;
  CHECK(ask(kernel).code == cl::fine);
  CHECK(ask(kernel).output.rfind("sm_90: test, one block of 32 threads\n", 0) == 0);
  CHECK(ask(kernel).output.find("note: no machine is named, so the numbers are those of sm_90; "
                                "--machine names another\n") != std::string::npos);
  CHECK(ask("machine sm_90\n" + kernel).output.find("no machine is named") == std::string::npos);
  asked.format = cl::format::json;
  CHECK(ask(kernel, asked)
            .output.find("\"notes\": [\n        \"no machine is named, so the numbers are those of "
                         "sm_90; --machine names another\"\n      ]}") != std::string::npos);
  CHECK(ask("machine sm_90\n" + kernel, asked).output.find("\"notes\": [\n      ]}") !=
        std::string::npos);
  asked.format = cl::format::csv;
  CHECK(ask(kernel, asked).error ==
        "bankmodel: note: no machine is named, so the numbers are those of sm_90; --machine names "
        "another\n");
  CHECK(ask("machine sm_90\nfoo(n);\n" + kernel, asked).error ==
        "bankmodel: note: 1 statement without shared memory was skipped, in line 2\n");
  asked = {};
  for (const char* name :
       {"sm_90a", "sm90", "SM_90", "sm90a", "compute_90", "90", "9.0", "h100", "H100", "gh200"}) {
    asked.machines = {name};
    CHECK(ask(kernel, asked).output.rfind("sm_90: ", 0) == 0);
  }
  for (const auto& [name, machine] : {std::pair{"MI300X", "gfx942: "},
                                      {"rtx 4090", "sm_89: "},
                                      {"a100", "sm_80: "},
                                      {"sm_100f", "sm_100: "}}) {
    asked.machines = {name};
    CHECK(ask(kernel, asked).output.rfind(machine, 0) == 0);
  }
  // As NVIDIA's and AMD's tables have them, whose addresses gpu_names.hpp names.
  const std::pair<std::string, std::vector<std::string>> products[] = {
      {"sm_35", {"K20", "K40"}},
      {"sm_37", {"K80"}},
      {"sm_52", {"M40", "M60", "GTX 980", "GTX 980 Ti"}},
      {"sm_60", {"P100", "Tesla P100-PCIE-16GB"}},
      {"sm_61", {"P4", "P40", "GTX 1080", "GeForce GTX 1050 Ti", "TITAN Xp", "Quadro P2000"}},
      {"sm_62", {"Jetson TX2"}},
      {"sm_70", {"V100", "TITAN V", "Tesla V100-SXM2-32GB"}},
      {"sm_72", {"Jetson AGX Xavier"}},
      {"sm_75", {"T4", "Tesla T4", "RTX 2080", "RTX 2080 Ti", "GTX 1660 SUPER", "Quadro RTX 6000"}},
      {"sm_80", {"A100", "A30", "NVIDIA A100-SXM4-80GB", "A100 80GB PCIe"}},
      {"sm_86",
       {"A10", "A40", "RTX 3080", "RTX 3090", "RTX A6000", "a6000", "rtx3070ti",
        "NVIDIA GeForce RTX 3080 Ti Laptop GPU"}},
      {"sm_87", {"Jetson AGX Orin 64GB", "Jetson Orin Nano"}},
      {"sm_89",
       {"L4", "L40", "L40S", "RTX 4080", "RTX 4090", "RTX 4070 Ti SUPER",
        "RTX 6000 Ada Generation"}},
      {"sm_90", {"H100", "H200", "GH200", "NVIDIA H100 80GB HBM3", "H100 PCIe"}},
      {"sm_100", {"B200", "GB200"}},
      {"sm_103", {"B300"}},
      {"sm_110", {"Jetson AGX Thor"}},
      {"sm_120",
       {"RTX 5080", "RTX 5090", "RTX 5070 Ti",
        "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition"}},
      {"sm_121", {"GB10", "DGX Spark"}},
      {"gfx803", {"RX 580"}},
      {"gfx900", {"MI25", "RX Vega 64"}},
      {"gfx906", {"MI50", "MI60", "Radeon VII"}},
      {"gfx908", {"MI100"}},
      {"gfx90a", {"MI210", "MI250", "MI250X", "AMD Instinct MI210"}},
      {"gfx942", {"MI300A", "MI300X", "MI325X", "AMD Instinct MI300X OAM"}},
      {"gfx950", {"MI350X", "MI355X"}},
      {"gfx1010", {"RX 5700 XT"}},
      {"gfx1030", {"RX 6900 XT", "AMD Radeon RX 6800"}},
      {"gfx1031", {"RX 6700 XT"}},
      {"gfx1100", {"RX 7900 XTX", "Radeon RX 7900 GRE", "rx7900xt"}},
      {"gfx1101", {"RX 7800 XT"}},
      {"gfx1102", {"RX 7600 XT"}},
      {"gfx1151", {"Radeon 8060S"}},
      {"gfx1200", {"RX 9060 XT"}},
      {"gfx1201", {"RX 9070 XT"}}};
  for (const auto& [machine, names] : products)
    for (const std::string& name : names)
      CHECK(cl::machine_of(name, {}) == cl::machine_of(machine, {}));
  for (const char* name :
       {"90a", "sm_", "sm_90b", "9.01", "ti", "nvidia", "rtx", "80gb", "-", "RTX 6000 Blackwell"}) {
    asked.machines = {name};
    CHECK(ask(kernel, asked).code == cl::bad_input);
  }
  asked.machines = {"9.0"};
  CHECK(ask(kernel, asked).output.rfind("sm_90: test, one block of 32 threads\n", 0) == 0);
  CHECK(ask("machine sm_70\n" + kernel, asked).output.rfind("sm_90: ", 0) == 0);
  asked.machines = {"sm_90", "sm_91"};
  CHECK(ask(kernel, asked).code == cl::bad_input);
  asked.machines = {};
  asked.all_machines = true;
  const std::string output = ask(kernel, asked).output;
  for (const char* name : {"sm_10", "sm_21", "sm_35", "sm_62", "sm_90", "sm_121",
                           "with 8-byte banks", "gfx600", "gfx90a", "gfx950", "gfx1201"})
    CHECK(output.find(name) != std::string::npos);
  asked.all_machines = false;
  asked.machines = {"gfx942"};
  CHECK(ask(kernel, asked).output.rfind("gfx942: test, one block of 32 threads\n", 0) == 0);
  asked.machines = {"gfx943"};
  CHECK(ask(kernel, asked)
            .error.find("there is no machine gfx943; there is no record of gfx version 9.4.3; copy "
                        "and adjust one of gfx900, ") != std::string::npos);
  asked.machines = {"gfx90a:sramecc+:xnack-"};
  CHECK(ask(kernel, asked).output.rfind("gfx90a: test, one block of 32 threads\n", 0) == 0);

  // Of several machines, those that cannot run it are skipped with a note; for one it is an error.
  const std::string large = "block 768\nshared float a[1536]\nload a[2 * tx]\n";
  asked.machines = {"sm_13"};
  CHECK(ask(large, asked).code == cl::bad_input);
  asked.machines = {};
  asked.all_machines = true;
  const cl::answer some = ask(large, asked);
  CHECK((some.code == cl::fine && some.output.find("sm_20") != std::string::npos &&
         some.output.find("sm_13") == std::string::npos));
  CHECK(some.error.find("bankmodel: note: not counted on sm_10, sm_11, sm_12, sm_13: ") == 0);
  // One that is named costs no row of the others, and a limit is not kept there.
  asked.all_machines = false;
  asked.machines = {"sm_13", "sm_90"};
  const cl::answer two = ask(large, asked);
  CHECK((two.code == cl::fine && two.output.rfind("sm_90: ", 0) == 0));
  CHECK(two.error.find("bankmodel: note: not counted on sm_13: ") == 0);
  asked.allowed.of_all.conflicts = {100'000, "--max-conflicts"};
  CHECK(ask(large, asked).code == cl::not_read);
}

TEST_CASE("exit codes") {
  const std::string kernel = "machine sm_35\nblock 32\nshared float a[64]\nload a[2 * tx]\n";
  cc::question asked;
  CHECK(ask(kernel, asked).code == cl::fine);
  asked.allowed.of_all.conflicts = {0, "--max-conflicts"};
  CHECK(ask(kernel, asked).code == cl::fine);  // neither width has conflicts
  asked.machines = {"sm_35", "sm_90"};
  const cl::answer answer = ask(kernel, asked);
  CHECK(answer.code == cl::too_many_conflicts);
  CHECK(answer.error == "bankmodel: sm_90: 1 conflict, --max-conflicts allows 0\n");
  CHECK(!answer.output.empty());
  asked.allowed.of_all.conflicts = {1, "--max-conflicts"};
  CHECK(ask(kernel, asked).code == cl::fine);
}

TEST_CASE("printed output") {
  const std::string kernel =
      "block 32\nshared float a[64], unused[4]\nshared char c[64][4]\nload a[2 * tx + "
      "blockIdx.x]\nload (int) c[2 * tx % 64][0]\n";
  cc::question asked;
  asked.machines = {"sm_35"};
  const std::string text = ask(kernel, asked).output;
  INFO(text);
  for (const char* line :
       {"note: on sm_35 with 8-byte banks the kernel takes 2 wavefronts, ideal 2; --bank-width 8",
        "plan: ", "The arrays can stay as they are.", "note: no access reads or writes unused",
        "blockIdx is 0"})
    CHECK(text.find(line) != std::string::npos);
  CHECK(text.find("resident blocks   ") == std::string::npos);  // nothing to compare
  asked.plan = false;
  CHECK(ask(kernel, asked).output.find("plan") == std::string::npos);
  asked.format = cl::format::csv;
  CHECK(ask(kernel, asked)
            .output.find(
                "\nsm_35,\"test\",\"test\",4,6,shared,\"a\",load,4,1,1,1,0,1,,,,,0,,,,,,,,,\n"
                "sm_35,\"test\",\"test\",5,6,shared,\"c\",load,4,1,1,1,0,1,,,,,0,,,,,,,,,\n") !=
        std::string::npos);
}

TEST_CASE("both bank widths of a machine") {
  const std::string kernel =
      "block 32\nshared float a[32][32]\nload a[tx][0], a[tx][tx], (float2) a[tx][2]\n";
  const cl::kernel_file file = read(kernel);
  cc::question asked;
  asked.machines = {"sm_35"};
  asked.plan = false;
  for (const int bytes : {4, 8}) {
    const bm::cost wanted = cl::count(file, sm_35.with_bank_width(bytes)).sum;
    const std::string sum = cl::joined("\"requests\": 3, \"wavefronts\": ", wanted.wavefronts, ",");
    asked.bank_width = bytes;
    asked.format = cl::format::json;
    const std::string json = ask(kernel, asked).output;
    CHECK(json.find(sum) != std::string::npos);
    CHECK(json.find(cl::joined("\"machine\": \"sm_35\", \"bank_width\": ", bytes, ",")) !=
          std::string::npos);
    asked.format = cl::format::text;
    const std::string text = ask(kernel, asked).output;
    CHECK(text.rfind(bytes == 4 ? "sm_35: test, " : "sm_35 with 8-byte banks: test, ", 0) == 0);
    const bm::cost other = cl::count(file, sm_35.with_bank_width(12 - bytes)).sum;
    CHECK(text.find(cl::joined("note: on sm_35 with ", 12 - bytes, "-byte banks the kernel takes ",
                               other.wavefronts, " wavefronts, ideal ", other.ideal,
                               "; --bank-width ", 12 - bytes, " ")) != std::string::npos);
  }
  asked.bank_width = 8;
  asked.machines = {"sm_90"};
  CHECK(
      ask(kernel, asked).error ==
      "bankmodel: error: --bank-width 8: sm_90 has banks of 4 bytes; leave it out; sm_30 to sm_37 "
      "have banks of 4 and of 8 bytes\n");
  // Of all machines those that offer it.
  asked.machines = {"sm_37", "sm_90"};
  CHECK(ask(kernel, asked).code == cl::bad_input);
  asked.machines = {};
  asked.all_machines = true;
  const std::string output = ask(kernel, asked).output;
  CHECK(output.find("sm_30 with 8-byte banks") != std::string::npos);
  CHECK(output.find("sm_90") == std::string::npos);
}

// 228 KiB hold eight blocks of 256 threads, and five of 40 256 bytes with the KiB that the system
// takes of each.
TEST_CASE("arrays that begin at an offset occupy the bytes before them") {
  cc::question asked;
  asked.machines = {"sm_90"};
  const auto says = [&](const std::string& arrays, const std::string& line) {
    const cl::answer answer =
        ask("block 256\nshared float " + arrays + "\nload a[tx % 64]\n", asked);
    INFO(answer.output << answer.error << "must contain: " << line);
    CHECK(answer.output.find(line) != std::string::npos);
    CHECK(answer.code == cl::fine);
  };
  says(
      "a[64] at 40000",
      "  bytes                 40,256          256\n  resident blocks            5            8\n");
  says("a[64]", ", 256 bytes, 8 resident blocks, ");
  asked.format = cl::format::json;
  says("a[64] at 40000", "\"bytes\": 40256, \"resident_blocks\": 5},\n");
}

TEST_CASE("plans and the lines to paste") {
  const auto says = [](const std::string& kernel, const cc::question& asked,
                       const std::vector<std::string>& lines) {
    const cl::answer answer = ask(kernel, asked);
    INFO(answer.output << answer.error);
    for (const std::string& line : lines) {
      INFO("must contain: " << line);
      CHECK(answer.output.find(line) != std::string::npos);
    }
    CHECK(answer.code == cl::fine);
  };
  cc::question asked;
  asked.machines = {"sm_90"};
  says("block 256\nshared float partial[512]\nload partial[2 * tid]\n", asked,
       {"  __shared__ float partial[527];\n  index: partial[x] -> partial[x + x / 32]\n"});
  // Pairs are rows of 2.
  says("block 256\nshared float partial[512]\nload partial[2 * tid], partial[2 * tid + 1]\n", asked,
       {"  __shared__ float partial[767];\n  index: partial[2 * y + x] -> partial[3 * y + x]\n"});
  // If padding must not cost a byte, or does not fit.
  asked.limits.options.prefer = bm::preference::few_bytes;
  const std::string tile =
      "block 32 8\nshared float tile[32][32]\nstore tile[ty][tx]\nload tile[tx][ty]\n";
  says(tile, asked,
       {"  tile[32][32], element [r][c] at [r][c ^ r], at byte 0\n",
        "  __shared__ float tile[32][32];\n  index: tile[y][x] -> tile[y][x ^ y]\n"});
  asked.format = cl::format::json;
  says(tile, asked,
       {"\"layout\": \"xor_swizzle\", \"declare\": \"[32][32], element [r][c] at [r][c ^ r]\"",
        "\"tile[y][x] -> tile[y][x ^ y]\""});
  asked.format = cl::format::text;
  asked.limits.options.layouts = bm::layouts::rotation;
  says(tile, asked,
       {"  __shared__ float tile[32][32];\n  index: tile[y][x] -> tile[y][(x + y) % 32]\n"});
  asked.limits.options = {};
  says("block 32\nshared float odd[510][24]\nload odd[4 * tx][0]\n", asked,
       {"  __shared__ float odd[12256];\n  index: odd[y][x] -> odd[e ^ ((e >> 5) & 31)], where e "
        "is 24 * y + x\n"});
  says("block 32\nshared float a[32][32]\nload (float4) a[tx][4]\n", asked,
       {"  __shared__ __align__(16) float a[32][36];\n"});
  says("block 8 8\nshared char c[8][64], d[64]\nload c[ty][8 * tx], d[tid]", asked, {"plan: "});
  asked.machines = {"sm_35"};
  says(text_of_file("shfl_vertical_shfl"), asked,
       {"__shared__ __align__(8) unsigned sums[32][10];\n",
        "cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte);"});
  says(text_of_file("lud_perimeter"), asked,  // a byte more would cost a resident block
       {"__shared__ __align__(256) char memory[3072];",
        "auto& peri_col = *reinterpret_cast<float (*)[16][16]>(memory + 2048);",
        "index: peri_col[y][x] -> peri_col[y][x ^ y]\n"});
  asked.limits.options.layouts = bm::layouts::padding;
  says(text_of_file("lud_perimeter"), asked,
       {"__shared__ __align__(256) char memory[3136];",
        "auto& peri_col = *reinterpret_cast<float (*)[16][17]>(memory + 2048);"});

  asked = {};
  asked.machines = {"sm_90"};
  const std::string large = "block 32\nshared float a[128][128]\nload a[tx][0]\n";
  says(large, asked, {"no plan: the arrays need at least 65536 bytes", "--shared-bytes"});
  asked.limits.options.shared_bytes = 100'000;
  says(large, asked,
       {"extern __shared__ __align__(16) char memory[];", "(*)[128][129]>(memory);",
        "MaxDynamicSharedMemorySize, 66048);"});
  asked.limits.options.shared_bytes = 1'000'000;
  CHECK(ask(large, asked).code == cl::bad_input);
  CHECK(ask(large, asked).error.find("a block of this machine can have at most 232448") !=
        std::string::npos);
  asked.limits.options = {.resident_blocks = 1000};
  CHECK(ask(large, asked).code == cl::bad_input);
}

// Expressions for which C's unsigned or narrow arithmetic gives another result are errors.
namespace {

// An expression in tx, and its value for each of 32 threads; nothing if C's int overflows.
struct expression_of_thread {
  std::string text;
  std::array<std::optional<long long>, 32> worth;
};

template <class Random>
expression_of_thread any_expression(Random& random, int depth) {
  const auto draw = [&](unsigned end) { return static_cast<unsigned>(random() % end); };
  if (depth == 0 || draw(4) == 0) {
    expression_of_thread leaf;
    const long long number = draw(3) == 0 ? 1 << draw(31) : static_cast<long long>(draw(70000));
    const bool thread = draw(2) == 0;
    leaf.text = thread ? "tx" : std::to_string(number);
    for (int tx = 0; tx < 32; ++tx) leaf.worth[static_cast<std::size_t>(tx)] = thread ? tx : number;
    return leaf;
  }
  constexpr const char* symbols[] = {"+", "-", "*", "<<", "&", "|", "^", ">>"};
  const unsigned operation = draw(8);
  const expression_of_thread left = any_expression(random, depth - 1);
  expression_of_thread right = any_expression(random, depth - 1);
  if (operation == 3 || operation == 7) {
    const long long bits = draw(20);
    right.text = std::to_string(bits);
    right.worth.fill(bits);
  }
  expression_of_thread result;
  result.text = "(" + left.text + " " + symbols[operation] + " " + right.text + ")";
  for (std::size_t tx = 0; tx < 32; ++tx) {
    if (!left.worth[tx] || !right.worth[tx]) continue;
    const long long x = *left.worth[tx], y = *right.worth[tx];
    const long long values[] = {x + y, x - y, x * y, x * (1ll << (y & 31)),
                                x & y, x | y, x ^ y, x >> (y & 31)};
    const long long value = values[operation];
    if (value >= -0x80000000ll && value <= 0x7fffffff) result.worth[tx] = value;
  }
  return result;
}

}  // namespace

TEST_CASE("accepted expressions of one thread do not overflow in C") {
  std::mt19937 random(7);
  int accepted = 0, overflowing = 0;
  for (int seed = 0; seed < drawn(4000); ++seed) {
    const auto expression = any_expression(random, 4);
    const bool overflows = std::any_of(expression.worth.begin(), expression.worth.end(),
                                       [](const auto& value) { return !value; });
    overflowing += overflows;
    try {
      (void)cl::read_kernel_file(
          {"test", "block 32\nshared float a[4096]\nload a[" + expression.text + " & 4095]"});
    } catch (const cl::refusal&) {
      continue;
    }
    ++accepted;
    if (overflows) FAIL(expression.text << " is accepted, and overflows");
  }
  CHECK(accepted > drawn(1000));
  CHECK(overflowing > drawn(500));
}

TEST_CASE("C's unsigned and narrow numbers") {
  const auto wrong = [](const std::string& statement) {
    try {
      (void)cl::read_kernel_file({"test", "block 32\nshared float a[4096]\n" + statement});
      return std::string("not refused");
    } catch (const cl::refusal& reason) {
      return reason.wrong;
    }
  };
  const auto refused = [&](const std::string& statement, const std::string& because) {
    INFO(statement);
    CHECK(wrong(statement).find(because) != std::string::npos);
  };
  // What C leaves open, and what the library cannot compute.
  for (const char* statement :
       {"int x = 1 << 31; load a[x]", "load a[(tx << 28) >> 26]", "if (65536 * 65536) load a[tx]",
        "load a[tx * 65536 * 65536 >> 32]", "int x = 1 << 32; load a[x]"})
    refused(statement, "32 bits");
  for (const char* statement :
       {"for (size_t i = 31; i >= 0; --i) load a[i]",
        "for (unsigned i = 31; i > 0; i -= 2) load a[i]",
        "for (unsigned i = 31; i >= tx; --i) load a[i]", "for (int i = 0; i < 8; --i) load a[i]",
        "for (unsigned i = 2; i < 4294967295u; i += 2) load a[i & 3]"})
    refused(statement, "without end");
  refused("for (uint8_t i = 0; i < 256; ++i) load a[i]", "a loop over 8 bits");
  refused("size_t x = tx; if (x - 1 < 8) load a[tx]", "64 bits that may be below 0");
  refused("size_t x = 18446744073709551615ull; load a[tx]", "63 bits");
  refused("unsigned x = threadIdx.x * 2654435761u; load a[x * x & 15]", "63 bits");
  refused("for (int i = threadIdx.x - 16; i < blockDim.x; ++i) load a[i]", "may be below 0");
  refused("float f = 3; load a[f]", "f is a value from memory");
  refused("#define P 32 + 1\nload a[tx * P]", "textually");
  refused("# if 0\nload a[tx]\n# endif", "preprocessor");
  refused("# define N 4\nload a[tx]", "preprocessor");
  for (const char* statement :
       {"int x = threadIdx.x; if (x - 1 < 16) load a[x]", "if (threadIdx.x < 16) load a[tx]",
        "#define P (32 + 1)\nload a[tx * P]", "#define P -1\nload a[tx + 1 + P]",
        "# a comment\nload a[tx]", "for (unsigned i = 31; i > 0; --i) load a[i]",
        "for (unsigned i = 64; i >= 8; i -= 8) load a[i]",
        "for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) if (threadIdx.x < s) load a[tx + s]",
        "for (int i = threadIdx.x; i < 1024; i += blockDim.x) load a[i]",
        "long long x = 1 << 30; load a[tx]"})
    CHECK(statement + (": " + wrong(statement)) == statement + std::string(": not refused"));
}

TEST_CASE("statements that cannot reach shared memory are skipped, and said") {
  const std::string kernel =
      "__shared__ float t[32][33];\n"
      "__global__ void f(const float* in, float* out, int n) {\n"
      "  const float* p = in + n;\n"
      "  for (int j = 0; j < 32; j += 8) t[threadIdx.y + j][threadIdx.x] = in[n * j];\n"
      "  while (n > 3) { n /= 2; out[n] = 1; }\n"
      "  // a comment that goes on \\\n  t[0][99] = 1;\n"
      "  printf(\"%d\\n\", n); asm volatile(\"bar.sync 0;\");\n"
      "  out[n] = t[threadIdx.x][threadIdx.y];\n"
      "}\n";
  means("block 32 8\n" + kernel, bm::block_dim{32, 8},
        bm::store(bm::for_loop(j, bm::range(0, 32, 8), t[ty + j][tx])), bm::load(t[tx][ty]));
  cc::question asked;
  asked.machines = {"sm_90"};
  asked.shape.width = 200;
  const std::string output = ask("block 32 8\n" + kernel, asked).output;
  INFO(output);
  CHECK(output.find(
            "\nnote: 3 statements without shared memory were skipped, in lines 6, 9\n"
            "note: not counted: accesses through out, since in line 6 `while` does not begin a "
            "statement of the notation: how often it runs is not known\n") != std::string::npos);
  std::string eight = "__global__ void f() {\n  __shared__ float a[32];\n";
  for (int line = 0; line < 8; ++line) eight += "  out[0] = 1;\n";
  CHECK(ask("block 32\n" + eight + "  a[threadIdx.x] = 1;\n}\n", asked)
            .output.find("note: 8 statements without shared memory were skipped, in lines 4, 5, 6, "
                         "7, 8, 9 and 2 more\n") != std::string::npos);
  asked.format = cl::format::json;
  CHECK(ask("block 32 8\n" + kernel, asked)
            .output.find(
                "\"notes\": [\n        \"3 statements without shared memory were skipped, in "
                "lines 6, 9\",\n") != std::string::npos);
}

TEST_CASE("the launch's dynamic memory and the machine's warps") {
  const std::string dynamic = "block 32\nextern __shared__ float d[];\nload d[2 * tx]\n";
  cc::question asked;
  asked.machines = {"sm_90"};
  CHECK(ask(dynamic, asked).code == cl::bad_input);
  asked.dynamic_shared_bytes = 252;
  CHECK(ask(dynamic, asked).code == cl::fine);
  asked.dynamic_shared_bytes = 248;
  CHECK(ask(dynamic, asked).error.find("reaches 62 in an active lane, but its extent is 62") !=
        std::string::npos);
  asked.dynamic_shared_bytes = 256;
  CHECK(ask("block 32\nextern __shared__ float d[];\nextern __shared__ int e[];\nload d[tx]", asked)
            .error.find("e and d are the same dynamic memory in C") != std::string::npos);

  const std::string warps = "block 64\nshared float w[64]\nif (tx < warpSize) load w[tx]\n";
  asked = {};
  asked.format = cl::format::csv;
  asked.machines = {"sm_90", "gfx942"};
  const std::string output = ask(warps, asked).output;
  INFO(output);
  CHECK(output.find("\"w\",load,4,1,1,1,0,1,") != std::string::npos);  // one warp of 32 of two
  CHECK(output.find("\ngfx942,\"test\",\"test\",3,25,shared,\"w\",load,4,1,2,2,0,1,") !=
        std::string::npos);
}

TEST_CASE("less output, and what a plan may choose") {
  cc::question asked;
  asked.machines = {"sm_90"};
  const std::string kernel =
      "block 32 8\nshared float t[32][32], u[32][32]\nload t[tx][ty], t[tx][2 * ty]\n"
      "store t[tx][ty + 1]\nload u[tx][0]\n";
  const std::string output = ask(kernel, asked).output;
  CHECK(count_of("__shared__ float t[32][33];", output) == 1);
  CHECK(count_of("    3 | load t[tx][ty], t[tx][2 * ty]\n", output) == 2);
  CHECK(count_of("store t[tx][ty + 1]", output) == 2);
  asked.brief = true;
  const std::string brief = ask(kernel, asked).output;
  CHECK(count_of("store t[tx][ty + 1]", brief) == 0);
  CHECK(count_of("       the whole kernel        32       1,024     32        992  32-way\n",
                 brief) == 1);
  CHECK(count_of("__shared__ float u[32][33];", brief) == 1);
  CHECK(count_of("       all 4 blocks           128       4,096",
                 ask("grid 4\n" + kernel, asked).output) == 1);
  asked.brief = false;

  asked.limits.keep = {"t"};
  CHECK(count_of("  __shared__ float t[32][32];\n", ask(kernel, asked).output) == 1);
  asked.limits.keep = {"tt"};
  CHECK(ask(kernel, asked).error ==
        "bankmodel: error: --keep names tt, which is not a shared array; did you mean t?\n");
  asked.limits.keep = {};
  asked.limits.layouts = {"xor_swizzle,rotation"};
  CHECK(count_of("  __shared__ float t[32][32];\n", ask(kernel, asked).output) == 1);
  asked.limits.layouts = {"xor"};
  CHECK(ask(kernel, asked).error.find("--layouts has no family xor; ") != std::string::npos);
}

// Round trips: the text in the table is read as the same access.
TEST_CASE("the text of an access is read as the same access") {
  kernels::for_each_kernel([](const char* name, const auto&) {
    const std::string text = text_of_file(name);
    // Those to global memory have the names of values in their subscripts.
    const cl::kernel_file file = shared_part_of(read(text));
    for (const cl::kernel_access& access : file.accesses) {
      std::string alone =
          "block " + std::to_string(file.block.x) + " " + std::to_string(file.block.y) +
          "\ndefine planes 32\ndefine radius 8\ndefine results 8\ndefine steps 135\n";
      for (const cl::kernel_array& array : file.arrays)
        if (array.description.memory == bm::memory_space::shared)
          alone += "shared " + array.type + " " + array.name + bm::text(array.description.layout) +
                   " at " + std::to_string(array.description.base_bytes) + "\n";
      INFO(alone << access.text);
      const cl::kernel_file reread = read(alone + access.text);
      REQUIRE(reread.accesses.size() == 1);
      CHECK(reread.accesses[0].text == access.text);
      for (const bm::machine& target : machines)
        CHECK(bm::total(target, reread.block, reread.accesses[0].expression) ==
              bm::total(target, file.block, access.expression));
    }
  });
}

// Expressions as report.hpp writes them, with exactly the parentheses that C needs, are read as
// they were.
TEST_CASE("the text of an expression is read as the same expression") {
  std::uint64_t state = 7;
  const auto draw = [&](std::size_t limit) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return static_cast<std::size_t>((state * 0x2545f4914f6cdd1dull >> 33) % limit);
  };
  const char* const numeric[] = {"+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "min", "max"};
  const char* const comparing[] = {"<", "<=", ">", ">=", "==", "!="};
  const std::function<cl::program(int)> number = [&](int deep) {
    if (deep == 0 || draw(5) == 0)
      return draw(3) == 0 ? cl::constant_program(static_cast<long long>(draw(40)), {})
                          // i, j, k of the loops
                          : cl::variable_program(static_cast<bm::variable>(draw(12)), {});
    if (draw(8) == 0) return cl::negative(number(deep - 1));
    return cl::combined(numeric[draw(12)], {}, number(deep - 1), number(deep - 1));
  };
  const std::function<cl::program(int)> condition = [&](int deep) {
    if (deep == 0 || draw(3) == 0)
      return cl::combined(comparing[draw(6)], {}, number(2), number(2));
    if (draw(4) == 0) return cl::opposite(condition(deep - 1));
    return cl::combined(draw(2) == 0 ? "&&" : "||", {}, condition(deep - 1), condition(deep - 1));
  };
  const auto same = [](const cl::program& expected, const bm::node* nodes,
                       const bm::slice& actual) {
    if (static_cast<int>(expected.nodes.size()) != actual.size) return false;
    for (int position = 0; position < actual.size; ++position)
      if (expected.nodes[static_cast<std::size_t>(position)].op !=
              nodes[actual.first + position].op ||
          expected.nodes[static_cast<std::size_t>(position)].value !=
              nodes[actual.first + position].value)
        return false;
    return true;
  };
  int checked = 0;
  for (int round = 0; round < drawn(5000); ++round) {
    cl::program subscript, filter;
    try {
      subscript = number(4);
      filter = condition(3);
    } catch (const cl::refusal&) {  // a constant that is divided by zero, or too many nodes
      continue;
    }
    const auto text_of = [](const cl::program& tree) {
      return bm::detail::text(tree.nodes.data(), {0, static_cast<int>(tree.nodes.size())});
    };
    const std::string text =
        "block 32\nshared int a[8]\nfor (i = 0; i < 2; ++i) for (j = 0; j < 2; ++j) for (k = 0; k "
        "< 2; ++k)\n  if (" +
        text_of(filter) + ") load a[" + text_of(subscript) + "]";
    INFO(text);
    cl::kernel_file kernel;
    try {
      kernel = cl::read_kernel_file({"test", text});
    } catch (const cl::refusal& reason) {  // values that C's int does not hold
      if (reason.wrong.find("32 bits") == std::string::npos) FAIL(cl::text({"test", text}, reason));
      continue;
    }
    const cl::access_expression& access = kernel.accesses.at(0).expression;
    if (!same(subscript, access.nodes, access.subscript[0])) CHECK(text == "the same subscript");
    if (!same(filter, access.nodes, access.wrappers[3].first)) CHECK(text == "the same condition");
    ++checked;
  }
  CHECK(checked > drawn(2000));
}

// The fuzz target over texts that are nearly kernels: with any compiler, always the same texts.
TEST_CASE("mutated kernel files are read or give an error") {
  std::vector<std::string> corpus;
  kernels::for_each_kernel(
      [&](const char* name, const auto&) { corpus.push_back(text_of_file(name)); });
  corpus.push_back(
      head +
      "if (tx < 3) { int r = tx; *(float4*)&a[4 * r] += a[min(r, 2)]; } else load t[lane][warp]");
  for (const std::string& text : corpus)
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  std::uint64_t state = 1;
  const auto draw = [&](std::size_t limit) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return static_cast<std::size_t>((state * 0x2545f4914f6cdd1dull >> 33) % limit);
  };
  const char* const pieces[] = {"(",
                                ")",
                                "[",
                                "]",
                                "{",
                                "}",
                                ";",
                                ",",
                                "tx",
                                " for (",
                                " if (",
                                "load ",
                                "a[",
                                "\n",
                                "/*",
                                "*",
                                "-1",
                                "9223372036854775807",
                                "0",
                                "%",
                                "/",
                                "<<",
                                "&&",
                                "<",
                                "= ",
                                "at ",
                                "else ",
                                "define x ",
                                "float4",
                                "\0x",
                                "\xff",
                                "\nglobal float ",
                                "[]",
                                " stride ",
                                "\ngrid 3 ",
                                "bx",
                                " ? ",
                                " : ",
                                "(int)",
                                "sizeof(",
                                "auto x = ",
                                "unsigned y = ",
                                "if (tx < 3) return;",
                                "x = ",
                                "++x;",
                                "continue;",
                                "break;",
                                "while (x) {",
                                "extern __shared__ int d[];",
                                "static_cast<int>("};
  for (int round = 0; round < drawn(10000); ++round) {
    std::string text = corpus[draw(corpus.size())];
    for (std::size_t edits = 1 + draw(4); edits > 0; --edits) {
      const std::size_t position = draw(text.size() + 1), size = draw(12);
      switch (draw(4)) {
        case 0: text.erase(position, size); break;
        case 1: text.insert(position, pieces[draw(std::size(pieces))]); break;
        case 2: text.insert(position, text.substr(draw(text.size() + 1), size)); break;
        default:
          if (position < text.size()) text[position] = static_cast<char>(draw(256));
      }
    }
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  }
}
