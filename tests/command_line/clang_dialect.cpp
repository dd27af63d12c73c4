// SPDX-License-Identifier: MIT
// Code that nvcc takes and Clang alone refuses, in kernels and in the host code around them.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "examples/bankmodel/clang_reader/source_reader.hpp"
#include "examples/bankmodel/compiled/engine/run.hpp"

namespace c = compiled;

namespace {

struct folder_of_files {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("bankmodel_dialect_" + std::to_string(getpid()));
  folder_of_files() { std::filesystem::create_directories(path / "system"); }
  folder_of_files(const folder_of_files&) = delete;
  ~folder_of_files() { std::filesystem::remove_all(path); }
  std::string add(const std::string& name, const std::string& text) const {
    std::ofstream(path / name) << text;
    return (path / name).string();
  }
};

c::read_source read(const std::string& text, const std::string& standard = "c++17") {
  const folder_of_files folder;
  c::source_options options;
  options.standard = standard;
  options.flags.system_folders = {(folder.path / "system").string()};
  folder.add("system/library.h", "inline __device__ int broken() { return of_nobody(3); }\n");
  return c::read_cuda(folder.add("kernels.cu", text), options);
}

// Fails unless each of the file's kernels was read.
c::read_source read_whole(const std::string& text, const std::string& standard = "c++17") {
  c::read_source result = read(text, standard);
  INFO(text << result.diagnostics);
  CHECK(result.diagnostics.empty());
  CHECK(result.unread.empty());
  REQUIRE(result.kernels.size() == 1);
  return result;
}

// The byte that lane 1 stores to in shared memory, of 32 threads.
long long byte_of_lane_1(const std::string& text, const std::string& standard = "c++17") {
  c::launch launch;
  launch.block = {32};
  const c::recording recorded = c::run(read_whole(text, standard).kernels.front(), launch);
  for (const c::recorded_access& access : recorded.accesses)
    if (!access.is_global && access.memory.operation == c::access_does::store)
      return access.classes.front().times.begin()->first + access.classes.front().lanes.address[1];
  return -1;
}

}  // namespace

TEST_CASE("Narrowing in braces", "[clang_reader]") {
  CHECK(byte_of_lane_1("struct place { int row, column; };\n"
                       "__global__ void k() {\n  __shared__ int s[64];\n"
                       "  place p = {threadIdx.x, 2 * threadIdx.x};\n"
                       "  s[p.column] = p.row;\n}\n") == 8);
}

TEST_CASE("A type of C++20 without typename", "[clang_reader]") {
  const std::string text =
      "template <class T> struct of { using type = T; template <class U> using other = U; };\n"
      "template <class T> struct user {\n  using value = of<T>::type;\n"
      "  of<T>::type here;\n  static __device__ of<T>::type twice(of<T>::type x) { return 2 * x; "
      "}\n"
      "};\n"
      "__global__ void k() {\n  __shared__ int s[64];\n"
      "  s[user<int>::twice(threadIdx.x)] = user<int>::value(1);\n}\n";
  CHECK(byte_of_lane_1(text, "c++20") == 8);
  if (std::stoi(c::clang_version()) < 16)  // newer ones take it in any standard
    CHECK_FALSE(read(text, "c++17").unread.empty());
}

// A tile with one function that is overloaded and one that is not, called in each way.
TEST_CASE("A call of a member's template without template", "[clang_reader]") {
  const std::string tile =
      "template <int N> struct tile {\n"
      "  template <int step> static __device__ int next(int i) { return i + step; }\n"
      "  template <int step> static __device__ int next(int i, int n) { return i + n * step; }\n"
      "  template <int step> __device__ int times(int i) const { return step * i; }\n};\n";
  for (const std::string call :
       {"t.next<step>(x, x)", "p->next<step>(x, x)", "tile<N>::next<step>(x, x)",
        "t . next < step > (x, x)", "t.times<step + 1>(x)", "p\n->times<step + 1>(x)",
        "(t.next<step>(x, x)) + 0", "int(t.times<step + 1>(x))", "t.template times<step + 1>(x)"}) {
    const std::string text =
        tile +
        "template <int N, int step> __device__ int index(int x) {\n  tile<N> t, *p = &t;\n"
        "  return " +
        call +
        ";\n}\n__global__ void k() {\n  __shared__ int s[64];\n"
        "  s[index<8, 1>(threadIdx.x)] = 1;\n}\n";
    CHECK(byte_of_lane_1(text) == 8);
  }
  // What is behind it has its place in the text.
  const std::string text = tile +
                           "template <int N> __device__ int add(int x, tile<N> t, int* s) {\n"
                           "  return t.next<N>(x) + t.next<N>(x, 2) + of_nobody(s[x]);\n}\n"
                           "__global__ void k(int* s) { *s = add(1, tile<2>(), s); }\n";
  const c::read_source wrong = read(text);
  REQUIRE(wrong.unread.size() == 1);
  CHECK(wrong.unread.front().reason.find("kernels.cu:7:43: error: use of undeclared") !=
        std::string::npos);
}

TEST_CASE("What is wrong in one instance is none of another's", "[clang_reader]") {
  const c::read_source result = read(
      "template <int N> __global__ void k(int* to) {\n  __shared__ int s[64];\n"
      "  static_assert(N != 3, \"not three\");\n"
      "  auto store = [&](auto value) { static_assert(sizeof(value) == N); s[N] = value; };\n"
      "  if (N == 4) store(1);\n  s[threadIdx.x] = N;\n  *to = s[0];\n}\n"
      "template __global__ void k<3>(int*);\ntemplate __global__ void k<4>(int*);\n");
  REQUIRE(result.kernels.size() == 1);
  CHECK(result.kernels.front().name.find("k<4>") != std::string::npos);
  REQUIRE(result.unread.size() == 1);
  CHECK(result.unread.front().name.find("k<3>") != std::string::npos);
  CHECK(result.unread.front().reason.find("not three") != std::string::npos);
}

TEST_CASE("Inline assembly of a template is looked at where it is used", "[clang_reader]") {
  const std::string text =
      "template <int N> __device__ int doubled(int x) {\n  int y;\n"
      "  if constexpr (N == 0) asm(\"add.s32 %0, %1, %7;\" : \"=r\"(y) : \"r\"(x));\n"
      "  else asm(\"add.s32 %0, %1, %1;\" : \"=r\"(y) : \"r\"(x));\n  return y;\n}\n"
      "__global__ void k() {\n  __shared__ int s[64];\n  s[doubled<NUMBER>(threadIdx.x)] = 1;\n}\n";
  CHECK(byte_of_lane_1("#define NUMBER 1\n" + text) == 8);
  const c::read_source wrong = read("#define NUMBER 0\n" + text);
  REQUIRE(wrong.unread.size() == 1);
  CHECK(wrong.diagnostics.find("invalid operand number") != std::string::npos);
}

TEST_CASE("A % of inline assembly that names a register", "[clang_reader]") {
  for (const std::string sign : {"%", "%%"})
    CHECK(byte_of_lane_1("__global__ void k() {\n  __shared__ int s[64];\n  int lane, two;\n"
                         "  asm(\"// one % sign\\n\\tmov.u32 %0, " +
                         sign +
                         "laneid;\\n\\t\"\n      \"{ .reg .u32 %%t;\\n mov.u32 %%t, 2;\\n\"\n"
                         "      \"mov.u32 %[b], %%t; }\" : \"=r\"(lane), [b] \"=r\"(two));\n"
                         "  s[two * lane] = 1;\n}\n") == 8);
  // In a template, and before a comment that ends the text.
  CHECK(byte_of_lane_1("template <int N> __device__ int lane() {\n  int l;\n"
                       "  asm(\"mov.u32 %0, %laneid; // x\" : \"=r\"(l));\n  return N * l;\n}\n"
                       "__global__ void k() {\n  __shared__ int s[64];\n"
                       "  s[lane<2>()] = 1;\n}\n") == 8);
}

TEST_CASE("An error in a library's header is that of the kernels that need it", "[clang_reader]") {
  const c::read_source result = read(
      "#include <library.h>\n"
      "__global__ void bad(int* to) { *to = broken(); }\n"
      "__global__ void good(int* to) { *to = 1; }\n");
  REQUIRE(result.kernels.size() == 1);
  CHECK(result.kernels.front().name == "good");
  REQUIRE(result.unread.size() == 1);
  CHECK(result.unread.front().name == "bad");
  CHECK(result.unread.front().reason.find("of_nobody") != std::string::npos);
}

TEST_CASE("Functions that compilers alone call, and pairs, in C++20", "[clang_reader]") {
  CHECK(byte_of_lane_1("#include <map>\n#include <utility>\n"
                       "struct tables { inline static std::map<std::pair<int, int>, int> all; };\n"
                       "template <class T> __host__ consteval int threads() { return sizeof(T); }\n"
                       "template <class T> __global__ __launch_bounds__(8 * threads<T>()) void k() "
                       "{\n  __shared__ T s[64];\n  s[2 * threadIdx.x] = threads<T>();\n}\n"
                       "int main() { k<int><<<1, 32>>>(); }\n",
                       "c++20") == 8);
}

TEST_CASE("Numbers of 8, 6 and 4 bits", "[clang_reader]") {
  CHECK(byte_of_lane_1(R"(
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
template <class T> __device__ unsigned bits(T v) { return (unsigned)v.__x; }
__global__ void k(float4 v, float2 w, float x, __half2 h, __nv_bfloat162 b) {
  __shared__ unsigned s[64];
  unsigned r = bits(__nv_fp8_e4m3(x)) + bits(__nv_fp8x2_e5m2(w)) + bits(__nv_fp8x4_e4m3(v));
  r += bits(__nv_fp8x4_e4m3(h, h)) + bits(__nv_fp8_e8m0(x)) + bits(__nv_fp8x2_e8m0(w));
  r += bits(__nv_fp6_e2m3(x)) + bits(__nv_fp6x2_e3m2(w)) + bits(__nv_fp6x4_e2m3(v));
  r += bits(__nv_fp4_e2m1(x)) + bits(__nv_fp4x2_e2m1(w)) + bits(__nv_fp4x4_e2m1(b, b));
  r += __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3);
  r += __nv_cvt_float2_to_fp8x2(w, __NV_NOSAT, __NV_E5M2);
  r += __nv_cvt_float_to_e8m0(x, __NV_SATFINITE, cudaRoundPosInf);
  r += __nv_cvt_bfloat162raw_to_e8m0x2(__nv_bfloat162_raw(b), __NV_SATFINITE, cudaRoundZero);
  r += __nv_cvt_double_to_fp6(x, __NV_E2M3, cudaRoundNearest);
  r += __nv_cvt_halfraw2_to_fp4x2(__half2_raw(h), __NV_E2M1, cudaRoundNearest);
  r += __nv_cvt_fp8_to_halfraw(7, __NV_E4M3).x + __nv_cvt_e8m0x2_to_bf162raw(3).y;
  r += __nv_cvt_fp4x2_to_halfraw2(7, __NV_E2M1).y + (unsigned)((float4)__nv_fp4x4_e2m1(v)).w;
  static_assert(sizeof(__nv_fp4x2_e2m1) == 1 && sizeof(__nv_fp4x4_e2m1) == 2, "");
  static_assert(sizeof(__nv_fp6_e2m3) == 1 && sizeof(__nv_fp6x4_e2m3) == 4, "");
  static_assert(sizeof(__nv_fp8x2_e8m0) == 2 && alignof(__nv_fp8x4_e8m0) == 4, "");
  s[2 * threadIdx.x] = r + (unsigned)__ffma2_rn(w, w, __fadd2_rz(w, w)).x;
}
)") == 8);
}

// A launch in a template is found if what calls it compiles, so the host's libraries matter.
TEST_CASE("Launches beside functions of the host's libraries", "[clang_reader]") {
  const c::read_source result = read_whole(R"(
#include <ATen/cuda/CUDAContext.h>
#include <cuda.h>
#include <torch/extension.h>
struct shape { int rows; CUtensorMap map; };
static CUmemGenericAllocationHandle handle;
inline void check(CUresult code) {
  const char* text;
  if (code != CUDA_SUCCESS) cuGetErrorString(code, &text);
}
inline shape shape_of(const at::Tensor& t) {
  TORCH_CHECK(t.is_cuda(), "on the device")
  TORCH_CHECK(t.dim() == 2, "two dimensions");
  std::array<int, 2> sizes = {1, 1};
  shape result{64};
  cuuint64_t extents[2] = {64, 64}, strides[1] = {128};
  cuuint32_t box[2] = {8, 8}, steps[2] = {1, 1};
  check(cuTensorMapEncodeTiled(&result.map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, t.data_ptr(),
                               extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                               CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  cudaPointerAttributes kind;
  cudaPointerGetAttributes(&kind, t.data_ptr());
  return result;
}
template <class T> __global__ void k(const shape s, T* to) {
  __shared__ T tile[64];
  tile[2 * threadIdx.x] = s.rows;
  to[threadIdx.x] = tile[threadIdx.x];
}
template <class T> void launch(const shape& s, T* to) {
  int blocks = 4;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k<T>, 32, 0);
  k<T><<<blocks, 32, 0, at::cuda::getCurrentCUDAStream()>>>(s, to);
}
void forward(at::Tensor t) { launch<float>(shape_of(t), t.data_ptr<float>()); }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward);
  pybind11::class_<shape>(m, "shape").def(pybind11::init<>()).def_readwrite("rows", &shape::rows);
}
)");
  REQUIRE(result.launches.size() == 1);
  CHECK(result.launches.front().block == std::array<unsigned, 3>{32, 1, 1});
  CHECK_FALSE(result.launches.front().grid);  // the library's function may have changed it
}

TEST_CASE("Launches beside PyTorch's stable interface", "[clang_reader]") {
  const c::read_source result = read_whole(R"(
#include <torch/csrc/stable/accelerator.h>
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/ScalarType.h>
using torch::headeronly::ScalarType;
__global__ void k(float* to) {
  __shared__ float tile[64];
  tile[2 * threadIdx.x] = 1;
  to[threadIdx.x] = tile[threadIdx.x];
}
torch::stable::Tensor forward(const torch::stable::Tensor& in) {
  STD_TORCH_CHECK(in.is_cuda() && in.scalar_type() == ScalarType::Float, "on the device");
  const torch::stable::accelerator::DeviceGuard guard(in.get_device_index());
  auto out = torch::stable::new_empty(in, {in.size(0), 32}, ScalarType::BFloat16);
  void* stream = nullptr;
  TORCH_ERROR_CODE_CHECK(aoti_torch_get_current_cuda_stream(in.get_device_index(), &stream));
  k<<<4, 32, 0, static_cast<cudaStream_t>(stream)>>>(static_cast<float*>(out.data_ptr()));
  return torch::stable::transpose(out, 0, 1);
}
STABLE_TORCH_LIBRARY_FRAGMENT(name, m) { m.def("forward(Tensor in) -> Tensor"); }
STABLE_TORCH_LIBRARY_IMPL(name, CUDA, m) { m.impl("forward", TORCH_BOX(&forward)); }
)");
  REQUIRE(result.launches.size() == 1);
  CHECK(result.launches.front().block == std::array<unsigned, 3>{32, 1, 1});
  CHECK(result.launches.front().grid == std::array<unsigned, 3>{4, 1, 1});
}

TEST_CASE("A pair of halves gets no value by = {}", "[clang_reader]") {
  CHECK(byte_of_lane_1("#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n"
                       "__global__ void k() {\n  __shared__ __half2 s[64];\n"
                       "  __half2 a;\n  __nv_bfloat162 b;\n  __half2_raw raw = {1, 2};\n"
                       "  a = {};\n  b = {};\n  a = raw;\n"
                       "  s[2 * threadIdx.x] = __floats2half2_rn(__half2float(a.x), "
                       "__bfloat162float(b.y));\n}\n") == 8);
}

TEST_CASE("threadIdx and blockDim have nvcc's types", "[clang_reader]") {
  // A template sees uint3 and dim3, and copies, references and choices work.
  const std::string operators =
      "template <class T> constexpr bool is_index = false;\n"
      "template <> constexpr bool is_index<uint3> = true;\n"
      "template <> constexpr bool is_index<dim3> = true;\n"
      "template <class T, class U>\n"
      "__device__ typename std::enable_if<is_index<T> && is_index<U>, uint3>::type\n"
      "operator*(const T& a, const U& b) { return uint3{a.x * b.x, a.y * b.y, a.z * b.z}; }\n"
      "__device__ unsigned sum(const uint3& i, const dim3& d) { return i.x + 2 * d.x; }\n";
  const auto kernel = [&](const std::string& index) {
    return operators + "__global__ void k(char* o) {\n  __shared__ char s[4096];\n  s[" + index +
           "] = 1;\n  o[0] = s[0];\n}\n";
  };
  CHECK(byte_of_lane_1(kernel("(blockDim * threadIdx).x")) == 32);
  CHECK(byte_of_lane_1(kernel("sum(threadIdx, blockDim)")) == 65);
  CHECK(byte_of_lane_1(kernel("(threadIdx.y > 3 ? blockDim : gridDim).y + threadIdx.x")) == 2);
  CHECK(byte_of_lane_1(kernel("(&threadIdx.x)[0] * 3")) == 3);
  CHECK(byte_of_lane_1(kernel("([](auto t) { return t.x * 5; })(threadIdx)")) == 5);
  CHECK(byte_of_lane_1(kernel("std::is_same_v<decltype(threadIdx), const uint3> * threadIdx.x")) ==
        1);
  CHECK(byte_of_lane_1(kernel("sizeof(blockDim) + uint3(threadIdx).x")) == 13);
}

TEST_CASE("A kernel that takes a class without a definition", "[clang_reader]") {
  const c::read_source source = read(
      "#include \"missing.h\"\nclass box;\n"
      "static __global__ void lost(int n, const box in, float* o) { o[threadIdx.x] = in.size + n; "
      "}\n"
      "box returned(const box& from) { return from; }\n"
      "__global__ void kept(float* o) { o[threadIdx.x] = 1; }\n");
  REQUIRE(source.kernels.size() == 1);
  CHECK(source.kernels[0].name == "kept");
  REQUIRE(source.unread.size() == 1);
  CHECK(source.unread[0].name == "lost");
  CHECK(source.unread[0].reason.find("incomplete type") != std::string::npos);
}

TEST_CASE("Functions of the host's library in kernels", "[clang_reader]") {
  CHECK(byte_of_lane_1("#include <curand_kernel.h>\n"
                       "__global__ void k(curandStateScrambledSobol32* a,\n"
                       "                  curandDirectionVectors32_t* b,\n"
                       "                  curandStateSobol64* c, curandDirectionVectors64_t* d) {\n"
                       "  __shared__ char s[32];\n"
                       "  cudaGridDependencySynchronize();\n"
                       "  int device;\n  cudaGetDevice(&device);\n"
                       "  curand_init(b[threadIdx.x], 3u, 4u, &a[threadIdx.x]);\n"
                       "  curand_init(d[threadIdx.x], 3ull, &c[threadIdx.x]);\n"
                       "  s[threadIdx.x] = 1;\n"
                       "  cudaTriggerProgrammaticLaunchCompletion();\n}\n") == 1);
}

TEST_CASE("A prefetch accesses nothing", "[clang_reader]") {
  c::launch launch;
  launch.block = {32};
  const c::read_source source = read_whole(
      "__global__ void k(float* p) { __builtin_prefetch(&p[32], 0, 3); p[threadIdx.x] = 1; }\n",
      "c++17");
  const c::recording recorded = c::run(source.kernels.front(), launch);
  CHECK(recorded.notes.empty());
  CHECK(recorded.accesses.size() == 1);
}

TEST_CASE("Functions that few kernels call", "[clang_reader]") {
  const auto kernel = [](const std::string& index) {
    return "#include <cuda_awbarrier_primitives.h>\n__global__ void k(int* o) {\n"
           "  __shared__ char s[4096];\n  __shared__ __mbarrier_t waits;\n"
           "  __mbarrier_init(&waits, 32);\n  s[" +
           index +
           "] = 1;\n  const __mbarrier_token_t token = __mbarrier_arrive(&waits);\n"
           "  while (!__mbarrier_test_wait(&waits, token)) {}\n  o[0] = s[0];\n}\n";
  };
  CHECK(byte_of_lane_1(kernel("double2int(2.75 * threadIdx.x)")) == 2);
  CHECK(byte_of_lane_1(kernel("double2int(2.75 * threadIdx.x, cudaRoundPosInf)")) == 3);
  CHECK(byte_of_lane_1(kernel("(int)dadd(threadIdx.x, 4.0) + any(threadIdx.x == 7)")) == 6);
  CHECK(byte_of_lane_1(kernel("__popc(ballot(threadIdx.x < 5)) * threadIdx.x")) == 5);
  CHECK(byte_of_lane_1(kernel("syncthreads_count(threadIdx.x < 9) + threadIdx.x")) == 10);
  CHECK(byte_of_lane_1(kernel("__uni_sync(~0u, threadIdx.x > 3) + threadIdx.x")) == 1);
  CHECK(byte_of_lane_1(kernel("4 * __isCtaShared(s) + threadIdx.x")) == 5);
}

TEST_CASE("Operands of inline assembly without a comma", "[clang_reader]") {
  const auto kernel = [](const std::string& operands) {
    return "__global__ void k() {\n  __shared__ char s[80];\n"
           "  unsigned a = (unsigned)__cvta_generic_to_shared(s + 2 * threadIdx.x);\n"
           "  asm volatile(\"st.shared.u8 [%0 + 3], %1;\" :: " +
           operands + " : \"memory\");\n}\n";
  };
  CHECK(byte_of_lane_1(kernel("\"r\"(a) \"r\"(7)")) == 5);
  CHECK(byte_of_lane_1(kernel("\"r\"(a)\n\n    \"r\"((7))")) == 5);
  // Elsewhere it is an error.
  CHECK(read("__device__ void f(const char*, const char*);\n"
             "__global__ void k() { f((\"a\") \"b\"); }\n",
             "c++17")
            .kernels.empty());
}

TEST_CASE("GNU's typeof is a keyword", "[clang_reader]") {
  CHECK(byte_of_lane_1("#define ONCE(x) (*(volatile typeof(x)*)&(x))\n"
                       "__global__ void k() {\n  __shared__ char s[64];\n"
                       "  int t = threadIdx.x;\n  s[ONCE(t) + 1] = 1;\n}\n") == 2);
}

TEST_CASE("`register` is no error in C++17", "[clang_reader]") {
  CHECK(byte_of_lane_1("__global__ void k() {\n  __shared__ char s[32];\n"
                       "  register int t = threadIdx.x;\n  s[t] = 1;\n}\n") == 1);
}

TEST_CASE("The fields of a structure behind unions and long arrays", "[clang_reader]") {
  const c::read_source source = read_whole(
      "struct in {\n  union { int rows, lines; };\n  union { float x; int bits; };\n"
      "  union { char* text; void* any; } at;\n  float table[1100], few[2];\n  int last;\n"
      "  union { int small; long long wide; } sizes;\n};\n"
      "__global__ void k(in a, int* o) { o[a.rows] = a.last; }\n");
  std::vector<std::string> names;
  for (const c::code_parameter& parameter : source.kernels[0].parameters)
    if (parameter.name.find("table") == std::string::npos)
      names.push_back(parameter.name + " " + std::to_string(parameter.offset));
  CHECK(names == std::vector<std::string>{"a 0", "o 4440", "a.rows 0", "a.at.text 8",
                                          "a.few[0] 4416", "a.few[1] 4420", "a.last 4424"});
  CHECK(source.kernels[0].parameters.size() > 1000);
}

TEST_CASE("The keyword `template` that a macro lacks", "[clang_reader]") {
  CHECK(byte_of_lane_1(
            "#define PART(x, n) x->take<n>(threadIdx.x)\n"
            "struct of { template <int N> __device__ int take(int i) { return N * i; } };\n"
            "template <class T> __device__ int part(T* x) { return PART(x, 3) + PART(x, 4); }\n"
            "__global__ void k() {\n  __shared__ char s[256];\n  of x;\n"
            "  s[part(&x)] = 1;\n}\n") == 7);
}

// The end of the file is the last chance to instantiate it, and its assignment calls memcpy().
TEST_CASE("A template that nothing instantiates assigns an array", "[clang_reader]") {
  c::source_options options;
  options.contents =
      "struct row { int a[4]; };\nstruct pair { row r; int n; };\n"
      "template <class T> __global__ void k(T* o) {\n  __shared__ pair s[32];\n"
      "  pair p = {};\n  s[threadIdx.x] = p;\n  o[0] = s[1].n;\n}\n";
  options.assumes_instances = true;
  const c::read_source source = c::read_cuda("k.cu", options);
  INFO(source.diagnostics);
  REQUIRE(source.kernels.size() == 1);
  CHECK(source.kernels[0].name == "k<float>");
}

TEST_CASE("One pass over a file says whether another one would add something", "[clang_reader]") {
  c::source_options options;
  options.contents =
      "template <class T> __global__ void k(T* o) { o[threadIdx.x] = 1; }\n"
      "void a(tensor x) { k<float><<<1, 32>>>(x.data()); }\n";
  CHECK_FALSE(c::read_cuda("k.cu", options).is_incomplete);
  options.reads_once = true;
  CHECK(c::read_cuda("k.cu", options).is_incomplete);
  options.contents = "__global__ void k(int* o) { o[threadIdx.x] = 1; }\n";
  CHECK_FALSE(c::read_cuda("k.cu", options).is_incomplete);
}

TEST_CASE("A tile shuffles words of up to 32 bytes", "[clang_reader]") {
  CHECK(byte_of_lane_1("#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
                       "struct wide { int a[7]; char c; };\n"
                       "__global__ void k() {\n  __shared__ char s[256];\n"
                       "  auto tile = cg::tiled_partition<32>(cg::this_thread_block());\n"
                       "  wide w = {};\n  w.a[6] = 2 * threadIdx.x;\n  w.c = 3 * threadIdx.x;\n"
                       "  w = tile.shfl_down(w, 4);\n  const uint4 v = "
                       "tile.shfl_xor(make_uint4(threadIdx.x, 0, 0, 9), 1);\n"
                       "  s[w.a[6] + w.c + v.x + v.w] = 1;\n}\n") == 10 + 15 + 0 + 9);
}

// As of a header that is missing: code generation would ask for the layout of Box.
TEST_CASE("A pointer to a class with an error, in a class", "[clang_reader]") {
  const c::read_source source = read(
      "struct Box { struct Section info; };\nstruct Row { Box box[kBoxes]; };\n"
      "struct P { Box* d; Row* rows[4]; };\n"
      "__global__ void k(P p, int* o) { o[threadIdx.x] = 1; }\n"
      "__global__ void uses(P p, int* o) { o[threadIdx.x] = p.d->info.n; }\n"
      "__global__ void other(int* o) { o[threadIdx.x] = 1; }\n",
      "c++17");
  std::vector<std::string> names;
  for (const c::kernel_code& kernel : source.kernels) names.push_back(kernel.name);
  CHECK(names == std::vector<std::string>{"k", "other"});
  REQUIRE(source.unread.size() == 1);
  CHECK(source.unread[0].name == "uses");
}

TEST_CASE("Captures of a lambda and parameters of a pack have names of their own",
          "[clang_reader]") {
  const c::read_source source = read_whole(
      "struct part { int n; int* p; };\n"
      "template <class F, class... T> __global__ void k(F f, int n, T... s) { f(n, s...); }\n"
      "struct owner {\n  int own;\n  void run(int a, part b) {\n"
      "    auto f = [=, c = a + 1, *this] __device__(int n, part x, part y) {\n"
      "      x.p[n + own] = a + c + y.n;\n    };\n    k<<<1, 32>>>(f, 3, b, b);\n  }\n};\n"
      "void run(part b) { owner().run(1, b); }\n");
  std::vector<std::string> names;
  for (const c::code_parameter& parameter : source.kernels[0].parameters)
    names.push_back(parameter.name);
  CHECK(names == std::vector<std::string>{"f", "n", "s[0]", "s[1]", "f.c", "f.this.own", "f.a",
                                          "s[0].n", "s[0].p", "s[1].n", "s[1].p"});
}

TEST_CASE("Each instance has one array where a lambda uses it too", "[clang_reader]") {
  const c::read_source source = read(
      "template <int N> __global__ void k(float* o) {\n  __shared__ float s[2][64];\n"
      "  auto store = [&](int row) { s[row][threadIdx.x] = o[row]; };\n  store(0);\n"
      "  o[threadIdx.x] = s[0][threadIdx.x + N];\n}\n"
      "void first(float* o) { k<0><<<1, 32>>>(o); }\nvoid second(float* o) { k<1><<<1, 32>>>(o); "
      "}\n");
  REQUIRE(source.kernels.size() == 2);
  for (const c::kernel_code& kernel : source.kernels) {
    REQUIRE(kernel.shared.size() == 1);
    CHECK(kernel.shared[0].name == "s");
    CHECK(kernel.shared[0].extents == std::vector<long long>{2, 64});
  }
}

TEST_CASE("Complex numbers without a toolkit", "[clang_reader]") {
  // (2 + i)(1 + 3i) = -1 + 7i; / (1 - i) = -4 + 3i; |-4 + 3i| = 5
  CHECK(byte_of_lane_1(
            "#include <cuComplex.h>\n__global__ void k() {\n  __shared__ char s[512];\n"
            "  const cuComplex a = cuCmulf(make_cuComplex(2, 1), make_cuFloatComplex(1, 3));\n"
            "  const cuDoubleComplex b = cuCdiv(cuComplexFloatToDouble(a),\n"
            "                                   cuConj(make_cuDoubleComplex(1, 1)));\n"
            "  const cuDoubleComplex c = cuCfma(b, b, cuCsub(b, cuCadd(b, b)));\n"
            "  s[threadIdx.x * (int)(cuCreal(c) - cuCimag(b) + cuCimagf(a))] = 1;\n}\n") ==
        7 + 4 - 3 + 7);
  const c::read_source source = read_whole(
      "#include <cuComplex.h>\n__global__ void k(cuFloatComplex* d) {\n"
      "  d[0].x = cuCabsf(cuCaddf(d[1], cuCsubf(d[2], cuCdivf(d[3], cuConjf(d[4])))));\n}\n");
  CHECK(source.missing_headers.empty());
}

TEST_CASE("An attribute of C++ behind __device__", "[clang_reader]") {
  CHECK(byte_of_lane_1("#define BOTH __host__ __device__\n"
                       "BOTH [[nodiscard]] int twice(int i) { return 2 * i; }\n"
                       "struct of { __device__ [[nodiscard]] int next(int i) { return i + 1; } };\n"
                       "__global__ void k() {\n  __shared__ char s[256];\n"
                       "  s[twice(of().next(threadIdx.x))] = 1;\n}\n") == 4);
}

TEST_CASE("Of an operator of the language the candidates are not listed", "[clang_reader]") {
  const c::read_source wrong = read(
      "struct number { __device__ operator float() const; __device__ operator double() const; };\n"
      "__global__ void k(bool* o, number a, number b) { *o = a > b; }\n");
  REQUIRE(wrong.unread.size() == 1);
  const std::string& text = wrong.unread[0].reason;
  CHECK(text.find("error: use of overloaded operator '>' is ambiguous") != std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') == 3);
}

TEST_CASE("A type of a template without typename", "[clang_reader]") {
  const std::string types = R"(
template <class T> struct box {
  struct plus { __device__ int operator()(int i) const { return i + 4; } };
  struct inner { struct plus { __device__ int operator()(int i) const { return i + 4; } }; };
  static const int four = 4;
};
template <class F> __device__ int call(F f, int i) { return f(i); }
template <class T> struct user {
  typedef box<T> its;
)";
  const std::string kernel = R"( }
};
__global__ void k() {
  __shared__ char s[256];
  s[user<float>().go(threadIdx.x)] = 1;
}
)";
  // Clang has another error in members that are called for an object.
  for (const char* const begin :
       {"__device__ static int go(int i) { ", "__device__ int go(int i) const { "}) {
    for (const char* const body :
         {"return call(box<T>::plus(), i);", "return call(its::plus (), i);",
          "return box<T>::plus()(i);", "const auto f = its::plus(); return f(i);",
          "return call(box< T > :: inner :: plus(), i);",
          "return call((box<T>::inner::plus()), i);", "return (i, its::inner::plus())(i);"}) {
      INFO(begin << body);
      CHECK(byte_of_lane_1(types + begin + body + kernel) == 5);
    }
    // What is a value is none, and what is not made an object of.
    CHECK(byte_of_lane_1(types + begin + "return i + its::four;" + kernel) == 5);
    CHECK(read(types + begin + "return i + its::plus;" + kernel).added_tokens.empty());
  }
  // Later versions say that it is a type.
  if (c::clang_version().rfind("14.", 0) == 0)
    CHECK(read(types + "__device__ int go(int i) const { return its::plus;" + kernel)
              .added_tokens.empty());
}

TEST_CASE("Tokens that an earlier reading has found are there at once", "[clang_reader]") {
  c::source_options options;
  options.contents =
      "struct of { template <int N> __device__ int take(int i) { return N * i; } };\n"
      "template <class T> __device__ int part(T* x) { return x->take<3>(threadIdx.x); }\n"
      "__global__ void k(int* o) { of x; o[part(&x)] = 1; }\n";
  const c::read_source first = c::read_cuda("k.cu", options);
  CHECK(first.kernels.size() == 1);
  REQUIRE(first.added_tokens.size() == 1);
  CHECK(first.added_tokens.begin()->line == 2);
  options.reads_once = true;
  const c::read_source second = c::read_cuda("k.cu", options);
  CHECK(second.is_incomplete);
  CHECK(second.kernels.empty());
  CHECK(second.added_tokens == first.added_tokens);
  options.added_tokens = second.added_tokens;
  const c::read_source third = c::read_cuda("k.cu", options);
  CHECK_FALSE(third.is_incomplete);
  CHECK(third.kernels.size() == 1);
  CHECK(third.added_tokens == first.added_tokens);
}

TEST_CASE("PyTorch's numbers in CUDA's functions, and what its headers include", "[clang_reader]") {
  (void)read_whole(
      "#include <torch/all.h>\n#include <cuda_bf16.h>\n"
      "__global__ void k(char* s, c10::Half h, c10::BFloat16 b) {\n"
      "  int i = 7;\n  std::memset(&i, 0, sizeof i);\n"
      "  s[i] = __half2float(h) + __bfloat162float(b) + __low2float(__half2half2(h));\n}\n");
}

TEST_CASE("Kernels are counted that a reading for their launches has", "[clang_reader]") {
  c::source_options options;
  options.contents =
      "template <class T> __global__ void k(T* o) { o[threadIdx.x] = 1; }\n"
      "__global__ void g(int* o) { o[threadIdx.x] = 1; }\n"
      "void a(tensor x) { k<float><<<1, 32>>>(x.data()); }\n";
  options.reads_once = true;
  const c::read_source probe = c::read_cuda("k.cu", options);
  CHECK(probe.is_incomplete);
  CHECK(probe.readable >= 1);
  CHECK(probe.kernels.empty());
  options.reads_once = false;
  CHECK(c::read_cuda("k.cu", options).readable == 2);
  CHECK(c::read_cuda("k.cu", options).kernels.size() == 2);
}

TEST_CASE("HIP's numbers of 8 and 16 bits, and rocWMMA's matrices", "[clang_reader]") {
  // ROCm's own headers are replaced.
  const folder_of_files rocm;
  std::filesystem::create_directories(rocm.path / "hip");
  rocm.add("hip/hip_fp8.h", "// Advanced Micro Devices\n#error of ROCm\n");
  c::source_options options;
  options.is_hip = true;
  options.architecture = "gfx90a";
  options.flags.include_folders = {rocm.path.string()};
  std::vector<std::string> missing;
  const auto notes_of = [&](const std::string& text) {
    options.contents = text;
    const c::read_source source = c::read_cuda("k.hip", options);
    missing = source.missing_headers;
    INFO(source.diagnostics);
    REQUIRE(source.kernels.size() == 1);
    c::launch launch;
    launch.block = {64};
    return c::run(source.kernels[0], launch).notes;
  };
  CHECK(notes_of("#include <hip/hip_fp8.h>\n#include <hip/hip_bfloat16.h>\n"
                 "struct __hip_fp8_e4m3;\nstruct __hip_fp8_e5m2_fnuz;\n"
                 "__global__ void k(__hip_fp8_e4m3* p, hip_bfloat16* q, __hip_fp8_storage_t* r) {\n"
                 "  __hip_fp8_e4m3 v(2.0f * std::max(1, 2));\n  p[threadIdx.x] = v;\n"
                 "  q[threadIdx.x] = hip_bfloat16(float(v));\n  r[threadIdx.x] = v.__x;\n}\n")
            .empty());
  const std::vector<std::string> named = notes_of(
      "#include <rocwmma/rocwmma.hpp>\nusing namespace rocwmma;\n"
      "__global__ void k(const float16_t* a, float32_t* d) {\n  __shared__ float16_t s[256];\n"
      "  s[threadIdx.x] = a[threadIdx.x];\n  synchronize_workgroup();\n"
      "  fragment<matrix_a, 16, 16, 16, float16_t, row_major> f;\n"
      "  fragment<accumulator, 16, 16, 16, float32_t> c;\n  fill_fragment(c, 0.0f);\n"
      "  static_assert(f.num_elements == 4 && c.size() == 4);\n"
      "  load_matrix_sync(f, s, 16);\n  mma_sync(c, f, f, c);\n"
      "  store_matrix_sync(d, c, 16, mem_row_major);\n  c.x[0] += c[1];\n}\n");
  REQUIRE(named.size() == 2);
  CHECK(named[0].find("rocwmma::load_matrix_sync<") == 0);
  CHECK(named[0].find(" in shared ") != std::string::npos);
  CHECK(named[1].find("rocwmma::store_matrix_sync<") == 0);
  CHECK(named[1].find(" in global memory ") != std::string::npos);
  CHECK(missing == std::vector<std::string>{"rocwmma/rocwmma.hpp"});
  // With the library, which makes its own vectors of HIP's classes, they are counted.
  std::filesystem::create_directories(rocm.path / "rocwmma");
  rocm.add("rocwmma/rocwmma.hpp",
           "// Advanced Micro Devices\n#include <hip/hip_runtime.h>\n"
           "template <> struct HIP_vector_base<_Float16, 8> {\n"
           "  using Native_vec_ = _Float16 __attribute__((ext_vector_type(8)));\n"
           "  union { Native_vec_ data; };\n  HIP_vector_base() = default;\n"
           "  __device__ HIP_vector_base(_Float16 v) : data(v) {}\n};\n"
           "template <> inline __host__ __device__ HIP_vector_type<int, 1>&\n"
           "HIP_vector_type<int, 1>::operator++() noexcept { return *this; }\n"
           "template <int n> __device__ HIP_vector_type<_Float16, n> words(const _Float16* p) {\n"
           "  return *(const HIP_vector_type<_Float16, n>*)p;\n}\n");
  options.contents =
      "#include <rocwmma/rocwmma.hpp>\n"
      "__global__ void k(_Float16* o) {\n  __shared__ __attribute__((aligned(16))) _Float16 "
      "s[512];\n"
      "  HIP_vector_type<_Float16, 8> v = words<8>(s + 8 * threadIdx.x);\n"
      "  HIP_vector_type<_Float16, 4> w = words<4>(s + 4 * threadIdx.x);\n"
      "  v += v * v;\n  w = -w - HIP_vector_type<_Float16, 4>(w.x, 1, w.z, w.w);\n"
      "  static_assert(sizeof w == 8 && sizeof(HIP_vector_type<int, 3>::Native_vec_) == 16);\n"
      "  o[threadIdx.x] = v.data[threadIdx.x % 8] + w.y;\n}\n";
  const c::read_source counted = c::read_cuda("k.hip", options);
  INFO(counted.diagnostics);
  REQUIRE(counted.kernels.size() == 1);
  CHECK(counted.missing_headers.empty());
  c::launch launch;
  launch.block = {32};
  std::vector<int> bytes;
  for (const c::recorded_access& access : c::run(counted.kernels[0], launch).accesses)
    bytes.push_back(c::bytes_as_written(access.memory));
  CHECK(bytes == std::vector<int>{16, 8, 2});
}

// The host library declares for the host alone what the prelude has read for the device too.
TEST_CASE("The host library's headers have no errors", "[clang_reader]") {
  const auto diagnostics_of = [](const std::string& text) {
    c::source_options options;
    options.contents = text;
    return c::read_cuda("k.cu", options).diagnostics;
  };
  CHECK(diagnostics_of(
            "#include <vector>\n#include <algorithm>\n#include <functional>\n#include <map>\n"
            "#include <string>\n#include <memory>\n#include <tuple>\n#include <numeric>\n"
            "std::vector<bool> v(3);\n"
            "void f() { std::copy(v.begin(), v.end(), v.begin()); }\n") == "");
  CHECK(diagnostics_of("int f(int);\n__device__ __host__ int f(int);\n").find("cannot overload") !=
        std::string::npos);
}

TEST_CASE("A function whose last act is to call itself is a loop", "[clang_reader]") {
  const auto requests_of = [](const std::string& own, const std::string& body) {
    const c::read_source source = read_whole(
        own + "__global__ void k(float* o) {\n  __shared__ float s[256];\n" + body + "}\n");
    c::launch launch;
    launch.block = {64};
    std::vector<std::uint64_t> result;
    const c::recording recorded = c::run(source.kernels[0], launch);
    for (const c::recorded_access& access : recorded.accesses) result.push_back(access.requests);
    result.push_back(recorded.notes.size());
    return result;
  };
  using counts = std::vector<std::uint64_t>;
  // The first warp stores 8 times and the second 7 times.
  CHECK(requests_of("__device__ void put(float* s, int i, int n) {\n  if (i >= n) return;\n"
                    "  s[i] = i;\n  put(s, i + 32, n);\n}\n",
                    "put(s, threadIdx.x, 256);\n") == counts{15, 0});
  // 6 divided by 4 has a remainder, so that 2 warps go on.
  CHECK(requests_of("__device__ constexpr int waves(int items, int count) {\n"
                    "  return items % count == 0 ? count : waves(items, count / 2);\n}\n",
                    "if (threadIdx.x / 32 < waves(6, 4) - 1) s[threadIdx.x] = 1;\n") ==
        counts{1, 0});
  CHECK(requests_of("__device__ int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }\n",
                    "if (threadIdx.x < 32 * (gcd(12, 8) - 3)) s[threadIdx.x] = 1;\n") ==
        counts{1, 0});
  // A function with two calls of itself is no loop, and is named.
  CHECK(requests_of("__device__ int sum(int n) { return n < 2 ? 1 : sum(n - 1) + sum(n - 2); }\n",
                    "s[threadIdx.x] = sum(4);\n") == counts{2, 1});
}

TEST_CASE("The first arm in the source is that of the branch's function", "[clang_reader]") {
  const c::read_source source = read_whole(
      "__device__ float get(const float* p) {\n  return *p;\n}\n"
      "__device__ float chosen(const float* p, float* s, float m) {\n"
      "  if (m > 7.1f) {\n    s[40] = 2;\n    return m;\n  }\n  s[41] = get(p);\n"
      "  return m;\n}\n"
      "__global__ void k(const float* mask, const float* in, float* out) {\n"
      "  __shared__ float s[64];\n  float m = mask[0];\n"
      "  if (m < 0.1f) {\n    s[threadIdx.x] = 1;\n    return;\n  }\n"
      "  s[threadIdx.x + 32] = get(in + threadIdx.x);\n"
      "  out[0] = chosen(in, s, m) + s[0];\n}\n");
  const auto stored = [&](const std::map<int, c::assumption>& assumed) {
    c::launch launch;
    launch.block = {32};
    launch.assumed = assumed;
    std::vector<int> lines;
    for (const c::recorded_access& access : c::run(source.kernels[0], launch).accesses)
      if (!access.is_global && access.memory.operation == c::access_does::store &&
          access.requests > 0)
        lines.push_back(access.location.line);
    return lines;
  };
  const c::assumption branch_taken = {true, {}}, not_taken = {false, {}};
  CHECK(stored({{15, branch_taken}, {5, branch_taken}}) == std::vector<int>{16});
  CHECK(stored({{15, not_taken}, {5, branch_taken}}) == std::vector<int>{19, 6});
  CHECK(stored({{15, not_taken}, {5, not_taken}}) == std::vector<int>{19, 9});
}

TEST_CASE("Functions of the prelude have no names of their own on pages", "[clang_reader]") {
  c::launch launch;
  launch.block = {32};
  launch.bounds = true;
  const c::recording recorded =
      c::run(read_whole("#include <cuda_fp16.h>\n__global__ void k(const __half* h) {\n"
                        "  __shared__ int s[64];\n  s[(int)__half2float(h[threadIdx.x])] = 1;\n}\n")
                 .kernels[0],
             launch);
  std::string reasons;
  for (const c::recorded_access& access : recorded.accesses) reasons += access.reason + "\n";
  INFO(reasons);
  CHECK(reasons.find("depends on a built-in function (from half) at ") != std::string::npos);
  CHECK(reasons.find("__bankmodel") == std::string::npos);
}
