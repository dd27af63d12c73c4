// SPDX-License-Identifier: MIT
// Measures every pattern on device 0, or launches it for the profiler.
//
//   measure clocks OUT [--driver TEXT] [--command TEXT] [--date TEXT]
//                           times every pattern, writes the measured file
//   measure counters OUT    launches every pattern once, for ncu; writes the list of launches
//
// Assumed: a single warp on an idle device, so that the counters count nothing else; dynamic
// shared memory begins at a multiple of 256 bytes (the kernel traps if not); a launch without
// the instruction has all other wavefronts of a launch.
#include "clocks.hpp"
#include "kernels.cuh"
#include "on_device.cuh"
#include "profiler.hpp"

#include <ctime>
#include <fstream>
#include <iostream>

using namespace hardware;

namespace {

using kernel = void (*)(task);

kernel kernel_of(instruction by) {
  switch (by) {
    case instruction::load_1: return issue<kernels::load_1>;
    case instruction::load_2: return issue<kernels::load_2>;
    case instruction::load_4: return issue<kernels::load_4>;
    case instruction::load_8: return issue<kernels::load_8>;
    case instruction::load_16: return issue<kernels::load_16>;
    case instruction::store_1: return issue<kernels::store_1>;
    case instruction::store_2: return issue<kernels::store_2>;
    case instruction::store_4: return issue<kernels::store_4>;
    case instruction::store_8: return issue<kernels::store_8>;
    case instruction::store_16: return issue<kernels::store_16>;
    case instruction::atomic_4: return issue<kernels::atomic_4>;
    case instruction::load_matrix_1: return issue<kernels::load_matrix_1>;
    case instruction::load_matrix_2: return issue<kernels::load_matrix_2>;
    case instruction::load_matrix_4: return issue<kernels::load_matrix_4>;
    case instruction::store_matrix_1: return issue<kernels::store_matrix_1>;
    case instruction::store_matrix_2: return issue<kernels::store_matrix_2>;
    case instruction::store_matrix_4: return issue<kernels::store_matrix_4>;
    case instruction::copy_4: return issue<kernels::copy_4>;
    case instruction::copy_8: return issue<kernels::copy_8>;
    case instruction::copy_16: return issue<kernels::copy_16>;
    case instruction::copy_16_bypass: return issue<kernels::copy_16_bypass>;
    case instruction::copy_4_from: return issue<kernels::copy_4_from>;
    case instruction::copy_8_from: return issue<kernels::copy_8_from>;
    case instruction::copy_16_from: return issue<kernels::copy_16_from>;
    case instruction::copy_16_bypass_from: return issue<kernels::copy_16_bypass_from>;
  }
  throw std::logic_error("an instruction without a kernel");
}

class gpu {
 public:
  gpu() {
    check(cudaSetDevice(0), "no CUDA device");
    check(cudaGetDeviceProperties(&properties_, 0), "cudaGetDeviceProperties");
  }
  const cudaDeviceProp& properties() const { return properties_; }
  int model() const { return 10 * properties_.major + properties_.minor; }

  // `loops` * unrolled times the instruction, in `warps` warps.
  void launch(instruction by, const bankmodel::request& asked, int loops, int warps) {
    unsigned addresses[32];
    for (int lane = 0; lane < 32; ++lane)
      addresses[lane] = static_cast<unsigned>(asked.address[lane]);
    check(cudaMemcpy(addresses_.data(), addresses, sizeof addresses, cudaMemcpyHostToDevice),
          "cudaMemcpy");
    repeat(by, asked, loops, warps);
  }

  // Eight warps, so that the multiprocessor always has the next instruction to serve; the
  // fewest cycles of several launches.
  timing time(instruction by, const bankmodel::request& asked) {
    constexpr int warps = most_warps, loops = 16, repetitions = 15;
    launch(by, asked, loops, warps);  // warms the instruction cache
    std::vector<double> cycles;
    for (int time = 0; time < repetitions; ++time) {
      repeat(by, asked, loops, warps);
      long long clocks[2 * warps];
      check(cudaMemcpy(clocks, clocks_.data(), sizeof clocks, cudaMemcpyDeviceToHost),
            "cudaMemcpy");
      long long begin = clocks[0], end = clocks[1];
      for (int warp = 1; warp < warps; ++warp) {
        begin = std::min(begin, clocks[2 * warp]);
        end = std::max(end, clocks[2 * warp + 1]);
      }
      cycles.push_back(static_cast<double>(end - begin) / (warps * loops * unrolled));
    }
    std::sort(cycles.begin(), cycles.end());
    return {cycles[0], cycles[repetitions / 2] - cycles[0]};
  }

 private:
  static constexpr int most_warps = 8;

  void repeat(instruction by, const bankmodel::request& asked, int loops, int warps) {
    const task t{addresses_.data(),
                 static_cast<unsigned>(asked.active),
                 loops,
                 0,
                 source_.data(),
                 sink_.data(),
                 clocks_.data()};
    kernel_of(by)<<<1, 32 * warps, window>>>(t);
    check(cudaGetLastError(), describe(by).name);
    check(cudaDeviceSynchronize(), describe(by).name);
  }

  cudaDeviceProp properties_ = {};
  buffer<unsigned> addresses_{32}, sink_{32 * most_warps};
  buffer<char> source_{window};
  buffer<long long> clocks_{2 * most_warps};
};

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

std::string version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

void write_clocks(gpu& device, std::ostream& out, measured file) {
  file.device = device.properties().name;
  file.major = device.properties().major;
  file.minor = device.properties().minor;
  file.toolkit = version(CUDART_VERSION);
  std::vector<std::string> said;
  file.readings = measure_clocks(device, patterns_for(device.model()), said);
  for (const std::string& line : said) std::cout << line << '\n';
  write(out, file, all_patterns());
}

void write_counters(gpu& device, std::ostream& out) {
  constexpr int loops = 4;
  std::vector<launch> launches;
  for (const pattern& p : patterns_for(device.model())) {
    if (launches.empty() || launches.back().opcode != p.opcode) {
      device.launch(p.opcode, p.asked, 0, 1);
      launches.push_back({p.opcode, std::nullopt, 0});
    }
    device.launch(p.opcode, p.asked, loops, 1);
    launches.push_back({p.opcode, p.id, loops * unrolled});
  }
  write_launches(out, launches);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const bool clocks = arguments.size() >= 2 && arguments[0] == "clocks",
               counters = arguments.size() == 2 && arguments[0] == "counters";
    int driver = 0;
    check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
    measured file;
    file.driver = "CUDA " + version(driver);
    file.command = "measure clocks";
    file.date = today();
    bool known = clocks || counters;
    for (std::size_t at = 2; at < arguments.size(); at += 2) {
      std::string* const option = arguments[at] == "--driver"    ? &file.driver
                                  : arguments[at] == "--command" ? &file.command
                                  : arguments[at] == "--date"    ? &file.date
                                                                 : nullptr;
      known = known && option != nullptr && at + 1 < arguments.size();
      if (known) *option = arguments[at + 1];
    }
    if (!known) {
      std::cerr << "measure clocks OUT [--driver TEXT] [--command TEXT] [--date TEXT]\nmeasure "
                   "counters OUT\n";
      return 2;
    }
    gpu device;
    std::ofstream out(arguments[1]);
    if (clocks)
      write_clocks(device, out, file);
    else
      write_counters(device, out);
    if (!out.flush()) throw std::runtime_error(arguments[1] + " cannot be written");
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "measure: " << error.what() << '\n';
    return 2;
  }
}
