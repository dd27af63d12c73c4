// SPDX-License-Identifier: MIT
// Plans as changes of the source: the text of declarations and uses, --fix and --fix=dry-run, and
// all that is not changed.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bankmodel/model/occupancy.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "examples/bankmodel/clang_reader/source_reader.hpp"
#include "examples/bankmodel/compiled/ask.hpp"
#include "examples/bankmodel/compiled/counted_kernel.hpp"
#include "examples/bankmodel/compiled/page/cost_rows.hpp"
#include "examples/bankmodel/compiled/page/placed_arrays.hpp"
#include "examples/bankmodel/compiled/page/plan_text.hpp"
#include "examples/bankmodel/compiled/page/request_picture.hpp"
#include "examples/bankmodel/compiled/plan/array_plans.hpp"
#include "examples/bankmodel/compiled/plan/plan_edits.hpp"
#include "examples/bankmodel/compiled/plan/request_comparison.hpp"
#include "examples/bankmodel/compiled/plan/size_text.hpp"
#include "examples/bankmodel/compiled/plan/word_padding.hpp"
#include "examples/bankmodel/compiled/recounts.hpp"
#include "examples/bankmodel/compiled/replaced_file.hpp"
#include "examples/bankmodel/compiled/unified_diff.hpp"

namespace bm = bankmodel;
namespace fs = std::filesystem;
namespace cc = compiled;

namespace {

std::string text_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// A folder that is there as long as this is.
struct folder {
  fs::path path = fs::temp_directory_path() / ("bankmodel_fix_" + std::to_string(getpid()));
  folder() { fs::create_directories(path); }
  folder(const folder&) = delete;
  ~folder() { fs::remove_all(path); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name, std::ios::binary) << text;
    return (path / name).string();
  }
};

// The text after a unified difference, applied as strictly as `patch -F0` does; a machine without
// patch runs this test. An empty text if a line of the difference is not the text's.
std::string patched(const std::string& text, const std::string& difference) {
  const auto next_line = [](const std::string& source, std::size_t& begin) {
    const std::size_t end = std::min(source.find('\n', begin), source.size() - 1) + 1;
    const std::string line = source.substr(begin, end - begin);
    begin = end;
    return line;
  };
  std::string result;
  std::size_t copied = 0, number = 1, read = 0;
  next_line(difference, read);  // the two lines of names
  next_line(difference, read);
  while (read < difference.size()) {
    std::string line = next_line(difference, read);
    unsigned long first = 0;
    if (std::sscanf(line.c_str(), "@@ -%lu", &first) == 1) {
      for (; number < first; ++number) result += next_line(text, copied);
      continue;
    }
    const char mark = line[0];
    line.erase(0, 1);
    if (read < difference.size() && difference[read] == '\\') {  // "\ No newline at end of file"
      line.pop_back();
      next_line(difference, read);
    }
    if (mark != '+') {
      if (copied >= text.size() || next_line(text, copied) != line) return "";
      ++number;
    }
    if (mark != '-') result += line;
  }
  return result + text.substr(copied);
}

cc::question question_of(const std::string& file, const std::string& fix = "") {
  cc::question asked;
  asked.file = file;
  asked.text = text_of(file);
  asked.block = "32";
  asked.fix = fix;
  return asked;
}

// `declaration` in a kernel that reads a column of `tile`, and `use`, a statement.
std::string kernel_with(const std::string& declaration, const std::string& use = "",
                        const std::string& prefix = "") {
  return prefix + "__global__ void column(float* out) {\n  " + declaration + "\n  " + use +
         "\n  out[0] = tile[threadIdx.x][0];\n}\n";
}

// The plan of the only kernel's first array that has one.
struct planned {
  std::vector<cc::array_plan> plans;
  std::string text, page;
};
planned plan_of(const std::string& text, const std::string& block = "32") {
  const folder directory;
  cc::question asked = question_of(directory.write("column.cu", text));
  asked.block = block;
  const auto counted = cc::counted(asked);
  cc::source_lines lines(asked.file);
  return {counted->pages.at(0).plans, text, cc::text_of_plans(counted->pages[0], lines)};
}

// The line of the declaration with the plan's fix.
std::string fixed_line(const std::string& text) {
  const planned result = plan_of(text);
  REQUIRE(result.plans.size() == 1);
  INFO(result.plans[0].refusal);
  REQUIRE_FALSE(result.plans[0].fix.empty());
  const std::string changed = cc::edited(text, result.plans[0].fix);
  const std::size_t begin = changed.find("__shared__"), end = changed.find('\n', begin);
  return changed.substr(begin, end - begin);
}

std::string refusal_of(const std::string& text) {
  const planned result = plan_of(text);
  REQUIRE(result.plans.size() == 1);
  CHECK(result.plans[0].fix.empty());
  CHECK(result.page.find("fix-it") == std::string::npos);
  return result.plans[0].refusal;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const std::string transpose = R"(// a transpose
__global__ void transpose(float* out, const float* in, int n) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * n + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * n + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
)";

cc::question transposed(const std::string& file, const std::string& fix) {
  cc::question asked = question_of(file, fix);
  asked.block = "32x8";
  asked.arguments = {"n=1024"};
  return asked;
}

}  // namespace

TEST_CASE("Extents keep their spelling", "[clang_fix]") {
  const auto declared = [](const std::string& declaration, const std::string& prefix = "") {
    return fixed_line(kernel_with(declaration, "", prefix));
  };
  CHECK(declared("__shared__ float tile[32][32];") == "__shared__ float tile[32][33];");
  CHECK(declared("__shared__ float tile[ 32 ][ 0x20u /* c */ ], b;") ==
        "__shared__ float tile[ 32 ][ 33 /* c */ ], b;");
  CHECK(declared("__shared__ float tile[N][N];", "#define N 32\n") ==
        "__shared__ float tile[N][N + 1];");
  CHECK(declared("__shared__ float tile[n][n];", "constexpr int n = 32;\n") ==
        "__shared__ float tile[n][n + 1];");
  CHECK(declared("__shared__ float tile[32][N + 2];", "#define N 30\n") ==
        "__shared__ float tile[32][N + 3];");
  CHECK(declared("__shared__ float tile[32][N + PAD];", "#define N 30\n#define PAD 2\n") ==
        "__shared__ float tile[32][N + PAD + 1];");
  CHECK(declared("__shared__ float tile[32][1 << 5];") ==
        "__shared__ float tile[32][(1 << 5) + 1];");
  CHECK(declared("__shared__ float tile[32][N];", "#define N 1 << 5\n") ==
        "__shared__ float tile[32][(N) + 1];");
  CHECK(declared("__shared__ float tile[32][true ? 32 : 1];") ==
        "__shared__ float tile[32][(true ? 32 : 1) + 1];");
  CHECK(declared("__shared__ float tile[32][4 * N];", "#define N 8\n") ==
        "__shared__ float tile[32][4 * N + 1];");
  CHECK(declared("__shared__ float tile[32][ROW(4)];", "#define ROW(n) 8 * n\n") ==
        "__shared__ float tile[32][ROW(4) + 1];");
  CHECK(declared("__shared__ __align__(16) volatile float (tile)[32][32];") ==
        "__shared__ __align__(16) volatile float (tile)[32][33];");
}

TEST_CASE("Arrays with planes are padded as a declaration can be", "[clang_fix]") {
  const planned result = plan_of(R"(__global__ void planes(float* out) {
  __shared__ float tile[8][8][8];
  tile[threadIdx.x % 8][threadIdx.x / 8][0] = 1;
  out[0] = tile[threadIdx.x % 8][0][threadIdx.x / 8];
}
)");
  REQUIRE(result.plans.size() == 1);
  CHECK(result.plans[0].is_a_declaration);
  CHECK(result.plans[0].planned_cost.wavefronts == 2);
  CHECK(result.plans[0].fix.size() == 2);
  CHECK(has(cc::edited(result.text, result.plans[0].fix), "tile[8][12][9];"));
  CHECK(has(result.page,
            ":2:28: note: fix-it, which --fix writes:\n    2 |   __shared__ float tile[8][12][9];\n"
            "      |                            ^~  ^\n"));
}

// A search beside it may fail, or find another start: 31 of 32 columns are used, which 16 bytes do
// not divide; bytes are best 2 behind a word.
TEST_CASE("A plan is no worse than the best row length", "[clang_fix]") {
  const planned columns = plan_of(R"(__global__ void columns(float* out, const float* in) {
  __shared__ float s[32][32];
  int tx = threadIdx.x;
  for (int i = 0; i < 4; ++i) s[2 * tx % 32][i] = in[tx + i];
  __syncthreads();
  for (int i = 0; i < 4; ++i) out[tx + 64 * i] = s[i][2 * tx % 32];
}
)");
  REQUIRE(columns.plans.size() == 1);
  CHECK(has(cc::edited(columns.text, columns.plans[0].fix), "s[32][33];"));
  CHECK(columns.plans[0].planned_cost.wavefronts == 8);
  const planned bytes =
      plan_of(R"(__global__ void bytes(unsigned char* o, const unsigned char* in) {
  __shared__ unsigned char s[32][32];
  int tx = threadIdx.x, ty = threadIdx.y;
  s[tx][(2 * tx + ty) % 32] = in[tx];
  __syncthreads();
  o[tx] = s[tx][tx * 3 % 32];
  __syncthreads();
  s[tx + ty][ty + ty] = in[tx];
  __syncthreads();
  o[ty + 999] = s[1][tx * 3 % 32];
}
)",
              "8x8");
  REQUIRE(bytes.plans.size() == 1);
  CHECK(has(cc::edited(bytes.text, bytes.plans[0].fix), "s[32][46];"));
  CHECK(bytes.plans[0].planned_cost.wavefronts == 8);
}

namespace {

planned plan_of_launch(const std::string& text) { return plan_of(text, ""); }

}  // namespace

TEST_CASE("Arrays carved out of a dynamic one get longer rows", "[clang_fix]") {
  const planned rows = plan_of_launch(R"(extern __shared__ unsigned char smem[];
__global__ void attention(const float* q, const float* k, float* o, int d) {
  float* sq = reinterpret_cast<float*>(smem);
  float* sk = sq + d;
  int* idx = reinterpret_cast<int*>(sk + 32 * d);
  const int tid = threadIdx.x;
  for (int i = tid; i < d; i += 32) sq[i] = q[i];
  for (int i = tid; i < 32 * d; i += 32) sk[i] = k[i];
  idx[tid] = tid;
  __syncthreads();
  float acc = 0;
  for (int i = 0; i < d; ++i) acc += sq[i] * sk[tid * d + i];
  o[idx[tid]] = acc;
}
void run(float* p) { attention<<<1, 32, 4 * 64 + 4 * 32 * 64 + 4 * 32>>>(p, p, p, 64); }
)");
  REQUIRE(rows.plans.size() == 1);
  CHECK(rows.plans[0].refusal == "");
  CHECK(rows.plans[0].dynamic_bytes == 8704);
  CHECK(rows.plans[0].declared_cost.wavefronts == 2180);
  CHECK(rows.plans[0].planned_cost.wavefronts == 196);
  CHECK(has(rows.plans[0].text,
            "sk in smem, with rows of 65 elements instead of 64, takes 196 wavefronts instead of "
            "2,180, in 8,704 dynamic bytes instead of 8,576."));
  const std::string padded_rows = cc::edited(rows.text, rows.plans[0].subscripts);
  CHECK(has(padded_rows, "(sk + 32 * (d + 1));"));
  CHECK(has(padded_rows, "sk[i + i / d] = k[i];"));
  CHECK(has(padded_rows, "sq[i] * sk[tid * (d + 1) + i];"));
  // The launch has as many bytes more as the rows have: 32 elements.
  CHECK(has(rows.page, "--fix writes these changes:\n"));
  const std::string launched = cc::edited(rows.text, rows.plans[0].launches);
  CHECK(has(launched, "<<<1, 32, (4 * 64 + 4 * 32 * 64 + 4 * 32) + 128>>>"));

  // Two arrays of constant sizes: the pointer behind the first moves by a number.
  const std::string product = R"(#define TK 32
__global__ void product(const float* A, float* C, int n) {
  extern __shared__ float sm[];
  float* As = sm;
  float* Bs = &sm[32 * TK];
  const int tx = threadIdx.x, ty = threadIdx.y;
  As[tx * TK + ty] = A[ty * n + tx];
  Bs[tx * TK + ty] = A[ty * n + tx + 32];
  __syncthreads();
  C[ty * n + tx] = USE;
}
void run(float* a) { product<<<1, dim3(32, 32), 2 * 32 * TK * 4>>>(a, a, 64); }
)";
  const auto with_use = [&](const std::string& use) {
    std::string text = product;
    text.replace(text.find("USE"), 3, use);
    return plan_of_launch(text);
  };
  const planned two = with_use("As[ty * TK + tx] * Bs[ty * TK + tx]");
  REQUIRE(two.plans.size() == 1);
  CHECK(two.plans[0].refusal == "");
  CHECK(two.plans[0].planned_cost.wavefronts == 128);
  const std::string changed = cc::edited(two.text, two.plans[0].subscripts);
  CHECK(has(changed, "&sm[32 * TK + 32];"));
  CHECK(has(changed, "As[tx * (TK + 1) + ty]"));
  CHECK(has(changed, "Bs[tx * (TK + 1) + ty]"));
  // A pointer that is used otherwise may name any element.
  const planned other = with_use("*(As + ty * TK + tx) * Bs[ty * TK + tx]");
  REQUIRE(other.plans.size() == 1);
  CHECK(other.plans[0].refusal == "As is used without a subscript at line 10");
  CHECK_FALSE(has(other.page, "and write"));
}

namespace {

// A kernel with three arrays in one dynamic array; Bc rows of `size` elements each.
std::string attention_with(const std::string& launch, const std::string& use = "",
                           const std::string& size = "int size = Bc * d;",
                           const std::string& head = "") {
  return head + R"(__global__ void attention(const float* q, float* o, int d, int Bc) {
  extern __shared__ float sram[];
  )" + size +
         R"(
  float* K = sram;
  float* V = &sram[size];
  float* S = &sram[size * 2];
  const int t = threadIdx.x;
  for (int x = 0; x < d; ++x) {
    if (t < Bc) K[t * d + x] = q[x]; else K[t * d + x] = 0;
    V[t * d + x] = q[t];
  }
  __syncthreads();
  for (int y = 0; y < Bc; ++y) S[Bc * t + y] = K[t * d + y % d] + V[y * d];
  )" + use +
         R"(
  o[t] = S[Bc * t];
}
)" + launch;
}
const std::string attention_launch = R"(void run(float* p, int, size_t) {
  const int rows = 32, columns = 64;
  size_t bytes = rows * columns * 8 + rows * rows * 4;
  ATTRIBUTE
  attention<<<1, 32, bytes>>>(p, p, columns, rows);
}
)";
std::string launch_with(const std::string& attribute) {
  std::string result = attention_launch;
  return result.replace(result.find("ATTRIBUTE"), 9, attribute);
}

}  // namespace

TEST_CASE("Launches get the bytes that longer rows need", "[clang_fix]") {
  const folder directory;
  const auto written = [&](const std::string& text) {
    const std::string file = directory.write("attention.cu", text);
    const command_line::answer reply = cc::answer_to(question_of(file, "write"));
    return reply.code == command_line::fine ? text_of(file) : reply.error;
  };
  // Code that is not executed changes too, since each use has a subscript.
  const std::string text = written(attention_with(launch_with("")));
  INFO(text);
  CHECK(has(text, "float* V = &sram[size + Bc];"));
  CHECK(has(text, "float* S = &sram[size * 2 + 2 * Bc];"));
  CHECK(has(text, "K[t * (d + 1) + x] = q[x]; else K[t * (d + 1) + x] = 0;"));
  CHECK(has(text, "S[(Bc + 1) * t + y] = K[t * (d + 1) + y % d] + V[y * (d + 1)];"));
  CHECK(has(cc::answer_to(
                question_of(directory.write("said.cu", attention_with(launch_with(""))), "dry-run"))
                .error,
            ": not written yet: sram with longer rows of K, V and S, counted again: "));
  // With the arguments of the launch; the last array ends where its bytes end.
  CHECK(has(text,
            "attention<<<1, 32, bytes + 8 * rows + (bytes - (8 * rows * columns)) / (4 * rows) * "
            "4>>>(p, p, columns, rows);"));
  const cc::question repeat = question_of(directory.write("again.cu", text));
  const auto counted = cc::counted(repeat);
  CHECK(counted->settings.dynamic_shared_bytes == 4 * (2 * 32 * 65 + 32 * 33));
  CHECK(counted->pages.at(0).costs.issued_cost.conflicts() == 0);

  // What limits the kernel's bytes has as many.
  const std::string limit =
      "cudaFuncSetAttribute(attention, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);";
  CHECK(has(written(attention_with(launch_with(limit))),
            "MaxDynamicSharedMemorySize, bytes + 8 * rows + (bytes - (8 * rows * columns)) / "));
  CHECK(has(written(attention_with(launch_with(
                "cudaFuncSetAttribute(attention, cudaFuncAttributePreferredSharedMemoryCarveout, "
                "bytes);"))),
            "Carveout, bytes);"));
  // Through a pointer it may be another kernel's; a launch may not be read, or in another file.
  const std::string by_hand = "its launches must have ";
  CHECK(has(written(attention_with(
                launch_with("void (*f)(const float*, float*, int, int) = attention; "
                            "cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, "
                            "bytes);"))),
            by_hand));
  CHECK(has(written(attention_with(
                launch_with("unknown x; attention<<<1, 32, x.bytes>>>(p, p, columns, rows);"))),
            by_hand));
  std::string effect = launch_with("int n = 0;");
  effect.replace(effect.find("columns, rows)"), 14, "columns, ++n * rows)");
  CHECK(has(written(attention_with(effect)), by_hand));

  // Of a constant a reference may be taken.
  CHECK(has(
      written(attention_with(launch_with(""), "o[1] = max(size, 1);", "const int size = Bc * d;")),
      "float* V = &sram[size + Bc];"));
  // A size that changes says nothing, nor does one that is an address.
  for (const std::string size : {"int size = Bc * d; if (o == nullptr) size += 1;",
                                 "int size = Bc * d; int* p = &size; if (o == nullptr) *p = 1;"})
    CHECK_FALSE(has(written(attention_with(launch_with(""), "", size)), "V[t * (d + 1) + x]"));
  // A pointer that is used without a subscript may be to any element, in code that is not executed.
  CHECK(has(written(attention_with(launch_with(""), "if (t > 99) *(V + t * d) = 1;")),
            "V is used without a subscript at line 14"));
  // So may the address of an element, or a piece that begins there.
  for (const std::string use :
       {"float4 v = *reinterpret_cast<float4*>(&V[t * d]); o[1] = v.x;",
        "float& first = V[t * d]; (&first)[d] = 1;",
        "const float& first = V[t * d]; o[1] = (&first)[d];", "atomicAdd(&V[t], 1);"})
    CHECK(has(written(attention_with(launch_with(""), "if (t > 99) { " + use + " }")),
              "it is used without all its subscripts at line 4, and line 9 is not executed by "
              "this block"));
}

TEST_CASE("Sums of products as C has them", "[clang_fix]") {
  const auto text = [](const cc::size_form& size) {
    return cc::text_of_size(size, [](const std::string& name) { return name; });
  };
  CHECK(text({}) == "0");
  CHECK(text({{{}, 1}, {{"a"}, 1}, {{"b", "c"}, -2}}) == "1 + a - 2 * b * c");
  CHECK(text({{{"a", "a"}, -1}}) == "-a * a");
}

TEST_CASE("Arrays carved out of a template's dynamic one", "[clang_fix]") {
  const folder directory;
  const auto written = [&](const std::string& use, const std::string& launches) {
    const std::string file = directory.write("attention.cu", R"(template <int D, bool F>
__global__ void attention(const float* q, float* o) {
  extern __shared__ float sram[];
  float* K = sram;
  float* S = K + 32 * D;
  const int t = threadIdx.x;
  for (int x = 0; x < D; ++x) K[x * D + t] = q[x * D + t];
  )" + use + R"(
  S[t] = 0;
  __syncthreads();
  for (int x = 0; x < D; ++x) S[t] += K[t * D + x];
  o[t] = S[t];
}
void run(float* p) {
)" + launches + "}\n");
    const command_line::answer reply = cc::answer_to(question_of(file, "write"));
    return reply.code == command_line::fine ? text_of(file) : reply.error;
  };
  const std::string launch = "  attention<32, true><<<1, 32, 32 * 32 * 4 + 128>>>(p, p);\n";
  const std::string text = written("", launch);
  INFO(text);
  CHECK(has(text, "float* S = K + 32 * (D + 1);"));
  CHECK(has(text, "S[t] += K[t * (D + 1) + x];"));
  CHECK(has(text, "<<<1, 32, (32 * 32 * 4 + 128) + 128>>>(p, p);"));
  // One instance has a use, or none has.
  CHECK(has(written("if constexpr (F) K[t * D] = 1; else K[t * D + 1] = 1;", launch),
            "K is used in line 8, which no instance of the template here has"));
  const std::string launches =
      launch + "  attention<32, false><<<1, 32, 32 * 32 * 4 + 128>>>(p, p);\n";
  const std::string two =
      written("if constexpr (F) K[t * D] = 1; else K[t * D + 1] = 1;", launches);
  CHECK(has(two, "if constexpr (F) K[t * (D + 1)] = 1; else K[t * (D + 1) + 1] = 1;"));
  CHECK(has(two, "attention<32, false><<<1, 32, (32 * 32 * 4 + 128) + 128>>>(p, p);"));
}

TEST_CASE("A dynamic array with longer rows is launched with more bytes", "[clang_fix]") {
  const folder directory;
  const std::string file = directory.write("scan.cu", R"(__global__ void scan(float* a, int n) {
  extern __shared__ float s[];
  const int t = threadIdx.x;
  s[32 * t] = a[t];
  __syncthreads();
  a[t] = s[32 * t + 1] + s[t];
}
void run(float* p, int n) { scan<<<n / 1024, 32, 1024 * sizeof(float)>>>(p, n); }
)");
  const command_line::answer reply = cc::answer_to(question_of(file, "write"));
  INFO(reply.error);
  CHECK(reply.code == command_line::fine);
  CHECK(has(text_of(file), "s[(32 * t) + (32 * t) / 32] = a[t];"));
  CHECK(
      has(reply.error, "note: --fix: launches in other files must have more dynamic bytes too\n"));
  CHECK(has(text_of(file),
            "<<<n / 1024, 32, (1024 * sizeof(float)) + (1024 * sizeof(float)) / 128 * 4>>>"));
}

TEST_CASE("Accesses stay aligned and in one piece", "[clang_fix]") {
  const std::string text =
      kernel_with("__shared__ float tile[32][32];",
                  "float4 v = *reinterpret_cast<float4*>(&tile[threadIdx.x][4]); out[1] = v.x;");
  const planned result = plan_of(text);
  REQUIRE(result.plans.size() == 1);
  CHECK(has(result.plans[0].text,
            "tile declared as tile[32][36] takes 8 wavefronts instead of 64 as "));
  CHECK(has(result.plans[0].text, "; accesses of 16 bytes stay aligned and in one piece; "));
  CHECK(has(result.plans[0].text, " conflicts remain, and no layout takes fewer than "));
  CHECK_FALSE(has(plan_of(kernel_with("__shared__ float tile[32][32];")).plans[0].text, "aligned"));
}

TEST_CASE("What a cast makes one piece of stays one, however it is compiled here", "[clang_fix]") {
  // Clang takes the copy between two arrays of floats apart, which GPUs' compilers do not.
  const planned result = plan_of_launch(R"(#define FLOAT4(v) (reinterpret_cast<float4*>(&(v))[0])
__global__ void rows(float* a, float* o) {
  __shared__ float t[32][32];
  const int x = threadIdx.x;
  for (int i = 0; i < 32; ++i) t[i][x] = a[i * 32 + x];
  __syncthreads();
  float r[4], s = 0;
  for (int i = 0; i < 8; ++i) {
    FLOAT4(r[0]) = FLOAT4(t[x][4 * i]);
    for (int j = 0; j < 4; ++j) s += r[j];
  }
  o[x] = s;
}
void run(float* a) { rows<<<1, 32>>>(a, a); }
)");
  REQUIRE(result.plans.size() == 1);
  CHECK(result.plans[0].refusal == "");
  CHECK(has(cc::edited(result.text, result.plans[0].fix), "float t[32][36];"));

  // Also in code that this block does not execute.
  const planned elsewhere = plan_of_launch(R"(__global__ void rows(float* a, float* o, int n) {
  __shared__ float t[32][32];
  const int x = threadIdx.x;
  t[x][n] = a[x];
  __syncthreads();
  float4 v = {};
  if (n == 1) v = *reinterpret_cast<float4*>(&t[x][4]);
  o[x] = v.x + t[x][n];
}
void run(float* a) { rows<<<1, 32>>>(a, a, 0); }
)");
  for (const cc::array_plan& plan : elsewhere.plans) CHECK_FALSE(has(plan.text, "t[32][33]"));
}

TEST_CASE("An address that only inline assembly accesses may be of a permuted array",
          "[clang_fix]") {
  const folder directory;
  const auto written = [&](const std::string& address, const std::string& operand = "[%1]") {
    const std::string file = directory.write("matrix.cu", R"(#include <cuda_fp16.h>
__global__ void matrix(const half* in, unsigned* out) {
  __shared__ half s[384][64];
  const int t = threadIdx.x;
  *reinterpret_cast<uint4*>(&s[t][0]) = *reinterpret_cast<const uint4*>(in + 8 * t);
  __syncthreads();
  unsigned r = 0;
  )" + address + R"(
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, )" +
                                                              operand + R"(;" : "=r"(r) : "r"(p));
  out[t] = r;
}
void run(half* in, unsigned* out) { matrix<<<1, 32>>>(in, out); }
)");
    const command_line::answer reply = cc::answer_to(question_of(file, "write"));
    return reply.code == command_line::fine ? text_of(file) : reply.error;
  };
  const std::string text = written("const unsigned p = __cvta_generic_to_shared(&s[t][0]);");
  INFO(text);
  CHECK(has(text, "p = __cvta_generic_to_shared(&s"));
  CHECK_FALSE(has(text, "&s[t][0]"));
  CHECK(has(written("unsigned p = __cvta_generic_to_shared(&s[t][0]); p += 16;"),
            "it is passed to `__cvta_generic_to_shared` at line 8"));
  CHECK(has(written("const unsigned p = __cvta_generic_to_shared(&s[t][0]);", "[%1 + 16]"),
            "it is passed to `__cvta_generic_to_shared` at line 8"));
}

// int tile[384][32], all that a block may have, read by columns: a swizzle is its only plan. The
// text with the change, or the reason against it.
std::string swizzled(const std::string& uses, const std::string& prefix = "") {
  const folder directory;
  const std::string file = directory.write(
      "swizzled.cu", prefix +
                         "__global__ void column(int* out, int q) {\n"
                         "  __shared__ int tile[384][32];\n  const int t = threadIdx.x;\n"
                         "  out[0] = tile[t][0];\n  " +
                         uses + "\n}\n");
  const command_line::answer reply = cc::answer_to(question_of(file, "write"));
  return reply.code == command_line::fine ? text_of(file) : reply.error;
}

TEST_CASE("Functions and pointers that access the element they are given may be of a swizzle",
          "[clang_fix]") {
  const std::string converted =
      "__device__ unsigned shared_address(const void* p) { return __cvta_generic_to_shared(p); }\n";
  struct use {
    const char *prefix, *code, *changed;
  };
  for (const auto& [prefix, code, changed] : {
           use{"#include <cuda_pipeline.h>\n",
               "__pipeline_memcpy_async(&tile[t][4], out + 4 * t, 4);",
               "memcpy_async(&tile[t][4 ^ (t & 31)], "},
           use{"__device__ void put(int* p, int v) { *p = v; }\n", "put(&tile[t][4], q);",
               "put(&tile[t][4 ^ (t & 31)], q)"},
           use{"__device__ void put(int* p, int v) { p[0] = v; }\n"
               "__device__ void deeper(int v, int* p) { put(p, v); }\n",
               "deeper(q, &tile[t][4]);", "deeper(q, &tile[t][4 ^ (t & 31)])"},
           use{"template <class T> __device__ void put(T* p, T v) { int* const r = p; *r = v; }\n",
               "put(&tile[t][4], q);", "put(&tile[t][4 ^ (t & 31)], q)"},
           use{"__device__ void put(int& r, int v) { r = v; }\n", "put(tile[t][4], q);",
               "put(tile[t][4 ^ (t & 31)], q)"},
           use{"", "int* p = &tile[t][4]; *p = q; out[t] = *p;", "p = &tile[t][4 ^ (t & 31)]; *p"},
           use{"", "const int* p = (const int*)&tile[t][4]; out[t] = p[0];",
               "p = (const int*)&tile[t][4 ^ (t & 31)]; out"},
           use{"SHARED_ADDRESS",
               "asm volatile(\"st.shared.u32 [%0], %1;\" :: \"r\"(shared_address(&tile[t][4])), "
               "\"r\"(q));",
               "shared_address(&tile[t][4 ^ (t & 31)])"},
           use{"SHARED_ADDRESS __device__ void put(int* p, int v) {\n"
               "  const unsigned a = shared_address(p);\n"
               "  asm volatile(\"st.shared.u32 [%0], %1;\" :: \"r\"(a), \"r\"(v));\n}\n",
               "put(&tile[t][4], q);", "put(&tile[t][4 ^ (t & 31)], q)"},
       }) {
    std::string before = prefix;
    if (before.rfind("SHARED_ADDRESS", 0) == 0) before.replace(0, 14, converted);
    const std::string text = swizzled(code, before);
    INFO(code << text);
    CHECK(has(text, changed));
  }
  for (const auto& [prefix, code, changed] : {
           use{"__device__ void put(int* p, int v) { p[1] = v; }\n", "put(&tile[t][4], q);",
               "it is passed to `put` at line 6"},
           use{"__device__ void put(int* p, int v) {\n#ifdef TWICE\n  p[1] = v;\n#endif\n  *p = "
               "v;\n}\n",
               "put(&tile[t][4], q);", "it is passed to `put` at line 11"},
           use{"__device__ void walk(int* p, int v) { for (int i = 0; i < v; ++i) p[i] = v; }\n",
               "int* p = &tile[t][4]; walk(&p[0], 1);",
               "the address of an element is taken at line 6"},
           use{"__device__ void walk(int* p, int v) { for (int i = 0; i < v; ++i) p[i] = v; }\n"
               "__device__ void put(int* p, int v) { walk(&*p, v); }\n",
               "put(&tile[t][4], 1);", "it is passed to `put` at line 7"},
           use{"__device__ void walk(int& r, int v) { for (int i = 0; i < v; ++i) (&r)[i] = v; }\n"
               "__device__ void put(int& r, int v) { walk(r, v); }\n",
               "put(tile[t][4], 1);", "a reference to an element is made at line 7"},
           use{"", "int& r = tile[t][4]; (&r)[q - q] = 1;",
               "a reference to an element is made at line 5"},
           use{"struct three { int x, y, z; };\n__device__ void put(int* p, int v) { *(three*)p = "
               "{v}; }\n",
               "put(&tile[t][4], q);", "it is passed to `put` at line 7"},
           use{"struct walker { __device__ void operator()(int* p, const int* r, int v) const {\n"
               "  for (int i = 0; i < v; ++i) p[i] = r[0]; } };\n",
               "walker()(&tile[t][4], out, 1);", "it is passed to `operator()` at line 7"},
           use{"__device__ void one(int* p) { *p = 1; }\n"
               "__device__ void walk(int* p, int v) { for (int i = 0; i < v; ++i) p[i] = v; }\n"
               "#define BOTH(p, v) one(p), walk(p, v)\n",
               "BOTH(&tile[t][4], 1);", "it is passed to `walk` at line 8"},
           use{"template <int N> __device__ void put(int* p, int v) {\n"
               "  if constexpr (N == 1) *p = v; else for (int i = 0; i < v; ++i) p[i] = v;\n}\n"
               "template <int N> __device__ void both(int (&tile)[384][32], int t) {}\n",
               "put<1>(&tile[t][3], 1); put<2>(&tile[t][4], 1);",
               "it is passed to `put` at line 9"},
           use{"__device__ unsigned shared_address(const void* p) {\n  unsigned a;\n"
               "  asm(\"{ .reg .u64 x; cvta.to.shared.u64 x, %1; cvt.u32.u64 %0, x; }\" : "
               "\"=r\"(a) : "
               "\"l\"(p));\n  return a;\n}\n",
               "asm volatile(\"st.shared.u32 [%0], %1;\" :: \"r\"(shared_address(&tile[t][4])), "
               "\"r\"(q));",
               "it is passed to `shared_address` at line 10"},
           use{"__device__ void put(int* p, int v) { ++p; *p = v; }\n", "put(&tile[t][4], q);",
               "it is passed to `put` at line 6"},
           use{"__device__ void put(int* p, int v) { *(p + v) = v; }\n", "put(&tile[t][4], q);",
               "it is passed to `put` at line 6"},
           use{"__device__ void put(int* p, int v) { *p = v; int* r = p; r[v] = 1; }\n",
               "put(&tile[t][4], 1);", "it is passed to `put` at line 6"},
           use{"", "int* p = &tile[t][4]; for (int i = 0; i < 2; ++i) *p++ = q;",
               "the address of an element is taken at line 5"},
           use{"", "int* p = &tile[t][4]; int*& r = p; r += 1; *p = q;",
               "the address of an element is taken at line 5"},
           use{"SHARED_ADDRESS",
               "asm volatile(\"{ .reg .u32 a; add.u32 a, %0, 4; st.shared.u32 [a], %1; }\" :: "
               "\"r\"(shared_address(&tile[t][4])), \"r\"(q));",
               "it is passed to `shared_address` at line 6"},
       }) {
    std::string before = prefix;
    if (before.rfind("SHARED_ADDRESS", 0) == 0) before.replace(0, 14, converted);
    const std::string text = swizzled(code, before);
    INFO(code << text);
    CHECK(has(text, changed));
  }
}

TEST_CASE("Functions that receive an array, or a row of it, have its subscripts changed too",
          "[clang_fix]") {
  const folder directory;
  directory.write("user.cu", "#include \"received.cuh\"\n");  // a project is searched once
  const auto fixed = [&](const std::string& text) {
    const std::string file = directory.write("received.cu", text);
    const command_line::answer reply = cc::answer_to(question_of(file, "write"));
    return reply.code == command_line::fine ? text_of(file) : reply.error;
  };
  // All of an array, whatever the number of tiles is.
  const auto received = [&](const std::string& functions, const std::string& code) {
    return fixed(functions +
                 "constexpr int N = 1024;\n"
                 "__global__ void k(const float* in, float* out, int tiles) {\n"
                 "  __shared__ float t[N], other[N];\n"
                 "  const int x = threadIdx.x;\n"
                 "  for (int i = 0; i < tiles; ++i) {\n    " +
                 code +
                 "\n    __syncthreads();\n    out[x] = t[x] + other[x];\n  }\n}\n"
                 "void run(float* p, int tiles) { k<<<1, 32>>>(p, p, tiles); }\n");
  };
  const std::string put = "__device__ void put(float* s, int i, float v) {\n  s[i] = v;\n}\n";
  std::string text = received(put, "put(t, 32 * x, in[x]);");
  INFO(text);
  CHECK(has(text, "{\n  s[i + i / 32] = v;\n}"));
  CHECK(has(text, "  __shared__ float t[N + (N - 1) / 32], other[N];\n"));
  CHECK(has(text, "put(t, 32 * x, in[x]);"));
  CHECK(has(text, "out[x] = t[x + x / 32] + other[x];"));
  text = received(
      "template <class T> __device__ void put(T* s, int i, T v) {\n  T* const p = &s[i];\n  *p = "
      "v;\n}\n",
      "put(t, 32 * x, in[x]); put(t, 32 * x + 1, in[x]);");
  CHECK(has(text, "p = &s[i + i / 32];"));
  // Other callers, other uses, and code that nobody reads.
  const std::string refused = "t is not changed: it is passed to `put` at line ";
  CHECK(has(received(put, "put(t, 32 * x, in[x]); put(other, x, 1);"), refused));
  CHECK(has(received(put, "put(t, 32 * x, in[x]); put(t + 1, x, 1);"), refused));
  CHECK(has(received("__device__ void put(float* s, int i, float v) { s += i; *s = v; }\n",
                     "put(t, 32 * x, in[x]);"),
            refused));
  CHECK(
      has(received(put + "#ifdef OTHER\n__device__ float also[4];\n__device__ void f() { put(also, "
                         "0, 1); }\n#endif\n",
                   "put(t, 32 * x, in[x]);"),
          refused));
  CHECK(has(received(put + "__device__ void (*pointer)(float*, int, float) = &put;\n",
                     "put(t, 32 * x, in[x]);"),
            refused));
  CHECK(
      has(received(put + "template <class T> __device__ void later(T* p, T v) { put(p, 0, v); }\n",
                   "put(t, 32 * x, in[x]);"),
          refused));
  CHECK(has(received(put + "#define PUT(s, i, v) put(s, i, v)\n", "put(t, 32 * x, in[x]);"),
            refused));
  CHECK(has(
      received("__device__ void put(float* s, int i, float v) {\n#ifdef CHECKED\n  if (s[i] != 0) "
               "return;\n#endif\n  s[i] = v;\n}\n",
               "put(t, 32 * x, in[x]);"),
      refused));
  CHECK(has(received("#include <not_there.h>\n" + put +
                         "__global__ void other(float* out) {\n  __shared__ float u[64];\n"
                         "  not_there::thing a;\n  put(u, 40, 1);\n  out[0] = u[40];\n}\n",
                     "put(t, 32 * x, in[x]);"),
            refused));
  CHECK(has(received(put + "#define STORE(p, i, v) put(p, i, v)\n", "STORE(t, 32 * x, in[x]);"),
            refused));
  CHECK(has(received("__device__ void put(float* s, int i, float v) {\n  (s)[i] = v;\n}\n",
                     "put(t, 32 * x, in[x]);"),
            "`put` writes a subscript at line 2 in another way than p[i]"));
  text = received(
      "", "const auto put = [](float* s, int i, float v) { s[i] = v; }; put(t, 32 * x, in[x]);");
  CHECK(has(text, "{ s[i + i / 32] = v; }"));
  // Another file may call a function of a header.
  const std::string header = directory.write(
      "received.cuh",
      put +
          "__global__ void k(const float* in, float* out) {\n"
          "  __shared__ float t[1024];\n  put(t, 32 * threadIdx.x, in[threadIdx.x]);\n"
          "  __syncthreads();\n  out[threadIdx.x] = t[threadIdx.x];\n}\n"
          "inline void run(float* p) { k<<<1, 32>>>(p, p); }\n");
  const std::string header_error = cc::answer_to(question_of(header, "write")).error;
  CAPTURE(header_error);
  CHECK(has(header_error, "`put` is a function of received.cuh, which user.cu includes"));
  // Rows: the place in the row is that of the subscript alone.
  const auto rows = [&](const std::string& subscript) {
    return fixed(
        "__device__ void put(float* s, int i, float v) { s[i] = v; }\n"
        "__global__ void k(const float* in, float* out) {\n"
        "  __shared__ float t[12][1024];\n  const int x = threadIdx.x;\n"
        "  for (int i = 0; i < 12; ++i) {\n    put(t[i], " +
        subscript +
        ", in[x]);\n"
        "    __syncthreads();\n    out[x] = t[i][x];\n  }\n}\n"
        "void run(float* p) { k<<<1, 32>>>(p, p); }\n");
  };
  text = rows("8 * x");
  INFO(text);
  CHECK(has(text, "{ s[i ^ (i >> 5)] = v; }"));
  CHECK(has(text, "put(t[i], 8 * x, in[x]);"));
  CHECK(has(text, "out[x] = t[i][x ^ (x >> 5)];"));
  CHECK(has(swizzled("if (q == 1) put(tile[t], q);",
                     "__device__ void put(int* s, int i) { s[i] = 1; }\n"),
            "`put` receives a row at line 1, and the place of its elements depends on the row"));
}

TEST_CASE("Launches of a permuted dynamic array have whole blocks of it", "[clang_fix]") {
  const folder directory;
  const auto answer_for = [&](const std::string& host) {
    cc::question asked = question_of(
        directory.write("dynamic.cu",
                        "__global__ void k(const float* in, float* out) {\n"
                        "  extern __shared__ float t[];\n  const int x = threadIdx.x;\n"
                        "  t[32 * x] = in[x];\n  __syncthreads();\n  out[x] = t[x];\n}\n" +
                            host),
        "dry-run");
    asked.limits.layouts = {"xor_swizzle"};
    const command_line::answer reply = cc::answer_to(asked);
    return reply.output + reply.error;
  };
  CHECK(has(answer_for("void run(float* p) { k<<<1, 32, 4096>>>(p, p); }\n"),
            "+  t[(32 * x) ^ ((32 * x) >> 5)] = in[x];"));
  const std::string refused =
      "a permutation needs whole blocks of it, and a launch may have other dynamic bytes";
  CHECK(has(answer_for("void run(float* p, int n) { k<<<1, 32, 4 * n>>>(p, p); }\n"), refused));
  CHECK(has(
      answer_for("void run(float* p) { k<<<1, 32, 4096>>>(p, p); k<<<1, 32, 4100>>>(p, p); }\n"),
      refused));
}

TEST_CASE("What a second reading of --fix found", "[clang_fix]") {
  const auto refused = [](const std::string& text) {
    const folder directory;
    cc::question asked = question_of(directory.write("second.cu", text), "write");
    const command_line::answer reply = cc::answer_to(asked);
    return reply.code == command_line::fine ? reply.output : reply.error;
  };
  const auto swizzled_only = [](const std::string& text) {
    const folder directory;
    cc::question asked = question_of(directory.write("second.cu", text), "dry-run");
    asked.limits.layouts = {"xor_swizzle"};
    const command_line::answer reply = cc::answer_to(asked);
    return reply.output + reply.error;
  };
  // Columns that another launch accesses are not lost.
  CHECK(
      has(swizzled_only("__global__ void k(float* out, int n) {\n"
                        "  __shared__ float t[64][64];\n"
                        "  for (int j = 0; j < n; ++j) t[threadIdx.x][j] = 1;\n"
                        "  out[threadIdx.x] = t[0][threadIdx.x % n];\n}\n"
                        "void run(float* p) { k<<<1, 32>>>(p, 32); k<<<1, 32>>>(p, 64); }\n"),
          "it would lose columns that are not accessed, and only one of the launches is counted"));
  // How far a pointer goes is decided by data.
  CHECK(has(refused(kernel_with("__shared__ float tile[32][32];",
                                "const float* p = &tile[0][0]; int q = 0;\n"
                                "while (out[q] < 30) { out[1] += p[32 * q + threadIdx.x]; ++q; }")),
            "and how far it is used depends on data or blockIdx"));
  // Nothing is seen of a function that is defined elsewhere.
  CHECK(has(refused(kernel_with("__shared__ float tile[32][32];",
                                "if (threadIdx.x > 99) elsewhere(&tile[0][0]);",
                                "extern __device__ void elsewhere(float* p);\n")),
            "it is passed to `elsewhere` at line 4, where no access is executed by this block"));
  // A method of a structure in shared memory uses all of it.
  CHECK(has(swizzled_only("struct S {\n  float t[384][32];\n"
                          "  __device__ float at(int i) { return (&t[0][0])[i]; }\n};\n"
                          "__global__ void k(float* out) {\n  __shared__ S s;\n"
                          "  out[threadIdx.x] = s.t[threadIdx.x][0];\n"
                          "  if (threadIdx.x == 1) out[0] = s.at(33);\n}\n"),
            "its structure is used as a whole at line 8"));
  // What lies behind a longer array stays aligned.
  CHECK(
      has(refused("struct alignas(16) S { float t[31][32]; float b[68]; };\n"
                  "__global__ void k(float* out) {\n  __shared__ S s;\n"
                  "  for (int i = 0; i < 32; ++i) if (threadIdx.x < 31) s.t[threadIdx.x][i] = 1;\n"
                  "  out[0] = (*(float4*)&s.b[4 * (threadIdx.x % 8)]).x;\n"
                  "  out[1] = s.t[3][threadIdx.x];\n}\n"
                  "void run(float* p) { k<<<1, 32>>>(p); }\n"),
          "s.b is stored after it, and is cast to pieces of 16 bytes"));
  // A use within another one, behind `>` and `:`.
  const std::string nested = swizzled_only(
      "__global__ void k(const float* in, float* out) {\n  __shared__ float t[1024];\n"
      "  const int x = threadIdx.x;\n"
      "  for (int j = 0; j < 32; ++j) t[32 * x + j] = in[32 * j + x];\n"
      "  if (blockIdx.x == 1) {\n"
      "    for (int j = 0; j < 8; ++j) out[x] = t[in[500]>t[100*j]?j:j+1];\n"
      "  } else\n  for (int j = 0; j < 32; ++j) out[32 * j + x] = t[32 * j + x];\n}\n"
      "void run(float* p) { k<<<2, 32>>>(p, p); }\n");
  CAPTURE(nested);
  CHECK(has(nested, "in[500]>t[(100*j) ^ "));
  // A structure of two floats may begin at any of them.
  CHECK(has(swizzled("pair v = *(pair*)&tile[t][3]; out[1] = v.x;", "struct pair { int x, y; };\n"),
            "it is cast to `pair *` at line 6"));
  // Arguments have no order.
  CHECK(has(swizzled("int i = 0; if (q == 1) out[1] = tile[i++][i++];"),
            "subscripts of tile[i++][i++] at line 5 have effects"));
}

TEST_CASE("A function that is executed for one array is not for another", "[clang_fix]") {
  const std::string walk =
      "__device__ float sum(const float* p, int m) {\n"
      "  float s = 0;\n  for (int i = 0; i < m; ++i) s += p[i];\n  return s;\n}\n";
  CHECK(has(refusal_of(kernel_with("__shared__ float tile[32][32];",
                                   "__shared__ float u[128]; out[1] = sum(u, 128);\n"
                                   "if (threadIdx.x > 99) out[1] = sum(&tile[0][0], 1024);",
                                   walk)),
            "it is passed to `sum` at line 9, and line 9 is not executed by this block"));
}

TEST_CASE("Uses that are no obstacle", "[clang_fix]") {
  for (const std::string use :
       {"tile[threadIdx.x][1] += 2; ++tile[0][threadIdx.x]; (tile[1])[threadIdx.x] = 3;",
        "atomicAdd(&tile[threadIdx.x][1], 1.f);", "float& x = tile[threadIdx.x][2]; x = 1;",
        "out[2] = max(tile[1][1], (float)tile[1][2]) + fmaf(tile[0][0], 1, 2);",
        "out[2] = AT(1, threadIdx.x) + sizeof(tile[0][0]);",
        "const auto at = [&](int c) { return tile[threadIdx.x][c]; }; out[1] = at(3);"}) {
    INFO(use);
    CHECK(fixed_line(kernel_with("__shared__ float tile[32][32];", use,
                                 "#define AT(r, c) tile[r][c]\n")) ==
          "__shared__ float tile[32][33];");
  }
}

TEST_CASE("No layout is proposed if a call or an instruction is not modelled", "[clang_fix]") {
  const std::string declared = "__shared__ float tile[32][32];",
                    call = "asm volatile(\"st.shared.u32 [%0*2], 0;\" :: \"r\"(3));";
  CHECK(plan_of(kernel_with(declared)).plans.size() == 1);
  CHECK(plan_of(kernel_with(declared, call)).plans.empty());
  const folder directory;
  const std::string file = directory.write("called.cu", kernel_with(declared, call));
  const command_line::answer reply = cc::answer_to(question_of(file, "dry-run"));
  CHECK(reply.error.find("calls or instructions are not modelled, so no layout is proposed") !=
        std::string::npos);
}

TEST_CASE("A declaration whose array's address is used is tried", "[clang_fix]") {
  const std::string declaration = "__shared__ float tile[32][32];";
  const auto text_with = [&](const std::string& use, const std::string& prefix = "") {
    return kernel_with(declaration, use, prefix);
  };
  // The changed source has the requests of the same elements.
  for (const char* use : {"float* p = &tile[0][0]; out[1] = p[threadIdx.x];",
                          "float* p = tile[threadIdx.x]; out[1] = p[3];", "out[1] = *tile[3];",
                          "float* p = (float*)tile; out[1] = p[1];", "atomicAdd(tile[3], 1.f);",
                          "out[1] = reinterpret_cast<float&>(tile[threadIdx.x][1]);"}) {
    INFO(use);
    CHECK(fixed_line(text_with(use)) == "__shared__ float tile[32][33];");
  }
  CHECK(fixed_line(text_with("out[1] = second(tile[threadIdx.x]);",
                             "__device__ float second(float* t) { return t[1]; }\n")) ==
        "__shared__ float tile[32][33];");
  CHECK(fixed_line(text_with("atomicNot(&tile[1][1]);",
                             "__device__ void atomicNot(float* t) { *t = 1; }\n")) ==
        "__shared__ float tile[32][33];");
  // Or of others: rows of 32 elements.
  CHECK(has(refusal_of(text_with("float* p = &tile[0][0]; out[1] = p[threadIdx.x * 32];")),
            "the address of an element is taken at line 3: with the change the requests of "));
  CHECK(has(refusal_of(text_with("float* p = (float*)tile; out[1] = p[32 * threadIdx.x + 1];")),
            "it is cast to `float *` at line 3: with the change the requests of "));
  CHECK(has(refusal_of(text_with("atomicNot(&tile[1][1]);",
                                 "__device__ void atomicNot(float* t) { t[32] = 1; }\n")),
            "it is passed to `atomicNot` at line 4: with the change the requests of "));
  // Or of some that nobody saw.
  CHECK(has(refusal_of(text_with("float* p = tile[0]; if (threadIdx.x > 99)\n p[40] = 1;")),
            "it is used without all its subscripts at line 3, and line 4 is not executed"));
}

TEST_CASE("Declarations that are not changed", "[clang_fix]") {
  const std::string declaration = "__shared__ float tile[32][32];";
  const auto used = [&](const std::string& use, const std::string& prefix = "") {
    return refusal_of(kernel_with(declaration, use, prefix));
  };
  CHECK(used("float (*p)[32] = tile; out[1] = p[1][1];") ==
        "it is used without all its subscripts at line 3, and may depend on its extents");
  CHECK(has(used("float (&all)[32][32] = tile; out[1] = all[1][1];"),
            "it is used without all its subscripts"));
  CHECK(has(used("out[1] = (*reinterpret_cast<float (*)[32]>(tile))[1];"),
            "it is cast to `float (*)[32]` at line 3"));
  CHECK(
      has(used("out[1] = row(tile);", "__device__ float row(float (*t)[32]) { return t[1][1]; }\n"),
          "it is passed to `row` at line 4"));
  CHECK(has(used("out[1] = sizeof(tile);"), "`sizeof` reads its size at "));
  CHECK(has(used("out[1] = sizeof tile[0];"), "`sizeof` reads its size at "));

  CHECK(refusal_of(kernel_with("TILE;", "", "#define TILE __shared__ float tile[32][32]\n")) ==
        "it is declared in a macro");
  CHECK(refusal_of(kernel_with("__shared__ float tile EXTENTS;", "",
                               "#define EXTENTS [32][32]\n")) == "it is declared in a macro");
  CHECK(refusal_of(kernel_with("__shared__ float tile[32][32 HALF;", "", "#define HALF + 0]\n")) ==
        "a part of an extent comes from a macro");
  CHECK(refusal_of(kernel_with("__shared__ square tile;", "", "typedef float square[32][32];\n")) ==
        "its extents are those of the type `square`");
  CHECK(refusal_of(kernel_with("__shared__ row tile[32];", "", "using row = float[32];\n")) ==
        "its extents are those of the type `row`");
}

TEST_CASE("Declarations of several kernels, and those in other files", "[clang_fix]") {
  const folder directory;
  const std::string helper =
      "__device__ float one(int a) {\n  __shared__ float tile[32][32];\n"
      "  return tile[a][0];\n}\n";
  const std::string kernel = "__global__ void first(float* out) { out[0] = one(threadIdx.x); }\n";
  const std::string alone = directory.write("alone.cu", helper + kernel);
  CHECK(cc::answer_to(question_of(alone, "dry-run")).code == command_line::fine);

  const std::string pair_file = directory.write(
      "both.cu", helper + kernel + "__global__ void second(float* out) { out[0] = one(0); }\n");
  cc::question asked = question_of(pair_file, "write");
  asked.kernels = {"first"};
  CHECK(has(cc::answer_to(asked).error, "--fix: tile is not changed: the kernel second uses it"));
  // Both are counted with the change, although one of them gains nothing.
  const command_line::answer reply = cc::answer_to(question_of(pair_file, "write"));
  INFO(reply.error);
  CHECK(reply.code == command_line::fine);
  CHECK(has(reply.error,
            "written: first: tile declared as tile[32][33], counted again: 1 wavefront "
            "instead of 32\n"));
  CHECK_FALSE(has(reply.error, "second"));
  CHECK(has(text_of(pair_file), "tile[32][33];"));
}

TEST_CASE("Headers are changed that no other file of the project includes", "[clang_fix]") {
  const folder directory;
  const std::string helper =
      "__device__ float one(int a) {\n  __shared__ float tile[32][32];\n"
      "  return tile[a][0];\n}\n";
  const std::string user =
      "#include \"helper.cuh\"\n"
      "__global__ void first(float* out) { out[0] = one(threadIdx.x); }\n";
  // Each folder is searched once in a run of the program.
  const auto project = [&](const char* name) {
    fs::create_directories(directory.path / name);
    directory.write(std::string(name) + "/Makefile", "");
    return std::string(name) + "/";
  };
  const auto text_in = [&](const std::string& name) {
    return text_of((directory.path / name).string());
  };

  const std::string alone = project("alone");
  directory.write(alone + "helper.cuh", helper);
  const std::string file = directory.write(alone + "user.cu", user);
  const command_line::answer shown = cc::answer_to(question_of(file, "dry-run"));
  INFO(shown.error);
  CHECK(shown.code == command_line::fine);
  CHECK(has(shown.output, "alone/helper.cuh\n@@ "));
  CHECK_FALSE(has(shown.output, "user.cu"));
  CHECK(has(patched(helper, shown.output), "tile[32][33];"));
  CHECK(text_in(alone + "helper.cuh") == helper);
  const command_line::answer written = cc::answer_to(question_of(file, "write"));
  CHECK(written.code == command_line::fine);
  CHECK(has(written.error,
            "helper.cuh: written: tile declared as tile[32][33], counted again: 1 "
            "wavefront instead of 32\n"));
  CHECK(text_in(alone + "helper.cuh") == patched(helper, shown.output));
  CHECK(text_in(alone + "user.cu") == user);
  CHECK_FALSE(has(written.output, "tile[32][32]"));  // the page after it

  // Another file includes it, through a header of its own.
  const std::string shared = project("shared");
  directory.write(shared + "helper.cuh", helper);
  directory.write(shared + "through.hpp", "#include \"helper.cuh\"\n");
  directory.write(shared + "other.cpp", "#include \"through.hpp\"\n");
  const command_line::answer refused =
      cc::answer_to(question_of(directory.write(shared + "user.cu", user), "write"));
  CHECK(refused.code == command_line::bad_input);
  CHECK(has(refused.error, "helper.cuh, which other files may include; nothing was written"));
  CHECK(text_in(shared + "helper.cuh") == helper);

  // A file outside the project.
  const std::string outside = project("outside");
  const std::string elsewhere = project("elsewhere");
  directory.write(outside + "helper.cuh", helper);
  const std::string far =
      directory.write(elsewhere + "user.cu", "#include \"../outside/" + user.substr(10));
  CHECK(has(cc::answer_to(question_of(far, "write")).error, "which other files may include"));
  CHECK(text_in(outside + "helper.cuh") == helper);
}

TEST_CASE("Of several files all are written, or none") {
  const folder directory;
  const std::string first = directory.write("first.cu", "1"),
                    second = directory.write("second.cuh", "2");
  CHECK_THROWS_AS(
      cc::replace_files({{first, "1"}, {second, "other"}}, {{first, "a"}, {second, "b"}}),
      command_line::refusal);
  CHECK(text_of(first) == "1");
  CHECK(text_of(second) == "2");
  cc::replace_files({{first, "1"}, {second, "2"}}, {{first, "a"}, {second, "b"}});
  CHECK(text_of(first) == "a");
  CHECK(text_of(second) == "b");
}

TEST_CASE("A change of several files is one change", "[clang_fix]") {
  const folder directory;
  fs::create_directories(directory.path / "several");
  directory.write("several/Makefile", "");
  const std::string kernel =
      "__global__ void k(float* out, int d) {\n"
      "  extern __shared__ float buffer[];\n"
      "  float* rows = buffer;\n"
      "  float sum = 0;\n"
      "  for (int i = 0; i < d; ++i) sum += rows[threadIdx.x * d + i];\n"
      "  out[threadIdx.x] = sum;\n"
      "}\n";
  const std::string launch =
      "#include \"kernel.cuh\"\n"
      "void run(float* out) { k<<<1, 32, 32 * 64 * sizeof(float)>>>(out, 64); }\n";
  directory.write("several/kernel.cuh", kernel);
  const std::string file = directory.write("several/user.cu", launch);
  cc::question asked = question_of(file, "dry-run");
  asked.block.clear();
  const command_line::answer shown = cc::answer_to(asked);
  INFO(shown.error);
  REQUIRE(shown.code == command_line::fine);
  const std::size_t second = shown.output.find("--- ", 4);
  REQUIRE(second != shown.output.npos);
  const std::string changed_kernel = patched(kernel, shown.output.substr(0, second)),
                    changed_launch = patched(launch, shown.output.substr(second));
  CHECK(has(changed_kernel, "rows[threadIdx.x * (d + 1) + i]"));
  CHECK(changed_launch != launch);
  asked.fix = "write";
  CHECK(cc::answer_to(asked).code == command_line::fine);
  CHECK(text_of((directory.path / "several/kernel.cuh").string()) == changed_kernel);
  CHECK(text_of(file) == changed_launch);
}

TEST_CASE("One change of a template is right for all its instances, or is none", "[clang_fix]") {
  const folder directory;
  const auto compose = [](const std::string& instances, const std::string& body) {
    return "template <int T>\n__global__ void column(float* out) {\n" + body + "}\n" + instances;
  };
  const auto instance = [](const std::string& argument) {
    return "template __global__ void column<" + argument + ">(float*);\n";
  };
  const std::string body =
      "  __shared__ float tile[T][T];\n"
      "  out[0] = tile[threadIdx.x][0];\n";
  const auto fixed = [&](const std::string& text, const std::vector<std::string>& kernels = {}) {
    cc::question asked = question_of(directory.write("columns.cu", text), "write");
    asked.kernels = kernels;
    return cc::answer_to(asked);
  };
  const std::string file = (directory.path / "columns.cu").string();

  // The text of the parameter stays, also where an instance has a number.
  command_line::answer reply = fixed(compose(instance("32"), body));
  INFO(reply.error);
  CHECK(reply.code == command_line::fine);
  CHECK(has(text_of(file), "tile[T][T + 1];"));

  const std::string two = compose(instance("32") + instance("64"), body);
  CHECK(has(cc::answer_to(question_of(directory.write("columns.cu", two))).output,
            "The declaration is that of 2 kernels, which were all counted with the change.\n"));
  reply = fixed(two);
  CHECK(reply.code == command_line::fine);
  CHECK(has(text_of(file), "tile[T][T + 1];"));
  for (const std::string name :
       {"column<32>: tile declared as tile[32][33]", "column<64>: tile declared as tile[64][65]"})
    CHECK(has(reply.error, "written: " + name + ", counted again: 1 wavefront instead of 32\n"));

  // An instance that is best as it is, and one that is not counted.
  reply = fixed(compose(instance("32") + instance("33"), body));
  CHECK(reply.code == command_line::bad_input);
  CHECK(has(reply.error,
            "--fix: column<32>: tile is not changed: the kernel column<33> has it "
            "too: with the change it takes 2 wavefronts instead of 1; nothing was "));
  reply = fixed(two, {"column<32>"});
  CHECK(reply.code == command_line::bad_input);
  CHECK(has(reply.error,
            "tile is not changed: it is declared in a template, and the kernel "
            "column<64> is not counted here; nothing was written"));
  CHECK(text_of(file) == two);
  reply = fixed(compose("", body));
  CHECK(has(reply.error, "it is declared in a template, and nothing here says its instances; "));
  reply = fixed(compose(instance("32") + "template <class K> void launch(K) {\n"
                                         "  column<sizeof(K) * 8><<<1, 32>>>(nullptr); }\n"
                                         "void host(undeclared of) { launch(of.value()); }\n",
                        body));
  CHECK(has(reply.error,
            "it is declared in a template, and the launch in line 8 is not read, "
            "which may be one of another instance; nothing was written"));

  // Of changes that are right for all that with which all take fewest: T + 1 of 16 columns.
  const std::string rows =
      "  __shared__ float tile[32][T];\n"
      "  out[0] = tile[threadIdx.x][0];\n";
  reply = fixed(compose(instance("16") + instance("48") + instance("24"), rows));
  INFO(reply.error);
  CHECK(reply.code == command_line::fine);
  CHECK(has(text_of(file), "tile[32][T + 1];"));

  // A layout that changes subscripts depends on the extents, and its text is that of all code.
  const std::string full =
      "  __shared__ float tile[384][32];\n"
      "  if constexpr (T == 32) tile[threadIdx.x][1] = 2;\n"
      "  else tile[threadIdx.x][2] = 3;\n"
      "  out[0] = tile[threadIdx.x][0];\n";
  reply = fixed(compose(instance("32"), full));
  INFO(reply.error);
  CHECK(reply.code == command_line::fine);
  CHECK(has(text_of(file), "tile[threadIdx.x][1 ^ (threadIdx.x & 31)] = 2;"));
  CHECK(has(text_of(file), "tile[threadIdx.x][2 ^ (threadIdx.x & 31)] = 3;"));
  std::string of_instance = full;
  of_instance.replace(of_instance.find("[32]"), 4, "[T]");
  reply = fixed(compose(instance("32"), of_instance));
  CHECK(reply.code == command_line::fine);
  CHECK(has(text_of(file),
            "  __shared__ float tile[384][T];\n  static_assert(sizeof(tile) == 49152 "
            "&& sizeof(tile[0]) == 128 && sizeof(tile[0][0]) == 4);\n"));
  // Another instance does not compile then.
  CHECK(has(
      cc::answer_to(question_of(directory.write("later.cu", text_of(file) + instance("8")))).error,
      " failed due to requirement 'sizeof"));
  CHECK(has(fixed(compose(instance("32") + instance("8"), of_instance)).error,
            "with the change the kernel column<8> does not compile here"));
  // Elements with one subscript: the extents stay as they are, and a function has the subscript.
  reply = fixed(
      "template <int K, int N>\n__global__ void product(float* in, float* out) {\n"
      "  __shared__ float b[K][N];\n  const int t = threadIdx.x;\n"
      "  reinterpret_cast<float4&>(b[t / 32 % K][t % 32 * 4]) = ((float4*)in)[t];\n"
      "  __syncthreads();\n  float sum = 0;\n"
      "  for (int k = 0; k < K; ++k)\n"
      "    for (int i = 0; i < 8; i += 4) {\n"
      "      float r[4];  // of which Clang makes other widths once the subscripts differ\n"
      "      reinterpret_cast<float4*>(&r[0])[0] = "
      "reinterpret_cast<float4*>(&b[k][t % 16 * 8 + i])[0];\n"
      "      sum += r[0] + r[1] + r[2] + r[3];\n    }\n"
      "  out[t] = sum;\n}\n"
      "void run(float* p) { product<8, 128><<<1, 256>>>(p, p); }\n");
  INFO(reply.error);
  CHECK(reply.code == command_line::fine);
  CHECK(has(text_of(file),
            "  __shared__ float b[K][N];\n"
            "  static_assert(sizeof(b) == 4096 && sizeof(b[0]) == 512 && sizeof(b[0][0]) == 4);\n"
            "  const auto b_swizzled = [](int r, int c) -> auto& {\n"
            "    const int e = 128 * r + c;\n"
            "    return (&b[0][0])[e ^ ((e >> 3) & 28)];\n  };\n"));
  CHECK(has(text_of(file), "reinterpret_cast<float4*>(&b_swizzled(k, t % 16 * 8 + i))[0];"));
  CHECK(has(reply.error, "b as b[1024], element [r][c] at e ^ ((e >> 3) & 28) for e = "));
  // Rows with elements between them have an extent for each instance.
  const std::string padded =
      "  __shared__ float tile[T * T];\n"
      "  out[0] = tile[32 * threadIdx.x];\n";
  reply = fixed(compose(instance("32") + instance("64"), padded));
  INFO(reply.error);
  CHECK(reply.code == command_line::fine);
  CHECK(has(text_of(file), "  __shared__ float tile[T * T + (T * T - 1) / 32];\n"));
  CHECK(has(text_of(file), "tile[(32 * threadIdx.x) + (32 * threadIdx.x) / 32];"));
  CHECK(has(reply.error, "column<32>: tile declared as tile[1055], element c at c + c / 32,"));
  CHECK(has(reply.error, "column<64>: tile declared as tile[4223], element c at c + c / 32,"));
  // Planes that become one extent have that of this instance.
  const std::string planes =
      "  __shared__ float tile[3][T * T - 1];\n"
      "  for (int i = 0; i < 3; ++i) {\n"
      "    tile[i][threadIdx.x % T * T] = 1;\n"
      "    out[3] = tile[i][T * T - 2 - threadIdx.x];\n"
      "    out[i] = tile[i][threadIdx.x];\n  }\n";
  reply = fixed(compose(instance("48"), planes));
  INFO(reply.error);
  CHECK(reply.code == command_line::fine);
  CHECK(has(text_of(file),
            "  __shared__ float tile[6912];\n  static_assert((T * T - 1) == 2303);\n"));
  CHECK(has(text_of(file),
            "tile[(2304 * i + threadIdx.x) ^ (((2304 * i + threadIdx.x) >> 5) & 15)]"));
  CHECK(has(fixed(compose(instance("48") + instance("20"), planes)).error,
            "with the change the kernel column<20> does not compile here"));

  // Where a declaration ends is known if its ; is in the text.
  std::string without_end = of_instance;
  without_end.replace(without_end.find("[T];"), 4, "[T] END");
  CHECK(has(fixed("#define END ;\n" + compose(instance("32"), without_end)).error,
            "it is declared in a template, and the layout depends on the extents of its instance"));

  // Two instances of one declaration in one kernel.
  reply = fixed("template <int T>\n__device__ float one(int a) {\n" + std::string(2, ' ') +
                "__shared__ float tile[32][T];\n  return tile[a][0];\n}\n"
                "__global__ void both(float* out) { out[0] = one<32>(threadIdx.x) + "
                "one<16>(threadIdx.x); }\n");
  INFO(reply.error);
  CHECK(reply.code == command_line::fine);
  CHECK(has(text_of(file), "tile[32][T + 1];"));
}

TEST_CASE("Rows that subscripts name become longer where these name them", "[clang_fix]") {
  const folder directory;
  const auto fixed = [&](const std::string& text) {
    cc::question asked = question_of(directory.write("rows.cu", text), "write");
    asked.block.clear();  // that of the launches
    return cc::answer_to(asked);
  };
  const auto read_file = [&] { return text_of((directory.path / "rows.cu").string()); };
  // The extent, each term that has the row, and both factors of N * N; of two instances.
  command_line::answer answer = fixed(R"(template <int N>
__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[2 * N * N];
  const int x = threadIdx.x, y = threadIdx.y;
  for (int j = 0; j < N; j += 8) tile[N * N + (y + j) * N + x] = in[(y + j) * n + x];
  __syncthreads();
  for (int j = 0; j < N; j += 8) out[(y + j) * n + x] = tile[N * N + x * N + y + j];
  for (int s = 0; s < 2; ++s) out[s] = tile[s * N * N + x * N] + tile[x];
}
void run(float* p) { transpose<32><<<1, dim3(32, 8)>>>(p, p, 1024);
                     transpose<64><<<1, dim3(64, 8)>>>(p, p, 1024); }
)");
  INFO(answer.error);
  CHECK(answer.code == command_line::fine);
  CHECK(has(answer.error,
            "transpose<64>: tile with rows of N + 1 = 65 elements instead of 64, counted again: "));
  CHECK(has(read_file(), "__shared__ float tile[2 * N * (N + 1)];\n"));
  CHECK(has(read_file(), " tile[N * (N + 1) + (y + j) * (N + 1) + x] = in"));
  CHECK(has(read_file(), " = tile[s * N * (N + 1) + x * (N + 1)] + tile[x + x / N];"));

  // A float4 is one piece in each row, of a declared and of a dynamic array; through a macro.
  answer = fixed(R"(#define FLOAT4(x) (reinterpret_cast<float4*>(&(x))[0])
#define OFFSET(r, c, ld) ((r) * (ld) + (c))
__global__ void pieces(float4* out) {
  __shared__ float a[32 * 32];
  extern __shared__ float sm[];
  float* b = sm;
  float* c = sm + 32 * 32;
  float r[4];
  const int x = threadIdx.x;
  for (int i = 0; i < 8; ++i) {
    FLOAT4(r[0]) = out[x];
    FLOAT4(a[OFFSET(x, 4 * i, 32)]) = FLOAT4(r[0]);
    FLOAT4(b[x * 32 + 4 * i]) = FLOAT4(r[0]);
    FLOAT4(c[x * 32 + 4 * i]) = FLOAT4(r[0]);
  }
  __syncthreads();
  for (int i = 0; i < 8; ++i) {
    FLOAT4(r[0]) = FLOAT4(a[OFFSET(x, 4 * i, 32)]);
    out[x] = FLOAT4(r[0]);
    FLOAT4(r[0]) = FLOAT4(b[x * 32 + 4 * i]);
    out[x] = FLOAT4(r[0]);
    FLOAT4(r[0]) = FLOAT4(c[x * 32 + 4 * i]);
    out[x] = FLOAT4(r[0]);
  }
}
void run(float4* p) { pieces<<<1, 32, 8192>>>(p); }
)");
  INFO(answer.error);
  CHECK(answer.code == command_line::fine);
  CHECK(has(read_file(), "float a[32 * 36];\n"));
  CHECK(has(read_file(), "FLOAT4(a[OFFSET(x, 4 * i, 36)]) = "));
  CHECK(has(read_file(), "FLOAT4(b[x * 36 + 4 * i]) = "));

  // Also where Clang takes the copy of one apart.
  const auto copied = [](const std::string& declaration, const std::string& bytes) {
    return "__global__ void copied(float* a, float* o) {\n" + declaration + R"(
  const int x = threadIdx.x;
  for (int i = 0; i < 32; ++i) t[i * 32 + x] = a[i * 32 + x];
  __syncthreads();
  float r[4], s = 0;
  for (int i = 0; i < 8; ++i) {
    *reinterpret_cast<float4*>(r) = *reinterpret_cast<float4*>(&t[x * 32 + 4 * i]);
    for (int j = 0; j < 4; ++j) s += r[j];
  }
  o[x] = s;
}
void run(float* a) { copied<<<1, 32)" +
           bytes + ">>>(a, a); }\n";
  };
  for (const std::string& text :
       {copied("  __shared__ float t[32 * 32];", ""),
        copied("  extern __shared__ float sm[];\n  float* t = sm;", ", 4096")}) {
    CHECK(fixed(text).code == command_line::fine);
    CHECK(has(read_file(), "(&t[x * 36 + 4 * i]);"));
  }

  // Code that is not executed changes too where loops show that subscripts keep to their rows.
  const auto dynamic = [](const std::string& use) {
    return R"(__global__ void dynamic(const float* in, float* out, int n, int m) {
  extern __shared__ float s[];
  float* t = s;
  const int r = threadIdx.x;
  for (int i = 0; i < n; ++i) t[r * n + i] = in[r * n + i];
  __syncthreads();
  float sum = 0;
)" + use + R"(
  out[r] = sum;
}
void run(float* p) { dynamic<<<2, 32, 4096>>>(p, p, 32, 0); }
)";
  };
  for (const std::string use : {"  if (m) for (int i = r; i < n; i += 32) sum += t[r * n + i];",
                                "  if (m) for (int i = 0; i < m; ++i) sum += t[r * n + i % n];",
                                "  if (m) sum += t[r * n];", "  sum += t[(r & 15) * n + r];"}) {
    answer = fixed(dynamic(use));
    INFO(use);
    INFO(answer.error);
    CHECK(answer.code == command_line::fine);
    CHECK(has(read_file(), "t[r * (n + 1) + i] = in"));
  }
  const std::string not_executed = "line 8 is not executed by this block";
  const std::string not_known = "how far it is used depends on data or blockIdx";
  for (const auto& [use, reason] : std::map<std::string, std::string>{
           {"  if (m) sum += t[r * n + m];", not_executed},
           {"  if (m) for (int i = 0; i <= n; ++i) sum += t[r * n + i];", not_executed},
           {"  if (m) for (int i = m; i < n; ++i) sum += t[r * n + i];", not_executed},
           {"  if (m) for (int i = 0; i < n; ++i) { sum += t[r * n + i]; ++i; }", not_executed},
           {"  if (m) for (int i = 0; i < n; ++i) sum += t[r * n + 2 * 32 + i];", not_executed},
           {"  if (m) for (int i = threadIdx.x - 1; i < n; ++i) sum += t[r * n + i];",
            not_executed},
           {"  if (m) for (int i = 0; i < n; i -= m) sum += t[r * n + i];", not_executed},
           {"  if (m) for (int i = 0; i < n; i += -1) sum += t[r * n + i];", not_executed},
           {"  if (m) sum += t[r * n + (r - 1 - m) % n];", not_executed},
           {"  if (m) sum += t[r * n + 2 * r];", not_executed},
           {"  sum += t[(r & 15) * n + (r + blockIdx.x) % 40];", "depends on blockIdx"},
           {"  for (int i = 0; i < 64; ++i) { if (in[i] < 2) break; sum += t[(r & 15) * n + i]; }",
            not_known}}) {
    answer = fixed(dynamic(use));
    INFO(use);
    INFO(answer.error);
    CHECK(has(answer.error, reason));
  }

  // The launch of a host function that is called with something else, too.
  std::string called = dynamic("  sum += t[(r & 15) * n + r + m];");
  called.replace(called.find("void run"), std::string::npos,
                 "void run(float* p, int m) { dynamic<<<2, 32, 4096>>>(p, p, 32, m); }\n"
                 "void all(float* p) { run(p, 0); run(p, 1); }\n");
  answer = fixed(called);
  INFO(answer.error);
  CHECK(has(answer.error, "and only one of the launches is counted"));

  // Not every element has a place: one of the two N of the extent would be longer.
  const std::string two = R"(#define N 32
__global__ void two(const float* in, float* out, int n) {
  __shared__ float t[N * N + 2 * N];
  const int x = threadIdx.x;
  t[x * N + 1] = in[x];
  t[N * N + N + x] = in[x];
  if (n > 5) out[x] = t[x * N + 2];
  out[x] = t[x * N];
}
)";
  const std::string launch = "void run(float* p) { two<<<1, 32>>>(p, p, 9); }\n",
                    at_each_row = "float t[(N * N + 32) + ((N * N + 32) - 1) / 32];\n";
  CHECK(fixed(two + launch).code == command_line::fine);
  CHECK(has(read_file(), "float t[(N * N + 2 * N) + ((N * N + 2 * N) - 1) / 32];\n"));
  std::string single = two;
  single.replace(single.find(" + 2 * N];"), 10, " + 32];");
  single.replace(single.find("t[N * N + N + x]"), 16, "t[N * N + x]");
  answer = fixed(single + launch);
  INFO(answer.error);
  CHECK(has(read_file(), "float t[N * (N + 1) + 32];\n"));
  CHECK(has(read_file(), "t[N * (N + 1) + x] = in[x];"));
  // What is not executed, or executed by another block, may pass the end of its row.
  CHECK(fixed(single + "void run(float* p) { two<<<1, 32>>>(p, p, 3); }\n").code ==
        command_line::fine);
  CHECK(has(read_file(), at_each_row));
  CHECK(fixed(single).code == command_line::fine);
  CHECK(has(read_file(), at_each_row));
  // The addresses are those of all n.
  std::string of_all = single;
  of_all.replace(of_all.find("  if (n > 5) out[x] = t[x * N + 2];\n"), 37,
                 "  for (int i = 0; i < n; ++i) out[i] = t[x * N + 2];\n");
  CHECK(fixed(of_all + "void run(float* p, int n) { two<<<1, 32>>>(p, p, n); }\n").code ==
        command_line::fine);
  CHECK(has(read_file(), "float t[N * (N + 1) + 32];\n"));
  of_all.replace(of_all.find("t[x * N + 2]"), 12, "t[x * N + i]");
  CHECK(fixed(of_all + "void run(float* p, int n) { two<<<1, 32>>>(p, p, n); }\n").code ==
        command_line::fine);
  CHECK(has(read_file(), at_each_row));
  // Nor if another block, another call, or data may come to the end of the row.
  const auto with_use = [&](const std::string& use, const std::string& host) {
    std::string text = single;
    text.replace(text.find("  if (n > 5) out[x] = t[x * N + 2];\n"), 37, use);
    return text + host;
  };
  for (const std::string& text :
       {with_use("  out[x] = t[x % 16 * N + (x + blockIdx.x) % 40];\n",
                 "void run(float* p) { two<<<2, 32>>>(p, p, 9); }\n"),
        with_use("  for (int i = 0; i < 32 + blockIdx.x; ++i) out[x] += t[x % 16 * N + i];\n",
                 "void run(float* p) { two<<<2, 32>>>(p, p, 9); }\n"),
        with_use("  out[x] = t[x % 16 * N + n];\n",
                 "void run(float* p, int n) { two<<<1, 32>>>(p, p, n); }\n"
                 "void all(float* p) { run(p, 0); run(p, 33); }\n"),
        with_use("  for (int i = 0; i < 64; ++i) { if (in[i] < 2) break; out[x] += t[x % 16 * N + "
                 "i]; }\n",
                 launch),
        with_use("  if (x < n) out[x] = t[x % 16 * N + (x << 1)];\n",
                 "void run(float* p, int n) { two<<<1, 32>>>(p, p, n); }\n"
                 "void all(float* p) { run(p, 16); run(p, 32); }\n"),
        with_use("  out[x] = t[x % 16 * N + gridDim.x];\n",
                 "void run(float* p, int n) { two<<<n, 32>>>(p, p, 9); }\n"
                 "void all(float* p) { run(p, 1); run(p, 40); }\n"),
        with_use("  out[x] = t[x % 16 * N + 2];\n",
                 "void run(float* p, int threads) { two<<<1, threads>>>(p, p, 9); }\n"
                 "void all(float* p) { run(p, 32); run(p, 64); }\n")}) {
    INFO(text);
    CHECK(fixed(text).code == command_line::fine);
    CHECK(has(read_file(), at_each_row));
  }
  // A pointer to an element may pass the end of the row in another block.
  CHECK(has(fixed(with_use("  const float* p = &t[x % 16 * N + x];\n  out[x] = p[blockIdx.x];\n",
                           "void run(float* p) { two<<<2, 32>>>(p, p, 9); }\n"))
                .error,
            "the address of an element is taken at line 7, and how far it is used depends on "
            "blockIdx"));
  // Or with another argument, unless the addresses are those of all arguments.
  const std::string of_n = "void run(float* p, int n) { two<<<1, 32>>>(p, p, n); }\n";
  CHECK(has(
      fixed(with_use("  const float* p = &t[x % 16 * N + x];\n  out[x] = p[n & 1];\n", of_n)).error,
      "is taken at line 7, and how far it is used may depend on n, which is assumed"));
  CHECK(fixed(with_use("  const float* p = &t[x % 16 * N];\n"
                       "  for (int i = 0; i < n; ++i) out[i] = p[1];\n",
                       of_n))
            .code == command_line::fine);
  CHECK(has(read_file(), "  const float* p = &t[x % 16 * (N + 1)];\n"));
  // Nor if the subscript leaves its row.
  of_all = single;
  of_all.replace(of_all.find("t[x * N + 2]"), 12, "t[x * N + 33]");
  CHECK(fixed(of_all + launch).code == command_line::fine);
  CHECK(has(read_file(), at_each_row));
}

TEST_CASE("Instances with other elements get words at the ends of rows", "[clang_fix]") {
  const folder directory;
  const auto text = [](const std::string& extent, const std::string& launches) {
    return "template <class T, int N>\n__global__ void transpose(const T* in, T* out, int n) {\n"
           "  __shared__ T tile[N][" +
           extent + R"(];
  const int x = threadIdx.x, y = threadIdx.y;
  for (int j = 0; j < N; j += 8) tile[y + j][x] = in[(y + j) * n + x];
  __syncthreads();
  for (int j = 0; j < N; j += 8) out[(y + j) * n + x] = tile[x][y + j];
}
void run(float* f, short* s, double* d) {
  transpose<float, 32><<<1, dim3(32, 8)>>>(f, f, 1024);
  transpose<short, 32><<<1, dim3(32, 8)>>>(s, s, 1024);
)" + launches +
           "}\n";
  };
  const auto fixed = [&](const std::string& source) {
    cc::question asked = question_of(directory.write("words.cu", source), "write");
    asked.block.clear();  // that of the launches
    const command_line::answer answer = cc::answer_to(asked);
    INFO(answer.error);
    CHECK(answer.code == command_line::fine);
    return text_of((directory.path / "words.cu").string());
  };
  CHECK(has(fixed(text("N + 1", "")), "T tile[N][N + 4 / sizeof(T)];\n"));
  CHECK(has(fixed(text("33", "")), "T tile[N][32 + 4 / sizeof(T)];\n"));
  CHECK(has(fixed(text("N", "")), "T tile[N][N + 4 / sizeof(T)];\n"));
  // Eight bytes have no part of a word: one element more is one of all.
  CHECK(has(fixed(text("N", "  transpose<double, 32><<<1, dim3(32, 8)>>>(d, d, 1024);\n")),
            "T tile[N][N + 1];\n"));

  cc::array_source array;
  array.element_type = "T";
  array.extents = {{{}, "", 33}};
  const auto extent = [&](const std::vector<cc::instance_rows>& instances) {
    return cc::extent_in_words(array, instances).value_or("none");
  };
  CHECK(extent({{4, 33, 33}, {2, 33, 34}, {1, 33, 36}, {8, 33, 32}}) == "32 + 4 / sizeof(T)");
  CHECK(extent({{4, 33, 34}, {2, 33, 36}}) == "32 + 2 * (4 / sizeof(T))");
  CHECK(extent({{4, 33, 34}, {2, 33, 33}}) == "none");  // fewer words
  CHECK(extent({{4, 33, 33}, {1, 33, 37}}) == "none");  // a part of one
  CHECK(extent({{4, 33, 33}, {2, 33, 34}, {1, 33, 35}}) == "none");
  CHECK(extent({{4, 33, 34}, {4, 33, 35}}) == "none");
  CHECK(extent({}) == "none");
}

TEST_CASE("What requests do not show is changed right or not at all", "[clang_fix]") {
  const folder directory;
  // A swizzle: there is no space for padding.
  const auto swizzled = [&](const std::string& uses, const std::string& prefix = "",
                            const std::string& name = "tile") {
    const std::string file = directory.write(
        "swizzled.cu", prefix +
                           "__global__ void column(int* out, int q) {\n"
                           "  __shared__ int tile[384][32];\n  int t = threadIdx.x;\n"
                           "  out[0] = " +
                           name + "[t][0];\n  " + uses + "\n}\n");
    const command_line::answer reply = cc::answer_to(question_of(file, "write"));
    return reply.code == command_line::fine ? text_of(file) : reply.error;
  };
  CHECK(has(swizzled("out[1] = tile[t][1] + *&tile[t][2];"),
            "out[1] = tile[t][1 ^ (t & 31)] + *&tile[t][2 ^ (t & 31)];"));
  // Through a pointer the elements have another order.
  CHECK(has(swizzled("const int* p = tile[1]; out[t] = p[0] - p[1];"),
            "tile is not changed: it is used without all its subscripts at line 5"));
  CHECK(has(swizzled("out[1] = reinterpret_cast<int&>(tile[t][3]);"), "(tile[t][3 ^ (t & 31)])"));
  CHECK(has(swizzled("out[1] = *(int*)(&tile[t][3]) + ((int*)&tile[t][4])[0];"),
            "*(int*)(&tile[t][3 ^ (t & 31)]) + ((int*)&tile[t][4 ^ (t & 31)])[0]"));
  CHECK(has(swizzled("out[1] = ((int*)&tile[t][4])[1];"), "it is cast to `int *` at line 5"));
  for (const std::string row :
       {"int (&row)[32] = reinterpret_cast<int (&)[32]>(tile[1][0]);",
        "int* row = (int*)&tile[1][0];", "#define row ((int*)&tile[1][0])\n"})
    CHECK(has(swizzled(row + " for (int i = 0; i < 32; ++i) out[32 * i + t] = row[i];"),
              "tile is not changed: it is cast to `int "));
  // Operators in a macro stay together.
  CHECK(has(swizzled("if (q == 1) out[1] = tile[t][COL] + tile[ROW][t];",
                     "#define COL 1 | 2\n#define ROW 7\n"),
            "tile[t][(COL) ^ (t & 31)] + tile[ROW][t ^ (ROW & 31)]"));
  // Calls that may have an effect happen once, in the call of a function.
  const std::string changed =
      swizzled("if (q == 1) out[1] = tile[atomicAdd(&n, 1)][t];", "__device__ int n;\n");
  CHECK(has(changed,
            "  __shared__ int tile[384][32];\n"
            "  const auto tile_swizzled = [](int r, int c) -> auto& {\n"
            "    return tile[r][c ^ (r & 31)];\n  };\n"));
  CHECK(has(changed, "  out[0] = tile_swizzled(t, 0);\n"));
  CHECK(has(changed, "out[1] = tile_swizzled(atomicAdd(&n, 1), t);"));
  CHECK(has(swizzled("if (q == 1) out[1] = tile[min(t, 3)][t];"),
            "tile[min(t, 3)][t ^ ((min(t, 3)) & 31)]"));
  CHECK(has(swizzled("out[1] = 0;\n#if __CUDA_ARCH__ < 500\n  out[1] = tile[t][1];\n#endif"),
            "line 7, which the preprocessor leaves out, names it"));
  CHECK(
      has(swizzled("out[1] = 0;\n#if __CUDA_ARCH__ < 500\n  int my_tile;\n#endif"), "^ (t & 31)"));
  // In another function the name is another one's.
  CHECK(has(swizzled("out[1] = 0;", "#if __CUDA_ARCH__ < 500\nint tile[3];\n#endif\n"),
            "^ (t & 31)"));
  std::string nested = "t";
  for (int level = 0; level < 12; ++level) nested = "tile[" + nested + "][0] & 31";
  CHECK(has(swizzled("if (q == 1) out[1] = " + nested + ";"),
            "out[1] = tile_swizzled(tile_swizzled(tile_swizzled("));
  // An array that is declared outside of the kernel has no function there.
  const std::string outside =
      directory.write("outside.cu",
                      "__shared__ int tile[384][32];\n__global__ void column(int* out, int q) {\n"
                      "  int t = threadIdx.x;\n  out[0] = tile[t][0];\n  if (q == 1) out[1] = " +
                          nested + ";\n}\n");
  CHECK(has(cc::answer_to(question_of(outside, "write")).error,
            "the subscripts at line 5 become too long"));

  // The name keeps its qualifier, and a member of that name is no array.
  std::string file = directory.write(
      "qualified.cu",
      "namespace n { __shared__ int tile[384][32]; }\nstruct of { int tile[4][4]; };\n"
      "__global__ void column(int* out, int q, of z) {\n  int t = threadIdx.x;\n"
      "  out[0] = n::tile[t][0];\n"
      "  if (q == 1) out[1] = n::tile[z.tile[1][0] + n::tile[1][0]][1];\n}\n");
  command_line::answer reply = cc::answer_to(question_of(file, "write"));
  INFO(reply.error);
  CHECK(reply.code == command_line::fine);
  CHECK(has(text_of(file), "out[0] = n::tile[t][0 ^ (t & 31)];"));
  CHECK(has(text_of(file), "n::tile[z.tile[1][0] + n::tile[1][1]]"));

  // Changes of two arrays in one another: one of them now.
  file = directory.write("two.cu",
                         "__global__ void two(int* o) {\n  __shared__ int a[32][32], b[32][32];\n"
                         "  int t = threadIdx.x;\n"
                         "  for (int i = 0; i < 32; ++i) { a[i][t] = i; b[i][t] = t; }\n"
                         "  __syncthreads();\n  int s = 0;\n"
                         "  for (int i = 0; i < 32; ++i) s += a[t][i] + b[t][i];\n"
                         "  s += a[0][b[ 0 ][ 0 ]] + 1;\n  o[t] = s;\n}\n");
  cc::question asked = question_of(file, "write");
  asked.limits.layouts = {"xor_swizzle"};
  reply = cc::answer_to(asked);
  INFO(reply.error);
  CHECK(reply.code == command_line::fine);
  CHECK(has(reply.error, "its change of line 8 overlaps that of another array; run --fix again"));
  CHECK(has(text_of(file), "b[ 0 ][ 0 ]"));
  CHECK(has(text_of(file), "] + 1;"));

  // Values that are made of addresses.
  const auto refused = [](const std::string& use, const std::string& suffix = "") {
    return refusal_of(kernel_with("__shared__ float tile[32][32];", use) + suffix);
  };
  for (const std::string use :
       {"out[1] = &tile[1][0] - &tile[0][0];", "out[1] = tile[1] == tile[0] + 1;",
        "float* p = tile[0]; out[1] = p + 32 == &tile[1][0];"})
    CHECK(has(refused(use), "its address is compared or subtracted at line 3"));
  CHECK(has(refused("out[1] = (unsigned long)&tile[1][0];"),
            "it is cast to `unsigned long` at line 3, and may depend on its extents"));
  // Where a pointer comes depends on what was not counted.
  CHECK(has(refused("float* p = tile[0]; out[1] = out == nullptr ? p[33] : p[1];"),
            "line 3 is not executed by this block"));
  CHECK(has(refused("float* p = tile[0]; out[1] = p[threadIdx.x];",
                    "void go(float* o) { column<<<1, 32>>>(o); column<<<1, 64>>>(o); }\n"),
            "only one of the launches is counted"));
}

TEST_CASE("Rows that wmma accesses become longer where their length is given", "[clang_fix]") {
  const auto text = [](const std::string& extents, const std::string& pitch) {
    return "#include <mma.h>\nusing namespace nvcuda;\n"
           "template <int K> __global__ void multiply(float* out) {\n"
           "  __shared__ __half tile[64][" +
           extents +
           "];\n"
           "  for (int i = 0; i < 64; ++i) tile[i][threadIdx.x] = __float2half(i);\n"
           "  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;\n"
           "  wmma::load_matrix_sync(a, &tile[16][0], " +
           pitch +
           ");\n"
           "  out[threadIdx.x] = __half2float(a.x[0]);\n}\n"
           "template __global__ void multiply<64>(float*);\n";
  };
  const folder directory;
  const std::string file = directory.write("multiply.cu", text("K", "K"));
  const command_line::answer reply = cc::answer_to(question_of(file, "write"));
  INFO(reply.error);
  CHECK(reply.code == command_line::fine);
  CHECK(text_of(file) == text("K + 8", "K + 8"));
  // Rows of 8 bytes more are best, and wmma requires multiples of 16.
  const std::string stored = directory.write(
      "stored.cu",
      "#include <mma.h>\nusing namespace nvcuda;\n__global__ void store(float* out) {\n"
      "  __shared__ float tile[32][32];\n"
      "  wmma::fragment<wmma::accumulator, 16, 16, 16, float> a;\n"
      "  wmma::fill_fragment(a, 0.0f);\n"
      "  wmma::store_matrix_sync(&tile[0][0], a, 32, wmma::mem_row_major);\n"
      "  for (int i = 0; i < 32; i += 8) out[i] = tile[threadIdx.x][i];\n}\n");
  const command_line::answer rows = cc::answer_to(question_of(stored, "dry-run"));
  INFO(rows.output << rows.error);
  CHECK(rows.code == command_line::bad_input);
  CHECK(has(rows.error, "rows that wmma accesses at line 7 are multiples of 16 bytes"));
  // A number that is not that of the array's rows, or is not in the file.
  directory.write("multiply.cu", text("64", "128"));
  CHECK(has(cc::answer_to(question_of(file, "write")).error, "with the change the requests of "));
  directory.write("multiply.cu", "#define PITCH(n) n\n" + text("64", "PITCH(32) + 32"));
  CHECK(cc::answer_to(question_of(file, "write")).code == command_line::fine);
  CHECK(has(text_of(file), "PITCH(32) + 40)"));
}

TEST_CASE("A device function's array has one declaration in a template too", "[clang_fix]") {
  const folder directory;
  const std::string text =
      "template <int N> struct every { static __device__ float one(int a) {\n"
      "  __shared__ float tile[N][N]; return tile[a][0]; } };\n"
      "__global__ void first(float* out) { out[0] = every<32>::one(threadIdx.x); }\n"
      "__global__ void second(float* out) { out[0] = every<64>::one(threadIdx.x); }\n";
  cc::question asked = question_of(directory.write("all.cu", text), "write");
  asked.kernels = {"first"};
  CHECK(has(cc::answer_to(asked).error,
            "it is declared in a template, and the kernel second is not counted here; nothing"));
  asked.kernels.clear();
  const command_line::answer reply = cc::answer_to(asked);
  INFO(reply.error);
  CHECK(reply.code == command_line::fine);
  CHECK(has(text_of(asked.file), "tile[N][N + 1];"));
}

TEST_CASE("--fix writes the plans of all kernels of a file as one change", "[clang_fix]") {
  const folder directory;
  const std::string kernel =
      "(float* out) {\n  __shared__ float tile[32][32];\n  out[0] = tile[threadIdx.x][0];\n}\n";
  const std::string text = "__global__ void first" + kernel + "__global__ void second" + kernel +
                           "__global__ void none(float* out) { out[0] = 1; }\n";
  const command_line::answer shown =
      cc::answer_to(question_of(directory.write("two.cu", text), "dry-run"));
  CHECK(shown.code == command_line::fine);
  const command_line::answer reply =
      cc::answer_to(question_of((directory.path / "two.cu").string(), "write"));
  INFO(reply.error);
  CHECK(reply.code == command_line::fine);
  std::string changed = text;
  for (std::size_t place = changed.find("[32][32]"); place != text.npos;
       place = changed.find("[32][32]"))
    changed.replace(place, 8, "[32][33]");
  CHECK(text_of((directory.path / "two.cu").string()) == changed);
  CHECK(patched(text, shown.output) == changed);
  for (const std::string name : {"first", "second"})
    CHECK(has(reply.error, "written: " + name +
                               ": tile declared as tile[32][33], counted again: 1 "
                               "wavefront instead of 32\n"));
  CHECK(has(reply.output, "second"));
}

TEST_CASE("Changes of different kernels are read in one compilation", "[clang_fix]") {
  const folder directory;
  // Each kernel has its own array; those of the last two are in one line.
  const std::string array = "__shared__ float tile[32][32]; out[0] = tile[threadIdx.x][0]; }";
  const auto kernel = [&](const std::string& name) {
    return "__global__ void " + name + "(float* out) { " + array;
  };
  const std::string text = kernel("first") + "\n" + kernel("second") + "\n" + kernel("third") +
                           " " + kernel("fourth") + "\n";
  const cc::question asked = question_of(directory.write("four.cu", text));
  const std::vector<cc::kernel_result> results = cc::counted_kernels(asked);
  REQUIRE(results.size() == 4);
  std::vector<cc::source_change> changes;
  for (const cc::kernel_result& result : results) {
    const cc::page& page = result.counted->pages.at(0);
    CHECK(page.plans.at(0).planned_cost.wavefronts == 1);
    cc::source_change& change = changes.emplace_back();
    change.kernels = {{&asked, result.counted.get()}};
    change.edits = cc::source_edits(page.kernel->shared.at(0), page.plans[0], text);
  }
  using numbers = std::vector<std::vector<std::size_t>>;
  CHECK(cc::read_together(changes) == numbers{{0, 1, 2}, {3}});
  // Kernel `first` is line 1 and `second` line 2; no kernel has lines 1000 and 2000.
  changes.resize(2);
  const auto are_together = [&](std::size_t number, int line, std::size_t other, int other_line) {
    changes[0].kernels = {{&asked, results[number].counted.get()}};
    changes[1].kernels = {{&asked, results[other].counted.get()}};
    changes[0].edits[0].piece.line = changes[0].edits[0].piece.end_line = line;
    changes[1].edits[0].piece.line = changes[1].edits[0].piece.end_line = other_line;
    return cc::read_together(changes) == numbers{{0, 1}};
  };
  CHECK(are_together(0, 1, 1, 2));
  CHECK(are_together(0, 1000, 1, 2000));
  CHECK_FALSE(are_together(0, 1000, 0, 2000));  // one kernel
  CHECK_FALSE(are_together(0, 1000, 1, 1000));  // one line is edited
  CHECK_FALSE(are_together(0, 1000, 1, 1));     // a line of the first kernel is
  CHECK_FALSE(are_together(0, 2, 1, 2000));     // a line of the second one is
}

TEST_CASE("A change that does not compile leaves the others their counts", "[clang_fix]") {
  const folder directory;
  std::string text;
  for (const std::string name : {"first", "second", "third", "fourth", "fifth"})
    text += "__global__ void " + name +
            "(float* out) {\n  __shared__ float tile[32][32];\n"
            "  out[0] = tile[threadIdx.x][0];\n}\n";
  const cc::question asked = question_of(directory.write("five.cu", text));
  const std::vector<cc::kernel_result> results = cc::counted_kernels(asked);
  REQUIRE(results.size() == 5);
  std::vector<cc::source_change> changes;
  for (const cc::kernel_result& result : results) {
    const cc::page& page = result.counted->pages.at(0);
    cc::source_change& change = changes.emplace_back();
    change.kernels = {{&asked, result.counted.get()}};
    change.edits = cc::source_edits(page.kernel->shared.at(0), page.plans.at(0), text);
  }
  changes[1].edits[0].replacement = "nothing";
  changes[4].edits[0].replacement = "16";  // rows of 16
  REQUIRE(cc::read_together(changes).size() == 1);
  std::vector<std::string> errors(changes.size());
  std::vector<std::uint64_t> wavefronts(changes.size());
  cc::count_changes(changes, [&](std::size_t number, const cc::recount& recounted) {
    errors[number] = recounted.error;
    if (recounted.error.empty())
      wavefronts[number] = cc::issued_cost_of(recounted.kernels.at(0)->pages.at(0), 0).wavefronts;
  });
  CHECK(has(errors[1], "does not compile"));
  errors[1].clear();
  CHECK(errors == std::vector<std::string>(changes.size()));
  CHECK(wavefronts == std::vector<std::uint64_t>{1, 0, 1, 1, 16});
}

TEST_CASE("A change that other kernels can see is counted alone", "[clang_fix]") {
  const folder directory;
  const auto tile = [](const std::string& name, const std::string& type,
                       const std::string& statement) {
    return "__global__ void " + name + "(float* o) {\n  __shared__ " + type + " s;\n" +
           "  s.t[threadIdx.y][threadIdx.x] = o[threadIdx.y * 32 + threadIdx.x];\n"
           "  __syncthreads();\n"
           "  o[threadIdx.y * 32 + threadIdx.x] = s.t[threadIdx.x][threadIdx.y];\n" +
           statement + "}\n";
  };
  const auto launched = [&](const std::string& name, const std::string& text,
                            const std::string& launches) {
    cc::question asked =
        question_of(directory.write(name, text + "int main() { " + launches + " }\n"));
    asked.block.clear();
    std::map<std::string, std::vector<cc::array_plan>> result;
    for (const cc::kernel_result& entry : cc::counted_kernels(asked))
      if (entry.counted != nullptr) result[entry.shown] = entry.counted->pages.at(0).plans;
    return result;
  };
  const std::string types = "struct S { float t[32][32]; };\nstruct U { float t[32][32]; };\n";
  const std::string launches = "ka<<<1, dim3(32, 32)>>>(0); kb<<<1, dim3(32, 32)>>>(0);";
  // The change of S alone makes sizes differ that those of S and U together leave equal.
  auto plans =
      launched("sizes.cu",
               types + tile("ka", "S", "  if (sizeof(S) != sizeof(U)) s.t[threadIdx.x][0] = 0;\n") +
                   tile("kb", "U", ""),
               launches);
  CHECK(has(plans["ka"].at(0).refusal, "other elements"));
  CHECK(plans["kb"].at(0).refusal.empty());
  // The change of S is no reason against that of b.
  plans = launched("other.cu",
                   types + tile("ka", "S", "") +
                       "__global__ void kb(float* o) {\n  __shared__ float b[40][32];\n"
                       "  int n = sizeof(S) / 4 + 4;\n  b[threadIdx.x][n % 31] = o[threadIdx.x];\n"
                       "  __syncthreads();\n  o[threadIdx.x] = b[threadIdx.x][1];\n}\n",
                   "ka<<<1, dim3(32, 32)>>>(0); kb<<<1, 32>>>(0);");
  CHECK(plans["ka"].at(0).refusal.empty());
  CHECK(plans["kb"].at(0).refusal.empty());
  // An error outside of all kernels is one of the change.
  plans =
      launched("asserted.cu",
               types + "static_assert(sizeof(S) < 4200, \"too large\");\n" + tile("ka", "S", ""),
               "ka<<<1, dim3(32, 32)>>>(0);");
  CHECK(has(plans["ka"].at(0).refusal, "with the change the file does not compile"));
  CHECK(plans["ka"].at(0).fix.empty());
}

TEST_CASE("A kernel that does not compile before a change is no reason against it", "[clang_fix]") {
  const folder files;
  const auto plan_of_a = [&](const std::string& name, const std::string& before_a,
                             const std::string& declared, const std::string& element) {
    cc::question asked = question_of(
        files.write(name, before_a + "__global__ void a(float* o) {\n" + declared + "  " + element +
                              "[threadIdx.y][threadIdx.x] = o[threadIdx.y * 32 + threadIdx.x];\n"
                              "  __syncthreads();\n"
                              "  o[threadIdx.y * 32 + threadIdx.x] = " +
                              element +
                              "[threadIdx.x][threadIdx.y];\n}\n"
                              "__global__ void b(float* o) { o[0] = not_declared(o[1]); }\n"
                              "int main() { a<<<1, dim3(32, 32)>>>(0); }\n"));
    asked.block.clear();
    asked.kernels = {"a"};
    return cc::counted_kernels(asked).at(0).counted->pages.at(0).plans.at(0);
  };
  cc::array_plan plan = plan_of_a("local.cu", "", "  __shared__ float s[32][32];\n", "s");
  CHECK(plan.refusal.empty());
  CHECK(plan.planned_cost.wavefronts == 64);
  CHECK_FALSE(plan.fix.empty());
  // It may use the structure.
  plan =
      plan_of_a("structure.cu", "struct S { float t[32][32]; };\n", "  __shared__ S s;\n", "s.t");
  CHECK(has(plan.refusal, "with the change the kernel b does not compile here"));
  // It has no code of the body of another one, whose subscripts may change too.
  plan = plan_of_a("two_lines.cu", "", "  __shared__ float s[32]\n      [32];\n", "s");
  CHECK(plan.refusal.empty());
}

TEST_CASE("--fix writes the declaration, which counts as promised", "[clang_fix]") {
  const folder directory;
  const std::string file = directory.write("transpose.cu", transpose);
  REQUIRE(chmod(file.c_str(), 0640) == 0);
  fs::create_symlink(file, directory.path / "link.cu");
  const std::string link = (directory.path / "link.cu").string();

  CHECK(has(cc::answer_to(transposed(link, "")).output, "fix-it, which --fix writes:\n"));
  CHECK(text_of(file) == transpose);

  cc::question asked = transposed(link, "write");
  asked.allowed.of_all.conflicts = {0, "--max-conflicts"};
  const command_line::answer done = cc::answer_to(asked);
  CHECK(done.code == command_line::fine);
  CHECK(done.error ==
        "bankmodel: " + link +
            ": written: tile declared as tile[32][33], counted again: 16 wavefronts "
            "instead of 264\nbankmodel: note: --fix: a block stores the same values, 1,024 bytes, "
            "before and after, computed from made-up data\n");
  CHECK_FALSE(has(done.output, "fix-it"));
  std::string changed = transpose;
  changed.replace(changed.find("[32];") + 1, 2, "33");
  CHECK(text_of(file) == changed);
  CHECK(fs::is_symlink(link));
  struct stat status = {};
  REQUIRE(stat(file.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0640);
  CHECK(std::distance(fs::directory_iterator(directory.path), fs::directory_iterator()) == 2);

  const command_line::answer reply = cc::answer_to(transposed(link, "write"));
  CHECK(reply.code == command_line::fine);
  CHECK(reply.error == "bankmodel: note: --fix: no other declaration takes fewer wavefronts\n");
  CHECK(text_of(file) == changed);
}

TEST_CASE("--fix=dry-run prints the difference that --fix makes", "[clang_fix]") {
  const folder directory;
  const fs::path previous_path = fs::current_path();
  directory.write("sizes.h", "constexpr int columns = 32;\n");
  // Windows line ends, a file beside it, and no line end at the end.
  std::string text = "#include \"sizes.h\"\r\n" + transpose;
  text.replace(text.find("[32];"), 4, "[columns]");
  text.pop_back();
  const std::string file = directory.write("a b.cu", text);
  fs::current_path(directory.path);
  const command_line::answer shown = cc::answer_to(transposed(file, "dry-run"));
  CHECK(shown.code == command_line::fine);
  CHECK(has(shown.error, "not written yet: tile declared as tile[32][33], counted again: 16 "));
  CHECK(text_of(file) == text);
  CHECK(shown.output.rfind("--- a b.cu\t\n+++ a b.cu\t\n@@ -1,7 +1,7 @@\n", 0) == 0);
  CHECK(cc::answer_to(transposed(file, "write")).code == command_line::fine);
  fs::current_path(previous_path);
  CHECK(has(text_of(file), "float tile[32][columns + 1];"));
  CHECK(text_of(file) == patched(text, shown.output));
}

TEST_CASE("Nothing is written if the new file is not as planned", "[clang_fix]") {
  const folder directory;
  const auto refused = [&](const std::string& text) {
    const std::string file = directory.write("column.cu", text);
    const command_line::answer reply = cc::answer_to(question_of(file, "write"));
    CHECK(reply.code == command_line::bad_input);
    CHECK(reply.output.empty());
    CHECK(text_of(file) == text);
    return reply.error;
  };
  // A subscript beyond its row.
  const std::string error =
      refused(kernel_with("__shared__ float tile[32][32];", "tile[0][threadIdx.x + 32] = 1;"));
  CHECK(has(error, "column.cu:3 are to other elements"));
  CHECK(has(error, "; nothing was written; "));
  // Another file than was read.
  const std::string text = kernel_with("__shared__ float tile[32][32];");
  cc::question asked = question_of(directory.write("column.cu", text), "write");
  asked.text += "__global__ void other() {}\n";
  const command_line::answer reply = cc::answer_to(asked);
  CHECK(reply.code == command_line::bad_input);
  CHECK(has(reply.error, "column.cu changed while it was read; run --fix again"));
  CHECK(text_of(asked.file) == text);
}

TEST_CASE("A plan whose change has other requests is one by hand", "[clang_fix]") {
  // A use that is only to be changed together with another one.
  const planned result = plan_of(R"(__global__ void past(float* out) {
  __shared__ float a[1024];
  float* row = &a[32 * threadIdx.x];
  for (int i = 0; i < 33; ++i) row[i < 32 ? i : 0] = 1;
  out[0] = a[threadIdx.x] + row[64 * (threadIdx.x < 16)];
}
)");
  REQUIRE(result.plans.size() == 1);
  CHECK(has(result.plans[0].refusal,
            "the address of an element is taken at line 3: with the change "
            "the requests of "));
  CHECK_FALSE(has(result.page, "becomes"));
  CHECK_FALSE(has(result.page, "and write"));
}

TEST_CASE("Nothing is written if another array pays for it", "[clang_fix]") {
  // On sm_35 costs depend on where an array begins, and a padded array moves the next one.
  const folder directory;
  const std::string text = R"(__global__ void two(float* out) {
  __shared__ float tile[32][32];
  __shared__ float next[64];
  tile[threadIdx.x][0] = 1;
  tile[threadIdx.x][2] = 1;
  out[0] = next[2 * threadIdx.x];
}
)";
  cc::question asked = question_of(directory.write("two.cu", text), "write");
  asked.machines = {"sm_35"};
  const command_line::answer reply = cc::answer_to(asked);
  CHECK(reply.code == command_line::bad_input);
  CHECK(has(reply.error,
            "--fix: tile is not changed: with the change next takes 2 wavefronts instead of 1; "
            "nothing was written"));
  CHECK(text_of(asked.file) == text);
}

TEST_CASE("A declaration for which the arrays would not fit is no plan", "[clang_fix]") {
  // 132 bytes are left, which the padding would take; then the next array would move by 144.
  const folder directory;
  const std::string text = R"(__global__ void three(float4* out) {
  __shared__ float tile[33][32];
  __shared__ float4 rest[2799];
  __shared__ char tail[12];
  tile[threadIdx.x][0] = 1;
  out[0] = rest[threadIdx.x];
  out[1].x = tail[threadIdx.x / 4];
}
)";
  const cc::question asked = question_of(directory.write("three.cu", text), "write");
  const command_line::answer reply = cc::answer_to(asked);
  INFO(reply.error);
  CHECK(reply.code == command_line::fine);
  std::string changed = text;
  const std::string subscripts = "[threadIdx.x][0]";
  changed.replace(changed.find(subscripts), subscripts.size(),
                  "[threadIdx.x][0 ^ (threadIdx.x & 31)]");
  CHECK(text_of(asked.file) == changed);
}

namespace {

// "5:3 tile[0][1] -> tile[0][2]"
std::vector<std::string> replacements_of(const cc::array_plan& plan) {
  std::vector<std::string> result;
  for (const cc::text_edit& edit : plan.subscripts)
    result.push_back(std::to_string(edit.piece.line) + ":" + std::to_string(edit.piece.column) +
                     " " + edit.piece.text + " -> " + edit.replacement);
  return result;
}

}  // namespace

TEST_CASE("A layout that is no declaration is a list of subscripts", "[clang_fix]") {
  const auto text = [](const std::string& last) {
    return R"(#define AT(r, c) tile[r][c]
#define ROW(r) tile[2 * r]
__global__ void full(float* out) {
  __shared__ float tile[384][32];
  tile[threadIdx.y + 2][threadIdx.x] = AT(threadIdx.x + 1, 0);
  out[0] = *&tile[threadIdx.x][threadIdx.y];
  out[0] += )" +
           last + R"( + tile[5][3] + tile[0][3];
}
)";
  };
  const planned result = plan_of(text("tile[2][0]"));
  REQUIRE(result.plans.size() == 1);
  const cc::array_plan& plan = result.plans[0];
  CHECK_FALSE(plan.is_a_declaration);
  CHECK(plan.fix.empty());
  CHECK(plan.planned_cost.wavefronts < plan.declared_cost.wavefronts);
  CHECK(replacements_of(plan) ==
        std::vector<std::string>{
            "5:3 tile[threadIdx.y + 2][threadIdx.x] -> "
            "tile[threadIdx.y + 2][threadIdx.x ^ ((threadIdx.y + 2) & 31)]",
            "5:40 AT(threadIdx.x + 1, 0) -> tile[threadIdx.x + 1][0 ^ ((threadIdx.x + 1) & 31)]",
            "6:14 tile[threadIdx.x][threadIdx.y] -> "
            "tile[threadIdx.x][threadIdx.y ^ (threadIdx.x & 31)]",
            "7:13 tile[2][0] -> tile[2][2]", "7:26 tile[5][3] -> tile[5][6]"});
  CHECK(has(result.page, ":7:26: tile[5][3]\n    becomes tile[5][6]\n"));
  // The address of an element is taken, and the requests through it were compared.
  CHECK_FALSE(has(result.page, "by hand"));

  // All or nothing: no edit beside a change by hand.
  const planned macro = plan_of(text("ROW(1)[0]"));
  REQUIRE(macro.plans.size() == 1);
  CHECK(macro.plans[0].subscripts.empty());
  CHECK(has(macro.plans[0].refusal, "its subscripts come from a macro at line 7"));
  std::string page = macro.page;
  std::replace(page.begin(), page.end(), '\n', ' ');
  CHECK(has(page, "It is a change by hand: its subscripts come from a macro at line 7. "));
  CHECK_FALSE(has(macro.page, "becomes"));

  // What a subscript changes must not be changed twice.
  const auto with_effects = [](const std::string& first) {
    return R"(__device__ int next(int& i) { return i++; }
__global__ void full(float* out) {
  __shared__ float tile[384][32];
  int i = 0;
  tile[)" + first +
           R"(][threadIdx.x] = 1;
  out[0] = tile[threadIdx.x][min(i, 3)];
}
)";
  };
  for (const std::string use : {"i++", "next(i)"}) {
    const std::string source = with_effects(use);
    const planned effects = plan_of(source);
    REQUIRE(effects.plans.size() == 1);
    CHECK(effects.plans[0].refusal == "");
    CHECK(has(cc::edited(source, effects.plans[0].subscripts),
              "  tile_swizzled(" + use + ", threadIdx.x) = 1;\n"));
    // A kernel has no function for an array that is declared outside.
    std::string outside = source;
    const std::string declaration = "  __shared__ float tile[384][32];\n";
    outside.erase(outside.find(declaration), declaration.size());
    const planned refused = plan_of(declaration + outside);
    REQUIRE(refused.plans.size() == 1);
    CHECK(refused.plans[0].refusal == "a subscript of tile[" + use +
                                          "][threadIdx.x] at line 5 has an effect, and the layout "
                                          "repeats subscripts");
    CHECK(refused.plans[0].subscripts.empty());
  }
  CHECK(has(plan_of(with_effects("i")).page,
            "becomes tile[threadIdx.x][(min(i, 3)) ^ (threadIdx.x & 31)]\n"));

  // A use within a subscript: the outer edit has both.
  const planned nested = plan_of(R"(__global__ void nested(int* out) {
  __shared__ int a[384][32];
  a[threadIdx.x][1] = threadIdx.x;
  __syncthreads();
  out[0] = a[3][a[threadIdx.x][1] & 31];
}
)");
  REQUIRE(nested.plans.size() == 1);
  CHECK(nested.plans[0].refusal == "");
  CHECK(nested.plans[0].planned_cost.conflicts() == 0);
  CHECK(replacements_of(nested.plans[0]) ==
        std::vector<std::string>{"3:3 a[threadIdx.x][1] -> a[threadIdx.x][1 ^ (threadIdx.x & 31)]",
                                 "5:12 a[3][a[threadIdx.x][1] & 31] -> "
                                 "a[3][(a[threadIdx.x][1 ^ (threadIdx.x & 31)] & 31) ^ (3 & 31)]"});

  const planned flat = plan_of(R"(__global__ void flat(float* out) {
  __shared__ float a[1024];
  a[threadIdx.x << 5] = out[0];
  a[threadIdx.x + 1] = 1;
}
)");
  REQUIRE(flat.plans.size() == 1);
  CHECK(flat.plans[0].declaration == "a[1039]");
  CHECK(has(flat.page, ":2:20: declare a[1039], and write\n"));
  CHECK(has(flat.page, "becomes a[(threadIdx.x << 5) + (threadIdx.x << 5) / 64]\n"));
  const folder directory;
  CHECK(has(flat.page, "--fix writes these changes:\n"));
  CHECK(has(cc::answer_to(question_of(directory.write("flat.cu", flat.text), "write")).error,
            "flat.cu: written: a declared as a[1039], element c at c + c / 64, counted again: 3 "
            "wavefronts instead of 33\n"));
  CHECK(text_of((directory.path / "flat.cu").string()) == R"(__global__ void flat(float* out) {
  __shared__ float a[1039];
  a[(threadIdx.x << 5) + (threadIdx.x << 5) / 64] = out[0];
  a[(threadIdx.x + 1) + (threadIdx.x + 1) / 64] = 1;
}
)");
}

TEST_CASE("Dynamic arrays have the elements that the launch gives them", "[clang_fix]") {
  const std::string begin = "__global__ void f(float* out) {\n  extern __shared__ float s[];\n";
  const auto asked_of = [](const std::string& file, long long bytes) {
    cc::question asked = question_of(file);
    asked.dynamic_shared_bytes = bytes;
    return asked;
  };
  const folder directory;
  const std::string reads = "  out[0] = s[32 * threadIdx.x] + s[40] + s[0];\n}\n";
  cc::question asked = asked_of(directory.write("dynamic.cu", begin + reads), 4096);
  const std::string page = cc::answer_to(asked).output;
  CHECK(has(page, "s as s[1055], element c at c + c / 32, takes "));
  CHECK(has(page, "in 4,220 dynamic bytes\ninstead of 4,096.\n"));
  CHECK(has(page, ":2:27: launch it with 4220 dynamic bytes, and write\n"));
  CHECK(has(page, ": s[40]\n    becomes s[41]\n"));
  CHECK_FALSE(has(page, ": s[0]\n"));
  CHECK_FALSE(has(page, "note: there is no plan"));
  asked.format = command_line::format::json;
  CHECK(has(cc::answer_to(asked).output, "\"declaration\": \"\", \"dynamic_bytes\": 4220,"));
  asked = asked_of(asked.file, 4096);
  asked.fix = "write";
  CHECK(has(cc::answer_to(asked).error,
            "--fix: s is not changed: its launches must have 4,220 dynamic bytes; nothing was "));
  // As large as it may be: no padding.
  CHECK(has(cc::answer_to(asked_of(asked.file, 49152)).output,
            "in 49,152 dynamic\nbytes instead of 49,152.\n"));

  // Another kernel's array of the same name has uses and launches of its own.
  const std::string other =
      "__global__ void g(float* out) {\n  extern __shared__ float s[];\n  out[1] = s[2];\n}\n";
  const auto plans_of_first = [&](const std::string& text) {
    cc::question of_first = asked_of(directory.write("several.cu", text), 4096);
    of_first.kernels = {"f"};
    return cc::counted(of_first)->pages.at(0).plans;
  };
  const std::vector<cc::array_plan> alone = plans_of_first(begin + reads);
  for (const std::string& text : {begin + reads + other, other + begin + reads}) {
    const std::vector<cc::array_plan> plans = plans_of_first(text);
    REQUIRE(plans.size() == 1);
    CHECK(plans[0].refusal.empty());
    CHECK(plans[0].dynamic_bytes == 4220);
    REQUIRE(plans[0].subscripts.size() == alone.at(0).subscripts.size());
    CHECK(plans[0].subscripts[1].replacement == "s[41]");
  }
  for (const std::string prefix :
       {"__device__ float h() {\n  extern __shared__ float s[];\n  return s[3];\n}\n",
        "extern __shared__ float s[];\n"}) {
    const std::vector<cc::array_plan> plans = plans_of_first(prefix + begin + reads);
    REQUIRE(plans.size() == 1);
    CHECK(plans[0].refusal == "it is declared several times");
  }
  // Instances that have as many elements, and others.
  const std::string launches =
      "template __global__ void f<1>(float*);\n"
      "template __global__ void f<2>(float*);\n";
  cc::question pair =
      asked_of(directory.write("both.cu", "template <int N> " + begin + reads + launches), 4096);
  CHECK(has(cc::answer_to(pair).output, ": launch it with 4220 dynamic bytes, and write\n"));
  pair =
      question_of(directory.write("both.cu", "template <int N> " + begin + reads +
                                                 "int main() { float* p; f<1><<<1, 32, 4096>>>(p); "
                                                 "f<2><<<1, 32, 8192>>>(p); }\n"));
  CHECK(has(cc::answer_to(pair).output,
            "its extents or elements are others, and the layout is\nnot."));

  // Where there is no plan, page and --fix say why.
  const auto reason = [&](const std::string& text, long long bytes) {
    cc::question question = asked_of(directory.write("without.cu", text), bytes);
    const std::string output = cc::answer_to(question).output;
    const std::size_t note = output.find("note: there is no plan of ");
    question.fix = "dry-run";
    const std::string error = cc::answer_to(question).error;
    const std::string head = "bankmodel: note: --fix: ";
    CHECK(error.substr(0, head.size()) == head);
    CHECK_FALSE(has(error, "no other declaration"));
    std::string on_page = note == output.npos ? "" : output.substr(note + 6);
    std::replace(on_page.begin(), on_page.end(), '\n', ' ');
    CHECK(on_page == error.substr(head.size()).replace(error.size() - head.size() - 1, 1, " "));
    return on_page;
  };
  CHECK(reason(begin + reads, 4098) ==
        "there is no plan of s: its 4098 dynamic bytes are not whole elements of 4 bytes; change "
        "--dynamic-bytes or the launch ");
  CHECK(reason(begin + "  extern __shared__ int t[];\n  t[0] = 1;\n" + reads, 4096) ==
        "there is no plan of t and s: dynamic arrays begin at the same byte, and may be one array; "
        "declare one of them alone ");
  CHECK(reason("__global__ void f(float* out) {\n  extern __shared__ float s[][32];\n  out[0] = "
               "s[threadIdx.x][0];\n}\n",
               4096) ==
        "there is no plan of s: it is a dynamic array of several dimensions; "
        "declare it with all its extents ");
  const std::string of_rows =
      "there is no plan of s: no layout that was searched takes fewer than ";
  CHECK(
      has(reason("struct row { float at[32]; };\n__global__ void f(float* out) {\n  __shared__ row "
                 "s[32];\n  out[0] = s[threadIdx.x].at[0];\n}\n",
                 0),
          of_rows));
  // A request of parts of several elements.
  CHECK(reason("struct part { int a, b, c; };\n__global__ void f(int* out) {\n"
               "  __shared__ part s[64];\n  const int t = threadIdx.x;\n"
               "  s[t].b = t;\n  *(int2*)&s[t / 2 * 2].c = make_int2(t, t);\n"
               "  out[0] = s[8 * t % 64].a;\n}\n",
               0) ==
        "there is no plan of s: not all of its accesses are to whole elements of 12 bytes ");
}

TEST_CASE("A launch that is not counted has its bytes, or nothing is written", "[clang_fix]") {
  const folder directory;
  const auto written = [&](const std::string& declared, const std::string& launches,
                           const std::string& last = "") {
    const std::string file = directory.write(
        "launched.cu", "__global__ void turn(float* out, unsigned long long* address) {\n  " +
                           declared +
                           "\n  const int t = threadIdx.x;\n"
                           "  for (int i = 0; i < 32; ++i) s[t * 32 + i] = out[t];\n"
                           "  __syncthreads();\n"
                           "  for (int i = 0; i < 32; ++i) out[t] += s[t * 32 + i];\n" +
                           last + "}\n" + launches);
    const command_line::answer reply = cc::answer_to(question_of(file, "write"));
    const std::string result = reply.code == command_line::fine ? text_of(file) : reply.error;
    UNSCOPED_INFO(result);
    return result;
  };
  const std::string dynamic = "extern __shared__ float s[];";
  const std::string counted = "void run(float* p) { turn<<<1, 32, 4096>>>(p, nullptr); }\n";
  const std::string more = "turn<<<1, 32, 4096 + 4096 / 128 * 4>>>(p, nullptr);";
  const auto with = [&](const std::string& further) { return written(dynamic, counted + further); };
  CHECK(has(with(""), more));
  // Each launch that is read has more, and questions about a kernel launch none.
  CHECK(has(with("void other(void** p) { cudaLaunchKernel((void*)turn, 1, 32, p, 512, 0); }"),
            "p, 512 + 512 / 128 * 4, 0);"));
  CHECK(has(with("void ask() { cudaFuncAttributes a; cudaFuncGetAttributes(&a, turn); }"), more));
  CHECK(has(with("template <class F> void start(F f, float* p) { f<<<1, 32, 256>>>(p, nullptr); }\n"
                 "void other(float* p) { start(turn, p); }"),
            "f<<<1, 32, 256 + 256 / 128 * 4>>>"));
  CHECK(has(with("void other(float* p, bool b) {\n  auto f = b ? turn : nullptr;\n"
                 "  [&] { f<<<1, 32, 256>>>(p, nullptr); }();\n}"),
            "f<<<1, 32, 256 + 256 / 128 * 4>>>"));
  const std::string kept =
      "its launches must have 4,220 dynamic bytes, and host code names the kernel at ";
  CHECK(has(with("void (*table[])(float*, unsigned long long*) = {turn};\n"
                 "void other(float* p) { table[0]<<<1, 32, 4096>>>(p, nullptr); }"),
            kept + "launched.cu:9, which may be another launch; nothing was written"));
  CHECK(has(with("void other(void** p) {\n  void* f = (void*)turn;\n"
                 "  cudaLaunchKernel(f, 1, 32, p, 4096, 0);\n}"),
            kept + "launched.cu:10, which may be another launch"));
  CHECK(has(with("void other(cudaKernelNodeParams* p) { p->func = (void*)turn; }"), kept));
  CHECK(has(with("template <class F> void start(F);\nvoid other() { start(turn); }"), kept));
  CHECK(has(with("void other(float* p) {\n  cudaLaunchConfig_t c = {};\n  c.gridDim = 1;\n"
                 "  c.blockDim = 32;\n  c.dynamicSmemBytes = 4096;\n"
                 "  cudaLaunchKernelEx(&c, turn, p, (unsigned long long*)nullptr);\n}"),
            "its launches must have 4,220 dynamic bytes; nothing was written"));
  // What the preprocessor leaves out of the host library's headers is none of the array's.
  CHECK(has(with("#include <cstdlib>\n#include <vector>"), more));
  // Text that is not compiled, and a name of C in a string.
  CHECK(has(with("#ifdef OLD\nvoid other(float* p) { turn<<<1, 32, 512>>>(p, nullptr); }\n#endif"),
            kept));
  CHECK(
      has(with("template <class T> void other(T* p) { turn<<<1, 32, 512>>>(p, nullptr); }"), kept));
  CHECK(
      has(with("#ifdef OLD\nvoid other(float* p) { turn<0><<<1, 32, 512>>>(p); }\n#endif"), kept));
  CHECK(has(with("int count(int turn) { return turn < 3; } // turn<<<1, 2>>>"), more));
  // A limit that is not the bytes of a launch may be the most that a block may have.
  CHECK(has(with("void other(float* p, int most) {\n  cudaFuncSetAttribute(turn, "
                 "cudaFuncAttributeMaxDynamicSharedMemorySize, most);\n}"),
            "its launches must have 4,220 dynamic bytes; nothing was written"));
  // Each launch's bytes are those that a block may have.
  const std::string large = "turn<<<1, 32, 48 * 1024>>>(p, nullptr); }";
  const std::string most = " bytes of shared memory, and may have 49,152; nothing was written";
  const std::string too_much = with("void other(float* p) { " + large);
  CHECK(has(too_much, "with the change the launch in line 9 has "));
  CHECK(has(too_much, most));
  CHECK(has(with("void other(float* p) {\n  for (int i = 40; i < 49; ++i)\n"
                 "    turn<<<1, 32, i * 1024>>>(p, nullptr);\n}"),
            "the launch in line 11 has "));
  CHECK(has(with("void other(float* p) {\n  cudaFuncSetAttribute(turn, "
                 "cudaFuncAttributeMaxDynamicSharedMemorySize, 48 * 1024);\n  " +
                 large),
            "turn<<<1, 32, (48 * 1024) + (48 * 1024) / 128 * 4>>>"));
  CHECK(has(with("void other(float* p) {\n  cudaFuncSetAttribute(turn, "
                 "cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024);\n"
                 "  turn<<<1, 32, 227 * 1024>>>(p, nullptr); }"),
            "bytes of shared memory, and may have 232,448"));
  // Where callers say the bytes, only they can keep a launch below what a block has: a note.
  const std::string by_caller =
      directory.write("caller.cu",
                      "__global__ void turn(float* out) {\n  extern __shared__ float s[];\n"
                      "  const int t = threadIdx.x;\n"
                      "  for (int i = 0; i < 32; ++i) s[t * 32 + i] = out[t];\n"
                      "  __syncthreads();\n  out[t] = s[t * 32];\n}\n"
                      "void start(float* p, int n) { turn<<<1, 32, n>>>(p); }\n"
                      "void run(float* p) { start(p, 4096); start(p, 48 * 1024); }\n");
  CHECK(
      has(cc::answer_to(question_of(by_caller, "dry-run")).error,
          "note: --fix: launches with other sizes must stay within the shared memory of a block"));
  const std::string of_c = directory.write(
      "c.cu", "extern \"C\" " + text_of(by_caller) + "const char* name = \"turn\";\n");
  CHECK(has(cc::answer_to(question_of(of_c, "dry-run")).error,
            "c.cu:10, which may be another launch"));
  // Declared arrays grow beside dynamic ones.
  const std::string both = "__shared__ float s[1024];\n  extern __shared__ float rest[];";
  const auto beside = [&](const std::string& bytes) {
    return written(both,
                   "void run(float* p) { turn<<<1, 32>>>(p, nullptr); }\n"
                   "void other(float* p) { turn<<<1, 32, " +
                       bytes + ">>>(p, nullptr); }");
  };
  CHECK(has(beside("44 * 1024"), most));
  CHECK(has(beside("44 * 1024 - 124"), "__shared__ float s[1055];"));
  CHECK(has(beside("44 * 1024 - 120"), most));

  // What is done with an address that only code stores which this block does not execute.
  const std::string rows = "__shared__ float s[1024];";
  const std::string launch = "void run(float* p) { turn<<<1, 32>>>(p, nullptr); }\n";
  CHECK(has(written(rows, launch), "s[t * 33 + i]"));
  for (const std::string use :
       {"asm volatile(\"st.global.b64 [%0], %1;\" :: \"l\"(address), \"l\"(&s[8]));",
        "*(float**)address = &s[8];"})
    CHECK(has(written(rows, launch, "  if (address) " + use + "\n"),
              "line 7 is not executed by this block"));
}

TEST_CASE("Subscripts in the body of a macro are changed there", "[clang_fix]") {
  const folder directory;
  const auto written = [&](const std::string& macro, const std::string& body,
                           const std::string& after = "") {
    const std::string file = directory.write(
        "macro.cu", macro +
                        "\n__global__ void turn(const float* a, float* o) {\n"
                        "  __shared__ float s[1024];\n"
                        "  const int x = threadIdx.x, y = threadIdx.y;\n" +
                        body + "\n}\n" + after +
                        "\nvoid run(float* p) { turn<<<1, dim3(32, 32)>>>(p, p); }\n");
    cc::question asked = question_of(file, "write");
    asked.block.clear();
    const command_line::answer reply = cc::answer_to(asked);
    const std::string result = reply.code == command_line::fine ? text_of(file) : reply.error;
    UNSCOPED_INFO(result);
    return result;
  };
  const std::string body =
      "  S(y, x) = a[y * 32 + x];\n  __syncthreads();\n  o[y * 32 + x] = S(x, y);";
  CHECK(has(written("#define S(i, j) s[(i) * 32 + (j)]", body),
            "#define S(i, j) s[((i) * 32 + (j)) + ((i) * 32 + (j)) / 32]\n"));
  CHECK(has(written("#  define  S(i, j) ( s[32 * (i) + j] ) // rows", body),
            "#  define  S(i, j) ( s[(32 * (i) + j) + (32 * (i) + j) / 32] ) // rows\n"));
  // What a parameter stands for has operators.
  const std::string first =
      directory.write("first.cu",
                      "#define FIRST(r) t[r][0]\n__global__ void f(float* out) {\n"
                      "  __shared__ float t[384][32];\n  t[threadIdx.y + 2][threadIdx.x] = 1;\n"
                      "  out[0] = t[threadIdx.x][threadIdx.y] + FIRST(threadIdx.x | 1);\n}\n"
                      "void run(float* p) { f<<<1, dim3(32, 8)>>>(p); }\n");
  cc::question asked = question_of(first, "write");
  asked.block.clear();
  CHECK(cc::answer_to(asked).code == command_line::fine);
  CHECK(has(text_of(first), "#define FIRST(r) t[(r)][0 ^ ((r) & 31)]\n"));
  // The macro has the array's name, which is no other's.
  const std::string own =
      "  s(y, x) = a[y * 32 + x];\n  __syncthreads();\n  o[y * 32 + x] = s(x, y);";
  CHECK(has(written("#define s(i, j) s[(i) * 32 + (j)]", own), "+ ((i) * 32 + (j)) / 32]\n"));

  const std::string refusal = "s is not changed: its subscripts come from a macro at line ";
  // Uses that are not known: of another array, in code that is left out, in other macros.
  CHECK(has(written("#define S(i, j) s[(i) * 32 + (j)]", body,
                    "__global__ void other(float* o) {\n  __shared__ float s[1024];\n"
                    "  o[0] = S(threadIdx.x, 0);\n}"),
            refusal));
  CHECK(has(written("#define S(i, j) s[(i) * 32 + (j)]", body,
                    "template <class T> __device__ T other(T* s) { return S(1, 2); }"),
            refusal));
  CHECK(has(written("#define S(i, j) s[(i) * 32 + (j)]\n#ifdef S\n#endif", body), refusal));
  CHECK(has(written("#define S(i, j) s[(i) * 32 + (j)]\n#define T(i) S(i, 1)", body), refusal));
  CHECK(has(written("#define S(i, j) s[(i) * 32 \\\n + (j)]", body), refusal));
  CHECK(has(written("#define S(i, j, n) n[(i) * 32 + (j)]",
                    "  S(y, x, s) = a[y * 32 + x];\n  __syncthreads();\n"
                    "  o[y * 32 + x] = S(x, y, s);"),
            refusal));
  // A formula has a subscript twice, and a function evaluates it once; also what a macro hides.
  for (const std::string effect :
       {"S(n++ & 31, x)", "S(x, (n++, 3))", "S(NEXT, x)", "S(m & 31, x)"})
    CHECK(has(written("#define NEXT n++ & 31\n#define S(i, j) s[(i) * 32 + (j)]",
                      body + "\n  int n = y;\n  volatile int m = y;\n  o[0] = " + effect + ";"),
              "#define S(i, j) s_swizzled((i) * 32 + (j))\n"));
  CHECK(has(written("#define S(i, j) s[(i) * 32 + (j)]\n#include <cuda_fp16.h>", body), refusal));
}

TEST_CASE("Elements whose members are accessed one by one are moved as a whole", "[clang_fix]") {
  const folder directory;
  const auto written = [&](const std::string& kernel) {
    const std::string file =
        directory.write("members.cu",
                        "struct complex { float re, im; };\n__global__ void k(complex* d) {\n"
                        "  const int x = threadIdx.x, y = threadIdx.y;\n" +
                            kernel + "}\nvoid run(complex* d) { k<<<1, dim3(32, 8)>>>(d); }\n");
    cc::question asked = question_of(file, "write");
    asked.block.clear();  // that of the launch
    const command_line::answer reply = cc::answer_to(asked);
    UNSCOPED_INFO(reply.error);
    return reply.code == command_line::fine ? text_of(file) + reply.error : reply.error;
  };
  const std::string rows = written(
      "  __shared__ complex s[32][32];\n  s[y][x].re = d[x].re;\n  s[y][x].im = d[y].im;\n"
      "  __syncthreads();\n  d[32 * y + x].re = s[x][y].im;\n");
  CHECK(has(rows, "__shared__ complex s[32][33];"));
  CHECK(has(rows, "counted again: 32 wavefronts instead of 272"));
  const std::string line = written(
      "  __shared__ complex s[512];\n  const int t = 32 * y + x;\n  s[t] = d[t];\n"
      "  s[t + 256] = d[t + 256];\n  __syncthreads();\n  s[16 * t % 512].re = s[2 * t].im;\n"
      "  __syncthreads();\n  d[t] = s[t];\n");
  CHECK(has(line, "__shared__ complex s[527];"));
  CHECK(has(line, "s[(16 * t % 512) + (16 * t % 512) / 32].re = s[(2 * t) + (2 * t) / 32].im;"));
  // Of one vector; the other half of it is accessed where it was, beside its element.
  const std::string vectors = written(
      "  __shared__ float4 s[32][8];\n  s[x][y].x = d[x].re;\n  s[x][y].w = d[x].im;\n"
      "  __syncthreads();\n  d[32 * y + x] = {s[x][y].w, s[x][y].x};\n");
  CHECK(has(vectors, "__shared__ float4 s[32][9];"));
  // Advice about global memory prices what is written: joined accesses may not be aligned.
  const std::string read = directory.write(
      "read.cu",
      "struct complex { float re, im; };\n"
      "__global__ void k(const float2* in, float* out) {\n"
      "  __shared__ complex s[512];\n  const int t = threadIdx.x;\n"
      "  for (int i = 0; i < 8; ++i) {\n    s[t + i * 64].re = in[t + i * 64].x;\n"
      "    s[t + i * 64].im = in[t + i * 64].y;\n  }\n  __syncthreads();\n"
      "  complex v[8];\n  for (int i = 0; i < 8; ++i) v[i] = s[t * 8 + i];\n"
      "  float sum = 0;\n  for (int i = 0; i < 8; ++i) sum += v[i].re;\n"
      "  out[t] = sum;\n}\nvoid run(float2* a, float* b) { k<<<1, 64>>>(a, b); }\n");
  CHECK(has(cc::answer_to(question_of(read)).output, "the whole kernel"));
}

TEST_CASE("Rows become rows of whole vectors, or lose a padding that costs more", "[clang_fix]") {
  const folder directory;
  const auto written = [&](const std::string& text) {
    const std::string file = directory.write("rows.cu", text);
    cc::question asked = question_of(file, "write");
    asked.block.clear();  // that of the launch
    const command_line::answer reply = cc::answer_to(asked);
    UNSCOPED_INFO(reply.error);
    return reply.code == command_line::fine ? text_of(file) + reply.error : reply.error;
  };
  // The compiler joins four floats where each row is aligned.
  const auto product = [&](const std::string& declared) {
    return written(
        "#define N 64\n__global__ void k(const float* in, float* out) {\n"
        "  __shared__ float " +
        declared +
        ";\n  const int x = threadIdx.x, y = threadIdx.y;\n"
        "  for (int i = 16 * y + x; i < 16 * N; i += 256) s[i / N][i % N] = in[i];\n"
        "  __syncthreads();\n  float sum[4] = {};\n"
        "  for (int k = 0; k < 16; ++k)\n"
        "    for (int i = 0; i < 4; ++i) sum[i] += s[k][4 * x + i];\n"
        "  for (int i = 0; i < 4; ++i) out[y * N + 4 * x + i] = sum[i];\n}\n"
        "void run(float* p) { k<<<1, dim3(16, 16)>>>(p, p); }\n");
  };
  CHECK(has(product("s[16][N + 1]"), "__shared__ float s[16][N];"));
  CHECK(has(product("s[16][N + 2]"), "__shared__ float s[16][N];"));
  const auto turned = [&](const std::string& declared, const std::string& store,
                          const std::string& launch = "<<<1, dim3(16, 16)>>>") {
    return written(
        "#define TILE 16\n__global__ void k(const float* in, float* out, int n) {\n"
        "  const int x = threadIdx.x, y = threadIdx.y;\n  __shared__ float " +
        declared + ";\n  " + store +
        "\n  __syncthreads();\n  out[16 * y + x] = s[y][15 - x];\n}\n"
        "void run(float* p) { k" +
        launch + "(p, p, 16); }\n");
  };
  const std::string store = "s[y][x] = in[16 * y + x];";
  CHECK(has(turned("s[TILE][TILE + 1]", store), "__shared__ float s[TILE][TILE];"));
  CHECK(has(turned("s[16][17 /* more */]", store), "__shared__ float s[16][16 /* more */];"));
  // A name may be less elsewhere.
  for (const std::string extent : {"TILE + 2 - 1", "TILE + PAD", "PITCH"})
    CHECK_FALSE(has(turned("s[TILE][" + extent + "]", store), "float s[TILE][" + extent + " - "));
  CHECK(has(turned("s[TILE][TILE + 4]", store), "__shared__ float s[TILE][TILE];"));
  // Where another block, launch or line may use the last columns, they stay.
  const std::string more = "float s[16][48];";
  CHECK(
      has(turned("s[16][17]", "if (n > 0) s[y][x] = in[16 * y + x]; else s[y][x + 1] = 0;"), more));
  CHECK(has(turned("s[16][17]", "s[y][x + (n > 16)] = in[16 * y + x];"), more));
  CHECK(has(turned("s[16][17]", store, "<<<1, dim3(16, n)>>>"), more));
  // A row of which a quarter or more is not accessed has another reason.
  CHECK(has(turned("s[16][24]", store), more));
}

TEST_CASE("A declaration is offered and written beside a better layout", "[clang_fix]") {
  const std::string text = R"(__global__ void columns(float* out) {
  __shared__ float tile[64][8];
  tile[threadIdx.x / 8][threadIdx.x % 8] = 1;
  out[0] = tile[threadIdx.x][0];
}
)";
  const planned result = plan_of(text);
  REQUIRE(result.plans.size() == 2);
  CHECK(result.plans[0].text ==
        "tile declared as tile[64][9] takes 3 wavefronts instead of 9, in 2,304 bytes instead of "
        "2,048; 1 conflict remains, and no layout takes fewer than 2.");
  CHECK((result.plans[0].fix.size() == 1 && result.plans[0].subscripts.empty()));
  CHECK(result.plans[1].planned_cost.wavefronts == 2);
  CHECK((result.plans[1].fix.empty() && result.plans[1].subscripts.size() == 2));
  const folder directory;
  const command_line::answer done =
      cc::answer_to(question_of(directory.write("columns.cu", text), "write"));
  CHECK(done.code == command_line::fine);
  CHECK(has(done.error,
            "bankmodel: note: --fix: the plan of tile with 2 wavefronts changes "
            "subscripts too\n"));
  CHECK(has(text_of((directory.path / "columns.cu").string()), "tile[64][9];"));
}

TEST_CASE("--fix with other options and other files", "[clang_fix]") {
  const folder directory;
  const auto refusal = [&](const cc::question& asked) {
    const command_line::answer reply = cc::answer_to(asked);
    CHECK(reply.code == command_line::bad_input);
    CHECK(reply.output.empty());
    return reply.error;
  };
  const std::string file = directory.write("transpose.cu", transpose);
  cc::question asked = transposed(file, "write");
  asked.machines = {"sm_80", "sm_90"};
  CHECK(has(refusal(asked), "--fix plans for one machine; name one --machine\n"));
  CHECK(has(refusal(transposed(file, "maybe")), "--fix=maybe is not known; use --fix or "));
  asked = transposed(file, "dry-run");
  asked.format = command_line::format::json;
  CHECK(has(refusal(asked), "leave out --json, --csv and --html"));
  asked = transposed(file, "dry-run");
  asked.html = true;
  CHECK(has(refusal(asked), "leave out --json, --csv and --html"));
  asked = transposed(directory.write("transpose.ptx", ".version 8.0\n"), "write");
  CHECK(has(refusal(asked), "is compiled code; name the source that it was compiled from"));
  // The file is another one than was read.
  asked = transposed(file, "write");
  asked.text.insert(0, " ");
  CHECK(has(refusal(asked), "changed while it was read; run --fix again"));
  asked.text = transpose + " ";
  CHECK(has(refusal(asked), "changed while it was read; run --fix again"));
  asked.text = "";
  CHECK(has(refusal(asked), "changed while it was read; run --fix again"));
  CHECK(text_of(file) == transpose);
  asked = transposed(file, "write");
  asked.format = command_line::format::json;
  CHECK(has(cc::answer_to(asked).output, "\"wavefronts\": 16,"));
}

TEST_CASE("The plans are in JSON", "[clang_fix]") {
  const folder directory;
  cc::question asked = transposed(directory.write("transpose.cu", transpose), "");
  asked.format = command_line::format::json;
  const std::string output = cc::answer_to(asked).output;
  CHECK(
      has(output, "\"plans\": [\n        {\"array\": \"tile\", \"message\": \"tile declared as "));
  CHECK(has(output,
            "\"wavefronts_after\": 16, \"is_upper_bound\": false, \"as_issued\": false, "
            "\"refusal\": \"\""));
  CHECK(has(output,
            "\"line\": 3, \"column\": 29, \"end_line\": 3, \"end_column\": 31, \"text\": "
            "\"32\", \"replacement\": \"33\"}"));
  asked.plan = false;
  CHECK(has(cc::answer_to(asked).output, "\"plans\": [\n      ]"));
}

TEST_CASE("Files are replaced as a whole or not at all", "[clang_fix]") {
  const folder directory;
  const std::string file = directory.write("a.cu", "old");
  CHECK_THROWS_AS(cc::replace_file(file, "other", "new"), command_line::refusal);
  CHECK_THROWS_AS(cc::replace_file((directory.path / "none.cu").string(), "old", "new"),
                  command_line::refusal);
  CHECK(text_of(file) == "old");
  CHECK(std::distance(fs::directory_iterator(directory.path), fs::directory_iterator()) == 1);
  cc::replace_file(file, "old", "new");
  CHECK(text_of(file) == "new");
}

TEST_CASE("Differences are those that patch reads", "[clang_fix]") {
  const folder directory;
  const fs::path before_path = fs::current_path();
  fs::current_path(directory.path);
  const std::vector<std::vector<int>> changed_lines = {{0},     {29},    {0, 29},   {5, 6, 7},
                                                       {5, 12}, {5, 13}, {4, 9, 20}};
  for (std::size_t number = 0; number < 12 * changed_lines.size(); ++number)
    for (const bool ends : {true, false}) {
      const std::vector<int>& changed = changed_lines[number % changed_lines.size()];
      // Instead of each of these lines so many others: none, one, two or three; and so many behind
      // the last of them.
      const std::size_t others = number / changed_lines.size() % 4,
                        behind = number / changed_lines.size() / 4;
      std::string original, modified;
      for (int line = 0; line < 30; ++line) {
        const bool is_changed = std::count(changed.begin(), changed.end(), line) != 0;
        const std::string text = std::to_string(line) + (line < 29 || ends ? "\n" : "");
        original += "line " + text;
        if (!is_changed) modified += "line " + text;
        for (std::size_t other = 0; is_changed && other < others; ++other)
          modified += "other " + std::to_string(other) + " of " + text;
        for (std::size_t other = 0; line == changed.back() && line < 29 && other < behind; ++other)
          modified += "behind it " + std::to_string(other) + "\n";
      }
      if (!ends && original.back() != '\n' && others > 1 && changed.back() == 29) continue;
      const std::string difference = cc::unified_diff("lines", original, modified);
      CHECK(patched(original, difference) == modified);
      CHECK(patched(modified, difference).empty());
      directory.write("lines", original);
      directory.write("diff", difference);
      directory.write("after", modified);
      // As diff -u prints it, but for the two lines of names.
      CHECK(std::system("diff -u lines after | tail -n +3 > wanted; tail -n +3 diff > own; "
                        "cmp -s own wanted") == 0);
    }
  fs::current_path(before_path);
  CHECK(cc::unified_diff("lines", "a\n", "a\n").empty());
}

TEST_CASE("Plans keep accesses in one piece that the compiler joins", "[clang_fix]") {
  const folder directory;
  cc::question asked = question_of(directory.write("product.cu", R"(
__global__ void product(float* c, const float* a, const float* b, int k) {
  __shared__ float as[8][64];
  __shared__ float bs[8][64];
  float sum[4][4] = {};
  int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  for (int at = 0; at < k; at += 8) {
    for (int i = 0; i < 2; ++i) as[t % 8][t / 8 + 32 * i] = a[(t / 8 + 32 * i) * k + at + t % 8];
    for (int i = 0; i < 2; ++i) bs[t / 64 + 4 * i][t % 64] = b[(at + t / 64 + 4 * i) * 64 + t % 64];
    __syncthreads();
    for (int j = 0; j < 8; ++j)
      for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 4; ++x) sum[y][x] += as[j][4 * ty + y] * bs[j][4 * tx + x];
    __syncthreads();
  }
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x) c[(4 * ty + y) * 64 + 4 * tx + x] = sum[y][x];
}
)"));
  asked.block = "16x16";
  asked.arguments = {"k=64"};
  std::string said = cc::answer_to(asked).output;
  std::replace(said.begin(), said.end(), '\n', ' ');
  // As written, bs takes 16,384 wavefronts at line 13, and words in another order would be better.
  CHECK(has(said, "2-way bank conflict: 8,192 requests take 16,384 wavefronts, ideal 8,192"));
  CHECK(has(said, "; as issued (an estimate) 512 requests"));
  CHECK_FALSE(has(said, "bs declared as"));
  CHECK(has(said,
            "as declared as as[8][68] takes 1,152 wavefronts instead of 2,048 as issued, in 2,176 "
            "bytes"));
  CHECK(has(said, "accesses of 16 bytes stay aligned and in one piece"));
  asked.fix = "write";
  const command_line::answer done = cc::answer_to(asked);
  CHECK(done.code == command_line::fine);
  CHECK(has(done.error, "counted again: 1,152 wavefronts instead of 2,048 as issued\n"));
  CHECK(has(text_of(asked.file), "__shared__ float as[8][68];"));
}

TEST_CASE("No plan is worse than the best row length alone", "[clang_fix]") {
  // The compiler joins the words of a thread's row; rows of 33 words take them apart and cost less.
  const std::string text = R"(__global__ void rows(unsigned* out, const unsigned* in) {
  __shared__ unsigned s[PITCH * 64];
  unsigned* mine = &s[PITCH * threadIdx.x];
#pragma unroll
  for (int i = 0; i < 32; ++i) mine[i] = in[64 * i + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 32; ++i) out[64 * i + threadIdx.x] = s[PITCH * (63 - threadIdx.x) + i];
}
)";
  const auto with_pitch = [&](int pitch) {
    return plan_of("#define PITCH " + std::to_string(pitch) + "\n" + text);
  };
  std::uint64_t best = ~std::uint64_t{0};
  const folder directory;
  for (int pitch = 32; pitch < 44; ++pitch) {
    cc::question asked = question_of(
        directory.write("rows.cu", "#define PITCH " + std::to_string(pitch) + "\n" + text));
    asked.plan = false;
    best = std::min(best, cc::counted(asked)->pages[0].costs.issued_cost.wavefronts);
  }
  const planned result = with_pitch(32);
  REQUIRE(result.plans.size() == 1);
  CHECK(result.plans[0].refusal.empty());
  CHECK(result.plans[0].planned_cost.wavefronts <= best);
  CHECK(result.plans[0].declared_cost.wavefronts > 4 * best);
  CHECK(with_pitch(33).plans.empty());
}

TEST_CASE("A plan by hand is no worse than the best row length either", "[clang_fix]") {
  // Rows of 34 keep two doubles of a row in one piece, and cost more than rows of 33. The type of
  // `rows` is why neither is counted again: the number is an upper bound.
  const planned result = plan_of(R"(__global__ void lu(double* A, int lda) {
  __shared__ double a[32][32];
  double (*rows)[32] = a;
  rows[threadIdx.y][threadIdx.x] = A[threadIdx.y * lda + threadIdx.x];
  __syncthreads();
  for (int k = 0; k < 31; ++k) {
    if (threadIdx.y == 0 && threadIdx.x > k) a[threadIdx.x][k] /= a[k][k];
    __syncthreads();
    if (threadIdx.y > k && threadIdx.x > k)
      a[threadIdx.y][threadIdx.x] -= a[threadIdx.y][k] * a[k][threadIdx.x];
    __syncthreads();
  }
  A[threadIdx.y * lda + threadIdx.x] = a[threadIdx.y][threadIdx.x];
}
void f(double* A) { lu<<<1, dim3(32, 32)>>>(A, 32); }
)",
                                 "32x32");
  REQUIRE(result.plans.size() == 1);
  CHECK_FALSE(result.plans[0].refusal.empty());
  CHECK(result.plans[0].text.rfind("a declared as a[32][33] takes at most 3,", 0) == 0);
  CHECK(result.plans[0].has_upper_bound());
  CHECK_FALSE(has(result.plans[0].text, "remain"));
}

TEST_CASE("Columns that are never accessed have no place", "[clang_fix]") {
  const auto text = [](int columns) {
    return R"(#include <cuda_fp16.h>
__global__ void k(float4* o) {
  __shared__ half t[128][)" +
           std::to_string(columns) + R"(];
  for (int i = threadIdx.x; i < 256; i += 32) *(float4*)&t[i / 2][i % 2 * 8] = o[i];
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 32) o[i] = *(float4*)&t[i % 128][i / 128 * 8];
}
)";
  };
  const planned packed = plan_of(text(16)), wide = plan_of(text(24));
  REQUIRE(packed.plans.size() == 1);
  REQUIRE(wide.plans.size() == 1);
  CHECK(wide.plans[0].planned == packed.plans[0].planned);
  CHECK(wide.plans[0].planned_cost.wavefronts == packed.plans[0].planned_cost.wavefronts);
  CHECK(wide.plans[0].planned.required_size() * 2 == 4096);
  CHECK(wide.plans[0].refusal.empty());
  const folder directory;
  const std::string page = cc::answer_to(question_of(directory.write("wide.cu", text(24)))).output;
  CHECK(has(page, "note: 8 declared columns of t are never accessed by this block\n"));
  CHECK_FALSE(has(cc::answer_to(question_of(directory.write("packed.cu", text(16)))).output,
                  "never accessed"));
}

TEST_CASE("what a block does not execute is compared by its addresses", "[clang_fix]") {
  const folder directory;
  const auto written = [&](const std::string& use, const std::string& launch = "") {
    const std::string file = directory.write("tail.cu", R"(
__device__ void other(float4* pieces);
__global__ void tail(const float* in, float* out, float** kept, int n, int off) {
  __align__(16) __shared__ float s[1024];
  const int t = threadIdx.x, i = 1024 * blockIdx.x + t;
  float4 sum[1] = {};
  if (i < n) s[32 * t] = in[i]; else s[32 * t] = 0;
  __syncthreads();
  for (int r = 0; r < 1; ++r) sum[r] = reinterpret_cast<float4*>(&s[32 * t])[r];
  if (i >= n) {
    )" + use + R"(
  }
  out[t] = sum[0].x + s[31 * t];
}
)" + (launch.empty() ? "void run(float* a) { tail<<<4, 32>>>(a, a, 0, 4096, 0); }\n" : launch));
    cc::question asked = question_of(file, "write");
    asked.block.clear();
    const command_line::answer reply = cc::answer_to(asked);
    return reply.code == command_line::fine ? text_of(file) : reply.error;
  };
  const std::string refusal = "is not executed by this block";
  const std::string text = written("");
  INFO(text);
  CHECK(has(text, "else s[(32 * t) + (32 * t) / 32 * 4] = 0;"));
  CHECK(has(text, "reinterpret_cast<float4*>(&s[(32 * t) + (32 * t) / 32 * 4])[r];"));
  // Its own subscripts, pieces at its subscripts, and small values that are stored to global
  // memory.
  CHECK(has(written("s[t] = 1; out[64] = s[32 * t + 3];"), "s[t + t / 32 * 4] = 1;"));
  CHECK(has(written("for (int k = 0; k < 4; ++k) s[32 * t + k] = 0;"), "/ 32 * 4] = 0;"));
  CHECK(has(written("for (int r = 0; r < 8; ++r) sum[0].x += "
                    "reinterpret_cast<float4*>(&s[32 * t])[r].y;"),
            "reinterpret_cast<float4*>(&s[(32 * t) + (32 * t) / 32 * 4])[r].y;"));
  // Loops that say how often, and an argument that is assumed.
  CHECK(has(written("for (int q = 0; q < off; ++q) s[t] += 1;"), "s[t + t / 32 * 4] += 1;"));
  CHECK(has(written("", "void run(float* a, int n) { tail<<<4, 32>>>(a, a, 0, n, 0); }\n"),
            "else s[(32 * t) + (32 * t) / 32 * 4] = 0;"));
  // A pointer that goes further than to the end of its row, or as far as an argument says.
  CHECK(has(written("sum[0] = reinterpret_cast<float4*>(&s[32 * t])[8];"), refusal));
  CHECK(has(written("sum[0] = reinterpret_cast<float4*>(&s[32 * (t % 31)])[8];"),
            "which this block does not execute, may access other elements"));
  CHECK(has(written("for (int r = 0; r < 9; ++r) sum[0].x += "
                    "reinterpret_cast<float4*>(&s[32 * (t % 31)])[r].y;"),
            "which this block does not execute, may access other elements"));
  CHECK(has(written("sum[0] = reinterpret_cast<float4*>(&s[32 * t])[off];"), refusal));
  CHECK(has(written("for (int q = 0; q < off; ++q) sum[0].x += "
                    "reinterpret_cast<float4*>(&s[32 * (t % 31)])[q & 15].y;"),
            refusal));
  CHECK(has(written("sum[0] = reinterpret_cast<float4*>(&s[4 * blockIdx.x])[t];"), refusal));
  // Data say the address, or one is stored.
  CHECK(has(written("sum[0] = reinterpret_cast<float4*>(&s[32 * t])[int(in[t])];"), refusal));
  CHECK(has(written("kept[t] = reinterpret_cast<float*>(&s[32 * t]);"), refusal));
  CHECK(has(written("other(reinterpret_cast<float4*>(&s[32 * t]));"), refusal));
}

TEST_CASE("A search without a better plan says so", "[clang_fix]") {
  // Each lane reads the same words in two orders that no layout serves in one wavefront each.
  const folder directory;
  const std::string text = R"(__global__ void odd(float* out) {
  __shared__ float a[33];
  out[0] = a[threadIdx.x + 1] + a[threadIdx.x == 31 ? 0 : threadIdx.x + 1] + a[threadIdx.x];
}
)";
  cc::question asked = question_of(directory.write("odd.cu", text));
  asked.allowed.of_all.conflicts = {0, "--max-conflicts"};
  const command_line::answer reply = cc::answer_to(asked);
  CHECK(reply.code == command_line::fine);
  CHECK_FALSE(has(reply.output, "there is no plan"));
  std::string output = cc::answer_to(question_of(directory.write("atomic.cu", R"(
__global__ void atomic(float* out) {
  __shared__ unsigned a[64];
  atomicAdd(&a[threadIdx.x * 2], 1u);
  atomicAdd(&a[threadIdx.x], 1u);
  atomicAdd(&a[threadIdx.x + 32], 1u);
  atomicAdd(&a[threadIdx.x / 16 * 32 + threadIdx.x % 16], 1u);
  atomicAdd(&a[threadIdx.x / 16 * 48 + threadIdx.x % 16], 1u);
  atomicAdd(&a[threadIdx.x / 2 * 4 + threadIdx.x % 2], 1u);
}
)")))
                           .output;
  std::replace(output.begin(), output.end(), '\n', ' ');
  INFO(output);
  CHECK((has(output, "and none at all fewer than ") ||
         has(output, ", and no layout takes fewer than ")));
}

TEST_CASE("Requests of few lanes are named", "[clang_fix]") {
  const folder directory;
  const auto print = [&](const std::string& statement) {
    cc::question asked = question_of(directory.write(
        "few.cu", "__global__ void few(float* out) {\n  const int t = threadIdx.x;\n  " +
                      statement + "\n}\n"));
    asked.block = "256";
    return cc::answer_to(asked).output;
  };
  CHECK(has(print("if (t % 32 == 0) out[t / 32] = 1;"),
            ":3:32: warning: few lanes: 8 requests with 1 of 32 lanes active use 32 bytes of 256 "
            "that they move [few-lanes]\n"));
  // Whole sectors, a block's one result, more lanes, and what is uncoalesced.
  for (const char* other : {"if (t % 32 < 8) out[t] = 1;", "if (t == 0) out[0] = 1;",
                            "if (t % 32 < 9) out[t] = 1;", "if (t % 16 == 0) out[t] = 1;"})
    CHECK_FALSE(has(print(other), "few lanes"));
}

TEST_CASE("Lanes in equal steps with gaps have plans that count as promised", "[clang_fix]") {
  // A plan from request classes took their stride for a whole number of columns.
  const folder directory;
  const auto text = [](const std::string& accesses, int columns) {
    return "__global__ void gaps(float* out) {\n  const int t = threadIdx.x;\n  __shared__ float "
           "s[32][" +
           std::to_string(columns) + "];\n  " + accesses + "\n}\n";
  };
  for (const char* accesses :
       {"if (t % 4 == 0) s[t / 4][0] = 1; if (t % 2 == 0) s[t][3] = 1; out[t] = s[0][t % 16];",
        "if (t % 4 == 0) s[t / 4 * 3][t % 16] = 1; out[t] = s[t][0];",
        "if (t % 4 == 2) s[t][t / 4] = 1; if (t % 4 == 0) out[t] = s[t / 4][0] + s[t][5];"}) {
    INFO(accesses);
    std::uint64_t best = ~std::uint64_t{0};
    for (int columns = 16; columns < 16 + 18; ++columns) {
      cc::question asked = question_of(directory.write("gaps.cu", text(accesses, columns)));
      asked.plan = false;
      best = std::min(best, cc::counted(asked)->pages[0].costs.issued_cost.wavefronts);
    }
    const cc::question asked = question_of(directory.write("gaps.cu", text(accesses, 16)), "write");
    const auto counted = cc::counted(asked);
    const std::uint64_t current = counted->pages[0].costs.issued_cost.wavefronts;
    REQUIRE(best < current);
    REQUIRE(!counted->pages[0].plans.empty());
    const cc::array_plan& plan = counted->pages[0].plans[0];
    CHECK(plan.is_a_declaration);
    CHECK(plan.refusal == "");
    CHECK(plan.planned_cost.wavefronts == best);
    const command_line::answer done = cc::answer_to(asked);
    CHECK(done.code == command_line::fine);
    CHECK(has(done.error, ": written: s declared as "));
  }
}

TEST_CASE("A plan of a buffer of bytes names its rows", "[clang_fix]") {
  const folder directory;
  cc::question asked = question_of(directory.write("carved.cu", R"(
extern __shared__ unsigned char bytes[];
__global__ void carved(float* out, int d) {
  reinterpret_cast<float*>(bytes)[threadIdx.x] = 1;
  for (int i = 0; i < d; ++i) reinterpret_cast<float*>(bytes)[d + threadIdx.x * d + i] = 1;
  __syncthreads();
  out[0] = reinterpret_cast<float*>(bytes)[0];
}
)"));
  asked.arguments = {"d=64"};
  asked.dynamic_shared_bytes = 4 * 64 * 33;
  std::string output = cc::answer_to(asked).output;
  std::replace(output.begin(), output.end(), '\n', ' ');
  INFO(output);
  CHECK(has(output,
            " Rows of 256 bytes become rows of 260: 64 elements of 4 bytes become 65. It is a "
            "change by hand: it is cast to `float *` at line 4."));
  CHECK_FALSE(has(output, "and write"));
  CHECK_FALSE(has(output, "becomes"));
}

// ---- structures ----

namespace {

// A structure with arrays, one within another, in one kernel.
const std::string structures =
    "struct Inner {\n  double w[16][32];\n  int count;\n};\n"
    "struct Storage {\n  float a[32][32];\n  Inner inner;\n  short h[32][64];\n};\n";
const std::string uses_of_structure =
    "  s.a[threadIdx.y][threadIdx.x] = in[threadIdx.x];\n"
    "  s.inner.w[threadIdx.x % 16][threadIdx.y] = in[threadIdx.x];\n"
    "  s.h[threadIdx.x][threadIdx.y] = 2;\n"
    "  if (threadIdx.x == 0) s.inner.count = 0;\n  __syncthreads();\n"
    "  out[threadIdx.x] = s.a[threadIdx.x][threadIdx.y] + s.inner.count;\n}\n";
const std::string kernel_with_structure =
    "__global__ void k(float* out, const float* in) {\n  __shared__ Storage s;\n" +
    uses_of_structure;

}  // namespace

TEST_CASE("members of a structure are arrays of their own, and change as such", "[clang_fix]") {
  const folder directory;
  const std::string text = structures + kernel_with_structure,
                    file = directory.write("structure.cu", text);
  cc::question asked = question_of(file);
  asked.block = "32x32";
  const auto counted = cc::counted(asked);
  std::vector<std::string> arrays;
  std::uint64_t end = 0;
  for (const cc::code_array& array : counted->kernel->shared) {
    arrays.push_back(array.name);
    end += array.bytes;
  }
  CHECK(arrays ==
        std::vector<std::string>{"s.a", "s.inner.w", "s.inner.count", "s.inner.unused", "s.h"});
  CHECK(end == 4096 + 4096 + 4 + 4 + 4096);
  CHECK(counted->kernel->shared[1].extents == std::vector<long long>{16, 32});
  std::vector<std::string> plans;
  for (const cc::array_plan& plan : counted->pages.at(0).plans) {
    plans.push_back(plan.text.substr(0, plan.text.find(" takes")) + plan.refusal);
    CHECK(plan.declared_cost.conflicts() > 0);
    CHECK(plan.planned_cost.conflicts() == 0);
  }
  CHECK(plans == std::vector<std::string>{"s.a declared as s.a[32][33]",
                                          "s.inner.w declared as s.inner.w[16][33]",
                                          "s.h declared as s.h[32][66]"});
  asked.fix = "write";
  const command_line::answer written = cc::answer_to(asked);
  INFO(written.error);
  std::string changed = text;
  for (const auto& [original, replacement] :
       {std::pair("a[32][32]", "a[32][33]"), std::pair("w[16][32]", "w[16][33]"),
        std::pair("h[32][64]", "h[32][66]")})
    changed.replace(changed.find(original), std::string(original).size(), replacement);
  CHECK(text_of(file) == changed);
  cc::question repeat = question_of(file);
  repeat.block = "32x32";
  CHECK(cc::counted(repeat)->pages.at(0).costs.cost.conflicts() == 0);
}

TEST_CASE("a structure that others have too is not changed", "[clang_fix]") {
  const auto refusal = [](const std::string& text) {
    const planned result = plan_of(text, "32x32");
    REQUIRE_FALSE(result.plans.empty());
    CHECK(result.plans[0].fix.empty());
    return result.plans[0].refusal;
  };
  const std::string source = structures + kernel_with_structure;
  CHECK(refusal(structures + "Storage on_host;\n" + kernel_with_structure) ==
        "its structure is that of `on_host` at line 10 too");
  CHECK(refusal(structures + "struct Outer { Storage all[2]; } *outer;\n" +
                kernel_with_structure) == "its structure is that of `outer` at line 10 too");
  CHECK(refusal(structures + "struct Derived : Storage {} derived;\n" + kernel_with_structure) ==
        "its structure is that of `derived` at line 10 too");
  CHECK(refusal(structures + "void go(Storage* p);\n" + kernel_with_structure) ==
        "its structure is that of `p` at line 10 too");
  CHECK(refusal(structures +
                "__device__ int other(char* p) { return ((Storage*)p)->inner.count; }\n" +
                kernel_with_structure) == "memory is cast to its structure at line 10");
  // A device function gets the same object.
  const planned result =
      plan_of(structures + "__device__ float read(Storage& of) { return of.a[0][0]; }\n" +
                  kernel_with_structure,
              "32x32");
  REQUIRE_FALSE(result.plans.empty());
  CHECK(result.plans[0].refusal.empty());
  CHECK(refusal("template <class T> struct Of { T a[32][32]; };\n"
                "__global__ void k(float* out) {\n  __shared__ Of<float> s;\n"
                "  out[threadIdx.x] = s.a[threadIdx.x][threadIdx.y];\n}\n") ==
        "it is declared in a template, and the change would be one of all its instances");
}

TEST_CASE("what another unit accesses keeps its layout and its place", "[clang_fix]") {
  // The bytes of a copy are those of `b`; arrays before it in the structure would move it.
  const auto plans = [](const std::string& types) {
    const folder directory;
    cc::question asked = question_of(directory.write(
        "copied.cu", types +
                         "__global__ void k(float* out) {\n  __shared__ Of s;\n"
                         "  __shared__ float own[32][32];\n"
                         "  unsigned to = (unsigned)__cvta_generic_to_shared(&s.b[0][0]);\n"
                         "  asm volatile(\"cp.async.bulk.shared::cluster.global.mbarrier::"
                         "complete_tx::bytes [%0], [%1], 64, [%0];\" :: \"r\"(to), \"l\"(out));\n"
                         "  own[threadIdx.x][0] = 1; s.a[threadIdx.x][0] = 2;\n"
                         "  s.b[threadIdx.x][0] = 3; s.c[threadIdx.x][0] = 4;\n}\n"));
    std::string result;
    const auto counted = cc::counted(asked);
    for (const cc::array_plan& plan : counted->pages.at(0).plans)
      result += counted->kernel->shared.at(static_cast<std::size_t>(plan.array)).name + " ";
    return result;
  };
  CHECK(plans("struct Of { float a[32][32], b[32][32], c[32][32]; };\n") == "s.c own ");
  CHECK(plans("struct Of { float b[32][32], a[32][32], c[32][32]; };\n") == "s.a s.c own ");
}

TEST_CASE("what is no array of its own is one with its structure", "[clang_fix]") {
  const auto arrays = [](const std::string& types, const std::string& use) {
    const folder directory;
    cc::question asked = question_of(directory.write(
        "one.cu", types + "__global__ void k(float* out, int* in) {\n  __shared__ Of s;\n  " + use +
                      "\n}\n"));
    const auto counted = cc::counted(asked);
    std::string result;
    for (const cc::code_array& array : counted->kernel->shared)
      result += array.name + " " + std::to_string(array.bytes) + ", ";
    // The array of each access.
    for (const cc::recorded_access& access : counted->recorded.accesses)
      if (!access.is_global)
        result += (access.bounded.empty() ? "" : cc::array_name(*counted->kernel, access) + ", ") +
                  std::to_string(access.array) + (access.is_partial ? " in part, " : ", ");
    return result;
  };
  // No arrays, a base, bits, a union: as before.
  CHECK(arrays("struct Of { float x, y; };\n", "s.x = 1;") == "s 8, 0, ");
  CHECK(arrays("struct B { int b; };\nstruct Of : B { float a[8]; };\n", "s.a[0] = 1;") ==
        "s 36, 0, ");
  CHECK(arrays("struct Of { int b : 3; float a[8]; };\n", "s.a[0] = 1;") == "s 36, 0, ");
  CHECK(arrays("union Of { int b[8]; float a[8]; };\n", "s.a[0] = 1;") == "s 32, 0, ");
  CHECK(arrays("struct Of { union { int i[8]; float f[8]; } u; char c; float a[8]; };\n",
               "s.u.f[threadIdx.x % 8] = 1; s.a[threadIdx.x % 8] = 2;") ==
        "s.u 32, s.c 1, s.a 32, 0, 2, ");
  // An unknown subscript is one of the structure; one beyond a member is in the next.
  CHECK(arrays("struct Of { float a[8], b[8]; };\n", "s.b[in[threadIdx.x]] = 1;") ==
        "s.a 32, s.b 32, s, -1 in part, ");
  CHECK(arrays("struct Of { float a[8], b[8]; };\n", "s.a[threadIdx.x / 4 + 8] = 1;") ==
        "s.a 32, s.b 32, 1, ");
  CHECK(arrays("struct Of { float a[8], b[8]; };\n", "s.b[threadIdx.x / 4 + 8] = 1;") ==
        "s.a 32, s.b 32, -1 in part, ");
  // Other structures in the same memory.
  CHECK(arrays("struct Of { float a[8], b[8], d[16]; };\nstruct O { float x[8], c[24]; };\n",
               "reinterpret_cast<O&>(s).c[threadIdx.x % 24] = 1;") ==
        "s.a 32, s.b 32, s.d 64, -1, ");
  CHECK(arrays("struct Of { float a[8], b[24]; };\nstruct O { float c[32]; };\n",
               "reinterpret_cast<O&>(s).c[threadIdx.x] = 1;") == "s.a 32, s.b 96, -1, ");
}

// Each with longer rows is counted again as declared like that.
TEST_CASE("layouts to choose from take what they say") {
  struct {
    const char *declaration, *body, *block;
  } const cases[] = {
      {"float tile[32][32]", "tile[y][x] = 1; __syncthreads(); *out = tile[x][y];", "32x8"},
      {"double tile[16][16]", "tile[x % 16][x / 16] = 2; __syncthreads(); *out = tile[x % 16][y];",
       "64"},
      {"float tile[8][64]",
       "*(float4*)&tile[x % 8][x / 8 * 4] = float4(); __syncthreads(); *out = tile[x % 8][y];",
       "32"},
      {"float tile[96][64]", "tile[0][x] = 1; __syncthreads(); *out = tile[x][y];", "64"},
      {"float tile[4][8][8]",
       "tile[x % 4][x / 4][0] = 1; __syncthreads(); *out = tile[0][x / 4][0];", "32"},
  };
  const folder directory;
  for (const auto& example : cases) {
    const std::string text =
        std::string("__global__ void k(float* out) {\n  __shared__ ") + example.declaration +
        ";\n  int x = threadIdx.x, y = threadIdx.y;\n  " + example.body + "\n}\n";
    INFO(text);
    cc::question asked = question_of(directory.write("choice.cu", text));
    asked.block = example.block;
    asked.alternatives = true;
    const auto result = cc::counted(asked);
    const cc::page& page = result->pages.at(0);
    const std::vector<cc::layout_alternative>& alternatives = page.alternatives;
    REQUIRE(alternatives.size() > 2);
    CHECK(alternatives[0].cost == cc::issued_cost_of(page, 0));
    CHECK(alternatives[0].bytes == static_cast<long long>(page.kernel->shared[0].bytes));
    std::uint64_t minimum = alternatives[0].cost.wavefronts;
    int longer = 0;
    std::set<std::string> said;
    for (const cc::layout_alternative& alternative : alternatives) {
      CHECK(said.insert(alternative.layout).second);
      CHECK(alternative.cost.wavefronts <= alternatives[0].cost.wavefronts);
      CHECK(alternative.resident_blocks ==
            bm::resident(page.machine,
                         {page.settings.block.x * page.settings.block.y, alternative.bytes, 0})
                .blocks);
      if (&alternative == &alternatives[0] ||
          alternative.layout.find(',') != alternative.layout.npos)
        continue;
      if (alternative.layout.find(';') == alternative.layout.npos) {  // an array of other extents
        ++longer;
        CHECK(alternative.cost.wavefronts < minimum);
        minimum = alternative.cost.wavefronts;
        std::string changed = text;
        const std::size_t first = changed.find("tile["), end = changed.find(';', first);
        changed.replace(first, end - first, alternative.layout);
        cc::question repeat = question_of(directory.write("longer.cu", changed));
        repeat.block = example.block;
        const auto counted = cc::counted(repeat);
        CHECK(cc::issued_cost_of(counted->pages.at(0), 0).wavefronts ==
              alternative.cost.wavefronts);
      }
    }
    CHECK(longer > 0);
    const auto by_wavefronts = [](const auto& item, const auto& other) {
      return item.cost.wavefronts < other.cost.wavefronts;
    };
    REQUIRE_FALSE(page.plans.empty());
    CHECK(std::min_element(alternatives.begin(), alternatives.end(), by_wavefronts)
              ->cost.wavefronts <= page.plans.back().planned_cost.wavefronts);
  }
  // Nothing to choose where nothing conflicts.
  cc::question asked = question_of(directory.write(
      "none.cu",
      "__global__ void k(float* out) { __shared__ float s[32][32]; s[0][threadIdx.x] = "
      "1; __syncthreads(); *out = s[0][threadIdx.x]; }\n"));
  asked.alternatives = true;
  CHECK(cc::counted(asked)->pages.at(0).alternatives.empty());
}

TEST_CASE("the picture of a plan shows the same request where the plan has its elements") {
  const folder directory;
  struct {
    const char *body, *current, *proposed;
  } const cases[] = {
      // Longer rows, rows that subscripts name, and a swizzle, since the array cannot grow.
      {"__shared__ float t[32][32]; t[y][x] = 1; __syncthreads(); *out = t[x][y];",
       "wavefronts 32, ", "wavefronts 1, "},
      {"__shared__ float t[32 * 32]; t[y * 32 + x] = 1; __syncthreads(); *out = t[x * 32 + y];",
       "wavefronts 32, ", "wavefronts 1, "},
      {"__shared__ float t[384][32]; t[x][y] = 1; __syncthreads(); *out = t[x][y + 1];",
       "wavefronts 32, ", "wavefronts 1, "},
  };
  for (const auto& example : cases) {
    INFO(example.body);
    cc::question asked = question_of(
        directory.write("picture.cu", std::string("__global__ void k(float* out) {\n  int x = "
                                                  "threadIdx.x, y = threadIdx.y;\n  ") +
                                          example.body + "\n}\n"));
    asked.block = "32x8";
    const auto counted = cc::counted(asked);
    const cc::page& page = counted->pages.at(0);
    REQUIRE_FALSE(page.plans.empty());
    int pictures = 0;
    for (const cc::priced_access& access : page.costs.shared) {
      const std::string picture = cc::picture_of_plan(page, access, page.plans[0]);
      CHECK(picture.find(example.proposed) != picture.npos);
      if (access.cost.conflicts() == 0) continue;
      ++pictures;
      CHECK(cc::picture_of(page, access).find(example.current) != std::string::npos);
    }
    CHECK(pictures > 0);
    for (const cc::priced_access& access : page.costs.global)
      CHECK(cc::picture_of_plan(page, access, page.plans[0]).empty());
  }
}

TEST_CASE("rows speak of the arrays that pointers carve out of a dynamic one") {
  const folder directory;
  std::vector<std::string> notes;
  const auto rows_of = [&](const std::string& pointers, const std::string& uses) {
    cc::question asked = question_of(directory.write(
        "views.cu",
        "__global__ void k(float* out, int d) {\n  extern __shared__ float all_of[];\n  " +
            pointers + "\n  int x = threadIdx.x;\n  " + uses +
            "\n}\nvoid run(float* out) { k<<<1, 32, 8192>>>(out, 32); }\n"));
    asked.block.clear();
    const auto counted = cc::counted(asked);
    notes = cc::notes_of_views(counted->pages.at(0));
    std::vector<std::string> result;
    for (const command_line::row& row : cc::shared_rows(counted->pages.at(0)))
      result.push_back(row.text);
    result.erase(result.begin());
    result.pop_back();
    return result;
  };
  const std::string pointers = "float *sq = all_of, *sk = all_of + 32 * d;";
  using names = std::vector<std::string>;
  CHECK(rows_of(pointers, "sq[x * d] = 1;\n  out[x] = sk[x * d + 1];") ==
        names{"store sq", "load sk"});
  CHECK(rows_of("float* sq = all_of;\n  float* sk = sq + 32 * d;",
                "sq[x * d] = 1;\n  out[x] = sk[x];") == names{"store sq", "load sk"});
  // Of another one's bytes, of both, and of one that begins where another does.
  CHECK(rows_of(pointers, "sq[x + 32 * d] = 1;\n  out[x] = sk[x];") ==
        names{"store sk", "load sk"});
  CHECK(rows_of(pointers, "sq[x * 2 * d] = 1;\n  out[x] = sk[x];") ==
        names{"store all_of", "load sk"});
  CHECK(rows_of("float *sq = all_of, *sk = all_of;", "sq[x * d] = 1;\n  out[x] = sk[x];") ==
        names{"store all_of", "load all_of"});
  CHECK(notes ==
        names{"all_of is counted and planned as one array: sq and sk begin at the same byte"});
}
