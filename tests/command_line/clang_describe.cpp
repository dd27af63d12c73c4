// SPDX-License-Identifier: MIT
// Descriptions of compiled kernels: the accesses of CUDA source as expressions of the library, the
// programs that say so, and generated kernels whose totals are those of their interpreted runs.
#include <unistd.h>

#include <algorithm>
#include <bankmodel/count/request_classes.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "examples/bankmodel/clang_reader/source_reader.hpp"
#include "examples/bankmodel/compiled/ask.hpp"
#include "examples/bankmodel/compiled/description/description.hpp"
#include "examples/bankmodel/compiled/issued/issued.hpp"
#include "examples/bankmodel/compiled/page/priced.hpp"
#include "recorded_cost.hpp"

namespace bm = bankmodel;
namespace c = compiled;

namespace {

using texts = std::vector<std::string>;

// A folder that is there as long as this is.
struct scratch {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("bankmodel_describe_" + std::to_string(getpid()));
  scratch() { std::filesystem::create_directories(path); }
  scratch(const scratch&) = delete;
  ~scratch() { std::filesystem::remove_all(path); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name) << text;
    return (path / name).string();
  }
};

std::vector<c::kernel_code> kernels_of(const std::string& text) {
  const scratch folder;
  c::source_options options;
  options.unrolls = false;
  const c::read_source source = c::read_cuda(folder.write("kernels.cu", text), options);
  INFO(text << source.diagnostics);
  REQUIRE_FALSE(source.failed);
  return source.kernels;
}

c::kernel_code kernel_of(const std::string& text) {
  const std::vector<c::kernel_code> kernels = kernels_of(text);
  REQUIRE(kernels.size() == 1);
  return kernels.front();
}

struct launched {
  c::launch settings;
  explicit launched(const bm::block_dim& block) { settings.block = block; }
  launched argument(const std::string& name, long long value) const {
    launched result = *this;
    result.settings.arguments[name] = static_cast<std::uint64_t>(value);
    return result;
  }
  launched dynamic(long long bytes) const {
    launched result = *this;
    result.settings.dynamic_shared_bytes = bytes;
    return result;
  }
};

struct described_kernel {
  texts accesses;  // without their places
  std::string program, notes;
};

described_kernel described(const c::kernel_code& kernel, const c::launch& launch,
                           const std::vector<bm::machine>& machines = {bm::nvidia::sm_90}) {
  const c::recording recorded = c::run(kernel, launch);
  const c::description summary = c::describe(kernel, launch, recorded, machines[0]);
  const c::described_text text = c::text_of(summary, kernel, launch, machines, "kernels.cu");
  described_kernel result{{}, text.program, text.notes};
  for (std::size_t position = text.program.find("\n    bm::"); position != std::string::npos;
       position = text.program.find("\n    bm::", position + 1)) {
    const std::string line =
        text.program.substr(position + 5, text.program.find('\n', position + 1) - position - 5);
    if (line.find("bm::block_dim") == 0) continue;
    result.accesses.push_back(line.substr(0, line.find_last_of(')') + 1));
    // The last one ends with the parenthesis of kernel().
    if (line.back() == ';') result.accesses.back().pop_back();
  }
  return result;
}

described_kernel described(const std::string& text, const launched& setup) {
  return described(kernel_of(text), setup.settings);
}

// The files that compile, by the compilers that are there; each is given as one text.
bool compiles(const std::string& text, const std::string& compiler, std::string& output) {
  const scratch folder;
  const std::string file = folder.write("described.cpp", text), log = file + ".log";
  const std::string command = compiler +
                              " -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion "
                              "-Wshadow -Werror -I '" BANKMODEL_HEADERS "' '" +
                              file + "' > '" + log + "' 2>&1";
  const bool result = std::system(command.c_str()) == 0;
  std::ifstream stream(log);
  output.assign(std::istreambuf_iterator<char>(stream), {});
  return result;
}

texts compilers() {
  texts result;
  std::string list = BANKMODEL_COMPILERS;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find('|', begin), list.size());
    if (end > begin) result.push_back("'" + list.substr(begin, end - begin) + "'");
    begin = end + 1;
  }
  return result;
}

void check_compiles(const std::string& program) {
  for (const std::string& compiler : compilers()) {
    INFO(compiler << "\n" << program);
    std::string output;
    const bool compiled = compiles(program, compiler, output);
    INFO(output);
    CHECK(compiled);
  }
}

struct example {
  const char* name;
  std::string text;
  launched launch;
  texts accesses;
};

std::vector<example> examples() {
  return {
      {"product",
       R"(
__global__ void product(float* c, const float* a, const float* b, int n) {
  __shared__ float left[16][16], right[16][17];
  int tx = threadIdx.x, ty = threadIdx.y;
  float sum = 0;
  for (int t = 0; t < n / 16; ++t) {
    left[ty][tx] = a[(blockIdx.y * 16 + ty) * n + t * 16 + tx];
    right[ty][tx] = b[(t * 16 + ty) * n + blockIdx.x * 16 + tx];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += left[ty][k] * right[k][tx];
    __syncthreads();
  }
  c[(blockIdx.y * 16 + ty) * n + blockIdx.x * 16 + tx] = sum;
})",
       launched({16, 16}).argument("n", 64),
       {"bm::for_loop(i, bm::range(0, 4), bm::store(left[ty][tx]))",
        "bm::for_loop(i, bm::range(0, 4), bm::store(right[ty][tx]))",
        "bm::for_loop(i, bm::range(0, 4), bm::for_loop(j, bm::range(0, 16), "
        "bm::load(left[ty][j])))",
        "bm::for_loop(i, bm::range(0, 4), bm::for_loop(j, bm::range(0, 16), "
        "bm::load(right[j][tx])))"}},
      {"reduction",
       R"(
__global__ void reduction(float* out, const float* in) {
  __shared__ float s[256];
  unsigned t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  for (unsigned d = 1; d < blockDim.x; d *= 2)
    if (t % (2 * d) == 0) s[t] = s[t + d];
  if (t == 0) out[blockIdx.x] = s[0];
})",
       launched({256}),
       {"bm::store(s[tx])",
        "bm::for_loop(i, bm::powers_down(128, 0, 2), bm::if_threads(tx < i, bm::load(s[tx])))",
        "bm::for_loop(i, bm::powers_down(128, 0, 2), bm::if_threads(tx < i, bm::store(s[tx])))",
        "bm::for_loop(i, bm::powers_down(128, 0, 2), bm::if_threads(tx < i, "
        "bm::load(s[tx + i])))",
        "bm::for_loop(i, bm::powers_up(1, 256, 2), bm::if_threads(tx % (2 * i) == 0, "
        "bm::store(s[tx])))",
        "bm::for_loop(i, bm::powers_up(1, 256, 2), bm::if_threads(tx % (2 * i) == 0, "
        "bm::load(s[tx + i])))",
        "bm::if_threads(tx == 0, bm::load(s[0]))"}},
      {"stencil",
       R"(
__global__ void stencil(float* out, const float* in, int n) {
  __shared__ float s[34][34];
  int x = threadIdx.x, y = threadIdx.y;
  for (int j = y; j < 34; j += blockDim.y)
    for (int i = x; i < 34; i += blockDim.x) s[j][i] = in[j * n + i];
  __syncthreads();
  for (int j = 0; j < 32; j += 8)
    out[(y + j) * n + x] = s[y + j][x + 1] + s[y + j + 2][x + 1];
})",
       launched({32, 8}).argument("n", 1000),
       {"bm::for_loop(i, bm::range(ty, 34, 8), bm::for_loop(j, bm::range(tx, 34, 32), "
        "bm::store(s[i][j])))",
        "bm::for_loop(i, bm::range(0, 32, 8), bm::load(s[ty + i][tx + 1]))",
        "bm::for_loop(i, bm::range(0, 32, 8), bm::load(s[ty + i + 2][tx + 1]))"}},
      {"wide",
       R"(
__global__ void wide(float4* out, const float4* in) {
  __shared__ float4 v[64];
  __shared__ float line[512];
  int t = threadIdx.x;
  v[t] = in[t];
  *(float4*)&line[4 * t] = in[t + 64];
  if (t >= 16 && t < 48) line[t - 16] = 1;
  if (t >= 60) return;
  out[t] = v[63 - t];
  line[(t ^ 5) * 2] = 1;
  atomicAdd(&line[t % 8], 1.0f);
})",
       launched({64}),
       {"bm::store(bm::vectorized<4>(v[4 * tx]))", "bm::store(bm::vectorized<4>(line[4 * tx]))",
        "bm::if_threads(tx >= 16, bm::if_threads(tx < 48, bm::store(line[tx - 16])))",
        "bm::if_threads(tx < 60, bm::load(bm::vectorized<4>(v[252 - 4 * tx])))",
        "bm::if_threads(tx < 60, bm::store(line[(2 * tx) ^ 10]))",
        "bm::if_threads(tx < 60, bm::atomic(line[tx % 8]))"}},
      {"triangle",
       R"(
template <int N>
__global__ void triangle(float* m) {
  __shared__ float shadow[N][N];
  int tx = threadIdx.x;
  for (int i = 0; i < N - 1; i++) {
    if (tx > i) {
      for (int j = 0; j < i; j++) shadow[tx][i] = j;
    }
    __syncthreads();
    if (tx > i)
      for (int j = 0; j < i + 1; j++) m[j] = shadow[i + 1][j];
  }
}
template __global__ void triangle<16>(float*);)",
       launched({16}),
       {"bm::for_loop(i, bm::range(0, 15), bm::if_threads(i < tx, bm::for_loop(j, bm::range(0, i), "
        "bm::store(shadow[tx][i]))))",
        "bm::for_loop(i, bm::range(0, 15), bm::if_threads(i < tx, bm::for_loop(j, bm::range(0, i + "
        "1), bm::load(shadow[i + 1][j]))))"}},
      {"scan",
       R"(
__global__ void scan(float* out, const float* in, int n) {
  extern __shared__ float temp[];
  int t = threadIdx.x, offset = 1;
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) temp[offset * (2 * t + 2) - 1] = 1;
    offset *= 2;
  }
  int buffer = 0;
  for (int d = 0; d < 4; ++d) {
    temp[buffer * 256 + t] = in[d];
    buffer ^= 1;
  }
  int k = 0;
  do {
    out[k] = temp[t + k];
    k += 64;
  } while (k < 256);
})",
       launched({64}).argument("n", 128).dynamic(2048),
       {"bm::for_loop(i, bm::range(0, 7), bm::if_threads(tx < (64 >> i), bm::store(temp[(1 << i) * "
        "(2 * tx + 2) - 1])))",
        "bm::for_loop(i, bm::range(0, 4), bm::store(temp[tx + 256 * (i % 2)]))",
        "bm::for_loop(i, bm::range(0, 256, 64), bm::load(temp[tx + i]))"}},
      // Rows of a flat array, a cast, and a row that is read past its end: the array becomes flat.
      {"flat",
       R"(
struct pair { float first, second; };
__global__ void flat(float* out) {
  __shared__ pair p[8][4];
  __shared__ float rows[4][8];
  int t = threadIdx.x, r = t / 8, q = t % 8;
  p[q][r].second = 1;
  rows[r][q] = 2;
  float* all = &rows[0][0];
  out[t] = all[(t + 5) % 32] + rows[r][7 - q];
})",
       launched({32}),
       {"bm::store(p[tx % 8][2 * (tx / 8) + 1])", "bm::store(rows[8 * (tx / 8) + tx % 8])",
        "bm::load(rows[(tx + 5) % 32])", "bm::load(rows[8 * (tx / 8) - tx % 8 + 7])"}},
  };
}

// A matrix product whose loads nvcc joins.
command_line::answer product_as_issued(bool describe = true) {
  c::question asked;
  asked.file = (std::filesystem::path(__FILE__).parent_path() / "issued" / "sgemm.cu").string();
  asked.block = "256";
  asked.arguments = {"m=128", "n=128", "k=64"};
  asked.describe = describe;
  return c::answer_to(asked);
}

}  // namespace

TEST_CASE("accesses are described as issued where nvcc joins them", "[describe]") {
  const command_line::answer reply = product_as_issued();
  INFO(reply.error << reply.output);
  // Their loop is unrolled, those around it are not.
  for (const char* const expected :
       {": 4 loads issued as one of 16 bytes\n",
        "bm::for_loop(i, bm::range(0, 64, 8), bm::for_loop(j, bm::range(0, 8), "
        "bm::load(bm::vectorized<4>(columns[8 * (tx % 16) + 128 * j",
        "// Accesses that are issued as one are described as one: an estimate by nvcc's rules"}) {
    INFO(expected);
    CHECK(reply.output.find(expected) != std::string::npos);
  }
  CHECK(reply.output.find("bm::load(columns") == std::string::npos);
  // The page's sums.
  const std::string page = product_as_issued(false).output;
  INFO(page);
  CHECK(page.find(" 2,560      12,544\n") != std::string::npos);
  CHECK(page.find("1,024 of 16 B       2,048\n") != std::string::npos);
  CHECK(reply.output.find("on_sm_90.requests == 2560 && on_sm_90.wavefronts == 12544 ") !=
        std::string::npos);
}

TEST_CASE("the transpose of the examples is described as in the README", "[describe]") {
  c::question asked;
  asked.file = BANKMODEL_HEADERS "/../examples/cuda/transpose.cu";
  asked.block = "32x8";
  asked.describe = true;
  const command_line::answer reply = c::answer_to(asked);
  CHECK(reply.error.empty());
  CHECK(reply.code == command_line::fine);
  const std::string expected = R"(#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace transpose_accesses {

namespace bm = bankmodel;
using bm::index::tx, bm::index::ty, bm::index::i;

inline constexpr auto tile = bm::shared_array<float>("tile", 32, 32);

inline constexpr auto kernel = bm::kernel(
    bm::block_dim{32, 8, 1},
    // transpose.cu:8:70
    bm::for_loop(i, bm::range(0, 32, 8), bm::store(tile[ty + i][tx])),
    // transpose.cu:12:58
    bm::for_loop(i, bm::range(0, 32, 8), bm::load(tile[tx][ty + i])));

inline constexpr bm::cost on_sm_90 = bm::total(bm::nvidia::sm_90, kernel);
static_assert(on_sm_90.requests == 64 && on_sm_90.wavefronts == 1056 && on_sm_90.ideal == 64);
static_assert(bm::guard<on_sm_90, 992>);

}  // namespace transpose_accesses
)";
  INFO(reply.output);
  CHECK(reply.output.find(expected) != std::string::npos);
}

TEST_CASE("kernels have the accesses that a person writes", "[describe]") {
  for (const example& entry : examples()) {
    const described_kernel printed = described(entry.text, entry.launch);
    INFO(entry.name << "\n" << printed.program);
    CHECK(printed.notes.empty());
    texts accesses = printed.accesses;
    // How newer versions of LLVM write the remainder by a power of two.
    for (std::string& access : accesses) {
      const std::string bits = "(tx & (2 * i - 1)) == 0", remainder = "tx % (2 * i) == 0";
      const std::size_t position = access.find(bits);
      if (position != access.npos) access.replace(position, bits.size(), remainder);
    }
    CHECK(accesses == entry.accesses);
  }
}

TEST_CASE("the printed programs compile, and hold", "[describe]") {
  std::string programs;
  for (const example& entry : examples())
    programs += described(kernel_of(entry.text), entry.launch.settings,
                          {bm::nvidia::sm_90, bm::nvidia::sm_35.with_bank_width(8)})
                    .program;
  programs += product_as_issued().output;
  // In two kernels.
  std::string source = "__global__ void many(int t) {\n  volatile __shared__ float s[256];\n";
  for (int number = 0; number < 140; ++number)
    source += "  s[threadIdx.x + " + std::to_string(number) + "] = 1;\n";
  programs += described(source + "}", launched({32}).argument("t", 0)).program;
  REQUIRE_FALSE(compilers().empty());
  check_compiles(programs);
  // Without the column that pads it, the array has conflicts.
  const std::size_t position = programs.find("(\"right\", 16, 17)");
  REQUIRE(position != std::string::npos);
  programs.replace(position, 17, "(\"right\", 16, 16)");
  std::string output;
  CHECK_FALSE(compiles(programs, compilers().front(), output));
  INFO(output);
  CHECK(output.find("static assertion failed") != std::string::npos);
}

TEST_CASE("a guard holds for all accesses or there is none", "[describe]") {
  const std::string matrix = R"(
__global__ void k(const unsigned short* g, unsigned* o) {
  __shared__ __align__(16) unsigned short s[16 * 64];
  for (int i = threadIdx.x; i < 1024; i += 32) s[i] = g[i];
  __syncthreads();
  unsigned r0, r1, r2, r3;
  unsigned a = __cvta_generic_to_shared(&s[(threadIdx.x % 16) * 64 + threadIdx.x / 16 * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(a));
  o[threadIdx.x] = r0 ^ r1 ^ r2 ^ r3;
})";
  const described_kernel printed = described(matrix, launched({32}));
  CHECK(printed.program.find("on_sm_90.wavefronts == 32 ") != std::string::npos);
  CHECK(printed.program.find("bm::guard<all_on_sm_90, 28>") != std::string::npos);
  CHECK(printed.program.find("bm::guard<on_sm_90, ") == std::string::npos);
  check_compiles(printed.program);

  // Requests that nobody knows.
  launched unknown({32});
  unknown.settings.bounds = true;
  const described_kernel bounded = described(R"(
__global__ void k(const int* in, int* o) {
  __shared__ int s[64];
  s[threadIdx.x] = 1;
  __syncthreads();
  o[threadIdx.x] = s[in[threadIdx.x]];
})",
                                             unknown);
  CHECK(bounded.program.find("// There is no guard: ") != std::string::npos);
  CHECK(bounded.program.find("bm::guard") == std::string::npos);
  CHECK(bounded.program.find("on_sm_90.requests == 1 ") != std::string::npos);
}

TEST_CASE("an access without an expression is named with the reason", "[describe]") {
  const described_kernel loaded = described(R"(
__global__ void table(float* out) {
  __shared__ int table[32];
  __shared__ float s[64];
  int t = threadIdx.x;
  table[t] = 2 * t;
  __syncthreads();
  s[table[t]] = 1;
})",
                                            launched({32}));
  CHECK(loaded.accesses == texts{"bm::store(table[tx])", "bm::load(table[tx])"});
  CHECK(loaded.notes ==
        "kernels.cu:8:15: this store is not described: a value that is loaded from memory\n");
  CHECK(loaded.program.find("// kernels.cu:8:15: this store is not described") !=
        std::string::npos);
  CHECK(loaded.program.find("on_sm_90.requests == 2 ") != std::string::npos);
  // The guard has it: two lanes are in one bank.
  CHECK(loaded.program.find(" all_on_sm_90 = on_sm_90 + bm::cost{1, 2, 1, 2};\n"
                            "static_assert(bm::guard<all_on_sm_90, 1>);\n") != std::string::npos);
  check_compiles(loaded.program);

  const auto reason = [](const std::string& body) {
    return described(
               "__global__ void k(float* out, int n) {\n  __shared__ float s[64];\n  int t = "
               "threadIdx.x;\n" +
                   body + "\n}",
               launched({32}).argument("n", 6))
        .notes;
  };
  const auto names = [&](const std::string& body, const std::string& text) {
    INFO(body << "\n" << reason(body));
    CHECK(reason(body).find(text) != std::string::npos);
  };
  names("for (int i = 0; (i ^ t) < n; ++i) s[i] = 1;",
        "a loop that does not end by one comparison with a bound");
  names("for (int i = 0; i < n; ++i) { if (i > t) { out[0] = 1; return; } s[i] = 1; }",
        "a loop that ends in several places");
  names("for (int i = 1; i < 40; i = 3 * i + 1) s[i] = 1;",
        "a value that does not change by steps");
  names("s[__shfl_sync(~0u, t, 5)] = 1;", "a value of another lane");
  names("s[t < 16 ? 3 * t : 20 - t / 2] = 1;", "a value that");
}

TEST_CASE("an expression that another run contradicts is refused with both numbers", "[describe]") {
  const c::kernel_code kernel = kernel_of(
      "__global__ void k(int n) { __shared__ float s[64]; for (int i = 0; i < n; ++i) "
      "s[threadIdx.x * 2] = i; }");
  const launched six = launched({32}).argument("n", 6), five = launched({32}).argument("n", 5);
  const c::recording recorded = c::run(kernel, six.settings);
  CHECK(c::describe(kernel, six.settings, recorded, bm::nvidia::sm_90).is_complete());
  const c::description summary = c::describe(kernel, five.settings, recorded, bm::nvidia::sm_90);
  REQUIRE(summary.accesses.size() == 1);
  CHECK(summary.accesses[0].reason ==
        "its expression has 5 requests that take 10 wavefronts, and the interpreted run 6 that "
        "take 12");
  // As many requests and wavefronts, but other addresses.
  const c::kernel_code moved =
      kernel_of("__global__ void k(int n) { __shared__ float s[64]; s[threadIdx.x + n] = 1; }");
  const c::recording other = c::run(moved, five.settings);
  CHECK_FALSE(c::describe(moved, six.settings, other, bm::nvidia::sm_90).is_complete());
}

TEST_CASE("--describe needs an access to shared memory", "[describe]") {
  const scratch folder;
  c::question asked;
  asked.file = folder.write("kernels.cu", "__global__ void k(float* p) { p[threadIdx.x] = 1; }");
  asked.block = "32";
  asked.describe = true;
  command_line::answer reply = c::answer_to(asked);
  CHECK(reply.code == command_line::bad_input);
  CHECK(reply.output.empty());
  CHECK(reply.error.find(
            "makes no access to shared memory; give another --block, --at or --kernel") !=
        std::string::npos);
  asked.file = folder.write("kernels.cu",
                            "__global__ void k(float* p) { __shared__ float s[32]; "
                            "s[__shfl_sync(~0u, threadIdx.x, 5)] = 1; }");
  reply = c::answer_to(asked);
  CHECK(reply.code == command_line::bad_input);
  CHECK(reply.output.empty());
  INFO(reply.error);
  CHECK(reply.error.find("kernels.cu:1:91: this store is not described: a value of another lane\n"
                         "bankmodel: error: no access is described; leave out --describe") !=
        std::string::npos);
}

// ---- generated kernels ----

namespace {

class generator {
 public:
  explicit generator(unsigned seed) : random_(seed) {}

  // A kernel of this name, for blocks of 16 x 4 threads.
  std::string kernel(const std::string& name) {
    arrays_.clear();
    has_equality_ = false;
    variables_ = {{"tx", 0, 15}, {"ty", 0, 3}, {"n", 5, 5}};
    const std::string body = statements(0);
    std::string text = "__global__ void " + name + "(float* out, int n) {\n";
    for (const std::string& declared : arrays_) text += "  __shared__ float " + declared + ";\n";
    const char* const type = one_of(2) == 0 ? "int" : "unsigned";
    text += std::string("  ") + type + " tx = threadIdx.x, ty = threadIdx.y;\n";
    if (one_of(4) == 0) text += "  if (tx >= " + std::to_string(8 + one_of(8)) + ") return;\n";
    return text + body + "}\n";
  }

 private:
  struct variable {
    std::string name;
    int minimum, maximum;
  };
  int one_of(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

  // A sum that is never negative, with its largest value.
  std::string sum(int& maximum) {
    std::string text;
    int minimum = 0;
    maximum = 0;
    for (const variable& term : variables_) {
      if (one_of(3) == 0) continue;
      const int factor = one_of(6) == 0 ? -1 - one_of(2) : 1 + one_of(4);
      text += (text.empty() ? "" : " + ") + std::to_string(factor) + " * (int)" + term.name;
      minimum += std::min(factor * term.minimum, factor * term.maximum);
      maximum += std::max(factor * term.minimum, factor * term.maximum);
    }
    text += (text.empty() ? "" : " + ") + std::to_string(-minimum);
    maximum -= minimum;
    switch (one_of(10)) {
      case 0: {
        const int divisor = 2 + one_of(9);
        maximum = std::min(maximum, divisor - 1);
        return "(" + text + ") % " + std::to_string(divisor);
      }
      case 1: {
        const int divisor = 2 + one_of(5);
        maximum /= divisor;
        return "(" + text + ") / " + std::to_string(divisor);
      }
      case 2: maximum |= 7; return "((" + text + ") ^ " + std::to_string(one_of(8)) + ")";
      default: return text;
    }
  }

  std::string access() {
    const std::string name = "a" + std::to_string(arrays_.size());
    int rows = 0, columns = 0;
    const std::string row = sum(rows), column = sum(columns);
    // A sum with ^ may have all bits of its largest value.
    const auto extent = [&](int maximum) {
      int power = 1;
      while (power <= maximum) power *= 2;
      return std::to_string(power + one_of(3));
    };
    std::string element;
    if (one_of(2) == 0) {
      arrays_.push_back(name + "[" + extent(columns) + "]");
      element = name + "[" + column + "]";
    } else {
      if (rows * columns > 6000) return access();
      arrays_.push_back(name + "[" + extent(rows) + "][" + extent(columns) + "]");
      element = name + "[" + row + "][" + column + "]";
    }
    return one_of(2) == 0 ? element + " = 1;" : "out[0] = " + element + ";";
  }

  std::string condition() {
    const auto number = [&](int limit) { return std::to_string(one_of(limit)); };
    const std::string& name =
        variables_[static_cast<std::size_t>(one_of(static_cast<int>(variables_.size())))].name;
    switch (one_of(6)) {
      case 0: return "tx < " + number(16);
      case 1: return "(int)tx + " + number(4) + " >= (int)" + name;
      // One comparison for equality: LLVM makes a switch of several, whose cases do not meet again.
      case 2:
      case 3:
        if (has_equality_) return "ty < " + number(4);
        has_equality_ = true;
        return one_of(2) == 0 ? "tx % 3 == " + number(3) : "ty != " + number(4);
      case 4: return "tx >= " + number(12) + " && (int)" + name + " < " + number(8);
      default: return "(int)" + name + " * 2 <= (int)ty + " + number(9);
    }
  }

  std::string loop(int depth) {
    const std::string name(1, "ijk"[loops_++ % 3]);
    const std::string tab(2 * static_cast<std::size_t>(depth) + 2, ' ');
    const int first = one_of(4), step = 1 + one_of(3), last = first + one_of(9);
    std::string head;
    variable counter{name, first, std::max(first, last - 1)};
    const auto number = [](int value) { return std::to_string(value); };
    switch (one_of(6)) {
      case 0:
        head = "int " + name + " = " + number(last) + "; " + name + " >= " + number(first) + "; " +
               name + " -= " + number(step);
        counter.maximum = last;
        break;
      case 1:
        head = "int " + name + " = tx; " + name + " < " + number(20 + first) + "; " + name +
               " += " + number(5 + step);
        counter = {name, 0, 19 + first};
        break;
      case 2:
        head = "int " + name + " = 0; " + name + " < (int)ty + n; ++" + name;
        counter = {name, 0, 7};
        break;
      case 3:
        head =
            "int " + name + " = 16; " + name + " > " + number(one_of(3)) + "; " + name + " >>= 1";
        counter = {name, 1, 16};
        break;
      default:
        head = "unsigned " + name + " = " + number(first) + "; " + name + " < " + number(last) +
               "; " + name + " += " + number(step);
    }
    variables_.push_back(counter);
    const std::string body = statements(depth + 1);
    variables_.pop_back();
    --loops_;
    return tab + "for (" + head + ") {\n" + body + tab + "}\n";
  }

  std::string statements(int depth) {
    const std::string tab(2 * static_cast<std::size_t>(depth) + 2, ' ');
    std::string text;
    for (int count = 1 + one_of(2); count > 0; --count) {
      const int kind = one_of(4);
      if (kind == 0 && depth < 3)
        text += tab + "if (" + condition() + ") {\n" + statements(depth + 1) + tab + "}\n";
      else if (kind < 3 && depth < 3 && loops_ < 3)
        text += loop(depth);
      else
        text += tab + access() + "\n";
    }
    return text;
  }

  std::mt19937 random_;
  texts arrays_;
  std::vector<variable> variables_;
  int loops_ = 0;
  bool has_equality_ = false;
};

}  // namespace

namespace {

// Runs that are stopped early describe the accesses that they reach as the whole run does, or not,
// and name the others. Returns how many they described.
std::size_t accesses_when_stopped(const c::kernel_code& kernel, c::launch launch, long long steps,
                                  const c::description& complete) {
  std::size_t result = 0;
  launch.may_stop = true;
  for (const long long part : {2, 8, 64}) {
    launch.most_steps = steps / part;
    const c::recording recorded = c::run(kernel, launch);
    CHECK(recorded.is_stopped);
    const c::description summary = c::describe(kernel, launch, recorded, bm::nvidia::sm_90);
    std::size_t reached = 0;
    for (const c::described_access& access : summary.accesses)
      for (const c::described_access& same : complete.accesses) {
        if (same.recorded->number != access.recorded->number) continue;
        ++reached;
        if (!access.reason.empty()) continue;
        ++result;
        CHECK(same.reason.empty());
        CHECK(bm::total(bm::nvidia::sm_90, launch.block, access.expression) ==
              bm::total(bm::nvidia::sm_90, launch.block, same.expression));
      }
    CHECK(reached == summary.accesses.size());
    CHECK(reached + summary.not_reached.size() >= complete.accesses.size());
    CHECK(summary.is_complete() ==
          (summary.not_reached.empty() &&
           std::all_of(summary.accesses.begin(), summary.accesses.end(),
                       [](const auto& entry) { return entry.reason.empty(); })));
  }
  return result;
}

}  // namespace

TEST_CASE("a loop with two tests ends where both of them say", "[describe]") {
  const scratch folder;
  c::question asked;
  asked.file = folder.write("kernels.cu",
                            "__global__ void k(float* out, int n) {\n  __shared__ float s[1024];\n"
                            "  for (int i = 0; (i * i < n) & ((i & 12) != 12); ++i)\n"
                            "    out[i] = s[2 * threadIdx.x + i];\n"
                            "  for (int i = 0; (i * i < 10) | ((i & 12) == 4); ++i)\n"
                            "    out[i] = s[2 * threadIdx.x + i];\n}\n");
  asked.block = "32";
  asked.arguments = {"n=300"};
  asked.describe = true;
  const command_line::answer reply = c::answer_to(asked);
  INFO(reply.output << reply.error);
  for (const std::string loop : {"bm::range(0, 12)", "bm::range(0, 8)"})
    CHECK(reply.output.find("bm::for_loop(i, " + loop + ", bm::load(s[2 * tx + i]))") !=
          std::string::npos);
}

TEST_CASE("a kernel that runs for long is described without its whole run", "[describe]") {
  const scratch folder;
  c::question asked;
  asked.file = folder.write("kernels.cu",
                            "__global__ void k(float* out, int n) {\n  __shared__ float s[1024];\n"
                            "  for (int i = 0; i < n; ++i)\n    for (int j = 0; j < n; ++j)\n"
                            "      s[(32 * threadIdx.x + j) % 1024] = i;\n"
                            "  out[0] = s[2 * threadIdx.x];\n}\n");
  asked.block = "64";
  asked.arguments = {"n=1000000"};
  command_line::answer reply = c::answer_to(asked);
  CHECK(reply.output.find(" 2,000,000,000,000 ") != std::string::npos);
  asked.most_steps = 1 << 20;
  CHECK(c::answer_to(asked).error.find("--describe needs the first steps alone") !=
        std::string::npos);
  asked.most_steps = c::question{}.most_steps;
  asked.describe = true;
  reply = c::answer_to(asked);
  // 2 warps and 10^12 iterations, of 32 wavefronts each.
  CHECK(reply.output.find("2000000000000") != std::string::npos);
  CHECK(reply.output.find("64000000000000") != std::string::npos);
  CHECK(reply.error.find("kernels.cu:6:12: this access is not described: the run was stopped "
                         "before it") != std::string::npos);
  CHECK(reply.output.find("steps; expressions are compared with the requests up to there") !=
        std::string::npos);
}

TEST_CASE("totals of generated kernels are those of their runs", "[describe]") {
  constexpr unsigned seed = 20261123;
  constexpr int count = 120;
  generator make(seed);
  std::string text;
  texts sources;
  for (int number = 0; number < count; ++number)
    text += sources.emplace_back(make.kernel("k" + std::to_string(number)));
  const std::vector<c::kernel_code> kernels = kernels_of(text);
  REQUIRE(kernels.size() == sources.size());
  std::size_t accesses = 0, refused = 0, described = 0, stopped = 0;
  for (const c::kernel_code& kernel : kernels) {
    const std::string name = kernel.name.substr(0, kernel.name.find('('));
    const std::string& source = sources[std::stoul(name.substr(1))];
    launched setup = launched({16, 4}).argument("n", 5);
    const c::recording recorded = c::run(kernel, setup.settings);
    const c::description summary = c::describe(kernel, setup.settings, recorded, bm::nvidia::sm_90);
    INFO("seed " << seed << "\n" << source);
    CHECK(summary.not_reached.empty());
    stopped += accesses_when_stopped(kernel, setup.settings, recorded.steps, summary);
    for (const c::described_access& access : summary.accesses) {
      ++accesses;
      INFO(access.recorded->location.line << ": " << access.reason);
      // Newer versions of LLVM write a remainder as bits where they know that nothing is negative,
      // which the description does not always know.
      const bool is_known = !c::clang_version().starts_with("14.") &&
                            access.reason == "bits of a value that may be negative";
      if (!is_known) CHECK(access.reason.empty());
      refused += !access.reason.empty() && !is_known;
      described += access.reason.empty();
      if (!access.reason.empty()) continue;
      for (const bm::machine& m : {bm::nvidia::sm_90, bm::nvidia::sm_35.with_bank_width(8)}) {
        const bm::cost counted = bm::total(m, setup.settings.block, access.expression),
                       interpreted = cost_of(m, *access.recorded);
        CHECK(counted.requests == interpreted.requests);
        CHECK(counted.wavefronts == interpreted.wavefronts);
        CHECK(counted.ideal == interpreted.ideal);
        CHECK(counted.degree == interpreted.degree);
      }
    }
  }
  CHECK(accesses > 200);
  CHECK(stopped > 400);
  CHECK(refused == 0);
  CHECK(described + accesses / 100 > accesses);
}
