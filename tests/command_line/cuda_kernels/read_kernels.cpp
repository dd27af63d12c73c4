// SPDX-License-Identifier: MIT
#include "read_kernels.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "catch.hpp"
#include "examples/bankmodel/compiled/engine/run.hpp"

namespace bm = bankmodel;

namespace {

cuda_on_cpu::kind kind_of(const bm::access_kind kind) {
  return kind == bm::access_kind::load     ? cuda_on_cpu::kind::load
         : kind == bm::access_kind::atomic ? cuda_on_cpu::kind::atomic
                                           : cuda_on_cpu::kind::store;
}

// Calls visit(access, a class of its requests, base, times).
template <class Visit>
void for_each_base(const compiled::recording& recorded, const Visit& visit) {
  for (const compiled::recorded_access& access : recorded.accesses)
    for (const compiled::recorded_class& group : access.classes)
      for (const auto& [base, times] : group.times) visit(access, group.lanes, base, times);
}

}  // namespace

compiled::question question_of(const std::string& name) {
  compiled::question result;
  result.file = BANKMODEL_CUDA_FILES "/" + name + ".cu";
  std::ifstream file(result.file);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string slashes, program, argument, option, value;
    if (!(words >> slashes >> program >> argument) || program != "bankmodel") continue;
    CHECK(argument == "examples/cuda/" + name + ".cu");
    while (words >> option >> value) {
      CHECK(option == "--arg");
      result.arguments.push_back(value);
    }
    return result;
  }
  FAIL_CHECK("no command in " + result.file);
  return result;
}

const compiled::code_of_file& code_of(const compiled::question& asked) {
  static std::map<std::string, compiled::code_of_file> codes;
  const auto known = codes.find(asked.file);
  if (known != codes.end()) return known->second;
  const compiled::code_of_file& result = codes[asked.file] = compiled::read_code(asked);
  REQUIRE(result.kernels.size() == 1);
  REQUIRE(result.unread.empty());
  REQUIRE(result.launches.size() == 1);
  // Host compilers align arrays to 32 bytes. Where that moves none, both have the same places.
  const std::vector<compiled::code_array>& arrays = result.kernels.front().shared;
  for (std::size_t array = 0; array + 1 < arrays.size(); ++array)
    CHECK(arrays[array].bytes % 32 == 0);
  return result;
}

std::set<std::array<unsigned, 3>> blocks_of(const compiled::found_launch& launch) {
  std::array<unsigned, 3> last = launch.grid.value_or(std::array<unsigned, 3>{1, 1, 1});
  for (unsigned& coordinate : last) --coordinate;
  return {{0, 0, 0}, last};
}

cuda_on_cpu::requests requests_of(const compiled::recording& recorded) {
  long long lowest = 1ll << 62;  // of shared memory
  for_each_base(recorded, [&](const auto& access, const bm::request& lanes, long long base, auto) {
    for (int lane = 0; lane < 32; ++lane)
      if (!access.is_global && (lanes.active >> lane & 1) != 0)
        lowest = std::min(lowest, base + lanes.address[lane]);
  });
  cuda_on_cpu::requests result;
  for_each_base(recorded, [&](const auto& access, const bm::request& lanes, long long base,
                              std::uint64_t times) {
    cuda_on_cpu::request key{access.is_global,
                             kind_of(lanes.kind),
                             lanes.bytes,
                             access.is_global ? access.array : -1,
                             {}};
    const long long first = access.is_global ? base : base - lowest;
    for (int lane = 0; lane < 32; ++lane)
      key.address.push_back((lanes.active >> lane & 1) != 0 ? first + lanes.address[lane] : -1);
    result[key] += times;
  });
  return result;
}

std::string text(const cuda_on_cpu::request& subject) {
  constexpr const char* verbs[] = {"load", "store", "atomic"};
  std::string result = subject.is_global ? "global " : "shared ";
  result += std::string(verbs[static_cast<int>(subject.operation)]) + " of " +
            std::to_string(subject.bytes) + " bytes, parameter " +
            std::to_string(subject.parameter) + ":";
  for (const long long address : subject.address) result += " " + std::to_string(address);
  return result;
}
