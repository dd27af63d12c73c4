// SPDX-License-Identifier: MIT
// Descriptions of PTX: loops, conditions and operations as expressions of the library; and the
// arithmetic on expressions, compared with numbers.
#include "examples/bankmodel/compiled/description/description.hpp"

#include <bankmodel/machines/nvidia.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "drawn.hpp"
#include "examples/bankmodel/compiled/ask.hpp"
#include "examples/bankmodel/compiled/description/conditions.hpp"
#include "examples/bankmodel/compiled/issued/issued.hpp"
#include "examples/bankmodel/compiled/ptx/ptx_reader.hpp"
#include "ptx_body.hpp"
#include "recorded_cost.hpp"

namespace bm = bankmodel;
namespace cc = compiled;
using ptx_body::launched;

namespace {

using texts = std::vector<std::string>;

std::string text_with(const std::string& body) {
  return R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry test(.param .u64 pointer, .param .u32 number)
{
  .reg .pred %p<64>;
  .reg .b32 %r<64>;
  .reg .b64 %d<64>;
  .reg .f32 %f<64>;
  .shared .align 16 .b8 line[4096];
  .shared .align 16 .b8 other[4096];
  mov.u32 %r0, line;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %tid.y;
)" + body +
         "\n}\n";
}

cc::kernel_code kernel_of_body(const std::string& body) {
  const auto kernels = cc::read_ptx(text_with(body));
  REQUIRE(kernels.size() == 1);
  return kernels[0];
}

struct described_kernel {
  texts accesses;
  std::string program, notes;
};

described_kernel described(const cc::kernel_code& kernel, const cc::launch& options,
                           const cc::recording& recorded) {
  const cc::description summary = cc::describe(kernel, options, recorded, bm::nvidia::sm_90);
  const cc::described_text text =
      cc::text_of(summary, kernel, options, {bm::nvidia::sm_90}, "kernels.ptx");
  described_kernel result{{}, text.program, text.notes};
  const std::string mark = "\n    bm::";
  for (std::size_t position = text.program.find(mark); position != std::string::npos;
       position = text.program.find(mark, position + 1)) {
    std::string line =
        text.program.substr(position + 5, text.program.find('\n', position + 1) - position - 5);
    if (line.find("bm::block_dim") == 0) continue;
    line.resize(line.size() - (line.back() == ';' ? 2 : 1));
    if (line.back() == ',') line.pop_back();
    result.accesses.push_back(line);
  }
  return result;
}
described_kernel described(const cc::kernel_code& kernel, const cc::launch& options) {
  return described(kernel, options, cc::run(kernel, options));
}

// The description of a store of 4 bytes to %r9.
std::string store_of(const std::string& body, const bm::block_dim& block = {32}) {
  const described_kernel result =
      described(kernel_of_body(body + "\n  st.shared.u32 [%r9], %r1;\n  ret;"), launched(block));
  INFO(result.program);
  return result.accesses.size() == 1 ? result.accesses[0] : result.notes;
}

}  // namespace

TEST_CASE("operations of PTX in subscripts", "[describe]") {
  const auto store = [](const std::string& body, const bm::block_dim& block = {32}) {
    return store_of(body + "\n  shl.b32 %r8, %r7, 2;\n  add.u32 %r9, %r0, %r8;", block);
  };
  CHECK(store("mov.u32 %r7, %r1;") == "bm::store(line[tx])");
  CHECK(store("mad.lo.u32 %r7, %r2, 33, %r1;", {8, 4}) == "bm::store(line[33 * ty + tx])");
  CHECK(store("mad.lo.u32 %r7, %r2, 8, %r1;", {8, 4}) == "bm::store(line[tid])");
  CHECK(store("mov.u32 %r7, %laneid;") == "bm::store(line[lane])");
  CHECK(store("mov.u32 %r7, %warpid;", {64}) == "bm::store(line[warp])");
  CHECK(store("sub.u32 %r7, 31, %r1;") == "bm::store(line[31 - tx])");
  CHECK(store("xor.b32 %r7, %r1, 5;") == "bm::store(line[tx ^ 5])");
  CHECK(store("and.b32 %r7, %r1, 7;") == "bm::store(line[tx % 8])");
  CHECK(store("and.b32 %r7, %r1, 28;") == "bm::store(line[tx - tx % 4])");
  CHECK(store("and.b32 %r7, %r1, -8;") == "bm::store(line[tx - tx % 8])");
  CHECK(store("shl.b32 %r6, %r1, 1; or.b32 %r7, %r6, 1;") == "bm::store(line[2 * tx + 1])");
  CHECK(store("shr.u32 %r7, %r1, 3;") == "bm::store(line[tx / 8])");
  CHECK(store("div.u32 %r7, %r1, 5;") == "bm::store(line[tx / 5])");
  CHECK(store("rem.s32 %r7, %r1, 5;") == "bm::store(line[tx % 5])");
  CHECK(store("min.s32 %r7, %r1, 9;") == "bm::store(line[bm::min(tx, 9)])");
  CHECK(store("max.u32 %r7, %r1, 40;") == "bm::store(line[40])");
  CHECK(store("setp.lt.s32 %p1, %r1, 9; selp.b32 %r7, %r1, 9, %p1;") ==
        "bm::store(line[bm::min(tx, 9)])");
  CHECK(store("mul.lo.u32 %r6, %r1, %r2; mov.u32 %r7, %r6;", {8, 4}) == "bm::store(line[tx * ty])");
  // What is cut off on the way does not matter.
  CHECK(store("cvt.u64.u32 %d1, %r1; add.u64 %d1, %d1, 4294967296; cvt.u32.u64 %r7, %d1;") ==
        "bm::store(line[tx])");
  CHECK(store("add.u32 %r6, %r1, -16; max.s32 %r7, %r6, 0;") ==
        "bm::store(line[bm::max(tx - 16, 0)])");
  CHECK(store("mul.hi.u32 %r7, %r1, 715827883;").find("the index language does not have") !=
        std::string::npos);
  CHECK(store("setp.lt.s32 %p1, %r1, 9; selp.b32 %r7, 3, 20, %p1;")
            .find("that a condition chooses") != std::string::npos);
}

TEST_CASE("conditions of PTX", "[describe]") {
  const auto under = [](const std::string& condition, const bm::block_dim& block = {64}) {
    const std::string address = "shl.b32 %r8, %r1, 2;\n  add.u32 %r9, %r0, %r8;\n";
    const described_kernel result =
        described(kernel_of_body(address + condition +
                                 "\n  @!%p1 bra DONE;\n  st.shared.u32 [%r9], %r1;\nDONE:\n  ret;"),
                  launched(block));
    return result.accesses.size() == 1 ? result.accesses[0] : result.notes;
  };
  CHECK(under("setp.lt.u32 %p1, %r1, 7;") == "bm::if_threads(tx < 7, bm::store(line[tx]))");
  CHECK(under("setp.lt.u32 %p1, %r1, 64;") == "bm::store(line[tx])");
  CHECK(under("setp.le.u32 %p1, %r1, 63;") == "bm::store(line[tx])");
  CHECK(under("setp.le.u32 %p1, %r1, 62;") == "bm::if_threads(tx < 63, bm::store(line[tx]))");
  CHECK(under("setp.gt.s32 %p1, %r1, 7;") == "bm::if_threads(tx >= 8, bm::store(line[tx]))");
  CHECK(under("sub.u32 %r5, %r1, 8; setp.lt.u32 %p1, %r5, 16;") ==
        "bm::if_threads(tx >= 8, bm::if_threads(tx < 24, bm::store(line[tx])))");
  CHECK(under("sub.u32 %r5, %r1, 8; setp.ge.u32 %p1, %r5, 16;") ==
        "bm::if_threads(tx < 8 || tx >= 24, bm::store(line[tx]))");
  CHECK(under("setp.eq.u32 %p2, %r1, 5; setp.ne.u32 %p3, %r2, 0; and.pred %p1, %p2, %p3;",
              {8, 4}) == "bm::if_threads(tx == 5, bm::if_threads(ty != 0, bm::store(line[tx])))");
  // The number of a thread, and of one in its plane.
  const std::string number = "mad.lo.u32 %r5, %r2, 8, %r1; setp.lt.u32 %p1, %r5, 20;";
  CHECK(under(number, {8, 4}) == "bm::if_threads(tid < 20, bm::store(line[tx]))");
  CHECK(under(number, {8, 4, 2}) == "bm::if_threads(8 * ty + tx < 20, bm::store(line[tx]))");
  CHECK(under("setp.lt.u32 %p2, %r1, 5; not.pred %p1, %p2;") ==
        "bm::if_threads(tx >= 5, bm::store(line[tx]))");
  CHECK(store_of("shl.b32 %r8, %r1, 2; add.u32 %r9, %r0, %r8; setp.lt.u32 %p1, %r1, 7; @%p1") ==
        "bm::if_threads(tx < 7, bm::store(line[tx]))");
  // Threads that end early, and a value that differs in name only.
  CHECK(store_of("shl.b32 %r8, %r1, 2; add.u32 %r9, %r0, %r8; setp.lt.u32 %p1, %r1, 7;\n"
                 "  @%p1 ret;") == "bm::if_threads(tx >= 7, bm::store(line[tx]))");
  CHECK(store_of("mov.u32 %r7, %r1; setp.ne.u32 %p1, %r1, 3;\n  @%p1 bra ON;\n  mov.u32 %r7, 3;\n"
                 "ON:\n  shl.b32 %r8, %r7, 2; add.u32 %r9, %r0, %r8;") == "bm::store(line[tx])");
  CHECK(store_of("mov.u32 %r7, %r1; setp.ne.u32 %p1, %r1, 3;\n  @%p1 bra ON;\n  mov.u32 %r7, 5;\n"
                 "ON:\n  shl.b32 %r8, %r7, 2; add.u32 %r9, %r0, %r8;")
            .find("a value that differs between the ways") != std::string::npos);
}

TEST_CASE("loops of PTX", "[describe]") {
  // The body is executed once at least: its test comes last.
  struct one_loop {
    const char *start, *body, *next, *description;
  };
  constexpr one_loop loops[] = {
      {"mov.u32 %r3, 0;", "add.u32 %r7, %r1, %r3;",
       "add.u32 %r3, %r3, 32; setp.lt.u32 %p1, %r3, 256;",
       "bm::for_loop(i, bm::range(0, 256, 32), bm::store(line[tx + i]))"},
      {"mov.u32 %r3, 8;", "add.u32 %r7, %r1, %r3;",
       "add.u32 %r3, %r3, -1; setp.ne.u32 %p1, %r3, 0;",
       "bm::for_loop(i, bm::range(8, 0, -1), bm::store(line[tx + i]))"},
      {"mov.u32 %r3, %r1;", "mov.u32 %r7, %r3;", "add.u32 %r3, %r3, 32; setp.lt.u32 %p1, %r3, 100;",
       "bm::for_loop(i, bm::range(tx, 100, 32), bm::store(line[i]))"},
      {"mov.u32 %r3, %r1;", "mov.u32 %r7, %r3;", "add.u32 %r3, %r3, 32; setp.lt.u32 %p1, %r3, 20;",
       "bm::for_loop(i, bm::range(tx, bm::max(20, tx + 1), 32), bm::store(line[i]))"},
      {"mov.u32 %r3, 64;", "add.u32 %r7, %r1, %r3;",
       "shr.u32 %r3, %r3, 1; setp.gt.u32 %p1, %r3, 2;",
       "bm::for_loop(i, bm::powers_down(64, 2, 2), bm::store(line[tx + i]))"},
      {"mov.u32 %r3, 1;", "mul.lo.u32 %r7, %r1, %r3;",
       "shl.b32 %r3, %r3, 2; setp.lt.u32 %p1, %r3, 20;",
       "bm::for_loop(i, bm::powers_up(1, 64, 4), bm::store(line[tx * i]))"},
      // Two buffers in turn, and the trip as well.
      {"mov.u32 %r3, 0; mov.u32 %r4, 0;", "mad.lo.u32 %r7, %r4, 64, %r1; add.u32 %r7, %r7, %r3;",
       "xor.b32 %r4, %r4, 1; add.u32 %r3, %r3, 3; setp.lt.u32 %p1, %r3, 12;",
       "bm::for_loop(i, bm::range(0, 4), bm::store(line[tx + 3 * i + 64 * (i % 2)]))"},
      // One iteration, and a loop around another.
      {"mov.u32 %r3, 5;", "add.u32 %r7, %r1, %r3;", "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 3;",
       "bm::store(line[tx + 5])"},
      {"mov.u32 %r3, 0;\nOUTER:\n  mov.u32 %r4, 0;", "add.u32 %r7, %r3, %r4;",
       "add.u32 %r4, %r4, 1; setp.le.u32 %p1, %r4, %r3;\n  @%p1 bra LOOP;\n  add.u32 %r3, %r3, 1; "
       "setp.lt.u32 %p2, %r3, 6;\n  @%p2 bra OUTER;\n  ret;\n  mov.pred %p1, 0;",
       "bm::for_loop(i, bm::range(0, 6), bm::for_loop(j, bm::range(0, i + 1), bm::store(line[i + "
       "j])))"},
      // A test that holds until the value wraps around.
      {"mov.u32 %r3, 1;", "mov.u32 %r7, %r1;", "shl.b32 %r3, %r3, 1; setp.ne.u32 %p1, %r3, 0;",
       "PTX:21: this store is not described: a comparison of values that may wrap around"}};
  for (const auto& [start, body, next, description] : loops) {
    const std::string text =
        store_of(std::string(start) + "\nLOOP:\n  " + body +
                 "\n  shl.b32 %r8, %r7, 2;\n  add.u32 %r9, %r0, %r8;\n  st.shared.u32 [%r9], " +
                 "%r1;\n  " + next + "\n  @%p1 bra LOOP;\n  ret;");
    // store_of() adds a store that is never executed.
    CHECK(text.substr(0, text.find('\n')) == description);
  }
  // What a register has after a loop.
  CHECK(
      store_of("mov.u32 %r3, 0;\nLOOP:\n  add.u32 %r3, %r3, 3; setp.lt.u32 %p1, %r3, 10;\n  @%p1 "
               "bra LOOP;\n  add.u32 %r7, %r1, %r3; shl.b32 %r8, %r7, 2; add.u32 %r9, %r0, %r8;") ==
      "bm::store(line[tx + 12])");
  CHECK(store_of("mov.u32 %r3, %r1;\nLOOP:\n  add.u32 %r3, %r3, 3; setp.lt.u32 %p1, %r3, 40;\n  "
                 "@%p1 bra LOOP;\n  shl.b32 %r8, %r3, 2; add.u32 %r9, %r0, %r8;")
            .find("whose trips differ between threads") != std::string::npos);
}

// ---- what has no description, and what must end soon ----

TEST_CASE("large conditions, many loops and far numbers end with a reason", "[describe]") {
  const std::string address = "shl.b32 %r8, %r1, 2; add.u32 %r9, %r0, %r8;\n";
  const auto number = [](int value) { return std::to_string(value); };
  // Each ^ of conditions doubles them.
  std::string chain = address + "setp.lt.u32 %p0, %r1, 3;\n";
  for (int comparison = 0; comparison < 30; ++comparison)
    chain += "setp.lt.u32 %p62, %r1, " + number(4 + 7 * comparison % 29) + "; xor.pred %p" +
             number(comparison + 1) + ", %p" + number(comparison) + ", %p62;\n";
  CHECK(store_of(chain + "@!%p30 bra DONE; st.shared.u32 [%r9], %r1;\nDONE:\n  ret;\n")
            .find("a condition of more than 256 comparisons") != std::string::npos);
  // So do branches that cross.
  std::string crossing = address;
  for (int level = 0; level < 30; ++level) {
    const std::string next = number(level + 1);
    crossing += "A" + number(level) + ":\n  setp.lt.u32 %p1, %r1, " + number(3 + 5 * level % 28) +
                ";\n  @%p1 bra B" + next + ";\n  bra A" + next + ";\nB" + number(level) +
                ":\n  setp.lt.u32 %p2, %r1, " + number(2 + 11 * level % 29) + ";\n  @%p2 bra A" +
                next + ";\n  bra B" + next + ";\n";
  }
  CHECK(store_of(crossing + "A30:\n  st.shared.u32 [%r9], %r1;\n  bra DONE;\nB30:\n  st.shared.u32 "
                            "[%r9+4], %r1;\nDONE:\n  ret;")
            .find("a condition of more than 256 comparisons") != std::string::npos);
  // A nest of loops is run twice for each.
  const auto nest = [&](int depth, int branches = 0) {
    std::string text = address + "setp.lt.u32 %p2, %r1, 9;\n";
    for (int level = 0; level < depth; ++level)
      text += "mov.u32 %r" + number(20 + level) + ", 0;\nL" + number(level) + ":\n";
    text += "st.shared.u32 [%r9], %r1;\n";
    for (int branch = 0; branch < branches; ++branch)
      text += "  @%p2 bra M" + number(branch) + ";\n  st.shared.u32 [%r9], %r1;\nM" +
              number(branch) + ":\n";
    for (int level = depth; level-- > 0;)
      text += "add.u32 %r" + number(20 + level) + ", %r" + number(20 + level) +
              ", 1; setp.lt.u32 %p1, %r" + number(20 + level) + ", " + number(level < 6 ? 2 : 1) +
              ";\n  @%p1 bra L" + number(level) + ";\n";
    return store_of(text + "ret;\n");
  };
  CHECK(nest(8).find("bm::for_loop(n, bm::range(0, 2), bm::store(line[tx])))))))") !=
        std::string::npos);
  CHECK(nest(9).find("the kernel has more than 8 nested loops") != std::string::npos);
  CHECK(nest(24).find("the kernel has more than 8 nested loops") != std::string::npos);
  // Each block keeps all registers, in a nest of eight loops 256 times.
  CHECK(nest(8, 1500).find("the code of the kernel is too large for a formula") !=
        std::string::npos);
  // Two values whose difference has no number, and a factor that no fact divides.
  CHECK(store_of(address +
                 "mov.b64 %d1, 9223372036854775807; setp.lt.u32 %p1, %r1, 9;\n  @%p1 bra ON;\n  "
                 "mov.b64 %d1, -9223372036854775808;\nON:\n") == "bm::store(line[tx])");
  CHECK(store_of(address +
                 "cvt.u64.u32 %d1, %r1; setp.gt.u64 %p1, %d1, 5;\n  @%p1 bra DONE;\n  mul.lo.u64 "
                 "%d2, %d1, -9223372036854775808; setp.gt.s64 %p2, %d2, 7;\n  @%p2 bra DONE;\n  "
                 "st.shared.u32 [%r9], %r1;\nDONE:\n  ret;")
            .find("is not described: a") != std::string::npos);
  // A remainder of division by 0, in a loop whose values are not known yet.
  CHECK(store_of(address +
                 "mov.u32 %r3, 0; mov.u32 %r4, 0;\nLOOP:\n  rem.u32 %r5, %r3, %r4; st.shared.u32 "
                 "[%r9], %r5;\n  add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 4;\n  @%p1 bra "
                 "LOOP;\n  ret;") == "bm::for_loop(i, bm::range(0, 4), bm::store(line[tx]))");
}

TEST_CASE("an array without a described access is not declared", "[describe]") {
  // 190 comparisons are too many for one expression.
  std::string chain = "shl.b32 %r8, %r1, 2; add.u32 %r9, %r0, %r8; setp.lt.u32 %p0, %r1, 3;\n";
  for (int comparison = 0; comparison < 6; ++comparison)
    chain += "setp.lt.u32 %p62, %r1, " + std::to_string(5 + 3 * comparison) + "; xor.pred %p" +
             std::to_string(comparison + 1) + ", %p" + std::to_string(comparison) + ", %p62;\n";
  const std::string guarded = chain + "@%p6 st.shared.u32 [%r9], %r1;\n";
  const cc::kernel_code alone = kernel_of_body(guarded + "ret;");
  const cc::launch options = launched({32});
  const cc::recording recorded = cc::run(alone, options);
  const cc::description summary = cc::describe(alone, options, recorded, bm::nvidia::sm_90);
  CHECK(summary.arrays.empty());
  REQUIRE(summary.accesses.size() == 1);
  CHECK(summary.accesses[0].reason ==
        "an expression of more than 256 numbers, names and operators");
  cc::question asked;
  asked.file = "kernels.ptx";
  asked.text = text_with(guarded + "ret;");
  asked.block = "32";
  asked.describe = true;
  const command_line::answer refused = cc::answer_to(asked);
  CHECK(refused.code == command_line::bad_input);
  CHECK(refused.output.empty());
  CHECK(refused.error.find("no access is described; leave out --describe") != std::string::npos);
  // Beside one that has a description.
  const described_kernel result = described(
      kernel_of_body(guarded + "mov.u32 %r10, other; add.u32 %r10, %r10, %r8;\n  st.shared.u32 "
                               "[%r10], %r1;\n  ret;"),
      options);
  CHECK(result.accesses == texts{"bm::store(other[tx])"});
  CHECK(result.program.find("(\"line\"") == std::string::npos);
}

TEST_CASE("more accesses than one kernel() takes", "[describe]") {
  std::string body = "shl.b32 %r8, %r1, 2; add.u32 %r9, %r0, %r8;\n";
  for (int number = 0; number < 300; ++number)
    body += "st.shared.u32 [%r9+" + std::to_string(4 * number) + "], %r1;\n";
  const cc::kernel_code kernel = kernel_of_body(body + "ret;");
  const described_kernel result = described(kernel, launched({32}));
  CHECK(result.accesses.size() == 300);
  for (const char* const part :
       {"auto kernel = ", "auto kernel_2 = ", "auto kernel_3 = ",
        "on_sm_90_of_kernel_2 = bm::total(bm::nvidia::sm_90, kernel_2);",
        "on_sm_90 = on_sm_90_of_kernel + on_sm_90_of_kernel_2 + on_sm_90_of_kernel_3;",
        "static_assert(on_sm_90.requests == 300 "}) {
    INFO(part);
    CHECK(result.program.find(part) != std::string::npos);
  }
  CHECK(result.program.find("kernel_4") == std::string::npos);
}

TEST_CASE("comments and names of any kernel and file", "[describe]") {
  cc::kernel_code kernel = kernel_of_body("st.shared.u32 [%r0], %r1;\n  ret;");
  kernel.name = "(anonymous namespace)::parts::sum<(char)10>";
  cc::launch options = launched({32});
  cc::recording recorded = cc::run(kernel, options);
  recorded.notes = {"launched as in line 3: grid 64"};
  const cc::description summary = cc::describe(kernel, options, recorded, bm::nvidia::sm_90);
  const std::string program =
      cc::text_of(summary, kernel, options, {bm::nvidia::sm_90}, "a\nb\\c.ptx").program;
  INFO(program);
  CHECK(program.find("namespace parts_sum_accesses {") != std::string::npos);
  CHECK(program.find(" in a?b/c.ptx to shared") != std::string::npos);
  CHECK(program.find("\n// note: launched as in line 3: grid 64\n") != std::string::npos);
}

// ---- as issued ----

namespace {

// The description of accesses as issued, and the sum that it promises.
described_kernel as_issued(const cc::kernel_code& kernel, const cc::launch& options,
                           cc::issued_label label = cc::issued_label::estimate) {
  cc::recording recorded = cc::run(kernel, options);
  cc::join_accesses(recorded);
  for (cc::recorded_access& access : recorded.accesses) access.label = label;
  return described(kernel, options, recorded);
}

}  // namespace

TEST_CASE("accesses that one instruction does are one", "[describe]") {
  const auto joined = [&](const std::string& body, const bm::block_dim& block = {32}) {
    return as_issued(kernel_of_body(body + "\n  ret;"), launched(block));
  };
  const std::string address = "shl.b32 %r8, %r1, 4;\n  add.u32 %r9, %r0, %r8;\n";
  const auto loads = [](std::initializer_list<int> offsets) {
    std::string result;
    for (const int offset : offsets)
      result += "ld.shared.f32 %f" + std::to_string(offset) + ", [%r9+" +
                std::to_string(4 * offset) + "];\n";
    return result;
  };
  const described_kernel four = joined(address + loads({2, 0, 1, 3}));
  CHECK(four.accesses == texts{"bm::load(bm::vectorized<4>(line[4 * tx]))"});
  INFO(four.program);
  CHECK(four.program.find("// PTX:18: 4 loads issued as one of 16 bytes\n") != std::string::npos);
  CHECK(four.program.find("are described as one: an estimate by nvcc's rules, whose widths") !=
        std::string::npos);
  CHECK(four.program.find("on_sm_90.requests == 1 && on_sm_90.wavefronts == 4 ") !=
        std::string::npos);
  CHECK(joined(address + loads({1, 2, 3})).accesses ==
        texts{"bm::load(bm::vectorized<4>(line[4 * tx]))"});
  CHECK(joined(address + loads({2, 3})).accesses ==
        texts{"bm::load(bm::vectorized<2>(line[4 * tx + 2]))"});
  CHECK(joined(address + loads({0, 2})).accesses ==
        texts{"bm::load(line[4 * tx])", "bm::load(line[4 * tx + 2])"});
  // Nothing is joined: the same program as before.
  CHECK(joined(address + loads({0, 2})).program.find("described as one") == std::string::npos);
  CHECK(
      joined(address + loads({0, 1}) + "st.shared.f32 [%r9+16], %f0;\n" + loads({2, 3})).accesses ==
      texts{"bm::load(bm::vectorized<2>(line[4 * tx]))", "bm::store(line[4 * tx + 4])",
            "bm::load(bm::vectorized<2>(line[4 * tx + 2]))"});
  const described_kernel stores = joined(
      address + "st.shared.v2.f32 [%r9+8], {%f0, %f1};\n  st.shared.v2.f32 [%r9], {%f0, %f1};\n");
  CHECK(stores.accesses == texts{"bm::store(bm::vectorized<2>(line[2 * tx]))"});
  CHECK(stores.program.find(": 2 stores issued as one of 16 bytes\n") != std::string::npos);
  // In a loop, under a condition.
  CHECK(
      joined("setp.gt.u32 %p2, %r1, 3;\n  @%p2 bra DONE;\n  mov.u32 %r3, 0;\nLOOP:\n  shl.b32 %r4, "
             "%r3, 6; shl.b32 %r8, %r1, 4; add.u32 %r9, %r0, %r8; add.u32 %r9, %r9, %r4;\n" +
             loads({3, 1, 0, 2}) +
             "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 8;\n  @%p1 bra LOOP;\nDONE:\n")
          .accesses == texts{"bm::if_threads(tx < 4, bm::for_loop(i, bm::range(0, 8), "
                             "bm::load(bm::vectorized<4>(line[4 * tx + 16 * i]))))"});
}

TEST_CASE("the widths of a cubin are no estimate", "[describe]") {
  const cc::kernel_code kernel = kernel_of_body(
      "shl.b32 %r8, %r1, 3;\n  add.u32 %r9, %r0, %r8;\n  ld.shared.f32 %f1, [%r9];\n  "
      "ld.shared.f32 "
      "%f2, [%r9+4];\n  ret;");
  for (const cc::issued_label label : {cc::issued_label::confirmed, cc::issued_label::corrected})
    CHECK(as_issued(kernel, launched({32}), label)
              .program.find("as one: the cubin has these widths.") != std::string::npos);
  CHECK(as_issued(kernel, launched({32}), cc::issued_label::differs).program.find("an estimate") !=
        std::string::npos);
}

TEST_CASE("totals of generated kernels are those of their instructions", "[describe]") {
  std::mt19937 random(16);
  const auto one_of = [&](int count) {
    return static_cast<int>(random() % static_cast<unsigned>(count));
  };
  int joined = 0, described = 0;
  for (int round = 0; round < drawn(400); ++round) {
    const int stride = 4 << one_of(4), first = 4 * one_of(5);
    std::string body = "mul.lo.u32 %r8, %r1, " + std::to_string(stride) +
                       "; mad.lo.u32 %r8, %r2, " + std::to_string(16 * one_of(9)) +
                       ", %r8; add.u32 %r9, %r0, %r8; add.u32 %r9, %r9, " + std::to_string(first) +
                       ";\n";
    for (int count = 2 + one_of(8); count > 0; --count) {
      const int words = one_of(4) == 0 ? 2 : 1;
      const std::string address = "[%r9+" + std::to_string(4 * words * one_of(8)) + "]",
                        type = words == 2 ? ".v2.u32 " : ".u32 ",
                        registers = words == 2 ? "{%r10, %r11}" : "%r10";
      if (words == 2 && (first % 8 != 0 || stride % 8 != 0)) continue;
      body += one_of(3) == 0 ? "st.shared" + type + address + ", " + registers + ";\n"
                             : "ld.shared" + type + registers + ", " + address + ";\n";
    }
    const cc::kernel_code kernel = kernel_of_body(body + "ret;");
    const cc::launch options = launched({8 << one_of(3), 1 + one_of(4)});
    cc::recording recorded = cc::run(kernel, options);
    cc::join_accesses(recorded);
    const cc::description summary = cc::describe(kernel, options, recorded, bm::nvidia::sm_90);
    INFO(body);
    CHECK(summary.is_complete());
    for (const cc::described_access& access : summary.accesses) {
      cc::recorded_access issued = *access.recorded;
      REQUIRE(issued.issued_with < 0);
      for (cc::recorded_class& group : issued.classes) {
        if (issued.issued_bytes == 0) continue;
        group.lanes.bytes = issued.issued_bytes;
        std::map<long long, std::uint64_t> moved;
        for (const auto& [base, times] : group.times) moved[base + issued.issued_offset] += times;
        group.times = moved;
      }
      const bm::cost counted = bm::total(bm::nvidia::sm_90, options.block, access.expression);
      CHECK(counted == cost_of(bm::nvidia::sm_90, issued));
      CHECK(access.expression.vector * access.expression.array.element_bytes ==
            issued.classes[0].lanes.bytes);
      joined += access.joined;
      ++described;
    }
  }
  CHECK(described > drawn(800));
  CHECK(joined > described + drawn(200));
}

TEST_CASE("kernels that nvcc compiled", "[describe]") {
  std::ifstream file(std::filesystem::path(__FILE__).parent_path() / "ptx" / "tiles.ptx");
  REQUIRE(file);
  for (const cc::kernel_code& kernel : cc::read_ptx({std::istreambuf_iterator<char>(file), {}})) {
    cc::launch options = launched({32, 8});
    options.arguments["p2"] = 1024;
    if (kernel.name == "transpose<33>") {
      const described_kernel result = described(kernel, options);
      CHECK(result.notes.empty());
      REQUIRE(result.accesses.size() == 8);
      CHECK(result.accesses[1] == "bm::store(tile[33 * ty + tx + 264])");
      CHECK(result.accesses[5] == "bm::load(tile[ty + 33 * tx + 8])");
      CHECK(result.program.find("(\"tile\", 1056);") != std::string::npos);
    }
    options = launched({8, 32});
    options.arguments["p3"] = 64;
    if (kernel.name == "product") {
      const described_kernel result = described(kernel, options);
      CHECK(result.notes.empty());
      REQUIRE(result.accesses.size() == 4);
      CHECK(result.accesses[3] ==
            "bm::for_loop(i, bm::range(0, 64), bm::for_loop(j, bm::range(0, 32), "
            "bm::load(bm::vectorized<4>(right[4 * tx + 32 * j]))))");
    }
    options = launched({16});
    if (kernel.name == "triangular") {
      const described_kernel result = described(kernel, options);
      CHECK(result.notes.empty());
      REQUIRE(result.accesses.size() > 20);
      CHECK(result.accesses[17] ==
            "bm::for_loop(i, bm::range(0, 15), bm::if_threads(i < tx, bm::if_threads(i != 0, "
            "bm::for_loop(j, bm::range(0, i), bm::load(tile[16 * tx + j])))))");
    }
  }
}

// ---- arithmetic on expressions ----

namespace {

using bm::operation;

long long value_of(const cc::form_table& forms, const cc::form& value,
                   const std::vector<int>& values) {
  long long result = value.constant;
  for (const auto& [number, factor] : value.factors) {
    const cc::atom& term = forms[number];
    if (term.is != cc::atom::kind::operation) {
      result += factor * values[static_cast<std::size_t>(term.number)];
      continue;
    }
    const long long a = value_of(forms, term.left, values), b = value_of(forms, term.right, values);
    switch (term.operation) {
      case operation::multiply: result += factor * (a * b); break;
      case operation::divide:
        CHECK((a >= 0 && b > 0));
        result += factor * (a / b);
        break;
      case operation::remainder:
        CHECK((a >= 0 && b > 0));
        result += factor * (a % b);
        break;
      case operation::shift_left: result += factor * (a * (1ll << b)); break;
      case operation::shift_right:
        CHECK(a >= 0);
        result += factor * (a >> b);
        break;
      case operation::bit_and:
        CHECK((a >= 0 && b >= 0));
        result += factor * (a & b);
        break;
      case operation::bit_or:
        CHECK((a >= 0 && b >= 0));
        result += factor * (a | b);
        break;
      case operation::bit_xor:
        CHECK((a >= 0 && b >= 0));
        result += factor * (a ^ b);
        break;
      case operation::minimum: result += factor * std::min(a, b); break;
      case operation::maximum: result += factor * std::max(a, b); break;
      default: FAIL("no such operation");
    }
  }
  return result;
}

// The same value as a form, and as numbers of all threads.
struct both_ways {
  cc::form form;
  std::vector<long long> numbers;
};

}  // namespace

TEST_CASE("simplified expressions have the values of what they are made of", "[describe]") {
  std::mt19937 random(11);
  const auto one_of = [&](int count) {
    return static_cast<int>(random() % static_cast<unsigned>(count));
  };
  constexpr operation operations[] = {
      operation::add,       operation::subtract,   operation::multiply,    operation::divide,
      operation::remainder, operation::shift_left, operation::shift_right, operation::bit_and,
      operation::bit_or,    operation::bit_xor,    operation::minimum,     operation::maximum};
  std::vector<std::vector<int>> points;
  for (int x = 0; x < 12; ++x)
    for (int y = 0; y < 5; ++y) points.push_back({x, y});
  int tally = 0;
  for (int round = 0; round < drawn(20000); ++round) {
    cc::form_table forms;
    std::vector<both_ways> values;
    for (int variable = 0; variable < 2; ++variable) {
      const int atom = forms.number_of({cc::atom::kind::thread, variable, operation::add, {}, {}});
      forms.set_range(atom, {0, variable == 0 ? 11 : 4});
      both_ways entry{cc::atom_form(atom), {}};
      for (const auto& point : points)
        entry.numbers.push_back(point[static_cast<std::size_t>(variable)]);
      values.push_back(entry);
    }
    for (int step = 0; step < 5; ++step) {
      const auto operand = [&] {
        if (one_of(3) != 0)
          return values[static_cast<std::size_t>(one_of(static_cast<int>(values.size())))];
        const long long number = one_of(2) == 0 ? 1 << one_of(5) : one_of(12) - 3;
        return both_ways{cc::constant_form(number), std::vector<long long>(points.size(), number)};
      };
      const both_ways left = operand(), right = operand();
      const operation code = operations[one_of(12)];
      both_ways result;
      try {
        result.form = forms.computed(code, left.form, right.form);
      } catch (const cc::inexpressible&) {
        continue;
      }
      ++tally;
      const cc::value_range range = forms.range_of(result.form);
      for (std::size_t index = 0; index < points.size(); ++index) {
        const long long a = left.numbers[index], b = right.numbers[index];
        long long expected = 0;
        switch (code) {
          case operation::add: expected = a + b; break;
          case operation::subtract: expected = a - b; break;
          case operation::multiply: expected = a * b; break;
          case operation::divide: expected = a / b; break;
          case operation::remainder: expected = a % b; break;
          case operation::shift_left: expected = a * (1ll << b); break;
          case operation::shift_right: expected = a >> b; break;
          case operation::bit_and: expected = a & b; break;
          case operation::bit_or: expected = a | b; break;
          case operation::bit_xor: expected = a ^ b; break;
          case operation::minimum: expected = std::min(a, b); break;
          default: expected = std::max(a, b);
        }
        const long long actual = value_of(forms, result.form, points[index]);
        if (actual != expected || actual < range.lowest || actual > range.highest) {
          INFO(static_cast<int>(code) << " of " << a << ", " << b << " in round " << round);
          CHECK(actual == expected);
          CHECK(actual >= range.lowest);
          CHECK(actual <= range.highest);
        }
        result.numbers.push_back(expected);
      }
      const bool is_small = range.highest < 1 << 20 && range.lowest > -(1 << 20);
      if (is_small) values.push_back(result);
    }
  }
  CHECK(tally > drawn(50000));
}

TEST_CASE("facts bound expressions", "[describe]") {
  cc::form_table forms;
  const int x = forms.number_of({cc::atom::kind::thread, 0, operation::add, {}, {}}),
            y = forms.number_of({cc::atom::kind::thread, 1, operation::add, {}, {}});
  forms.set_range(x, {0, 100});
  forms.set_range(y, {0, 10});
  const cc::form fx = cc::atom_form(x), fy = cc::atom_form(y);
  const auto range = [&](const cc::form& value, long long minimum, long long maximum) {
    const cc::value_range actual = forms.range_of(value);
    CHECK(actual.lowest == minimum);
    CHECK(actual.highest == maximum);
  };
  range(fx - fy, -10, 100);
  forms.set_facts({fx - fy});  // x >= y
  range(fx - fy, 0, 100);
  range(fx * 3 - fy * 3, 0, 300);
  forms.set_facts({cc::constant_form(20) - fx - fy * 2});  // x + 2 y <= 20
  range(fx + fy * 2, 0, 20);
  range(fy * -4 - fx * 2 + cc::constant_form(41), 1, 41);
  // A fact whose difference from the form has more than 64 bits bounds nothing.
  constexpr long long largest = 0x7fffffffffffffff;
  forms.set_facts({fx * largest});
  range(fx * -largest, -cc::unbounded, 0);
  forms.set_facts({cc::constant_form(20) - fx - fy * 2});
  const auto compared = [&](operation code, const cc::form& left, const cc::form& right) {
    cc::condition raw;
    raw.relation = code;
    raw.left = left;
    raw.right = right;
    return cc::compared(forms, raw);
  };
  CHECK(compared(operation::less, fx, cc::constant_form(21))->holds);
  CHECK(compared(operation::less, fx, cc::constant_form(20))->is ==
        cc::condition::kind::comparison);
  const auto is_less = compared(operation::less, fx, fy), is_not = cc::opposite(is_less);
  CHECK(cc::conjunction(is_less, is_not)->is == cc::condition::kind::constant);
  CHECK(cc::disjunction(is_less, is_not)->holds);
  CHECK(cc::are_equal(cc::opposite(is_not), is_less));
}
