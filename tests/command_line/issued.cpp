// SPDX-License-Identifier: MIT
// Accesses as issued: the joining of recordings that are made here by hand, experiments with nvcc
// (issued/joined.cu), the widths in cubins, and nvcc as a reader.
#include "examples/bankmodel/compiled/issued/issued.hpp"

#include <algorithm>
#include <bankmodel/machines/nvidia.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "catch.hpp"
#include "examples/bankmodel/compiled/code/linkage.hpp"
#include "examples/bankmodel/compiled/issued/confirmed.hpp"
#include "examples/bankmodel/compiled/machine_code/cubin.hpp"
#include "examples/bankmodel/compiled/nvcc.hpp"
#include "examples/bankmodel/compiled/page/page.hpp"
#include "examples/bankmodel/compiled/ptx/ptx_reader.hpp"
#include "examples/bankmodel/source.hpp"
#include "own_folder.hpp"

namespace bm = bankmodel;
namespace cc = compiled;
using cc::access_does;

namespace {

std::string file(const std::string& name) {
  return (std::filesystem::path(__FILE__).parent_path() / "issued" / name).string();
}
std::string text_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  REQUIRE(stream);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// An access of each lane of a warp, `stride` bytes apart, from byte `base` on.
cc::recorded_access access_at(long long base, int bytes, int alignment = 16, int stride = 64,
                              access_does operation = access_does::load) {
  cc::recorded_access result;
  result.location = {0, 7, 3};
  result.memory.operation = operation;
  result.memory.bytes = bytes > 8 ? 4 : bytes;
  result.memory.elements = bytes > 8 ? bytes / 4 : 1;
  result.array = 0;
  result.alignment = alignment;
  bm::request lanes{.active = 0xffffffff, .bytes = bytes};
  lanes.kind = operation == access_does::load ? bm::access_kind::load : bm::access_kind::store;
  for (int lane = 0; lane < 32; ++lane) lanes.address[lane] = lane * stride;
  result.classes = {{lanes, {{base, 2}}}};
  result.requests = 2;
  return result;
}

// All accesses that are less than 16 bytes apart are near.
cc::recording made_of(std::vector<cc::recorded_access> accesses) {
  cc::recording result;
  for (std::size_t number = 0; number < accesses.size(); ++number) {
    for (std::size_t other = 0; other < number; ++other) {
      const long long distance = accesses[number].classes[0].times.begin()->first -
                                 accesses[other].classes[0].times.begin()->first;
      if (distance > -16 && distance < 16)
        accesses[number].neighbours.push_back({static_cast<int>(other), distance});
    }
  }
  result.accesses = std::move(accesses);
  return result;
}

// Words at these bytes, the first of which has the alignment.
cc::recording words(const std::vector<long long>& offsets, int alignment = 16,
                    access_does operation = access_does::load) {
  std::vector<cc::recorded_access> accesses;
  for (const long long offset : offsets)
    accesses.push_back(
        access_at(offset, 4, offset % alignment == 0 ? alignment : 4, 64, operation));
  return made_of(std::move(accesses));
}

// The bytes of each access's instruction, 0 for those that another access's instruction does.
std::vector<int> issued(cc::recording record, const cc::joining& rules = {}) {
  cc::join_accesses(record, rules);
  std::vector<int> result;
  for (const cc::recorded_access& access : record.accesses)
    result.push_back(access.issued_with >= 0 ? 0 : cc::bytes_as_issued(access));
  return result;
}

using widths = std::vector<int>;

}  // namespace

TEST_CASE("words that follow one another become one instruction") {
  CHECK(issued(words({0, 4, 8, 12})) == widths{16, 0, 0, 0});
  CHECK(issued(words({12, 8, 4, 0})) == widths{16, 0, 0, 0});
  CHECK(issued(words({0, 4, 8, 12, 16, 20, 24, 28})) == widths{16, 0, 0, 0, 16, 0, 0, 0});
  CHECK(issued(words({4, 8, 12, 16, 20, 24})) == widths{16, 0, 0, 16, 0, 0});
  CHECK(issued(words({0, 4})) == widths{8, 0});
  CHECK(issued(words({8, 12})) == widths{4, 4});  // nothing says where 16 bytes begin
  CHECK(issued(words({0, 8, 12})) == widths{16, 0, 0});
  CHECK(issued(words({0, 4, 12})) == widths{16, 0, 0});
  CHECK(issued(words({0, 12})) == widths{4, 4});
  CHECK(issued(words({0, 8})) == widths{4, 4});
  CHECK(issued(words({0, 4, 16})) == widths{8, 0, 4});
  CHECK(issued(words({0})) == widths{4});
}

TEST_CASE("an instruction is as wide as it is known to be aligned") {
  CHECK(issued(words({0, 4, 8, 12}, 8)) == widths{8, 0, 8, 0});
  CHECK(issued(words({4, 8}, 8)) == widths{4, 4});
  CHECK(issued(words({0, 4, 8, 12}, 4)) == widths{4, 4, 4, 4});
  CHECK(issued(words({0, 4, 8, 12}, 4), {16, true}) == widths{16, 0, 0, 0});
  CHECK(issued(words({8, 12, 16, 20}, 4), {16, true}) == widths{8, 0, 8, 0});
  CHECK(issued(words({0, 4, 8, 12}), {8, false}) == widths{8, 0, 8, 0});
  CHECK(issued(words({0, 4, 8, 12}), {4, false}) == widths{4, 4, 4, 4});
  // What the types say is not what was recorded.
  cc::recording wrong = words({4, 8, 12, 16}, 4);
  wrong.accesses[0].alignment = 16;
  CHECK(issued(wrong) == widths{4, 4, 4, 4});
  // The bytes are known, but not as multiples of 16.
  cc::recording three = words({4, 8, 12}, 4);
  three.accesses[1].alignment = 16;
  three.accesses[1].remainder = 8;
  CHECK(issued(three) == widths{16, 0, 0});
  three.accesses[1].remainder = 0;  // untrue
  CHECK(issued(three) == widths{4, 8, 0});
  // Bases and lanes decide both.
  cc::recording lanes = words({0, 4}, 4);
  for (cc::recorded_access& access : lanes.accesses) access.classes[0].lanes.address[5] += 4;
  CHECK(issued(lanes, {16, true}) == widths{4, 4});
}

TEST_CASE("stores are of bytes that are stored") {
  // The last one has the instruction.
  CHECK(issued(words({0, 4, 8, 12}, 16, access_does::store)) == widths{0, 0, 0, 16});
  CHECK(issued(words({0, 4, 8}, 16, access_does::store)) == widths{0, 8, 4});
  CHECK(issued(words({0, 8, 12}, 16, access_does::store)) == widths{4, 0, 8});
}

TEST_CASE("which accesses are joined") {
  CHECK(issued(made_of({access_at(0, 8), access_at(8, 8)})) == widths{16, 0});
  CHECK(issued(made_of({access_at(0, 8), access_at(8, 4), access_at(12, 4)})) == widths{16, 0, 0});
  CHECK(issued(made_of({access_at(0, 16), access_at(4, 4)})) == widths{16, 0});
  CHECK(issued(made_of({access_at(0, 2), access_at(2, 2)})) == widths{2, 2});
  CHECK(issued(made_of({access_at(0, 1), access_at(1, 1)})) == widths{1, 1});
  CHECK(issued(made_of({access_at(0, 12), access_at(12, 4)})) == widths{12, 4});
  CHECK(issued(words({0, 0, 4, 4})) == widths{8, 0, 0, 0});
  CHECK(issued(words({0, 0}, 4)) == widths{4, 0});  // loaded once
  for (const int number : {0, 1}) {
    cc::recording record = words({0, 4});
    record.accesses[static_cast<std::size_t>(number)].memory.is_volatile = true;
    CHECK(issued(record) == widths{4, 4});
    record = words({0, 4});
    record.accesses[static_cast<std::size_t>(number)].is_partial = true;
    CHECK(issued(record) == widths{4, 4});
  }
  CHECK(issued(words({0, 4}, 16, access_does::atomic)) == widths{4, 4});
  cc::recording separate = words({0, 4, 8, 12});
  separate.accesses[2].neighbours.clear();
  separate.accesses[3].neighbours = {{2, 4}};
  CHECK(issued(separate) == widths{8, 0, 4, 4});
  // Two of each, until the last is near both.
  cc::recording late = words({0, 4, 12, 8});
  late.accesses[2].neighbours.clear();
  CHECK(issued(late) == widths{16, 0, 0, 0});
}

TEST_CASE("requests as issued cost what wider requests cost") {
  for (const bm::machine& m : {bm::nvidia::sm_90, bm::nvidia::sm_35})
    for (const int stride : {16, 32, 48, 64, 80, 256}) {
      std::vector<cc::recorded_access> accesses;
      for (const int offset : {4, 8, 12}) accesses.push_back(access_at(128 + offset, 4, 4, stride));
      accesses[0].alignment = accesses[1].alignment = 4;
      cc::recording record = made_of(accesses);
      record.accesses.push_back(access_at(128, 4, 16, stride));
      record.accesses.back().neighbours = {{0, -4}};
      cc::recording global = record;
      for (cc::recorded_access& access : global.accesses) access.is_global = true;
      cc::join_accesses(record);
      cc::join_accesses(global);
      record.accesses.insert(record.accesses.end(), global.accesses.begin(), global.accesses.end());
      for (std::size_t number = 5; number < 8; ++number) record.accesses[number].issued_with = 4;
      bm::request wide = access_at(128, 16, 16, stride).classes[0].lanes;
      for (long long& address : wide.address) address += 128;
      const cc::priced costs = cc::priced_on(m, record);
      CHECK(costs.issued_cost == bm::total(m, wide) * 2);
      CHECK(costs.issued_traffic == bm::traffic(m, wide) * 2);
      CHECK(costs.cost.requests == 8);
      CHECK(costs.shared.at(0).issued.bytes == std::set<int>{16});
      CHECK(costs.global.at(0).issued.traffic == costs.issued_traffic);
      CHECK(cc::widest_issued_bytes(record, 0) == 16);
      CHECK(cc::widest_issued_bytes(record, 1) == 0);
    }
}

TEST_CASE("the page has both columns, and says that one is an estimate") {
  cc::kernel_code kernel;
  kernel.name = "k";
  kernel.files = {"/nowhere/k.cu"};
  kernel.shared = {{"s", 4096, 16, 4, "float", {1024}, {}, {}}};
  cc::recording record = words({0, 4, 8, 12});
  cc::join_accesses(record);
  const auto page = [&](const bm::machine& m) {
    return cc::page{&kernel, &record, {.block = {32}}, m, cc::priced_on(m, record)};
  };
  cc::source_lines lines("");
  const std::string text = cc::as_text(page(bm::nvidia::sm_90), lines);
  CHECK(text.find("as issued  wavefronts") != std::string::npos);
  CHECK(text.find("2 of 16 B") != std::string::npos);
  CHECK(text.find("As issued: an estimate") != std::string::npos);
  const std::string json = cc::as_json({page(bm::nvidia::sm_90)}, "k.cu");
  CHECK(json.find("\"issued\": {\"bytes\": [16], \"requests\": 2, \"wavefronts\": 32, ") !=
        std::string::npos);
  CHECK(json.find("\"status\": \"estimate\"}") != std::string::npos);
  const std::string csv = cc::as_csv({page(bm::nvidia::sm_90)});
  CHECK(csv.find(",0,16,2,32,,estimate,,,,\n") != std::string::npos);
}

// ---- experiments ----

namespace {

cc::recording recorded(const cc::kernel_code& kernel) {
  cc::launch options{.block = {32}};
  if (kernel.parameters.size() > 1 && !kernel.parameters[1].is_pointer)
    options.arguments["p1"] = 64;
  cc::recording result = cc::run(kernel, options);
  cc::join_accesses(result);
  return result;
}

// "LDS 4 16, STS 4" of all lines of a kernel.
std::string widths_of(const cc::recording& record) {
  std::map<std::string, std::set<int>> sizes;
  for (const cc::recorded_access& access : record.accesses)
    if (access.issued_with < 0)
      sizes[std::string(access.memory.operation == access_does::load ? "LD" : "ST") +
            (access.is_global ? "G" : "S")]
          .insert(cc::bytes_as_issued(access));
  std::string result;
  for (const auto& [name, bytes] : sizes) {
    result += (result.empty() ? "" : ", ") + name;
    for (const int size : bytes) result += " " + std::to_string(size);
  }
  return result;
}

}  // namespace

TEST_CASE("what nvcc 13.0 joins for sm_90") {
  const std::map<std::string, std::string> expected = {
      {"four_words", "LDG 4, LDS 16, STG 4, STS 4"},
      {"three_words", "LDG 4, LDS 16, STG 4, STS 4"},
      {"with_a_gap", "LDG 4, LDS 16, STG 4, STS 4"},
      {"two_words", "LDG 4, LDS 8, STG 4, STS 4"},
      {"inner_words", "LDG 4, LDS 4, STG 4, STS 4"},
      {"outer_words", "LDG 4, LDS 4, STG 4, STS 4"},
      {"odd_stride", "LDG 4, LDS 4, STG 4, STS 4"},
      {"rows_of_18", "LDG 4, LDS 8, STG 4, STS 4"},
      {"stride_of_argument", "LDG 4, LDS 4, STG 4, STS 4"},
      {"masked_argument", "LDG 4, LDS 16, STG 4, STS 4"},
      {"doubles", "LDG 8, LDS 16, STG 8, STS 8"},
      {"halves", "LDG 2, LDS 2, STG 2, STS 2"},
      {"pair_and_word", "LDG 4, LDS 16, STG 4, STS 4"},
      {"stays_volatile", "LDG 4, LDS 4, STG 4, STS 4"},
      {"four_stores", "LDG 4, LDS 4, STG 4, STS 16"},
      {"three_stores", "LDG 4, LDS 4, STG 4, STS 4 8"},
      {"store_to_another_array", "LDG 4, LDS 4, STG 4, STS 4"},
      {"stores_to_two_arrays", "LDG 4, LDS 4, STG 4, STS 4"},
      {"global_store_between", "LDG 4, LDS 8, STG 4, STS 4"},
      {"shuffle_between", "LDG 4, LDS 8, STG 4, STS 4"},
      {"syncwarp_between", "LDG 4, LDS 4, STG 4, STS 4"},
      {"fence_between", "LDG 4, LDS 4, STG 4, STS 4"},
      {"behind_36_bytes", "LDG 4, LDS 1 4, STG 4, STS 1 4"},
      {"broadcast", "LDG 4, LDS 4 16, STG 4, STS 4"},
      {"global_words", "LDG 4, STG 4"},
      {"global_members", "STG 16"},
      {"load_between_stores", "LDG 4, LDS 4, STG 4, STS 4"},
      // Four iterations in PTX, from a variable that begins at 8 bytes; the rest one by one.
      {"loop_of_argument", "LDG 4, LDS 8, STG 4, STS 4"}};
  const auto kernels = cc::read_ptx(text_of(file("joined.ptx")));
  CHECK(kernels.size() == expected.size());
  for (const cc::kernel_code& kernel : kernels) {
    INFO(kernel.name);
    CHECK(widths_of(recorded(kernel)) == expected.at(kernel.name));
  }
}

// ---- cubins ----

namespace {

std::string refusal_of(const std::string& text, const std::string& kernel) {
  try {
    (void)cc::read_cubin(text, kernel);
  } catch (const cc::machine_code_error& error) {
    return std::string(error.what()) + "; " + error.right;
  }
  return "";
}

}  // namespace

TEST_CASE("widths in a cubin, by line") {
  const cc::machine_code code = cc::read_cubin(text_of(file("widths.cubin")), "widths");
  CHECK(code.model == 90);
  std::multiset<std::string> accesses;
  for (const cc::machine_access& access : code.accesses) {
    CHECK(access.file == "widths.cu");
    CHECK(access.is_shared != access.is_global);
    accesses.insert(std::to_string(access.line) +
                    (access.operation == access_does::load ? " load " : " store ") +
                    (access.is_shared ? "shared " : "global ") + std::to_string(access.bytes));
  }
  CHECK(accesses ==
        std::multiset<std::string>{"7 load global 16", "7 store shared 16", "8 store shared 2",
                                   "9 store shared 8", "11 load shared 4", "12 load shared 8",
                                   "13 load shared 1", "14 store global 1", "15 store global 4"});
}

// Before 9.0 the addresses of the line table are in .rel.debug_line, whose entries are shorter.
TEST_CASE("lines of a cubin for 8.0") {
  const cc::machine_code code = cc::read_cubin(text_of(file("widths_80.cubin")), "widths");
  CHECK(code.model == 80);
  std::multiset<int> lines;
  for (const cc::machine_access& access : code.accesses) lines.insert(access.line);
  CHECK(lines == std::multiset<int>{7, 7, 8, 9, 11, 12, 13, 14, 15});
}

TEST_CASE("files that are no such cubins") {
  const std::string good = text_of(file("widths.cubin"));
  const auto refused = [&](const std::string& text, const char* reason) {
    const std::string said = refusal_of(text, "widths");
    INFO(said);
    CHECK(said.find(reason) == 0);
    CHECK(said.find("; ") + 2 < said.size());
  };
  refused("", "is not a cubin");
  refused("// PTX", "is not a cubin");
  refused(text_of("/proc/self/exe"), "is an ELF file, but not of a GPU");
  CHECK(refusal_of(good, "other") == "has no kernel other; it has widths");
  std::string old = good;
  old[49] = 60;
  refused(old, "is for sm_60, whose instructions are not decoded");
  std::string no_lines = good;
  no_lines.replace(no_lines.find(".debug_line"), 11, ".debug_xxxx");
  refused(no_lines, "has no line information of widths; compile it with nvcc -lineinfo");
  for (std::size_t size = 0; size < good.size(); size += 7) {
    const std::string said = refusal_of(good.substr(0, size), "widths");
    if (size < good.size() - 4000) CHECK(!said.empty());
  }
  // Nothing else than machine_code_error for any wrong byte.
  for (std::size_t position = 0; position < good.size(); ++position) {
    std::string wrong = good;
    wrong[position] = static_cast<char>(wrong[position] ^ 0xff);
    (void)refusal_of(wrong, "widths");
  }
}

namespace {

const cc::kernel_code& kernel_k() {
  static const cc::kernel_code kernel = [] {
    cc::kernel_code result;
    result.name = result.linkage = "k";
    result.files = {"/nowhere/k.cu"};
    return result;
  }();
  return kernel;
}

// Loads of shared memory at line 7.
cc::machine_code loads_of(const std::set<int>& bytes) {
  cc::machine_code result;
  for (const int size : bytes)
    result.accesses.push_back({"k.cu", 7, access_does::load, true, false, size});
  result.accesses.push_back({"k.cu", 7, access_does::store, true, false, 2});
  result.accesses.push_back({"k.cu", 7, access_does::load, false, true, 2});
  result.accesses.push_back({"k.cu", 8, access_does::load, true, false, 2});
  result.accesses.push_back({"other.cu", 7, access_does::load, true, false, 2});
  return result;
}

struct confirmed {
  widths issued;
  cc::issued_label label;
  std::string difference;
};
confirmed confirm(cc::recording record, const cc::machine_code& code) {
  cc::join_accesses(record);
  const cc::recording written = record;
  cc::confirm_with(code, kernel_k(), written, record);
  confirmed result;
  for (const cc::recorded_access& access : record.accesses)
    result.issued.push_back(access.issued_with >= 0 ? 0 : cc::bytes_as_issued(access));
  result.label = record.accesses[0].label;
  result.difference = record.accesses[0].difference;
  return result;
}

}  // namespace

TEST_CASE("a cubin confirms or corrects the estimate") {
  using cc::issued_label;
  const cc::recording four = words({0, 4, 8, 12});
  confirmed outcome = confirm(four, loads_of({16}));
  CHECK((outcome.label == issued_label::confirmed && outcome.difference.empty()));
  CHECK(outcome.issued == widths{16, 0, 0, 0});

  outcome = confirm(four, loads_of({8}));
  CHECK(outcome.label == issued_label::corrected);
  CHECK(outcome.issued == widths{8, 0, 8, 0});
  CHECK(outcome.difference ==
        "estimated as loads of 16 bytes; the cubin has loads of 8 bytes of shared memory, which "
        "is taken");
  CHECK(confirm(four, loads_of({4})).issued == widths{4, 4, 4, 4});

  outcome = confirm(words({0, 4, 8, 12}, 4), loads_of({16}));  // it knows more about the alignment
  CHECK(outcome.label == issued_label::corrected);
  CHECK(outcome.issued == widths{16, 0, 0, 0});

  outcome = confirm(four, loads_of({4, 16}));
  CHECK(outcome.label == issued_label::differs);
  CHECK(outcome.issued == widths{16, 0, 0, 0});
  CHECK(outcome.difference ==
        "estimated as loads of 16 bytes; the cubin has loads of 4 and 16 bytes of shared memory; "
        "the estimate is kept");
  // A load of a line without an access is that of the only line without a load.
  outcome = confirm(four, loads_of({}));
  CHECK(outcome.label == issued_label::differs);
  CHECK(outcome.issued == widths{16, 0, 0, 0});
  CHECK(outcome.difference.find("the cubin has loads of 2 bytes of shared memory; the estimate is "
                                "kept") != std::string::npos);
  cc::machine_code moved;
  moved.accesses.push_back({"k.cu", 6, access_does::load, true, false, 8});
  CHECK(confirm(four, moved).issued == widths{8, 0, 8, 0});
  cc::recording two = words({0, 4, 64, 68});
  two.accesses[2].location.line = two.accesses[3].location.line = 9;
  outcome = confirm(two, moved);
  CHECK(outcome.label == issued_label::differs);
  CHECK(outcome.difference.find("the cubin has no load of shared memory; the estimate is kept") !=
        std::string::npos);

  // An instruction of a generic address counts.
  cc::machine_code generic = loads_of({});
  generic.accesses.push_back({"k.cu", 7, access_does::load, true, true, 16});
  CHECK(confirm(four, generic).label == issued_label::confirmed);

  // Joined accesses of several lines are compared together.
  cc::recording lines = words({0, 4, 8, 12});
  lines.accesses[2].location.line = lines.accesses[3].location.line = 9;
  CHECK(confirm(lines, loads_of({16})).label == issued_label::confirmed);
  outcome = confirm(lines, loads_of({8}));
  CHECK(outcome.issued == widths{8, 0, 8, 0});
}

TEST_CASE("machine code without loops says how many requests there are at most") {
  // Each of the words is loaded twice by each of two warps.
  const auto difference = [](const std::vector<bool>& repeated, int warps = 2) {
    cc::recording two = words({0, 64});
    for (cc::recorded_access& access : two.accesses) access.requests = 4;
    cc::join_accesses(two);
    cc::machine_code code = loads_of({});
    for (const bool flag : repeated) {
      code.accesses.push_back({"k.cu", 7, access_does::load, true, false, 4});
      code.accesses.back().is_repeated = flag;
    }
    const cc::recording written = two;
    cc::confirm_with(code, kernel_k(), written, two, warps);
    CHECK(two.accesses[0].label == cc::issued_label::confirmed);
    return two.accesses[0].difference;
  };
  CHECK(difference({false, false, false, false}) == "");
  CHECK(difference({false, false, false}) ==
        "the cubin makes at most 6 requests of the 8 that are counted as issued");
  CHECK(difference({false, false, true}) == "");  // a loop
  CHECK(difference({false, false, false}, 0) == "");
}

TEST_CASE("a cubin says which instructions are in no loop") {
  std::string cubin = text_of(file("widths.cubin"));
  const auto repeated = [&] {
    const cc::machine_code code = cc::read_cubin(cubin, "widths");
    REQUIRE(code.accesses.size() > 8);
    return std::count_if(code.accesses.begin(), code.accesses.end(),
                         [](const cc::machine_access& access) { return access.is_repeated; });
  };
  CHECK(repeated() == 0);
  // ptxas ends a kernel with a jump to itself, which here jumps farther back.
  const std::string jump = "\x47\x79\xfc" + std::string(1, '\0') + "\xfc\xff\xff\xff";
  const std::size_t place = cubin.find(jump);
  REQUIRE(place != std::string::npos);
  cubin[place + 2] = static_cast<char>(0xc0);  // 16 instructions
  const auto some = repeated();
  CHECK((some > 0 && some < 9));
  cubin[place + 5] = static_cast<char>(0xf0);
  CHECK(repeated() == 9);
  cubin[place + 5] = static_cast<char>(0xff);
  CHECK(repeated() == some);
  cubin[place] = 0x44;  // a call
  CHECK(repeated() == 9);
}

TEST_CASE("halves are joined where the machine code joins them, and else not") {
  using cc::issued_label;
  std::vector<cc::recorded_access> halves;
  for (const long long base : {0, 2, 4, 6})
    halves.push_back(access_at(base, 2, base == 0 ? 8 : 2, 8));
  const cc::recording record = made_of(halves);
  CHECK(issued(record) == std::vector<int>{2, 2, 2, 2});
  const confirmed joined = confirm(record, loads_of({8}));
  CHECK(joined.issued == widths{8, 0, 0, 0});
  CHECK(joined.label == issued_label::corrected);
  CHECK(confirm(record, loads_of({2})).label == issued_label::confirmed);
  // No rule gives 16 bytes of 8: the estimate stays.
  const confirmed kept = confirm(record, loads_of({16}));
  CHECK(kept.issued == widths{2, 2, 2, 2});
  CHECK(kept.label == issued_label::differs);
}

TEST_CASE("a cubin says whether there is an instruction, by lines of whole statements") {
  using cc::issued_label;
  cc::machine_code stores;
  stores.accesses.push_back({"k.cu", 7, access_does::store, true, false, 4});
  // No load, of no other line either: it is not issued.
  cc::recording record = words({0, 4, 8, 12});
  cc::join_accesses(record);
  const cc::recording written = record;
  cc::confirm_with(stores, kernel_k(), written, record);
  for (const cc::recorded_access& access : record.accesses) {
    CHECK(access.label == issued_label::corrected);
    CHECK(access.requests == 0);
    CHECK(access.difference ==
          "estimated as loads of 16 bytes; the cubin has no load of shared memory, which is taken");
  }
  const cc::priced priced = cc::priced_on(bm::nvidia::sm_90, written, &record);
  CHECK(priced.cost.requests == 8);
  CHECK(priced.issued_cost.requests == 0);
  CHECK(priced.shared.at(0).issued.label == issued_label::corrected);

  // An estimate without the access, which the cubin has.
  cc::recording none;
  cc::confirm_with(loads_of({4}), kernel_k(), written, none);
  REQUIRE(none.accesses.size() == 1);
  CHECK(none.accesses[0].label == issued_label::differs);
  CHECK(none.accesses[0].difference ==
        "estimated as no load; the cubin has loads of 4 bytes of shared memory; the estimate is "
        "kept");

  // The instruction has the second line of a statement of lines 6 to 7, and so has no other one.
  cc::kernel_code kernel = kernel_k();
  kernel.statements = {{"k.cu", 6, 7}, {"other.cu", 1, 9}};
  record = written;
  for (cc::recorded_access& access : record.accesses) access.location.line = 6;
  cc::confirm_with(loads_of({16}), kernel, record, record);
  CHECK(record.accesses[0].label == issued_label::confirmed);
}

TEST_CASE("compilers' names of static kernels and of those in unnamed namespaces") {
  const auto is_common = [](const char* clang, const char* nvcc) {
    return cc::common_linkage(clang) == cc::common_linkage(nvcc);
  };
  CHECK(is_common("_ZL1kPf", "_Z1kPf"));
  CHECK(is_common("_ZN12_GLOBAL__N_11kEPf",
                  "_ZN50_GLOBAL__N__5a3ff710_17_static_kernel2_cu__Z3runPf1kEPf"));
  CHECK(is_common("_ZN12_GLOBAL__N_11a1kINS0_1SELi12EEEvPf",
                  "_ZN37_GLOBAL__N__5bf76e68_5_st_cu__Z3runPf1a1kINS0_1SELi12EEEvPf"));
  CHECK(is_common("_ZN1bL1qEPfN12_GLOBAL__N_11a1SEPS3_",
                  "_ZN1b1qEPfN37_GLOBAL__N__5bf76e68_5_st_cu__Z3runPf1a1SEPS3_"));
  // With nvcc -rdc=true.
  CHECK(is_common("_ZL1qPfN12_GLOBAL__N_11a1SE",
                  "__nv_static_26__5bf76e68_5_st_cu__Z3runPf__Z1qPfN37_GLOBAL__N__5bf76e68_5_st_cu"
                  "__Z3runPf1a1SE"));
  for (const char* other : {"_Z1kPd", "_Z2k1Pf", "_ZN1a1kEPf", "k", "_ZL", "_ZL9k", "_Z", ""})
    CHECK_FALSE(is_common("_ZL1kPf", other));
  CHECK(cc::common_linkage("_Z1kILi3EEvPf") == "_Z1kILi3EEvPf");
}

// ---- nvcc ----

TEST_CASE("nvcc: joined.cu again, and a page of its PTX") {
  const char* const path = std::getenv("PATH");
  if (cc::program_in(path == nullptr ? "" : path, "nvcc").empty()) {
    WARN("SKIPPED: nvcc is not on the path");
    return;
  }
  cc::question asked;
  asked.file = file("joined.cu");
  asked.nvcc = compiled::nvcc_use::always;
  for (const cc::kernel_code& kernel : cc::read_ptx(cc::ptx_by_nvcc(asked))) {
    INFO(kernel.name);
    CHECK(kernel.files.at(0).find("joined.cu") != std::string::npos);
    CHECK(recorded(kernel).accesses.size() > 0);
  }
  asked.kernels = {"four_words"};
  asked.block = "32";
  CHECK(cc::answer_to(asked).code == 0);
  // What the user gives is one argument each; nvcc has a shell, which gets no command.
  asked.flags.defines = {"KERNEL_IS", "X=\"$HOME | ; \""};
  asked.flags.include_folders = {"no such; folder"};
  CHECK(cc::answer_to(asked).code == 0);
  const own_folder own("shell");
  const std::string mark = (own.path / "mark").string();
  for (const std::string& text : {"$(touch " + mark + ")", "`touch " + mark + "`"}) {
    cc::question with_command = asked;
    with_command.flags.defines = {"X=\"" + text + "\""};
    const command_line::answer refused = cc::answer_to(with_command);
    CHECK(refused.code == 2);
    CHECK(refused.error.find("to a shell, which runs a part of it") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(mark));
  }
  asked.flags.standard = "c++98 -DX";
  const command_line::answer wrong = cc::answer_to(asked);
  CHECK(wrong.code == 2);
  CHECK(wrong.error.find("nvcc does not compile") != std::string::npos);
  CHECK(wrong.error.find("c++98 -DX") != std::string::npos);
}

TEST_CASE("nvcc refused") {
  const auto said = [](const cc::question& asked) { return cc::answer_to(asked).error; };
  cc::question asked;
  asked.nvcc = compiled::nvcc_use::always;
  asked.file = file("joined.ptx");
  CHECK(said(asked).find("--nvcc compiles CUDA source") != std::string::npos);
  asked.file = file("joined.cu");
  asked.machines = {"gfx90a"};
  const std::string previous_path = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
  setenv("PATH", "/nowhere:", 1);
  setenv("BANKMODEL_NVCC", "none", 1);
  CHECK(said(asked).find("nvcc is not on the path; add the toolkit's folder") != std::string::npos);
  unsetenv("BANKMODEL_NVCC");
  const own_folder own("nvcc");
  const std::filesystem::path& folder = own.path;
  std::ofstream(folder / "nvcc") << "#!/bin/sh\nprintf '%s\\n' \"$@\"\nexit 3\n";
  std::filesystem::permissions(folder / "nvcc", std::filesystem::perms::owner_all);
  setenv("PATH", ("/nowhere:" + folder.string()).c_str(), 1);
  CHECK(said(asked).find("nvcc does not compile for gfx90a") != std::string::npos);
  asked.machines = {"sm_80"};
  asked.flags.include_folders = {"a b"};
  asked.flags.defines = {"-x;'y'"};
  asked.flags.standard = "c++20";
  const std::string output = said(asked);
  setenv("PATH", previous_path.c_str(), 1);
  const std::string expected =
      "-lineinfo\n-ptx\n-arch=sm_80\n-I\na b\n-D\n-x;'y'\n-std=c++20\n-x\ncu\n";
  CHECK(output.find(expected) != std::string::npos);
  const std::size_t position = output.find("-o\n");
  REQUIRE(position != std::string::npos);
  const std::string target =
      output.substr(position + 3, output.find('\n', position + 3) - position - 3);
  CHECK(target.find("bankmodel-") != std::string::npos);
  CHECK(!std::filesystem::exists(std::filesystem::path(target).parent_path()));
}
