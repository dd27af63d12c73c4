// SPDX-License-Identifier: MIT
// --bounds: the least and the most that requests cost whose addresses are unknown, or that may not
// be made, against every request of small machines and many of each known one.
#include <algorithm>
#include <bankmodel/global/transactions.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <map>
#include <optional>
#include <random>
#include <string>

#include "catch.hpp"
#include "examples/bankmodel/compiled/ask.hpp"
#include "examples/bankmodel/compiled/issued/issued.hpp"
#include "examples/bankmodel/compiled/page/priced.hpp"
#include "examples/bankmodel/compiled/ptx/ptx_reader.hpp"
#include "examples/bankmodel/known_machines.hpp"
#include "examples/bankmodel/project/report.hpp"

namespace bm = bankmodel;
namespace cc = compiled;

namespace {

struct limits {
  std::uint64_t minimum = 0, maximum = 0;
  bool operator==(const limits&) const = default;
};

limits limits_of(const bm::machine& m, const bm::request& lanes) {
  cc::recording recorded;
  cc::recorded_access& access = recorded.accesses.emplace_back();
  access.bounded = {{{lanes, {{0, 1}}}}};
  const cc::priced costs = cc::priced_on(m, recorded);
  return {costs.minimum, costs.maximum};
}

// Four lanes in two banks; each kind of instruction is served in another way.
bm::machine small_machine(const bm::lane_groups& phases) {
  bm::machine m;
  m.lanes = 4;
  const bm::service plain = {.bank_num = 2, .W = 4, .N = 4, .phases = phases};
  m.loads.up_to_4 = m.loads.bytes_8 = m.stores.bytes_8 = plain;
  m.stores.up_to_4 = {.bank_num = 2, .W = 8, .N = 4, .phases = phases};
  m.special.atomics_4 = m.special.atomics_8 = plain;
  m.special.atomics_4.serves = m.special.atomics_8.serves = bm::serving::by_lane;
  m.merges_loads = bm::merging::pairs;
  return m;
}

// Of all requests of these lanes in three layers.
limits counted(const bm::machine& m, bm::request lanes) {
  const bm::geometry banks = m.banks(lanes.bytes, lanes.kind);
  const int places = 3 * banks.bank_num * banks.W / lanes.bytes;
  limits result{~std::uint64_t{0}, 0};
  int count = 1;
  for (int lane = 0; lane < m.lanes; ++lane) count *= places;
  for (int number = 0; number < count; ++number) {
    for (int lane = 0, left = number; lane < m.lanes; ++lane, left /= places)
      lanes.address[lane] = left % places * lanes.bytes;
    const std::uint64_t wavefronts = bm::total(m, lanes).wavefronts;
    result = {std::min(result.minimum, wavefronts), std::max(result.maximum, wavefronts)};
  }
  return result;
}

}  // namespace

TEST_CASE("limits of small machines are those of all their requests") {
  using enum bm::access_kind;
  for (const bm::lane_groups& phases : {bm::lane_groups{}, bm::lane_groups{2}, bm::lane_groups{1}})
    for (const bm::access_kind kind : {load, store, atomic})
      for (const int bytes : {2, 4, 8})
        for (unsigned active = 1; active < 16; ++active) {
          const bm::machine m = small_machine(phases);
          if (!m.has(bytes, kind)) continue;
          const bm::request lanes{.active = active, .bytes = bytes, .kind = kind};
          // The most needs a layer for each lane.
          if (kind == store && std::popcount(active) > 3) continue;
          limits expected = counted(m, lanes);
          if (std::popcount(active) > 3 && expected.maximum == 3) expected.maximum = 4;
          INFO(int(phases.parity_0) << " " << int(kind) << " " << bytes << " " << active);
          CHECK(limits_of(m, lanes) == expected);
        }
}

TEST_CASE("no request of a known machine is beyond its limits") {
  std::mt19937_64 dice(20261123);
  using enum bm::access_kind;
  std::map<bm::access_kind, int> seen;
  for (const bm::machine& m : command_line::known_machines())
    for (const bm::access_kind kind : {load, store, atomic, load_matrix, store_matrix})
      for (const int bytes : {1, 2, 4, 8, 12, 16}) {
        if (!m.has(bytes, kind)) continue;
        ++seen[kind];
        const std::uint64_t mask = ~std::uint64_t{0} >> (64 - m.lanes);
        for (int round = 0; round < 40; ++round) {
          bm::request r{.active = mask, .bytes = bytes, .kind = kind};
          if (round % 2 != 0) r.active &= dice() | (round % 4 == 1 ? dice() : 0);
          if (r.active == 0) continue;
          const limits range = limits_of(m, r);
          // Steps by the lane or by the active lane, and places within 2 bytes to 64 KiB.
          const long long step = 1ll << dice() % 10, places = 2ll << dice() % 16;
          const int unit = bytes == 12 ? 4 : bytes;
          long long rank = 0;
          for (int lane = 0; lane < m.lanes; ++lane) {
            const long long steps[] = {lane, rank, static_cast<long long>(dice() >> 32)};
            r.address[lane] = steps[round % 3] * step % places / unit * unit;
            rank += static_cast<long long>(r.active >> lane & 1);
          }
          const std::uint64_t wavefronts = bm::total(m, r).wavefronts;
          INFO(command_line::name_of(m) << " " << int(kind) << " " << bytes << " " << r.active);
          CHECK(range.minimum <= wavefronts);
          CHECK(range.maximum >= wavefronts);
        }
      }
  for (const bm::access_kind kind : {load, store, atomic, load_matrix, store_matrix})
    CHECK(seen[kind] > 3);
}

TEST_CASE("atomic operations of every second lane need not meet") {
  bm::request lanes{.active = 0x55555555, .bytes = 8, .kind = bm::access_kind::atomic};
  CHECK(limits_of(bm::nvidia::sm_90, lanes) == limits{2, 16});
  lanes.active = 0x5555;
  CHECK(limits_of(bm::nvidia::sm_90, lanes) == limits{1, 8});
}

// ---- kernels ----

namespace {

// A kernel whose %r1 is data, with 1 KiB of shared memory, %r2 its address and %r3 of a word in it
// for each lane.
std::string kernel_with(const std::string& code) {
  return R"(.version 7.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 n)
{
  .reg .pred %p<9>;
  .reg .b32 %r<19>;
  .reg .f32 %f<9>;
  .reg .b64 %rd<19>;
  .shared .align 16 .b8 s[1024];
  ld.param.u64 %rd1, [a];
  ld.global.u32 %r1, [%rd1];
  setp.gt.s32 %p1, %r1, 3;
  mov.u32 %r2, s;
  mov.u32 %r11, %tid.x;
  shl.b32 %r12, %r11, 4;
  add.s32 %r3, %r2, %r12;
  add.s32 %r4, %r2, %r1;
)" + code +
         "\n  ret;\n}\n";
}

struct result_of_run {
  limits wavefronts;
  std::uint64_t known = 0;
  cc::recording recorded;
};
result_of_run run_with_bounds(const std::string& code) {
  result_of_run result;
  const std::vector<cc::kernel_code> kernels = cc::read_ptx(kernel_with(code));
  cc::launch options{.block = {32}};
  options.bounds = true;
  options.arguments = {{"p1", 33}};
  result.recorded = cc::run(kernels.at(0), options);
  cc::join_accesses(result.recorded);
  const cc::priced costs = cc::priced_on(bm::nvidia::sm_90, result.recorded);
  result.wavefronts = {costs.minimum, costs.maximum};
  result.known = costs.cost.wavefronts;
  return result;
}
limits bounds_of(const std::string& code) { return run_with_bounds(code).wavefronts; }

// What a run of the engine alone lacks.
cc::missing_fact::kind missing_in(const std::string& code, bool bounds) {
  cc::launch options;
  options.block = {32};
  options.bounds = bounds;
  try {
    (void)cc::run(cc::read_ptx(kernel_with(code)).at(0), options);
    return cc::missing_fact::kind::none;
  } catch (const cc::cannot_run& failure) {
    return failure.missing.is;
  }
}

std::string error_of(const std::string& code, bool bounds,
                     const std::vector<std::string>& assumptions) {
  cc::question asked;
  asked.file = "k.ptx";
  asked.text = kernel_with(code);
  asked.block = "32";
  asked.bounds = bounds;
  asked.assumed = assumptions;
  return cc::answer_to(asked).error;
}

}  // namespace

TEST_CASE("a request that may not be made costs nothing at least") {
  CHECK(bounds_of("atom.shared.add.u32 %r5, [%r4], 1;") == limits{1, 32});
  CHECK(bounds_of("@%p1 atom.shared.add.u32 %r5, [%r4], 1;") == limits{0, 32});
  CHECK(bounds_of("@%p1 ld.shared.u32 %r5, [%r3];") == limits{0, 4});
  CHECK(bounds_of("@%p1 bra on; atom.shared.add.u32 %r5, [%r4], 1; on:") == limits{0, 32});
  CHECK(bounds_of("@%p1 bra on; ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r4]; on:") ==
        limits{0, 32});
  // Certain and possible requests of the same lanes are told apart.
  CHECK(bounds_of("ld.shared.u32 %r5, [%r4]; @%p1 ld.shared.u32 %r5, [%r4];") == limits{1, 16});
  CHECK(bounds_of("mov.u32 %r9, 2; again: @%p1 bra on; st.shared.u32 [%r4], %r9; on:"
                  "sub.s32 %r9, %r9, 1; setp.gt.s32 %p2, %r9, 0; @%p2 bra again;") ==
        limits{0, 16});
}

TEST_CASE("a generic address that is unknown may be in other memory") {
  const std::string generic = "cvta.shared.u64 %rd2, s; cvt.s64.s32 %rd3, %r1;";
  CHECK(bounds_of(generic + "add.s64 %rd4, %rd2, %rd3; ld.u32 %r5, [%rd4];") == limits{0, 8});
  CHECK(bounds_of(generic + "add.s64 %rd4, %rd2, %rd3; ld.shared.u32 %r5, [%rd4];") ==
        limits{1, 8});
  const result_of_run outcome =
      run_with_bounds(generic + "selp.b64 %rd4, %rd2, %rd1, %p1; st.u32 [%rd4], 1;");
  CHECK(outcome.wavefronts == limits{0, 8});
  CHECK(std::any_of(outcome.recorded.accesses.begin(), outcome.recorded.accesses.end(),
                    [](const auto& access) { return access.is_global && access.is_partial; }));
}

TEST_CASE("the most is within the layers that an index can reach") {
  const auto load_of = [](const std::string& index) {
    return bounds_of(index +
                     "shl.b32 %r6, %r5, 2; add.s32 %r7, %r2, %r6; ld.shared.u32 %r8, [%r7];");
  };
  CHECK(load_of("and.b32 %r5, %r1, 31;") == limits{1, 1});
  CHECK(load_of("and.b32 %r5, %r1, 63;") == limits{1, 2});
  CHECK(load_of("and.b32 %r5, %r1, 32;") == limits{1, 2});
  CHECK(load_of("rem.u32 %r5, %r1, 33;") == limits{1, 2});
  CHECK(load_of("rem.s32 %r5, %r1, 32;") == limits{1, 1});
  CHECK(load_of("shr.u32 %r5, %r1, 27;") == limits{1, 1});
  CHECK(load_of("bfe.u32 %r5, %r1, 3, 6;") == limits{1, 2});
  // Words 24 to 39: two layers, and no bank in both.
  CHECK(load_of("and.b32 %r9, %r1, 15; add.s32 %r5, %r9, 24;") == limits{1, 1});
  CHECK(load_of("and.b32 %r9, %r1, 15; sub.s32 %r5, 31, %r9;") == limits{1, 1});
  CHECK(load_of("min.u32 %r5, %r1, 31;") == limits{1, 1});
  // By an argument of 33.
  CHECK(load_of("ld.param.u32 %r9, [n]; rem.u32 %r5, %r1, %r9;") == limits{1, 2});
  CHECK(load_of("ld.param.u32 %r9, [n]; sub.s32 %r10, %r9, 1; rem.u32 %r5, %r1, %r10;") ==
        limits{1, 1});
  CHECK(load_of("ld.param.u32 %r9, [n]; sub.s32 %r10, 0, %r9; rem.s32 %r5, %r1, %r10;") ==
        limits{1, 2});
  // By 16 to 33.
  CHECK(load_of("ld.param.u32 %r9, [n]; @%p1 mov.u32 %r9, 16; rem.u32 %r5, %r1, %r9;") ==
        limits{1, 2});
  CHECK(load_of("mov.u32 %r5, %r1;") == limits{1, 8});
  // A register that other instructions write too has the values of all.
  CHECK(load_of("and.b32 %r5, %r1, 31; @%p1 add.s32 %r5, %r5, 32;") == limits{1, 8});
  CHECK(load_of("and.b32 %r5, %r1, 31; @%p1 mov.u32 %r5, 200;") == limits{1, 7});
  // Atomics are served lane by lane.
  CHECK(bounds_of("and.b32 %r5, %r1, 124; add.s32 %r7, %r2, %r5; atom.shared.add.u32 %r8, [%r7], "
                  "1;") == limits{1, 32});
}

TEST_CASE("no data take more than the bounds of random indices") {
  std::mt19937_64 dice(20261125);
  int reached = 0;
  for (int round = 0; round < 300; ++round) {
    std::string index = "mov.u32 %r5, %r1;";
    for (int step = 0; step < 4; ++step) {
      const std::string number = std::to_string(1 + dice() % 63);
      const std::string operations[] = {
          "and.b32 %r5, %r5, " + number,
          "rem.u32 %r5, %r5, " + number,
          "rem.s32 %r5, %r5, " + number,
          "shr.u32 %r5, %r5, " + std::to_string(1 + dice() % 30),
          "shr.s32 %r5, %r5, " + std::to_string(1 + dice() % 30),
          "add.s32 %r5, %r5, " + number,
          "sub.s32 %r5, " + number + ", %r5",
          "mul.lo.s32 %r5, %r5, " + std::to_string(dice() % 5),
          "min.s32 %r5, %r5, " + number,
          "max.s32 %r5, %r5, " + number,
          "min.u32 %r5, %r5, " + number,
          "or.b32 %r5, %r5, " + number,
          "xor.b32 %r5, %r5, " + number,
          "div.u32 %r5, %r5, " + number,
          "and.b32 %r9, %r11, 7; add.s32 %r5, %r5, %r9",
          "cvt.u64.u32 %rd5, %r5; add.s64 %rd5, %rd5, 3; cvt.u32.u64 %r5, %rd5"};
      std::string operation = operations[dice() % std::size(operations)];
      // Each step has a register of its own, or the range would be that of all steps.
      const std::string placeholder = "%r5", mine = "%r" + std::to_string(20 + step);
      const std::string previous = step == 0 ? "%r1" : "%r" + std::to_string(19 + step);
      std::string renamed;
      bool is_target = true;
      for (std::size_t position = 0; position < operation.size();) {
        const bool is_whole = operation.compare(position, 3, placeholder) == 0;
        // The first %r5 after an instruction's name that writes it is the target.
        if (is_whole) {
          const std::size_t begin = operation.rfind(';', position);
          const std::string head =
              operation.substr(begin == std::string::npos ? 0 : begin + 1,
                               position - (begin == std::string::npos ? 0 : begin + 1));
          is_target = head.find(',') == std::string::npos && head.find('%') == std::string::npos;
          renamed += is_target ? mine : previous;
          position += 3;
        } else {
          renamed += operation[position++];
        }
      }
      index += renamed + ";";
    }
    const std::string code = index +
                             "shl.b32 %r6, %r23, 2; add.s32 %r7, %r2, %r6; "
                             "ld.shared.u32 %r8, [%r7];";
    // %r1 is a value of each lane.
    std::string text = kernel_with(code);
    text.replace(text.find("ld.global.u32 %r1, [%rd1];"), 26,
                 "mov.u32 %r13, %tid.x; mul.wide.u32 %rd7, %r13, 4; add.s64 %rd8, %rd1, %rd7; "
                 "ld.global.u32 %r1, [%rd8];");
    text.replace(text.find("%r<19>"), 6, "%r<29>");
    const std::vector<cc::kernel_code> kernels = cc::read_ptx(text);
    cc::launch options{.block = {32}};
    options.bounds = true;
    const cc::priced bounded = cc::priced_on(bm::nvidia::sm_90, cc::run(kernels.at(0), options));
    INFO(code);
    REQUIRE(bounded.maximum + bounded.cost.wavefronts > 0);
    for (int data = 0; data < 20; ++data) {
      std::vector<std::uint8_t> bytes(128);
      for (int lane = 0; lane < 32; ++lane) {
        const auto value = static_cast<std::uint32_t>(dice() >> dice() % 64);
        for (int byte = 0; byte < 4; ++byte)
          bytes[static_cast<std::size_t>(4 * lane + byte)] =
              static_cast<std::uint8_t>(value >> 8 * byte);
      }
      options.data = {{"p0", {"", bytes}}};
      const cc::priced known = cc::priced_on(bm::nvidia::sm_90, cc::run(kernels.at(0), options));
      if (known.is_partial_shared) continue;  // outside the array
      ++reached;
      CHECK(known.cost.wavefronts >= bounded.minimum + bounded.cost.wavefronts);
      CHECK(known.cost.wavefronts <= bounded.maximum + bounded.cost.wavefronts);
    }
  }
  CHECK(reached > 1000);
}

TEST_CASE("no bounds for a barrier") {
  const std::string barrier = "@%p1 bar.sync 0;";
  CHECK(missing_in(barrier, true) == cc::missing_fact::kind::branch);
  CHECK(error_of(barrier, false, {"19=taken"}).empty());
  CHECK(error_of(barrier, true, {}).empty());  // it is assumed to be executed
  CHECK(missing_in("@%p1 ld.shared.u32 %r5, [%r3];", false) == cc::missing_fact::kind::branch);
  CHECK(missing_in("@%p1 ld.shared.u32 %r5, [%r3];", true) == cc::missing_fact::kind::none);
}

TEST_CASE("what may be in between keeps accesses apart as issued") {
  const auto widths = [](const std::string& middle) {
    std::string result;
    const std::string code = "ld.shared.f32 %f1, [%r3];" + middle + "ld.shared.f32 %f2, [%r3+4];";
    for (const cc::recorded_access& access : run_with_bounds(code).recorded.accesses)
      if (!access.is_global && !access.is_partial)
        result += " " + std::to_string(access.issued_with >= 0 ? 0 : cc::bytes_as_issued(access));
    return result;
  };
  CHECK(widths("") == " 8 0");
  CHECK(widths("ld.shared.u32 %r5, [%r4];") == " 8 0");
  CHECK(widths("st.shared.u32 [%r4], %r1;") == " 4 4");
  CHECK(widths("@%p1 st.shared.u32 [%r3+8], %r1;") == " 4 4");
  CHECK(widths("atom.shared.add.u32 %r5, [%r4], 1;") == " 4 4");
  CHECK(widths("st.global.u32 [%rd1], %r1;") == " 8 0");
}

TEST_CASE("a limit of conflicts is kept if data cannot exceed it") {
  cc::question asked;
  asked.file = "k.ptx";
  asked.text = kernel_with("ld.shared.u32 %r5, [%r4];");
  asked.block = "32";
  asked.bounds = true;
  CHECK(cc::answer_to(asked).code == command_line::fine);
  asked.allowed.of_all.conflicts = {7, "--max-conflicts"};
  CHECK(cc::answer_to(asked).code == command_line::fine);
  asked.allowed.of_all.conflicts = {6, "--max-conflicts"};
  const command_line::answer outcome = cc::answer_to(asked);
  CHECK(outcome.code == command_line::too_many_conflicts);
  CHECK(outcome.error.find("bankmodel: sm_90: data decide about conflicts, at most 7, and "
                           "--max-conflicts allows 6; ") == 0);
  CHECK(outcome.output.find("takes 1 to 8 wavefronts") != std::string::npos);
  asked.text = kernel_with("ld.shared.u32 %r5, [%r3];");
  CHECK(cc::answer_to(asked).code == command_line::fine);
}

TEST_CASE("a report has the most that data may decide") {
  cc::question asked;
  asked.file = "k.ptx";
  asked.text = kernel_with("ld.shared.u32 %r5, [%r4];");
  asked.block = "32";
  asked.bounds = asked.report = true;
  const project::report result = project::read_report(cc::answer_to(asked).report, "it");
  REQUIRE(result.kernels.size() == 1);
  CHECK(result.kernels[0].excessive(false) == 7);
  CHECK(!result.kernels[0].is_partial);
}

TEST_CASE("a limit of global memory is kept if data cannot exceed it") {
  cc::question asked;
  asked.file = "k.ptx";
  // Each lane loads a number that decides about its address: 1 to 32 transactions.
  asked.text = kernel_with(
      "mul.wide.u32 %rd3, %r11, 4;\nadd.s64 %rd3, %rd1, %rd3;\nld.global.u32 %r6, [%rd3];\n"
      "mul.wide.u32 %rd2, %r6, 4;\nadd.s64 %rd2, %rd1, %rd2;\nld.global.u32 %r5, [%rd2];");
  asked.block = "32";
  asked.bounds = true;
  const auto code_with = [&](std::uint64_t maximum) {
    asked.allowed.of_all.excessive_transactions = {maximum, "--max-excessive-transactions"};
    return cc::answer_to(asked).code;
  };
  const command_line::answer free = cc::answer_to(asked);
  INFO(free.output << free.error);
  CHECK(free.code == command_line::fine);
  CHECK(code_with(31) == command_line::fine);
  CHECK(code_with(27) != command_line::fine);
}

TEST_CASE("a run ends after as many steps as are allowed") {
  cc::question asked;
  asked.file = "k.ptx";
  asked.text = kernel_with("ld.shared.u32 %r5, [%r3];");
  asked.block = "32";
  cc::launch options;
  options.block = {32};
  asked.most_steps = cc::run(cc::read_ptx(asked.text)[0], options).steps;
  CHECK(cc::answer_to(asked).error == "");
  --asked.most_steps;
  CHECK(cc::answer_to(asked).error.find("the block takes more than " +
                                        std::to_string(asked.most_steps) +
                                        " steps; give smaller --arg values, a larger --grid, or "
                                        "more with --max-steps; --describe") != std::string::npos);
}

TEST_CASE("no request to global memory is beyond its limits") {
  std::mt19937_64 dice(20261126);
  int seen = 0, least_met = 0, most_met = 0;
  for (const bm::machine& m : command_line::known_machines())
    for (const bm::access_kind kind : {bm::access_kind::load, bm::access_kind::store})
      for (const int bytes : {1, 2, 4, 8, 12, 16}) {
        // 12 bytes are an access of machines that have one in shared memory.
        if (bytes == 12 &&
            (!m.has(12, bm::access_kind::load) || m.global.rule == bm::coalescing::shrinking))
          continue;
        const std::uint64_t mask = ~std::uint64_t{0} >> (64 - m.lanes);
        for (int round = 0; round < 60; ++round) {
          bm::request r{.active = mask, .bytes = bytes, .kind = kind};
          if (round % 2 != 0) r.active &= dice() | (round % 4 == 1 ? dice() : 0);
          if (r.active == 0) continue;
          const auto [minimum, maximum] = cc::limits_of_unknown_traffic(m, r);
          const int unit = bytes == 12 ? 4 : bytes;
          const long long step = round < 4 ? 0 : 1ll << dice() % 13;
          const long long places = 2ll << dice() % 20, first = static_cast<long long>(dice() % 512);
          for (int lane = 0; lane < m.lanes; ++lane) {
            const long long steps[] = {lane, static_cast<long long>(dice() >> 32)};
            r.address[lane] = (first + steps[round / 2 % 2] * step % places) / unit * unit;
          }
          const std::uint64_t transactions = bm::traffic(m, r).transactions;
          INFO(command_line::name_of(m) << " " << int(kind) << " " << bytes << " " << r.active);
          CHECK(minimum <= transactions);
          CHECK(maximum >= transactions);
          ++seen;
          least_met += minimum == transactions;
          most_met += maximum == transactions;
        }
      }
  CHECK(seen > 1000);
  CHECK(least_met > 100);
  CHECK(most_met > 100);
}

// ---- addresses that are a known distance from an unknown number of all lanes ----

namespace {

// Transactions of a run: the fewest and the most. `first`: what the kernel loads, if it is known.
limits transactions_of(const std::string& code, std::optional<std::uint32_t> first,
                       bool* is_counted = nullptr) {
  const std::vector<cc::kernel_code> kernels = cc::read_ptx(kernel_with(code));
  cc::launch options{.block = {32}};
  options.bounds = true;
  if (first) {
    std::vector<std::uint8_t>& bytes = options.data["p0"].bytes;
    for (int byte = 0; byte < 4; ++byte)
      bytes.push_back(static_cast<std::uint8_t>(*first >> (8 * byte)));
  }
  const cc::recording recorded = cc::run(kernels.at(0), options);
  const cc::priced costs = cc::priced_on(bm::nvidia::sm_90, recorded);
  if (is_counted != nullptr) *is_counted = !costs.is_partial_global;
  return {costs.traffic.transactions + costs.bounded_traffic.minimum,
          costs.traffic.transactions + costs.bounded_traffic.maximum};
}

}  // namespace

TEST_CASE("a request from an unknown base on costs what it costs with one of all bases") {
  std::mt19937_64 dice(20261127);
  const auto number = [&](int maximum) {
    return std::to_string(static_cast<std::uint64_t>(1) + dice() % static_cast<unsigned>(maximum));
  };
  int counted = 0, bounded = 0;
  for (int round = 0; round < 120; ++round) {
    const std::string of_data[] = {
        "add.s32 %r5, %r1, " + number(40) + ";",
        "mul.lo.s32 %r5, %r1, " + number(40) + ";",
        "shl.b32 %r5, %r1, " + number(6) + ";",
        "mov.u32 %r5, " + number(9) + "; sub.s32 %r5, %r5, %r1;",
        "cvt.s64.s32 %rd5, %r1; mul.lo.s64 %rd5, %rd5, " + number(9) + "; cvt.u32.u64 %r5, %rd5;",
        "xor.b32 %r5, %r1, 5; mul.lo.s32 %r5, %r5, " + number(9) + ";",
        "add.s32 %r5, %r1, %r1;",
        "shl.b32 %r5, %r1, 5; or.b32 %r5, %r5, %r11;",
        "add.s32 %r5, %r1, %r11; sub.s32 %r5, %r5, %r1;",
        "add.s32 %r5, %r1, %r11; mul.lo.s32 %r5, %r5, " + number(9) + ";",
        "sub.s32 %r5, %r1, " + number(31) + ";",
        "shl.b32 %r9, %r1, 2; shl.b32 %r10, %r9, 4; add.s32 %r5, %r9, %r10;"};
    const std::string of_lane[] = {"mov.u32 %r6, %r11;", "shl.b32 %r6, %r11, " + number(5) + ";",
                                   "shr.u32 %r6, %r11, " + number(4) + ";",
                                   "mov.u32 %r6, 31; sub.s32 %r6, %r6, %r11;",
                                   "mov.u32 %r6, " + number(9) + ";"};
    const std::string code =
        of_data[dice() % 12] + of_lane[dice() % 5] +
        "add.s32 %r7, %r5, %r6; mul.wide.s32 %rd2, %r7, 4; add.s64 %rd3, %rd1, %rd2;" +
        "add.s64 %rd3, %rd3, 4096; ld.global.u32 %r8, [%rd3+" + std::to_string(4 * (dice() % 40)) +
        "];";
    INFO(code);
    bool is_counted = false;
    const limits range = transactions_of(code, std::nullopt, &is_counted);
    limits expected{~std::uint64_t{0}, 0};
    for (std::uint32_t first = 0; first < 64; ++first) {
      const limits sample = transactions_of(code, first);
      REQUIRE(sample.minimum == sample.maximum);
      expected = {std::min(expected.minimum, sample.minimum),
                  std::max(expected.maximum, sample.maximum)};
    }
    CHECK(range == expected);
    // Lines of the first cache may differ where transactions do not.
    if (is_counted) CHECK(expected.minimum == expected.maximum);
    counted += is_counted;
    bounded += !is_counted;
  }
  CHECK(counted > 20);
  CHECK(bounded > 20);
}

TEST_CASE("numbers that have one unknown base are compared, each lane's own are not") {
  const std::string loop =
      "add.s32 %r5, %r1, %r11; add.s32 %r6, %r1, 64; ROUND: setp.ge.s32 %p2, %r5, %r6; @%p2 bra "
      "END;"
      "mul.wide.s32 %rd2, %r5, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r11;"
      "add.s32 %r5, %r5, 32; bra ROUND; END:";
  const std::vector<cc::kernel_code> kernels = cc::read_ptx(kernel_with(loop));
  cc::launch options{.block = {32}};
  options.bounds = true;
  const cc::priced costs = cc::priced_on(bm::nvidia::sm_90, cc::run(kernels.at(0), options));
  CHECK(costs.traffic.requests + costs.bounded_traffic.bounded_requests == 3);
  CHECK(costs.bounded_traffic.minimum == 8);
  CHECK(costs.bounded_traffic.maximum == 10);
  // Half of the lanes have another number: it is not known which addresses are together.
  const limits mixed = transactions_of(
      "setp.lt.s32 %p2, %r11, 16; mul.wide.s32 %rd4, %r11, 4; add.s64 %rd5, %rd1, %rd4;"
      "mov.u32 %r5, %r1; @%p2 ld.global.u32 %r5, [%rd1+8]; add.s32 %r5, %r5, %r11;"
      "mul.wide.s32 %rd2, %r5, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r8, [%rd3];",
      std::nullopt);
  CHECK(mixed == limits{3, 34});
  // Each lane multiplies it by its own number.
  const limits multiplied = transactions_of(
      "add.s32 %r6, %r11, 1; mul.lo.s32 %r5, %r1, %r6; mul.wide.s32 %rd2, %r5, 4; add.s64 %rd3, "
      "%rd1, %rd2;"
      "ld.global.u32 %r8, [%rd3];",
      std::nullopt);
  CHECK(multiplied == limits{2, 33});
  // The result is in the register of an operand.
  const limits masked = transactions_of(
      "mov.u32 %r9, 12; and.b32 %r9, %r9, %r1; setp.eq.s32 %p2, %r9, 0; @%p2 bra END;"
      "ld.global.u32 %r8, [%rd1+64]; END:",
      std::nullopt);
  CHECK(masked == limits{1, 2});
}
