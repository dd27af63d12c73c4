// SPDX-License-Identifier: MIT
// The table of kernels before and after their plans, without a GPU: ncu's output of two launches,
// the file, and what differs from the predictions.
#include "catch.hpp"
#include "plan_table.hpp"

#include <functional>
#include <sstream>

using namespace hardware;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string replaced(std::string text, const std::string& pattern, const std::string& replacement) {
  const std::size_t position = text.find(pattern);
  REQUIRE(position != std::string::npos);
  return text.replace(position, pattern.size(), replacement);
}

std::string message_of(const std::function<void()>& reads) {
  try {
    reads();
  } catch (const file_error& error) {
    return error.what();
  }
  return "accepted";
}

std::string row(int id, const std::string& kernel, const std::string& metric,
                const std::string& value, const std::string& grid = "(64, 64, 1)") {
  return "\"" + std::to_string(id) + "\",\"" + kernel + "(float *, const float *)\",\"" + grid +
         "\",\"" + metric + "\",\"\",\"" + value + "\"\n";
}
const std::string columns_of_ncu =
    "\"ID\",\"Kernel Name\",\"Grid Size\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";

counted_plan counted(const std::string& text) {
  std::istringstream input(text);
  return counted_of(read_profiles(input, "ncu.csv"), "ncu.csv");
}

// Three kernels: 4,096 blocks with 72 and 24 wavefronts, one without a plan, one not counted.
std::string table_with(const std::string& counts) {
  file_head head;
  head.device = "Simulated";
  head.driver = "580.65.06", head.toolkit = "13.0", head.command = "measure.sh";
  head.date = "2025-11-22", head.major = 9;
  std::ostringstream output;
  write_head(output, head, plans_first_line, "plans", 3, plans_columns);
  output << "transposeCoalesced,\"planned\",72,24,12.5,6.25," << counts
         << "\ncopySharedMem,\"no other declaration takes fewer, or as many\",16,,,,,,,,\n"
            "lud_diagonal,\"planned\",1683,976,8,4,,,,,\n";
  return output.str();
}

plan_table read(const std::string& text) {
  std::istringstream input(text);
  return read_plans(input, "plans.csv");
}

}  // namespace

TEST_CASE("ncu's output of a kernel before and after its plan", "[hardware]") {
  const std::string good = columns_of_ncu +
                           row(0, "original::transposeCoalesced", counter_metric, "294,920") +
                           row(0, "original::transposeCoalesced", source_metric, "294,912") +
                           row(1, "planned::transposeCoalesced", counter_metric, "98,312") +
                           row(1, "planned::transposeCoalesced", source_metric, "98,304");
  const counted_plan c = counted(good);
  CHECK((c.blocks == 4096 && c.counter_before == 294920 && c.counter_after == 98312));
  CHECK((c.source_before == 294912 && c.source_after == 98304));
  std::ostringstream fields;
  write(fields, c);
  CHECK(fields.str() == "4096,294920,98312,294912,98304\n");
  const auto refused = [](const std::string& text) { return message_of([&] { counted(text); }); };
  CHECK(contains(refused(replaced(good, "original::", "planned::")), "should have two launches"));
  CHECK(contains(refused(good + row(2, "planned::k", counter_metric, "1")), "but has 3"));
  CHECK(contains(refused(replaced(good, "(64, 64, 1)", "(64, 64)")), "no Grid Size"));
  CHECK(contains(refused(replaced(good, "(64, 64, 1)", "(64, 32, 1)")), "no Grid Size"));
  CHECK(contains(refused(replaced(good, "Grid Size", "Grid")), "no Grid Size"));
}

TEST_CASE("wavefronts of plans that differ from their predictions are found", "[hardware]") {
  const auto differ = [](const std::string& counts) {
    std::ostringstream output;
    return print(output, read(table_with(counts)));
  };
  // The source page decides; the counter may have more.
  CHECK(differ("4096,294920,98312,294912,98304") == 0);
  CHECK(differ("4096,294912,98304,294913,98304") == 1);
  CHECK(differ("4096,294912,98304,294912,98303") == 1);
  CHECK(differ("4096,294912,98304,,") == 0);
  CHECK(differ("4096,294913,98304,,") == 1);
  CHECK(differ("4095,294912,98304,,") == 1);
  CHECK(differ(",,,,") == 0);
  std::ostringstream output;
  print(output, read(table_with("4096,294920,98312,294912,98305")));
  CHECK(contains(output.str(),
                 "transposeCoalesced: 12.500 6.250 us, ratio 2.000; before 294912 294920 "
                 "294912, after 98304 98312 98305 DIFFERS FROM THE MODEL\n"));
  CHECK(contains(output.str(), "copySharedMem: no other declaration takes fewer, or as many\n"));
  CHECK(contains(output.str(), "lud_diagonal: 8.000 4.000 us, ratio 2.000; not counted\n"));
  CHECK(contains(output.str(), "2 planned, geometric mean of the ratios 2.000; 1 differ"));
}

TEST_CASE("errors in a file of plans name the line", "[hardware]") {
  const std::string good = table_with("4096,1,1,1,1");
  const auto is = [&](const std::string& original, const std::string& replacement,
                      const std::string& line, const std::string& says) {
    const std::string message = message_of([&] { read(replaced(good, original, replacement)); });
    INFO(message);
    CHECK(message.rfind("plans.csv:" + line + ": ", 0) == 0);
    CHECK(contains(message, says));
  };
  is("plans of kernels", "plants of kernels", "1", "measure again");
  is("plans: 3", "plans: 2", "13", "cut off");
  is("kernel,outcome", "kernel,result", "10", "the columns must be");
  is(",72,24,", ",72,-24,", "11", "\"-24\" must be a number");
  is(",72,24,", ",72,,", "11", "let plans.sh write this file");
  is(",12.5,", ",,", "11", "let plans.sh write this file");
  is(",12.5,", ",fast,", "11", "\"fast\" must be a number");
  is("\"planned\"", "\"not planned\"", "11", "let plans.sh write this file");
  is(",72,24,", ",72,24,24,", "11", "12 fields instead of 11");
}
