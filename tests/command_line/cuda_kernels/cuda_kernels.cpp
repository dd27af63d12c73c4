// SPDX-License-Identifier: MIT
// The kernels of examples/cuda: what the command line reads and runs are the requests that the same
// text makes on the CPU, thread by thread, and cost what its description and plain counting say.
#include <bankmodel/global.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include "catch.hpp"
#include "examples/bankmodel/compiled/launch_arguments.hpp"
#include "examples/bankmodel/compiled/page/priced.hpp"
#include "examples/cuda/descriptions.hpp"
#include "examples/kernels.hpp"
#include "examples/kernels/in_both_memories.hpp"
#include "global_machines.hpp"
#include "machines.hpp"
#include "on_cpu.hpp"
#include "read_kernels.hpp"

namespace bm = bankmodel;

namespace {

using ::counted, ::text;

struct description {
  std::function<bm::cost(const bm::machine&)> cost;
  // Empty if the global accesses are not described.
  std::function<bm::memory_traffic(const bm::machine&, const bm::block_index&)> traffic;
};

std::map<std::string, description> descriptions() {
  std::map<std::string, description> result;
  kernels::for_each_kernel([&](const std::string& name, const auto& kernel) {
    result[name].cost = [=](const bm::machine& m) { return bm::total(m, kernel); };
  });
  const auto add_traffic = [&](const std::string& name, const auto& kernel) {
    result[name].traffic = [=](const bm::machine& m, const bm::block_index& grid_index) {
      return bm::traffic(m, kernel, grid_index);
    };
  };
  kernels::for_each_kernel_in_both_memories(
      [&](const std::string& name, const auto& kernel, const auto&) { add_traffic(name, kernel); });
  cuda_descriptions::for_each_kernel([&](const std::string& name, const auto& kernel) {
    result[name].cost = [=](const bm::machine& m) { return bm::total(m, kernel); };
    add_traffic(name, kernel);
  });
  return result;
}

// The first request that is not made equally often; empty if there is none.
std::string difference(const cuda_on_cpu::requests& read, const cuda_on_cpu::requests& run) {
  std::set<cuda_on_cpu::request> keys;
  for (const auto& [key, times] : read) keys.insert(key);
  for (const auto& [key, times] : run) keys.insert(key);
  const auto times = [](const auto& counts, const auto& key) {
    const auto entry = counts.find(key);
    return entry == counts.end() ? 0 : entry->second;
  };
  for (const auto& item : keys)
    if (times(read, item) != times(run, item))
      return "read " + std::to_string(times(read, item)) + " times, run " +
             std::to_string(times(run, item)) + " times: " + text(item);
  return "";
}

// The active lanes' addresses.
std::map<int, long long> lanes_of(const cuda_on_cpu::request& item) {
  std::map<int, long long> result;
  for (int lane = 0; lane < 32; ++lane)
    if (const long long address = item.address[static_cast<std::size_t>(lane)]; address >= 0)
      result[lane] = address;
  return result;
}

// What the CPU's requests cost by plain counting.
bm::cost counted(const tested_machine& m, const cuda_on_cpu::requests& entries) {
  oracle::counts sum;
  for (const auto& [access, times] : entries)
    if (!access.is_global)
      oracle::add_to(
          sum,
          counted(m, lanes_of(access), access.bytes, access.operation == cuda_on_cpu::kind::load),
          times);
  return {sum.requests, sum.wavefronts, sum.ideal, sum.degree};
}

bm::memory_traffic counted(const global_machine& m, const cuda_on_cpu::requests& entries) {
  bm::memory_traffic sum;
  for (const auto& [access, times] : entries)
    if (access.is_global)
      sum = sum + traffic_of(global_oracle::request(m.memory, lanes_of(access), access.bytes,
                                                    access.operation == cuda_on_cpu::kind::load)) *
                      times;
  return sum;
}

std::string text(const bm::cost& sum) {
  return std::to_string(sum.requests) + " requests, " + std::to_string(sum.wavefronts) +
         " wavefronts, ideal " + std::to_string(sum.ideal) + ", degree " +
         std::to_string(sum.degree);
}

// The parameter whose accesses depend on data: they are in no count.
const std::map<std::string, int> scattered = {{"compact", 0}, {"spmv", 3}};

void check_costs(const std::string& name, const bm::block_index& grid_index,
                 const compiled::recording& recorded, const cuda_on_cpu::requests& on_cpu) {
  static const std::map<std::string, description> table = descriptions();
  const description& described = table.at(name);
  for (const tested_machine& m : tested_machines) {
    INFO("banks of " << m.banks.W << " bytes, words of " << m.banks.N);
    const bm::cost read = compiled::priced_on(m.machine, recorded).cost;
    CHECK(text(read) == text(described.cost(m.machine)));
    // Where a pass serves one word of a bank, the place of the first byte does not matter.
    if (m.banks.W == 4) CHECK(text(read) == text(counted(m, on_cpu)));
  }
  for (const global_machine& m : global_machines) {
    if (m.machine.lanes != 32 || m.is_like_another || std::string(m.name).rfind("sm_", 0) != 0)
      continue;
    INFO(m.name);
    const bm::memory_traffic read = compiled::priced_on(m.machine, recorded).traffic;
    CHECK(text(read) == text(counted(m, on_cpu)));
    if (described.traffic) CHECK(text(read) == text(described.traffic(m.machine, grid_index)));
  }
}

void check(const std::string& name, const compiled::recording& recorded,
           const std::array<unsigned, 3>& grid_index) {
  cpu_run run = run_on_cpu(name, grid_index[0], grid_index[1], grid_index[2]);
  CHECK(run.is_right);
  const auto depends_on_data = scattered.find(name);
  for (const compiled::recorded_access& access : recorded.accesses)
    if (access.is_partial) CHECK(depends_on_data != scattered.end());
  if (depends_on_data != scattered.end())
    CHECK(std::erase_if(run.requests, [&](const auto& entry) {
            return entry.first.parameter == depends_on_data->second;
          }) > 0);
  CHECK(difference(requests_of(recorded), run.requests) == "");
  check_costs(name, {grid_index[0], grid_index[1], grid_index[2]}, recorded, run.requests);
}

}  // namespace

TEST_CASE("Kernels as they are read make the requests of threads on the CPU", "[cuda_kernels]") {
  for (const std::string& name : kernels_on_cpu()) {
    compiled::question asked = question_of(name);
    const compiled::code_of_file& code = code_of(asked);
    for (const auto& [x, y, z] : blocks_of(code.launches.front())) {
      asked.grid_index = std::to_string(x) + "x" + std::to_string(y) + "x" + std::to_string(z);
      INFO(name << ", block " << asked.grid_index);
      const compiled::kernel_code& kernel = code.kernels.front();
      check(name, compiled::run(kernel, compiled::launch_of(asked, kernel, code.launches)),
            {x, y, z});
    }
  }
}

TEST_CASE("Loops that are unrolled make the requests of loops", "[cuda_kernels]") {
  for (const std::string& name : kernels_on_cpu()) {
    INFO(name);
    compiled::question asked = question_of(name);
    const compiled::code_of_file& unrolled = code_of(asked);
    asked.describe = true;  // a description has the loops
    const compiled::code_of_file loops = compiled::read_code(asked);
    const auto requests = [&](const compiled::code_of_file& file) {
      const compiled::kernel_code& kernel = file.kernels.at(0);
      return requests_of(compiled::run(kernel, compiled::launch_of(asked, kernel, file.launches)));
    };
    CHECK(difference(requests(unrolled), requests(loops)) == "");
  }
}

TEST_CASE("Each file of examples/cuda is tested, and each kernel of the demo has one",
          "[cuda_kernels]") {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(BANKMODEL_CUDA_FILES))
    if (entry.path().extension() == ".cu") files.insert(entry.path().stem().string());
  const std::vector<std::string> tested = kernels_on_cpu();
  CHECK(files == std::set<std::string>(tested.begin(), tested.end()));
  CHECK(files.size() >= 20);
  kernels::for_each_kernel(
      [&](const std::string& name, const auto&) { CHECK(files.count(name) == 1); });
}
