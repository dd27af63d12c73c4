// SPDX-License-Identifier: MIT
// Kernels in C++ that are read as notation, as the explorer does, cost on each line what they cost
// as Clang reads them.
#include <unistd.h>
#include <bankmodel/machines/nvidia.hpp>
#include <cstdint>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "catch.hpp"
#include "examples/bankmodel/compiled/ask.hpp"
#include "examples/bankmodel/compiled/counted_kernel.hpp"
#include "examples/bankmodel/notation/counts.hpp"

namespace bm = bankmodel;
namespace c = compiled;
namespace cl = command_line;

namespace {

// Of global memory or not, and the line: wavefronts, or transactions.
using costs_of_lines = std::map<std::pair<bool, int>, std::uint64_t>;

struct as_notation {
  costs_of_lines costs;
  c::launch settings;
  std::string name;
};

// The first reading that can be counted; without costs if there is none.
as_notation read_as_notation(const cl::source& text) {
  for (const cl::reading& method : cl::readings_of(text, {})) try {
      const cl::kernel_file kernel = cl::read_kernel_file(text, method);
      const cl::kernel_cost cost = cl::count(kernel, bm::nvidia::sm_90);
      as_notation result;
      result.settings.block = kernel.block;
      for (const cl::assumed_value& assumption : kernel.assumed)
        if (assumption.name.find("dynamic") != std::string::npos)
          result.settings.dynamic_shared_bytes = std::stoll(assumption.value);
        else if (assumption.name != "block" && assumption.name != "grid")
          result.settings.arguments[assumption.name] =
              static_cast<std::uint64_t>(std::stoull(assumption.value));
      for (std::size_t index = 0; index < kernel.accesses.size(); ++index) {
        const bool is_global = kernel.accesses[index].is_global();
        const std::uint64_t units =
            is_global ? cost.traffic[index].transactions : cost.costs[index].wavefronts;
        if (units != 0)
          result.costs[{is_global, cl::line_number(text, kernel.accesses[index].location.first)}] +=
              units;
      }
      return result;
    } catch (const cl::refusal&) {  // another may do
    }
  return {};
}

costs_of_lines costs_as_compiled(const std::string& file, const c::launch& options) {
  c::question asked;
  asked.file = file;
  asked.machines = {"sm_90"};
  asked.plan = false;
  asked.block = cl::option_text(options.block);
  asked.grid = "1";
  asked.dynamic_shared_bytes = options.dynamic_shared_bytes;
  for (const auto& [name, value] : options.arguments)
    asked.arguments.push_back(cl::joined(name, "=", value));
  const auto counted = c::counted(asked);
  const c::priced& costs = counted->pages.at(0).costs;
  costs_of_lines result;
  for (const c::priced_access& access : costs.shared)
    result[{false, access.first->location.line}] += access.cost.wavefronts;
  for (const c::priced_access& access : costs.global)
    result[{true, access.first->location.line}] += access.traffic.transactions;
  return result;
}

}  // namespace

TEST_CASE("kernels in C++ cost as notation what they cost as compiled code") {
  int kernels = 0, lines = 0, without_answer = 0;
  for (const auto& entry : std::filesystem::directory_iterator(BANKMODEL_CUDA_KERNELS)) {
    if (entry.path().extension() != ".cu") continue;
    std::ifstream stream(entry.path());
    const cl::source text{entry.path().string(), {std::istreambuf_iterator<char>(stream), {}}};
    INFO(text.name);
    const as_notation notation = read_as_notation(text);
    if (notation.costs.empty()) {
      ++without_answer;
      continue;
    }
    const costs_of_lines wanted = costs_as_compiled(text.name, notation.settings);
    for (const auto& [location, units] : notation.costs) {
      // A statement of two lines: Clang says where the element is, not where the statement begins.
      if (wanted.count(location) == 0) continue;
      INFO((location.first ? "transactions" : "wavefronts") << " of line " << location.second);
      CHECK(units == wanted.at(location));
      ++lines;
    }
    ++kernels;
  }
  CHECK(kernels >= 24);
  CHECK(lines > 135);
  CHECK(without_answer <= 3);
}

TEST_CASE(
    "pointers and macros of kernels in C++ mean as notation what they mean as compiled code") {
  const char* const bodies[] = {
      "b += threadIdx.x * n;\nfor (int i = 0; i < 4; ++i) b[i] = 1;",
      "b += 4;\nb[threadIdx.x] = 1;\nb -= 3;\nb[threadIdx.x] = 1;\n++b;\nb[threadIdx.x] = 1;",
      "b = a + 1;\nb[threadIdx.x] = a[threadIdx.x];",
      "float* c = a + blockDim.x * 2, *d = &a[threadIdx.x * 2];\nc[threadIdx.x] = d[5];",
      "int tid = threadIdx.x;\nif (tid >= n) return;\nfloat* part = a + tid / 32 * 33;\n"
      "for (int s = 16; s > 0; s >>= 1)\n  if (tid < s) part[tid] += part[tid + s];",
      "if (n > 3) {\n  float* c = b + 1;\n  c[threadIdx.x] = 1;\n}\nb[threadIdx.x] = 1;",
      "for (int i = 0; i < 3; ++i) {\n  const float* c = b + i * 9;\n  a[threadIdx.x] = "
      "c[threadIdx.x];\n}",
      "AT(a, threadIdx.x, 1) = AT(b, 1, threadIdx.x);",
      "for (int i = 0; i < COUNT(n); ++i) TWICE(a[threadIdx.x + i] = i;)",
      "const float* in = BASE;\nb[ROW] = in[ROW] + FIRST(in);",
      "auto c = a + 3;\nauto d = c + threadIdx.x;\nd[0] = c[threadIdx.x * 2];"};
  const auto folder =
      std::filesystem::temp_directory_path() / ("bankmodel_notation_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  for (const char* body : bodies) {
    const cl::source text{
        (folder / "kernel.cu").string(),
        std::string("#define AT(p, r, c) p[(r) * 33 + (c)]\n#define COUNT(n) (((n) + 511) / 512)\n"
                    "#define TWICE(x) { x x }\n#define BASE (a + 5)\n#define ROW threadIdx.x * 3\n"
                    "#define FIRST(p) p[threadIdx.x & 3]\n"
                    "__global__ void f(float* a, float* b, int n) {\n") +
            body + "\n}\n"};
    INFO(text.text);
    const as_notation notation = read_as_notation(text);
    std::ofstream(text.name) << text.text;
    CHECK(!notation.costs.empty());
    const costs_of_lines wanted = costs_as_compiled(text.name, notation.settings);
    for (const auto& [location, units] : wanted) {
      INFO((location.first ? "transactions" : "wavefronts") << " of line " << location.second);
      CHECK((notation.costs.count(location) == 0 ? 0 : notation.costs.at(location)) == units);
    }
    CHECK(notation.costs.size() == wanted.size());
  }
  std::filesystem::remove_all(folder);
}
