// SPDX-License-Identifier: MIT
// What `bankmodel FILE.cu` takes, compared with Clang's check of the same text behind the same
// declarations of CUDA, precompiled.
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "compiler.hpp"
#include "examples/bankmodel/clang_reader/prelude.hpp"
#include "page.hpp"
#include "sections.hpp"

namespace bench {
namespace {

struct text_to_read {
  std::string name, path;
};

std::string written(const std::string& name, const std::string& text) {
  const std::string path = BANKMODEL_SCRATCH "/" + name;
  std::ofstream(path) << text;
  return path;
}

// Kernels that differ in a number.
std::string kernels(int count) {
  std::string text;
  for (int number = 0; number < count; ++number) {
    const std::string name = std::to_string(number);
    text += "__global__ void k" + name +
            "(float* out, const float* in, int n) {\n"
            "  __shared__ float tile[32][32];\n"
            "  for (int i = 0; i < n; i += 32) {\n"
            "    tile[threadIdx.y][threadIdx.x] = in[(threadIdx.y + i) * n + threadIdx.x + " +
            name +
            "];\n    __syncthreads();\n"
            "    out[threadIdx.y * n + threadIdx.x + i] = tile[threadIdx.x][threadIdx.y];\n"
            "    __syncthreads();\n  }\n}\n";
  }
  return text;
}

}  // namespace

void command_line(page& output) {
  const std::string clang = BANKMODEL_CLANG, tool = BANKMODEL_TOOL;
  output.text(
      "Compared: `bankmodel FILE.cu`, with its plans and without them, and `clang -fsyntax-only` "
      "of "
      "the same file with the same declarations of CUDA, which both have precompiled. CPU time; "
      "the second call of `bankmodel`, since the first makes these.");
  if (tool.empty() || !compiler::is_installed(clang)) {
    output.text(
        "Result: not measured here; it needs libcli11-dev, nlohmann-json3-dev, "
        "libtomlplusplus-dev, libclang-dev, llvm-dev and clang.");
    output.table({"file", "time"}, {{"not measured", ""}});
    return;
  }
  const std::string options =
      " -x cuda --cuda-device-only -nocudalib -nocudainc --cuda-gpu-arch=sm_75 "
      "-Wno-unknown-cuda-version -D__CUDACC__=1 -D__NVCC__=1 -U__CUDA_ARCH__ -D__CUDA_ARCH__=900 "
      "-std=c++17 -O1 -fdeclspec -w -DNDEBUG -D_GLIBCXX_BITS_SPECFUN_H -Xclang "
      "-fcuda-allow-variadic-functions ";
  const std::string header = written("prelude.h", compiled::prelude()),
                    precompiled = header + ".pch";
  if (std::system(
          (clang + options + "-S -Xclang -emit-pch " + header + " -o " + precompiled).c_str()) !=
      0) {
    std::fprintf(stderr, "WRONG: %s is not precompiled\n", header.c_str());
    std::exit(1);
  }
  const std::vector<text_to_read> files = {
      {"`examples/cuda/transpose.cu`", BANKMODEL_SOURCE "/examples/cuda/transpose.cu"},
      {"`examples/cuda/sgemm_float4.cu`", BANKMODEL_SOURCE "/examples/cuda/sgemm_float4.cu"},
      {"100 kernels, a loop in each", written("hundred.cu", kernels(100))}};
  std::vector<std::string> commands;
  for (const text_to_read& file : files) {
    commands.push_back(clang + options + "-fsyntax-only -Xclang -include-pch -Xclang " +
                       precompiled + " " + file.path);
    commands.push_back(tool + " --no-plan " + file.path);
    commands.push_back(tool + " " + file.path);
  }
  const std::vector<double> ms = least_ms_of(commands, BANKMODEL_SCRATCH);
  std::vector<page::row> rows;
  for (std::size_t number = 0; number < files.size(); ++number) {
    const double *const times = &ms[3 * number], of_clang = times[0];
    rows.push_back({files[number].name, number_text(times[1] / of_clang),
                    number_text(times[2] / of_clang), time_text(of_clang * 1e6),
                    time_text(times[1] * 1e6), time_text(times[2] * 1e6)});
  }
  const double ratio = ms[2] / ms[0];
  output.text("Result: `bankmodel examples/cuda/transpose.cu` takes " + number_text(ratio) +
              " times what Clang's check of the file takes.");
  output.table({"file", "without plans / Clang", "with plans / Clang", "Clang", "without plans",
                "with plans"},
               rows);
  output.aims.push_back({"`bankmodel transpose.cu` / `clang -fsyntax-only`", "1.3 at most",
                         number_text(ratio), ratio <= 1.3});
}

}  // namespace bench
