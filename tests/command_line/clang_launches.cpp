// SPDX-License-Identifier: MIT
// What the source reader finds of launches in host code, and functions that it does not model.
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

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
  c::source_options options;
  options.program_arguments = arguments;
  c::read_source result = c::read_cuda(path, options);
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
  c::found_launch launch = launch_in(R"(
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
  CHECK(launch.grid == std::array<unsigned, 3>{4, 4, 1});
  CHECK(launch.block == std::array<unsigned, 3>{32, 4, 1});
  CHECK(launch.dynamic_shared_bytes == 1024);
  REQUIRE(launch.arguments.size() == 3);
  CHECK_FALSE(launch.arguments[0].has_value());
  CHECK(launch.arguments[1] == 1019);
  CHECK(launch.arguments[2] == 0x3f000000);
  CHECK_FALSE(launch.is_passed_over);

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
  launch = launch_in(with_arguments, {"64", "half"});
  CHECK(launch.grid == std::array<unsigned, 3>{4, 1, 1});
  CHECK(launch.arguments[1] == 64);
  CHECK(launch.arguments[2] == 0x3f000000);
  launch = launch_in(with_arguments);
  CHECK_FALSE(launch.grid.has_value());
  launch = launch_in(
      "int main(int argc, char** argv) { ++argv;\n"
      "  if (argc == 3) fill<<<strtol(argv[1], nullptr, 16), 32>>>(nullptr, atoi(*argv), 0); }\n",
      {"64", "10"});
  CHECK(launch.grid == std::array<unsigned, 3>{16, 1, 1});
  CHECK(launch.arguments[1] == 64);
  CHECK_FALSE(launch.is_passed_over);

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
  launch = launch_in(in_conditions, {"64", "3"});
  CHECK(launch.grid == std::array<unsigned, 3>{2, 1, 1});
  CHECK(launch.block == std::array<unsigned, 3>{64, 1, 1});
  CHECK(launch.arguments[1] == 5);
  launch = launch_in(in_conditions);
  CHECK_FALSE(launch.block.has_value());
  CHECK_FALSE(launch.arguments[1].has_value());

  // What is not in the file is absent, and nothing is taken from before it changed.
  launch = launch_in(R"(
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
  CHECK_FALSE(launch.grid.has_value());
  CHECK(launch.block == std::array<unsigned, 3>{64, 1, 1});
  CHECK(launch.arguments[0] == 0);
  CHECK_FALSE(launch.arguments[1].has_value());

  // A branch for one value of a variable: the variable has it from its start.
  launch = launch_in(R"(
void go(int size) {
  dim3 block(size, 2);
  if (size == 16) sized<16><<<1, block>>>(nullptr);
}
int main() { go(8); }
)");
  CHECK(launch.block == std::array<unsigned, 3>{16, 2, 1});
  CHECK(launch.is_passed_over);  // main() has 8
  // Of a parameter, also what the calls on the way pass for it.
  const std::string passed_on = R"(
struct launcher {
  void operator()(unsigned by, dim3 block) {
    switch (by) {
      case 8: sized<8><<<4 * by, block>>>(nullptr); break;
      default: break;
    }
  }
};
void go(const int size, int rows) {
  dim3 block(size, rows);
  launcher()(size, block);
}
int main(int argc, char** argv) {
  int size = argc > 1 ? atoi(argv[1]) : 16, rows = 3;
  CHANGE
  go(size, rows);
}
)";
  launch = launch_in(std::regex_replace(passed_on, std::regex("CHANGE"), "rows += 2 * size;"));
  CHECK(launch.block == std::array<unsigned, 3>{8, 19, 1});
  CHECK(launch.grid == std::array<unsigned, 3>{32, 1, 1});
  // Not of a variable that is written twice.
  launch =
      launch_in(std::regex_replace(passed_on, std::regex("CHANGE"), "rows = size; size *= 2;"));
  CHECK(launch.block == std::array<unsigned, 3>{8, 16, 1});
  launch = launch_in("int main() { int n = 4; if (n > 8) fill<<<1, n>>>(nullptr, n, 0); }");
  CHECK(launch.is_passed_over);
  // The way from main(), though another function calls it first. No block has 0 threads.
  launch = launch_in(R"(
void go(int n, int threads) { fill<<<1, threads>>>(nullptr, n, 0); }
void before() { go(3, 32); }
int main() { go(5, 0); }
)");
  CHECK(launch.arguments[1] == 5);
  CHECK_FALSE(launch.block.has_value());
  launch = launch_in(R"(
void go(int which, int threads) {
  switch (which) {
    case 1: threads = 1; break;
    case 2: fill<<<1, threads>>>(nullptr, which, 0); break;
  }
}
int main() { go(1, 96); }
)");
  CHECK(launch.block == std::array<unsigned, 3>{96, 1, 1});
  CHECK(launch.arguments[1] == 2);

  // A template's launch is each instantiation's.
  launch = launch_in(R"(
template <int Threads> void go(int rows) { sized<Threads><<<rows, Threads>>>(nullptr); }
int main() { go<96>(3); }
)");
  CHECK(launch.grid == std::array<unsigned, 3>{3, 1, 1});
  CHECK(launch.block == std::array<unsigned, 3>{96, 1, 1});

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
  for (const c::found_launch& item : result.launches)
    CHECK(item.block == std::array<unsigned, 3>{64, 1, 1});
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
  launch = launch_in(R"(
int main() {
  int n = 0, m = 3;
  for (int i = 0; i < 1 << 30; ++i) n += i;
  while (true) { n = 1; if (n == 2) break; }
  fill<<<1, 32>>>(nullptr, n, m);
}
)");
  CHECK_FALSE(launch.arguments[1].has_value());
  CHECK(launch.arguments[2] == 0x40400000);
}

TEST_CASE("A launch says which value its block lacks", "[clang_reader]") {
  const auto lacks = [](const std::string& host) {
    const c::found_launch launch = launch_in(host);
    CHECK_FALSE(launch.block.has_value());
    return launch.block_depends_on;
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
  // What is known of the block is that it has one row, or rows of 32 threads.
  using axes = std::array<unsigned, 3>;
  const auto axes_in = [](const std::string& host) { return launch_in(host).known_axes; };
  CHECK(axes_in("void f(int n) { fill<<<1, n>>>(nullptr, n, 0); }") == axes{0, 1, 1});
  CHECK(axes_in("void f(int n) { dim3 b(n); fill<<<1, b>>>(nullptr, n, 0); }") == axes{0, 1, 1});
  CHECK(axes_in("void f(int n) { fill<<<1, dim3(32, n)>>>(nullptr, n, 0); }") == axes{32, 0, 1});
  CHECK(axes_in("void f(dim3 b) { fill<<<1, b>>>(nullptr, 1, 0); }") == axes{0, 0, 0});
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
  c::launch options;
  options.block = {64};
  const c::recording record = c::run(kernel, options);
  CHECK(record.leaves_out);
  bool is_named = false;
  for (const std::string& note : record.notes)
    is_named = is_named || note.find("textures and surfaces at kernels.cu:8:") != std::string::npos;
  CHECK(is_named);
  for (const c::recorded_access& access : record.accesses)
    if (!access.is_global) CHECK_FALSE(access.is_partial);
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
  c::launch options;
  options.block = {32};
  CHECK_THROWS_AS(c::run(kernel, options), c::cannot_run);
  // What it accesses in global memory is left out.
  for (const std::string call : {"change(out);", "surf2Dread(&n, surface, 0, 0);"}) {
    const c::recording record = c::run(
        kernel_of("__device__ void change(int*);\n"
                  "__global__ void uses(int* out, cudaSurfaceObject_t surface) {\n  int n;\n  " +
                  call + "\n  out[0] = 1;\n}\n"),
        options);
    CHECK(record.leaves_out);
    CHECK_FALSE(record.leaves_out_shared);
  }
}

namespace {

std::vector<std::string> names_of(const c::read_source& source) {
  std::vector<std::string> result;
  for (const c::kernel_code& kernel : source.kernels) result.push_back(kernel.name);
  return result;
}

}  // namespace

TEST_CASE("Errors in host code hide no instance of a kernel", "[clang_reader]") {
  const std::string kernels = R"(
template <class T> __global__ void k(const T* in, T* out, int n) {
  __shared__ T s[64];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (n > 3) out[threadIdx.x] = s[threadIdx.x];
}
)";
  const auto reads = [&](const std::string& host) { return read(kernels + host); };
  using names = std::vector<std::string>;

  // An argument, a variable, a parameter, the result of a type that is unknown.
  c::read_source source = reads(R"(
void a(float* p) { k<float><<<1, 32>>>(p, p, 5); }
torch::Tensor b(torch::Tensor x) {
  auto size = x.numel();
  k<double><<<size / 64, dim3(64)>>>(x.data_ptr<double, 2>(), x.data(), 7);
  return x;
}
)");
  CHECK(names_of(source) == names{"k<float>", "k<double>"});
  CHECK(source.unread_launches.empty());
  REQUIRE(source.launches.size() == 2);
  CHECK(source.launches[1].block == std::array<unsigned, 3>{64, 1, 1});
  CHECK_FALSE(source.launches[1].grid);
  CHECK(source.launches[1].arguments == std::vector<std::optional<std::uint64_t>>{{}, {}, 7});
  CHECK(source.launches[1].line == 12);

  // A function whose head is no declaration here.
  source = reads(R"(
template <> void f<float>(const float* a, float* b) { k<float><<<1, 32>>>(a, b, 1); }
template <> void f<int>(const int* a, int* b) { k<int><<<1, 64>>>(a, b, 2); }
)");
  CHECK(names_of(source) == names{"k<float>", "k<int>"});
  CHECK(source.launches.at(1).arguments.at(2) == std::optional<std::uint64_t>(2));

  // The file uses all that the first choice of a name for unknown values could be.
  source = reads("int _, a; void g(any x) { k<float><<<1, 32>>>(x.p, x.p, 1); }\n");
  CHECK(names_of(source) == names{"k<float>"});

  // What cannot be known: the instance.
  source = reads(R"(
void a(float* p) { k<float><<<1, 32>>>(p, p, 5); }
void b(any x) { DISPATCH(x, ([&] { k<scalar_t><<<1, 32>>>(x.p, x.p, 1); })); }
void c(any x) { k<<<1, 32>>>(x.p, x.p, 1); }
)");
  CHECK(names_of(source) == names{"k<float>"});
  REQUIRE(source.unread_launches.size() == 2);
  CHECK(source.unread_launches[0].kernel == "k<scalar_t>");
  CHECK(source.unread_launches[0].line == 10);
  CHECK(source.unread_launches[1].kernel == "k");

  // An instance that code with an error names in full.
  source = reads(R"(
template <class T> void run(T* p) { auto f = [&](auto n) { k<float><<<1, n>>>(p, p, 1); }; f(unknown::thing); }
void go(float* o) { run(o); }
)");
  CHECK(names_of(source) == names{"k<float>"});
  CHECK(source.unread_launches.empty());

  // Without an error nothing is unread, also not in a template that nobody uses.
  source = reads(
      "template <class T> void run(T* p) { k<T><<<1, 32>>>(p, p, 1); }\n"
      "void a(float* p) { k<float><<<1, 32>>>(p, p, 5); }\n");
  CHECK(source.unread_launches.empty());
  CHECK(source.kernels_without_instance.empty());
  source = reads("__global__ void other() {}\n");
  CHECK(source.kernels_without_instance == names{"k"});
}

// As nvcc does, and its host's compiler.
TEST_CASE("Members that are defined behind the instantiation of their class launch kernels",
          "[clang_reader]") {
  const c::read_source source = read(
      "template <class T> __global__ void k(T* o) { __shared__ T s[64]; s[threadIdx.x] = 0; }\n"
      "namespace in {\ntemplate <class T> struct runner {\n"
      "  cudaFunction_t f;\n  cudaKernelNodeParams node;\n"
      "  void go(T* o);\n  void other();  // nowhere\n};\n"
      "template struct runner<double>;\ntemplate struct runner<float>;\n}\n"
      "template <class T> void in::runner<T>::go(T* o) {\n"
      "  node.func = (void*)k<T>;\n  cudaGetFuncBySymbol(&f, node.func);\n"
      "  if (cudaGetLastError() != cudaErrorNotReady) k<T><<<1, 32>>>(o);\n}\n");
  INFO(source.errors);
  CHECK(names_of(source) == std::vector<std::string>{"k<double>", "k<float>"});
  CHECK(source.unread_launches.empty());
  CHECK(source.launches.size() == 2);
}

TEST_CASE("Kernels launch kernels", "[clang_reader]") {
  const c::read_source source = read(
      "__global__ void child(int* p, int n) { p[threadIdx.x * n] = 1; }\n"
      "template <int N> __global__ void tree(int* p, int depth) {\n"
      "  __shared__ int s[N];\n  s[threadIdx.x] = depth;\n"
      "  if (depth < 4) tree<N><<<4, N, 0, 0>>>(p + blockIdx.x,\n      depth + 1); s[2 * N - 1] = "
      "0;\n"
      "}\n"
      "__device__ void go(int* p) { child<<<1, 32>>>(p, 3); }\n"
      "__global__ void parent(int* p) {\n  cudaStream_t st;\n"
      "  cudaStreamCreateWithFlags(&st, cudaStreamNonBlocking);\n"
      "  child<<<p[0], 64, 0, st>>>(p, 1);\n  go(p);\n  p[threadIdx.x] = 2;\n}\n"
      "int main() { int* p = 0; tree<64><<<1, 64>>>(p, 0); parent<<<2, 32>>>(p); }\n");
  INFO(source.diagnostics);
  CHECK(names_of(source) == std::vector<std::string>{"child", "parent", "tree<64>"});
  CHECK(source.unread.empty());
  REQUIRE(source.unread_launches.size() == 2);  // the instance that the third launches is read
  for (const c::unread_launch& launch : source.unread_launches) CHECK(launch.is_by_device);
  CHECK(source.unread_launches[0].kernel == "child");
  CHECK(source.unread_launches[0].line == 8);
  // What is behind the launch is where it was.
  std::vector<std::string> places;
  for (const c::code_block& block : source.kernels[2].blocks)
    for (const c::instruction& item : block.instructions)
      if (item.operation == c::opcode::access && item.memory.memory == c::memory_kind::shared)
        places.push_back(std::to_string(item.location.line) + ":" +
                         std::to_string(item.location.column));
  CHECK(places == std::vector<std::string>{"4:18", "6:32"});
  int of_device = 0;
  for (const c::found_launch& launch : source.launches)
    if (launch.block_depends_on == "device code") {
      ++of_device;
      CHECK(launch.kernel == "child");
      CHECK_FALSE(launch.block);
      CHECK((launch.line == 8 || launch.line == 12));
    }
  CHECK(of_device == 2);
}

// Without the call the template has no instance, and neither has the kernel that it launches.
TEST_CASE("Calls of host templates that launch kernels, with an error", "[clang_reader]") {
  const auto reads = [&](const std::string& host) {
    return read(
        "template <class T> __global__ void k(T* o) { __shared__ T s[64]; s[threadIdx.x] = 0; }\n"
        "template <class T> void run(T* o, int n = 1) { k<T><<<n, 32>>>(o); }\n"
        "template <class T> struct user { void go(T* o) { run(o); } };\n"
        "void a(float* p) { run(p); user<float>().go(p); }\n" +
        host);
  };
  using names = std::vector<std::string>;
  // Its template arguments say which instance.
  for (const char* const host :
       {"void b(torch::Tensor x) { run<double>(x.data_ptr<double>()); }\n",
        "void b(any x) { if (x.ok()) run<double>(x.data(), x.size()); }\n"}) {
    INFO(host);
    const c::read_source source = reads(host);
    CHECK(names_of(source) == names{"k<float>", "k<double>"});
    CHECK(source.unread_launches.empty());
    CHECK(source.launches.size() == 2);
  }
  // Nothing says which, and the call is named.
  for (const auto& [call, name] :
       {std::pair("run(x.data_ptr<double>());", "run"), std::pair("user<T>().go(x.data());", "go"),
        std::pair("DISPATCH(x.type(), ([&] { run<scalar_t>(x.data()); }));", "run<scalar_t>")}) {
    INFO(call);
    const c::read_source source =
        reads("void b(torch::Tensor x) {\n  " + std::string(call) + "\n}\n");
    CHECK(names_of(source) == names{"k<float>"});
    REQUIRE(source.unread_launches.size() == 1);
    CHECK(source.unread_launches[0].is_call);
    CHECK(source.unread_launches[0].kernel == name);
    CHECK(source.unread_launches[0].line == 6);
    CHECK_FALSE(source.unread_launches[0].reason.empty());
  }
  // Calls that are read, declarations, and what the preprocessor leaves out are none.
  const c::read_source source = reads(
      "#define RUN(T) run<T>(nullptr)\ntemplate void run<int>(int*, int);\n"
      "#if 0\nvoid c(any x) { run<short>(x); }\n#endif\n"
      "template <class T> void d(T* p) { run(p); RUN(T); }\n"
      "void e(char* p) { d(p); run<char>(p, 2); RUN(long); }\nvoid f() { unknown(); }\n"
      // A function of device code has the name of one that launches.
      "__device__ void run(int a, int b, int c) {}\n"
      "template <class T> __global__ void g(T* p) { run(1, 2, 3); p[0] = 0; }\n"
      "template __global__ void g<int>(int*);\n"
      "__global__ void plain() { run(1, 2, 3); }\n");
  CHECK(source.unread_launches.empty());
  CHECK(names_of(source) == names{"g<int>", "plain", "k<float>", "k<int>", "k<char>", "k<long>"});
}

TEST_CASE("A kernel that is not read has its own error", "[clang_reader]") {
  // The instance is named, though it is no declaration; the other kernel is read.
  const c::read_source source = read(R"(
template <class T> struct box { typedef typename T::type type; };
template <int N> __global__ void k(float* out) { __shared__ typename box<int>::type s[N]; out[0] = s[0]; }
void run(float* o) { k<64><<<1, 64>>>(o); }
void host() { unknown(); }
__global__ void other(float* o) { o[threadIdx.x] = 1; }
)");
  CHECK(names_of(source) == std::vector<std::string>{"other"});
  REQUIRE(source.unread.size() == 1);
  CHECK(source.unread[0].name == "k<64>");
  CHECK(source.unread[0].reason.find("cannot be used prior to '::'") != std::string::npos);
  CHECK(source.unread[0].reason.find("'unknown'") == std::string::npos);
}

TEST_CASE("Texts of std::string are numbers of launches", "[clang_reader]") {
  const std::string begin = "#include <string>\n";
  for (const char* const host :
       {"int main(int, char** argv) { fill<<<1, 32>>>(nullptr, std::stoi(argv[1]), 1); }",
        "int main(int, char* argv[]) { std::string s = argv[1], t(s); fill<<<1, 32>>>(nullptr, "
        "std::stoul(t), 1); }",
        "int main(int, char** argv) { const std::string s(argv[1]); fill<<<1, 32>>>(nullptr, "
        "atoi(s.c_str()), 1); }"}) {
    INFO(host);
    const c::read_source source = read(begin + kernels_to_launch + host, {"48"});
    REQUIRE(source.launches.size() == 1);
    CHECK(source.launches[0].arguments.at(1) == std::optional<std::uint64_t>(48));
  }
  // Not what is changed, nor a part of a text.
  for (const char* const host :
       {"int main(int, char** argv) { std::string s = argv[1]; s += '0'; fill<<<1, 32>>>(nullptr, "
        "std::stoi(s), 1); }",
        "int main(int, char** argv) { std::string s(argv[1], 1); fill<<<1, 32>>>(nullptr, "
        "std::stoi(s), 1); }"})
    CHECK_FALSE(read(begin + kernels_to_launch + host, {"48"}).launches.at(0).arguments.at(1));
}

TEST_CASE("Launches by cudaLaunchKernel", "[clang_reader]") {
  for (const char* const kernel : {"(void*)fill", "(const void*)&fill", "fill"}) {
    const c::found_launch launch = launch_in(
        "void go(float* p) { int n = 17; float by = 2; void* all[] = {&p, &n, &by};\n"
        "  dim3 b{32, 2}; cudaLaunchKernel(" +
        std::string(kernel) + ", dim3(3), b, all, n * sizeof(int), 0); }\n");
    INFO(kernel);
    CHECK(launch.kernel == "fill");
    CHECK(launch.grid == std::array<unsigned, 3>{3, 1, 1});
    CHECK(launch.block == std::array<unsigned, 3>{32, 2, 1});
    CHECK(launch.dynamic_shared_bytes == 68);
    CHECK(launch.arguments == std::vector<std::optional<std::uint64_t>>{{}, 17, 0x40000000});
  }
}

TEST_CASE("Values of a kernel's arguments are those of the host's variables", "[clang_reader]") {
  const auto bytes = [](const std::string& host, const std::string& name) {
    const auto file = std::filesystem::temp_directory_path() /
                      ("bankmodel_given_" + std::to_string(getpid()) + ".cu");
    std::ofstream(file) << kernels_to_launch << host;
    c::source_options options;
    options.kernel_arguments = {{name, 256}};
    const c::read_source source = c::read_cuda(file.string(), options);
    std::filesystem::remove(file);
    return source.launches.at(0).dynamic_shared_bytes;
  };
  const std::string begin = "void go(float* p, int bins) { ", end = "(p, bins, 1); }";
  CHECK(bytes(begin + "fill<<<1, 32, bins * sizeof(int)>>>" + end, "n") == 1024);
  CHECK(bytes(begin + "int size = 2 * bins; fill<<<1, 32, size>>>" + end, "p1") == 512);
  CHECK(bytes(begin + "bins = ask(); fill<<<1, 32, bins>>>" + end, "n") == 256);
  CHECK_FALSE(bytes(begin + "fill<<<1, 32, bins>>>" + end, "m"));
  CHECK(bytes("int ask(); void go(float* p) { int bins = ask(); fill<<<1, 32, 2 * bins>>>" + end,
              "n") == 512);
}

TEST_CASE("Numbers in structures that are arguments are those of the host", "[clang_reader]") {
  const std::string kernel = R"(
struct size { int rows, cols; };
struct base { char first; };
struct params : base {
  size n; float scale; short step[2]; const float* in; unsigned flag : 1; int last;
};
__global__ void k(float* p, params of, size other) { p[of.n.rows] = other.rows; }
)";
  const auto fields_of = [&](const std::string& host) {
    const c::read_source result = read(kernel + host);
    INFO(result.diagnostics);
    REQUIRE(result.launches.size() == 1);
    REQUIRE(result.launches[0].fields.size() == 3);
    CHECK(result.launches[0].fields[0].empty());
    return result.launches[0].fields;
  };
  using numbers = std::map<std::string, std::uint64_t>;
  auto fields = fields_of(R"(
int main() {
  params of{};
  of.first = -3;
  of.n = {64, 2};
  of.scale = 0.5f;
  of.step[1] = 4;
  of.last = 7;
  k<<<1, 32>>>(nullptr, of, {5, 6});
})");
  CHECK(fields[1] == numbers{{".first", static_cast<std::uint64_t>(-3)},
                             {".n.rows", 64},
                             {".n.cols", 2},
                             {".scale", 0x3f000000},
                             {".step[1]", 4},
                             {".last", 7}});
  CHECK(fields[2] == numbers{{".rows", 5}, {".cols", 6}});
  // What the host does not say is not there: a member that a parameter decides, or all of them.
  fields = fields_of(R"(
void go(int n, size* other) {
  params of{};
  of.n.rows = n;
  of.n.cols = 8;
  k<<<1, 32>>>(nullptr, of, *other);
})");
  CHECK(fields[1].count(".n.rows") == 0);
  CHECK(fields[1].at(".n.cols") == 8);
  CHECK(fields[2].empty());
  fields = fields_of(
      "void fill(params* of);\n"
      "void go(size n) { params of{}; fill(&of); k<<<1, 32>>>(nullptr, of, n); }");
  CHECK(fields[1].empty());
  CHECK(fields[2].empty());
}

TEST_CASE("All launches of a loop are found, with their numbers", "[clang_reader]") {
  c::found_launch launch = launch_in(
      "int main() { for (int s = 0; s < 34; ++s) fill<<<s < 3 ? 1 : 2, 32>>>(nullptr, s, 1); }");
  CHECK(launch.times == 34);
  CHECK(launch.arguments.at(1) == std::optional<std::uint64_t>(0));
  REQUIRE(launch.later.size() == 33);
  CHECK(launch.later[16].number == 17);
  CHECK(launch.later[16].arguments.at(1) == std::optional<std::uint64_t>(17));
  CHECK(launch.later[16].grid == std::array<unsigned, 3>{2, 1, 1});
  // The loop is in a function that calls the one with the launch.
  launch = launch_in(
      "void go(int n) { fill<<<1, 32>>>(nullptr, n, 1); }\n"
      "int main() { for (int n = 64; n > 0; n /= 2) go(n); }");
  CHECK(launch.times == 7);
  CHECK(launch.later.size() == 6);
  // Equal ones, and one whose number is not known.
  launch = launch_in("int main() { for (int i = 0; i < 9; ++i) fill<<<1, 32>>>(nullptr, 5, 1); }");
  CHECK(launch.times == 9);
  CHECK(launch.later.empty());
  launch = launch_in("int main() { for (int i = 0; ask(); ++i) fill<<<1, 32>>>(nullptr, i, 1); }");
  CHECK(launch.times == 1);
  CHECK(launch.later.empty());
}

TEST_CASE("Kernels that are passed to a function which launches them", "[clang_reader]") {
  const std::string kernels =
      "__global__ void a(float* p, int n) { __shared__ float s[64]; s[threadIdx.x] = n; }\n"
      "__global__ void b(float* p, int n) { __shared__ float s[64]; s[threadIdx.x] = n; }\n"
      "template <class T, int N> __global__ void k(T* p, T n) { __shared__ T s[N]; s[threadIdx.x] "
      "= "
      "n; }\n";
  const auto numbers_of = [](const c::read_source& source, const std::string& kernel) {
    std::vector<std::array<unsigned, 2>> result;
    for (const c::found_launch& launch : source.launches)
      if (launch.kernel == kernel) result.push_back({(*launch.grid)[0], (*launch.block)[0]});
    return result;
  };
  using numbers = std::vector<std::array<unsigned, 2>>;
  c::read_source source = read(kernels + R"(
typedef void (*kernel_type)(float*, int);
void run(kernel_type f, int threads, float* p) { f<<<3, threads>>>(p, 1); }
template <class F> void outer(F f, float* p) { run(f, 128, p); }
struct launcher { float* p; void go(void (*f)(float*, int)) { f<<<2, 256>>>(p, 2); } };
int main() {
  float* p;
  outer(a, p);
  launcher l;
  l.go(b);
  run(&b, 96, p);
  auto each = [&](auto f, int blocks) { f<<<blocks, 32>>>(p, 3); };
  each(a, 7);
}
)");
  CHECK(numbers_of(source, "a") == numbers{{3, 128}, {7, 32}});
  CHECK(numbers_of(source, "b") == numbers{{3, 96}, {2, 256}});

  // The library's own function is such a one; its launch is in the line of the call.
  source = read(kernels + R"(int main() {
  double* p;
  cudaLaunchConfig_t config = {};
  config.gridDim = 5;
  config.blockDim = dim3(16, 2);
  cudaLaunchAttribute attributes[1];
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  config.attrs = attributes;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, k<double, 32>, p, 4);
}
)");
  REQUIRE(names_of(source) == std::vector<std::string>{"a", "b", "k<double, 32>"});
  REQUIRE(source.launches.size() == 1);
  CHECK(source.launches[0].kernel == "k<double, 32>");
  CHECK(source.launches[0].grid == std::array<unsigned, 3>{5, 1, 1});
  CHECK(source.launches[0].block == std::array<unsigned, 3>{16, 2, 1});
  CHECK(source.launches[0].dynamic_shared_bytes == 0);
  CHECK(source.launches[0].line == 13);
  CHECK(source.unread_launches.empty());
}

TEST_CASE("Types of the host library in signatures", "[clang_reader]") {
  const c::read_source source = read(R"(
__global__ void k(cudaPitchedPtr to, cudaExtent size, cudaPos from) {
  ((float*)to.ptr)[threadIdx.x + from.x] = size.width;
}
cudaError_t go(cudaArray_t, cudaGraphExec_t, cudaMemPool_t, cudaTextureDesc, cudaResourceDesc) {
  k<<<6, 64>>>(make_cudaPitchedPtr(0, 1, 2, 3), make_cudaExtent(4, 5, 6), make_cudaPos(0, 0, 0));
  return cudaSuccess;
}
)");
  INFO(source.diagnostics);
  CHECK_FALSE(source.failed);
  CHECK(names_of(source) == std::vector<std::string>{"k"});
  REQUIRE(source.launches.size() == 1);
  CHECK(source.launches[0].block == std::array<unsigned, 3>{64, 1, 1});
}

TEST_CASE("Templates that nothing instantiates", "[clang_reader]") {
  const std::string text =
      "namespace ns {\n"
      "template <class T, int N, bool F, class U = double> __global__ void k(T* p) {\n"
      "  __shared__ T s[N]; s[threadIdx.x] = p[F]; }\n}\n"
      "template <template <class> class C> __global__ void other(C<float>* p) {}\n"
      "template <class T> __global__ void wrong(T* p) { p->go(); }\n"
      "template <class T> __global__ void used(T* p) { p[0] = 1; }\n"
      "void go(int* p) { used<<<1, 32>>>(p); }\n";
  using names = std::vector<std::string>;
  c::source_options options;
  options.contents = text;
  CHECK(names_of(c::read_cuda("instances.cu", options)) == names{"used<int>"});
  options.assumes_instances = true;
  c::read_source source = c::read_cuda("instances.cu", options);
  CHECK(names_of(source) == names{"used<int>", "ns::k<float, 32, true, double>"});
  REQUIRE(source.assumed_templates.count("ns::k<float, 32, true, double>") == 1);
  CHECK(source.assumed_templates["ns::k<float, 32, true, double>"] ==
        c::template_arguments{{"T", "float"}, {"N", "32"}, {"F", "true"}});
  REQUIRE(source.unread.size() == 1);
  CHECK(source.unread[0].name == "wrong<float>");
  CHECK(source.kernels_without_instance == names{"k", "other", "wrong"});

  options.instances = {"ns::k<char, 8, false>", "used<long>"};
  source = c::read_cuda("instances.cu", options);
  CHECK(names_of(source) == names{"used<int>", "ns::k<char, 8, false, double>", "used<long>"});
  CHECK(source.assumed_templates.count("ns::k<char, 8, false, double>") == 0);

  // An instance that the file names and that does not compile is reported alone.
  options.instances.clear();
  options.contents =
      "template <class T> struct box { typedef typename T::type type; };\n"
      "template <int N> __global__ void k(float* p) { __shared__ typename box<int>::type s[N]; }\n"
      "void go(float* p) { k<64><<<1, 32>>>(p); }\n";
  source = c::read_cuda("instances.cu", options);
  CHECK(source.kernels_without_instance.empty());
  REQUIRE(source.unread.size() == 1);
  CHECK(source.unread[0].name == "k<64>");
}

TEST_CASE("Clusters of launches with attributes", "[clang_reader]") {
  const std::string kernel =
      "#include <cooperative_groups.h>\n"
      "__global__ void k(int* p, int n) { p[cooperative_groups::this_cluster().block_rank()] = n; "
      "}\n"
      "__global__ __cluster_dims__(2, 1, 1) void fixed(int* p) { p[0] = 0; }\n"
      "void go(int* p, unsigned n) {\n  cudaLaunchConfig_t how = {0};\n  how.gridDim = 16;\n"
      "  how.blockDim = dim3(64, 2);\n  cudaLaunchAttribute with[2];\n";
  const std::string sized =
      "  with[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;\n"
      "  with[0].val.programmaticStreamSerializationAllowed = 1;\n"
      "  with[1].id = cudaLaunchAttributeClusterDimension;\n"
      "  with[1].val.clusterDim.x = 4;\n  with[1].val.clusterDim.y = 2;\n"
      "  with[1].val.clusterDim.z = 1;\n  how.attrs = with;\n";
  using size = std::optional<std::array<int, 3>>;
  const auto cluster_of = [&](const std::string& host, size cluster = {}) {
    c::source_options options;
    options.contents = kernel + host + "\n}\n";
    options.cluster = cluster;
    const c::read_source source = c::read_cuda("clusters.cu", options);
    INFO(source.diagnostics);
    REQUIRE(source.kernels.size() == 2);
    CHECK(source.kernels[1].required_cluster == size({2, 1, 1}));
    for (const c::found_launch& launch : source.launches)
      CHECK(launch.block == std::array<unsigned, 3>{64, 2, 1});
    return source.kernels[0].required_cluster;
  };
  const std::string launched = "cudaLaunchKernelEx(&how, k, p, 3);";
  CHECK(cluster_of(sized + "how.numAttrs = 2; " + launched) == size({4, 2, 1}));
  CHECK(cluster_of(sized + "how.numAttrs = 1; " + launched) == size({1, 1, 1}));
  CHECK(cluster_of(launched) == size({1, 1, 1}));
  CHECK(cluster_of("k<<<16, dim3(64, 2)>>>(p, 3);") == size({1, 1, 1}));
  CHECK(cluster_of(sized + "how.numAttrs = 2; int three = 3; void* all[] = {&p, &three};\n"
                           "  cudaLaunchKernelExC(&how, (const void*)k, all);") == size({4, 2, 1}));
  // Nobody says it, launches differ, and an option says it.
  CHECK(cluster_of("") == size());
  CHECK(cluster_of(sized + "how.numAttrs = n; " + launched) == size());
  const std::string two =
      sized + "how.numAttrs = 2; " + launched + " how.numAttrs = 0; " + launched;
  CHECK(cluster_of(two) == size());
  CHECK(cluster_of(sized +
                   "how.numAttrs = 2; for (int i = 0; i < 2; ++i) {\n"
                   "  with[1].val.clusterDim.x = 1 << i; " +
                   launched + " }") == size());
  for (const char* const attribute :
       {"cudaFuncAttributeRequiredClusterWidth",
        "n > 1 ? cudaFuncAttributeRequiredClusterWidth : cudaFuncAttributeRequiredClusterDepth"})
    CHECK(cluster_of("cudaFuncSetAttribute(k, " + std::string(attribute) + ", 2); " + launched) ==
          size());
  CHECK(cluster_of("cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024); " +
                   launched) == size({1, 1, 1}));
  CHECK(cluster_of(two, size({8, 1, 1})) == size({8, 1, 1}));
  CHECK(cluster_of("", size({8, 1, 1})) == size({8, 1, 1}));
}

TEST_CASE("Instances that are passed over get no code", "[clang_reader]") {
  c::source_options options;
  options.contents =
      "__shared__ float common[64];\n"
      "namespace ns {\n"
      "template <class T> __device__ T in(T* p) { return p[0]; }\n"
      "template <class T> __global__ void k(T* p) {\n"
      "  common[threadIdx.x] = in(p); p[0] = common[0]; }\n"
      "template <class T> __global__ void other(T* p) { __shared__ T own[32]; own[0] = p[0];\n"
      "  p[1] = own[threadIdx.x]; }\n}\n"
      "__global__ void plain(float* p) { common[threadIdx.x * 2 % 64] = p[0]; }\n"
      "template __global__ void ns::k<char>(char*);\n"
      "void go(float* f, int* i, double* d) {\n"
      "  ns::k<<<1, 32>>>(f); ns::k<<<2, 32>>>(i); ns::other<<<3, 32>>>(f);\n"
      "  ns::other<<<4, 32>>>(d); plain<<<5, 32>>>(f); }\n";
  std::vector<std::vector<c::readable_kernel>> calls;
  std::set<std::string> wanted = {"ns::k<float>", "plain"};
  options.passes_over = [&](std::vector<c::readable_kernel>& kernels) {
    for (c::readable_kernel& kernel : kernels)
      kernel.reason =
          wanted.count(kernel.name) != 0 ? c::passed_over::none : c::passed_over::unasked;
    calls.push_back(kernels);
  };
  c::read_source source = c::read_cuda("instances.cu", options);
  INFO(source.diagnostics);
  CHECK(names_of(source) == std::vector<std::string>{"plain", "ns::k<float>"});
  // Before code is generated, and after it: all of them both times, with the sizes of the code.
  REQUIRE(calls.size() == 2);
  std::map<std::string, c::readable_kernel> previous, changed;
  for (const c::readable_kernel& kernel : calls[0]) previous[kernel.name] = kernel;
  for (const c::readable_kernel& kernel : calls[1]) changed[kernel.name] = kernel;
  REQUIRE(previous.size() == 6);
  REQUIRE(changed.size() == 6);
  for (const auto& [name, kernel] : previous) {
    CAPTURE(name);
    CHECK(kernel.instructions == 0);
    CHECK(kernel.linkage == changed[name].linkage);
    CHECK(kernel.is_launched == (name != "ns::k<char>"));
    CHECK(kernel.file == "instances.cu");
    // One instance of a template that is not wanted has code: it shows what arrays they use.
    const bool has_code = wanted.count(name) != 0 || name == "ns::other<float>";
    CHECK((changed[name].instructions > 0) == has_code);
  }
  CHECK(previous["ns::k<int>"].linkage == "_ZN2ns1kIiEEvPT_");
  CHECK(changed["ns::k<float>"].instructions > changed["ns::other<float>"].instructions / 2);
  std::map<std::string, c::passed_over> passed;
  for (const c::readable_kernel& kernel : source.passed_over) passed[kernel.name] = kernel.reason;
  const auto unasked = c::passed_over::unasked;
  CHECK(passed == std::map<std::string, c::passed_over>{{"ns::k<char>", unasked},
                                                        {"ns::k<int>", unasked},
                                                        {"ns::other<double>", unasked},
                                                        {"ns::other<float>", unasked}});
  // Launches know the linkage names of kernels without code.
  std::map<std::string, std::string> launched;
  for (const c::found_launch& launch : source.launches) {
    launched[launch.kernel] = launch.linkage;
    // Host code is followed to the others.
    CHECK(launch.block.has_value() == (previous[launch.kernel].reason == c::passed_over::none ||
                                       launch.kernel == "ns::other<float>"));
    CHECK(launch.line == (launch.kernel == "ns::k<float>" || launch.kernel == "ns::k<int>" ||
                                  launch.kernel == "ns::other<float>"
                              ? 12
                              : 13));
  }
  for (const auto& [name, linkage] : launched) CHECK(linkage == previous[name].linkage);
  // An array that an instance without code uses is that of several kernels.
  REQUIRE(source.kernels[1].shared.size() == 1);
  const std::string refusal = source.kernels[1].shared[0].source.refusal;
  CHECK(refusal.find("the kernel ns::k<") != std::string::npos);

  // What is wanted later is not there: it has no code.
  calls.clear();
  options.passes_over = [&](std::vector<c::readable_kernel>& instances) {
    for (c::readable_kernel& kernel : instances)
      kernel.reason = calls.empty() && kernel.name == "ns::k<int>"
                          ? c::passed_over::further_instance
                          : c::passed_over::none;
    calls.push_back(instances);
  };
  source = c::read_cuda("instances.cu", options);
  CHECK(names_of(source) == std::vector<std::string>{"plain", "ns::k<char>", "ns::k<float>",
                                                     "ns::other<float>", "ns::other<double>"});
  REQUIRE(source.passed_over.size() == 1);
  CHECK(source.passed_over[0].name == "ns::k<int>");
  CHECK(source.passed_over[0].reason == c::passed_over::further_instance);
}

// Headers of a toolkit where a compiler looks by itself, which a library's header includes.
TEST_CASE("A toolkit in the compiler's own folders", "[clang_reader]") {
  const auto folder =
      std::filesystem::temp_directory_path() / ("bankmodel_toolkit_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "bank_library.h") << "#include \"vector_types.h\"\n";
  std::ofstream(folder / "vector_types.h") << "// NVIDIA Corporation\nstruct char1 { char x; };\n";
  setenv("CPATH", folder.c_str(), 1);
  const c::read_source source =
      read("#include <bank_library.h>\n__global__ void k(char1* p) { p[0].x = 1; }\n");
  unsetenv("CPATH");
  std::filesystem::remove_all(folder);
  INFO(source.diagnostics);
  CHECK(source.missing_headers.empty());
  CHECK(names_of(source) == std::vector<std::string>{"k"});
}

// The place of a member behind a base class that is not known is not known either.
TEST_CASE("A type that an error has taken a part from", "[clang_reader]") {
  const std::string types =
      "struct broken : gone::base { float x; };\n"
      "struct lacking { gone::type before; float x; void f() {} };\n"
      "struct holds { float y; broken all[2]; };\n"
      "struct derived : broken { float z; };\n"
      "template <class T> struct box : gone::other<T> { T x; };\n"
      "struct fine { float x; void f() { gone::call(); } broken* pointer; };\n";
  for (const char* const access :
       {"broken* p) { p[threadIdx.x].x = 1;", "lacking* p) { p[threadIdx.x].x = 1;",
        "holds* p) { p[threadIdx.x].y = 1;", "derived* p) { p[threadIdx.x].z = 1;",
        "float* p) { __shared__ broken s[32]; s[threadIdx.x].x = *p;",
        "box<float>* p) { p[threadIdx.x].x = 1;"}) {
    INFO(access);
    const c::read_source source = read(types + "__global__ void k(" + access + " }\n");
    CHECK(source.kernels.empty());
    REQUIRE(source.unread.size() == 1);
    CHECK(source.unread[0].reason.find("error: use of undeclared identifier 'gone'") !=
          std::string::npos);
  }
  const c::read_source source =
      read(types + "__global__ void k(fine* p) { p[threadIdx.x].x = 1; }\n");
  CHECK(names_of(source) == std::vector<std::string>{"k"});
}

TEST_CASE("PyTorch's numbers of 8 bits, its limits and its states of random numbers",
          "[clang_reader]") {
  const c::read_source result = read(R"(
#include <torch/extension.h>
#include <ATen/cuda/NumericLimits.cuh>
#include <ATen/cuda/PhiloxUtils.cuh>
#include <c10/util/Float8_e4m3fn.h>
#include <curand_kernel.h>
template <class T> __global__ void scale(T* out, const float* in, float by) {
  __shared__ T tile[32][33];
  __shared__ float most[32];
  most[threadIdx.x % 32] = at::numeric_limits<float>::lowest();
  tile[threadIdx.x / 32][threadIdx.x % 32] = T(in[threadIdx.x] * by);
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x % 32][threadIdx.x / 32];
}
template <class T> __global__ void low(T* out) { out[threadIdx.x] = at::numeric_limits<T>::lower_bound(); }
__global__ void drop(float* out, at::PhiloxCudaState from) {
  auto seeds = at::cuda::philox::unpack(from);
  curandStatePhilox4_32_10_t state;
  curand_init(std::get<0>(seeds), threadIdx.x, std::get<1>(seeds), &state);
  float4 r = curand_uniform4(&state);
  out[threadIdx.x] = r.x;
}
void f(torch::Tensor out, torch::Tensor in) {
  if (out.scalar_type() == torch::kFloat8_e5m2) scale<c10::Float8_e5m2><<<1, 1024>>>(out.data_ptr<c10::Float8_e5m2>(), in.data_ptr<float>(), 2.f);
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::kFloat8_e4m3fn, out.scalar_type(), "scale", [&] {
    scale<scalar_t><<<1, 1024>>>(out.data_ptr<scalar_t>(), in.data_ptr<float>(), 2.f);
  });
  low<at::Half><<<1, 32>>>((at::Half*)out.data_ptr());
  low<int><<<1, 32>>>((int*)out.data_ptr());
}
)");
  INFO(result.diagnostics);
  CHECK(result.missing_headers.empty());
  CHECK(result.unread_launches.empty());
  CHECK(result.unread.empty());
  std::set<std::string> names;
  for (const c::kernel_code& kernel : result.kernels) {
    names.insert(kernel.name);
    if (kernel.name != "scale<c10::Float8_e4m3fn>") continue;
    c::launch options;
    options.block = {1024};
    std::map<int, int> bytes;  // lines of accesses to shared memory
    for (const c::recorded_access& access : c::run(kernel, options).accesses)
      if (!access.is_global) bytes[access.location.line] = access.memory.bytes;
    CHECK(bytes == std::map<int, int>{{10, 4}, {11, 1}, {13, 1}});
  }
  CHECK(names == std::set<std::string>{"scale<c10::Float8_e5m2>", "scale<c10::Float8_e4m3fn>",
                                       "scale<c10::Half>", "scale<float>", "scale<double>",
                                       "low<c10::Half>", "low<int>", "drop"});
}

TEST_CASE("AT_DISPATCH_* instantiates a kernel for each type, without PyTorch's headers",
          "[clang_reader]") {
  const c::read_source result = read(R"(
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#define CHECK(x) TORCH_CHECK(x.device().is_cuda(), #x " is not there")
template <typename scalar_t>
__global__ void rows(const torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> in,
                     torch::PackedTensorAccessor64<scalar_t, 1> out) {
  using acc_t = at::acc_type<scalar_t, true>;
  __shared__ acc_t s[128];
  s[threadIdx.x] = threadIdx.x < in.size(1) ? static_cast<acc_t>(in[blockIdx.y][threadIdx.x]) : 0;
  __syncthreads();
  out[threadIdx.x] = static_cast<scalar_t>(s[127 - threadIdx.x]);
}
template <typename scalar_t, typename index_t>
__global__ void gather(const scalar_t* in, const index_t* from, scalar_t* out, int n) {
  gpuAtomicAdd(out + threadIdx.x, in[from[threadIdx.x]]);
}
template <typename scalar_t> __global__ void all(scalar_t* p) { p[threadIdx.x] = scalar_t(); }
template <class T> __device__ T same(T a, T b) { return a < b ? a : -b; }
__global__ void numbers(c10::Half* h, c10::BFloat16* b, int n, float f, double d, int64_t l) {
  h[0] = same(h[0], h[1] * n) + same(h[2] * h[3], l - h[4]);
  b[0] = same(f, f / b[1]) * same(b[2] + d, d);
  double sum[1];
  gpuAtomicAdd(sum, f);
  gpuAtomicAddNoReturn(&f, d);
  gpuAtomicAdd(&n, 1);
}
std::vector<at::Tensor> run(torch::Tensor input, const at::Tensor& index,
                            c10::optional<at::Tensor> bias) {
  CHECK(input);
  const int64_t batch = input.size(0);
  auto out = torch::empty({batch}, input.options().dtype(torch::kFloat32));
  const int threads = 128;
  auto stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::ScalarType::Half, at::ScalarType::BFloat16, input.scalar_type(), "rows", ([&] {
        rows<scalar_t><<<dim3(1, 7), threads, 2 * sizeof(at::acc_type<scalar_t, true>), stream>>>(
            input.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(),
            out.packed_accessor64<scalar_t, 1>());
      }));
  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "gather", [&] {
    AT_DISPATCH_INDEX_TYPES(index.scalar_type(), "index", [&] {
      gather<scalar_t, index_t><<<2, 64>>>(input.data_ptr<scalar_t>(), index.data_ptr<index_t>(),
                                           out.data<scalar_t>(), batch);
    });
  });
  AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND(at::kBool, input.type(), "all", [&] {
    all<scalar_t><<<1, 32>>>(input.mutable_data_ptr<scalar_t>());
  });
  return {out, input};
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run, "run"); }
TORCH_LIBRARY(name, m) { m.def("run(Tensor a) -> Tensor", &run); }
)");
  INFO(result.diagnostics);
  CHECK(result.missing_headers.empty());
  CHECK(result.unread_launches.empty());
  CHECK(result.unread.empty());
  std::map<std::string, int> kernels;
  for (const c::kernel_code& kernel : result.kernels)
    ++kernels[kernel.name.substr(0, kernel.name.find_first_of("<("))];
  CHECK(kernels ==
        std::map<std::string, int>{{"rows", 4}, {"gather", 4}, {"all", 10}, {"numbers", 1}});
  const auto launches = [&](const std::string& name) {
    std::vector<c::found_launch> matches;
    for (const c::found_launch& launch : result.launches)
      if (launch.kernel == name) matches.push_back(launch);
    return matches;
  };
  const std::string types[] = {"float", "double", "c10::Half", "c10::BFloat16"};
  const int bytes[] = {8, 16, 8, 8};
  for (int number = 0; number < 4; ++number) {
    const auto matches = launches("rows<" + types[number] + ">");
    REQUIRE(matches.size() == 1);
    CHECK(matches[0].grid == std::array<unsigned, 3>{1, 7, 1});
    CHECK(matches[0].block == std::array<unsigned, 3>{128, 1, 1});
    CHECK(matches[0].dynamic_shared_bytes == bytes[number]);
    // Its own line, and not that of the macro that has it as an argument.
    CHECK(matches[0].line == 37);
  }
  CHECK(launches("gather<double, long>").size() == 1);
  CHECK(launches("all<bool>").size() == 1);
  CHECK(launches("all<c10::complex<float>>").size() == 1);
}

TEST_CASE("Headers that a folder of PyTorch lacks are missing", "[clang_reader]") {
  const auto folder =
      std::filesystem::temp_directory_path() / ("bankmodel_torch_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder / "ATen/core");
  std::filesystem::create_directories(folder / "torch");
  std::ofstream(folder / "ATen/core/TensorBase.h") << "\n";
  std::ofstream(folder / "torch/extension.h") << "#include <torch/all.h>\nstruct theirs {};\n";
  std::ofstream(folder / "k.cu")
      << "#include <torch/extension.h>\n__global__ void k(theirs, float* p) { *p = 1; }\n";
  c::source_options options;
  options.flags.include_folders = {folder.string()};
  const c::read_source result = c::read_cuda((folder / "k.cu").string(), options);
  CHECK(result.kernels.size() == 1);
  CHECK(result.missing_headers == std::vector<std::string>{"torch/all.h"});
  std::filesystem::remove_all(folder);
}

TEST_CASE("Kernels behind a false condition are named with it", "[clang_reader]") {
  const auto skipped = [](const std::string& text) {
    std::string result;
    for (const c::skipped_kernel& kernel : read(text).skipped_kernels)
      result += kernel.name + " " + std::to_string(kernel.line) + " `" + kernel.directive + "` " +
                std::to_string(kernel.directive_line) + ";";
    return result;
  };
  const std::string good = "__global__ void good(float* o) { *o = 1; }\n";
  CHECK(skipped(good + "#ifdef FAST\n__global__ void fast(float* o) {}\n#endif\n") ==
        "fast 3 `#ifdef FAST` 2;");
  // Each with its own part of the condition.
  CHECK(skipped(good + "#if A > 1\n__global__ void a() {}\n#elif   defined(B) && \\\n  B > 1\n"
                       "template <class T> static __global__ void __launch_bounds__(64) b(T) {}\n"
                       "#else\n__global__ void read() {}\n#endif\n") ==
        "a 3 `#if A > 1` 2;b 6 `#elif defined(B) && B > 1` 4;");
  CHECK(skipped(good + "#if 1\n#else\n__global__ void other() {}\n#endif\n") ==
        "other 4 `#else` 3;");
  // Of nested conditions the outer one, and not those that end before.
  CHECK(skipped(good + "#ifdef A\n#ifdef X\n#endif\n#if B\n#elif C\n__global__ void k() {}\n"
                       "#endif\n#endif\n") == "k 7 `#ifdef A` 2;");
  CHECK(skipped(good + "#ifndef A\n#if 0 // never\n__global__ void k() {}\n#endif\n#endif\n") ==
        "k 4 `#if 0` 3;");
  // Declarations, comments and macros are no kernels.
  CHECK(skipped(good + "#if 0\n__global__ void k();\n// __global__ void k() {}\n"
                       "#define K __global__ void k() {}\n__global__ int k;\n#endif\n") == "");
}

TEST_CASE("Kernels whose head does not parse have its error", "[clang_reader]") {
  const std::string good = "__global__ void good(float* o) { *o = 1; }\n";
  const auto unread = [&](const std::string& text) {
    std::string result;
    for (const c::unread_kernel& kernel : read(good + text).unread)
      result += kernel.name + ": " + kernel.reason.substr(0, kernel.reason.find('\n')) + ";";
    return result;
  };
  CHECK_THAT(unread("int wrong = missing;\n"
                    "template <absent T> __global__ void k(T* o) { *o = 1; }\n"
                    "int later = missing;\n"),
             Catch::Matchers::Matches("k: .*kernels.cu:3:.* 'absent';"));
  CHECK(unread("#define K(name) __global__ void name(float* o) { *o = 2; }\nK(made)\n"
               "int wrong = missing;\n__global__ void declared(float* o);\n"
               "#define NAME named\n__global__ void NAME(float* o) { *o = 3; }\n") == "");
}
