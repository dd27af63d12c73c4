// SPDX-License-Identifier: MIT
// The harness without a GPU: its generator, its files, its calibration, and its comparison with
// a simulated device, with right and with wrong rules.
#include "catch.hpp"
#include "clocks.hpp"
#include "comparison.hpp"
#include "profiler.hpp"
#include "simulated_device.hpp"

#include <bankmodel/machines/nvidia.hpp>

#include <set>
#include <sstream>

using namespace hardware;
namespace bm = bankmodel;

namespace {

const std::vector<pattern>& patterns() {
  static const std::vector<pattern> list = all_patterns();
  return list;
}

measured head(int model) {
  measured m;
  m.device = "Simulated, \"true\" device";
  m.driver = "580.65.06";
  m.toolkit = "13.0";
  m.command = "measure.sh";
  m.date = "2025-11-22";
  m.major = model / 10;
  m.minor = model % 10;
  return m;
}

// The complete path: timed, written, read, profiled, joined, written and read.
measured measure(simulated_device device, int model, bool counters = true) {
  measured file = head(model);
  std::vector<std::string> said;
  file.readings = measure_clocks(device, patterns_for(model), said);
  std::stringstream timed;
  write(timed, file, patterns());
  file = read_measured(timed, "timed");
  if (!counters) return file;
  std::stringstream launches;
  write_launches(launches, launches_of(patterns_for(model), 64));
  const std::vector<launch> issued = read_launches(launches, "launches");
  std::istringstream profile(profiled(device, issued, patterns()));
  REQUIRE(join(file.readings, issued, read_profiles(profile, "profile"), "profile") == 0);
  std::stringstream joined;
  write(joined, file, patterns());
  return read_measured(joined, "joined");
}

measured measure(const rules& options, int model, bool counters = true) {
  return measure(simulated_device(options), model, counters);
}

std::string settled_as(const comparison& c, const std::string& start) {
  for (const answer& entry : c.answers)
    if (entry.asked.text.rfind(start, 0) == 0)
      return settled(entry) < 0 ? "not"
                                : entry.asked.rules[static_cast<std::size_t>(settled(entry))].name;
  return "not asked";
}

// "instruction: class" of each class with a disagreement.
std::set<std::string> disagreeing(const comparison& c) {
  std::set<std::string> result;
  for (const class_of_patterns& entry : c.classes)
    if (entry.disagreements > 0)
      result.insert(std::string(describe(entry.opcode).name) + ": " + entry.family);
  return result;
}

std::string message_of(const std::string& text) {
  std::istringstream stream(text);
  try {
    read_measured(stream, "file.csv");
  } catch (const file_error& error) {
    return error.what();
  }
  return "accepted";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string replaced(std::string text, const std::string& old_text, const std::string& new_text) {
  const std::size_t position = text.find(old_text);
  INFO("'" << old_text << "' in '" << text << "'");
  REQUIRE(position != std::string::npos);
  return text.replace(position, old_text.size(), new_text);
}

}  // namespace

TEST_CASE("the patterns are the same on every platform", "[hardware]") {
  // Measured files stay evidence: new patterns are behind those of before.
  std::uint64_t hash = 0;
  for (const pattern& p : patterns()) {
    if (p.id == 4622) CHECK(hex(hash, 16) == "c060efd19ee0d289");
    hash = hash * 31 + checksum(p);
  }
  CHECK(patterns().size() == 4810);
  CHECK(hex(hash, 16) == "a759fea19af7ba60");
  CHECK(checksum(all_patterns(first_seed + 1)[5]) != checksum(patterns()[5]));
}

TEST_CASE("the patterns are well-formed and cover their purpose", "[hardware]") {
  std::set<std::string> families;
  std::set<instruction> instructions;
  std::map<instruction, std::set<std::uint64_t>> masks;
  std::set<std::string> described;
  for (const pattern& p : patterns()) {
    CHECK(p.id == static_cast<int>(&p - patterns().data()));
    REQUIRE(p.asked.active != 0);
    REQUIRE(p.asked.active >> 32 == 0);
    for (int lane = 0; lane < 32; ++lane) {
      REQUIRE(p.asked.address[lane] % p.asked.bytes == 0);
      REQUIRE(p.asked.address[lane] >= 0);
      REQUIRE(p.asked.address[lane] + p.asked.bytes <= window);
    }
    families.insert(p.family);
    instructions.insert(p.opcode);
    masks[p.opcode].insert(p.asked.active);
    instruction opcode{};
    CHECK((find_instruction(describe(p.opcode).name, opcode) && opcode == p.opcode));
  }
  CHECK(instructions.size() == instruction_count);
  CHECK(families == std::set<std::string>{"strides",
                                          "2D warps",
                                          "permutations",
                                          "random addresses",
                                          "swizzles",
                                          "shared elements",
                                          "partial masks",
                                          "pairs at 1",
                                          "pairs at 2",
                                          "pairs at 4",
                                          "half the pairs at 1, half at 2",
                                          "all pairs but one",
                                          "pairs by mask",
                                          "pairs by mask and address",
                                          "matrix rows",
                                          "matrix tiles",
                                          "matrix swizzles",
                                          "matrix random rows",
                                          "matrix pairs at 1",
                                          "matrix pairs at 2",
                                          "all matrix pairs but one"});
  for (const auto& [opcode, different] : masks)
    CHECK((is_matrix(opcode) || has_source_pattern(opcode) ? different.size() == 1
                                                           : different.size() > 15));
  CHECK(patterns_for(90).size() == patterns().size());
  for (const pattern& p : patterns_for(75))
    CHECK((!is_copy(p.opcode) && describe(p.opcode).kind != bm::access_kind::store_matrix));
}

TEST_CASE("a measured file is read as it was written", "[hardware]") {
  measured file = head(90);
  file.device = "GPU, \"one\"\nwith a line";
  file.readings = {{3, 5, std::nullopt, 4, 5.25}, {7, std::nullopt, 2, std::nullopt, std::nullopt}};
  std::stringstream text;
  write(text, file, patterns());
  const measured reread = read_measured(text, "file");
  CHECK(reread.device == "GPU, \"one\" with a line");
  CHECK((reread.driver == file.driver && reread.toolkit == file.toolkit &&
         reread.command == file.command && reread.date == file.date));
  CHECK((reread.major == 9 && reread.minor == 0 && reread.seed == first_seed));
  REQUIRE(reread.readings.size() == 2);
  CHECK((reread.readings[0].id == 3 && reread.readings[0].counter == 5 &&
         !reread.readings[0].source && reread.readings[0].clock == 4));
  CHECK(reread.readings[0].cycles == 5.25);
  CHECK((reread.readings[1].id == 7 && !reread.readings[1].counter &&
         reread.readings[1].source == 2 && !reread.readings[1].cycles));
  CHECK(fields_of("a,\"b,\"\"c\"\"\",,", "f", 1) ==
        std::vector<std::string>{"a", "b,\"c\"", "", ""});
  CHECK(fields_of("\"x\"\r", "f", 1) == std::vector<std::string>{"x"});
}

TEST_CASE("errors in a measured file name the line", "[hardware]") {
  measured file = head(90);
  file.readings = {{1, 5, 5, 4, 5.25}, {7, 2, 2, std::nullopt, 1.0}};
  std::stringstream written;
  write(written, file, patterns());
  const std::string good = written.str();
  REQUIRE(message_of(good) == "accepted");
  const auto is = [&](const std::string& old_text, const std::string& new_text,
                      const std::string& line, const std::string& says) {
    const std::string message = message_of(replaced(good, old_text, new_text));
    INFO(message);
    CHECK(message.rfind("file.csv:" + line + ": ", 0) == 0);
    CHECK(contains(message, says));
  };
  CHECK(contains(message_of(""), "measure again"));
  is("format 1", "format 2", "1", "another version");
  is("# device: ", "device ", "2", "do not edit the head");
  is("capability: 9.0", "capability: nine", "3", "write it as 9.0");
  is("capability: 9.0", "capability: 9.x", "3", "write it as 9.0");
  is("capability: 9.0", "capability: 90", "3", "write it as 9.0");
  is("# driver", "# motor", "4", "# driver");
  is("# toolkit", "# box", "5", "# toolkit");
  is("# command", "# order", "6", "# command");
  is("# date", "# day", "7", "# date");
  is("seed: 2014", "seed: x2014", "8", "is not a number");
  is("seed: 2014", "seed: 12014", "11", "measured by another generator");
  is("patterns: 2", "patterns: two", "9", "is not a number");
  is("patterns: 2", "patterns: 3", "12", "cut off");
  is("id,class", "id,klass", "10", "the columns must be");
  is("\n1,", "\n1x,", "11", "there is no pattern");
  is("\n1,", "\n-1,", "11", "there is no pattern");
  is("\n1,", "\n99999,", "11", "there is no pattern");
  is("\n7,", "\n1,", "12", "rows must be in order");
  is("\n7,", "\n8,", "12", "measured by another generator");
  is("\n1,strides", "\n1,sprides", "11", "measured by another generator");
  is("load_1", "load_2", "11", "measured by another generator");
  is("ffffffff", "fffffffe", "11", "measured by another generator");
  is(hex(checksum(patterns()[1]), 16), hex(checksum(patterns()[4]), 16), "11",
     "measured by another generator");
  is(",5,5,4,", ",5.5,5,4,", "11", "counter \"5.5\"");
  is(",5,5,4,", ",5,-1,4,", "11", "source \"-1\"");
  is(",5,5,4,", ",5,5,four,", "11", "clock \"four\"");
  is(",5,5,4,", ",5,5,4,,", "11", "11 fields instead of 10");
  is("5.25", "nan", "11", "cycles");
  is("5.25", "5,25", "11", "11 fields");
  is("\n1,strides", "\n1,\"strides", "11", "quote");
  is("\n1,strides", "\n1,st\"rides", "11", "quote");
  is("\n1,strides", "\n1,\"strides\"x", "11", "comma is missing");
}

TEST_CASE("ncu's output is joined with the patterns", "[hardware]") {
  const std::vector<launch> launches = {{instruction::load_4, std::nullopt, 0},
                                        {instruction::load_4, 600, 64},
                                        {instruction::load_4, 601, 64}};
  std::stringstream list;
  write_launches(list, launches);
  CHECK(list.str() ==
        "launch,instruction,id,times\n0,load_4,,0\n1,load_4,600,64\n2,load_4,601,64\n");
  CHECK(read_launches(list, "launches").size() == 3);

  const std::string columns_of_ncu =
      "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel "
      "Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid "
      "Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric "
      "Value\"\n";
  const auto row = [](int id, const std::string& kernel, const std::string& metric,
                      const std::string& value, const std::string& unit = "") {
    return "\"" + std::to_string(id) +
           "\",\"12\",\"measure\",\"127.0.0.1\",\"void hardware::issue<hardware::kernels::" +
           kernel +
           ">(hardware::task)\",\"1\",\"7\",\"(32, 1, 1)\",\"(1, 1, 1)\",\"0\",\"9.0\",\"Command "
           "line profiler metrics\",\"" +
           metric + "\",\"" + unit + "\",\"" + value + "\"\n";
  };
  const std::string good =
      "something the program printed\n==PROF== Connected to process 12\n==PROF== Profiling "
      "\"issue\" - 0: 0%....100% - 1 pass\n" +
      columns_of_ncu + row(0, "load_4", counter_metric, "12") +
      row(0, "load_4", source_metric, "0") + row(1, "load_4", counter_metric, "2,060.00") +
      row(1, "load_4", source_metric, "2,048", "byte") +
      row(2, "load_4", "smsp__inst_executed.sum", "a million") +
      row(2, "load_4", counter_metric, "89") + row(2, "load_4", source_metric, "n/a") +
      "==PROF== Disconnected from process 12\n";
  const auto joined = [&](const std::string& text, std::vector<reading>& readings) {
    std::istringstream stream(text);
    return join(readings, launches, read_profiles(stream, "ncu.csv"), "ncu.csv");
  };
  std::vector<reading> readings = {{600, {}, {}, {}, {}}, {601, {}, {}, {}, {}}};
  CHECK(joined(good, readings) == 1);
  CHECK((readings[0].counter == 32 && readings[0].source == 32));
  // 77 / 64 is not a whole number; the other was not available
  CHECK((!readings[1].counter && !readings[1].source));

  const auto refused = [&](const std::string& text) -> std::string {
    std::vector<reading> some = {{600, {}, {}, {}, {}}, {601, {}, {}, {}, {}}};
    try {
      joined(text, some);
    } catch (const file_error& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK(contains(refused("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access "
                         "NVIDIA GPU Performance Counters\n"),
                 "run as root"));
  CHECK(contains(refused("==ERROR== The application returned an error code (2).\n"),
                 "ncu.csv:1: ncu failed: "));
  CHECK(contains(refused("==PROF== Connected\n"), "without --csv"));
  CHECK(contains(refused(replaced(good, "Metric Value", "Value of Metric")), "--page details"));
  CHECK(contains(refused(replaced(good, "\"2,060.00\"", "\"2.060,00\"")), "LC_ALL=C"));
  CHECK(contains(refused(replaced(good, "\"2,060.00\"", "\"2.060.000\"")), "LC_ALL=C"));
  CHECK(contains(refused(replaced(good, "\"\",\"2,060.00\"", "\"Kinst\",\"2.06\"")),
                 "--print-units base"));
  CHECK(contains(refused(replaced(good, "load_4", "load_16")), "from one run"));
  CHECK(contains(refused(good + row(3, "load_4", counter_metric, "1")),
                 "4 launches were profiled, but measure made 3"));
  CHECK(contains(refused(replaced(good, "\"2\",\"12\",\"measure\"", "\"0\",\"12\",\"measure\"")),
                 "numbered in order"));
  CHECK(contains(refused(replaced(good, "\"n/a\"\n", "\"n/a\n")), "closing quote"));
  CHECK(contains(refused(replaced(good, ",\"n/a\"\n", "\n")), "14 fields, the columns are 15"));
  std::vector<reading> incomplete = {{600, {}, {}, {}, {}}};
  CHECK_THROWS_AS(joined(good, incomplete), file_error);
  std::istringstream broken("launch,instruction,id,times\n1,load_4,,0\n");
  CHECK_THROWS_AS(read_launches(broken, "launches"), file_error);

  // cp.async has a counter of its own, which is used if available.
  const std::vector<launch> copies = {{instruction::copy_16, std::nullopt, 0},
                                      {instruction::copy_16, 600, 10}};
  std::istringstream of_copies(columns_of_ncu + row(0, "copy_16", counter_metric, "4") +
                               row(0, "copy_16", copy_metric, "0") +
                               row(1, "copy_16", counter_metric, "49") +
                               row(1, "copy_16", copy_metric, "40"));
  std::vector<reading> copied = {{600, {}, {}, {}, {}}};
  CHECK(join(copied, copies, read_profiles(of_copies, "ncu.csv"), "ncu.csv") == 0);
  CHECK(copied[0].counter == 4);
}

TEST_CASE("the patterns of known wavefronts do not depend on the rules", "[hardware]") {
  for (int switches = 0; switches < 256; ++switches) {
    const auto is_set = [&](int bit) { return (switches >> bit & 1) != 0; };
    const simulated_device device(rules{.loads_merge = is_set(0),
                                        .stores_merge = is_set(1),
                                        .matrices_merge = is_set(2),
                                        .quarters_of_16 = is_set(3),
                                        .atomics_lane_by_lane = is_set(4),
                                        .copies_lane_by_lane = is_set(5),
                                        .uncached_copies_at_once = is_set(6),
                                        .banks = is_set(7) ? 64 : 32});
    for (int number = 0; number < instruction_count; ++number) {
      const instruction opcode = nth_instruction(number);
      // that a matrix is a phase is not in question
      if (is_matrix(opcode) && (!is_set(3) || is_set(7))) continue;
      // past the first cache there may be one number alone: then the clock is unsure
      if (opcode == instruction::copy_16_bypass && is_set(6)) continue;
      if (has_source_pattern(opcode)) continue;  // a calibration would take the answer for granted
      const std::vector<known_pattern> known = known_patterns(opcode);
      CHECK(known.size() == (is_matrix(opcode) ? 8u : 32u));
      for (const known_pattern& entry : known)
        if (device.wavefronts(opcode, entry.asked) != entry.wavefronts)
          FAIL(describe(opcode).name << " " << entry.wavefronts << " under rules " << switches);
    }
  }
}

TEST_CASE("cycles become wavefronts, or the calibration is unsure", "[hardware]") {
  const auto line = [](double a, double b, double minimum, double noise) {
    std::vector<sample> samples;
    dice random(3);
    for (int w = 1; w <= 32; ++w)
      samples.push_back(
          {w, {std::max(minimum, a + b * w) + noise * (random.draw(1001) / 1000.0), 0}});
    return samples;
  };
  SECTION("exact") {
    const calibration c = calibrate(line(2, 1, 0, 0));
    CHECK((c.unusable.empty() && c.lowest == 1 && c.highest == 32));
    for (int w = 1; w <= 32; ++w) {
      CHECK(c.wavefronts({2.0 + w, 0}) == w);
      CHECK(c.wavefronts({2.0 + w + 0.15, 0}) == w);
      CHECK(c.wavefronts({2.0 + w - 0.15, 0}) == w);
      CHECK(!c.wavefronts({2.0 + w + 0.25, 0}));
      CHECK(!c.wavefronts({2.0 + w + 0.5, 0}));
      CHECK(!c.wavefronts({2.0 + w, 0.3}));  // repetitions that differ
    }
    CHECK(!c.wavefronts({2, 0}));
    CHECK(!c.wavefronts({2 + 33, 0}));
    CHECK(!c.wavefronts({std::nan(""), 0}));
  }
  SECTION("noise") {
    const calibration some = calibrate(line(2, 1, 0, 0.1));
    CHECK((some.unusable.empty() && some.lowest == 1));
    for (int w = 1; w <= 32; ++w) CHECK(some.wavefronts({2.05 + w, 0}) == w);
    CHECK(contains(calibrate(line(2, 1, 0, 1.5)).unusable, "are not on a line"));
    CHECK(contains(calibrate(line(40, 0, 0, 0.01)).unusable, "are not on a line"));
    CHECK(contains(calibrate({{1, {1, 0}}, {2, {2, 0}}}).unusable, "fewer than four"));
    CHECK(!calibrate(line(2, 1, 0, 1.5)).wavefronts({5, 0}));
  }
  SECTION("wavefronts hidden by the issue of instructions are not reported") {
    const calibration c = calibrate(line(0, 1, 4, 0));
    CHECK((c.unusable.empty() && c.lowest == 4));
    CHECK((!c.wavefronts({3, 0}) && !c.wavefronts({4, 0}) && c.wavefronts({5, 0}) == 5));
    // Not even if the hidden time is 1.85 wavefronts, which is nearly 2.
    const calibration partial = calibrate(line(0, 1, 1.85, 0));
    CHECK((partial.lowest == 2 && !partial.wavefronts({1.85, 0}) && !partial.wavefronts({2, 0}) &&
           partial.wavefronts({3, 0}) == 3));
  }
  SECTION("nor those hidden by the return of 32 lanes' data") {
    const calibration c = calibrate(line(0, 1, 0, 0), timing{4, 0});
    CHECK((!c.wavefronts({1, 0}) && !c.wavefronts({4, 0}) && c.wavefronts({5, 0}) == 5));
    const calibration single = calibrate(line(0, 1, 0, 0), timing{1, 0});
    CHECK(single.wavefronts({1, 0}) == 1);
  }
}

TEST_CASE("clocks alone give the truth or nothing", "[hardware]") {
  for (const double noise : {0.0, 0.05, 0.3, 2.0})
    for (const double minimum : {0.0, 5.4}) {
      simulated_device device(rules{});
      device.noise = noise;
      device.min_cycles = minimum;
      const measured file = measure(device, 90, false);
      int sure = 0;
      for (const reading& r : file.readings) {
        if (!r.clock) continue;
        ++sure;
        const pattern& p = patterns()[static_cast<std::size_t>(r.id)];
        if (*r.clock != device.wavefronts(p.opcode, p.asked))
          FAIL(p.family << ", " << p.label << " with noise " << noise);
      }
      INFO("noise " << noise << ", least " << minimum << ": " << sure);
      if (noise <= 0.05)
        CHECK(sure > static_cast<int>(file.readings.size()) / (minimum > 0 ? 3 : 2));
      if (noise == 2.0) CHECK(sure == 0);
    }
}

TEST_CASE("the true device and the model agree", "[hardware]") {
  for (const int model : {75, 80, 90, 120}) {
    const measured file = measure(rules{}, model);
    const comparison c =
        compare(bm::nvidia::compute_capability(model / 10, model % 10), file, patterns());
    INFO("compute capability " << model);
    CHECK(c.disagreements.empty());
    CHECK(c.contradictions.empty());
    const auto open = [&](const pattern& p) {
      return is_open(bm::nvidia::compute_capability(model / 10, model % 10), p);
    };
    const std::vector<pattern> list = patterns_for(model);
    CHECK(c.open == std::count_if(list.begin(), list.end(), open));
    CHECK(c.open < 100);
    CHECK((c.silent == 0 && c.judged + c.open == static_cast<int>(list.size())));
    for (const answer& entry : c.answers) {
      INFO(in_words(entry));
      CHECK(contains(in_words(entry), "as in the record"));
      CHECK(entry.deciding >= 12);
    }
    CHECK(c.answers.size() == (model < 80 ? 4u : model < 90 ? 8u : 9u));
  }
}

TEST_CASE("wrong rules are found in their classes, and the deciding pattern is named",
          "[hardware]") {
  const auto compare_rules = [](rules options) {
    return compare(bm::nvidia::sm_90, measure(options, 90), patterns());
  };
  // All classes of these instructions that begin so, and no other instruction.
  const auto only_of = [](const std::set<std::string>& classes,
                          const std::vector<std::string>& instructions) {
    for (const std::string& class_name : classes) {
      bool known = false;
      for (const std::string& name : instructions)
        known = known || class_name.rfind(name + ": ", 0) == 0;
      if (!known) return false;
    }
    return !classes.empty();
  };
  SECTION("loads do not merge") {
    const comparison c = compare_rules({.loads_merge = false});
    const std::set<std::string> classes = disagreeing(c);
    CHECK(only_of(classes, {"load_8", "load_16"}));
    for (const char* family :
         {"pairs at 1", "pairs at 2", "pairs by mask", "pairs by mask and address"})
      CHECK((classes.count(std::string("load_8: ") + family) == 1 &&
             classes.count(std::string("load_16: ") + family) == 1));
    for (const char* family : {"pairs at 4", "half the pairs at 1, half at 2", "random addresses"})
      CHECK(classes.count(std::string("load_16: ") + family) == 0);
    CHECK(settled_as(c, "phases of loads") == "never");
    CHECK(settled_as(c, "phases of stores") == "never");
    std::ostringstream text;
    print(text, c, measure(rules{.loads_merge = false}, 90), patterns(), 2);
    CHECK(
        contains(text.str(), "phases of loads of 8 and 16 bytes merge: never, UNLIKE THE RECORD"));
    CHECK(contains(text.str(), "load_16, pairs at 1: below"));
    CHECK(contains(text.str(), "more of this class, see them with --all"));
    CHECK(contains(text.str(), std::to_string(c.disagreements.size()) + " disagreements"));
  }
  SECTION("stores merge") {
    const comparison c = compare_rules({.stores_merge = true});
    CHECK(only_of(disagreeing(c), {"store_8", "store_16"}));
    CHECK(disagreeing(c).count("store_8: pairs at 1") == 1);
    CHECK(settled_as(c, "phases of stores") == "in pairs");
    CHECK(settled_as(c, "phases of loads") == "in pairs");
  }
  SECTION("cp.async merges lanes of one word") {
    const comparison c =
        compare_rules({.copies_lane_by_lane = false, .uncached_copies_at_once = false});
    CHECK(only_of(disagreeing(c),
                  {"copy_4", "copy_8", "copy_16", "copy_16_bypass", "copy_16_bypass_from"}));
    CHECK(settled_as(c, "lanes of cp.async are") == "like stores");
    CHECK(settled_as(c, "lanes of cp.async past") == "like stores");
  }
  SECTION("cp.async past the first cache is served lane by lane") {
    const comparison c = compare_rules({.uncached_copies_at_once = false});
    CHECK(only_of(disagreeing(c), {"copy_16_bypass", "copy_16_bypass_from"}));
    CHECK(settled_as(c, "the source of cp.async past") == "by banks, as its destination");
    CHECK(settled_as(c, "lanes of cp.async past") == "one by one");
  }
  SECTION("the source of cp.async takes no wavefronts of its own") {
    const comparison c = compare_rules({.sources_take_wavefronts = false});
    CHECK(only_of(disagreeing(c), {"copy_4_from", "copy_8_from", "copy_16_from"}));
    CHECK(settled_as(c, "the source of cp.async is") == "without wavefronts of its own");
    CHECK(settled_as(c, "the source of cp.async past") == "without wavefronts of its own");
  }
  SECTION("matrices merge") {
    const comparison c = compare_rules({.matrices_merge = true});
    CHECK(only_of(disagreeing(c),
                  {"load_matrix_2", "load_matrix_4", "store_matrix_2", "store_matrix_4"}));
    CHECK(disagreeing(c).count("load_matrix_4: matrix pairs at 1") == 1);
    CHECK(settled_as(c, "matrices of ldmatrix") == "in pairs");
    CHECK(settled_as(c, "matrices of stmatrix") == "in pairs");
  }
  SECTION("atomics on one word are served at once") {
    const comparison c = compare_rules({.atomics_lane_by_lane = false});
    CHECK(only_of(disagreeing(c), {"atomic_4"}));
    CHECK(settled_as(c, "atomics") == "at once");
  }
  SECTION("16 bytes in halves") {
    const comparison c = compare_rules({.quarters_of_16 = false});
    CHECK(only_of(disagreeing(c), {"load_16", "store_16", "copy_16", "copy_16_bypass",
                                   "copy_16_from", "copy_16_bypass_from", "load_matrix_4",
                                   "store_matrix_4", "load_matrix_2", "store_matrix_2"}));
    CHECK(disagreeing(c).count("store_16: strides") == 1);
    CHECK(settled_as(c, "phases of stores") == "not");  // 8 bytes do not follow the same rule
    CHECK(settled_as(c, "lanes of cp.async past") == "not");
  }
  SECTION("64 banks") {
    const comparison c = compare_rules({.banks = 64});
    CHECK(disagreeing(c).count("load_4: strides") == 1);
    CHECK(disagreeing(c).count("store_1: strides") == 1);
    CHECK(settled_as(c, "phases of loads") == "not");
  }
}

TEST_CASE("without counters the clock decides where it is certain", "[hardware]") {
  simulated_device device(rules{.stores_merge = true});
  device.noise = 0.03;
  device.min_cycles = 3.5 + 1.03 * 4;  // as if the data of 32 lanes of 16 bytes took four clocks
  const comparison c = compare(bm::nvidia::sm_90, measure(device, 90, false), patterns());
  CHECK(c.silent > 0);
  CHECK(settled_as(c, "phases of stores") == "in pairs");
  CHECK(settled_as(c, "phases of loads") == "in pairs");
  CHECK(disagreeing(c).count("store_16: pairs at 1") == 1);
}

TEST_CASE("witnesses that differ, and instructions that the record lacks", "[hardware]") {
  measured file = measure(rules{}, 90);
  file.readings[10].clock = 31;
  file.readings[20].counter = std::nullopt;
  file.readings[20].clock = std::nullopt;
  file.readings[20].source = 31;
  const comparison c = compare(bm::nvidia::sm_90, file, patterns());
  CHECK(c.contradictions.size() == 1);
  REQUIRE(c.disagreements.size() == 1);
  CHECK(c.disagreements[0].seen.id == 20);
  const comparison older = compare(bm::nvidia::sm_70, file, patterns());
  CHECK(disagreeing(older).count("load_matrix_4: matrix rows") == 1);
  CHECK(disagreeing(older).count("load_16: pairs at 1") == 0);
  std::ostringstream text;
  print(text, older, file, patterns(), 1);
  CHECK(contains(text.str(), "model has no such instruction"));
}
