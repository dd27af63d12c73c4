// SPDX-License-Identifier: MIT
// What a block computes from made-up data: the numbers are the kernel's, and each access that is
// elsewhere changes what is stored.
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "catch.hpp"
#include "counted_text.hpp"
#include "examples/bankmodel/bits_as.hpp"
#include "examples/bankmodel/compiled/compared_values.hpp"
#include "examples/bankmodel/compiled/engine/emulation.hpp"
#include "examples/bankmodel/compiled/engine/memory.hpp"
#include "found_text.hpp"

namespace c = compiled;

namespace {

c::launch launched(int threads) {
  c::launch result;
  result.block = {threads};
  return result;
}

struct emulated_source {
  std::unique_ptr<c::counted_kernel> counted;
  c::emulated_block block;

  float stored(std::size_t argument, std::size_t element) const {
    std::uint32_t bits = 0;
    for (std::size_t byte = 0; byte < 4; ++byte)
      bits |=
          static_cast<std::uint32_t>(block.stored.at(c::global_base(argument) + 4 * element + byte))
          << (8 * byte);
    return command_line::bits_as<float>(bits);
  }
  float loaded(std::size_t argument, std::size_t element) const {
    const c::made_up_memory memory(*counted->kernel, counted->settings);
    return command_line::bits_as<float>(
        static_cast<std::uint32_t>(memory.load(c::global_base(argument) + 4 * element, 4)));
  }
};

emulated_source emulated(const std::string& body, int threads = 32,
                         const std::string& before = "") {
  c::question asked;
  asked.block = std::to_string(threads);
  asked.machines = {"sm_90"};
  asked.plan = false;
  emulated_source result;
  result.counted =
      counted_text(before + "__global__ void k(const float* in, float* out, const int* which) {\n" +
                       body + "\n}\n",
                   asked);
  result.block = c::emulated(*result.counted->kernel, launched(threads), 1 << 18);
  return result;
}

bool compute_the_same(const std::string& some, const std::string& other, int threads = 32) {
  const emulated_source first = emulated(some, threads), second = emulated(other, threads);
  CHECK(first.block.incomplete.empty());
  CHECK(second.block.incomplete.empty());
  CHECK_FALSE(first.block.stored.empty());
  const c::value_comparison compared = c::compared_values(*first.counted, *second.counted);
  CHECK(compared.incomplete.empty());
  CHECK(compared.difference.empty() == (first.block.stored == second.block.stored));
  return compared.difference.empty();
}

}  // namespace

TEST_CASE("numbers are those of the kernel", "[emulation]") {
  const emulated_source doubled = emulated("out[threadIdx.x] = 2 * in[threadIdx.x];");
  CHECK(doubled.block.stored.size() == 128);
  bool differs = false;
  for (std::size_t element = 0; element < 32; ++element) {
    CHECK(doubled.stored(1, element) == 2 * doubled.loaded(0, element));
    CHECK(std::abs(doubled.loaded(0, element)) <= 8);
    differs = differs || doubled.loaded(0, element) != doubled.loaded(0, 0);
  }
  CHECK(differs);

  const emulated_source transposed = emulated(
      "__shared__ float tile[16][16];\n"
      "const int x = threadIdx.x % 16, y = threadIdx.x / 16;\n"
      "tile[y][x] = in[y * 16 + x];\n__syncthreads();\nout[y * 16 + x] = tile[x][y];",
      256);
  CHECK(transposed.block.stored.size() == 1024);
  for (std::size_t element = 0; element < 256; ++element)
    CHECK(transposed.stored(1, element) == transposed.loaded(0, element % 16 * 16 + element / 16));

  // Halves by shuffles, the rest through shared memory; a product is fused with a sum or not.
  const emulated_source reduced = emulated(
      "__shared__ float sums[2];\nfloat sum = in[threadIdx.x] * in[threadIdx.x + 64] + 1;\n"
      "for (int i = 16; i > 0; i /= 2) sum += __shfl_down_sync(~0u, sum, i);\n"
      "if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;\n__syncthreads();\n"
      "if (threadIdx.x == 0) out[0] = sums[0] + sums[1];",
      64);
  float sum = 64;
  for (std::size_t element = 0; element < 64; ++element)
    sum += reduced.loaded(0, element) * reduced.loaded(0, element + 64);
  CHECK(reduced.block.stored.size() == 4);
  CHECK(reduced.block.incomplete.empty());
  CHECK(reduced.stored(1, 0) == sum);
}

TEST_CASE("a branch and an index on data are decided", "[emulation]") {
  const emulated_source gathered =
      emulated("const float v = in[which[threadIdx.x]];\nif (v > 0) out[threadIdx.x] = v;");
  CHECK(gathered.block.incomplete.empty());
  const c::made_up_memory memory(*gathered.counted->kernel, gathered.counted->settings);
  std::size_t stored = 0;
  for (std::size_t element = 0; element < 32; ++element) {
    const std::uint64_t index = memory.load(c::global_base(2) + 4 * element, 4);
    CHECK(index < 8);
    if (gathered.loaded(0, index) <= 0) continue;
    ++stored;
    CHECK(gathered.stored(1, element) == gathered.loaded(0, index));
  }
  CHECK(gathered.block.stored.size() == 4 * stored);
  CHECK(stored > 0);
  CHECK(stored < 32);
}

TEST_CASE("what is not evaluated depends on its operands", "[emulation]") {
  for (const std::string function :
       {"expf(#)", "__expf(#)", "sinf(#) + 1", "rsqrtf(#)", "powf(#, 1.5f)", "tanhf(#)",
        "__half2float(__hmul(__float2half(#), __float2half(3.f)))", "__fdividef(1, #)",
        "__int_as_float(__float2int_rn(#))"}) {
    const auto with = [&](const std::string& operand) {
      std::string result = "out[threadIdx.x] = " + function + ";";
      result.replace(result.find('#'), 1, operand);
      return "const float v = in[threadIdx.x], w = in[threadIdx.x + 1];\n" + result;
    };
    INFO(function);
    CHECK(compute_the_same(with("v"), with("v")));
    CHECK_FALSE(compute_the_same(with("v"), with("w")));
  }
  for (const std::string instruction :
       {"\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(r) : \"f\"(#)",
        "\"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %4, %5}, "
        "{%4, %5}, {%6, %6, %6, %6};\" : \"=f\"(r), \"=f\"(s[0]), \"=f\"(s[1]), \"=f\"(s[2]) "
        ": \"r\"(1), \"r\"(__float_as_uint(#)), \"f\"(1.f)"}) {
    const auto with = [&](const std::string& operand) {
      std::string result =
          "float r, s[3];\nasm volatile(" + instruction + ");\nout[threadIdx.x] = r;";
      result.replace(result.find('#'), 1, operand);
      return "const float v = in[threadIdx.x], w = in[threadIdx.x + 1];\n" + result;
    };
    INFO(instruction);
    CHECK(compute_the_same(with("v"), with("v")));
    CHECK_FALSE(compute_the_same(with("v"), with("w")));
  }
  // Through variables of a function that has no body here.
  CHECK_FALSE(compute_the_same("float s, c;\nsincosf(in[threadIdx.x], &s, &c);\nout[0] = s;",
                               "float s, c;\nsincosf(in[threadIdx.x + 1], &s, &c);\nout[0] = s;"));
}

TEST_CASE("layouts do not change values, and wrong ones do", "[emulation]") {
  const auto transpose = [](const std::string& columns, const std::string& place) {
    return "__shared__ float tile[16 * " + columns + "];\n" +
           "const int x = threadIdx.x % 16, y = threadIdx.x / 16;\n"
           "tile[y * " +
           columns +
           " + x] = in[threadIdx.x];\n__syncthreads();\n"
           "out[threadIdx.x] = tile[" +
           place + "];";
  };
  CHECK(compute_the_same(transpose("16", "x * 16 + y"), transpose("17", "x * 17 + y"), 256));
  CHECK_FALSE(compute_the_same(transpose("16", "x * 16 + y"), transpose("17", "x * 16 + y"), 256));
  CHECK_FALSE(compute_the_same(transpose("16", "x * 16 + y"), transpose("16", "y * 16 + x"), 256));
  // A number that means the extent, changed with the pitch.
  CHECK_FALSE(compute_the_same(transpose("16", "x * 16 + y"),
                               transpose("17", "x * 17 + y") + "\nout[threadIdx.x] *= 1.0f / 17;",
                               256));
}

TEST_CASE("units of a warp: copies, matrices, atomic operations", "[emulation]") {
  const auto copied = [](const std::string& pitch, const std::string& read) {
    return "__shared__ __align__(16) float tile[8 * " + pitch +
           "];\n"
           "const int x = threadIdx.x % 4 * 4, y = threadIdx.x / 4;\n"
           "asm volatile(\"cp.async.ca.shared.global [%0], [%1], 16;\" ::"
           " \"r\"((unsigned)__cvta_generic_to_shared(&tile[y * " +
           pitch +
           " + x])),"
           " \"l\"(in + threadIdx.x * 4));\n"
           "asm volatile(\"cp.async.wait_all;\");\n__syncthreads();\n"
           "out[threadIdx.x] = tile[" +
           read + "];";
  };
  CHECK(compute_the_same(copied("16", "y * 16 + x"), copied("20", "y * 20 + x")));
  CHECK_FALSE(compute_the_same(copied("16", "y * 16 + x"), copied("20", "y * 16 + x")));
  CHECK(emulated(copied("16", "y * 16 + x")).stored(1, 5) ==
        emulated(copied("16", "y * 16 + x")).loaded(0, 20));

  const auto matrix = [](const std::string& pitch, const std::string& row) {
    return "__shared__ __align__(16) float tile[8 * " + pitch +
           "];\n"
           "for (int i = 0; i < 4; ++i) tile[threadIdx.x / 4 * " +
           pitch +
           " + threadIdx.x % 4] = in[threadIdx.x];\n__syncthreads();\nunsigned r;\n"
           "asm volatile(\"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];\" : \"=r\"(r) : "
           "\"r\"((unsigned)__cvta_generic_to_shared(&tile[(threadIdx.x % 8" +
           row + ") * " + pitch + "])));\nout[threadIdx.x] = __uint_as_float(r);";
  };
  CHECK(compute_the_same(matrix("4", ""), matrix("8", "")));
  CHECK_FALSE(compute_the_same(matrix("4", ""), matrix("4", " ^ 1")));

  const auto histogram = [](const std::string& bin) {
    return "__shared__ int bins[8];\nif (threadIdx.x < 8) bins[threadIdx.x] = "
           "0;\n__syncthreads();\n"
           "atomicAdd(&bins[" +
           bin +
           "], 1);\n__syncthreads();\n"
           "if (threadIdx.x < 8) out[threadIdx.x] = bins[threadIdx.x];";
  };
  CHECK(compute_the_same(histogram("which[threadIdx.x]"), histogram("which[31 - threadIdx.x]")));
  CHECK_FALSE(
      compute_the_same(histogram("which[threadIdx.x]"), histogram("which[threadIdx.x] / 2")));
}

TEST_CASE("reasons why values are not compared", "[emulation]") {
  CHECK(emulated("if (in[threadIdx.x] > 100) out[0] = 1;").block.incomplete ==
        "it stores nothing in global memory");
  CHECK(emulated("while (which[0] < 8) if (in[0] == 0.5f) out[0] = 1;\nout[1] = 1;")
            .block.incomplete == "the block takes too many steps");
  CHECK(contains(emulated("__shared__ int t[4];\nt[threadIdx.x % 4] = 1;\n"
                          "*(int2*)&t[which[threadIdx.x] % 2] = int2{1, 2};\nout[0] = t[0];")
                     .block.incomplete,
                 "not aligned"));
  CHECK(contains(emulated("using namespace nvcuda;\n__shared__ half t[256];\n"
                          "wmma::fragment<wmma::accumulator, 16, 16, 16, float> f;\n"
                          "wmma::fill_fragment(f, 1.f);\n"
                          "wmma::store_matrix_sync(out, f, 16, wmma::mem_row_major);",
                          32, "#include <mma.h>\n")
                     .block.incomplete,
                 "an element of a matrix is not modelled"));
  // Results that depend on nothing here would be the same whatever is loaded.
  CHECK(contains(emulated("using namespace nvcuda;\n"
                          "wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> f;\n"
                          "wmma::load_matrix_sync(f, (const half*)in, 16);\n"
                          "out[threadIdx.x] = (float)f.x[0];",
                          32, "#include <mma.h>\n")
                     .block.incomplete,
                 "is not modelled"));
  CHECK(contains(emulated("out[threadIdx.x] = clock();").block.incomplete, "is not modelled"));
  const emulated_source some = emulated("out[threadIdx.x] = in[threadIdx.x];"),
                        other = emulated("out[threadIdx.x + 1] = in[threadIdx.x];");
  CHECK(c::compared_values(*some.counted, *other.counted).difference ==
        "out has another value at byte 0");
  CHECK(c::compared_values(*some.counted, *some.counted).bytes == 128);
  // What can be run before the change has to be possible after it.
  const std::string aligned =
      "__shared__ int t[4];\nt[threadIdx.x % 4] = 1;\n"
      "*(int2*)&t[which[threadIdx.x] / 8] = int2{1, 2};\nout[0] = t[0];";
  std::string misaligned = aligned;
  misaligned.replace(misaligned.find("/ 8"), 3, "% 2");
  const emulated_source before = emulated(aligned), after = emulated(misaligned);
  CHECK(before.block.incomplete.empty());
  CHECK(contains(c::compared_values(*before.counted, *after.counted).difference,
                 "the block cannot be run, a store of 8 bytes"));
  CHECK(contains(c::compared_values(*after.counted, *before.counted).incomplete, "not aligned"));
}

TEST_CASE("what takes too long is run with smaller arguments", "[emulation]") {
  const auto summed = [](const std::string& pitch, const std::string& step) {
    c::question asked;
    asked.block = "32";
    asked.machines = {"sm_90"};
    asked.arguments = {"n=100032", "scale=1000"};
    return counted_text(
        "__global__ void k(const float* in, float* out, int n, float scale) {\n"
        "  __shared__ float t[32 * " +
            pitch +
            "];\n  float sum = 0;\n"
            "  for (int i = 0; i < n; i += " +
            step +
            ") {\n"
            "    for (int j = 0; j < 32; ++j) t[j * " +
            pitch +
            " + threadIdx.x] = in[i + 32 * j];\n"
            "    __syncthreads();\n"
            "    for (int j = 0; j < 32; ++j) sum += t[threadIdx.x * " +
            pitch +
            " + j];\n"
            "    __syncthreads();\n  }\n  out[threadIdx.x] = sum * scale;\n}\n",
        asked);
  };
  constexpr long long most_steps = 1 << 23;
  const auto narrow = summed("32", "1"), wide = summed("33", "1"), other = summed("32", "2");
  c::value_comparison compared = c::compared_values(*narrow, *wide, most_steps);
  CHECK(compared.has_small_arguments);
  // Counts have a limit of their own.
  CHECK(narrow->settings.most_steps != most_steps);
  CHECK(compared.incomplete.empty());
  CHECK(compared.difference.empty());
  CHECK(compared.bytes == 128);
  compared = c::compared_values(*narrow, *other, most_steps);
  CHECK(contains(compared.difference, "out has another value at byte "));

  const auto small = c::with_small_arguments(*narrow->kernel, narrow->settings);
  REQUIRE(small.has_value());
  CHECK(small->arguments.at("n") == 128 + 64);
  CHECK(small->arguments.at("scale") == narrow->settings.arguments.at("scale"));
  CHECK_FALSE(c::with_small_arguments(*narrow->kernel, *small).has_value());
}

// Accesses to shared memory of the examples, an element further: what they store is another.
TEST_CASE("accesses that are elsewhere are noticed", "[emulation]") {
  int kernels = 0, accesses = 0, moved = 0, noticed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(BANKMODEL_CUDA_FILES)) {
    if (entry.path().extension() != ".cu") continue;
    c::question asked;
    asked.file = entry.path().string();
    asked.machines = {"sm_90"};
    asked.plan = false;
    for (const c::kernel_result& result : c::counted_kernels(asked)) {
      INFO(entry.path() << ' ' << result.name);
      REQUIRE(result.counted != nullptr);
      const c::launch& settings = result.counted->settings;
      c::kernel_code kernel = *result.counted->kernel;
      const c::emulated_block whole = c::emulated(kernel, settings);
      CHECK(whole.incomplete.empty());
      CHECK(c::emulated(kernel, settings).stored == whole.stored);
      ++kernels;
      for (c::code_block& block : kernel.blocks)
        for (c::instruction& code : block.instructions) {
          const bool is_shared =
              code.operation == c::opcode::access && code.memory.memory == c::memory_kind::shared;
          if (!is_shared || ++accesses % 7 != 0) continue;
          const int distance = c::bytes_as_written(code.memory);
          code.memory.offset += distance;
          ++moved;
          const c::emulated_block changed = c::emulated(kernel, settings);
          noticed += changed.stored != whole.stored || !changed.incomplete.empty() ? 1 : 0;
          code.memory.offset -= distance;
        }
    }
  }
  CHECK(kernels == 27);
  CHECK(moved > 150);
  // Of numbers that are compared, a sum's first elements and the like, some do not matter.
  CHECK(noticed >= moved * 97 / 100);
}
