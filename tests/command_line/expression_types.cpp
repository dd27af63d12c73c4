// SPDX-License-Identifier: MIT
// The types of expressions of CUDA's declarations are those that nvcc gives them, which
// expression_types/types.txt has. Where nvcc is there, it is asked anew.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "examples/bankmodel/clang_reader/source_reader.hpp"

namespace c = compiled;

namespace {

// Pairs of a type and an expression, as expression_types/print.py prints them.
std::vector<std::pair<std::string, std::string>> table() {
  std::vector<std::pair<std::string, std::string>> result;
  std::ifstream lines(BANKMODEL_EXPRESSION_TYPES);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t tab = line.find('\t');
    REQUIRE(tab != std::string::npos);
    result.emplace_back(line.substr(0, tab), line.substr(tab + 1));
  }
  return result;
}

// A kernel that compiles if each expression has its type. An expression is in a template, so that
// one that does not compile has the type `refused`.
std::string kernel_of_types() {
  std::ostringstream text, body;
  text << "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\nstruct refused {};\n"
          "template <class Z, class T> __device__ T value();\n#define V(...) value<Z, "
          "__VA_ARGS__>()\n"
          "template <class A, class B> struct is_same { enum { value = 0 }; };\n"
          "template <class A> struct is_same<A, A> { enum { value = 1 }; };\n";
  int index = 0;
  for (const auto& [type, expression] : table()) {
    const std::string name = "f" + std::to_string(index++);
    text << "template <class Z> __device__ auto " << name << "(int) -> decltype(" << expression
         << ");\ntemplate <class Z> __device__ refused " << name << "(...);\n";
    body << "  static_assert(is_same<decltype(" << name << "<int>(0)), " << type << ">::value, \""
         << expression << " is not " << type << "\");\n";
  }
  text << "__global__ void types(int* out) {\n" << body.str() << "  *out = 1;\n}\n";
  return text.str();
}

struct file {
  std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                 ("bankmodel_expression_types_" + std::to_string(getpid()));
  std::string path = (folder / "types.cu").string();
  file() {
    std::filesystem::create_directories(folder);
    std::ofstream(path) << kernel_of_types();
  }
  ~file() { std::filesystem::remove_all(folder); }
};

// Each expression whose type is another one, a line.
std::string differences(const std::string& diagnostics) {
  std::string result;
  std::istringstream lines(diagnostics);
  for (std::string line; std::getline(lines, line);)
    if (line.find("error") != std::string::npos) result += line + "\n";
  return result;
}

}  // namespace

TEST_CASE("the types of expressions are nvcc's") {
  REQUIRE(table().size() >= 2000);
  const file kernel;
  const c::read_source read = c::read_cuda(kernel.path, {});
  INFO(differences(read.diagnostics));
  CHECK(read.diagnostics.empty());
  CHECK(read.kernels.size() == 1);
}

TEST_CASE("the table of types is what nvcc gives today") {
  if (std::system("nvcc --version > /dev/null 2>&1") != 0) {
    std::cout << "SKIPPED: nvcc is not there: the table of types is not compared with it\n";
    return;
  }
  const file kernel;
  const std::string messages = (kernel.folder / "messages").string();
  const std::string command = "nvcc -w -std=c++17 -arch=sm_90 -ptx -o /dev/null " + kernel.path +
                              " > " + messages + " 2>&1";
  const int code = std::system(command.c_str());
  std::ostringstream text;
  text << std::ifstream(messages).rdbuf();
  INFO(text.str());
  CHECK(code == 0);
}
