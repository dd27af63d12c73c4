// SPDX-License-Identifier: MIT
// Kernels in C++ that are read as notation: what nobody says of their launch is assumed, and said.
#include <bankmodel/machines/nvidia.hpp>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "examples/bankmodel/answer.hpp"
#include "examples/bankmodel/kernel_heads.hpp"
#include "examples/bankmodel/source.hpp"

namespace bm = bankmodel;
namespace cl = command_line;

namespace {

cl::answer ask(const std::string& text, cl::question asked = {}) {
  asked.machines = {"sm_90"};
  asked.plan = false;
  return cl::answer_to({"k.cu", text}, asked);
}

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

std::vector<std::string> notes_of(const std::string& text, const cl::question& asked = {}) {
  const cl::answer found = ask(text, asked);
  INFO(text << "\n" << found.error);
  REQUIRE(found.code == cl::fine);
  std::vector<std::string> result;
  for (std::size_t at = found.out.find("note: "); at != std::string::npos;
       at = found.out.find("note: ", at + 1))
    result.push_back(found.out.substr(at + 6, found.out.find('\n', at) - at - 6));
  return result;
}

// The wavefronts and the transactions of the first block.
std::pair<std::uint64_t, std::uint64_t> cost_of(const std::string& text,
                                                const cl::launch_values& values = {}) {
  const cl::source of{"k.cu", text};
  cl::reading known;
  known.values = values;
  for (const cl::reading& how : cl::readings_of(of, known)) try {
      const cl::kernel_cost cost = cl::count(cl::read_kernel_file(of, how), bm::nvidia::sm_90);
      return {cost.sum.wavefronts, cost.traffic_sum.transactions};
    } catch (const cl::refusal&) {  // another may do
    }
  FAIL(text);
  return {};
}

std::string assumed(const std::string& name, const std::string& value, const std::string& option) {
  return "assumed: " + name + " = " + value + "; " + option + " gives another";
}

const std::string transpose =
    "#define SIDE 32\n"
    "__global__ void transpose(float* __restrict__ out, const float* in, int n) {\n"
    "  __shared__ float tile[SIDE][SIDE];\n"
    "  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * n + threadIdx.x];\n"
    "  __syncthreads();\n"
    "  out[threadIdx.y * n + threadIdx.x] = tile[threadIdx.x][threadIdx.y];\n"
    "}\n"
    "void launch(float* out, const float* in) { transpose<<<1, dim3(32, 32)>>>(out, in, 64); }\n";

}  // namespace

TEST_CASE("what a kernel in C++ leaves open is assumed and said") {
  CHECK(notes_of(transpose) == std::vector<std::string>{assumed("block", "32x32", "--block"),
                                                        assumed("n", "1024", "--arg n=..")});
  CHECK(cost_of(transpose) == std::pair<std::uint64_t, std::uint64_t>{1056, 256});
  // What is given is not assumed.
  cl::question asked;
  asked.values.block = bm::block_dim{32, 8};
  asked.values.numbers = {{"n", 33}};
  CHECK(notes_of(transpose, asked).empty());
  // Rows of 33 elements: 8 + 1 sectors of 4 in rows that begin in the middle of one.
  CHECK(cost_of(transpose, asked.values).second > 2 * 8 * 4);
  CHECK(notes_of("block 32 8\n" + transpose) ==
        std::vector<std::string>{assumed("n", "1024", "--arg n=..")});
  CHECK(notes_of("define n 64\nblock 32 8\n" + transpose).empty());
  // What is not read is not said.
  CHECK(notes_of("__global__ void f(float* a, int unused) { a[threadIdx.x] = 1; }") ==
        std::vector<std::string>{assumed("block", "256", "--block")});
  CHECK(notes_of("__global__ void __launch_bounds__(64) f(float* a) { a[threadIdx.x] = 1; }") ==
        std::vector<std::string>{assumed("block", "64", "--block")});
  CHECK(notes_of("__global__ void f(float* a) {\n  for (int i = threadIdx.x; i < 4096; i += "
                 "gridDim.x * blockDim.x) a[i] = 1;\n}")[1] == assumed("grid", "1", "--grid"));
  CHECK(notes_of("extern __shared__ float s[];\n__global__ void f() { s[threadIdx.x] = 1; }")[1] ==
        assumed("dynamic bytes", "49152", "--dynamic-bytes"));
  // Notation has no arguments, and is asked as before.
  CHECK(has(ask("shared float a[32]\nload a[tx]").error, "the number of threads of a block"));
  CHECK(has(ask("block 32\nshared float a[32]\nload a[n]").error, "the name n is not known"));
}

TEST_CASE("assumptions that do not fit are taken back") {
  // Of 1024 columns the array would be too large, and of 256 threads 16 x 16 have elements.
  const std::string matrix =
      "template <int N, typename T, bool turned>\n__global__ void f() {\n  __shared__ T a[N][N];\n"
      "  if (turned) a[threadIdx.x][threadIdx.y] = 1;\n}\n";
  const std::vector<std::string> notes = notes_of(matrix);
  REQUIRE(notes.size() == 4);
  CHECK(notes[1] == assumed("N", "128", "--arg N=.."));
  CHECK(notes[2] == "assumed: T = float");
  CHECK(notes[3] == assumed("turned", "true", "--arg turned=.."));
  cl::question asked;
  asked.values.numbers = {{"N", 16}};
  CHECK(notes_of(matrix, asked)[0] == assumed("block", "16x16", "--block"));
  asked.values.numbers = {{"N", 16}, {"turned", 0}};
  CHECK(notes_of(matrix, asked).size() == 2);
  // A default is a value that somebody gave.
  CHECK(notes_of("template <int N = 8> __global__ void f() { __shared__ int a[N]; a[threadIdx.x % "
                 "N] = 1; }")
            .size() == 1);
  CHECK(cost_of("template <int N = 8> __global__ void f(float* a) { a[N * threadIdx.x] = 1; }") ==
        std::pair<std::uint64_t, std::uint64_t>{0, 256});
  // None fits: the first error is that of the most probable reading.
  const std::string error =
      ask("__global__ void f() { __shared__ int a[7]; a[threadIdx.x + 7] = 1; }").error;
  CHECK(has(error, "k.cu:1:"));
  CHECK(has(error, "but its extent is 7"));
}

TEST_CASE("pointers among the arguments are arrays, unless an access cannot be read") {
  CHECK(notes_of("__global__ void f(float* a, const int* index) {\n  __shared__ int s[256];\n  "
                 "s[threadIdx.x] = index[threadIdx.x];\n  a[index[threadIdx.x]] = 1;\n}")[1] ==
        "not counted: accesses through a, since in line 4 a subscript, bound or condition that "
        "reads the array index, which is not known before the kernel runs");
  // Without any of them the kernel has no access, so the others are told apart.
  const std::string two =
      "__global__ void f(float* a, float* b) {\n  a[threadIdx.x] = 1;\n  float* p = &b[1];\n}";
  CHECK(notes_of(two).back().rfind("not counted: accesses through b, since in line 3 ", 0) == 0);
  CHECK(cost_of(two).second == 32);
  // Other functions have names of their own.
  CHECK(notes_of("__global__ void f(float* a) { a[threadIdx.x] = 1; }\nvoid g(float* a) { use(a); "
                 "}\n__device__ int h(int* a) { return a[0]; }")
            .size() == 1);
  // Without any access the error is why there is none.
  CHECK(has(ask("__global__ void f(box* a) { a[threadIdx.x] = 1; }").error,
            "`box` is not a known element type"));
  CHECK(has(ask("__global__ void f(float** b) { b[threadIdx.x][0] = 1; }").error,
            "there is no access"));
  CHECK(has(ask("__global__ void f(float* a, int n) {\n  while (n > 7) n /= 2;\n  a[n * "
                "threadIdx.x] = 1;\n}")
                .error,
            "the value of n is not known here"));
  // A variable: the kernel may change its arguments.
  CHECK(cost_of("__global__ void f(float* a, int n) {\n  n = n / 1024;\n  a[32 * n * "
                "threadIdx.x] = 1;\n}")
            .second == 256);
  CHECK(cost_of("__global__ void f(float* a, int n) {\n  const int before = n++;\n  a[32 * (n - "
                "before) * threadIdx.x] = 1;\n}")
            .second == 256);
  CHECK(cost_of("__global__ void f(float* a, unsigned long n, long long m, const long k) {\n  a[n "
                "+ m - k + threadIdx.x] = 1;\n}")
            .second == 32);
}

TEST_CASE("one of several kernels is named") {
  const std::string two =
      "__global__ void first(float* a) { a[threadIdx.x] = 1; }\n"
      "__global__ void second(float* a) { __shared__ float b[64]; b[2 * (threadIdx.x % 32)] = 1; "
      "}\n";
  CHECK(has(ask(two).error, "a second kernel, second; name one of them with --kernel"));
  cl::question asked;
  asked.values.kernel = "second";
  CHECK(has(ask(two, asked).out, "store b[2 * (threadIdx.x % 32)]"));
  asked.values.kernel = "first";
  CHECK(has(ask(two, asked).out, "store a[threadIdx.x]"));
  asked.values.kernel = "third";
  CHECK(has(ask(two, asked).error, "there is no kernel third"));
}

TEST_CASE("the heads of kernels") {
  const cl::source of{
      "k.cu",
      "template <int A = 2 + 3, class B = float, unsigned C = 7>\n"
      "static __global__ void __launch_bounds__(128, 2) f(const B* __restrict__ a, int n[], float "
      "x,\n    long n2, const unsigned int m, bool flag, pair<int, int> p, int& r, int** q, int) "
      "{}\n__global__ void declared(int n);\n__device__ void no(int n) {}\nextern \"C\" __global__ "
      "void g() {}\n"};
  const std::vector<cl::token> tokens = cl::tokens_of(of);
  const std::vector<cl::kernel_head> heads = cl::kernel_heads(tokens);
  REQUIRE(heads.size() == 2);
  CHECK(heads[0].name.text == "f");
  CHECK(heads[0].most_threads == 128);
  CHECK(heads[1].name.text == "g");
  CHECK(heads[1].parameters.empty());
  using kind = cl::kernel_parameter::kind;
  const std::vector<std::pair<std::string, kind>> wanted = {
      {"A", kind::number},  {"B", kind::type},  {"C", kind::number},  {"a", kind::pointer},
      {"n", kind::pointer}, {"x", kind::other}, {"n2", kind::number}, {"m", kind::number},
      {"flag", kind::flag}, {"p", kind::other}, {"r", kind::other},   {"q", kind::other}};
  REQUIRE(heads[0].parameters.size() == wanted.size());
  for (std::size_t at = 0; at < wanted.size(); ++at) {
    INFO(wanted[at].first);
    CHECK(heads[0].parameters[at].name.text == wanted[at].first);
    CHECK(heads[0].parameters[at].is == wanted[at].second);
  }
  CHECK(heads[0].parameters[2].value == 7);
  CHECK(!heads[0].parameters[0].value);
}
