// SPDX-License-Identifier: MIT
// Which kernels of a file are read.
#include "examples/bankmodel/compiled/chosen_kernels.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "catch.hpp"

namespace cc = compiled;

namespace {

using texts = std::vector<std::string>;

cc::readable_kernel kernel(const std::string& name, std::uint64_t instructions = 100) {
  cc::readable_kernel result;
  result.name = result.linkage = name;
  result.file = "/project/k.cu";
  result.instructions = instructions;
  return result;
}

cc::question asked(const texts& kernels = {}) {
  cc::question result;
  result.file = "/project/k.cu";
  result.kernels = kernels;
  return result;
}

texts names_with(cc::passed_over reason, const std::vector<cc::readable_kernel>& kernels) {
  texts result;
  for (const cc::readable_kernel& kernel : kernels)
    if (kernel.reason == reason) result.push_back(kernel.name);
  return result;
}

texts read_of(std::vector<cc::readable_kernel> kernels, const cc::question& question) {
  cc::pass_over_kernels(question, kernels);
  return names_with(cc::passed_over::none, kernels);
}

}  // namespace

TEST_CASE("named kernels are read: in full, else by a part, a pattern or a short name") {
  const std::vector<cc::readable_kernel> kernels = {kernel("gemm<float, 128>"), kernel("gemm_tail"),
                                                    kernel("gemm<double, 64>"), kernel("fill")};
  CHECK(read_of(kernels, asked({"fill"})) == texts{"fill"});
  CHECK(read_of(kernels, asked({"gemm<double,64>"})) == texts{"gemm<double, 64>"});
  CHECK(read_of(kernels, asked({"gemm<float>"})) == texts{"gemm<float, 128>"});
  CHECK(read_of(kernels, asked({"gemm"})) ==
        texts{"gemm<float, 128>", "gemm_tail", "gemm<double, 64>"});
  CHECK(read_of(kernels, asked({"*tail", "fill"})) == texts{"gemm_tail", "fill"});
  CHECK(read_of(kernels, asked({"nowhere"})).empty());
  // Clang writes 128U for an unsigned argument.
  CHECK(read_of({kernel("k<128U, 2UL>"), kernel("k<64U, 2UL>")}, asked({"k<128, 2>"})) ==
        texts{"k<128U, 2UL>"});
  CHECK(read_of({kernel("k<t2U, 1>"), kernel("k<t2, 1>")}, asked({"k<t2, 1u>"})) ==
        texts{"k<t2, 1>"});
  // A pattern is for the name as pages print it too, and without its namespaces.
  for (const char* const pattern : {"k<half*", "k<*1>", "*::cuda::k", "k*"})
    CHECK(read_of({kernel("cv::cuda::k<half4, 1>"), kernel("cv::cuda::other<k>")},
                  asked({pattern})) == texts{"cv::cuda::k<half4, 1>"});
  CHECK(read_of({kernel("a::k<1>"), kernel("b::k<1>")}, asked({"k<*"})) ==
        texts{"a::k<1>", "b::k<1>"});
  CHECK(read_of({kernel("a::(anonymous namespace)::k"), kernel("b::f<a::k>")}, asked({"k*"})) ==
        texts{"a::(anonymous namespace)::k"});
  // The name in full is that kernel alone, and large ones are read too.
  CHECK(read_of({kernel("a", 1 << 20), kernel("ab")}, asked({"a"})) == texts{"a"});
}

TEST_CASE("of a template 24 instances, and of a file 262,144 instructions, the smallest first") {
  std::vector<cc::readable_kernel> kernels;
  for (int number = 0; number < 30; ++number)
    kernels.push_back(kernel("f<" + std::to_string(number) + ">"));
  kernels.push_back(kernel("g"));
  cc::pass_over_kernels(asked(), kernels);
  CHECK(names_with(cc::passed_over::none, kernels).size() == 25);
  CHECK(names_with(cc::passed_over::further_instance, kernels) ==
        texts{"f<24>", "f<25>", "f<26>", "f<27>", "f<28>", "f<29>"});

  // Each kernel and a first instance of each template come before further instances.
  kernels = {kernel("t<0>", 80000), kernel("t<1>", 10), kernel("large", 250000),
             kernel("small", 160000), kernel("t<2>", 22200)};
  cc::pass_over_kernels(asked(), kernels);
  CHECK(names_with(cc::passed_over::none, kernels) == texts{"t<0>", "t<1>", "small"});
  CHECK(names_with(cc::passed_over::large, kernels) == texts{"large"});
  CHECK(names_with(cc::passed_over::further_instance, kernels) == texts{"t<2>"});
  CHECK(read_of({kernel("t<0>", 80000), kernel("t<1>", 10), kernel("small", 160000),
                 kernel("t<2>", 22134)},
                asked()) == texts{"t<0>", "t<1>", "small", "t<2>"});
  // There is always one.
  CHECK(read_of({kernel("only", 1 << 20)}, asked()) == texts{"only"});
  CHECK(read_of({kernel("second", 1 << 21), kernel("first", 1 << 20)}, asked()) == texts{"first"});
}

TEST_CASE("kernels of a library are read if they are launched, or if there is no other") {
  cc::readable_kernel own = kernel("own"), launched = kernel("launched"), other = kernel("other");
  launched.file = other.file = "/library/reduce.cuh";
  launched.is_launched = true;
  CHECK(read_of({own, launched, other}, asked()) == texts{"own", "launched"});
  CHECK(read_of({other}, asked()) == texts{"other"});
  // Those of the header that is asked about, in the file that includes it.
  cc::question header = asked();
  header.file = "/library/reduce.cuh";
  header.unit = "/project/k.cu";
  CHECK(read_of({own, launched, other}, header) == texts{"launched", "other"});
  CHECK(read_of({own}, header) == texts{"own"});
}

TEST_CASE("launches that are not read are named together") {
  cc::code_of_file code;
  const auto add = [&](const std::string& kernel, int line, bool is_call, const char* reason) {
    cc::unread_launch& launch = code.unread_launches.emplace_back();
    launch.kernel = kernel;
    launch.line = line;
    launch.file = line < 100 ? "k.cu" : "launcher.cuh";
    launch.is_call = is_call;
    launch.reason = reason;
  };
  add("k<T>", 20, false, "why");
  add("run", 30, true, "why");
  add("k<T>", 12, false, "why");
  add("k<T>", 40, false, "another");
  add("k<T>", 16, false, "why");
  add("run", 31, true, "why");
  add("k<T>", 120, false, "why");
  add("go", 50, true, "why");
  cc::kernel_code kernel;
  kernel.name = "k<int>";
  cc::question of_file;
  of_file.file = "k.cu";
  CHECK(cc::left_out(code, of_file, kernel) ==
        texts{"the launches of k<T> in lines 12, 16 and 20 (why)",
              "the kernels that the calls of run in lines 30 and 31 launch (why)",
              "the launch of k<T> in line 40 (another)",
              "the launch of k<T> in line 120 of launcher.cuh (why)",
              "the kernels that the call of go in line 50 launches (why)"});
}

TEST_CASE("kernels that are left out are named together") {
  cc::code_of_file code;
  const auto add = [&](const std::string& name, cc::passed_over reason) {
    code.passed_over_kernels.push_back(kernel(name));
    code.passed_over_kernels.back().reason = reason;
  };
  add("f<1>", cc::passed_over::further_instance);
  add("f<2>", cc::passed_over::further_instance);
  add("huge", cc::passed_over::large);
  add("unasked", cc::passed_over::unasked);
  const std::vector<cc::left_out_kernels> groups = cc::left_out_kernels_of(code);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].name == "each of 2 more instances of f");
  CHECK(groups[0].reason.right == "give --kernel 'f<*>' for all of them, or name one");
  CHECK(groups[1].name == "huge");
  CHECK(groups[1].reason.right == "give --kernel 'huge'");
}
