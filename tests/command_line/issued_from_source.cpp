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
#include "examples/bankmodel/compiled/issued/issued.hpp"
#include "examples/bankmodel/compiled/ptx/ptx_reader.hpp"

namespace cc = compiled;

namespace {

std::string file(const std::string& name) {
  return (std::filesystem::path(__FILE__).parent_path() / "issued" / name).string();
}

// What the loads and stores of each line request, as written, and the widths as issued.
struct of_line {
  std::uint64_t requests = 0;
  std::map<long long, std::uint64_t> bases;
  std::set<int> issued;
  bool operator==(const of_line&) const = default;
};
using by_line = std::map<std::string, of_line>;

by_line lines_of(const cc::kernel_code& kernel, const cc::launch& how) {
  cc::recording all = cc::run(kernel, how);
  cc::join_accesses(all);
  by_line result;
  for (const cc::recorded_access& one : all.accesses) {
    of_line& to = result[std::to_string(one.where.line) +
                         (one.memory.does == cc::access_does::load ? " load " : " store ") +
                         (one.is_global ? "global " : "shared ") +
                         std::to_string(cc::bytes_as_written(one.memory))];
    to.requests += one.requests;
    for (const cc::recorded_class& each : one.classes)
      for (const auto& [base, times] : each.times) to.bases[base] += times;
    if (one.issued_with < 0) to.issued.insert(cc::bytes_as_issued(one));
  }
  return result;
}

}  // namespace

// Loops whose ends are not constant are not unrolled.
TEST_CASE("the readers find the same as written, and the same as issued") {
  const cc::read_source source = cc::read_cuda(file("joined.cu"), {});
  INFO(source.diagnostics);
  REQUIRE_FALSE(source.failed);
  std::ifstream from(file("joined.ptx"));
  const std::string ptx{std::istreambuf_iterator<char>(from), {}};
  std::map<std::string, cc::kernel_code> by_nvcc;
  for (cc::kernel_code& one : cc::read_ptx(ptx)) by_nvcc.emplace(one.name, std::move(one));
  CHECK(source.kernels.size() == by_nvcc.size());
  for (const cc::kernel_code& one : source.kernels) {
    INFO(one.name);
    if (one.name == "loop_of_argument") continue;
    cc::launch how{.block = {32}};
    if (one.parameters.size() > 1 && !one.parameters[1].is_pointer) how.arguments["p1"] = 64;
    const by_line here = lines_of(one, how), there = lines_of(by_nvcc.at(one.name), how);
    // nvcc joins accesses to float4's members before PTX.
    if (one.name == "global_members") {
      for (const auto& [line, found] : here)
        CHECK((found.issued.empty() || found.issued == std::set<int>{16}));
      continue;
    }
    REQUIRE(here.size() == there.size());
    for (const auto& [line, found] : here) {
      INFO(line);
      CHECK(found == there.at(line));
    }
  }
}

TEST_CASE("a matrix product: scalar loads as written, 16 bytes as issued") {
  const cc::read_source source = cc::read_cuda(file("sgemm.cu"), {});
  REQUIRE(source.kernels.size() == 1);
  cc::recording all = cc::run(
      source.kernels[0], {.block = {256}, .arguments = {{"p0", 128}, {"p1", 128}, {"p2", 64}}});
  cc::join_accesses(all);
  std::uint64_t written = 0, issued = 0;
  for (const cc::recorded_access& one : all.accesses) {
    if (one.is_global || one.memory.does != cc::access_does::load) continue;
    CHECK(cc::bytes_as_issued(one) == 16);
    CHECK(cc::bytes_as_written(one.memory) == 4);
    written += one.requests;
    if (one.issued_with < 0) issued += one.requests;
  }
  CHECK(written == 8192);
  CHECK(issued == 2048);
  for (int array : {0, 1}) CHECK(cc::widest_issued_bytes(all, array) == 16);
}
