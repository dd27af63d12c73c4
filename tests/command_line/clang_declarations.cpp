// SPDX-License-Identifier: MIT
// Declarations that kernels of others need, inline assembly of several instructions, functions of
// known values, accesses that leave their array, and source that asks for the machine.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "examples/bankmodel/clang_reader/source_reader.hpp"
#include "examples/bankmodel/compiled/ask.hpp"
#include "examples/bankmodel/compiled/engine/run.hpp"
#include "examples/bankmodel/compiled/ptx/ptx_reader.hpp"
#include "found_text.hpp"
#include "ptx_body.hpp"

namespace c = compiled;

namespace {

struct file {
  std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                 ("bankmodel_declarations_" + std::to_string(getpid()));
  std::string path;
  explicit file(const std::string& text, const std::string& name = "kernels.cu")
      : path((folder / name).string()) {
    std::filesystem::create_directories(folder);
    std::ofstream(path) << text;
  }
  ~file() { std::filesystem::remove_all(folder); }
};

c::kernel_code kernel_of(const std::string& text) {
  const file source(text);
  c::read_source read = c::read_cuda(source.path, {});
  INFO(text << read.diagnostics);
  REQUIRE(read.kernels.size() == 1);
  REQUIRE(read.unread.empty());
  return read.kernels.front();
}

c::recording recorded(const std::string& text, int threads = 32) {
  c::launch launch;
  launch.block = {threads};
  return c::run(kernel_of(text), launch);
}

// The addresses of the first request to shared memory that is made at this line.
std::vector<long long> addresses(const c::recording& record, int line) {
  for (const c::recorded_access& access : record.accesses) {
    if (access.is_global || access.location.line != line || access.classes.empty()) continue;
    std::vector<long long> result;
    const c::recorded_class& first = access.classes.front();
    for (int lane = 0; lane < 32; ++lane)
      if ((first.lanes.active >> lane & 1) != 0)
        result.push_back(first.times.begin()->first + first.lanes.address[lane]);
    return result;
  }
  return {};
}

// 0, step, 2 * step, .. of 32 lanes.
std::vector<long long> multiples(long long step, long long first = 0) {
  std::vector<long long> result;
  for (int lane = 0; lane < 32; ++lane) result.push_back(first + step * lane);
  return result;
}

// The index that a kernel of one thread computes, as it uses it; -1: it is not known.
long long index_of(const std::string& expression) {
  const c::kernel_code kernel =
      kernel_of("#include <cuda_fp16.h>\n__global__ void k() {\n  __shared__ char s[65536];\n  s[" +
                expression + "] = 1;\n}\n");
  c::launch launch;
  launch.block = {1};
  try {
    const std::vector<long long> lane_addresses = addresses(c::run(kernel, launch), 4);
    REQUIRE(lane_addresses.size() == 1);
    return lane_addresses.front();
  } catch (const c::cannot_run&) {
    return -1;
  }
}

c::question question_about(const std::string& path) {
  c::question asked;
  asked.file = path;
  asked.block = "32";
  return asked;
}

}  // namespace

TEST_CASE("Overloads and templates take the type that an expression of halves has",
          "[clang_reader]") {
  for (const std::string type : {"half", "__nv_bfloat16"}) {
    const auto record = recorded(
        "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
        "__shared__ float wide[64 * 32];\n"
        "__device__ void put(" +
        type +
        " v) {\n"
        "  ((" +
        type +
        "*)wide)[threadIdx.x] = v;\n}\n"
        "__device__ void put(float v) { wide[32 * threadIdx.x] = v; }\n"
        "__global__ void k(" +
        type +
        "* o) {\n"
        "  put(o[threadIdx.x] * -o[32 + threadIdx.x]);\n}\n");
    CHECK(addresses(record, 5) == multiples(2));
    CHECK(addresses(record, 7).empty());
  }
  const auto turned = recorded(
      "template <class T> __device__ void turn(T v) {\n"
      "  __shared__ T s[64];\n  s[threadIdx.x] = v;\n}\n"
      "__global__ void k(float* o) { turn(rsqrt(o[0])); }\n");
  CHECK(addresses(turned, 3) == multiples(4));
  // A pair is loaded and stored as one word, also where its parts are used.
  const auto pairs = recorded(
      "#include <cuda_fp16.h>\n__global__ void k(half2* o) {\n"
      "  __shared__ half2 s[32];\n  half2 v = o[threadIdx.x];\n"
      "  s[threadIdx.x] = __hsub2(v, h2log(v));\n"
      "  half2 w = s[threadIdx.x];\n"
      "  o[threadIdx.x] = make_half2(w.y, w.x);\n}\n");
  for (const c::recorded_access& access : pairs.accesses) CHECK(access.memory.bytes == 4);
}

TEST_CASE("alignas behind __shared__", "[clang_reader]") {
  const c::kernel_code kernel = kernel_of(
      "template <int N> struct alignas(N) wide { int x; };\n"
      "__global__ void k(int* o) {\n  __shared__ alignas(128) int a[8][32];\n"
      "  __shared__ alignas(1024) int4 b[8];\n  __shared__ alignas(double) float c[8];\n"
      "  static_assert(sizeof(wide<32>) == 32, \"\");\n"
      "  a[0][threadIdx.x] = o[0]; b[threadIdx.x % 8] = {}; c[threadIdx.x % 8] = 0;\n}\n");
  std::map<std::string, int> alignments;
  for (const c::code_array& array : kernel.shared) alignments[array.name] = array.alignment;
  CHECK(alignments == std::map<std::string, int>{{"a", 128}, {"b", 1024}, {"c", 8}});
}

TEST_CASE("Groups of lanes, numbers of 8 bits and the size of a warp", "[clang_reader]") {
  for (const std::string text :
       {"#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
        "namespace cg = cooperative_groups;\n__global__ void k(int* o) {\n"
        "  __shared__ int s[64];\n  s[threadIdx.x] = 1;\n"
        "  auto g = cg::labeled_partition(cg::coalesced_threads(), o[threadIdx.x]);\n"
        "  o[threadIdx.x] = cg::reduce(g, s[threadIdx.x], cg::plus<int>()) + g.size();\n}\n",
        "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n\n"
        "__global__ void k(int* o) {\n  __shared__ int s[64];\n"
        "  s[threadIdx.x] = cg::inclusive_scan(cg::tiled_partition<32>(cg::this_thread_block()), "
        "1);\n}\n",
        "#include <cuda_fp8.h>\n#include <cuda_fp16.h>\n\n__global__ void k(half* o) {\n"
        "  __shared__ int s[64];\n"
        "  s[threadIdx.x] = __nv_cvt_halfraw_to_fp8(o[threadIdx.x], __NV_SATFINITE, __NV_E4M3) + "
        "(int)(float)__nv_fp8_e4m3(1.f);\n}\n",
        "template <class T> __device__ T lesser(T a, T b) { return a < b ? a : b; }\n\n\n"
        "__global__ void k(int n) {\n  __shared__ int s[64];\n"
        "  s[lesser(warpSize, 40) - 32 + threadIdx.x] = 1;\n}\n"})
    CHECK(addresses(recorded(text), 6) == multiples(4));
  CHECK(index_of("sizeof(__half_raw) + alignof(half2) + threadIdx.x") == 6);
}

TEST_CASE("Clusters of blocks", "[clang_reader]") {
  const auto kernel = [](const std::string& dimensions) {
    return kernel_of(
        "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
        "template <int N> struct of { static constexpr int blocks = N; };\n"
        "__global__ void " +
        dimensions +
        " k(int* o) {\n  __shared__ int s[256];\n"
        "  cg::cluster_group all = cg::this_cluster();\n  const unsigned rank = all.block_rank();\n"
        "  int* own = all.map_shared_rank(s, rank);\n"
        "  int* other = all.map_shared_rank(s, rank ^ 1);\n"
        "  own[2 * threadIdx.x] = 1;\n"
        "  other[threadIdx.x] = 1;\n"
        "  s[all.thread_rank() % 32 + 32 * rank + 64 * (all.num_blocks() / 4)] = 1;\n"
        "  all.sync();\n"
        "  const dim3 c = all.block_index(), n = all.dim_blocks(), i = __clusterIdx();\n"
        "  s[threadIdx.x + c.x + 2 * c.y + 4 * n.x + 8 * n.y + 64 * i.x] = 1;\n"
        "  all.barrier_wait(all.barrier_arrive());\n}\n");
  };
  const auto run_in = [&](const std::string& dimensions, int x, int y) {
    c::launch launch;
    launch.block = {32};
    launch.grid = {4, 2, 1};
    launch.grid_index = {x, y, 0};
    return c::run(kernel(dimensions), launch);
  };
  const auto first = [](const c::recording& cluster_record, int line) {
    return addresses(cluster_record, line).at(0);
  };
  for (const int x : {0, 1, 3}) {
    const c::recording record = run_in("__cluster_dims__(of<2>::blocks, 2)", x, 1);
    const int rank = x % 2 + 2;
    CHECK(addresses(record, 10) == multiples(8));
    CHECK(first(record, 12) == 4 * (32 * rank + 64));
    CHECK(first(record, 15) == 4 * (x % 2 + 2 + 4 * 2 + 8 * 2 + 64 * (x / 2)));
    const auto other = std::find_if(record.accesses.begin(), record.accesses.end(),
                                    [](const auto& access) { return access.location.line == 11; });
    REQUIRE(other != record.accesses.end());
    CHECK(other->reason ==
          "a store in the shared memory of another block of the cluster is not counted");
  }
  // Without them the launch decides; none is seen, so the block's rank is not known.
  CHECK(ptx_body::failed(kernel(""), ptx_body::launched({32})).wrong.find("%cluster_ctarank") !=
        std::string::npos);
}

TEST_CASE("Inline assembly of several instructions", "[clang_reader]") {
  const auto record = recorded(
      "__device__ unsigned address(const void* p) {\n  unsigned a;\n"
      "  asm(\"{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }\" : \"=r\"(a) : "
      "\"l\"(p));\n  return a;\n}\n"
      "__global__ void k(const float4* g, int* o) {\n"
      "  __shared__ __align__(16) float s[1024];\n  unsigned i, j = 5;\n"
      "  asm(\"mul.lo.u32 %0, %1, 32;\" : \"=r\"(i) : \"r\"(threadIdx.x));\n"
      "  s[i] = 1;\n"
      "  asm(\"{ .reg .u32 t; shl.b32 t, %1, 1; add.u32 %0, t, %0; }\" : \"+r\"(j) : "
      "\"r\"(threadIdx.x));\n"
      "  s[j] = 2;\n"
      "  asm volatile(\"st.shared.f32 [%0], %1;\" :: \"r\"(address(&s[2 * threadIdx.x])), "
      "\"f\"(1.f));\n"
      "  asm volatile(\"{\\n .reg .pred p;\\n setp.ne.b32 p, %0, 0;\\n @p "
      "cp.async.cg.shared.global [%1], [%2], %3;\\n}\\n\" :: \"r\"((int)threadIdx.x & 1), "
      "\"r\"(address(&s[4 * threadIdx.x])), \"l\"(g + threadIdx.x), \"n\"(16));\n"
      "  asm volatile(\"ldmatrix.sync.aligned.m8n8.x2.b16 {%0, %1}, [%2];\" : \"=r\"(i), \"=r\"(j) "
      ": \"l\"(&s[threadIdx.x * 4]));\n"
      "  asm volatile(\"ld.global.nc.u32 %0, [%1];\" : \"=r\"(j) : \"l\"(o + threadIdx.x));\n"
      "  o[threadIdx.x] = i + j;\n}\n");
  CHECK_FALSE(record.leaves_out_shared);
  CHECK(addresses(record, 10) == multiples(128));
  CHECK(addresses(record, 12) == multiples(8, 20));
  CHECK(addresses(record, 13) == multiples(8));
  std::vector<long long> odd, rows;
  for (int lane = 0; lane < 32; ++lane) {
    if (lane % 2 == 1) odd.push_back(16 * lane);
    if (lane < 16) rows.push_back(16 * lane);
  }
  CHECK(addresses(record, 14) == odd);
  CHECK(addresses(record, 15) == rows);
  int loads = 0;
  for (const c::recorded_access& access : record.accesses)
    loads += access.is_global && access.location.line == 16 ? static_cast<int>(access.requests) : 0;
  CHECK(loads == 1);
}

// A line of reconvergence/matrices.txt, which is what nvcc's machine code accesses.
struct matrix_line {
  std::string use, shape, type, layout, memory, instruction;
  int machine = 0, bits = 0;
  std::vector<std::vector<long long>> addresses;  // by instruction, with lines of 1024 elements
};
constexpr int elements_of_line = 1024;

std::vector<matrix_line> lines_of_matrices() {
  const std::map<std::string, int> bits = {{"half", 16},
                                           {"__nv_bfloat16", 16},
                                           {"double", 64},
                                           {"signed_char", 8},
                                           {"float", 32},
                                           {"unsigned_char", 8},
                                           {"int", 32},
                                           {"precision::tf32", 32},
                                           {"experimental::precision::s4", 4},
                                           {"experimental::precision::u4", 4},
                                           {"experimental::precision::b1", 1}};
  std::vector<matrix_line> result;
  std::ifstream stream(BANKMODEL_MATRICES);
  for (std::string text; std::getline(stream, text);) {
    if (text[0] == '#') continue;
    std::istringstream words(text);
    matrix_line& matrix = result.emplace_back();
    std::string word;
    words >> matrix.use >> matrix.shape >> matrix.type >> matrix.layout >> matrix.memory >>
        matrix.machine >> word >> matrix.instruction >> word;
    matrix.bits = bits.at(matrix.type);
    long long lines[5], bytes[5];
    for (long long& number : lines) words >> number;
    words >> word;
    for (long long& number : bytes) words >> number;
    words >> word;
    while (words >> word) {
      const std::size_t plus = word.find('+');
      const long long line = std::stoll(word), byte = std::stoll(word.substr(plus + 1));
      std::vector<long long>& lane_addresses = matrix.addresses.emplace_back();
      const int lanes = matrix.instruction == "ldmatrix.1"   ? 8
                        : matrix.instruction == "ldmatrix.2" ? 16
                                                             : 32;
      for (int lane = 0; lane < lanes; ++lane) {
        long long line_of_lane = line, address = byte;
        for (int bit = 0; bit < 5; ++bit) {
          line_of_lane += lane >> bit & 1 ? lines[bit] : 0;
          address += lane >> bit & 1 ? bytes[bit] : 0;
        }
        lane_addresses.push_back(address + line_of_lane * elements_of_line * matrix.bits / 8);
      }
    }
    std::sort(matrix.addresses.begin(), matrix.addresses.end());
  }
  return result;
}

// Those of the requests at a line of the source, the array's first address taken off.
std::string accesses_at(const c::recording& record, int line, bool is_global,
                        std::vector<std::vector<long long>>& addresses) {
  std::string result;
  addresses.clear();
  for (const c::recorded_access& access : record.accesses) {
    if (access.location.line != line || access.is_global != is_global) continue;
    const bool is_matrix = access.memory.matrices > 0;
    result = is_matrix                                          ? "ldmatrix."
             : access.memory.operation == c::access_does::store ? "store."
                                                                : "load.";
    result +=
        std::to_string(is_matrix ? access.memory.matrices : c::bytes_as_written(access.memory));
    for (const c::recorded_class& known : access.classes)
      for (const auto& [base, count] : known.times)
        for (std::uint64_t i = 0; i < count; ++i) {
          std::vector<long long>& lane_addresses = addresses.emplace_back();
          for (int lane = 0; lane < 32; ++lane)
            if ((known.lanes.active >> lane & 1) != 0)
              lane_addresses.push_back(base + known.lanes.address[lane]);
        }
  }
  std::sort(addresses.begin(), addresses.end());
  if (is_global && !addresses.empty()) {  // from the array's begin on, which a matrix has
    const long long first = addresses[0][0];
    for (auto& lane_addresses : addresses)
      for (long long& address : lane_addresses) address -= first;
  }
  return result;
}

TEST_CASE("Matrices of wmma are what nvcc's machine code accesses", "[clang_reader]") {
  const std::vector<matrix_line> matrices = lines_of_matrices();
  REQUIRE(matrices.size() > 200);
  for (const int machine : {75, 80, 90, 121}) {
    std::map<std::string, const matrix_line*> known;  // the last of those up to this machine
    for (const matrix_line& matrix : matrices)
      if (matrix.machine <= machine)
        known[matrix.use + matrix.shape + matrix.type + matrix.layout + matrix.memory] = &matrix;
    std::string text =
        "#include <mma.h>\nusing namespace nvcuda::wmma;\n"
        "__global__ void k(char* g) {\n  extern __shared__ char s[];\n";
    std::vector<const matrix_line*> lines(5, nullptr);
    for (const auto& [name, matrix] : known) {
      const auto spaced = [](std::string pattern, char character, const std::string& replacement) {
        for (std::size_t i = 0; (i = pattern.find(character, i)) != std::string::npos;
             i += replacement.size())
          pattern.replace(i, 1, replacement);
        return pattern;
      };
      const std::string type = matrix->type.find("_char") != std::string::npos
                                   ? spaced(matrix->type, '_', " ")
                                   : matrix->type;
      const std::string shape = spaced(matrix->shape, 'x', ", ");
      const bool is_sum = matrix->use == "load" || matrix->use == "store";
      const std::string pointer = matrix->type.find("::") == std::string::npos ? type
                                  : matrix->bits == 32                         ? "float"
                                                                               : "void";
      const std::string place = "(" + pointer + "*)" + (matrix->memory == "shared" ? "s" : "g");
      text += "  { fragment<" + (is_sum ? "accumulator" : matrix->use) + ", " + shape + ", " +
              type + (is_sum ? "" : ", " + matrix->layout) + "> f; ";
      const std::string rest = ", 1024" + (is_sum ? ", " + matrix->layout : "") + "); }\n";
      text += matrix->use == "store" ? "store_matrix_sync(" + place + ", f" + rest
                                     : "load_matrix_sync(f, " + place + rest;
      lines.push_back(matrix);
    }
    const file source(text + "}\n");
    c::source_options options;
    options.cuda_arch = 10 * machine;
    const c::read_source read = c::read_cuda(source.path, options);
    INFO(text << read.diagnostics);
    REQUIRE(read.kernels.size() == 1);
    c::launch launch;
    launch.block = {32};
    launch.dynamic_shared_bytes = 1 << 20;
    const c::recording record = c::run(read.kernels[0], launch);
    CHECK(!record.leaves_out);
    for (std::size_t line = 5; line < lines.size(); ++line) {
      const matrix_line& matrix = *lines[line];
      INFO(machine << ": " << matrix.use << " " << matrix.shape << " " << matrix.type << " "
                   << matrix.layout << " " << matrix.memory);
      std::vector<std::vector<long long>> addresses;
      CHECK(accesses_at(record, static_cast<int>(line), matrix.memory == "global", addresses) ==
            matrix.instruction);
      CHECK(addresses == matrix.addresses);
    }
  }
  // nvcc 13 has no machine code for these.
  const file source(
      "#include <mma.h>\nusing namespace nvcuda::wmma;\n__global__ void k(half* g) {\n"
      "  fragment<matrix_a, 16, 16, 16, half, row_major> f; load_matrix_sync(f, g, 16); }\n");
  c::source_options options;
  options.cuda_arch = 700;
  c::launch launch;
  launch.block = {32};
  CHECK(c::run(c::read_cuda(source.path, options).kernels.at(0), launch).leaves_out);
}

TEST_CASE("wmma.load and wmma.store of PTX are what ptxas makes of them", "[clang_reader]") {
  const std::map<std::string, std::string> names = {{"half", "f16"},
                                                    {"__nv_bfloat16", "bf16"},
                                                    {"double", "f64"},
                                                    {"signed_char", "s8"},
                                                    {"float", "f32"},
                                                    {"unsigned_char", "u8"},
                                                    {"int", "s32"},
                                                    {"precision::tf32", "tf32"},
                                                    {"experimental::precision::s4", "s4"},
                                                    {"experimental::precision::u4", "u4"},
                                                    {"experimental::precision::b1", "b1"}};
  std::map<std::string, matrix_line> known;
  for (const matrix_line& matrix : lines_of_matrices())
    known[matrix.use + matrix.shape + matrix.type + matrix.layout + matrix.memory] = matrix;
  std::string text =
      ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 g) {\n"
      ".reg .b32 %r<9>; .reg .b64 %d<9>; .shared .align 128 .b8 s[262144]; ld.param.u64 %d1, "
      "[g];\n";
  std::vector<matrix_line> lines(6);
  for (const auto& [name, matrix] : known) {
    std::string shape = "m" + matrix.shape;
    shape[shape.find('x')] = 'n';
    shape[shape.find('x')] = 'k';
    const std::string type = names.at(matrix.type);
    const bool is_shared = matrix.memory == "shared";
    const std::string use = matrix.use == "load"    ? "c"
                            : matrix.use == "store" ? "d"
                                                    : matrix.use.substr(7);
    const std::string layout = matrix.layout.find("row") != std::string::npos ? "row" : "col";
    text += (use == "d" ? "wmma.store." : "wmma.load.") + use + ".sync.aligned." + layout + "." +
            shape + (is_shared ? ".shared." : ".global.") + type;
    const std::string place = std::string("[") + (is_shared ? "s" : "%d1") + "]";
    text += use == "d" ? " " + place + ", {%r1, %r2}" : " {%r1, %r2}, " + place;
    text += ", 1024;\n";
    lines.push_back(matrix);
    // PTX says where it is, which mma.h leaves open for bfloat16.
    if (is_shared && matrix.type == "__nv_bfloat16") {
      matrix_line& of_half = lines.back();
      of_half = known.at(matrix.use + matrix.shape + "half" + matrix.layout + "shared");
    }
  }
  const auto read = c::read_ptx(text + "ret; }\n");
  REQUIRE(read.size() == 1);
  c::launch launch;
  launch.block = {32};
  const c::recording record = c::run(read[0], launch);
  CHECK(!record.leaves_out);
  for (std::size_t line = 6; line < lines.size(); ++line) {
    INFO(lines[line].use << " " << lines[line].shape << " " << lines[line].type << " "
                         << lines[line].layout << " " << lines[line].memory);
    std::vector<std::vector<long long>> addresses;
    CHECK(accesses_at(record, static_cast<int>(line), lines[line].memory == "global", addresses) ==
          lines[line].instruction);
    CHECK(addresses == lines[line].addresses);
  }
}

TEST_CASE("Functions of known values whose results are exact", "[clang_reader]") {
  CHECK(index_of("(int)log2f(1024.f * (threadIdx.x + 1))") == 10);
  CHECK(index_of("(int)log2f(1000.f * (threadIdx.x + 1))") == -1);
  CHECK(index_of("(int)roundf(threadIdx.x + 2.5f)") == 3);
  CHECK(index_of("(int)rintf(threadIdx.x + 2.5f)") == 2);
  CHECK(index_of("lroundf(threadIdx.x + 4.5f)") == 5);
  CHECK(index_of("llrint(threadIdx.x + 4.5)") == 4);
  CHECK(index_of("(int)fmodf(threadIdx.x + 17.f, 5)") == 2);
  CHECK(index_of("8 + (int)remainderf(threadIdx.x + 18.f, 5)") == 6);
  CHECK(index_of("8 + (int)copysignf(threadIdx.x + 3.f, -1.f)") == 5);
  CHECK(index_of("(int)__fdividef(threadIdx.x + 12.f, 4)") == 3);
  CHECK(index_of("(int)__fdividef(threadIdx.x + 12.f, 3)") == -1);
  CHECK(index_of("__dp4a(0x01020304 + (int)threadIdx.x, 0x01010101, 5)") == 15);
  CHECK(index_of("__dp4a(0xff000000 + threadIdx.x, 0x02000000u, 5u)") == 515);
  CHECK(index_of("__dp2a_lo(0x00020003 + (int)threadIdx.x, 0x0405, 1)") == 24);
  CHECK(index_of("__vadd4(0x00ff0101 + threadIdx.x, 0x00010101u)") == 0x0202);
  CHECK(index_of("__vaddus4(0x0000ff01 + threadIdx.x, 0x00000101u)") == 0xff02);
  CHECK(index_of("__vmaxs2(0x0000ffff + threadIdx.x, 0x00000001u)") == 1);
  CHECK(index_of("__vcmpgtu4(0x00000302 + threadIdx.x, 0x00000203u)") == 0xff00);
  CHECK(index_of("__vsadu4(0x01020304 + threadIdx.x, 0x04030201u)") == 8);
  CHECK(index_of("__vimax3_s32(-1 - (int)threadIdx.x, 7, 3)") == 7);
  CHECK(index_of("__funnelshift_lc(1 + threadIdx.x, 9, 40)") == 1);
  CHECK(index_of("__float2int_ru(threadIdx.x + 2.25f)") == 3);
  CHECK(index_of("__double2hiint(threadIdx.x + 1.0) >> 20") == 1023);
  CHECK(index_of("__syncthreads_count(threadIdx.x == 0)") == 1);
  CHECK(index_of("4 + __syncthreads_and(threadIdx.x == 3)") == 4);
  CHECK(index_of("4 + __syncthreads_or(threadIdx.x == 0)") == 5);
}

TEST_CASE("An access that leaves its array is not counted", "[clang_reader]") {
  // Into a neighbour, behind all arrays, and before the first.
  for (const auto& [index, said] : std::vector<std::pair<std::string, std::string>>{
           {"threadIdx.x", "a store of thread (4, 0, 0) at element 4 of a, which has 4"},
           {"threadIdx.x + 1000", "a store of thread (0, 0, 0) at element 1000 of a, which has 4"},
           {"(int)threadIdx.x - 3", "a store of thread (0, 0, 0) at element -3 of a, which has 4"},
           {"2 * (threadIdx.x / 16) + 3",
            "a store of thread (16, 0, 0) at element 5 of a, which has 4"}}) {
    const std::string text =
        "__global__ void k(float* p) {\n  __shared__ float b[64], a[4], c[64];\n"
        "  b[threadIdx.x] = c[threadIdx.x] = p[threadIdx.x];\n  a[" +
        index +
        "] = 1;\n"
        "  __syncthreads();\n  p[threadIdx.x] = a[threadIdx.x % 4] + b[threadIdx.x];\n}\n";
    const c::recording record = recorded(text);
    INFO(text);
    CHECK(addresses(record, 4).empty());
    bool is_said = false;
    for (const c::recorded_access& access : record.accesses)
      is_said = is_said ||
                (access.location.line == 4 && access.is_partial && contains(access.reason, said));
    CHECK(is_said);
    const file source(text);
    c::question asked = question_about(source.path);
    for (const auto output : {command_line::format::text, command_line::format::json,
                              command_line::format::sarif, command_line::format::html}) {
      asked.format = output;
      CHECK(contains(c::answer_to(asked).output, said));
    }
    asked.format = command_line::format::csv;
    const std::string csv = c::answer_to(asked).output;
    CHECK(contains(csv, ",shared,\"a\",store,4,0,0,0,0,0,,,,,1,"));
    CHECK(contains(csv, said));
    asked.format = command_line::format::text;
    CHECK(contains(c::answer_to(asked).output, "the whole kernel (in part)"));
    asked.allowed.of_all.conflicts = {100, "--max-conflicts"};
    CHECK(c::answer_to(asked).code == command_line::not_read);
  }
}

TEST_CASE("Source that asks for the machine is read for each", "[clang_reader]") {
  const file source(
      "__global__ void k(float* o) {\n  __shared__ float s[32 * 33];\n"
      "#if __CUDA_ARCH__ >= 900\n  s[33 * threadIdx.x] = 1;\n#else\n  s[32 * threadIdx.x] = 1;\n"
      "#endif\n  __syncthreads();\n  o[threadIdx.x] = s[threadIdx.x];\n}\n");
  c::question asked = question_about(source.path);
  asked.format = command_line::format::json;
  const std::string expected =
      "\"machine\": \"sm_90\", \"bank_width\": 4, \"block\": [32, 1, 1],\n      "
      "\"requests\": 2, \"wavefronts\": 2,";
  const std::string other =
      "\"machine\": \"sm_86\", \"bank_width\": 4, \"block\": [32, 1, 1],\n      "
      "\"requests\": 2, \"wavefronts\": 33,";
  for (const std::vector<std::string>& machines : std::vector<std::vector<std::string>>{
           {"sm_86", "sm_90"}, {"sm_90", "sm_86"}, {"sm_86", "sm_90", "sm_80"}}) {
    asked.machines = machines;
    const std::string output = c::answer_to(asked).output;
    CHECK(contains(output, expected));
    CHECK(contains(output, other));
    CHECK((output.find(expected) < output.find(other)) == (machines[0] == "sm_90"));
  }
  asked.describe = true;
  CHECK(c::answer_to(asked).code == command_line::bad_input);

  const file amd(
      "__global__ void k(float* o) {\n  __shared__ float s[64 * 33];\n"
      "#ifdef __gfx942__\n  s[33 * threadIdx.x] = 1;\n#else\n  s[32 * threadIdx.x] = 1;\n"
      "#endif\n  __syncthreads();\n  o[threadIdx.x] = s[threadIdx.x];\n}\n",
      "kernels.hip");
  c::question also = question_about(amd.path);
  also.block = "64";
  also.format = command_line::format::json;
  also.machines = {"gfx90a", "gfx942"};
  const std::string output = c::answer_to(also).output;
  CHECK(contains(output,
                 "\"machine\": \"gfx90a\", \"bank_width\": 4, \"block\": [64, 1, 1],\n      "
                 "\"requests\": 2, \"wavefronts\": 66,"));
  CHECK(contains(output,
                 "\"machine\": \"gfx942\", \"bank_width\": 4, \"block\": [64, 1, 1],\n      "
                 "\"requests\": 2, \"wavefronts\": 4,"));
}

TEST_CASE("A back end that cannot compile ends neither the program nor what it says",
          "[clang_reader]") {
  // gfx600 has no addresses of all memories, which this atomic operation is given.
  const file kernel(
      "struct Of { float a[32][32]; int count; };\n__global__ void k(float* o) {\n"
      "  __shared__ Of s;\n  s.a[threadIdx.x][0] = 1;\n  atomicAdd(&s.count, 1);\n"
      "  __syncthreads();\n  o[threadIdx.x] = s.a[0][threadIdx.x] + s.count;\n}\n");
  for (int run = 0; run < 2; ++run) {
    c::question asked = question_about(kernel.path);
    asked.machines = {"gfx600", "gfx90a"};
    const command_line::answer reply = c::answer_to(asked);
    CHECK(reply.code == command_line::fine);
    CHECK(contains(reply.output, "gfx600"));
    CHECK(contains(reply.output, "gfx90a"));
  }
}

TEST_CASE("Calls through pointers that are known are executed", "[clang_reader]") {
  const std::string functions =
      "typedef float (*op)(float*, int);\n"
      "__device__ float f(float* s, int i) { return s[2 * i]; }\n"
      "__device__ float g(float* s, int i) { return s[4 * i]; }\n"
      "struct base { __device__ virtual float get(float* s, int i) { return s[i]; } };\n"
      "struct derived : base {\n"
      "  __device__ float get(float* s, int i) override { return s[8 * i]; }\n};\n"
      "__device__ float use(base* b, float* s) { return b->get(s, threadIdx.x); }\n"
      "__device__ op changed = f;\n__device__ const op table[2] = {f, g};\n";
  // The distance of two lanes that the call loads from, in floats; 0: it is not executed.
  const auto step = [&](const std::string& called, const std::string& prefix = "") {
    const c::recording record = recorded(
        functions + "__global__ void k(float* o, op given, int n) {\n  __shared__ float s[256];\n" +
        "  s[255 - threadIdx.x] = 1; __syncthreads();\n" + prefix + " o[threadIdx.x] = " + called +
        "; }\n");
    for (const c::recorded_access& access : record.accesses)
      if (!access.is_global && access.memory.operation == c::access_does::load)
        return access.classes.at(0).lanes.address[1] / 4;
    CHECK(record.leaves_out_shared);
    return 0LL;
  };
  CHECK(step("table[1](s, threadIdx.x)") == 4);
  CHECK(step("p(s, threadIdx.x)", "op p = blockDim.x > 5 ? g : f;") == 4);
  CHECK(step("p(s, threadIdx.x)", "op p = f; for (int i = 0; i < blockDim.x; ++i) p = g;") == 4);
  CHECK(step("use(&x, s)", "derived x;") == 8);
  CHECK(step("use(&x, s)", "base x;") == 1);
  CHECK(step("given(s, threadIdx.x)") == 0);
  CHECK(step("changed(s, threadIdx.x)") == 0);  // the host may have changed it
  CHECK(step("p(s, threadIdx.x)", "op p = blockDim.x > 5 ? g : given;") == 0);
}

// What one arm does not execute the other one does; and of `a || b` the code behind it is executed,
// whichever part data decide.
TEST_CASE("Both arms of branches on data are counted", "[clang_reader]") {
  const auto answer = [](const std::string& body) {
    const file source("__global__ void k(const int* m, float* out, int n) {\n" +
                      ("__shared__ float s[64];\nint i = threadIdx.x;\n" + body) +
                      "\nout[i] = s[i];\n}\n");
    c::question asked;
    asked.file = source.path;
    asked.block = "32";
    return c::answer_to(asked).output;
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  const std::string arms = answer("if (m[i] != 0) s[i] = 1;\nelse\n  s[2 * i] = 2;");
  CHECK(has(arms, "    6  store s "));
  CHECK_FALSE(has(arms, "is not executed with what is assumed"));
  const std::string either = answer(
      "s[i] = 0;\nif ((!(n & 1) && m[i] > 3) || (n == 7 && m[i + 32] == 2)) {\n"
      "  s[i] += 1;\n  s[i + 32] = 2;\n}");
  CHECK(has(either, "    6  store s "));
  CHECK(has(either, "    7  store s "));
  CHECK_FALSE(has(either, "is not executed with what is assumed"));
}

// The last branch has code behind its other arm; those before have none.
TEST_CASE("Of many branches on data the other arms of the first 16 are tried", "[clang_reader]") {
  const auto answer = [](int branches) {
    std::string text = "__global__ void k(const int* m, float* out) {\n  __shared__ float s[64];\n";
    for (int number = 0; number + 1 < branches; ++number)
      text +=
          "  if (m[" + std::to_string(number) + "] > 0) s[" + std::to_string(number) + "] = 1;\n";
    text += "  if (m[40] > 0) s[40] = 1;\n  else\n    s[2 * threadIdx.x] = 2;\n" +
            std::string("  __syncthreads();\n  out[threadIdx.x] = s[threadIdx.x];\n}\n");
    const file source(text);
    c::question asked;
    asked.file = source.path;
    asked.block = "32";
    return c::answer_to(asked).output;
  };
  const std::string unexecuted = "accesses shared memory and is not executed with what is assumed";
  CHECK(answer(16).find(unexecuted) == std::string::npos);
  CHECK(answer(17).find("line 21 " + unexecuted) != std::string::npos);
}
