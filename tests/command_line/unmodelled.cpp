// SPDX-License-Identifier: MIT
// Calls and instructions that are not modelled, and accesses outside all arrays: the others are
// counted all the same, nothing that they may have changed is known, and the sum is partial.
#include <algorithm>
#include <bankmodel/machines/nvidia.hpp>
#include <string>
#include <vector>

#include "catch.hpp"
#include "examples/bankmodel/compiled/ask.hpp"
#include "examples/bankmodel/compiled/engine/run.hpp"
#include "examples/bankmodel/compiled/issued/issued.hpp"
#include "examples/bankmodel/compiled/page/priced.hpp"
#include "examples/bankmodel/compiled/ptx/ptx_reader.hpp"
#include "stopped_run.hpp"

namespace bm = bankmodel;
namespace cc = compiled;

namespace {

// %r1: the thread; %r2: the address of its word in s; %r3: 64 bytes further for each thread, 32-way
// conflicts; %d1: its word of the data, whose content %r4 is unknown.
std::string kernel_with(const std::string& code, const std::string& arrays) {
  return R"(.version 7.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a)
{
  .reg .pred %p<9>;
  .reg .b32 %r<19>;
  .reg .f32 %f<9>;
  .reg .b64 %d<19>;
  .local .align 4 .b8 l[16];
)" + arrays +
         R"(
  ld.param.u64 %d1, [a];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %d2, %r1, 4;
  add.s64 %d1, %d1, %d2;
  ld.global.u32 %r4, [%d1];
  setp.gt.s32 %p1, %r4, 3;
  mov.u32 %r5, s;
  shl.b32 %r2, %r1, 2;
  add.s32 %r2, %r2, %r5;
  shl.b32 %r3, %r1, 7;
  add.s32 %r3, %r3, %r5;
)" + code +
         "\n  ret;\n}\n";
}
const std::string array_of_8k = ".shared .align 16 .b8 s[8192];";

cc::recording run_of(const std::string& code, const bm::block_dim& block = {32},
                     const std::string& arrays = array_of_8k) {
  cc::launch options{.block = block};
  return cc::run(cc::read_ptx(kernel_with(code, arrays)).at(0), options);
}

cc::question question_about(const std::string& code, const std::string& arrays = array_of_8k) {
  cc::question asked;
  asked.file = "k.ptx";
  asked.text = kernel_with(code, arrays);
  asked.block = "32";
  return asked;
}

std::string error_of(const std::string& code) { return reason_of_stop(question_about(code)); }

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("what is beside a call that is not modelled is counted, and the sum is partial") {
  const std::string opaque[] = {
      "call other;", "mov.u64 %d4, 5; call %d4, ();",
      "wmma.load.a.sync.aligned.row.m16n16k16.e5m2 {%r6, %r7}, [%d9], 16;"};
  for (const std::string& instruction : opaque) {
    INFO(instruction);
    const std::string code =
        "ld.shared.u32 %r6, [%r3];" + instruction + "st.shared.u32 [%r2], %r1;";
    const cc::recording recorded = run_of(code);
    CHECK(recorded.leaves_out_shared);
    const cc::priced costs = cc::priced_on(bm::nvidia::sm_90, recorded);
    CHECK(costs.cost.wavefronts == 33);
    CHECK(costs.is_partial_shared);
    REQUIRE(recorded.notes.size() == 1);
    const std::string kernel_text = kernel_with(code, array_of_8k);
    const auto line =
        1 + std::count(kernel_text.begin(),
                       kernel_text.begin() + std::ptrdiff_t(kernel_text.find(instruction)), '\n');
    CHECK(has(recorded.notes[0], " at PTX:" + std::to_string(line) + " is not modelled"));
    CHECK(has(recorded.notes[0],
              " is not modelled; what it accesses in shared and global memory is not "
              "counted, and no layout is proposed"));
    const command_line::answer text = cc::answer_to(question_about(code));
    CHECK(text.code == command_line::fine);
    CHECK(has(text.output, "the whole kernel (in part)"));
    CHECK_FALSE(has(text.output, "declared as"));
  }
  const cc::recording plain = run_of("ld.shared.u32 %r6, [%r3]; st.shared.u32 [%r2], %r1;");
  CHECK_FALSE(plain.leaves_out_shared);
  CHECK_FALSE(cc::priced_on(bm::nvidia::sm_90, plain).is_partial_shared);
}

TEST_CASE("the sum of global memory is without textures, and that of shared memory is whole") {
  const std::string code =
      "ld.shared.u32 %r6, [%r3]; tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d9, {%f1, %f2}];"
      "suld.b.2d.b32.trap {%r7}, [%d9, {%r6, %r6}];";
  const command_line::answer text =
      cc::answer_to(question_about(code + "st.global.u32 [%d1], %r1;"));
  CHECK(text.code == command_line::fine);
  CHECK(has(text.output, "the whole kernel (without textures)"));
  CHECK_FALSE(has(text.output, "(in part)"));
  CHECK(has(text.output, "accesses to textures and surfaces at PTX:"));
  // Beside what is not modelled it says nothing of the rest.
  const cc::recording recorded = run_of(code + "call other;");
  CHECK(recorded.leaves_out);
  CHECK_FALSE(recorded.leaves_out_textures_alone);
}

TEST_CASE("a call may change shared memory") {
  const std::string store = "st.shared.u32 [%r2], %r2; bar.sync 0;",
                    use = "ld.shared.u32 %r6, [%r2]; ld.shared.u32 %r7, [%r6];";
  CHECK(error_of(store + use).empty());
  CHECK(has(error_of(store + "call other;" + use), "the address depends on a call of other"));
  // What is stored afterwards is known.
  CHECK(error_of("call other;" + store + use).empty());
  // It may be executed, or not.
  CHECK(has(error_of(store + "@%p1 call other;" + use), "depends on a call of other"));
  CHECK(has(error_of(store + "@%p1 bra on; call other; on:" + use), "depends on a call of other"));
  CHECK(has(error_of(store + "@%p1 mbarrier.inval.shared.b64 [%r2];" + use),
            "depends on mbarrier.inval.shared.b64"));
}

TEST_CASE("another warp may read what a call changes") {
  // Warp 0 calls; warp 1 stores and loads, with and without a barrier in between.
  const std::string begin =
                        "setp.lt.u32 %p2, %r1, 32; @!%p2 bra on; call other; bra end; on:"
                        "st.shared.u32 [%r2], %r2;",
                    use = "ld.shared.u32 %r6, [%r2]; ld.shared.u32 %r7, [%r6]; end:";
  const auto error = [&](const std::string& text) {
    cc::question asked = question_about(text);
    asked.block = "64";
    return reason_of_stop(asked);
  };
  CHECK(has(error(begin + use), "depends on several threads that store to the same place"));
  CHECK(error("setp.lt.u32 %p2, %r1, 32; @!%p2 bra first; call other; first: bar.sync 0; @%p2 bra "
              "end; st.shared.u32 [%r2], %r2;" +
              use)
            .empty());
}

TEST_CASE("a call may change local and global memory") {
  const std::string local = "mov.u64 %d5, l; st.local.u32 [%d5], %r2;",
                    load = "ld.local.u32 %r6, [%d5]; ld.shared.u32 %r7, [%r6];";
  CHECK(error_of(local + load).empty());
  CHECK(has(error_of(local + "call other;" + load), "depends on a call of other"));
  CHECK(has(error_of(local + "@%p1 bra on; call other; on:" + load), "depends on a call of other"));

  cc::launch options{.block = {32}};
  std::vector<std::uint8_t> words(128);
  options.data["p0"] = {"a.bin", words};
  const auto runs = [&](const std::string& code) {
    try {
      (void)cc::run(cc::read_ptx(kernel_with(code, array_of_8k)).at(0), options);
      return true;
    } catch (const cc::cannot_run& reason) {
      UNSCOPED_INFO(reason.what());
      return false;
    }
  };
  const std::string by_data =
      "ld.global.u32 %r6, [%d1]; add.s32 %r6, %r6, %r5;"
      "ld.shared.u32 %r7, [%r6];";
  CHECK(runs(by_data));
  CHECK_FALSE(runs("call other;" + by_data));
}

TEST_CASE("a call may return an address of shared memory, or leave one in memory") {
  const std::string returned =
      "{ .param .b64 z; call (z), other; ld.param.b64 %d6, [z]; }"
      "ld.u32 %r6, [%d6];";
  CHECK(has(error_of(returned), "the address, which may be in shared memory, depends on a call"));
  CHECK(has(error_of("call other; ld.global.u64 %d6, [%d1]; ld.u32 %r6, [%d6];"),
            "the address, which may be in shared memory, depends on"));
}

TEST_CASE("loads are not joined over a call") {
  const auto joined = [](const std::string& code) {
    cc::recording recorded =
        run_of("ld.shared.f32 %f1, [%r3];" + code + "ld.shared.f32 %f2, [%r3+4];");
    cc::join_accesses(recorded);
    return std::any_of(recorded.accesses.begin(), recorded.accesses.end(),
                       [](const auto& access) { return access.issued_with >= 0; });
  };
  CHECK(joined(""));
  CHECK_FALSE(joined("call other;"));
  CHECK_FALSE(joined("@%p1 call other;"));
}

TEST_CASE("a function has shared arrays of its own") {
  std::string text = kernel_with("call other;", "");
  text.replace(text.find("mov.u32 %r5, s;"), 15, "mov.u32 %r5, 0;");
  cc::question asked;
  asked.file = "k.ptx";
  asked.text = text;
  asked.block = "32";
  asked.allowed.of_all.conflicts = {0, "--max-conflicts"};
  const command_line::answer result = cc::answer_to(asked);
  INFO(result.output << result.error);
  CHECK(has(result.output, "what it accesses in shared and"));
  CHECK(result.code == command_line::not_read);
}

TEST_CASE("no limit of conflicts is kept by a part") {
  cc::question asked = question_about("call other; st.shared.u32 [%r2], %r1;");
  CHECK(cc::answer_to(asked).code == command_line::fine);
  asked.allowed.of_all.conflicts = {100, "--max-conflicts"};
  const command_line::answer result = cc::answer_to(asked);
  CHECK(result.code == command_line::not_read);
  CHECK(result.error ==
        "bankmodel: sm_90: shared memory is counted in part, and --max-conflicts "
        "cannot limit the rest; leave it out, or change what the notes name\n");
  asked.format = command_line::format::json;
  CHECK(has(cc::answer_to(asked).output, "\"partial\": true, \"partial_shared\": true"));
  asked.format = command_line::format::html;
  CHECK(has(cc::answer_to(asked).output, "<b>1 wavefront</b>, ideal 1, counted in part"));
}

TEST_CASE("a request outside all arrays is left out") {
  // Thread 31 is outside in the second one.
  const std::string arrays = ".shared .align 16 .b8 s[128];",
                    code = "st.shared.u32 [%r2], %r2; st.shared.u32 [%r2+4], %r2; bar.sync 0;";
  const cc::recording recorded = run_of(code, {32}, arrays);
  REQUIRE(recorded.accesses.size() == 2 + 1);
  const auto outside = std::find_if(recorded.accesses.begin(), recorded.accesses.end(),
                                    [](const auto& access) { return access.is_partial; });
  REQUIRE(outside != recorded.accesses.end());
  CHECK(
      outside->reason ==
      "a store of thread (31, 0, 0) outside the arrays in shared memory, at byte 128 of 128; give "
      "the block, the arguments and --dynamic-bytes that the kernel is written for");
  CHECK(outside->classes.empty());
  const cc::priced costs = cc::priced_on(bm::nvidia::sm_90, recorded);
  CHECK(costs.cost.wavefronts == 1);
  CHECK(costs.is_partial_shared);
  const auto error = [&](const std::string& text) {
    return reason_of_stop(question_about(text, arrays));
  };
  const std::string use = "ld.shared.u32 %r6, [%r2]; ld.shared.u32 %r7, [%r6];";
  CHECK(error("st.shared.u32 [%r2], %r2; bar.sync 0;" + use).empty());
  CHECK(has(error(code + use), "depends on an access outside the arrays in shared memory"));
  CHECK(has(error("ld.shared.u32 %r6, [%r2+4];ld.shared.u32 %r7, [%r6];"),
            "depends on an access outside the arrays in shared memory"));
  // Far outside, and below 0.
  CHECK(run_of("st.shared.u32 [%r2+123456], %r2;", {32}, arrays).accesses.size() == 2);
  CHECK(run_of("st.shared.u32 [%r2+-8], %r2;", {32}, arrays).accesses.size() == 2);
}

TEST_CASE("an array whose size was not given has no accesses to count") {
  cc::question asked = question_about("st.shared.u32 [%r2], %r2;", "");
  const std::size_t offset = asked.text.find(".visible");
  asked.text.insert(offset, ".extern .shared .align 16 .b8 s[];\n");
  CHECK(has(reason_of_stop(asked), "give the bytes of the dynamic array: --dynamic-bytes"));
  CHECK(has(cc::answer_to(asked).output, "\nassumed: dynamic bytes = 128, "));
  asked.dynamic_shared_bytes = 64;
  CHECK(cc::answer_to(asked).code == command_line::fine);
  CHECK(has(cc::answer_to(asked).output, "counted in part: a store of thread (16, 0, 0) outside"));
}
