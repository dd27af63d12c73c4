// SPDX-License-Identifier: MIT
// Properties of every text: it is read as a kernel with consistent numbers, or gives one error
// message that points into it. With libFuzzer this is a program of its own (clang,
// -fsanitize=fuzzer); in kernel_file.cpp it is a function called with mutated texts.
#include <algorithm>
#include <bankmodel/machines/nvidia.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "answer_about.hpp"
#include "examples/bankmodel/notation/counts.hpp"
namespace cc = compiled;
namespace cl = command_line;
namespace bm = bankmodel;

namespace {

void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "fuzz_kernel_file: not so: %s\n", property);
  std::abort();
}

// An upper bound of the iterations if all bounds are constants; if not, too many: total() may
// enumerate them all.
long long iterations(const cl::access_expression& access, long long limit) {
  long long product = 1;
  for (int level = 0; level < access.depth; ++level) {
    const bm::wrapper& w = access.wrappers[level];
    if (w.kind == bm::wrapper_kind::filter) continue;
    const bm::slice programs[] = {w.first, w.last};
    long long ends[2] = {};
    for (int end = 0; end < 2; ++end) {
      const bm::node& node = access.nodes[programs[end].first];
      if (programs[end].size != 1 || node.op != bm::operation::constant) return limit + 1;
      ends[end] = std::clamp(node.value, -limit - 1, limit + 1);
    }
    product *= std::max(std::abs(ends[1] - ends[0]), 1ll);
    if (product > limit) return limit + 1;
  }
  return product;
}

void require_consistent(const cl::kernel_cost& cost) {
  for (const bm::cost& access_cost : cost.costs) {
    require(
        access_cost.requests <= access_cost.ideal && access_cost.ideal <= access_cost.wavefronts,
        "requests <= ideal <= wavefronts");
    require((access_cost.requests == 0) == (access_cost.degree == 0),
            "a degree where there are requests");
  }
  for (const bm::memory_traffic& access_traffic : cost.traffic) {
    require(access_traffic.requests <= access_traffic.ideal &&
                access_traffic.ideal <= access_traffic.transactions,
            "requests <= ideal <= transactions");
    require(access_traffic.bytes_used <= access_traffic.bytes_moved, "bytes are moved to be used");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const cl::source input{"fuzz", std::string(data, data + size)};
  const auto require_message = [&](const cl::refusal& rejection) {
    require(!rejection.wrong.empty() && !rejection.right.empty(),
            "what is wrong and what would be right");
    require(rejection.location.first <= input.text.size(), "a place in the text");
    const std::string message = cl::text(input, rejection);
    require(std::count(message.begin(), message.end(), '\n') == 3, "three lines");
    require(message.size() < 1500, "a message that can be read");
  };

  cl::kernel_file kernel;
  try {
    kernel = cl::read_kernel_file(input, {32, 4096});
  } catch (const cl::refusal& reason) {
    require_message(reason);
    return 0;
  }
  const long long threads = 1ll * kernel.block.x * kernel.block.y * kernel.block.z;
  long long work = 0;
  for (const auto& access : kernel.accesses)
    work += iterations(access.expression, 4096) * ((threads + 31) / 32);
  if (kernel.grid && kernel.reads_block_index)
    work *= static_cast<long long>(std::min<std::uint64_t>(kernel.grid->blocks(), 4097));
  if (work > 4096) return 0;

  for (const bm::machine& m :
       {bm::nvidia::sm_90, bm::nvidia::sm_35, bm::nvidia::sm_35.with_bank_width(8)}) {
    try {
      require_consistent(cl::count(kernel, m));
    } catch (const cl::refusal& reason) {
      require_message(reason);
      require(reason.location.size != 0, "an access to blame");
      return 0;
    }
  }
  if (work > 64 || kernel.accesses.size() > 4) return 0;
  cc::question asked;
  asked.machines = {"sm_90"};
  asked.format = size % 2 == 0 ? cl::format::text : cl::format::json;
  const cl::answer answer = answer_about(input.name, input.text, asked);
  require(answer.code == cl::fine ? !answer.output.empty() && answer.error.empty()
                                  : answer.output.empty() && !answer.error.empty(),
          "an answer or a message");
  return 0;
}
