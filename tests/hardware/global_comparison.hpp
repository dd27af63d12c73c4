// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_HARDWARE_GLOBAL_COMPARISON_HPP
#define BANKMODEL_TESTS_HARDWARE_GLOBAL_COMPARISON_HPP

#include "comparison.hpp"
#include "global_measured.hpp"

#include <bankmodel/global/transactions.hpp>

#include <set>

// Compares the sectors that a device counted with the model: agreement by class of patterns, and
// which of the open rules the device follows.
namespace hardware {

struct global_class {
  global_instruction opcode = global_instruction::global_load_4;
  std::string family;
  int patterns = 0, disagreements = 0;
  tally sectors, requests, by_code;
};

struct global_difference {
  global_reading seen;
  int model = 0;
};

struct global_rule {
  std::string name;
  std::function<int(const bankmodel::request&)> sectors;
  bool of_record = false;
  int agreeing = 0;
};

struct global_question {
  std::string text;
  bankmodel::access_kind kind;
  int at_least_bytes;
  std::vector<global_rule> rules;
  int deciding = 0;  // patterns on which the rules differ
};

struct global_comparison {
  std::vector<global_class> classes;
  std::vector<global_difference> disagreements;
  int judged = 0, silent = 0;  // patterns with and without the counter of sectors
  std::vector<global_question> questions;
};

namespace detail {

inline int sectors_on(const bankmodel::machine& m, const bankmodel::request& asked) {
  return static_cast<int>(bankmodel::traffic(m, asked).transactions);
}

// Lanes with one address are served one after another: the sectors of the first lane of each
// address, then of the second, .. (Counted so on an RTX 3070: 8 for 32 lanes on 4 words of a
// sector, 32 on one word.)
inline int sectors_in_rounds(const bankmodel::machine& m, bankmodel::request asked) {
  int sum = 0;
  while (asked.active != 0) {
    std::set<long long> addresses;
    bankmodel::request round = asked;
    for (int lane = 0; lane < 32; ++lane)
      if ((asked.active >> lane & 1) != 0 && !addresses.insert(asked.address[lane]).second)
        round.active &= ~(std::uint64_t{1} << lane);
    sum += sectors_on(m, round);
    asked.active &= ~round.active;
  }
  return sum;
}

inline std::vector<global_question> global_questions(const bankmodel::machine& m) {
  using bankmodel::access_kind;
  bankmodel::machine per_request = m, in_groups = m;
  per_request.global.bytes_together = 0;
  in_groups.global.bytes_together = 128;
  const auto make_counter = [](const bankmodel::machine& gpu) {
    return [gpu](const bankmodel::request& asked) { return sectors_on(gpu, asked); };
  };
  const std::vector<global_rule> groups = {
      {"once a request", make_counter(per_request), m.global.bytes_together == 0, 0},
      {"in groups of 128 bytes", make_counter(in_groups), m.global.bytes_together == 128, 0}};
  return {{"sectors of loads of 8 and 16 bytes are counted", access_kind::load, 8, groups, 0},
          {"sectors of stores of 8 and 16 bytes are counted", access_kind::store, 8, groups, 0},
          {"sectors of atomics on one word are counted",
           access_kind::atomic,
           4,
           {{"once", make_counter(m), true, 0},
            {"for each lane", [m](const bankmodel::request& r) { return sectors_in_rounds(m, r); },
             false, 0}},
           0}};
}

inline void answer_with(global_question& asked, const global_pattern& p, int sectors) {
  if (describe(p.opcode).kind != asked.kind || describe(p.opcode).bytes < asked.at_least_bytes)
    return;
  std::vector<int> says;
  for (const global_rule& rule : asked.rules) says.push_back(rule.sectors(p.asked));
  if (std::set<int>(says.begin(), says.end()).size() == 1) return;
  ++asked.deciding;
  for (std::size_t index = 0; index < says.size(); ++index)
    asked.rules[index].agreeing += says[index] == sectors;
}

inline void add(global_class& result, const global_reading& seen, int model) {
  ++result.patterns;
  result.sectors.add(seen.sectors, model);
  result.requests.add(seen.requests, 1);
  result.by_code.add(seen.by_code, model);
}

}  // namespace detail

inline global_comparison compare(const bankmodel::machine& m, const global_measured& file,
                                 const std::vector<global_pattern>& patterns) {
  global_comparison result;
  result.questions = detail::global_questions(m);
  for (const global_reading& seen : file.readings) {
    const global_pattern& p = patterns.at(static_cast<std::size_t>(seen.id));
    if (result.classes.empty() || result.classes.back().opcode != p.opcode ||
        result.classes.back().family != p.family)
      result.classes.push_back({p.opcode, p.family, 0, 0, {}, {}, {}});
    const int model = detail::sectors_on(m, p.asked);
    detail::add(result.classes.back(), seen, model);
    ++(seen.sectors ? result.judged : result.silent);
    if (!seen.sectors) continue;
    for (global_question& question : result.questions)
      detail::answer_with(question, p, *seen.sectors);
    if (*seen.sectors == model) continue;
    result.disagreements.push_back({seen, model});
    ++result.classes.back().disagreements;
  }
  return result;
}

inline std::string in_words(const global_question& asked) {
  std::string text = asked.text + ": ";
  if (asked.deciding == 0) return text + "not measured";
  const global_rule* settled = nullptr;
  for (const global_rule& rule : asked.rules)
    if (rule.agreeing == asked.deciding) settled = &rule;
  text += settled == nullptr
              ? "by none of these rules"
              : settled->name + (settled->of_record ? ", as in the record" : ", UNLIKE THE RECORD");
  text += " (of " + std::to_string(asked.deciding) + " deciding patterns";
  for (std::size_t index = 0; index < asked.rules.size(); ++index)
    text += (index == 0 ? ": " : ", ") + asked.rules[index].name + " " +
            std::to_string(asked.rules[index].agreeing);
  return text + ")";
}

// `limit`: the most differences that are listed for a class.
inline void print(std::ostream& output, const global_comparison& c, const global_measured& file,
                  const std::vector<global_pattern>& patterns, int limit) {
  using namespace detail;
  output << file.device << ", compute capability " << file.major << '.' << file.minor << ", driver "
         << file.driver << ", toolkit " << file.toolkit << ", " << file.date
         << "\nglobal memory, agreeing / measured, by each counter:\n\n"
         << in_columns({"instruction", "class", "patterns", "sectors", "requests", "by code",
                        "disagreements"});
  for (const global_class& entry : c.classes)
    output << in_columns({describe(entry.opcode).name, entry.family, std::to_string(entry.patterns),
                          of_all(entry.sectors), of_all(entry.requests), of_all(entry.by_code),
                          entry.disagreements == 0 ? "" : std::to_string(entry.disagreements)});
  if (!c.disagreements.empty()) output << "\ndisagreements with the model:\n";
  std::map<std::pair<global_instruction, std::string>, int> listed;
  for (const global_difference& entry : c.disagreements) {
    const global_pattern& p = patterns.at(static_cast<std::size_t>(entry.seen.id));
    const int count = listed[{p.opcode, p.family}]++;
    if (count == limit) output << "  .. more of this class, see them with --all\n";
    if (count >= limit) continue;
    output << "  " << p.id << ' ' << describe(p.opcode).name << ", " << p.family << ": " << p.label
           << ", mask " << hex(p.asked.active, 8) << ": sectors " << said(entry.seen.sectors)
           << ", by code " << said(entry.seen.by_code) << ", model " << entry.model << '\n';
  }
  output << "\nopen questions:\n";
  for (const global_question& question : c.questions) output << "  " << in_words(question) << '\n';
  output << '\n' << c.judged << " patterns judged, " << c.disagreements.size() << " disagreements";
  if (c.silent > 0) output << "; for " << c.silent << " the counter is missing";
  output << '\n';
}

}  // namespace hardware

#endif
