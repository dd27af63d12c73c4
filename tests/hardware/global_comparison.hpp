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
  global_instruction by = global_instruction::global_load_4;
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
  bankmodel::machine once = m, in_groups = m;
  once.global.bytes_together = 0;
  in_groups.global.bytes_together = 128;
  const auto by = [](const bankmodel::machine& on) {
    return [on](const bankmodel::request& asked) { return sectors_on(on, asked); };
  };
  const std::vector<global_rule> groups = {
      {"once a request", by(once), m.global.bytes_together == 0, 0},
      {"in groups of 128 bytes", by(in_groups), m.global.bytes_together == 128, 0}};
  return {{"sectors of loads of 8 and 16 bytes are counted", access_kind::load, 8, groups, 0},
          {"sectors of stores of 8 and 16 bytes are counted", access_kind::store, 8, groups, 0},
          {"sectors of atomics on one word are counted",
           access_kind::atomic,
           4,
           {{"once", by(m), true, 0},
            {"for each lane", [m](const bankmodel::request& r) { return sectors_in_rounds(m, r); },
             false, 0}},
           0}};
}

inline void answer_with(global_question& asked, const global_pattern& p, int sectors) {
  if (describe(p.by).kind != asked.kind || describe(p.by).bytes < asked.at_least_bytes) return;
  std::vector<int> says;
  for (const global_rule& rule : asked.rules) says.push_back(rule.sectors(p.asked));
  if (std::set<int>(says.begin(), says.end()).size() == 1) return;
  ++asked.deciding;
  for (std::size_t at = 0; at < says.size(); ++at) asked.rules[at].agreeing += says[at] == sectors;
}

inline void add(global_class& to, const global_reading& seen, int model) {
  ++to.patterns;
  to.sectors.add(seen.sectors, model);
  to.requests.add(seen.requests, 1);
  to.by_code.add(seen.by_code, model);
}

}  // namespace detail

inline global_comparison compare(const bankmodel::machine& m, const global_measured& file,
                                 const std::vector<global_pattern>& patterns) {
  global_comparison result;
  result.questions = detail::global_questions(m);
  for (const global_reading& seen : file.readings) {
    const global_pattern& p = patterns.at(static_cast<std::size_t>(seen.id));
    if (result.classes.empty() || result.classes.back().by != p.by ||
        result.classes.back().family != p.family)
      result.classes.push_back({p.by, p.family, 0, 0, {}, {}, {}});
    const int model = detail::sectors_on(m, p.asked);
    detail::add(result.classes.back(), seen, model);
    ++(seen.sectors ? result.judged : result.silent);
    if (!seen.sectors) continue;
    for (global_question& one : result.questions) detail::answer_with(one, p, *seen.sectors);
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
  for (std::size_t at = 0; at < asked.rules.size(); ++at)
    text += (at == 0 ? ": " : ", ") + asked.rules[at].name + " " +
            std::to_string(asked.rules[at].agreeing);
  return text + ")";
}

// `most`: the most differences that are listed for a class.
inline void print(std::ostream& out, const global_comparison& c, const global_measured& file,
                  const std::vector<global_pattern>& patterns, int most) {
  using namespace detail;
  out << file.device << ", compute capability " << file.major << '.' << file.minor << ", driver "
      << file.driver << ", toolkit " << file.toolkit << ", " << file.date
      << "\nglobal memory, agreeing / measured, by each counter:\n\n"
      << in_columns({"instruction", "class", "patterns", "sectors", "requests", "by code",
                     "disagreements"});
  for (const global_class& one : c.classes)
    out << in_columns({describe(one.by).name, one.family, std::to_string(one.patterns),
                       of_all(one.sectors), of_all(one.requests), of_all(one.by_code),
                       one.disagreements == 0 ? "" : std::to_string(one.disagreements)});
  if (!c.disagreements.empty()) out << "\ndisagreements with the model:\n";
  std::map<std::pair<global_instruction, std::string>, int> listed;
  for (const global_difference& one : c.disagreements) {
    const global_pattern& p = patterns.at(static_cast<std::size_t>(one.seen.id));
    const int before = listed[{p.by, p.family}]++;
    if (before == most) out << "  .. more of this class, see them with --all\n";
    if (before >= most) continue;
    out << "  " << p.id << ' ' << describe(p.by).name << ", " << p.family << ": " << p.label
        << ", mask " << hex(p.asked.active, 8) << ": sectors " << said(one.seen.sectors)
        << ", by code " << said(one.seen.by_code) << ", model " << one.model << '\n';
  }
  out << "\nopen questions:\n";
  for (const global_question& one : c.questions) out << "  " << in_words(one) << '\n';
  out << '\n' << c.judged << " patterns judged, " << c.disagreements.size() << " disagreements";
  if (c.silent > 0) out << "; for " << c.silent << " the counter is missing";
  out << '\n';
}

}  // namespace hardware

#endif
