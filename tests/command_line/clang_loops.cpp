// SPDX-License-Identifier: MIT
// Loops of source whose end is in the data: a number of iterations that is assumed makes the
// requests that data with this number make, for each kind of loop. And branches that are assumed.
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "examples/bankmodel/clang_reader/source_reader.hpp"
#include "examples/bankmodel/compiled/engine/run.hpp"

namespace c = compiled;

namespace {

struct data_loop {
  const char* body;  // lines 6 and later: n is read from the data
  int line;          // of the loop's condition
  int extra = 0;     // the number of times that it goes on is n + more
  int minimum = 0;   // of n
};

const data_loop loops[] = {
    {"for (int k = 0; k < n; ++k) s[k][t] = k;", 6},
    {"for (int k = 0; k < n; k++)\n s[k][t] = k;\n", 6},
    {"for (int k = t; k < 64 * n; k += 64) s[k / 64][t] = s[k % 7][t];", 6},
    {"int k = 0;\nwhile (k < n) { s[t % 16][k] = k; k++; }", 7},
    {"int k = 0;\ndo {\n s[k][t] = t;\n} while (++k < n);", 9, -1, 1},
    {"int k = 0;\nwhile (true) {\n if (k == n) break;\n s[k++][t] = 1;\n}", 8},
    {"int k = 0;\nfor (;;) {\n s[k][t] = t;\n if (++k > n) break;\n s[k][t % 3] = t;\n}", 9},
    {"for (int k = 0; k < n; ++k) {\n#pragma unroll\n for (int j = 0; j < 4; ++j)\n"
     "  s[k][j * 16 + t % 16] = j;\n}",
     6},
    {"#pragma unroll 4\nfor (int k = 0; k < n; ++k) s[k][t] = k;", 7},
    {"#pragma unroll\nfor (int k = 0; k < n; ++k) s[k][t] = k;", 7},
    {"for (int i = 0; i < 3; ++i)\n for (int k = 0; k < n; ++k) s[k][(t * i) % 64] = k;", 7},
    {"for (int i = 0; i < 3; ++i) {\n int k = 0;\n do s[k][t] += i; while (++k <= n);\n}", 8},
    {"for (int k = 0; k < n; ++k) {\n if (k % 2 == 0) continue;\n s[k][t] = k;\n}", 6},
    {"for (int k = 0; k < n; ++k) {\n s[k][t] = k;\n __syncthreads();\n s[t % 16][k] += k;\n}", 6},
    {"for (int k = n; k > 0; --k) s[t % 16][t] = t;", 6},
    {"if (t < 40)\n for (int k = 0; k < n; ++k) s[k][t] = k;", 7},
    {"for (int k = 0; k < n; ++k)\n if (t < 8 * k) s[k][t] = k;", 6},
    {"for (int k = 0; k < 12; ++k) {\n if (k >= n) break;\n s[k][t] = k;\n}", 7},
};

c::kernel_code kernel_of(const std::string& body) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("bankmodel_loops_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "loop.cu").string();
  std::ofstream(path) << "__global__ void loop(const int* counts, int* out) {\n"
                         "  __shared__ int s[16][64];\n"
                         "  int t = threadIdx.x;\n"
                         "  int n = counts[0];\n"
                         "  s[15][t] = 0;\n"
                      << body << "\n  out[t] = s[t % 16][t];\n}\n";
  const c::read_source source = c::read_cuda(path, {});
  std::filesystem::remove_all(folder);
  INFO(source.diagnostics);
  REQUIRE(source.kernels.size() == 1);
  return source.kernels[0];
}

// Of each access to shared memory: the lanes' addresses, and how often.
using requests = std::map<std::pair<int, int>, std::map<std::vector<long long>, std::uint64_t>>;
requests requests_of(const c::kernel_code& kernel, const c::launch& options) {
  requests result;
  for (const c::recorded_access& access : c::run(kernel, options).accesses) {
    if (access.is_global) continue;
    CHECK_FALSE(access.is_partial);
    auto& counts = result[{access.location.line, access.location.column}];
    for (const c::recorded_class& group : access.classes)
      for (const auto& [base, times] : group.times) {
        std::vector<long long> lanes;
        for (int lane = 0; lane < 32; ++lane)
          lanes.push_back((group.lanes.active >> lane & 1) != 0
                              ? base + static_cast<long long>(group.lanes.address[lane])
                              : -1);
        counts[lanes] += times;
      }
  }
  for (auto entry = result.begin(); entry != result.end();)
    entry = entry->second.empty() ? result.erase(entry) : std::next(entry);
  return result;
}

c::launch with_data(int n) {
  c::launch options{.block = {64}};
  options.data["counts"] = {"counts.bin", {static_cast<std::uint8_t>(n), 0, 0, 0}};
  return options;
}

}  // namespace

TEST_CASE("Iterations that are assumed", "[clang_loops]") {
  for (const data_loop& loop : loops) {
    const c::kernel_code kernel = kernel_of(loop.body);
    REQUIRE(kernel.loops_are_as_written);
    for (int n = loop.minimum; n < 8; ++n) {
      INFO(loop.body << "\nn = " << n);
      c::launch options{.block = {64}};
      const auto times = static_cast<std::uint64_t>(n + loop.extra);
      options.assumed = {{loop.line, {false, {{times, times}}}}};
      CHECK(requests_of(kernel, options) == requests_of(kernel, with_data(n)));
    }
  }
}

TEST_CASE("Branches that are assumed execute the code behind them", "[clang_loops]") {
  // At the end of a kernel, with another arm, with code in front of both, with a function.
  const std::pair<const char*, int> branches[] = {
      {"if (n) {\n s[1][t] = t;\n}", 6},
      {"if (n == 0) {\n s[1][t] = t;\n} else {\n s[2][t] = 1;\n}", 6},
      {"if (!n) {\n s[2][t] = t;\n} else {\n s[1][t] = 1;\n}", 6},
      {"if (n) {\n s[1][t] = t;\n __syncthreads();\n s[3][t] = n;\n}\nreturn;", 6},
      {"if (n > 0 && t < 32)\n s[1][t] = t;\ns[4][t] = 1;", 6},
  };
  for (const auto& [body, line] : branches) {
    const c::kernel_code kernel = kernel_of(body);
    const bool is_negative = std::string(body).find("== 0") != std::string::npos ||
                             std::string(body).find("!n") != std::string::npos;
    for (const bool is_taken : {false, true}) {
      INFO(body << "\ntaken: " << is_taken);
      c::launch options{.block = {64}};
      options.assumed = {{line, {is_taken, {}}}};
      CHECK(requests_of(kernel, options) ==
            requests_of(kernel, with_data(is_taken != is_negative)));
      const c::recording record = c::run(kernel, options);
      REQUIRE(record.notes.size() == 1);
      const char* const line_of_arm = std::string(body).find("&&") == std::string::npos ? "7" : "6";
      CHECK(record.notes[0].find(is_taken ? std::string("to be taken, so that line ") +
                                                line_of_arm + " is executed"
                                          : std::string("to be not taken")) != std::string::npos);
    }
  }
}

TEST_CASE("Branches that guard a jump: taken is the jump", "[clang_loops]") {
  const std::pair<const char*, int> branches[] = {
      {"if (n) return;\ns[1][t] = t;", 6},
      {"if (n) {\n return;\n}\ns[1][t] = t;", 6},
      {"for (int k = 0; k < 5; ++k) {\n if (n) continue;\n s[k][t] = t;\n}", 7},
      {"for (int k = 0; k < 5; ++k) {\n s[9][t] = k;\n if (n) break;\n s[k][t] = t;\n}", 8},
      {"for (int k = 0; k < 5; ++k) {\n if (n == 1 && k > 1) break;\n s[k][t] = t;\n}", 7},
      {"for (int k = 0; k < 5; ++k) {\n if (k == 3 || n)\n  return;\n s[k][t] = t;\n}", 7},
      {"if (n != 0 && t < 40) return;\ns[1][t] = t;", 6},
      {"if (n == 1 || t < 40) return;\ns[1][t] = t;", 6},
      {"if (n) return;\nelse s[2][t] = 1;\ns[1][t] = t;", 6},
      {"for (int k = 0; k < 4; ++k) {\n if (n) continue;\n s[k][t] = t;\n"
       " if (t > 40) return;\n s[5][t] = k;\n}",
       7},
      {"for (int k = 0; k < 4; ++k) {\n if (n == 1 && k > 1) continue;\n s[k][t] = t;\n"
       " if (t > 40) return;\n s[5][t] = k;\n}",
       7},
      {"for (int k = 0; k < 4; ++k) {\n if (k == 2 || n)\n  continue;\n s[k][t] = t;\n"
       " if (t > 40) return;\n s[5][t] = k;\n}",
       7},
      // No jump: the guarded code is not first, since both arms come to line 7 again.
      {"for (int k = 0; k < 3; ++k) {\n s[k][t] = k;\n if (n) {\n  s[4][t] = 1;\n"
       "  if (t > 40) return;\n }\n}",
       8},
  };
  for (const auto& [body, line] : branches) {
    const c::kernel_code kernel = kernel_of(body);
    for (const bool is_taken : {false, true}) {
      INFO(body << "\ntaken: " << is_taken);
      c::launch options{.block = {64}};
      options.assumed = {{line, {is_taken, {}}}};
      CHECK(requests_of(kernel, options) == requests_of(kernel, with_data(is_taken)));
    }
  }
}
