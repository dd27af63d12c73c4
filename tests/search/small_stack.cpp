// SPDX-License-Identifier: MIT
// The stack that optimize() and explain() take: threads of a tuner may have little. Each call runs
// in a thread whose stack is filled with a pattern, and what is left of it afterwards was never
// used.
#include <bankmodel/explain.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>
#include <bankmodel/search/optimize_requests.hpp>

#include "catch.hpp"
#include "examples/kernels.hpp"
#include "small_kernels.hpp"

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include <pthread.h>

namespace bm = bankmodel;

namespace {

constexpr std::size_t all_bytes = 4 << 20;
constexpr unsigned char pattern = 0x5a;

template <class Work>
std::size_t bytes_used(const Work& work) {
  static unsigned char* const stack =
      static_cast<unsigned char*>(std::aligned_alloc(4096, all_bytes));
  std::memset(stack, pattern, all_bytes);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  REQUIRE(pthread_attr_setstack(&attributes, stack, all_bytes) == 0);
  pthread_t thread;
  const auto run = [](void* argument) -> void* {
    (*static_cast<const Work*>(argument))();
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attributes, run, const_cast<Work*>(&work)) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  std::size_t untouched = 0;
  while (stack[untouched] == pattern) ++untouched;
  return all_bytes - untouched;
}

// Without what any thread takes, and the plan, which is its caller's.
template <class Work>
std::size_t bytes_of(const Work& work) {
  const std::size_t of_threads = bytes_used([] {});
  return bytes_used(work) - of_threads;
}

std::size_t most_of_explain = 0;

template <class Kernel>
void add(const Kernel& kernel, const bm::machine& m, std::size_t& maximum) {
  static decltype(bm::optimize(m, kernel)) plan;
  const std::size_t used = bytes_of([&] { plan = bm::optimize(m, kernel); });
  CHECK(plan.accesses() > 0);
  CHECK(used <= 64 << 10);
  if (used > maximum) maximum = used;
  bm::for_each_access(kernel, [&](const auto& access) {
    static bm::explanation report;
    const std::size_t of_why =
        bytes_of([&] { report = bm::explain(m, kernel.block, access, bm::block_index{}); });
    CHECK(of_why <= 64 << 10);
    if (of_why > most_of_explain) most_of_explain = of_why;
  });
}

}  // namespace

TEST_CASE("optimize() and explain() take at most 64 KiB of stack", "[plan]") {
  std::size_t maximum = 0;
  for (const bm::machine& m : {bm::nvidia::sm_90, bm::nvidia::sm_35, bm::amd::gfx942}) {
    using namespace small_kernels;
    INFO("machine with " << m.lanes << " lanes, bank width " << m.bank_width);
    add(kernel_1, m, maximum);
    add(kernel_4, m, maximum);
    add(kernel_5, m, maximum);
    add(kernel_8, m, maximum);
    add(kernel_12, m, maximum);
    add(kernel_17, m, maximum);
    add(kernel_22, m, maximum);
    add(kernel_30, m, maximum);
    kernels::for_each_kernel([&](const char* name, const auto& kernel) {
      INFO(name);
      add(kernel, m, maximum);
    });
    // Subscripts that are not linear, filters that a loop moves, and a permuted array.
    using namespace bm::index;
    const auto tile = bm::shared_array<float>("tile", 32, 32);
    add(bm::kernel(
            bm::block_dim{32, 8},
            bm::load(bm::for_loop(i, bm::range(0, 32), bm::if_threads(tx <= i, tile[tx][i]))),
            bm::store(bm::for_loop(i, bm::range(tx, 32),
                                   tile[(i * i * 3 + tx) % 32][(tx * (ty + 4) ^ i) % 32]))),
        m, maximum);
    const auto swizzled = tile.with(tile.layout.permuted(bm::xor_swizzle(5, 0, 5)));
    add(bm::kernel(bm::block_dim{32, 8}, bm::load(swizzled[tx][ty]), bm::store(swizzled[ty][tx])),
        m, maximum);
  }
  WARN("at most " << maximum << " bytes, explain() " << most_of_explain);

  static std::vector<bm::request_class> classes(2);
  for (std::size_t index = 0; index < 2; ++index) {
    classes[index].lanes.active = 0xffffffff;
    classes[index].lanes.bytes = 4;
    for (int lane = 0; lane < 32; ++lane)
      classes[index].lanes.address[lane] = lane * (index == 0 ? 64 : 36) % 2048;
  }
  static bm::array_requests arrays[16];
  const char* const names[16] = {"a", "b", "c", "d", "e", "f", "g", "h",
                                 "i", "j", "k", "l", "m", "n", "o", "p"};
  for (int index = 0; index < 16; ++index)
    arrays[index] = {bm::shared_array<float>(names[index], 32, 16), classes.data(), 2};
  static bm::layout_plan<16> plan;
  const std::size_t used = bytes_of(
      [&] { plan = bm::optimize(bm::nvidia::sm_90, bm::block_dim{32}, arrays, {.effort = 2000}); });
  CHECK(used <= 64 << 10);
  WARN(used << " bytes for the classes of 16 arrays");
}
