// SPDX-License-Identifier: MIT
// --data: what arrays in global memory contain, from files; and when such values are not known.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "examples/bankmodel/compiled/ask.hpp"
#include "examples/bankmodel/compiled/data_file.hpp"
#include "examples/bankmodel/compiled/engine/run.hpp"
#include "examples/bankmodel/compiled/ptx/ptx_reader.hpp"
#include "stopped_run.hpp"

namespace cc = compiled;

namespace {

// Each thread loads a[indices[tid + FIRST]]; TYPE is that of an index of BYTES bytes.
const std::string gather = R"(
.version 7.0
.target sm_90
.address_size 64
.global .align 4 .u32 table[4] = {4, 3, 2, 1};
.const .align 4 .u32 fixed[4] = {0, 4, 8, 12};
.shared .align 4 .b8 a[16384];
.visible .entry gather(.param .u64 indices, .param .u64 out, .param .u32 n)
{
  .reg .b32 %r<9>;
  .reg .b64 %d<9>;
  ld.param.u64 %d1, [indices];
  ld.param.u64 %d2, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %d3, %r1, BYTES;
  add.s64 %d4, %d1, %d3;
  add.s64 %d5, %d2, %d3;
  mov.u64 %d6, table;
  mov.u64 %d7, fixed;
  and.b32 %r4, %r1, 3;
  mul.wide.u32 %d8, %r4, 4;
  BEFORE
  ld.global.TYPE %r2, [%d4];
  shl.b32 %r2, %r2, 2;
  mov.u32 %r3, a;
  add.s32 %r2, %r2, %r3;
  AFTER
  ld.shared.u32 %r5, [%r2];
  ret;
}
)";

std::string replaced(std::string text,
                     const std::vector<std::pair<std::string, std::string>>& changes) {
  for (const auto& [pattern, replacement] : changes)
    text.replace(text.find(pattern), pattern.size(), replacement);
  for (const std::string rest : {"BEFORE", "AFTER"})
    if (text.find(rest) != text.npos) text.replace(text.find(rest), rest.size(), "");
  return text;
}
const std::vector<std::pair<std::string, std::string>> of_words = {{"BYTES", "4"}, {"TYPE", "u32"}};
std::vector<std::pair<std::string, std::string>> words_and(const std::string& prologue,
                                                           const std::string& epilogue) {
  auto result = of_words;
  result.push_back({"BEFORE", prologue});
  result.push_back({"AFTER", epilogue});
  return result;
}

// A file that is removed at the end.
struct scratch_file {
  std::string name;
  explicit scratch_file(const std::string& bytes)
      : name(std::filesystem::temp_directory_path() /
             ("bankmodel_data_" + std::to_string(getpid()))) {
    std::ofstream(name, std::ios::binary) << bytes;
  }
  ~scratch_file() { std::filesystem::remove(name); }
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;
};

template <class Element>
std::string bytes_of(const std::vector<Element>& values) {
  std::string result;
  for (const Element value : values)
    for (std::size_t byte = 0; byte < sizeof(Element); ++byte)
      result += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * byte) & 255);
  return result;
}

cc::question asked(const std::string& text, const std::vector<std::string>& data,
                   const std::string& block = "64") {
  cc::question result;
  result.file = "gather.ptx";
  result.text = text;
  result.block = block;
  result.data = data;
  result.plan = false;
  result.format = command_line::format::csv;
  return result;
}

cc::recording recorded(const std::string& text, const std::vector<std::uint8_t>& indices,
                       int threads = 64) {
  cc::launch options;
  options.block = {threads};
  options.data["p0"] = {"indices.bin", indices};
  return cc::run(cc::read_ptx(text)[0], options);
}
std::vector<std::uint8_t> as_bytes(const std::string& text) { return {text.begin(), text.end()}; }

// The lanes' addresses of each request to shared memory.
std::multiset<std::vector<long long>> shared_requests(const cc::recording& record) {
  std::multiset<std::vector<long long>> result;
  for (const cc::recorded_access& access : record.accesses) {
    if (access.is_global) continue;
    CHECK_FALSE(access.is_partial);
    for (const cc::recorded_class& group : access.classes)
      for (const auto& [base, times] : group.times)
        for (std::uint64_t time = 0; time < times; ++time) {
          std::vector<long long> lanes;
          for (int lane = 0; lane < 32; ++lane)
            lanes.push_back(base + group.lanes.address[static_cast<std::size_t>(lane)]);
          result.insert(lanes);
        }
  }
  return result;
}

// Each request is the one that plain decoding of the indices gives.
template <class Element>
void check_addresses(const std::string& type, std::mt19937& dice) {
  std::vector<Element> indices(64);
  for (Element& index : indices) index = static_cast<Element>(dice() % 4096 % 128);
  const cc::recording record =
      recorded(replaced(gather, {{"BYTES", std::to_string(sizeof(Element))}, {"TYPE", type}}),
               as_bytes(bytes_of(indices)));
  std::multiset<std::vector<long long>> wanted;
  for (std::size_t warp = 0; warp < 2; ++warp) {
    std::vector<long long> lanes;
    for (std::size_t lane = 0; lane < 32; ++lane)
      lanes.push_back(4ll * static_cast<long long>(indices[32 * warp + lane]));
    wanted.insert(lanes);
  }
  CHECK(shared_requests(record) == wanted);
  REQUIRE(record.notes.size() == 1);
  CHECK(record.notes[0].rfind("p0 has the data of indices.bin, if no other", 0) == 0);
}

TEST_CASE("addresses from data") {
  std::mt19937 dice(16);
  for (int round = 0; round < 100; ++round) {
    check_addresses<std::uint32_t>("u32", dice);
    check_addresses<std::uint16_t>("u16", dice);
    check_addresses<std::int16_t>("s16", dice);
    check_addresses<std::uint8_t>("u8", dice);
  }
}

TEST_CASE("a negative index is outside the array") {
  std::vector<std::int8_t> indices(64, 1);
  indices[40] = -1;
  const std::string text = replaced(gather, {{"BYTES", "1"}, {"TYPE", "s8"}});
  const cc::recording record = recorded(text, as_bytes(bytes_of(indices)));
  CHECK(std::any_of(record.accesses.begin(), record.accesses.end(), [](const auto& access) {
    return access.is_partial && access.reason.find(
                                    "thread (40, 0, 0) outside the arrays in shared memory, "
                                    "at byte -4 of 16384") != std::string::npos;
  }));
}

TEST_CASE("a store that may be made changes the data") {
  const std::string of_condition = "ld.global.u32 %r6, [%d5]; setp.gt.u32 %p1, %r6, 3;";
  const std::string store = "@%p1 st.global.u32 [%d4], %r6; }", reg = "{ .reg .pred %p1; ";
  const auto run_with = [](const std::string& prologue) {
    return recorded(replaced(gather, words_and(prologue, "")), std::vector<std::uint8_t>(256));
  };
  CHECK(run_with(reg + of_condition + "}").notes.size() == 1);
  CHECK_THROWS_AS(run_with(reg + of_condition + store), cc::cannot_run);
  // Its condition is known, and does not hold.
  CHECK(run_with(reg + "setp.gt.u32 %p1, %r1, 64;" + store).notes.size() == 1);
}

TEST_CASE("the message where --data does not help") {
  const std::vector<std::uint32_t> indices(32, 1);  // of two warps
  const scratch_file raw(bytes_of(indices));
  CHECK(reason_of_stop(asked(replaced(gather, of_words), {"p0=" + raw.name}))
            .find("; --data p0 does not say it, since the kernel may change p0 before, or "
                  "loads more than the file has") != std::string::npos);
  CHECK(reason_of_stop(asked(replaced(gather, of_words), {})).find(", or --data p0=FILE") !=
        std::string::npos);
}

TEST_CASE("--data on the command line") {
  std::vector<std::uint32_t> indices(64);
  for (std::size_t thread = 0; thread < 64; ++thread)
    indices[thread] = static_cast<std::uint32_t>(thread * 32 % 1024);
  const std::string text = replaced(gather, of_words);
  const scratch_file raw(bytes_of(indices));
  for (const std::string name : {"p0", "gather_param_0"}) {
    const command_line::answer reply = cc::answer_to(asked(text, {name + "=" + raw.name}));
    CHECK(reply.error ==
          "bankmodel: note: " + name + " has the data of " + raw.name +
              ", if no other argument points there and no other block stores there\n");
    // Each warp's lanes touch 32 words of one bank.
    CHECK(reply.output.find("shared,\"a\",load,4,2,64,2,62,32,") != std::string::npos);
  }
  const auto refused = [&](const std::vector<std::string>& data, const std::string& message) {
    const command_line::answer reply = cc::answer_to(asked(text, data));
    CHECK(reply.code == command_line::bad_input);
    CHECK(reply.error == "bankmodel: error: " + message + "\n");
  };
  refused({"indices"},
          "--data is indices, which is not a name with a file; write --data "
          "indices=indices.npy");
  refused({"indices=/nowhere/x"},
          "--data: /nowhere/x cannot be read; name a file with the bytes "
          "of the array, or one of numpy.save()");
  refused({"p0=" + raw.name, "p0=" + raw.name}, "--data gives p0 twice; leave one of them out");
  refused({"other=" + raw.name},
          "gather: the kernel has no pointer or global array 'other'; it has p0, table, fixed");
  refused({"p2=" + raw.name},
          "gather: the argument 'p2' is not used as a pointer, so that --data is not for it; give "
          "its value, --arg p2=..");
  // What data decide has a range, and the page says how to give them.
  CHECK(cc::answer_to(asked(text, {})).output.find("; give --data p0=FILE\"\n") !=
        std::string::npos);
  const std::string reason = reason_of_stop(asked(text, {}));
  CHECK(reason.find("depends on a load from global memory") != std::string::npos);
  CHECK(reason.find(", or --data p0=FILE\n") != std::string::npos);
  // Fewer data than the block reads.
  CHECK_FALSE(reason_of_stop(asked(text, {"p0=" + raw.name}, "65")).empty());
}

TEST_CASE("files of NumPy") {
  const auto npy = [](const std::string& header, char version = 1) {
    const auto size = static_cast<char>(header.size());
    return std::string("\x93NUMPY") + version + '\0' + size +
           std::string(version == 1 ? 1 : 3, '\0') + header;
  };
  const auto header = [](const std::string& type, const std::string& order) {
    return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': (2,), }   \n";
  };
  const auto read = [](const std::string& bytes) {
    const scratch_file file(bytes);
    return cc::data_of(file.name).bytes;
  };
  const auto wrong = [&](const std::string& bytes) -> std::string {
    try {
      read(bytes);
      return "";
    } catch (const command_line::refusal& reason) {
      return reason.wrong;
    }
  };
  const std::vector<std::uint8_t> elements = {3, 0, 1, 0};
  const std::string content("\3\0\1\0", 4);
  CHECK(read(content) == elements);
  for (const char version : {'\1', '\2', '\3'})
    CHECK(read(npy(header("<i2", "False"), version) + content) == elements);
  CHECK(read(npy(header("|u1", "False")) + content) == elements);
  CHECK(read("").empty());
  CHECK(wrong(npy(header(">i2", "False")) + content).find("has elements of '>i2'") !=
        std::string::npos);
  CHECK(wrong(npy(header("|O", "False")) + content).find("has elements of '|O'") !=
        std::string::npos);
  CHECK(wrong(npy(header("<i2", "True")) + content).find("column by column") != std::string::npos);
  CHECK(wrong(npy("{}", 4)).find("no such header") != std::string::npos);
  const std::string full_header = npy(header("<i2", "False"));
  for (std::size_t length = 6; length < full_header.size(); ++length)
    CHECK(wrong(full_header.substr(0, length)).find("no such header") != std::string::npos);
}

TEST_CASE("elements of NumPy's are those of the pointer") {
  const auto wrong = [](char kind, int bytes, const std::string& type) -> std::string {
    try {
      cc::require_elements({{}, kind, bytes}, type, "indices", "indices.npy");
      return "";
    } catch (const command_line::refusal& reason) {
      return reason.wrong + "; " + reason.right;
    }
  };
  CHECK(wrong('i', 8, "const int") ==
        "--data: indices.npy has elements of type i8, and indices has elements of type int; save "
        "it as numpy.save(file, array.astype('<i4'))");
  CHECK(wrong('f', 8, "float").find("astype('<f4')") != std::string::npos);
  CHECK(wrong('i', 4, "float").find("astype('<f4')") != std::string::npos);
  CHECK(wrong('f', 4, "unsigned int").find("astype('<i4')") != std::string::npos);
  CHECK(wrong('u', 4, "volatile int").empty());
  CHECK(wrong('i', 4, "uint32_t").empty());
  CHECK(wrong('b', 1, "const bool").empty());
  CHECK(wrong('f', 4, "float4").empty());  // not a type that is known here
  CHECK(wrong(0, 0, "double").empty());    // plain bytes
}

TEST_CASE("data that the block stores to") {
  const std::vector<std::uint32_t> indices(64, 1);
  const auto fails = [&](const std::string& prologue, const std::string& epilogue,
                         int threads = 64) {
    try {
      recorded(replaced(gather, words_and(prologue, epilogue)), as_bytes(bytes_of(indices)),
               threads);
      return false;
    } catch (const cc::cannot_run& error) {
      return std::string(error.what()).find("depends on a load from global memory") !=
             std::string::npos;
    }
  };
  CHECK_FALSE(fails("", ""));
  // One instruction stores several values to one place: that of any lane stays.
  CHECK(fails("st.global.u32 [%d1], %r1;", "", 32));
  CHECK_FALSE(fails("st.global.u32 [%d1], 7; st.global.u32 [%d1], 8;", "", 32));
  CHECK_FALSE(fails("st.global.u32 [%d5], %r1;", "st.global.u32 [%d5], %r1;"));
  CHECK_FALSE(fails("st.global.u32 [%d4], %r1;", ""));
  CHECK_FALSE(fails("", "st.global.u32 [%d4], %r1;"));
  // What is stored is not known, several threads store, another warp does.
  CHECK(fails("ld.global.u32 %r6, [%d5]; st.global.u32 [%d4], %r6;", ""));
  CHECK(fails("red.global.add.u32 [%d4], %r1;", ""));
  CHECK_FALSE(fails("", "red.global.add.u32 [%d4], %r1;"));
  CHECK(fails("st.global.u32 [%d1], %r1;", ""));
  CHECK_FALSE(fails("st.global.u32 [%d1], 7;", ""));
  CHECK(fails("st.global.u32 [%d1], 7; st.global.u32 [%d1], %r1;", ""));
  CHECK(fails("st.global.u32 [%d1], 8;", "ld.global.u32 %r2, [%d1]; add.s32 %r2, %r2, %r3;"));
  CHECK_FALSE(fails("st.global.u32 [%d1], 8; bar.sync 0;",
                    "ld.global.u32 %r2, [%d1]; add.s32 %r2, %r2, %r3;"));
  // The first warp loads what the second one stores to later: it may get either value.
  const auto second_warp_stores = [](const std::string& value) {
    return "{ .reg .pred %p; setp.gt.u32 %p, %r1, 31; @%p st.global.u32 [%d1], " + value + "; }";
  };
  CHECK(fails("", second_warp_stores("7")));
  CHECK(fails("", second_warp_stores("%r5")));
  CHECK_FALSE(fails("", second_warp_stores("1")));
  CHECK_FALSE(fails("", "bar.sync 0; " + second_warp_stores("7")));
  // An address that is not known: which array it is in, is, unless it was loaded.
  CHECK(fails("", "ld.global.u64 %d5, [%d2]; st.global.u32 [%d5], %r1;"));
  CHECK_FALSE(fails(
      "",
      "ld.global.u64 %d8, [%d2]; { .reg .b64 %a; add.s64 %a, %d2, %d8; st.global.u32 [%a], 1; }"));
  CHECK(fails(
      "",
      "ld.global.u64 %d8, [%d2]; { .reg .b64 %a; add.s64 %a, %d1, %d8; st.global.u32 [%a], 1; }"));
  CHECK_FALSE(fails("",
                    "ld.global.u32 %r6, [%d2]; mul.wide.u32 %d8, %r6, 4; add.s64 %d8, %d8, %d2;"
                    " st.global.u32 [%d8], 1;"));
  // The distance of two arrays is no address in one of them.
  CHECK(fails("",
              "sub.s64 %d8, %d2, %d1; ld.global.u64 %d5, [%d2]; add.s64 %d8, %d8, %d5;"
              " st.global.u32 [%d8], 1;"));
  CHECK_FALSE(fails("",
                    "ld.global.u64 %d8, [%d2]; sub.s64 %d5, %d2, %d1; add.s64 %d5, %d5, %d2;"
                    " add.s64 %d5, %d5, %d8; st.global.u32 [%d5], 1;"));
  // Either of two arrays; the other one, or any.
  const std::string either = "{ .reg .pred %p; ld.global.u32 %r6, [%d2]; setp.eq.u32 %p, %r6, 0;";
  CHECK(fails("", either + " selp.b64 %d8, %d1, %d2, %p; st.global.u32 [%d8], 1; }"));
  CHECK_FALSE(fails("", either + " selp.b64 %d8, %d6, %d2, %p; st.global.u32 [%d8], 1; }"));
  CHECK(fails("", "ld.global.u64 %d5, [%d2];" + either +
                      " selp.b64 %d8, %d5, %d2, %p; add.s64 %d8, %d8, %d3;"
                      " st.global.u32 [%d8], 1; }"));
  // A store behind a branch on data.
  const auto branch = [](const std::string& address) {
    return "{ .reg .pred %p; ld.global.u32 %r6, [%d5]; setp.eq.u32 %p, %r6, 0; @%p bra over;"
           " st.global.u32 [" +
           address + "], %r1; over: }";
  };
  for (const bool is_before : {false, true}) {
    CHECK(fails(is_before ? branch("%d4") : "", is_before ? "" : branch("%d4")));
    CHECK_FALSE(fails(is_before ? branch("%d5") : "", is_before ? "" : branch("%d5")));
  }
}

namespace {

// Each thread stores a * tid + b to place c * tid + d, modulo 64; or a barrier.
struct store_step {
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
  bool is_barrier = false;
};

std::string code_of(const store_step& step) {
  if (step.is_barrier) return "bar.sync 0;";
  return "mad.lo.s32 %v, %r1, " + std::to_string(step.a) + ", " + std::to_string(step.b) +
         "; and.b32 %v, %v, 63; mad.lo.s32 %w, %r1, " + std::to_string(step.c) + ", " +
         std::to_string(step.d) +
         "; and.b32 %w, %w, 63; mul.wide.u32 %a, %w, 4; add.s64 %a, %a, %d1;"
         " st.global.u32 [%a], %v;";
}

// Two warps in some order, lanes in some order; then each thread loads its own place: 4 times it.
std::multiset<std::vector<long long>> executed(const std::vector<store_step>& steps,
                                               std::vector<std::uint32_t> memory,
                                               std::mt19937& dice) {
  std::multiset<std::vector<long long>> result;
  std::size_t positions[2] = {0, 0};
  while (positions[0] <= steps.size() || positions[1] <= steps.size()) {
    std::size_t warp = dice() % 2;
    const auto waits = [&](std::size_t candidate) {
      return positions[candidate] > steps.size() ||
             (positions[candidate] < steps.size() && steps[positions[candidate]].is_barrier);
    };
    if (waits(0) && waits(1)) {
      ++positions[0], ++positions[1];
      continue;
    }
    if (waits(warp)) warp = 1 - warp;
    const auto first = static_cast<std::uint32_t>(32 * warp);
    if (positions[warp] == steps.size()) {
      std::vector<long long> lanes;
      for (std::uint32_t lane = 0; lane < 32; ++lane) lanes.push_back(4ll * memory[first + lane]);
      result.insert(lanes);
    } else {
      const store_step& step = steps[positions[warp]];
      const bool is_backward = dice() % 2 == 0;
      for (std::uint32_t number = 0; number < 32; ++number) {
        const std::uint32_t thread = first + (is_backward ? 31 - number : number);
        memory[(step.c * thread + step.d) % 64] = (step.a * thread + step.b) % 64;
      }
    }
    ++positions[warp];
  }
  return result;
}

}  // namespace

TEST_CASE("stores to data, against execution in many orders") {
  std::mt19937 dice(17);
  int known = 0, unknown = 0;
  for (int round = 0; round < 1000; ++round) {
    std::vector<std::uint32_t> indices(64);
    for (std::uint32_t& index : indices) index = static_cast<std::uint32_t>(dice() % 64);
    std::vector<store_step> steps;
    std::string code = "{ .reg .b32 %v, %w; .reg .b64 %a;";
    const auto draw = [&](std::uint32_t end) { return static_cast<std::uint32_t>(dice() % end); };
    for (std::uint32_t remaining = 1 + draw(4); remaining > 0; --remaining) {
      steps.push_back({draw(3), draw(64), draw(6) == 0 ? 2u : 1u, draw(2) * 32 + draw(5) / 4});
      if (draw(2) == 0) steps.push_back({0, 0, 0, 0, true});
    }
    for (const store_step& step : steps) code += code_of(step);
    code += "}";
    INFO(code);
    std::multiset<std::vector<long long>> requests;
    try {
      requests = shared_requests(
          recorded(replaced(gather, words_and(code, "")), as_bytes(bytes_of(indices))));
      ++known;
    } catch (const cc::cannot_run&) {
      ++unknown;
      continue;
    }
    for (int order = 0; order < 12; ++order) CHECK(requests == executed(steps, indices, dice));
  }
  CHECK(known > 300);
  CHECK(unknown > 100);
}

TEST_CASE("initial values of the module's arrays") {
  const std::vector<std::uint8_t> indices = as_bytes(bytes_of(std::vector<std::uint32_t>(64, 1)));
  const std::string load_table =
      "add.s64 %d8, %d6, %d8; ld.global.u32 %r2, [%d8]; shl.b32 %r2, %r2, 2; "
      "add.s32 %r2, %r2, %r3;";
  const std::string load_fixed =
      "add.s64 %d8, %d7, %d8; ld.const.u32 %r2, [%d8]; add.s32 %r2, %r2, %r3;";
  const std::string store_anywhere = "ld.global.u64 %d5, [%d2]; st.global.u32 [%d5], %r1;";
  const auto note = [&](const std::string& epilogue, std::size_t number) {
    return recorded(replaced(gather, words_and("", epilogue)), indices).notes.at(number);
  };
  CHECK(note(load_table, 1) == "the array table is taken to have its initial values");
  CHECK(note(load_fixed, 1) == "the array fixed is taken to have its initial values");
  CHECK_THROWS_AS(note(load_table + "st.global.u32 [%d6], %r1;", 0), cc::cannot_run);
  CHECK_THROWS_AS(note(load_table + store_anywhere, 0), cc::cannot_run);
  // Constant memory stays, the data of --data do not.
  CHECK(note(load_fixed + store_anywhere, 0) ==
        "the kernel may change p0, so that the data of indices.bin are not taken");
  CHECK(note(load_fixed + store_anywhere, 1) ==
        "the array fixed is taken to have its initial values");

  // --data has other values.
  cc::launch options;
  options.block = {32};
  options.data["p0"] = {"indices.bin", indices};
  options.data["table"] = {"table.bin", as_bytes(bytes_of(std::vector<std::uint32_t>{8, 8, 8, 8}))};
  const cc::recording record =
      cc::run(cc::read_ptx(replaced(gather, words_and("", load_table)))[0], options);
  for (const cc::recorded_access& access : record.accesses) {
    if (access.is_global) continue;
    CHECK(access.classes.at(0).times == std::map<long long, std::uint64_t>{{32, 1}});
  }
}

}  // namespace
