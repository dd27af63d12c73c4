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

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz_kernel_file: not so: %s\n", what);
  std::abort();
}

// An upper bound of the iterations if all bounds are constants; if not, too many: total() may
// enumerate them all.
long long iterations(const cl::access_expression& access, long long most) {
  long long all = 1;
  for (int at = 0; at < access.depth; ++at) {
    const bm::wrapper& w = access.wrappers[at];
    if (w.kind == bm::wrapper_kind::filter) continue;
    const bm::slice programs[] = {w.first, w.last};
    long long ends[2] = {};
    for (int end = 0; end < 2; ++end) {
      const bm::node& node = access.nodes[programs[end].first];
      if (programs[end].size != 1 || node.op != bm::operation::constant) return most + 1;
      ends[end] = std::clamp(node.value, -most - 1, most + 1);
    }
    all *= std::max(std::abs(ends[1] - ends[0]), 1ll);
    if (all > most) return most + 1;
  }
  return all;
}

void require_consistent(const cl::kernel_cost& cost) {
  for (const bm::cost& one : cost.each) {
    require(one.requests <= one.ideal && one.ideal <= one.wavefronts,
            "requests <= ideal <= wavefronts");
    require((one.requests == 0) == (one.degree == 0), "a degree where there are requests");
  }
  for (const bm::memory_traffic& one : cost.traffic) {
    require(one.requests <= one.ideal && one.ideal <= one.transactions,
            "requests <= ideal <= transactions");
    require(one.bytes_used <= one.bytes_moved, "bytes are moved to be used");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const cl::source given{"fuzz", std::string(data, data + size)};
  const auto require_message = [&](const cl::refusal& why) {
    require(!why.wrong.empty() && !why.right.empty(), "what is wrong and what would be right");
    require(why.where.first <= given.text.size(), "a place in the text");
    const std::string message = cl::text(given, why);
    require(std::count(message.begin(), message.end(), '\n') == 3, "three lines");
    require(message.size() < 1500, "a message that can be read");
  };

  cl::kernel_file kernel;
  try {
    kernel = cl::read_kernel_file(given, {32, 4096});
  } catch (const cl::refusal& why) {
    require_message(why);
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
    } catch (const cl::refusal& why) {
      require_message(why);
      require(why.where.size != 0, "an access to blame");
      return 0;
    }
  }
  if (work > 64 || kernel.accesses.size() > 4) return 0;
  cc::question asked;
  asked.machines = {"sm_90"};
  asked.as = size % 2 == 0 ? cl::format::text : cl::format::json;
  const cl::answer answer = answer_about(given.name, given.text, asked);
  require(answer.code == cl::fine ? !answer.out.empty() && answer.error.empty()
                                  : answer.out.empty() && !answer.error.empty(),
          "an answer or a message");
  return 0;
}
