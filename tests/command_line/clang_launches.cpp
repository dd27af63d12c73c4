// SPDX-License-Identifier: MIT
// What the source reader finds of launches in host code, and functions that it does not model.
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "catch.hpp"
#include "examples/bankmodel/clang_reader/source_reader.hpp"
#include "examples/bankmodel/compiled/engine/run.hpp"

namespace c = compiled;

namespace {

c::read_source read(const std::string& text, const std::vector<std::string>& arguments = {}) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("bankmodel_launches_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "kernels.cu").string();
  std::ofstream(path) << text;
  c::source_options how;
  how.program_arguments = arguments;
  c::read_source result = c::read_cuda(path, how);
  std::filesystem::remove_all(folder);
  return result;
}

c::kernel_code kernel_of(const std::string& text) {
  const c::read_source result = read(text);
  INFO(result.diagnostics);
  REQUIRE(result.kernels.size() == 1);
  return result.kernels.front();
}

const char kernels_to_launch[] = R"(
__global__ void fill(float* p, int n, float by) {
  __shared__ float tile[64];
  tile[threadIdx.x % 64] = by;
  if (threadIdx.x < n) p[threadIdx.x] = tile[threadIdx.x % 64];
}
template <int N> __global__ void sized(float* p) { p[threadIdx.x] = N; }
)";

c::found_launch launch_in(const std::string& host, const std::vector<std::string>& arguments = {}) {
  const c::read_source result = read(kernels_to_launch + host, arguments);
  INFO(result.diagnostics);
  REQUIRE_FALSE(result.launches.empty());
  return result.launches.front();
}

}  // namespace

TEST_CASE("Launches are followed through host code", "[clang_reader]") {
  // Variables, functions, references, structures, loops and what main() passes.
  c::found_launch one = launch_in(R"(
struct problem { int n; dim3 block; float scale; };
int divided_up(int a, int b) { return (a + b - 1) / b; }
void choose(int n, int& threads) { threads = 1; while (threads < n && threads < 256) threads *= 2; }
static int width = 1000;
void go(float* p, const problem& of) {
  int threads = 0;
  choose(of.n, threads);
  dim3 grid(1);
  grid.x = divided_up(of.n, threads);
  grid.y = ceil(of.n / 300.0);
  fill<<<grid, of.block, threads * sizeof(float)>>>(p, of.n, of.scale);
}
int main(int argc, char** argv) {
  int n = 1 << 4;
  if (argc > 1) n = atoi(argv[1]);
  for (int i = 0; i < 3; ++i) n += i;
  problem of = {n + width, dim3(32, 4), 0.5f};
  float* p = nullptr;
  go(p, of);
}
)");
  CHECK(one.grid == std::array<unsigned, 3>{4, 4, 1});
  CHECK(one.block == std::array<unsigned, 3>{32, 4, 1});
  CHECK(one.dynamic_shared_bytes == 1024);
  REQUIRE(one.arguments.size() == 3);
  CHECK_FALSE(one.arguments[0].has_value());
  CHECK(one.arguments[1] == 1019);
  CHECK(one.arguments[2] == 0x3f000000);
  CHECK_FALSE(one.is_passed_over);

  // What the program is started with.
  const std::string with_arguments = R"(
int main(int argc, char* argv[]) {
  if (argc < 3) return 1;
  const int n = atoi(argv[1]);
  float by = 1;
  if (strcmp(argv[2], "half") == 0) by = atof("0.5");
  fill<<<n / 16, 64>>>(nullptr, n, by);
}
)";
  one = launch_in(with_arguments, {"64", "half"});
  CHECK(one.grid == std::array<unsigned, 3>{4, 1, 1});
  CHECK(one.arguments[1] == 64);
  CHECK(one.arguments[2] == 0x3f000000);
  one = launch_in(with_arguments);
  CHECK_FALSE(one.grid.has_value());
  one = launch_in(
      "int main(int argc, char** argv) { ++argv;\n"
      "  if (argc == 3) fill<<<strtol(argv[1], nullptr, 16), 32>>>(nullptr, atoi(*argv), 0); }\n",
      {"64", "10"});
  CHECK(one.grid == std::array<unsigned, 3>{16, 1, 1});
  CHECK(one.arguments[1] == 64);
  CHECK_FALSE(one.is_passed_over);

  // An assignment inside a condition, and arguments that are evaluated once.
  const std::string in_conditions = R"(
int given(int a) { return a; }
int main(int argc, char* argv[]) {
  int n = 5, by = 7, next = 0;
  if ((n = atoi(argv[1])) <= 0 || (by = atoi(argv[2])) <= 0) return 1;
  next += given(next++) + 1;
  (n > 100 ? n : by) += 2;
  fill<<<next, n>>>(nullptr, by, 0);
}
)";
  one = launch_in(in_conditions, {"64", "3"});
  CHECK(one.grid == std::array<unsigned, 3>{2, 1, 1});
  CHECK(one.block == std::array<unsigned, 3>{64, 1, 1});
  CHECK(one.arguments[1] == 5);
  one = launch_in(in_conditions);
  CHECK_FALSE(one.block.has_value());
  CHECK_FALSE(one.arguments[1].has_value());

  // What is not in the file is absent, and nothing is taken from before it changed.
  one = launch_in(R"(
int read_size();
void change(int*);
int main() {
  int n = read_size(), m = 5, k = 6;
  if (n > 3) m = 7;
  change(&k);
  fill<<<n, 64>>>(nullptr, m, 1.0f);
  fill<<<1, 32>>>(nullptr, k, 1.0f);
}
)");
  CHECK_FALSE(one.grid.has_value());
  CHECK(one.block == std::array<unsigned, 3>{64, 1, 1});
  CHECK(one.arguments[0] == 0);
  CHECK_FALSE(one.arguments[1].has_value());

  // A branch for one value of a variable: the variable has it from its start.
  one = launch_in(R"(
void go(int size) {
  dim3 block(size, 2);
  if (size == 16) sized<16><<<1, block>>>(nullptr);
}
int main() { go(8); }
)");
  CHECK(one.block == std::array<unsigned, 3>{16, 2, 1});
  CHECK(one.is_passed_over);  // main() has 8
  one = launch_in("int main() { int n = 4; if (n > 8) fill<<<1, n>>>(nullptr, n, 0); }");
  CHECK(one.is_passed_over);
  // The way from main(), though another function calls it first. No block has 0 threads.
  one = launch_in(R"(
void go(int n, int threads) { fill<<<1, threads>>>(nullptr, n, 0); }
void before() { go(3, 32); }
int main() { go(5, 0); }
)");
  CHECK(one.arguments[1] == 5);
  CHECK_FALSE(one.block.has_value());
  one = launch_in(R"(
void go(int which, int threads) {
  switch (which) {
    case 1: threads = 1; break;
    case 2: fill<<<1, threads>>>(nullptr, which, 0); break;
  }
}
int main() { go(1, 96); }
)");
  CHECK(one.block == std::array<unsigned, 3>{96, 1, 1});
  CHECK(one.arguments[1] == 2);

  // A template's launch is each instantiation's.
  one = launch_in(R"(
template <int Threads> void go(int rows) { sized<Threads><<<rows, Threads>>>(nullptr); }
int main() { go<96>(3); }
)");
  CHECK(one.grid == std::array<unsigned, 3>{3, 1, 1});
  CHECK(one.block == std::array<unsigned, 3>{96, 1, 1});

  // Through a pointer: each kernel that the function names. Loops: their first iteration.
  const c::read_source result = read(std::string(kernels_to_launch) + R"(
int main() {
  void (*kernel)(float*) = nullptr;
  int sizes[] = {64, 128};
  for (int i = 0; i < 2; ++i) {
    kernel = i == 0 ? &sized<1> : &sized<2>;
    kernel<<<i + 1, sizes[i]>>>(nullptr);
  }
}
)");
  REQUIRE(result.launches.size() == 2);
  for (const c::found_launch& each : result.launches)
    CHECK(each.block == std::array<unsigned, 3>{64, 1, 1});
  CHECK(result.launches[0].linkage != result.launches[1].linkage);
  // Of those that take so many arguments.
  CHECK(read(std::string(kernels_to_launch) + R"(
int main() {
  void (*kernel)(float*) = &sized<1>;
  void (*other)(float*, int, float) = &fill;
  kernel<<<1, 32>>>(nullptr);
}
)")
            .launches.size() == 1);

  // A loop that is long, and one without end, do not take long.
  one = launch_in(R"(
int main() {
  int n = 0, m = 3;
  for (int i = 0; i < 1 << 30; ++i) n += i;
  while (true) { n = 1; if (n == 2) break; }
  fill<<<1, 32>>>(nullptr, n, m);
}
)");
  CHECK_FALSE(one.arguments[1].has_value());
  CHECK(one.arguments[2] == 0x40400000);
}

TEST_CASE("A launch says which value its block lacks", "[clang_reader]") {
  const auto lacks = [](const std::string& host) {
    const c::found_launch one = launch_in(host);
    CHECK_FALSE(one.block.has_value());
    return one.block_depends_on;
  };
  CHECK(lacks("void go(int threads) { dim3 block(threads, 2); fill<<<1, block>>>(0, 1, 0); }") ==
        "'threads', a parameter of go()");
  CHECK(lacks(R"(
int best_size();
int main() { const int a = 4, size = best_size(); fill<<<a, a * size>>>(nullptr, 1, 0); }
)") == "best_size()");
  CHECK(lacks(R"(
struct options { int threads; };
void go(const options& of) { fill<<<1, of.threads / 2>>>(nullptr, 1, 0); }
)") == "'threads'");
  CHECK(lacks("auto go = [](int threads) { fill<<<1, threads>>>(nullptr, 1, 0); };\n"
              "void all() { [](int size) { fill<<<1, size>>>(nullptr, 1, 0); }; }") ==
        "'size', a parameter of a lambda");
  CHECK(launch_in("int main() { fill<<<1, 32>>>(nullptr, 1, 0); }").block_depends_on.empty());
}

TEST_CASE("Textures and random numbers are values that only a run knows", "[clang_reader]") {
  const c::kernel_code kernel = kernel_of(R"(
#include <curand_kernel.h>
__global__ void noise(float* out, cudaTextureObject_t from, curandState* states) {
  __shared__ float tile[64];
  curandState mine = states[threadIdx.x];
  int near = 3;
  curand_init(1, near, 0, &mine);
  tile[threadIdx.x] = tex2D<float>(from, threadIdx.x, 0) + curand_uniform(&mine);
  out[threadIdx.x] = tile[63 - threadIdx.x] + curand_uniform(&states[threadIdx.x]);
}
)");
  c::launch how;
  how.block = {64};
  const c::recording all = c::run(kernel, how);
  CHECK(all.leaves_out);
  bool is_named = false;
  for (const std::string& note : all.notes)
    is_named = is_named || note.find("tex2D<float>() at kernels.cu:8:") != std::string::npos;
  CHECK(is_named);
  for (const c::recorded_access& each : all.accesses)
    if (!each.is_global) CHECK_FALSE(each.is_partial);
}

TEST_CASE("A function that is not modelled changes the variables it has pointers to",
          "[clang_reader]") {
  const c::kernel_code kernel = kernel_of(R"(
__device__ void change(int*);
__global__ void uses(float* out) {
  __shared__ float tile[64];
  int at = 3;
  change(&at);
  out[0] = tile[at];
}
)");
  c::launch how;
  how.block = {32};
  CHECK_THROWS_AS(c::run(kernel, how), c::cannot_run);
  // What it accesses in global memory is left out.
  for (const std::string call : {"change(out);", "surf2Dread(&n, surface, 0, 0);"}) {
    const c::recording all = c::run(
        kernel_of("__device__ void change(int*);\n"
                  "__global__ void uses(int* out, cudaSurfaceObject_t surface) {\n  int n;\n  " +
                  call + "\n  out[0] = 1;\n}\n"),
        how);
    CHECK(all.leaves_out);
    CHECK_FALSE(all.leaves_out_shared);
  }
}
