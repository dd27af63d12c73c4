// SPDX-License-Identifier: MIT
// Threads that take turns, and what their accesses are joined into. A thread runs until it waits
// for others. The n-th access that a thread makes at a place of the program after its last wait is
// in one request with the n-th accesses of its warp's other lanes there after as many waits.
#include "cuda_on_cpu.hpp"

#include <ucontext.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>

extern "C" {
extern char __start_cuda_shared[], __stop_cuda_shared[];
}

namespace cuda_on_cpu {

namespace {

constexpr std::size_t stack_bytes = 1 << 16;

struct cpu_thread {
  enum { runs, waits_for_block, waits_for_lanes, has_ended } state = runs;
  unsigned lanes = 0;  // that it waits for
  int waits = 0;       // that are over
  dim3 index;
  std::uint64_t operand = 0;
  std::map<const void*, int> times;  // of accesses after the last wait, by place
  ucontext_t context;
  std::unique_ptr<char[]> stack = std::make_unique<char[]>(stack_bytes);
};

struct arena {
  static constexpr std::size_t size = std::size_t{1} << 27;
  alignas(256) char memory[size];
  std::size_t used = 0;
};
arena global;

// The place of a request, and how often the warp made one there.
using request_key = std::tuple<int, int, const void*, int>;  // warp, waits, site, times

std::vector<cpu_thread> threads;
cpu_thread* current = nullptr;
ucontext_t scheduler;
const std::function<void()>* body = nullptr;
std::vector<const char*> parameters;
std::map<request_key, request> pending;
requests finished;

int number_of(const cpu_thread& fiber) { return static_cast<int>(&fiber - threads.data()); }

void enter() {
  (*body)();
  current->state = cpu_thread::has_ended;
  for (;;) swapcontext(&current->context, &scheduler);
}

void wait() {
  cpu_thread& self = *current;
  swapcontext(&self.context, &scheduler);
  ++self.waits;
  self.times.clear();
}

// Lanes of a warp that all wait for the same lanes go on.
void release_lanes(std::size_t first) {
  const std::size_t end = std::min(first + 32, threads.size());
  for (std::size_t index = first; index < end; ++index) {
    if (threads[index].state != cpu_thread::waits_for_lanes) continue;
    const unsigned lanes = threads[index].lanes;
    bool all_wait = true;
    for (std::size_t other = first; other < end; ++other)
      if ((lanes >> (other - first) & 1) != 0)
        all_wait = all_wait && threads[other].state == cpu_thread::waits_for_lanes &&
                   threads[other].lanes == lanes;
    if (!all_wait) continue;
    for (std::size_t other = first; other < end; ++other)
      if ((lanes >> (other - first) & 1) != 0) threads[other].state = cpu_thread::runs;
  }
}

// Lets threads that wait go on; returns false if no thread runs then.
bool release() {
  bool all_wait = true, runs = false;
  for (const cpu_thread& fiber : threads)
    all_wait = all_wait &&
               (fiber.state == cpu_thread::waits_for_block || fiber.state == cpu_thread::has_ended);
  for (std::size_t first = 0; first < threads.size(); first += 32) release_lanes(first);
  for (cpu_thread& fiber : threads) {
    if (all_wait && fiber.state == cpu_thread::waits_for_block) fiber.state = cpu_thread::runs;
    runs = runs || fiber.state == cpu_thread::runs;
  }
  return runs;
}

void start(const dim3& block) {
  threads = std::vector<cpu_thread>(block.x * block.y * block.z);
  for (cpu_thread& fiber : threads) {
    const auto number = static_cast<unsigned>(number_of(fiber));
    fiber.index = {number % block.x, number / block.x % block.y, number / block.x / block.y};
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = stack_bytes;
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, &enter, 0);
  }
}

// Addresses in shared memory become distances from the lowest one.
void finish() {
  long long lowest = -1;
  for (const auto& [key, entry] : pending)
    for (const long long address : entry.address)
      if (!entry.is_global && address >= 0 && (lowest < 0 || address < lowest)) lowest = address;
  for (auto& [key, entry] : pending) {
    for (long long& address : entry.address)
      if (!entry.is_global && address >= 0) address -= lowest;
    ++finished[entry];
  }
  pending.clear();
}

}  // namespace

void* allocate(std::size_t bytes) {
  void* const result = global.memory + global.used;
  global.used += (bytes + 255) / 256 * 256;
  if (global.used > arena::size) throw std::runtime_error("the CPU's global memory is full");
  std::memset(result, 0, bytes);
  return result;
}

requests finished_requests() {
  global.used = 0;
  return std::exchange(finished, {});
}

void run(const dim3& grid, const dim3& block, const std::vector<const void*>& pointers,
         const std::function<void()>& thread) {
  parameters.clear();
  for (const void* const pointer : pointers)
    parameters.push_back(static_cast<const char*>(pointer));
  body = &thread;
  gridDim = grid;
  blockDim = block;
  blockIdx = block_to_run;
  start(block);
  do {
    for (cpu_thread& fiber : threads) {
      if (fiber.state != cpu_thread::runs) continue;
      current = &fiber;
      threadIdx = fiber.index;
      swapcontext(&scheduler, &fiber.context);
    }
  } while (release());
  for (const cpu_thread& fiber : threads)
    if (fiber.state != cpu_thread::has_ended)
      throw std::runtime_error("threads wait for one another forever");
  current = nullptr;
  finish();
}

void access(kind operation, const void* address, int bytes, const void* site) {
  if (current == nullptr) return;
  const char* const position = static_cast<const char*>(address);
  const char* const begin = global.memory;
  const bool is_global = position >= begin && position < begin + global.used;
  const bool is_shared = position >= __start_cuda_shared && position < __stop_cuda_shared;
  if (!is_global && !is_shared) return;
  const int number = number_of(*current);
  request& entry = pending[{number / 32, current->waits, site, current->times[site]++}];
  const char* base = __start_cuda_shared;
  if (is_global) {
    base = nullptr;
    for (std::size_t index = 0; index < parameters.size(); ++index)
      if (parameters[index] != nullptr && parameters[index] <= position &&
          parameters[index] > base) {
        base = parameters[index];
        entry.parameter = static_cast<int>(index);
      }
  }
  entry.is_global = is_global;
  entry.operation = operation;
  entry.bytes = bytes;
  entry.address.resize(32, -1);
  entry.address[static_cast<std::size_t>(number % 32)] = position - base;
}

void wait_for_block() {
  current->state = cpu_thread::waits_for_block;
  wait();
}

void wait_for_lanes(unsigned lanes) {
  current->lanes = lanes;
  current->state = cpu_thread::waits_for_lanes;
  wait();
}

std::array<std::uint64_t, 32> exchanged(unsigned lanes, std::uint64_t value) {
  std::array<std::uint64_t, 32> values{};
  const auto first = static_cast<std::size_t>(number_of(*current) / 32 * 32);
  current->operand = value;
  wait_for_lanes(lanes);
  for (std::size_t index = 0; index < 32 && first + index < threads.size(); ++index)
    values[index] = threads[first + index].operand;
  wait_for_lanes(lanes);  // until all have seen it
  return values;
}

int lane() { return number_of(*current) % 32; }

}  // namespace cuda_on_cpu

// The functions that -fsanitize=thread calls: before each access, and at each function's beginning
// and end.
extern "C" {
#define CUDA_ON_CPU_ACCESSES(bytes)                                                        \
  void __tsan_read##bytes(void* at);                                                       \
  void __tsan_write##bytes(void* at);                                                      \
  void __tsan_read##bytes(void* at) {                                                      \
    cuda_on_cpu::access(cuda_on_cpu::kind::load, at, bytes, __builtin_return_address(0));  \
  }                                                                                        \
  void __tsan_write##bytes(void* at) {                                                     \
    cuda_on_cpu::access(cuda_on_cpu::kind::store, at, bytes, __builtin_return_address(0)); \
  }
CUDA_ON_CPU_ACCESSES(1)
CUDA_ON_CPU_ACCESSES(2)
CUDA_ON_CPU_ACCESSES(4)
CUDA_ON_CPU_ACCESSES(8)
CUDA_ON_CPU_ACCESSES(16)
#define CUDA_ON_CPU_RANGE(name, does)                                         \
  void name(void* at, unsigned long bytes);                                   \
  void name(void* at, unsigned long bytes) {                                  \
    cuda_on_cpu::access(cuda_on_cpu::kind::does, at, static_cast<int>(bytes), \
                        __builtin_return_address(0));                         \
  }
CUDA_ON_CPU_RANGE(__tsan_read_range, load)
CUDA_ON_CPU_RANGE(__tsan_write_range, store)
// Of newer versions of Clang.
#define CUDA_ON_CPU_COPY(name)                                                         \
  void* name(void* to, const void* from, unsigned long bytes);                         \
  void* name(void* to, const void* from, unsigned long bytes) {                        \
    const void* const site = __builtin_return_address(0);                              \
    cuda_on_cpu::access(cuda_on_cpu::kind::load, from, static_cast<int>(bytes), site); \
    cuda_on_cpu::access(cuda_on_cpu::kind::store, to, static_cast<int>(bytes), site);  \
    return std::memmove(to, from, bytes);                                              \
  }
CUDA_ON_CPU_COPY(__tsan_memcpy)
CUDA_ON_CPU_COPY(__tsan_memmove)
void* __tsan_memset(void* target, int value, unsigned long bytes);
void* __tsan_memset(void* target, int value, unsigned long bytes) {
  cuda_on_cpu::access(cuda_on_cpu::kind::store, target, static_cast<int>(bytes),
                      __builtin_return_address(0));
  return std::memset(target, value, bytes);
}
void __tsan_init();
void __tsan_init() {}
void __tsan_func_entry(void*);
void __tsan_func_entry(void*) {}
void __tsan_func_exit();
void __tsan_func_exit() {}
}
