// SPDX-License-Identifier: MIT
// Kernels in C++ that are read as notation: what nobody says of their launch is assumed, and said.
#include <bankmodel/machines/nvidia.hpp>
#include <string>
#include <utility>
#include <vector>

#include "answer_about.hpp"
#include "catch.hpp"
#include "examples/bankmodel/compiled/launch_arguments.hpp"
#include "examples/bankmodel/notation/counts.hpp"
#include "examples/bankmodel/notation/kernel_heads.hpp"
#include "examples/bankmodel/source.hpp"

namespace bm = bankmodel;
namespace cc = compiled;
namespace cl = command_line;

namespace {

cl::answer ask(const std::string& text, cc::question asked = {}) {
  asked.machines = {"sm_90"};
  asked.plan = false;
  return answer_about("k", text, asked);
}

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

std::vector<std::string> notes_of(const std::string& text, const cc::question& asked = {}) {
  cc::question wide = asked;
  wide.shape.width = 1000;
  const cl::answer reply = ask(text, wide);
  INFO(text << "\n" << reply.error);
  REQUIRE(reply.code == cl::fine);
  std::vector<std::string> result;
  for (std::size_t line = 0; line < reply.output.size(); line = reply.output.find('\n', line) + 1) {
    const std::string shown = reply.output.substr(line, reply.output.find('\n', line) - line);
    if (shown.rfind("assumed: ", 0) == 0) result.push_back(shown);
    if (shown.rfind("note: ", 0) == 0) result.push_back(shown.substr(6));
  }
  return result;
}

// The wavefronts and the transactions of the first block.
std::pair<std::uint64_t, std::uint64_t> cost_of(const std::string& text,
                                                const cc::question& asked = {}) {
  const cl::source input{"k.cu", text};
  cl::reading known;
  known.values = {cc::block_of(asked.block), {}, cc::numbers_of(asked.arguments)};
  for (const cl::reading& candidate : cl::readings_of(input, known)) try {
      const cl::kernel_cost cost =
          cl::count(cl::read_kernel_file(input, candidate), bm::nvidia::sm_90);
      return {cost.sum.wavefronts, cost.traffic_sum.transactions};
    } catch (const cl::refusal&) {  // another may do
    }
  FAIL(text);
  return {};
}

std::string assumed(const std::string& name, const std::string& value, const std::string& option) {
  return "assumed: " + name + " = " + value + ", since the file does not say it; give " + option;
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
  cc::question asked;
  asked.block = "32x8";
  asked.arguments = {"n=33"};
  CHECK(notes_of(transpose, asked).empty());
  // Rows of 33 elements: 8 + 1 sectors of 4 in rows that begin in the middle of one.
  CHECK(cost_of(transpose, asked).second > 2 * 8 * 4);
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
  // More columns than 32 no compiler accepts in a declared array.
  const std::string matrix =
      "template <int N, typename T, bool turned>\n__global__ void f() {\n  __shared__ T a[N][N];\n"
      "  if (turned) a[threadIdx.x][threadIdx.y] = 1;\n}\n";
  const std::vector<std::string> notes = notes_of(matrix);
  REQUIRE(notes.size() == 4);
  CHECK(notes[1] == assumed("N", "32", "--arg N=.."));
  CHECK(notes[2] == assumed("T", "float", "another type in place of T"));
  CHECK(notes[3] == assumed("turned", "true", "--arg turned=.."));
  cc::question asked;
  asked.arguments = {"N=16"};
  CHECK(notes_of(matrix, asked)[0] == assumed("block", "16x16", "--block"));
  asked.arguments = {"N=16", "turned=0"};
  CHECK(notes_of(matrix, asked).size() == 2);
  // Numbers are made smaller until the kernel stays in its arrays.
  CHECK(notes_of("__global__ void f(int n) { __shared__ int a[64]; a[n] = threadIdx.x; }")[1] ==
        assumed("n", "32", "--arg n=.."));
  CHECK(
      notes_of(
          "template <int N> __global__ void f() { __shared__ int a[9]; a[N] = threadIdx.x; }")[1] ==
      assumed("N", "8", "--arg N=.."));
  // A block of 128 KiB no compiler accepts.
  CHECK(
      notes_of(
          "template <int N> __global__ void f() { __shared__ int a[N * N][N]; a[threadIdx.x][0] = "
          "1; }")[1] == assumed("N", "16", "--arg N=.."));
  // A default is a value that somebody gave.
  CHECK(notes_of("template <int N = 8> __global__ void f() { __shared__ int a[N]; a[threadIdx.x % "
                 "N] = 1; }")
            .size() == 1);
  CHECK(cost_of("template <int N = 8> __global__ void f(float* a) { a[N * threadIdx.x] = 1; }") ==
        std::pair<std::uint64_t, std::uint64_t>{0, 256});
  // None fits: the first error is that of the most probable reading.
  const std::string error =
      ask("__global__ void f() { __shared__ int a[7]; a[threadIdx.x + 7] = 1; }").error;
  CHECK(has(error, "k:1:"));
  CHECK(has(error, "but its extent is 7"));
}

TEST_CASE("pointers among the arguments are arrays, unless an access cannot be read") {
  CHECK(notes_of("__global__ void f(float* a, const int* index) {\n  __shared__ int s[256];\n  "
                 "s[threadIdx.x] = index[threadIdx.x];\n  a[index[threadIdx.x]] = 1;\n}")[1] ==
        "not counted: accesses through a, since in line 4 a subscript, bound or condition that "
        "reads the array index, which is not known before the kernel runs");
  // Without any of them the kernel has no access, so the others are told apart.
  const std::string two =
      "__global__ void f(float* a, float* b) {\n  a[threadIdx.x] = 1;\n  float4* p = "
      "(float4*)&b[1];\n}";
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
  CHECK(has(ask(two).output, "    2  second *     64           4 "));  // all, in one table
  CHECK(has(ask(two).output, "    1  first *     256           0 "));
  cc::question asked;
  asked.kernels = {"second"};
  CHECK(has(ask(two, asked).output, "    2  store b "));
  CHECK(!has(ask(two, asked).output, "first"));
  asked.kernels = {"first"};
  CHECK(has(ask(two, asked).output, "    1  store a "));
  asked.kernels = {"third"};
  CHECK(has(ask(two, asked).error,
            "no kernel is named third; give a part of a name with --kernel, of first, second"));
  // By a part of the name, by a pattern, and by several names; a name in full is that kernel alone.
  const std::string three = two + "__global__ void second_fast(float* a) { a[threadIdx.x] = 1; }\n";
  const auto count_of = [&](std::vector<std::string> names) {
    asked.kernels = std::move(names);
    const std::string output = ask(three, asked).output;
    return has(output, "first") + 2 * has(output, ": second, ") + 4 * has(output, "second_fast");
  };
  CHECK(count_of({"second"}) == 2);
  CHECK(count_of({"sec"}) == 6);
  CHECK(count_of({"*st"}) == 5);
  CHECK(count_of({"first", "second_fast"}) == 5);
  // One that cannot be counted hides no other.
  asked.kernels = {};
  const cl::answer some =
      ask(two + "__global__ void bad(float* a) { goto b; a[threadIdx.x] = 1; }\n", asked);
  CHECK(some.code == cl::fine);
  CHECK(has(some.error, "bankmodel: note: bad is not counted: k:3:"));
  CHECK(has(some.output, "second"));
}

TEST_CASE("the heads of kernels") {
  const cl::source input{
      "k.cu",
      "template <int A = 2 + 3, class B = float, unsigned C = 7>\n"
      "static __global__ void __launch_bounds__(128, 2) f(const B* __restrict__ a, int n[], float "
      "x,\n    long n2, const unsigned int m, bool flag, pair<int, int> p, int& r, int** q, int) "
      "{}\n__global__ void declared(int n);\n__device__ void no(int n) {}\nextern \"C\" __global__ "
      "void g() {}\n"};
  const std::vector<cl::token> tokens = cl::tokens_of(input);
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
  for (std::size_t parameter = 0; parameter < wanted.size(); ++parameter) {
    INFO(wanted[parameter].first);
    CHECK(heads[0].parameters[parameter].name.text == wanted[parameter].first);
    CHECK(heads[0].parameters[parameter].is == wanted[parameter].second);
  }
  CHECK(heads[0].parameters[2].value == 7);
  CHECK(heads[0].parameters[0].value == 5);
}

TEST_CASE("a pointer that changes in a loop or a condition is not followed") {
  for (const char* change :
       {"if (threadIdx.x > 15) b += n;", "for (int i = 0; i < 3; ++i) b += n;", "*b = 1;",
        "*b++ = 1;", "*b += 1;", "float x = *b;", "int x = (b += 1)[0];", "b = n > 3 ? b : b + 1;",
        "b += (int)b[0];", "float4* c = (float4*)b;", "bool is = b < b + 3;", "f2(&b, b++);",
        "for (int i = 0; i < 3; ++i) { float* c = b + i; c += n; c[threadIdx.x] = 1; }"}) {
    const std::string text =
        cl::joined("__global__ void f(float* a, float* b, int n) {\n  a[threadIdx.x] = 1;\n  ",
                   change, "\n  b[threadIdx.x] = 1;\n}");
    INFO(text);
    bool is_said = false;
    for (const std::string& note : notes_of(text))
      is_said = is_said || note.rfind("not counted: accesses through b, since in line 3 ", 0) == 0;
    CHECK(is_said);
    CHECK(cost_of(text).second == 32);  // those of a
  }
}

TEST_CASE("pointers into arrays are other names of their elements") {
  const auto transactions = [](const std::string& statements) {
    const std::string text =
        "__global__ void f(float* a, float* b, unsigned n) {\n" + statements + "\n}";
    INFO(text);
    CHECK(notes_of(text).back().find("not counted") == std::string::npos);
    return cost_of(text).second;
  };
  CHECK(transactions("b += 8; b[threadIdx.x] = 1;") == 32);
  CHECK(transactions("b += 1; b[threadIdx.x] = 1;") == 40);
  CHECK(transactions("b += 1; ++b; b++; --b; b--; b -= 1; b[threadIdx.x] = 1;") == 32);
  CHECK(transactions("b += threadIdx.x * n; for (int i = 0; i < 4; ++i) b[i] = 1;") == 4 * 256);
  CHECK(transactions("b = a + 1; b[threadIdx.x] = a[threadIdx.x];") == 40 + 32);
  CHECK(
      transactions("float* c = a + 8, *d = &a[threadIdx.x], *const e = a; c[threadIdx.x] = d[8] + "
                   "e[threadIdx.x];") == 3 * 32);
  CHECK(transactions("auto c = a + 1; c += 7; c[threadIdx.x] = 1;") == 32);
  CHECK(transactions("const float* c = a + n * n - 1; b[threadIdx.x] = c[threadIdx.x + 1];") == 64);
  // Each part has 64 bits: an unsigned index does not wrap.
  CHECK(transactions("b += threadIdx.x; b -= threadIdx.x; b[threadIdx.x] = 1;") == 32);
  CHECK(transactions("b += 1; b[threadIdx.x - 1u + 1u] = 1;") == 40);
  // Names end with their braces.
  CHECK(
      transactions("{ float* c = a + 1; c[threadIdx.x] = 1; } float* c = a; c[threadIdx.x] = 1;") ==
      40 + 32);
  CHECK(transactions("if (n > 3) { float* c = b + 1; c[threadIdx.x] = 1; } b[threadIdx.x] = 1;") ==
        40 + 32);
  CHECK(transactions("for (int i = 0; i < 3; ++i) { float* c = b + i * 8; c[threadIdx.x] = 1; }") ==
        3 * 32);
  // Into shared memory too.
  const std::string shared =
      "__global__ void f(float* a) {\n  __shared__ float s[512];\n  float* const upper = s + 256;\n"
      "  upper[threadIdx.x] = 1;\n  volatile float* all = s;\n  all[2 * threadIdx.x] = "
      "upper[threadIdx.x - 1 + 1];\n}";
  CHECK(cost_of(shared).first == 8 + 8 + 16);
  CHECK(has(ask("__global__ void f() {\n  __shared__ float s[256];\n  float* p = s + 1;\n  "
                "p[threadIdx.x] = 1;\n}",
                [] {
                  cc::question asked;
                  asked.block = "256";
                  return asked;
                }())
                .error,
            "reaches 256 in an active lane, but its extent is 256"));
}

TEST_CASE("accesses through pointers to other memory are said") {
  CHECK(notes_of(
            "struct box { float* in; };\n__global__ void f(box p, float* b) {\n  const float* in = "
            "p.in;\n  float r[4];\n  r[0] = 1;\n  b[threadIdx.x] = in[threadIdx.x] + r[0];\n}")
            .back() ==
        "not declared, and not counted: in; `global float *in` above counts its "
        "transactions");
  CHECK(cost_of("#define BASE (a + 5)\n__global__ void f(float* a, float* b) { float* in = BASE; "
                "b[threadIdx.x] = in[threadIdx.x]; }")
            .second == 40 + 32);
}

TEST_CASE("the first element of a pointer") {
  CHECK(has(ask("__global__ void f(float* b) { *b = 1; }").error, "the address of b is used"));
}

TEST_CASE("names of a kernel in C++ are its own") {
  // A constant of the file is hidden by an argument.
  const std::string hidden =
      "const int n = 3;\n__global__ void f(float* a, int n) { a[threadIdx.x * n] = 1; }";
  CHECK(notes_of(hidden)[1] == assumed("n", "1024", "--arg n=.."));
  cc::question asked;
  asked.arguments = {"n=2"};
  CHECK(cost_of(hidden, asked).second == 64);
  asked.arguments = {"tx=2"};
  CHECK(cost_of("__global__ void f(float* a, int tx) { a[threadIdx.x * tx] = 1; }", asked).second ==
        64);
  CHECK(cost_of("__global__ void f(float* tx) { tx[threadIdx.x] = 1; }").second == 32);
  // A member is no argument.
  CHECK(notes_of("__global__ void f(float* a, int x) { a[threadIdx.x] = 1; }").size() == 1);
  // What is declared in braces ends with them.
  const std::string inner =
      "__global__ void f(float* s, float* b) {\n  { __shared__ float s[256]; s[threadIdx.x] = "
      "b[threadIdx.x]; }\n  s[threadIdx.x] = 2;\n}";
  CHECK(cost_of(inner).first == 8);
  CHECK(has(ask("__global__ void f() {\n  { __shared__ int s[256]; s[threadIdx.x] = 1; }\n  { "
                "__shared__ int s[256]; s[threadIdx.x] = 1; }\n}")
                .error,
            "a second array s; give it another name"));
  // A function that is only declared takes a reference too.
  CHECK(has(ask("__device__ void make_index(int& i);\n__global__ void f(float* a) {\n  int i = "
                "threadIdx.x;\n  make_index(i);\n  a[i] = 1;\n}")
                .error,
            "it is given to make_index"));
}

TEST_CASE("numbers outside of the range of their type are refused") {
  const std::string byte =
      "__global__ void f(float* a, unsigned char n) { a[threadIdx.x * n] = 1; }";
  CHECK(notes_of(byte)[1] == assumed("n", "64", "--arg n=.."));
  CHECK(cost_of(byte).second == 256);
  cc::question asked;
  asked.arguments = {"n=300"};
  CHECK(has(ask(byte, asked).error, "n = 300 does not fit in unsigned char"));
  asked.arguments = {"n=99999999999"};
  CHECK(has(ask("__global__ void f(float* a, int n) { a[threadIdx.x * n] = 1; }", asked).error,
            "n = 99999999999 does not fit in int"));
}

TEST_CASE("constants in the head of a kernel") {
  CHECK(
      notes_of("#define T 64\n__global__ void __launch_bounds__(T) f(float* a) { a[threadIdx.x] = "
               "1; }")[0] == assumed("block", "64", "--block"));
  CHECK(notes_of("constexpr int W = 8, T = W * (4 + 12);\n__global__ void __launch_bounds__(T, 2) "
                 "f(float* a) { a[threadIdx.x] = 1; }")[0] == assumed("block", "128", "--block"));
  CHECK(cost_of("#define K 4\ntemplate <int N = K * 2, bool on = false, typename T = double>\n"
                "__global__ void f(T* a) { if (!on) a[N * threadIdx.x] = 1; }")
            .second == 256);
  CHECK(
      notes_of("template <bool on = false, typename T = double> __global__ void f(T* a) { if (!on) "
               "a[threadIdx.x] = 1; }")
          .size() == 1);
  CHECK(notes_of("template <int N = 7 % 4> __global__ void f(float* a) { a[N * threadIdx.x] = 1; }")
            .back() == assumed("N", "32", "--arg N=.."));
  // A name that is itself has no value.
  CHECK(notes_of(
            "#define T T\n__global__ void __launch_bounds__(T) f(float* a) { a[threadIdx.x] = 1; "
            "}")[0] == assumed("block", "256", "--block"));
}

TEST_CASE("what is around a kernel in C++") {
  const std::string kernel = "__global__ void f(float* a) { a[threadIdx.x] = 1; }\n";
  const std::vector<std::string> texts = {
      "namespace a::b {\n" + kernel + "}",
      "extern \"C\" {\n" + kernel + "}",
      "struct box { float x; __device__ int size() const { return 3; } };\n" + kernel,
      "typedef struct { int a, b; } pair;\nenum class kind { one, two };\n" + kernel,
      "#define IDX(i, j) ((i) * n + (j))\n#define CHECK(x) x\n#define EMPTY\n#define REAL "
      "1.5f\n" +
          kernel,
      "#define real float\n__global__ void f(real* a) { a[threadIdx.x] = 1; }",
      std::string("__global__ void f(float* a) {\n  auto block = cg::this_thread_block();\n  "
                  "block.sync();\n  grid.sync();\n  a[threadIdx.x] = 1;\n}")};
  for (const std::string& text : texts) {
    INFO(text);
    CHECK(cost_of(text).second == 32);
  }
  CHECK(
      cost_of("#define IDX(i, j) ((i) * 8 + (j))\n__global__ void f(float* a) { a[IDX(threadIdx.x, "
              "1)] = 1; }")
          .second == 256);
  CHECK(
      has(ask("#define CAT(i, j) i##j\n__global__ void f(float* a) { a[CAT(threadIdx, .x)] = 1; }")
              .error,
          "CAT is a macro that is not read; write what it stands for"));
  // Directives of another kernel are none.
  cc::question asked;
  asked.kernels = {"g"};
  CHECK(ask("__global__ void f(float* a) {\n  auto block = 1;\n  block.sync();\n}\n__global__ void "
            "g(float* a) { a[threadIdx.x] = 1; }",
            asked)
            .code == cl::fine);
  asked.kernels = {"f"};
  CHECK(has(ask(kernel + "__global__ void f(int* a) { a[threadIdx.x] = 1; }", asked).error,
            "leave one of those with this name"));
  // Pointers that are not used take no room.
  std::string text = "__global__ void f(";
  for (int number = 0; number < 20; ++number) text += cl::joined("float* unused", number, ", ");
  text += "float* a) { __shared__ int s[256]; s[threadIdx.x] = 1; a[threadIdx.x] = 1; }";
  CHECK(cost_of(text).second == 32);
  // Rows of an argument are not followed.
  CHECK(has(ask("__global__ void f(float a[][16]) { a[threadIdx.x][0] = 1; }").error,
            "there is no access"));
  // The reason is that of the number that is used.
  CHECK(
      has(notes_of("template <int N> __global__ void f(float* a) {\n  __shared__ float s[N][N];\n  "
                   "s[threadIdx.y][threadIdx.x] = 1;\n  const float4* p = (float4*)&a[1];\n}")
              .back(),
          "since in line 4 the address of a is used"));
}

TEST_CASE("words of host code are none of the notation") {
  // A variable grid is no line `grid`, after which blockIdx could be anything.
  CHECK(
      cost_of("__global__ void f(float* a, int n) { a[blockIdx.x * blockDim.x * n + threadIdx.x] = "
              "1; }\nint main() {\n  dim3 grid(2, 3);\n  f<<<grid, 32>>>(0, 1);\n}")
          .second == 32);
  CHECK(
      cost_of("__device__ float sum;\n__device__ int count = 3;\n__global__ void f(float* a) {\n  "
              "sum += 2;\n  printf(\"%d %f\\n\" \"more\", threadIdx.x, sum);\n  a[threadIdx.x] = "
              "sum;\n}")
          .second == 32);
  CHECK(has(ask("__device__ int count;\n__global__ void f(float* a) { a[count] = 1; }").error,
            "count is a value from memory"));
  // Tiles of a template are smaller than the data.
  CHECK(notes_of(
            "template <int BM, int BK> __global__ void f(const float* a, int n) {\n  __shared__ "
            "float s[BM][BK];\n  for (int k = 0; k < n; k += BK) s[threadIdx.x / BK][threadIdx.x % "
            "BK] = a[k + threadIdx.x];\n}") ==
        std::vector<std::string>{
            assumed("block", "256", "--block"), assumed("BM", "32", "--arg BM=.."),
            assumed("BK", "32", "--arg BK=.."), assumed("n", "1024", "--arg n=..")});
}

TEST_CASE("an element in parentheses is the element") {
  const auto transactions = [](const std::string& statement) {
    return cost_of(
               "#define AT(i) (a[i])\n#define ADD(v) ((v) += 1.0f)\n__global__ void f(float* a, "
               "float* "
               "b) { " +
               statement + " }")
        .second;
  };
  CHECK(transactions("(a[threadIdx.x]) = 1;") == 32);
  CHECK(transactions("(a[threadIdx.x]) += 1;") == 64);
  CHECK(transactions("((a[threadIdx.x])) *= 2; AT(threadIdx.x)++;") == 128);
  CHECK(transactions("ADD(a[threadIdx.x]);") == 64);
  CHECK(transactions("b[threadIdx.x] = (a)[threadIdx.x] + (a[threadIdx.x]);") == 96);
  CHECK(transactions("b[threadIdx.x] = (float)(a[threadIdx.x]) + sizeof(a[0]);") == 64);
  CHECK(has(ask("__global__ void f(float* a) { (threadIdx.x > 3 ? a[0] : a[1]) = 1; }").error,
            "an element of a in parentheses is assigned"));
}

TEST_CASE("variables in memory are said where they are used") {
  for (const char* use : {"a[threadIdx.x] = count;", "count = 3;", "count += 1;", "count++;"}) {
    const std::string text = cl::joined(
        "__device__ int count = 4;\n__global__ void f(float* a) { a[threadIdx.x] = 1; ", use, " }");
    INFO(text);
    CHECK(notes_of(text).back() ==
          "not declared, and not counted: count; `global float *count` above counts its "
          "transactions");
  }
  CHECK(notes_of("__device__ int count;\n__global__ void f(float* a) { a[threadIdx.x] = 1; }")
            .size() == 1);
}

TEST_CASE("a macro that is not read may be anything") {
  CHECK(has(ask("#define GUARD(x) if (threadIdx.x > x##0) return\n__global__ void f(float* a) {\n  "
                "GUARD(1);\n  a[threadIdx.x] = 1;\n}")
                .error,
            "GUARD is a macro that is not read"));
}

TEST_CASE("a constant of the head is the one that is meant, or none") {
  const std::string use =
      "template <int N = BM> __global__ void f(float* a) { a[threadIdx.x * N] = 1; }";
  CHECK(notes_of("const int BM = 8;\n" + use).size() == 1);
  for (const char* prologue : {"struct box { static const int BM = 3; };\nconst int BM = 8;\n",
                               "void g() { const int BM = 64; }\nconst int BM = 8;\n",
                               "constexpr unsigned char BM = 260;\n", "const bool BM = 4;\n"})
    CHECK(notes_of(prologue + use)[1] == assumed("N", "32", "--arg N=.."));
  CHECK(
      notes_of(
          "constexpr int A = 5;\ntemplate <int A = 2, int N = A * 2> __global__ void f(float* a) { "
          "a[threadIdx.x * N] = 1; }")[1] == assumed("N", "32", "--arg N=.."));
  // The default of the kernel's own argument is not that of a launch.
  CHECK(notes_of("__global__ void f(float* a, int n = 3) { a[threadIdx.x * n] = 1; }")[1] ==
        assumed("n", "1024", "--arg n=.."));
}
