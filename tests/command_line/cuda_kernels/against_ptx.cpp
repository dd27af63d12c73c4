// SPDX-License-Identifier: MIT
// The kernels of examples/cuda as they are read from source, and from the PTX that nvcc makes of
// them: two readers, and two compilers.
#include <fstream>
#include <iterator>
#include <map>

#include "catch.hpp"
#include "examples/bankmodel/compiled/launch_arguments.hpp"
#include "examples/bankmodel/compiled/ptx/ptx_reader.hpp"
#include "on_cpu.hpp"
#include "read_kernels.hpp"

namespace {

// nvcc leaves out loads of shared memory whose values it has: of these kernels, nvcc 13.0.
const std::set<std::string> with_repeated_loads = {"lud_diagonal", "lud_perimeter", "scan"};

std::vector<compiled::kernel_code> kernels_of_ptx() {
  std::ifstream file(BANKMODEL_CUDA_PTX);
  return compiled::read_ptx(std::string(std::istreambuf_iterator<char>(file), {}));
}

const compiled::kernel_code& kernel_of(const std::vector<compiled::kernel_code>& kernels,
                                       const std::string& name) {
  const std::string mangled = std::to_string(name.size()) + name + "E";
  for (const compiled::kernel_code& kernel : kernels)
    if (kernel.linkage.find(mangled) != std::string::npos) return kernel;
  FAIL("the PTX has no " << name);
  return kernels.front();
}

// With arguments by their numbers, as PTX names them.
compiled::launch numbered(compiled::launch options, const compiled::kernel_code& source) {
  for (std::size_t index = 0; index < source.parameters.size(); ++index)
    if (auto named = options.arguments.extract(source.parameters[index].name)) {
      named.key() = "p" + std::to_string(index);
      options.arguments.insert(std::move(named));
    }
  return options;
}

// A request that the PTX makes more often, or not as often and no load of shared memory that may be
// left out; empty if there is none.
std::string difference(const cuda_on_cpu::requests& source, const cuda_on_cpu::requests& ptx,
                       bool loads_may_be_missing) {
  for (const auto& [request, times] : ptx) {
    const auto match = source.find(request);
    if (match == source.end() || match->second < times)
      return "in PTX, more often than in source: " + text(request);
  }
  for (const auto& [request, times] : source) {
    if (loads_may_be_missing && !request.is_global && request.operation == cuda_on_cpu::kind::load)
      continue;
    const auto match = ptx.find(request);
    if (match == ptx.end() || match->second != times)
      return "in source, more often than in PTX: " + text(request);
  }
  return "";
}

}  // namespace

TEST_CASE("Source and nvcc's PTX of it make the same requests", "[cuda_kernels]") {
  const std::vector<compiled::kernel_code> kernels = kernels_of_ptx();
  for (const std::string& name : kernels_on_cpu()) {
    INFO(name);
    const compiled::question asked = question_of(name);
    const compiled::code_of_file& code = code_of(asked);
    const compiled::kernel_code& source = code.kernels.front();
    const compiled::launch options = compiled::launch_of(asked, source, code.launches);
    const auto of_source = requests_of(compiled::run(source, options));
    const auto of_ptx =
        requests_of(compiled::run(kernel_of(kernels, name), numbered(options, source)));
    CHECK(difference(of_source, of_ptx, with_repeated_loads.count(name) != 0) == "");
  }
}
