// SPDX-License-Identifier: MIT
// The harness of global memory without a GPU: its patterns, its files, and its comparison with a
// simulated device, with right and with wrong rules.
#include "catch.hpp"
#include "global_comparison.hpp"
#include "simulated_global_device.hpp"

#include <bankmodel/machines/nvidia.hpp>

#include <sstream>

using namespace hardware;
namespace bm = bankmodel;

namespace {

const std::vector<global_pattern>& patterns() {
  static const std::vector<global_pattern> list = all_global_patterns();
  return list;
}

global_measured head(int model) {
  global_measured m;
  m.device = "Simulated, \"true\" device";
  m.driver = "580.65.06";
  m.toolkit = "13.0";
  m.command = "measure.sh";
  m.date = "2025-11-22";
  m.major = model / 10;
  m.minor = model % 10;
  return m;
}

// The complete path: launched, profiled, joined, written and read.
global_measured measure(const global_rules& options, int model) {
  std::stringstream launches;
  write_launches(launches, global_launches(patterns(), 64));
  const auto issued = read_launches<global_instruction>(launches, "launches");
  std::istringstream profile(profiled(simulated_global_device(options), issued, patterns()));
  int not_whole = 0;
  global_measured file = head(model);
  file.readings = join_global(issued, read_profiles(profile, "profile", global_metrics()),
                              "profile", not_whole);
  REQUIRE(not_whole == 0);
  std::stringstream joined;
  write(joined, file, patterns());
  return read_global_measured(joined, "joined");
}

global_comparison compared(const global_rules& options, int model = 90) {
  return compare(bm::nvidia::compute_capability(model / 10, model % 10), measure(options, model),
                 patterns());
}

std::set<std::string> disagreeing(const global_comparison& c) {
  std::set<std::string> result;
  for (const global_class& entry : c.classes)
    if (entry.disagreements > 0) result.insert(describe(entry.opcode).name);
  return result;
}

std::string said_of(const global_comparison& c, const std::string& start) {
  for (const global_question& question : c.questions)
    if (question.text.find(start) != std::string::npos) return in_words(question);
  return "not asked";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string replaced(std::string text, const std::string& old_text, const std::string& new_text) {
  const std::size_t position = text.find(old_text);
  REQUIRE(position != std::string::npos);
  return text.replace(position, old_text.size(), new_text);
}

std::string message_of(const std::string& text) {
  std::istringstream stream(text);
  try {
    read_global_measured(stream, "file.csv");
  } catch (const file_error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("the patterns of global memory are the same on every platform", "[hardware]") {
  std::uint64_t hash = 0;
  for (const global_pattern& p : patterns()) hash = hash * 31 + checksum(p);
  CHECK(patterns().size() == 3342);
  CHECK(hex(hash, 16) == "3faa39c2dd7f3510");
  CHECK(checksum(all_global_patterns(first_seed + 1)[5]) != checksum(patterns()[5]));
}

TEST_CASE("the patterns of global memory are well-formed and cover their purpose", "[hardware]") {
  std::map<std::string, std::set<std::string>> families;
  std::map<std::string, std::set<std::uint64_t>> masks, counts;
  std::map<std::string, std::set<long long>> starts;
  for (const global_pattern& p : patterns()) {
    CHECK(p.id == static_cast<int>(&p - patterns().data()));
    REQUIRE(p.asked.active != 0);
    REQUIRE(p.asked.active >> 32 == 0);
    for (int lane = 0; lane < 32; ++lane) {
      REQUIRE(p.asked.address[lane] % p.asked.bytes == 0);
      REQUIRE(p.asked.address[lane] >= 0);
      REQUIRE(p.asked.address[lane] + p.asked.bytes <= global_window);
    }
    const std::string name = describe(p.opcode).name;
    families[name].insert(p.family);
    masks[name].insert(p.asked.active);
    counts[name].insert(bm::traffic(bm::nvidia::sm_90, p.asked).transactions);
    starts[name].insert(p.asked.address[0] % 128);
    global_instruction opcode{};
    CHECK((find_instruction(name, opcode) && opcode == p.opcode));
  }
  CHECK(families.size() == global_instruction_count);
  for (const auto& [name, family_names] : families)
    CHECK(family_names == std::set<std::string>{"strides", "offsets in a line", "2D warps",
                                                "permutations", "random addresses",
                                                "shared elements", "partial masks"});
  for (const auto& [name, different] : masks) CHECK(different.size() > 15);
  for (const auto& [name, different] : counts) CHECK(different.size() > 20);
  for (const auto& [name, different] : starts) CHECK(different.size() >= 8);
}

TEST_CASE("the true device's sectors and the model agree", "[hardware]") {
  for (const int model : {75, 80, 90, 120}) {
    const global_comparison c = compared({}, model);
    INFO("compute capability " << model);
    CHECK(c.disagreements.empty());
    CHECK((c.silent == 0 && c.judged == static_cast<int>(patterns().size())));
    for (const global_question& question : c.questions) {
      INFO(in_words(question));
      CHECK(contains(in_words(question), "once"));
      CHECK(contains(in_words(question), ", as in the record"));
      CHECK(question.deciding >= 20);
    }
    for (const global_class& entry : c.classes)
      CHECK((entry.requests.agree == entry.patterns && entry.by_code.agree == entry.patterns));
  }
}

TEST_CASE("wrong rules of global memory are found in their classes", "[hardware]") {
  using names = std::set<std::string>;
  SECTION("16 bytes in groups of eight lanes") {
    const global_comparison c = compared({.lanes_together_of_16 = 8});
    CHECK(disagreeing(c) == names{"global_load_16", "global_load_cg_16", "global_store_16"});
    // 8 bytes do not follow the same rule.
    CHECK(contains(said_of(c, "loads"), "by none of these rules"));
    CHECK(contains(said_of(c, "atomics"), "once, as in the record"));
  }
  SECTION("stores by lane") {
    const global_comparison c = compared({.stores_by_lane = true});
    CHECK(disagreeing(c) == names{"global_store_1", "global_store_2", "global_store_4",
                                  "global_store_8", "global_store_16"});
    CHECK(contains(said_of(c, "stores"), "by none of these rules"));
    CHECK(contains(said_of(c, "loads"), "once a request, as in the record"));
  }
  SECTION("atomics on one word are counted for each lane") {
    const global_comparison c = compared({.atomics_in_rounds = true});
    CHECK(disagreeing(c) == names{"global_atomic_4", "global_reduction_4"});
    CHECK(contains(said_of(c, "atomics"), "for each lane, UNLIKE THE RECORD"));
    std::ostringstream text;
    print(text, c, measure({.atomics_in_rounds = true}, 90), patterns(), 2);
    CHECK(contains(text.str(), "global_atomic_4, shared elements: together 2"));
    CHECK(contains(text.str(), "more of this class, see them with --all"));
    CHECK(contains(text.str(), std::to_string(c.disagreements.size()) + " disagreements"));
  }
  SECTION("loads past the first cache by lines") {
    CHECK(disagreeing(compared({.cg_by_lines = true})) ==
          names{"global_load_cg_4", "global_load_cg_16"});
  }
  SECTION("sectors of 64 bytes") {
    CHECK(disagreeing(compared({.sector = 64})).size() == global_instruction_count);
  }
}

TEST_CASE("lanes on one word of an atomic, as an RTX 3070 counted them", "[hardware]") {
  bm::request r{.active = 0xffffffff, .bytes = 4, .kind = bm::access_kind::atomic};
  for (int lane = 0; lane < 32; ++lane) r.address[lane] = 4 * lane;
  CHECK(detail::sectors_in_rounds(bm::nvidia::sm_86, r) == 4);
  for (int lane = 0; lane < 32; ++lane) r.address[lane] = lane / 8 * 4;
  CHECK(detail::sectors_in_rounds(bm::nvidia::sm_86, r) == 8);
  for (int lane = 0; lane < 32; ++lane) r.address[lane] = 0;
  CHECK(detail::sectors_in_rounds(bm::nvidia::sm_86, r) == 32);
}

TEST_CASE("errors in a measured file of global memory name the line", "[hardware]") {
  global_measured file = head(90);
  file.readings = {{1, 9, 1, std::nullopt}, {7, std::nullopt, 1, 8}};
  std::stringstream written;
  write(written, file, patterns());
  const std::string good = written.str();
  std::istringstream stream(good);
  const global_measured reread = read_global_measured(stream, "file");
  CHECK((reread.device == file.device && reread.major == 9 && reread.readings.size() == 2));
  CHECK((reread.readings[0].sectors == 9 && reread.readings[0].requests == 1 &&
         !reread.readings[0].by_code));
  CHECK((!reread.readings[1].sectors && reread.readings[1].by_code == 8));
  const auto is = [&](const std::string& old_text, const std::string& new_text,
                      const std::string& line, const std::string& says) {
    const std::string message = message_of(replaced(good, old_text, new_text));
    INFO(message);
    CHECK(message.rfind("file.csv:" + line + ": ", 0) == 0);
    CHECK(contains(message, says));
  };
  is("sectors of global", "wavefronts of global", "1", "measure again");
  is("capability: 9.0", "capability: nine", "3", "write it as 9.0");
  is("patterns: 2", "patterns: 3", "12", "cut off");
  is("id,class", "id,klass", "10", "the columns must be");
  is("\n1,", "\n99999,", "11", "there is no pattern");
  is("\n7,", "\n1,", "12", "measured by another generator");
  is("global_load_1,", "global_load_2,", "11", "measured by another generator");
  is(",9,1,\n", ",nine,1,\n", "11", "sectors \"nine\"");
  is(",9,1,\n", ",9,-1,\n", "11", "requests \"-1\"");
  is(",9,1,\n", ",9,1\n", "11", "8 fields instead of 9");
  const std::string row = good.substr(good.find("\n1,"), good.find("\n7,") - good.find("\n1,"));
  is("\n7,", row + "\n7,", "12", "rows must be in order");
}

TEST_CASE("ncu's output of global memory is joined with the patterns", "[hardware]") {
  using code = global_instruction;
  const std::vector<launch_of<code>> launches = {{code::global_load_4, std::nullopt, 0},
                                                 {code::global_load_4, 600, 64}};
  const std::string text = profiled(simulated_global_device({}), launches, patterns());
  const auto joined = [&](const std::string& profile, std::string& error) {
    std::istringstream stream(profile);
    std::pair<std::vector<global_reading>, int> result;
    try {
      result.first = join_global(launches, read_profiles(stream, "ncu.csv", global_metrics()),
                                 "ncu.csv", result.second);
    } catch (const file_error& e) {
      error = e.what();
    }
    return result;
  };
  std::string error;
  const auto good = joined(text, error);
  REQUIRE((error.empty() && good.first.size() == 1 && good.second == 0));
  CHECK((good.first[0].id == 600 && good.first[0].requests == 1));
  // One more than a multiple of 64.
  const auto half = joined(replaced(text, "\"69\"", "\"70\""), error);
  CHECK((half.second == 0 && half.first[0].requests == 1));  // within 0.05
  const auto off = joined(replaced(text, "\"69\"", "\"97\""), error);
  CHECK((off.second == 1 && !off.first[0].requests && error.empty()));
  joined(replaced(text, "global_load_4>", "global_load_8>"), error);
  CHECK(contains(error, "both files must come from one run"));
  joined(text.substr(0, text.find("\"1\",\"void")), error);
  CHECK(contains(error, "1 launches were profiled, but measure_global made 2"));
}
