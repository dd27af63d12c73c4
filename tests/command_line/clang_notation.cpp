// SPDX-License-Identifier: MIT
// Kernels in C++ that are read as notation, as the explorer does, cost on each line what they cost
// as Clang reads them.
#include <bankmodel/machines/nvidia.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "catch.hpp"
#include "examples/bankmodel/answer.hpp"
#include "examples/bankmodel/clang_reader/source_reader.hpp"
#include "examples/bankmodel/compiled/argument_value.hpp"
#include "examples/bankmodel/compiled/page/priced.hpp"

namespace bm = bankmodel;
namespace c = compiled;
namespace cl = command_line;

namespace {

// Of global memory or not, and the line: wavefronts, or transactions.
using costs_of_lines = std::map<std::pair<bool, int>, std::uint64_t>;

struct as_notation {
  costs_of_lines costs;
  c::launch how;
  std::string name;
};

// The first reading that can be counted; without costs if there is none.
as_notation read_as_notation(const cl::source& of) {
  for (const cl::reading& how : cl::readings_of(of, {})) try {
      const cl::kernel_file kernel = cl::read_kernel_file(of, how);
      const cl::kernel_cost cost = cl::count(kernel, bm::nvidia::sm_90);
      as_notation result;
      result.how.block = kernel.block;
      for (const cl::assumed_value& one : kernel.assumed)
        if (one.name.find("dynamic") != std::string::npos)
          result.how.dynamic_shared_bytes = std::stoll(one.value);
        else if (one.name != "block" && one.name != "grid")
          result.how.arguments[one.name] = static_cast<std::uint64_t>(std::stoull(one.value));
      for (std::size_t at = 0; at < kernel.accesses.size(); ++at) {
        const bool is_global = kernel.accesses[at].is_global();
        const std::uint64_t units =
            is_global ? cost.traffic[at].transactions : cost.each[at].wavefronts;
        if (units != 0)
          result.costs[{is_global, cl::line_number(of, kernel.accesses[at].where.first)}] += units;
      }
      return result;
    } catch (const cl::refusal&) {  // another may do
    }
  return {};
}

costs_of_lines costs_as_compiled(const c::kernel_code& kernel, const c::launch& how) {
  c::launch given = how;
  given.bounds = true;  // of what data decide
  const c::priced costs = c::priced_on(bm::nvidia::sm_90, c::run(kernel, given));
  costs_of_lines result;
  for (const c::priced_access& one : costs.shared)
    result[{false, one.first->where.line}] += one.cost.wavefronts;
  for (const c::priced_access& one : costs.global)
    result[{true, one.first->where.line}] += one.traffic.transactions;
  return result;
}

}  // namespace

TEST_CASE("kernels in C++ cost as notation what they cost as compiled code") {
  int kernels = 0, lines = 0, without_answer = 0;
  for (const auto& entry : std::filesystem::directory_iterator(BANKMODEL_CUDA_KERNELS)) {
    if (entry.path().extension() != ".cu") continue;
    std::ifstream from(entry.path());
    const cl::source text{entry.path().string(), {std::istreambuf_iterator<char>(from), {}}};
    INFO(text.name);
    const as_notation found = read_as_notation(text);
    if (found.costs.empty()) {
      ++without_answer;
      continue;
    }
    const c::read_source source = c::read_cuda(text.name, {});
    REQUIRE(source.kernels.size() == 1);
    const costs_of_lines wanted = costs_as_compiled(source.kernels[0], found.how);
    for (const auto& [where, units] : found.costs) {
      // A statement of two lines: Clang says where the element is, not where the statement begins.
      if (wanted.count(where) == 0) continue;
      INFO((where.first ? "transactions" : "wavefronts") << " of line " << where.second);
      CHECK(units == wanted.at(where));
      ++lines;
    }
    ++kernels;
  }
  CHECK(kernels >= 24);
  CHECK(lines > 135);
  CHECK(without_answer <= 3);
}
