// SPDX-License-Identifier: MIT
// Barriers, variables of a thread and arguments in the engine. Loaded values are used as addresses
// in shared memory, so that the recorded addresses show them.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "examples/bankmodel/compiled/engine/kernel_analysis.hpp"
#include "examples/bankmodel/compiled/engine/memory.hpp"
#include "ptx_body.hpp"

namespace cc = compiled;
using namespace ptx_body;

TEST_CASE("barriers: in loops, by number, and reached by a part", "[ptx]") {
  // Warps exchange numbers through shared memory, which are then addresses.
  const std::string exchange = R"(
  mov.u32 %r0, %tid.x;
  shl.b32 %r2, %r0, 2;
  mov.u32 %r5, 0;
again:
  add.s32 %r6, %r0, %r5;
  st.shared.u32 [%r2+1024], %r6;
  bar.sync 0;
  xor.b32 %r3, %r2, 128;
  ld.shared.u32 %r4, [%r3+1024];
  BARRIER
  st.shared.u8 [%r4], %r0;
  add.s32 %r5, %r5, 1;
  setp.lt.u32 %p1, %r5, 3;
  @%p1 bra again;
  ret;)";
  const auto complete = [&](const std::string& barrier) {
    std::string text = exchange;
    return text.replace(text.find("BARRIER"), 7, barrier);
  };
  const cc::recording recorded = run_body(complete("barrier.sync 0;"), launched({64}));
  REQUIRE(recorded.accesses.size() == 3);
  REQUIRE(recorded.accesses[2].classes.size() == 1);
  CHECK(recorded.accesses[2].classes[0].times.size() == 6);
  CHECK(recorded.accesses[2].classes[0].times.at(32) == 1);

  // Without the second barrier the number may be that of the next iteration.
  const failure race = failed(kernel_of_body(complete("")), launched({64}));
  CHECK(race.wrong.find("another warp") != std::string::npos);

  const cc::recording part = run_body(R"(
  mov.u32 %r0, %tid.x;
  setp.lt.u32 %p1, %r0, 16;
  @%p1 bar.sync 0;
  @%p1 ret;
  bar.sync 0;
  ret;)");
  REQUIRE(part.notes.size() == 1);
  CHECK(part.notes[0].find("a part of a warp's threads") != std::string::npos);
  // Threads that have ended are no part of the warp.
  CHECK(run_body("mov.u32 %r0, %tid.x; setp.lt.u32 %p1, %r0, 16; @%p1 bar.sync 0; ret;")
            .notes.empty());

  // A producer arrives and does not wait.
  (void)run_body(R"(
  mov.u32 %r0, %tid.x;
  setp.lt.u32 %p1, %r0, 32;
  @%p1 bra first;
  bar.sync 1, 64;
  ret;
first:
  bar.arrive 1, 64;
  ret;)",
                 launched({64}));
  const failure never = failed(kernel_of_body(R"(
  mov.u32 %r0, %tid.x;
  setp.lt.u32 %p1, %r0, 32;
  @%p1 bra first;
  bar.sync 1, 96;
  bar.sync 2, 96;
  ret;
first:
  bar.sync 2, 96;
  bar.sync 1, 96;
  ret;)"),
                               launched({96}));
  CHECK(never.wrong.find("none has all of its threads") != std::string::npos);
}

TEST_CASE("lanes that a branch has separated rejoin at the first block to which both come",
          "[ptx]") {
  // Two ways to a store, which do not meet before its end.
  const cc::recording either = run_body(R"(
  mov.u32 %r0, %tid.x;
  shl.b32 %r2, %r0, 2;
  and.b32 %r1, %r0, 1;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra stores;
  setp.gt.u32 %p2, %r0, 20;
  @%p2 bra stores;
  bra ends;
stores:
  st.shared.u32 [%r2], %r0;
ends:
  ret;)");
  REQUIRE(either.accesses.size() == 1);
  CHECK(either.accesses[0].requests == 1);
  // What follows a loop is no way out of it, though some lanes return in the loop.
  const cc::recording rest = run_body(R"(
  mov.u32 %r0, %tid.x;
  mov.u32 %r5, 0;
  shl.b32 %r2, %r0, 2;
again:
  add.s32 %r5, %r5, 1;
  setp.lt.u32 %p1, %r0, 10;
  @%p1 bra goes_on;
  ld.shared.u32 %r3, [%r2];
  ret;
goes_on:
  setp.lt.u32 %p2, %r5, %r0;
  @%p2 bra again;
  ld.shared.u32 %r3, [%r2];
  st.shared.u32 [%r2], %r0;
  ret;)");
  REQUIRE(rest.accesses.size() == 3);
  CHECK(rest.accesses[2].requests == 1);
  // The lanes of the mask wait for each other, in a loop that they leave one after the other too.
  const cc::recording waits = run_body(R"(
  mov.u32 %r0, %tid.x;
  mov.u32 %r5, 0;
again:
  setp.eq.u32 %p1, %r0, %r5;
  @%p1 bra leaves;
  add.s32 %r5, %r5, 1;
  bra again;
leaves:
  shfl.sync.bfly.b32 %r3, %r0, 1, 31, -1;
  shl.b32 %r3, %r3, 2;
  st.shared.u32 [%r3], %r0;
  ret;)");
  REQUIRE(waits.accesses.size() == 1);
  CHECK(waits.accesses[0].requests == 1);
  CHECK(waits.accesses[0].classes[0].lanes.address[1] == -4);
}

TEST_CASE("a barrier does not wait for warps that have ended", "[ptx]") {
  const std::string first_ends = R"(
  mov.u32 %r0, %tid.x;
  setp.lt.u32 %p1, %r0, 32;
  @%p1 ret;
  BARRIER
  ret;)";
  for (const char* const barrier : {"bar.sync 0;", "bar.sync 1, 96;", "bar.sync 1, 64;"}) {
    std::string text = first_ends;
    (void)run_body(text.replace(text.find("BARRIER"), 7, barrier), launched({96}));
  }
}

// Warp 0 arrives at barrier 1, then waits at barrier 0. Warp 1 waits at barrier 1, then at 0.
TEST_CASE("one arrival is for one wait", "[ptx]") {
  const auto text = [](const std::string& arrivals, const std::string& waits) {
    return "mov.u32 %r0, %tid.x; setp.lt.u32 %p1, %r0, 32; @%p1 bra first;" + waits +
           "bar.sync 0; ret; first: " + arrivals + " bar.sync 0; ret;";
  };
  const std::string arrives = "bar.arrive 1, 64;", waits = "bar.sync 1, 64;";
  (void)run_body(text(arrives, waits), launched({64}));
  const failure twice = failed(kernel_of_body(text(arrives, waits + waits)), launched({64}));
  CHECK(twice.wrong.find("none has all of its threads") != std::string::npos);
  const failure never = failed(kernel_of_body(text("", waits)), launched({64}));
  CHECK(never.wrong.find("none has all of its threads") != std::string::npos);
}

// Of 96 threads, of which warp 2 has ended in two rows.
TEST_CASE("a barrier with a predicate tells all threads what holds for how many", "[ptx]") {
  const auto told = [](const std::string& body) {
    const std::string prologue =
        "mov.u32 %r0, %tid.x; ld.param.u64 %d1, [pointer]; ld.global.u32 %r9, [%d1];"
        "setp.eq.u32 %p9, %r9, 7; setp.lt.u32 %p1, %r0, 10; setp.lt.u32 %p2, %r0, 96;";
    const cc::recording recorded =
        run_body(prologue + body + "mov.u32 %r0, 0; st.shared.u8 [%r1], %r0; ret;", launched({96}));
    const auto store =
        std::find_if(recorded.accesses.begin(), recorded.accesses.end(),
                     [](const cc::recorded_access& access) { return !access.is_global; });
    REQUIRE(store != recorded.accesses.end());
    CHECK(store->classes.size() == 1);  // the same for all threads
    const cc::recorded_class& group = store->classes.at(0);
    return group.times.begin()->first + group.lanes.address[0];
  };
  CHECK(told("bar.red.popc.u32 %r1, 0, %p1;") == 10);
  CHECK(told("bar.red.popc.u32 %r1, 0, !%p1;") == 86);
  CHECK(told("barrier.cta.red.popc.u32 %r1, 2, 96, %p2;") == 96);
  CHECK(told("bar.red.and.pred %p3, 0, %p1; selp.u32 %r1, 5, 6, %p3;") == 6);
  CHECK(told("bar.red.and.pred %p3, 0, %p2; selp.u32 %r1, 5, 6, %p3;") == 5);
  CHECK(told("bar.red.or.pred %p3, 0, %p1; selp.u32 %r1, 5, 6, %p3;") == 5);
  CHECK(told("bar.red.or.pred %p3, 0, !%p2; selp.u32 %r1, 5, 6, %p3;") == 6);
  // Each barrier counts anew, and threads that have ended do not count.
  CHECK(told("bar.red.popc.u32 %r1, 0, %p1; bar.red.popc.u32 %r1, 0, %p1;") == 10);
  CHECK(told("setp.ge.u32 %p4, %r0, 64; @%p4 ret; bar.red.popc.u32 %r1, 0, %p2;") == 64);
  CHECK(told("setp.ge.u32 %p4, %r0, 64; @%p4 ret; bar.red.and.pred %p3, 0, %p2;"
             "selp.u32 %r1, 5, 6, %p3;") == 5);
  // What data decide, unless the others do.
  CHECK(told("or.pred %p3, %p9, %p1; bar.red.or.pred %p3, 0, %p3; selp.u32 %r1, 5, 6, %p3;") == 5);
  CHECK(told("and.pred %p3, %p9, %p1; bar.red.and.pred %p3, 0, %p3; selp.u32 %r1, 5, 6, %p3;") ==
        6);
  const failure data = failed(
      kernel_of_body("mov.u32 %r0, %tid.x; ld.param.u64 %d1, [pointer]; ld.global.u32 %r9, [%d1];"
                     "setp.eq.u32 %p9, %r9, 7; bar.red.popc.u32 %r1, 0, %p9;"
                     "st.shared.u8 [%r1], %r0; ret;"),
      launched({96}));
  CHECK(data.wrong.find("a load from global memory") != std::string::npos);
}

TEST_CASE("barriers by data", "[ptx]") {
  const std::string data = "ld.param.u64 %d1, [pointer]; ld.global.u32 %r9, [%d1];";
  const failure number =
      failed(kernel_of_body(data + "barrier.sync %r9, 32; ret;"), launched({32}));
  CHECK(number.wrong.find("a barrier's number depends on") != std::string::npos);
  const failure threads =
      failed(kernel_of_body(data + "barrier.sync 1, %r9; ret;"), launched({32}));
  CHECK(threads.wrong.find("a barrier's number of threads depends on") != std::string::npos);
}

namespace {

// Each thread's variables, at %d1; %r0 is the thread, %d9 unknown and %p9 too.
const std::string prepared =
    "mov.u32 %r0, %tid.x; mov.u64 %d1, depot; ld.param.u64 %d2, [pointer];"
    "ld.global.u64 %d9, [%d2]; setp.eq.u64 %p9, %d9, 7;";

std::map<int, long long> loaded(const std::string& body) { return addresses_of(prepared + body); }

std::string origin_of(const std::string& body) {
  return failed(kernel_of_body(prepared + body + "st.shared.u8 [%r1], %r0; ret;"), launched({32}))
      .wrong;
}

}  // namespace

TEST_CASE("variables of a thread hold what it stores", "[ptx]") {
  // Each thread has its own, and elements follow one another.
  const std::string two = "add.u32 %r5, %r0, 1; st.local.v2.u32 [%d1+8], {%r0, %r5};";
  for (int element = 0; element < 2; ++element)
    for (const auto& [lane, address] :
         loaded(two + "ld.local.u32 %r1, [%d1+" + std::to_string(8 + 4 * element) + "];"))
      CHECK(address == lane + element);
  for (const auto& [lane, address] :
       loaded(two +
              "ld.local.v2.u32 {%r7, %r8}, [%d1+8]; shl.b32 %r8, %r8, 5; add.u32 %r1, %r7, %r8;"))
    CHECK(address == lane + 32 * (lane + 1));

  // A byte with a sign, and without.
  const std::string byte = "sub.u32 %r5, %r0, 16; st.local.u8 [%d1+3], %r5;";
  for (const auto& [lane, address] :
       loaded(byte + "ld.local.s8 %r6, [%d1+3]; add.u32 %r1, %r6, 16;"))
    CHECK(address == lane);
  for (const auto& [lane, address] : loaded(byte + "ld.local.u8 %r1, [%d1+3];"))
    CHECK(address == (lane + 240) % 256);
}

TEST_CASE("what is unknown of a thread's variables", "[ptx]") {
  const std::string known = "st.local.u32 [%d1+4], %r0;", load = "ld.local.u32 %r1, [%d1+4];";
  const auto is_known = [&](const std::string& code) {
    const std::map<int, long long> addresses = loaded(known + code + load);
    for (const auto& [lane, address] : addresses) CHECK(address == lane);
    CHECK(addresses.size() == 32);
  };
  const auto is_unknown = [&](const std::string& body, const std::string& origin) {
    CHECK(origin_of(known + body + load).find(origin) != std::string::npos);
  };
  // Only the bytes that an unknown value is stored to, or may be stored to.
  is_known("st.local.u64 [%d1+8], %d9;");
  is_known("@%p9 st.local.u32 [depot], %r0;");
  is_unknown("st.local.u64 [%d1], %d9;", "a load from global memory");
  is_unknown("@%p9 st.local.u32 [depot+4], 5;", "a load from global memory");
  // Some lanes alone.
  is_unknown("setp.lt.u32 %p1, %r0, 4; @%p1 st.local.u64 [%d1], %d9;", "a load from global memory");
  // At an unknown place, all.
  is_unknown("and.b64 %d8, %d9, 7; add.u64 %d8, %d8, %d1; st.local.u8 [%d8], 5;",
             "a load from global memory");
  // Never stored, and outside.
  CHECK(origin_of("ld.local.u32 %r1, [%d1+12];").find("never stored") != std::string::npos);
  CHECK(origin_of("ld.local.u32 %r1, [%d1+64];").find("outside its local variables") !=
        std::string::npos);
  CHECK(origin_of("ld.local.v2.u32 {%r1, %r2}, [%d1+60];").find("outside its local variables") !=
        std::string::npos);
}

TEST_CASE("arguments byte by byte", "[ptx]") {
  cc::launch options = launched({32});
  options.arguments["p1"] = 0x1f0;
  const auto address = [&](const std::string& load) {
    const cc::recording recorded =
        run_body(load + "mov.u32 %r0, 0; st.shared.u8 [%r1], %r0; ret;", options);
    REQUIRE(recorded.accesses.size() == 1);
    return recorded.accesses[0].classes[0].times.begin()->first +
           recorded.accesses[0].classes[0].lanes.address[0];
  };
  CHECK(address("ld.param.u32 %r1, [number];") == 0x1f0);
  CHECK(address("ld.param.u8 %r1, [number];") == 0xf0);
  CHECK(address("ld.param.u8 %r1, [number+1];") == 1);
  CHECK(address("ld.param.s8 %r2, [number]; add.u32 %r1, %r2, 16;") == 0);
}

TEST_CASE("values by byte are those of a vector", "[ptx]") {
  std::uint32_t state = 1;
  const auto drawn = [&](std::uint32_t limit) {
    state = state * 1664525 + 1013904223;
    return static_cast<std::uint64_t>((state >> 8) % limit);
  };
  for (const std::uint64_t bytes : {0u, 1u, 255u, 256u, 257u, 1000u}) {
    cc::value_by_byte<int> values(bytes, 7);
    std::vector<int> plain(bytes, 7);
    REQUIRE(values.size() == bytes);
    for (int step = 0; step < 300; ++step) {
      const std::uint64_t first = bytes == 0 ? 0 : drawn(static_cast<std::uint32_t>(bytes));
      const std::uint64_t count =
          step % 7 == 0 ? bytes : drawn(static_cast<std::uint32_t>(bytes - first + 1));
      const std::uint64_t start = step % 7 == 0 ? 0 : first;
      values.fill(start, count, step);
      std::fill_n(plain.begin() + static_cast<std::ptrdiff_t>(start), count, step);
      for (std::uint64_t byte = 0; byte < bytes; ++byte) REQUIRE(values[byte] == plain[byte]);
    }
  }
}

TEST_CASE("an analysis of a kernel is for all its runs", "[ptx]") {
  // What is stored to global memory decides about an address if data are known alone.
  const cc::kernel_code kernel = kernel_of_body(R"(
  ld.param.u64 %d1, [pointer];
  mov.u32 %r0, %tid.x;
  setp.lt.u32 %p1, %r0, 16;
  @%p1 bra behind;
  shl.b32 %r5, %r0, 3;
  st.global.u32 [%d1], %r5;
behind:
  ld.global.u32 %r4, [%d1];
  st.shared.u8 [%r4], %r0;
  ret;)");
  const cc::kernel_analysis analysis(kernel);
  int differs = 0;
  for (int time = 0; time < 2; ++time)
    for (const cc::needed_for purpose :
         {cc::needed_for::requests, cc::needed_for::requests_with_data, cc::needed_for::values}) {
      const cc::needed_values expected = cc::needed_registers(kernel, purpose);
      CHECK(analysis.needed(purpose).registers == expected.registers);
      differs +=
          expected.registers != cc::needed_registers(kernel, cc::needed_for::requests).registers;
    }
  CHECK(differs == 4);
  const std::vector<int> meets_in = cc::post_dominators(kernel);
  const std::vector<bool> may_be_shared = cc::may_hold_shared_address(kernel);
  for (int block = 0; block < static_cast<int>(kernel.blocks.size()); ++block) {
    const auto number = static_cast<std::size_t>(block);
    CHECK(analysis.meets_in(block) == meets_in[number]);
    if (cc::successors(kernel.blocks[number]).size() != 2) continue;
    for (int time = 0; time < 2; ++time)
      CHECK(analysis.region_of(block).blocks ==
            cc::region_between(kernel, block, meets_in[number], may_be_shared).blocks);
  }
  for (const int threads : {32, 64}) {
    cc::launch options = launched({threads});
    options.bounds = true;
    const cc::recording alone = cc::run(kernel, options), shared = cc::run(analysis, options);
    REQUIRE(alone.accesses.size() == shared.accesses.size());
    CHECK(alone.steps == shared.steps);
    for (std::size_t number = 0; number < alone.accesses.size(); ++number)
      CHECK(alone.accesses[number].requests == shared.accesses[number].requests);
  }
}

namespace {

// One assumption after another, each in a run of its own.
cc::recording run_in_steps(const cc::kernel_code& kernel, cc::launch options,
                           std::vector<int>& lines) {
  for (;;) try {
      return cc::run(kernel, options);
    } catch (const cc::cannot_run& error) {
      REQUIRE(error.missing.is == cc::missing_fact::kind::branch);
      REQUIRE(options.assumed.emplace(error.location.line, cc::assumption{true, {}}).second);
      lines.push_back(error.location.line);
    }
}

cc::launch requiring_branches(int threads) {
  cc::launch options = launched({threads});
  options.bounds = options.requires_shared_branches = true;
  return options;
}

}  // namespace

TEST_CASE("a branch that is assumed meanwhile is as one that was assumed before", "[ptx]") {
  const cc::kernel_code kernel = kernel_of_body(R"(
  ld.param.u64 %d1, [pointer];
  mov.u32 %r0, %tid.x;
  shl.b32 %r1, %r0, 3;
  mov.u32 %r5, 0;
again:
  ld.global.u32 %r4, [%d1];
  setp.eq.s32 %p1, %r4, 0;
  @%p1 bra second;
  st.shared.u32 [%r1], %r0;
  mov.u32 %r1, 4;
second:
  ld.global.u32 %r6, [%d1+4];
  setp.eq.s32 %p2, %r6, 0;
  @%p2 bra behind;
  st.shared.u32 [%r1+512], %r0;
behind:
  add.s32 %r5, %r5, 1;
  setp.lt.u32 %p3, %r5, 3;
  @%p3 bra again;
  ret;)");
  for (const int threads : {32, 64}) {
    std::vector<int> expected, lines;
    const cc::recording previous = run_in_steps(kernel, requiring_branches(threads), expected);
    REQUIRE(expected.size() == 2);
    cc::launch options = requiring_branches(threads);
    options.assume_branch = [&](const cc::cannot_run& error) {
      lines.push_back(error.location.line);
      return std::optional(cc::assumption{true, {}});
    };
    const cc::recording meanwhile = cc::run(kernel, options);
    CHECK(lines == expected);
    CHECK(meanwhile.notes == previous.notes);
    CHECK(meanwhile.steps == previous.steps);
    REQUIRE(meanwhile.accesses.size() == previous.accesses.size());
    for (std::size_t number = 0; number < previous.accesses.size(); ++number)
      CHECK(meanwhile.accesses[number].requests == previous.accesses[number].requests);
    // The error as before, if nothing is assumed.
    options.assume_branch = [](const cc::cannot_run&) { return std::optional<cc::assumption>(); };
    CHECK(failed(kernel, options).wrong == failed(kernel, requiring_branches(threads)).wrong);
  }
}

TEST_CASE("no branch is assumed meanwhile whose line has had another one without", "[ptx]") {
  const cc::kernel_code kernel = kernel_of_body(R"(
  ld.param.u64 %d1, [pointer];
  mov.u32 %r0, %tid.x;
  ld.global.u32 %r4, [%d1];
  setp.eq.s32 %p1, %r4, 0;
  .loc 1 7 1
  @%p1 bra second;
  .loc 1 8 1
  st.global.u32 [%d1+4], %r0;
second:
  .loc 1 9 1
  setp.eq.s32 %p2, %r4, 1;
  .loc 1 7 9
  @%p2 bra behind;
  .loc 1 10 1
  st.shared.u8 [%r0+512], %r0;
behind:
  ret;)");
  cc::launch options = requiring_branches(32);
  options.assume_branch = [](const cc::cannot_run&) {
    return std::optional(cc::assumption{true, {}});
  };
  CHECK(failed(kernel, options).position.line == 7);
  options.requires_branches = true;  // that of global memory too
  CHECK(cc::run(kernel, options).notes.size() >= 1);
}

TEST_CASE("a check that fails holds where numbers are assumed", "[ptx]") {
  const cc::kernel_code kernel = kernel_of_body(R"(
  ld.param.u32 %r1, [number];
  mov.u32 %r0, %tid.x;
  setp.lt.u32 %p1, %r0, %r1;
  @%p1 bra inside;
  trap;
inside:
  shl.b32 %r0, %r0, 2;
  st.shared.u32 [%r0], %r0;
  ret;)");
  cc::launch options = launched({32});
  options.arguments["p1"] = 16;
  CHECK(failed(kernel, options).wrong.find("thread (16, 0, 0) reaches a trap") == 0);
  options.checks_hold = true;
  const cc::recording recorded = cc::run(kernel, options);
  REQUIRE(recorded.notes.size() == 1);
  CHECK(
      recorded.notes[0].find(
          " fails with the numbers of this run, which are assumed in part, and is taken to hold") !=
      std::string::npos);
  REQUIRE(recorded.accesses.size() == 1);
  CHECK(recorded.accesses[0].classes.front().lanes.active == 0xffffffffu);
  options.arguments["p1"] = 32;
  CHECK(cc::run(kernel, options).notes.empty());
}

TEST_CASE("the arms of a branch are found once", "[ptx]") {
  const cc::kernel_code kernel = kernel_of_body(R"(
  mov.u32 %r0, %tid.x;
  setp.lt.u32 %p1, %r0, 16;
  @%p1 bra behind;
  st.shared.u32 [%r0], %r0;
behind:
  ret;)");
  const cc::kernel_analysis analysis(kernel);
  for (int block = 0; block < static_cast<int>(kernel.blocks.size()); ++block) {
    if (cc::successors(kernel.blocks[static_cast<std::size_t>(block)]).size() != 2) continue;
    const cc::branch_arms expected = cc::arms_of_branch(kernel, block, analysis.meets_in(block));
    for (int time = 0; time < 2; ++time) {
      CHECK(analysis.arms_of(block).is_guarded_first == expected.is_guarded_first);
      CHECK(analysis.arms_of(block).first_line == expected.first_line);
    }
    CHECK(expected.first_line != std::array<int, 2>{});
  }
}

// Lines of a function that is inlined, at line 24, are before the branch.
TEST_CASE("the arms of a branch are in the order of its own function's lines", "[ptx]") {
  const cc::kernel_code kernel = kernel_of_body(R"(
  ld.param.u64 %d1, [pointer];
  mov.u32 %r0, %tid.x;
  ld.global.u32 %r4, [%d1];
  .loc 1 20 1
  setp.eq.s32 %p1, %r4, 0;
  @%p1 bra behind;
  .loc 1 21 1
  st.shared.u8 [%r0], %r0;
  ret;
behind:
  .loc 1 2 1, function_name info, inlined_at 1 24 1
  ld.global.u32 %r5, [%d1+4];
  .loc 1 25 1
  st.shared.u8 [%r0+512], %r5;
  ret;)");
  const cc::kernel_analysis analysis(kernel);
  for (int block = 0; block < static_cast<int>(kernel.blocks.size()); ++block) {
    if (cc::successors(kernel.blocks[static_cast<std::size_t>(block)]).size() != 2) continue;
    const cc::branch_arms& arms = analysis.arms_of(block);
    CHECK(std::set<int>(arms.first_line.begin(), arms.first_line.end()) == std::set<int>{21, 24});
    CHECK(arms.first_line[arms.is_guarded_first ? 0 : 1] == 21);
  }
}

TEST_CASE("an instruction of a warp takes a step for each of its lanes, and 16 at least", "[ptx]") {
  const cc::kernel_code kernel = kernel_of_body("  mov.u32 %r0, %tid.x;\n  ret;");
  const auto steps_with = [&](int threads) {
    cc::launch options;
    options.block = {threads};
    return cc::run(kernel, options).steps;
  };
  const long long instructions = steps_with(32) / 32;
  CHECK(instructions > 0);
  CHECK(steps_with(17) == 17 * instructions);
  CHECK(steps_with(16) == 16 * instructions);
  CHECK(steps_with(1) == 16 * instructions);
  CHECK(steps_with(33) == 48 * instructions);
}

TEST_CASE("all bytes become unknown together, and are stored to again", "[ptx]") {
  cc::tracked_bytes bytes(1000, 5);
  bytes.store(300, 4, 0x04030201);
  CHECK(bytes.load(300, 4).value == 0x04030201);
  CHECK(bytes.load(304, 1).origin == 5);
  bytes.forget(0, 1000, 7);
  CHECK(bytes.load(300, 4).origin == 7);
  CHECK(bytes.load(999, 1).origin == 7);
  bytes.store(301, 1, 9);
  CHECK(bytes.load(301, 1).value == 9);
  CHECK(bytes.load(300, 1).origin == 7);
  bytes.forget(0, 1000, 8);
  CHECK(bytes.load(301, 1).origin == 8);
}
