// SPDX-License-Identifier: MIT
// A kernel before and after its plan, on device 0. Compiled with -DPLAN_ORIGINAL="\"FILE\"" and
// -DPLAN_PLANNED="\"FILE\"", two sources with a function launch(), and -DPLAN_CONSTANT=NAME if they
// have an array __constant__ float NAME[].
//
//   time_plan time [NUMBER..]    checks that both leave the same bytes in all buffers; prints the
//                                microseconds of one launch before and after
//   time_plan count [NUMBER..]   launches each once, for ncu
//
// A parameter of launch() that is a pointer receives a buffer, others the numbers in order. Exit
// code 0, 1 if the results differ, 2 if the device or an argument fails.
#include "dice.hpp"
#include "on_device.cuh"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <tuple>
#include <type_traits>
#include <vector>

namespace original {
#include PLAN_ORIGINAL
}
namespace planned {
#include PLAN_PLANNED
}

namespace hardware {

// The numbers among the arguments, in order.
class numbers {
 public:
  numbers(int argc, char** argv) : left_(argv, argv + argc) {}
  int next() {
    if (left_.empty()) throw std::runtime_error("launch() takes more numbers than were given");
    const std::string text = left_.front();
    left_.erase(left_.begin());
    char* end = nullptr;
    const long value = std::strtol(text.c_str(), &end, 10);
    if (text.empty() || *end != 0) throw std::runtime_error("\"" + text + "\" is not a number");
    return static_cast<int>(value);
  }
  void require_none() const {
    if (!left_.empty())
      throw std::runtime_error("launch() does not take the number " + left_.front());
  }

 private:
  std::vector<std::string> left_;
};

}  // namespace hardware

using namespace hardware;

namespace {

// More than any array of these kernels has.
constexpr std::size_t buffer_bytes = std::size_t{64} << 20;

// Floating-point numbers of 1 to 2, and integers below 16, so that results are finite.
std::vector<unsigned> contents(std::size_t bytes, bool of_float, std::uint64_t seed) {
  std::vector<unsigned> words(bytes / 4);
  dice random(seed);
  for (unsigned& one : words) {
    const auto bits = static_cast<unsigned>(random.next());
    one = of_float ? 0x3f800000u | bits >> 9 : bits >> 28;
  }
  return words;
}

template <class T>
class argument {
 public:
  argument(numbers& given, int) : value_(given.next()) {}
  T get() const { return value_; }
  void reset() const {}
  std::vector<unsigned> read() const { return {}; }
  const std::vector<unsigned>& before() const { return nothing_; }

 private:
  T value_;
  std::vector<unsigned> nothing_;
};

template <class T>
class argument<T*> {
  static_assert(sizeof(T) % 4 == 0, "buffers are filled word by word");

 public:
  argument(numbers&, int place)
      : memory_(buffer_bytes / sizeof(T)),
        before_(contents(buffer_bytes, !std::is_integral_v<std::remove_const_t<T>>,
                         static_cast<std::uint64_t>(place))) {}
  T* get() const { return memory_.data(); }
  void reset() const {
    check(cudaMemcpy(memory_.data(), before_.data(), buffer_bytes, cudaMemcpyHostToDevice),
          "cudaMemcpy");
  }
  std::vector<unsigned> read() const {
    std::vector<unsigned> words(buffer_bytes / 4);
    check(cudaMemcpy(words.data(), memory_.data(), buffer_bytes, cudaMemcpyDeviceToHost),
          "cudaMemcpy");
    return words;
  }
  const std::vector<unsigned>& before() const { return before_; }

 private:
  buffer<std::remove_const_t<T>> memory_;
  std::vector<unsigned> before_;
};

using contents_of = std::vector<std::vector<unsigned>>;  // all buffers

template <class... Parameters>
class launcher {
 public:
  using function = void (*)(Parameters...);
  launcher(function, numbers& given) : launcher(given, std::index_sequence_for<Parameters...>()) {}

  void launch(function what) {
    std::apply([&](const auto&... all) { what(all->get()...); }, arguments_);
    check(cudaGetLastError(), "launch");
  }
  // Launches once from the initial contents; returns those of all buffers afterwards.
  contents_of result(function what) {
    std::apply([](const auto&... all) { (all->reset(), ...); }, arguments_);
    launch(what);
    check(cudaDeviceSynchronize(), "the kernel");
    return std::apply([](const auto&... all) { return contents_of{all->read()...}; }, arguments_);
  }
  contents_of before() {
    return std::apply([](const auto&... all) { return contents_of{all->before()...}; }, arguments_);
  }

 private:
  template <std::size_t... Place>
  launcher(numbers& given, std::index_sequence<Place...>)
      // Braces, so that numbers are taken from left to right.
      : arguments_{std::make_unique<argument<Parameters>>(given, static_cast<int>(Place))...} {
    given.require_none();
  }

  std::tuple<std::unique_ptr<argument<Parameters>>...> arguments_;
};
template <class... Parameters>
launcher<Parameters...> launcher_for(void (*like)(Parameters...), numbers& given) {
  return {like, given};
}

// Of one launch, in a row of several.
template <class Launch>
float microseconds(Launch&& launch) {
  constexpr int in_a_row = 20;
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "cudaEventCreate"),
      check(cudaEventCreate(&end), "cudaEventCreate");
  check(cudaEventRecord(begin), "cudaEventRecord");
  for (int time = 0; time < in_a_row; ++time) launch();
  check(cudaEventRecord(end), "cudaEventRecord");
  check(cudaEventSynchronize(end), "the kernel");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
  cudaEventDestroy(begin), cudaEventDestroy(end);
  return 1000 * milliseconds / in_a_row;
}

// The fewest of several repetitions of both in turn; the first warms up and is not counted.
template <class Launcher>
void print_times(Launcher& both) {
  constexpr int repetitions = 15;
  float before = 0, after = 0;
  for (int time = 0; time <= repetitions; ++time) {
    const float one = microseconds([&] { both.launch(original::launch); }),
                other = microseconds([&] { both.launch(planned::launch); });
    before = time <= 1 ? one : std::min(before, one);
    after = time <= 1 ? other : std::min(after, other);
  }
  std::cout << before << ' ' << after << '\n';
}

void set_constants() {
#ifdef PLAN_CONSTANT
  static_assert(sizeof original::PLAN_CONSTANT == sizeof planned::PLAN_CONSTANT);
  const std::vector<unsigned> words = contents(sizeof original::PLAN_CONSTANT, true, 99);
  for (const cudaError_t status :
       {cudaMemcpyToSymbol(original::PLAN_CONSTANT, words.data(), 4 * words.size()),
        cudaMemcpyToSymbol(planned::PLAN_CONSTANT, words.data(), 4 * words.size())})
    check(status, "cudaMemcpyToSymbol");
#endif
}

template <class Launcher>
int run(Launcher& both, bool counts) {
  const auto before = both.result(original::launch), after = both.result(planned::launch);
  if (counts) return 0;
  if (before == both.before()) {
    std::cerr << "time_plan: the original kernel changes no buffer, so nothing can be compared\n";
    return 1;
  }
  if (before != after) {
    std::cerr << "time_plan: the planned kernel's results differ from the original's\n";
    return 1;
  }
  print_times(both);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc < 2 ? "" : argv[1];
  if (what != "time" && what != "count") {
    std::cerr << "time_plan time [NUMBER..]\ntime_plan count [NUMBER..]\n";
    return 2;
  }
  try {
    check(cudaSetDevice(0), "no CUDA device");
    set_constants();
    numbers given(argc - 2, argv + 2);
    auto both = launcher_for(original::launch, given);
    return run(both, what == "count");
  } catch (const std::exception& error) {
    std::cerr << "time_plan: " << error.what() << '\n';
    return 2;
  }
}
